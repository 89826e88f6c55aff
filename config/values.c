#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "config/values.h"

int values_new(struct values **ret_values)
{
	struct values *values = calloc(1, sizeof(*values));
	if (!values)
		return -ENOMEM;
	*ret_values = values;
	return 0;
}

static void entry_clear(struct value_entry *entry)
{
	free(entry->text);
	for (size_t i = 0; i < entry->n_items; i++)
		values_free(entry->items[i]);
	free(entry->items);
	entry->text = NULL;
	entry->items = NULL;
	entry->n_items = 0;
}

struct values *values_free(struct values *values)
{
	if (!values)
		return NULL;
	for (size_t i = 0; i < values->n; i++) {
		entry_clear(&values->entries[i]);
		free(values->entries[i].name);
	}
	free(values->entries);
	free(values);
	return NULL;
}

static struct value_entry *find(const struct values *values, const char *name)
{
	for (size_t i = 0; i < values->n; i++)
		if (strcmp(values->entries[i].name, name) == 0)
			return &values->entries[i];
	return NULL;
}

/* The entry of that name, a new one if there is none; NULL when memory ran out. */
static struct value_entry *claim(struct values *values, const char *name)
{
	struct value_entry *entry = find(values, name);
	if (entry)
		return entry;
	struct value_entry *grown = reallocarray(values->entries, values->n + 1, sizeof(*grown));
	if (!grown)
		return NULL;
	values->entries = grown;
	char *copy = strdup(name);
	if (!copy)
		return NULL;
	entry = &grown[values->n++];
	*entry = (struct value_entry){.name = copy};
	return entry;
}

int values_set(struct values *values, const char *name, const char *text)
{
	char *copy = NULL;

	if (text && *text) {
		copy = strdup(text);
		if (!copy)
			return -ENOMEM;
	}
	struct value_entry *entry = claim(values, name);
	if (!entry) {
		free(copy);
		return -ENOMEM;
	}
	entry_clear(entry);
	entry->text = copy;
	return 0;
}

int values_format(struct values *values, const char *name, const char *format, ...)
{
	va_list arguments;
	char *text = NULL;

	va_start(arguments, format);
	int r = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (r < 0)
		return -ENOMEM;
	r = values_set(values, name, text);
	free(text);
	return r;
}

int values_flag(struct values *values, const char *name, bool on)
{
	return values_set(values, name, on ? "yes" : NULL);
}

int values_append(struct values *values, const char *name, struct values **ret_item)
{
	struct values *item;

	struct value_entry *entry = claim(values, name);
	if (!entry)
		return -ENOMEM;
	struct values **grown =
		reallocarray(entry->items, entry->n_items + 1, sizeof(struct values *));
	if (!grown)
		return -ENOMEM;
	entry->items = grown;
	int r = values_new(&item);
	if (r < 0)
		return r;
	item->outer = values;
	entry->items[entry->n_items++] = item;
	*ret_item = item;
	return 0;
}

const char *values_get(const struct values *values, const char *name)
{
	const struct value_entry *entry = values_find(values, name);
	return entry ? entry->text : NULL;
}

const struct value_entry *values_find(const struct values *values, const char *name)
{
	for (; values; values = values->outer) {
		const struct value_entry *entry = find(values, name);
		if (entry)
			return entry;
	}
	return NULL;
}

void values_names(
	const struct values *values, void (*fn)(void *context, const char *name), void *context)
{
	for (size_t i = 0; i < values->n; i++) {
		const struct value_entry *entry = &values->entries[i];
		fn(context, entry->name);
		for (size_t j = 0; j < entry->n_items; j++)
			values_names(entry->items[j], fn, context);
	}
}

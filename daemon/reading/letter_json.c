#include "daemon/reading/letter_json.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/reading/charset.h"
#include "daemon/reading/parse.h"

#define JSON_TEXT_MAX (LETTER_TEXT_MAX * 8)
#define LINE_MAX_SIZE ((size_t)16384)

/* The members of a letter by name: one table writes and reads them. */
enum kind {
	KIND_STRING,   /* "" when missing */
	KIND_OPTIONAL, /* null when missing */
	KIND_TEXT,     /* many lines, with its size */
	KIND_BOOL,
};

static const struct member {
	const char *name;
	enum kind kind;
	size_t offset, size_offset;
} members[] = {
#define STRING(name)                                                 \
	{                                                            \
#name, KIND_STRING, offsetof(struct letter, name), 0 \
	}
#define OPTIONAL(name)                                                 \
	{                                                              \
#name, KIND_OPTIONAL, offsetof(struct letter, name), 0 \
	}
#define BOOL(name)                                                 \
	{                                                          \
#name, KIND_BOOL, offsetof(struct letter, name), 0 \
	}
	OPTIONAL(unparsable),
	OPTIONAL(from_address),
	STRING(from_name),
	OPTIONAL(reply_to),
	STRING(subject),
	OPTIONAL(message_id),
	OPTIONAL(in_reply_to),
	OPTIONAL(date),
	OPTIONAL(auto_submitted),
	OPTIONAL(precedence),
	OPTIONAL(zugpost_kind),
	OPTIONAL(x_loop),
	BOOL(null_return_path),
	BOOL(list),
	BOOL(autoreply),
	BOOL(challenge),
	BOOL(spam),
	OPTIONAL(authentication),
	STRING(content_type),
	BOOL(encrypted),
	BOOL(tnef_only),
	BOOL(is_signed),
	BOOL(from_html),
	BOOL(attachments),
	BOOL(attached_message),
	BOOL(partial),
	OPTIONAL(report_message_id),
	OPTIONAL(report_from),
	{"text", KIND_TEXT, offsetof(struct letter, text), offsetof(struct letter, text_size)},
	{"other_text", KIND_TEXT, offsetof(struct letter, other_text),
		offsetof(struct letter, other_size)},
#undef STRING
#undef OPTIONAL
#undef BOOL
};

#define OTHER_MEMBERS 6 /* from, report and the four lists */

static const char **string_at(const struct letter *letter, size_t offset)
{
	return (const char **)((char *)letter + offset);
}

static bool *bool_at(const struct letter *letter, size_t offset)
{
	return (bool *)((char *)letter + offset);
}

static size_t *size_at(const struct letter *letter, size_t offset)
{
	return (size_t *)((char *)letter + offset);
}

int letter_prepare(void)
{
	return charset_prepare();
}

static json_t *strings(const char *const *items, size_t n)
{
	json_t *array = json_array();
	for (size_t i = 0; i < n; i++)
		json_array_append_new(array, json_string(items[i]));
	return array;
}

static json_t *optional(const char *text)
{
	return text ? json_string(text) : json_null();
}

static json_t *write_member(const struct letter *letter, const struct member *member)
{
	switch (member->kind) {
	case KIND_STRING:
	case KIND_OPTIONAL:
		return optional(*string_at(letter, member->offset));
	case KIND_TEXT:
		return json_stringn(
			*string_at(letter, member->offset), *size_at(letter, member->size_offset));
	case KIND_BOOL:
		return json_boolean(*bool_at(letter, member->offset));
	}
	return NULL;
}

static json_t *write_letter(const struct letter *letter)
{
	json_t *root = json_object();
	int r = 0;
	for (size_t i = 0; i < ARRAY_SIZE(members); i++)
		r |= json_object_set_new(root, members[i].name, write_member(letter, &members[i]));
	r |= json_object_set_new(root, "from", json_integer(letter->from));
	r |= json_object_set_new(root, "report", json_integer(letter->report));
	r |= json_object_set_new(
		root, "recipients", strings(letter->recipients, letter->n_recipients));
	r |= json_object_set_new(
		root, "references", strings(letter->references, letter->n_references));
	r |= json_object_set_new(root, "notes", strings(letter->notes, letter->n_notes));
	json_t *reported = json_array();
	for (size_t i = 0; i < letter->n_report_recipients; i++) {
		const struct letter_recipient *item = &letter->report_recipients[i];
		r |= json_array_append_new(
			reported, json_pack("[s, s?, s?, s?]", item->recipient, item->action,
					  item->status, item->diagnostic));
	}
	r |= json_object_set_new(root, "report_recipients", reported);
	if (r == 0)
		return root;
	json_decref(root);
	return NULL;
}

int letter_read_json(const void *raw, size_t size, char **ret_json, size_t *ret_size)
{
	struct letter *letter;
	int r = letter_parse(raw, size, &letter);
	if (r < 0)
		return r;
	json_t *root = write_letter(letter);
	letter_free(letter);
	char *text = root ? json_dumps(root, JSON_COMPACT) : NULL;
	json_decref(root);
	if (!text)
		return -ENOMEM;
	*ret_json = text;
	*ret_size = strlen(text);
	return 0;
}

/* A header string: short, one line. */
static bool is_line(const json_t *value)
{
	const char *text = json_string_value(value);
	size_t size = json_string_length(value);
	if (!text || size > LINE_MAX_SIZE)
		return false;
	for (size_t i = 0; i < size; i++)
		if ((unsigned char)text[i] < 0x20 || text[i] == 0x7F)
			return false;
	return true;
}

static int copy_line(struct letter *letter, const json_t *value, const char **ret)
{
	if (!is_line(value))
		return -EBADMSG;
	*ret = pool_copy(letter->pool, json_string_value(value), json_string_length(value));
	return *ret ? 0 : -ENOMEM;
}

static bool is_text(const json_t *value)
{
	const char *text = json_string_value(value);
	size_t size = json_string_length(value);
	if (!text || size > LETTER_TEXT_MAX)
		return false;
	for (size_t i = 0; i < size; i++)
		if (((unsigned char)text[i] < 0x20 && text[i] != '\n' && text[i] != '\t') ||
			text[i] == 0x7F)
			return false;
	return true;
}

static int read_member(struct letter *letter, const struct member *member, const json_t *value)
{
	switch (member->kind) {
	case KIND_OPTIONAL:
		if (json_is_null(value))
			return 0;
		return copy_line(letter, value, string_at(letter, member->offset));
	case KIND_STRING:
		return copy_line(letter, value, string_at(letter, member->offset));
	case KIND_TEXT:
		if (!is_text(value))
			return -EBADMSG;
		*string_at(letter, member->offset) = pool_copy(
			letter->pool, json_string_value(value), json_string_length(value));
		*size_at(letter, member->size_offset) = json_string_length(value);
		return *string_at(letter, member->offset) ? 0 : -ENOMEM;
	case KIND_BOOL:
		if (!json_is_boolean(value))
			return -EBADMSG;
		*bool_at(letter, member->offset) = json_is_true(value);
		return 0;
	}
	return -EBADMSG;
}

static int read_list(struct letter *letter, const json_t *array, const char **items, size_t *ret_n)
{
	if (!json_is_array(array) || json_array_size(array) > LETTER_LIST_MAX)
		return -EBADMSG;
	for (size_t i = 0; i < json_array_size(array); i++) {
		int r = copy_line(letter, json_array_get(array, i), &items[i]);
		if (r < 0)
			return r;
	}
	*ret_n = json_array_size(array);
	return 0;
}

static int read_reported(struct letter *letter, const json_t *array)
{
	if (!json_is_array(array) || json_array_size(array) > LETTER_LIST_MAX)
		return -EBADMSG;
	for (size_t i = 0; i < json_array_size(array); i++) {
		const json_t *item = json_array_get(array, i);
		struct letter_recipient *to = &letter->report_recipients[i];
		const char **const slots[] = {
			&to->recipient, &to->action, &to->status, &to->diagnostic};
		if (json_array_size(item) != ARRAY_SIZE(slots))
			return -EBADMSG;
		for (size_t k = 0; k < ARRAY_SIZE(slots); k++) {
			const json_t *value = json_array_get(item, k);
			int r = k > 0 && json_is_null(value) ? 0
							     : copy_line(letter, value, slots[k]);
			if (r < 0)
				return r;
		}
	}
	letter->n_report_recipients = json_array_size(array);
	return 0;
}

static int read_number(const json_t *value, unsigned max, unsigned *ret)
{
	if (!json_is_integer(value) || json_integer_value(value) < 0 ||
		json_integer_value(value) > (json_int_t)max)
		return -EBADMSG;
	*ret = (unsigned)json_integer_value(value);
	return 0;
}

static int read_letter(struct letter *letter, const json_t *root)
{
	unsigned from = 0, report = 0;
	if (!json_is_object(root) || json_object_size(root) != ARRAY_SIZE(members) + OTHER_MEMBERS)
		return -EBADMSG;
	int r = 0;
	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(members); i++)
		r = read_member(letter, &members[i], json_object_get(root, members[i].name));
	if (r == 0)
		r = read_number(json_object_get(root, "from"), FROM_INVALID, &from);
	if (r == 0)
		r = read_number(json_object_get(root, "report"), REPORT_FREE_TEXT, &report);
	if (r == 0)
		r = read_list(letter, json_object_get(root, "recipients"), letter->recipients,
			&letter->n_recipients);
	if (r == 0)
		r = read_list(letter, json_object_get(root, "references"), letter->references,
			&letter->n_references);
	if (r == 0)
		r = read_list(
			letter, json_object_get(root, "notes"), letter->notes, &letter->n_notes);
	if (r == 0)
		r = read_reported(letter, json_object_get(root, "report_recipients"));
	letter->from = (enum letter_from)from;
	letter->report = (enum letter_report)report;
	/* An address is there exactly when From is usable. */
	if (r == 0 && (letter->from == FROM_USABLE) != (letter->from_address != NULL) &&
		!letter->unparsable)
		return -EBADMSG;
	return r;
}

int letter_from_json(const char *json, size_t size, struct letter **ret)
{
	if (size > JSON_TEXT_MAX)
		return -EBADMSG;
	struct letter_pool *pool = pool_new();
	struct letter *letter = pool ? pool_take(pool, sizeof(*letter)) : NULL;
	if (!letter) {
		pool_free(pool);
		return -ENOMEM;
	}
	letter->pool = pool;
	json_error_t error;
	json_t *root = json_loadb(json, size, JSON_REJECT_DUPLICATES, &error);
	int r = root ? read_letter(letter, root) : -EBADMSG;
	json_decref(root);
	if (r < 0) {
		letter_free(letter);
		return r;
	}
	*ret = letter;
	return 0;
}

#include "config/templates.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/language.h"
#include "config/overrides.h"
#include "config/text.h"
#include "rules/mail_kind.h"

/* One file: of a mail both halves, of a part the body alone. */
struct entry {
	char *language, *name;
	struct template *subject, *body;
};

struct language {
	char *code;
	struct style style;
};

struct templates {
	struct entry *entries; /* the last one of a name counts: overrides come last */
	size_t n;
	struct language *languages; /* in order */
	size_t n_languages;
};

#define STYLE_NAME "language"

static bool is_mail(const char *name)
{
	return mail_kind_find(name) != MAIL_KINDS;
}

#define NAMES_MAX 1024

/* The names that names.txt explains, in order: where each begins there. It is asked for every
 * tag of every template, so it is made once. */
static struct name {
	const char *text;
	size_t size;
} names[NAMES_MAX];
static size_t n_names;

static int compare_names(const void *a, const void *b)
{
	const struct name *one = a, *two = b;
	size_t size = one->size < two->size ? one->size : two->size;
	int order = memcmp(one->text, two->text, size);

	return order ? order : (one->size > two->size) - (one->size < two->size);
}

static void sort_names(void)
{
	struct embedded_template file;

	for (size_t i = 0; templates_embedded(i, &file); i++) {
		if (*file.language || strcmp(file.name, "names") != 0)
			continue;
		for (const char *at = file.text; at && n_names < NAMES_MAX; at = strchr(at, '\n')) {
			at += *at == '\n';
			size_t size = strcspn(at, " \n");
			if (size > 0 && at[size] == ' ' && at[size + 1] == ' ')
				names[n_names++] = (struct name){at, size};
		}
	}
	qsort(names, n_names, sizeof(*names), compare_names);
}

bool templates_name_known(const char *name)
{
	const struct name key = {name, strlen(name)};

	if (n_names == 0)
		sort_names();
	return bsearch(&key, names, n_names, sizeof(*names), compare_names) != NULL;
}

static const struct entry *find(
	const struct templates *templates, const char *language, const char *name)
{
	for (size_t i = templates->n; i-- > 0;)
		if (strcmp(templates->entries[i].language, language) == 0 &&
			strcmp(templates->entries[i].name, name) == 0)
			return &templates->entries[i];
	return NULL;
}

/* In the language, or in English. */
static const struct entry *find_any(
	const struct templates *templates, const char *language, const char *name)
{
	const struct entry *entry = find(templates, language, name);
	return entry ? entry : find(templates, "en", name);
}

static struct language *find_language(const struct templates *templates, const char *code)
{
	for (size_t i = 0; i < templates->n_languages; i++)
		if (strcmp(templates->languages[i].code, code) == 0)
			return &templates->languages[i];
	return NULL;
}

bool templates_language_known(const struct templates *templates, const char *language)
{
	return find_language(templates, language) != NULL;
}

const char *templates_language(const struct templates *templates, size_t index)
{
	return index < templates->n_languages ? templates->languages[index].code : NULL;
}

const struct style *templates_style(const struct templates *templates, const char *language)
{
	const struct language *found = find_language(templates, language);

	return &(found ? found : find_language(templates, "en"))->style;
}

/* ---- Loading ---- */

struct loading {
	struct templates *templates;
	struct fault_list *faults;
	const char *language;
};

/* Splits a mail's file into the subject's line and the body. */
static int parse_mail(struct loading *loading, const char *file, const char *text, size_t size,
	struct entry *entry)
{
	static const char lead[] = "Subject: ";
	const char *end = memchr(text, '\n', size);

	if (size < sizeof(lead) || strncmp(text, lead, sizeof(lead) - 1) != 0 || !end ||
		end + 1 >= text + size || end[1] != '\n') {
		fault_add(loading->faults, file, 1,
			"a mail begins with a line \"Subject: ...\" and an empty line");
		return FILE_FAULTY;
	}
	const char *subject = text + sizeof(lead) - 1;
	int r = template_parse_at(
		file, 1, subject, (size_t)(end - subject), loading->faults, &entry->subject);
	if (r != 0)
		return r;
	return template_parse_at(
		file, 3, end + 2, size - (size_t)(end + 2 - text), loading->faults, &entry->body);
}

static void entry_release(struct entry *entry)
{
	free(entry->language);
	free(entry->name);
	template_free(entry->subject);
	template_free(entry->body);
}

/* The language that is being loaded, a new one in its place if there is none. What it does not
 * say of itself is as in English, which is loaded first. */
static int claim_language(struct loading *loading, struct language **ret_language)
{
	struct templates *templates = loading->templates;
	struct language *found = find_language(templates, loading->language);
	size_t at = 0;

	if (found) {
		*ret_language = found;
		return 0;
	}
	struct language *grown =
		reallocarray(templates->languages, templates->n_languages + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	templates->languages = grown;
	struct language language = {.code = strdup(loading->language)};
	if (!language.code)
		return -ENOMEM;
	found = find_language(templates, "en");
	if (found)
		language.style = found->style;
	while (at < templates->n_languages && strcmp(grown[at].code, language.code) < 0)
		at++;
	memmove(grown + at + 1, grown + at, (templates->n_languages - at) * sizeof(*grown));
	grown[at] = language;
	templates->n_languages++;
	*ret_language = &grown[at];
	return 0;
}

static int take_template(
	struct loading *loading, const char *file, const char *name, const char *text, size_t size)
{
	struct templates *templates = loading->templates;
	struct entry entry = {0};
	int r = -ENOMEM;

	struct entry *grown = reallocarray(templates->entries, templates->n + 1, sizeof(*grown));
	if (!grown)
		return r;
	templates->entries = grown;
	entry.language = strdup(loading->language);
	entry.name = strdup(name);
	if (entry.language && entry.name)
		r = is_mail(name) ? parse_mail(loading, file, text, size, &entry)
				  : template_parse(file, text, size, loading->faults, &entry.body);
	if (r != 0) {
		entry_release(&entry);
		return r < 0 ? r : 0;
	}
	templates->entries[templates->n++] = entry;
	return 0;
}

/* Takes one file into the templates. A fault is reported, and the file left out. */
static int take_file(
	struct loading *loading, const char *file, const char *name, const char *text, size_t size)
{
	struct language *language;

	int r = claim_language(loading, &language);
	if (r < 0)
		return r;
	if (strcmp(name, STYLE_NAME) != 0)
		return take_template(loading, file, name, text, size);
	r = style_parse(file, text, size, loading->faults, &language->style);
	return r < 0 ? r : 0;
}

/* English is the model of the others, whatever the order of the files. */
static int load_embedded(struct loading *loading, bool english)
{
	struct embedded_template file;
	char name[96];
	int r = 0;

	for (size_t i = 0; r >= 0 && templates_embedded(i, &file); i++) {
		if (!*file.language || (strcmp(file.language, "en") == 0) != english)
			continue;
		(void)snprintf(name, sizeof(name), "built-in templates/%s/%s.txt", file.language,
			file.name);
		loading->language = file.language;
		r = take_file(loading, name, file.name, file.text, file.size);
	}
	return r;
}

static bool may_override(void *context, const struct override_file *file)
{
	const struct loading *loading = context;

	if (strcmp(file->name, STYLE_NAME) == 0 || find(loading->templates, "en", file->name))
		return true;
	fault_add(loading->faults, file->path, 0, "no mail uses a template of this name");
	return false;
}

static int take_override(
	void *context, const struct override_file *file, const char *text, size_t size)
{
	struct loading *loading = context;

	loading->language = file->language;
	return take_file(loading, file->path, file->name, text, size);
}

static int load_overrides(struct loading *loading, const char *overrides)
{
	const struct override_reader reader = {
		.may = may_override,
		.take = take_override,
		.language = language_is_code,
		.context = loading,
		.faults = loading->faults,
	};

	return overrides_read(overrides, "templates", &reader);
}

/* ---- Checking ---- */

struct lookup {
	const struct templates *templates;
	const char *language;
};

static const struct template *find_part(void *context, const char *name)
{
	const struct lookup *lookup = context;
	const struct entry *entry = find_any(lookup->templates, lookup->language, name);

	return entry ? entry->body : NULL;
}

/* The plural rule is known when all files have been read. */
static void finish_all(const struct templates *templates, struct fault_list *faults)
{
	for (size_t i = 0; i < templates->n; i++) {
		const struct entry *entry = &templates->entries[i];
		struct lookup lookup = {templates, entry->language};
		enum plural_rule plural = templates_style(templates, entry->language)->plural;
		if (entry->subject)
			template_set_plural(entry->subject, plural, faults);
		template_set_plural(entry->body, plural, faults);
		if (entry->subject)
			template_check(
				entry->subject, templates_name_known, find_part, &lookup, faults);
		template_check(entry->body, templates_name_known, find_part, &lookup, faults);
	}
}

int templates_load(
	const char *overrides, struct fault_list *faults, struct templates **ret_templates)
{
	struct loading loading = {.faults = faults};
	size_t before = fault_list_total(faults);

	loading.templates = calloc(1, sizeof(*loading.templates));
	if (!loading.templates)
		return -ENOMEM;
	int r = load_embedded(&loading, true);
	if (r >= 0)
		r = load_embedded(&loading, false);
	if (r >= 0 && overrides)
		r = load_overrides(&loading, overrides);
	if (r >= 0) {
		finish_all(loading.templates, faults);
		if (fault_list_total(faults) > before)
			r = FILE_FAULTY;
	}
	if (r != 0) {
		templates_free(loading.templates);
		return r;
	}
	for (size_t i = 0; i < loading.templates->n_languages; i++)
		language_add(loading.templates->languages[i].code);
	*ret_templates = loading.templates;
	return 0;
}

struct templates *templates_free(struct templates *templates)
{
	if (!templates)
		return NULL;
	for (size_t i = 0; i < templates->n; i++)
		entry_release(&templates->entries[i]);
	for (size_t i = 0; i < templates->n_languages; i++)
		free(templates->languages[i].code);
	free(templates->languages);
	free(templates->entries);
	free(templates);
	return NULL;
}

/* ---- Rendering ---- */

static int render_body(const struct entry *entry, const struct values *values,
	struct lookup *lookup, char **ret_text)
{
	char *text = NULL;
	size_t size;

	int r = template_render(entry->body, values, find_part, lookup, &text, &size);
	if (r < 0)
		return r;
	r = text_fold(text, ret_text);
	free(text);
	return r;
}

int templates_render(const struct templates *templates, const char *language, const char *name,
	const struct values *values, char **ret_subject, char **ret_text)
{
	const struct entry *entry = find_any(templates, language, name);
	struct lookup lookup = {templates, language};
	char *subject = NULL, *text = NULL;
	size_t size;

	if (!entry || !entry->subject)
		return -ENOENT;
	int r = template_render(entry->subject, values, find_part, &lookup, &subject, &size);
	if (r >= 0)
		r = render_body(entry, values, &lookup, &text);
	if (r < 0) {
		free(subject);
		return r;
	}
	*ret_subject = subject;
	*ret_text = text;
	return 0;
}

int templates_render_part(const struct templates *templates, const char *language, const char *name,
	const struct values *values, char **ret_text)
{
	const struct entry *entry = find_any(templates, language, name);
	struct lookup lookup = {templates, language};
	size_t size;

	if (!entry)
		return -ENOENT;
	return template_render(entry->body, values, find_part, &lookup, ret_text, &size);
}

bool templates_names(const struct templates *templates, const char *language, const char *name,
	void (*fn)(void *context, char sign, const char *name), void *context)
{
	const struct entry *entry = find(templates, language, name);

	if (!entry)
		return false;
	if (entry->subject)
		template_names(entry->subject, fn, context);
	template_names(entry->body, fn, context);
	return true;
}

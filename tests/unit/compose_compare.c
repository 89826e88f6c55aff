#include "tests/unit/compose_compare.h"

#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>

#include "config/template.h"
#include "daemon/compose/filling.h"

const char *sample_regenerate;
const char *sample_group;

/* The mail as the golden files hold it: header lines without CR, then the decoded text. */
static char *shown(const struct mail *mail)
{
	char *out = NULL;
	size_t size;
	FILE *stream = open_memstream(&out, &size);
	const char *end = strstr(mail->raw, "\r\n\r\n");

	assert_non_null(end);
	(void)fprintf(stream, "Return-Path: <%s>\n", mail->envelope_from);
	for (const char *at = mail->raw; at < end + 2; at++)
		if (*at != '\r')
			(void)fputc(*at, stream);
	(void)fprintf(stream, "\n%s", mail->text);
	(void)fclose(stream);
	return out;
}

#define FILE_MAX ((size_t)1 << 20)

static char *read_file(const char *path)
{
	char *text = calloc(1, FILE_MAX);
	FILE *stream = fopen(path, "r");

	if (!stream)
		fail_msg("%s cannot be read", path);
	else if (fread(text, 1, FILE_MAX - 1, stream) == 0)
		fail_msg("%s is empty", path);
	(void)fclose(stream);
	return text;
}

void sample_lines_short(const char *text)
{
	for (const char *at = text; *at;) {
		size_t size = strcspn(at, "\n");
		if (text_columns(at, size) > TEMPLATE_COLUMNS)
			fail_msg("too long: %.*s", (int)size, at);
		at += size + (at[size] == '\n');
	}
}

static void expect_name_known(void *context, const char *name)
{
	(void)context;
	if (!templates_name_known(name))
		fail_msg("config/templates/names.txt does not name %s", name);
}

/* Whatever is set may be used in a template, so it is explained. */
void sample_names_known(const struct compose_facts *facts)
{
	struct values *values = NULL;

	expect_int(compose_values(facts, &values), 0);
	values_names(values, expect_name_known, NULL);
	values_free(values);
}

void sample_compare_text(const char *text, const char *name)
{
	char path[256];

	(void)snprintf(
		path, sizeof(path), "%s/%s", sample_regenerate ? sample_regenerate : GOLDEN, name);
	if (sample_regenerate) {
		FILE *stream = fopen(path, "w");
		assert_non_null(stream);
		(void)fputs(text, stream);
		(void)fclose(stream);
	}
	char *wanted = read_file(path);
	if (strcmp(text, wanted) != 0)
		fail_msg("%s differs; is now:\n%s", path, text);
	free(wanted);
}

/* What only an omission in a template leaves behind. */
static void expect_no_hole(const char *text)
{
	if (strstr(text, "\n\n\n"))
		fail_msg("two empty lines:\n%s", text);
	if (strstr(text, "{{") || strstr(text, "()"))
		fail_msg("a hole:\n%s", text);
}

/* ---- The other languages ---- */

#define COLLECTIONS_MAX 32

/* What a language's mails of one rule system say, one after the other. */
static struct collection {
	char name[64]; /* "fi/systems-razsh.txt" */
	char *text;
	size_t size;
	FILE *stream;
} collections[COLLECTIONS_MAX];

static struct collection *collection_of(const char *language, enum rule_system rules)
{
	char name[64];

	(void)snprintf(name, sizeof(name), "%s/%s-%s.txt", language, sample_group,
		rule_system_name(rules));
	for (size_t i = 0; i < COLLECTIONS_MAX; i++) {
		struct collection *collection = &collections[i];
		if (!collection->stream) {
			(void)snprintf(collection->name, sizeof(collection->name), "%s", name);
			collection->stream = open_memstream(&collection->text, &collection->size);
			return collection;
		}
		if (strcmp(collection->name, name) == 0)
			return collection;
	}
	fail_msg("too many collections");
	return NULL;
}

/* The board is the same in all languages. */
static bool is_of_board(const char *line)
{
	return (strchr("12345678", *line) && strncmp(line + 1, " |", 2) == 0) ||
	       strncmp(line, "  +--", 5) == 0 || strncmp(line, "    a b c", 9) == 0 ||
	       strncmp(line, "    h g f", 9) == 0;
}

static void collect(const struct mail *mail, FILE *stream)
{
	(void)fprintf(stream, "Subject: %s\n\n", mail->subject);
	for (const char *at = mail->text; *at;) {
		size_t size = strcspn(at, "\n");
		size += at[size] == '\n';
		if (!is_of_board(at))
			(void)fwrite(at, 1, size, stream);
		at += size;
	}
}

static void compare_other_languages(struct sample *sample, const char *name)
{
	struct compose_facts facts = sample->facts;
	const char *language;
	struct mail mail;

	for (size_t i = 0; (language = templates_language(sample->templates, i)); i++) {
		if (strcmp(language, "en") == 0)
			continue;
		facts.language = language;
		expect_int(compose_mail(&facts, &mail), 0);
		sample_lines_short(mail.text);
		expect_no_hole(mail.text);
		struct collection *collection = collection_of(language, sample->event.rules);
		(void)fprintf(collection->stream, "======== %s\n", name);
		collect(&mail, collection->stream);
		mail_release(&mail);
	}
}

void sample_compare_collections(void **state)
{
	(void)state;
	for (size_t i = 0; i < COLLECTIONS_MAX && collections[i].stream; i++) {
		(void)fclose(collections[i].stream);
		sample_compare_text(collections[i].text, collections[i].name);
		free(collections[i].text);
	}
	memset(collections, 0, sizeof(collections));
}

void sample_compare(struct sample *sample, const char *name)
{
	struct mail mail;
	char file[128];

	sample_names_known(&sample->facts);
	expect_int(compose_mail(&sample->facts, &mail), 0);
	char *text = shown(&mail);
	sample_lines_short(mail.text);
	expect_no_hole(mail.text);
	(void)snprintf(file, sizeof(file), "en/%s.eml-text", name);
	sample_compare_text(text, file);
	free(text);
	mail_release(&mail);
	compare_other_languages(sample, name);
}

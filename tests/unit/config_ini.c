/*
 * The grammar of files: each case is fed whole and byte by byte, from a copy without a NUL
 * behind it, and what came out is compared as text.
 */
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>

#include "config/ini.h"

static void on_section(void *context, const struct ini_section *section)
{
	(void)fprintf(context, "[%s|%s]%u\n", section->kind, section->name, section->line);
}

static void on_key(void *context, const struct ini_section *section, const char *key,
	const char *value, unsigned line)
{
	(void)section;
	(void)fprintf(context, "%s=%s|%u\n", key, value, line);
}

static char *run(const char *text, size_t size, size_t step)
{
	char *out = NULL;
	size_t out_size;
	FILE *stream = open_memstream(&out, &out_size);
	struct ini_handler handler = {on_section, on_key, stream};
	struct fault_list faults = {0};
	struct ini *ini;

	assert_int_equal(ini_new("f", &handler, &faults, &ini), 0);
	for (size_t at = 0; at < size; at += step) {
		size_t part = size - at < step ? size - at : step;
		char *copy = malloc(part);
		memcpy(copy, text + at, part);
		assert_int_equal(ini_feed(ini, copy, part), 0);
		free(copy);
	}
	assert_int_equal(ini_finish(ini), 0);
	ini_free(ini);
	for (size_t i = 0; i < faults.n; i++)
		(void)fprintf(
			stream, "! %u: %s\n", faults.faults[i].line, faults.faults[i].message);
	fault_list_release(&faults);
	(void)fclose(stream);
	return out;
}

static const struct {
	const char *text, *wanted;
} cases[] = {
	{"[a]\nk = v\n", "[a|]1\nk=v|2\n"},
	{"\xef\xbb\xbf[a]\r\nk=v\r\n", "[a|]1\nk=v|2\n"},
	{"[ mailbox  in box ] ; c\nk=", "[mailbox|in box]1\nk=|2\n"},
	{"; c\n# c\n[a]\nk = a;b #c ; d\n", "[a|]3\nk=a;b #c|4\n"},
	{"[a]\nk = \"x\" = y\t\n", "[a|]1\nk=\"x\" = y|2\n"},
	{"[a]\nk = one\n  two\n\tthree ; c\n ; c\n\nl = 1\n", "[a|]1\nk=one two three|2\nl=1|7\n"},
	{"[a]\nk =\n  two\n", "[a|]1\nk=two|2\n"},
	{"[a]\nk=1\nk=2\n  3\n[b]\nk=1\n",
		"[a|]1\nk=1|2\n[b|]5\nk=1|6\n! 3: key \"k\" comes twice\n"},
	{"[a x]\nk=1\n[a  x]\nk=2\nrubbish\n[a y]\nl=3\n",
		"[a|x]1\nk=1|2\n[a|y]6\nl=3|7\n! 3: section [a x] comes twice\n"},
	{"k=1\n  2\n[a]\n", "[a|]3\n! 1: key \"k\" before any section\n"},
	{" x\n[a]\n y\nk=1\n", "[a|]2\nk=1|4\n! 1: a line that begins with white space continues a "
			       "value, but no key "
			       "stands above it\n! 3: a line that begins with white space "
			       "continues a value, but no "
			       "key stands above it\n"},
	{"[a\nk=1\n[b] x\n[]\nl=2\n[c]\nm=3\n",
		"[c|]6\nm=3|7\n! 1: section without a ']'\n! 3: text after the ']' of a section\n"
		"! 4: section without a name\n"},
	{"[a]\nrubbish\n=v\nk=1\n", "[a|]1\nk=1|4\n! 2: neither a section nor \"key = value\"\n"
				    "! 3: neither a section nor \"key = value\"\n"},
	{"[a]\nk=\xff\nl=a\rb\nm=1\x7f\nn=1\n",
		"[a|]1\nn=1|5\n! 2: text that is no UTF-8\n! 3: a control character\n"
		"! 4: a control character\n"},
	{"[\x01]\nk=1\n[b]\nl=1\n", "[b|]3\nl=1|4\n! 1: a control character\n"},
	{"", ""},
};

static void reads_the_grammar(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		for (size_t step = 1; step < 200; step += 99) {
			char *out = run(cases[i].text, strlen(cases[i].text), step);
			assert_string_equal(out, cases[i].wanted);
			free(out);
		}
	}
}

static void caps_lines_and_values(void **state)
{
	static const struct {
		size_t filler; /* bytes of the value of k */
		const char *behind, *wanted, *fault;
	} limits[] = {
		/* A line of exactly the limit is read, one byte more is a fault. */
		{INI_LINE_MAX - 2, "\nl=1\n", "|2\nl=1|3\n", NULL},
		{INI_LINE_MAX - 1, "\nl=1\n", "[a|]1\nl=1|3\n",
			"! 2: line of more than 65536 bytes"},
		/* So is a value that grows beyond it by its continuations. */
		{INI_LINE_MAX - 2, "\n yy\n", "[a|]1\n", "! 3: the value of \"k\" is longer than"},
	};
	char *text = malloc(INI_LINE_MAX + 64);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
		char *end = stpcpy(text, "[a]\nk=");
		memset(end, 'x', limits[i].filler);
		end = stpcpy(end + limits[i].filler, limits[i].behind);
		char *out = run(text, (size_t)(end - text), 4096);
		assert_non_null(strstr(out, limits[i].wanted));
		if (limits[i].fault)
			assert_non_null(strstr(out, limits[i].fault));
		else
			assert_null(strchr(out, '!'));
		free(out);
	}
	free(text);
}

static void keeps_no_more_faults_than_it_should(void **state)
{
	struct fault_list faults = {0};

	(void)state;
	for (unsigned i = 0; i < FAULTS_MAX + 7; i++)
		fault_add(&faults, "f", i, "%u", i);
	expect_int(faults.n, FAULTS_MAX);
	expect_int(faults.left_out, 7);
	expect_int(fault_list_total(&faults), FAULTS_MAX + 7);
	fault_list_release(&faults);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_the_grammar),
		cmocka_unit_test(caps_lines_and_values),
		cmocka_unit_test(keeps_no_more_faults_than_it_should),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * The template engine, and the built-in templates.
 */
#include "tests/unit/test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/templates.h"

static const struct template *no_partials(void *context, const char *name)
{
	(void)name;
	return context;
}

static struct values *sample_values(void)
{
	struct values *values, *item;

	assert_int_equal(values_new(&values), 0);
	assert_int_equal(values_set(values, "name", "{{x}}"), 0);
	assert_int_equal(values_set(values, "empty", ""), 0);
	assert_int_equal(values_set(values, "outer", "o"), 0);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(values_append(values, "list", &item), 0);
		assert_int_equal(values_format(item, "n", "%u", i + 1), 0);
		assert_int_equal(values_flag(item, "first", i == 0), 0);
	}
	return values;
}

static const struct {
	const char *text, *wanted;
} renderings[] = {
	{"plain", "plain"},
	{"a {{name}} b {{ name }}", "a {{x}} b {{x}}"},
	{"{{unset}}{{empty}}.", "."},
	{"{{#name}}yes{{/name}}{{^name}}no{{/name}}", "yes"},
	{"{{#empty}}yes{{/empty}}{{^empty}}no{{/empty}}", "no"},
	{"{{#list}}<{{n}}{{outer}}{{#first}}!{{/first}}>{{/list}}", "<1o!><2o>"},
	{"{{^list}}none{{/list}}", ""},
	{"a\n{{#name}}\nb\n  {{/name}}  \nc\n", "a\nb\nc\n"},
	{"a\n{{#empty}}\nb\n{{/empty}}\nc\n", "a\nc\n"},
	{"a\n{{! comment }}\nb {{! x }} c\n", "a\nb  c\n"},
	{"{{#name}} {{/name}}\n", " \n"},
	{"{{name}}\nx", "{{x}}\nx"},
	{"{{#wrap}}\na\nb\n\nc\n{{/wrap}}\nd", "a b\n\nc\nd"},
	{"{{#wrap}}\n- a\nb\n- c\n{{/wrap}}\n", "- a b\n- c\n"},
	{"{{#wrap}}\n  0123456789012345678901234567890123456789 "
	 "01234567890123456789012345678901234 \xc3\xa4\n{{/wrap}}\n",
		"  0123456789012345678901234567890123456789\n"
		"  01234567890123456789012345678901234 \xc3\xa4\n"},
};

static void renders(void **state)
{
	struct values *values = sample_values();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(renderings); i++) {
		struct fault_list faults = {0};
		struct template *template = NULL;
		const char *source = renderings[i].text;
		char *text = NULL;
		size_t size;
		expect_int(template_parse("t", source, strlen(source), &faults, &template), 0);
		expect_int(template_render(template, values, no_partials, NULL, &text, &size), 0);
		assert_string_equal(text, renderings[i].wanted);
		expect_int(size, strlen(text));
		free(text);
		template_free(template);
	}
	values_free(values);
}

static const struct {
	const char *text, *fault;
} faulty[] = {
	{"a\n{{b", "t:2: a tag without its }} on the same line\n"},
	{"{{a\n}}", "t:1: a tag without its }} on the same line\n"},
	{"{{A b}}", "t:1: not a tag: {{A b}}\n"},
	{"{{}}", "t:1: not a tag: {{}}\n"},
	{"\n{{#a}}\n{{#b}}{{/a}}{{/b}}", "t:3: {{/a}} ends the section {{#b}} of line 3\n"
					 "t:3: {{/b}} ends the section {{#a}} of line 2\n"},
	{"{{#a}}x", "t:1: the section {{#a}} does not end\n"},
	{"\n\n{{/a}}", "t:3: no section to end before {{/a}}\n"},
	{"\xff", "t:1: text that is no UTF-8\n"},
};

static void finds_faults(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(faulty); i++) {
		struct fault_list faults = {0};
		struct template *template = NULL;
		char *out = NULL;
		size_t size;
		expect_int(template_parse(
				   "t", faulty[i].text, strlen(faulty[i].text), &faults, &template),
			FILE_FAULTY);
		FILE *stream = open_memstream(&out, &size);
		fault_list_print(&faults, stream);
		(void)fclose(stream);
		assert_string_equal(out, faulty[i].fault);
		free(out);
		fault_list_release(&faults);
	}
}

static const struct template *itself(void *context, const char *name)
{
	(void)name;
	return *(struct template **)context;
}

static void bounds_what_it_writes(void **state)
{
	struct fault_list faults = {0};
	struct template *template = NULL;
	struct values *values = sample_values(), *item;
	char *text = NULL;
	size_t size;

	(void)state;
	expect_int(template_parse("t", "x{{>me}}", 8, &faults, &template), 0);
	expect_int(template_render(template, values, itself, &template, &text, &size), -ELOOP);
	template_free(template);
	expect_int(template_parse("t", "x{{>me}}", 8, &faults, &template), 0);
	expect_int(template_render(template, values, no_partials, NULL, &text, &size), -ENOENT);
	template_free(template);

	char big[5000];
	memset(big, 'x', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	assert_int_equal(values_set(values, "big", big), 0);
	for (unsigned i = 0; i < 300; i++)
		assert_int_equal(values_append(values, "many", &item), 0);
	const char *source = "{{#many}}{{big}}{{/many}}";
	expect_int(template_parse("t", source, strlen(source), &faults, &template), 0);
	expect_int(template_render(template, values, no_partials, NULL, &text, &size), -E2BIG);
	template_free(template);
	values_free(values);
}

static void folds_long_lines(void **state)
{
	static const char x80[] = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
				  "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";
	char line[400], *text;

	(void)state;
	assert_int_equal(text_fold("short \n\n  two\n", &text), 0);
	assert_string_equal(text, "short \n\n  two\n");
	free(text);
	(void)snprintf(line, sizeof(line), "  %.70s %.10s %.20s\n%s", x80, x80, x80, x80);
	assert_int_equal(text_fold(line, &text), 0);
	(void)snprintf(
		line, sizeof(line), "  %.70s\n  %.10s %.20s\n%.77s\n%.3s", x80, x80, x80, x80, x80);
	assert_string_equal(text, line);
	free(text);
	/* Columns are characters, not bytes; a wide one takes two, a combining mark none. */
	expect_int(text_columns("\xd0\x9a\xd1\x80", 4), 2);
	expect_int(text_columns("\xe6\xa3\x8b", 3), 2);
	expect_int(text_columns("e\xcc\x81", 3), 1);
}

static void built_in_templates_are_sound(void **state)
{
	struct fault_list faults = {0};
	struct templates *templates = NULL;

	(void)state;
	int r = templates_load(NULL, &faults, &templates);
	fault_list_print(&faults, stderr);
	expect_int(r, 0);
	assert_true(templates_language_known(templates, "en"));
	assert_false(templates_language_known(templates, "xx"));
	assert_true(templates_name_known("last-move"));
	assert_false(templates_name_known("last"));
	assert_false(templates_name_known("The"));
	templates_free(templates);
}

static void write_file(const char *folder, const char *name, const char *text)
{
	char path[256];

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *stream = fopen(path, "w");
	assert_non_null(stream);
	(void)fputs(text, stream);
	(void)fclose(stream);
}

static void overrides_replace_file_by_file(void **state)
{
	char root[] = P_tmpdir "/zugpost-templates-XXXXXX", folder[64];
	struct fault_list faults = {0};
	struct templates *templates = NULL;
	struct values *values = sample_values();
	char *subject, *text, *out = NULL;
	size_t size;

	(void)state;
	assert_non_null(mkdtemp(root));
	assert_int_equal(values_set(values, "club", "K"), 0);
	/* No folder of templates is no fault. */
	expect_int(templates_load(root, &faults, &templates), 0);
	templates_free(templates);
	(void)snprintf(folder, sizeof(folder), "%s/templates", root);
	assert_int_equal(mkdir(folder, 0700), 0);
	(void)snprintf(folder, sizeof(folder), "%s/templates/en", root);
	assert_int_equal(mkdir(folder, 0700), 0);
	write_file(folder, "receipt.txt", "Subject: got it, {{club}}\n\nYes.\n{{>header}}\n");
	write_file(folder, "header.txt", "H {{club}}\n");
	write_file(folder, "README", "not a template");
	expect_int(templates_load(root, &faults, &templates), 0);
	expect_int(templates_render(templates, "en", "receipt", values, &subject, &text), 0);
	assert_string_equal(subject, "got it, K");
	assert_string_equal(text, "Yes.\nH K\n");
	free(subject);
	free(text);
	templates_free(templates);

	write_file(folder, "receipt.txt", "Got it\n");
	write_file(folder, "header.txt", "\n{{club}} {{clubb}} {{>headr}}\n");
	write_file(folder, "recipe.txt", "x");
	expect_int(templates_load(root, &faults, &templates), FILE_FAULTY);
	FILE *stream = open_memstream(&out, &size);
	for (size_t i = 0; i < faults.n; i++)
		(void)fprintf(stream, "%s:%u: %s\n", strrchr(faults.faults[i].file, '/') + 1,
			faults.faults[i].line, faults.faults[i].message);
	(void)fclose(stream);
	assert_string_equal(out,
		"receipt.txt:1: a mail begins with a line \"Subject: ...\" and an empty line\n"
		"recipe.txt:0: no mail uses a template of this name\n"
		"header.txt:2: no mail has a value named \"clubb\"\n"
		"header.txt:2: there is no template \"headr\"\n");
	free(out);
	fault_list_release(&faults);
	values_free(values);

	static const char *const files[] = {"templates/en/receipt.txt", "templates/en/header.txt",
		"templates/en/README", "templates/en/recipe.txt", "templates/en", "templates", ""};
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		char path[128];
		(void)snprintf(path, sizeof(path), "%s/%s", root, files[i]);
		assert_int_equal(remove(path), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(renders),
		cmocka_unit_test(finds_faults),
		cmocka_unit_test(bounds_what_it_writes),
		cmocka_unit_test(folds_long_lines),
		cmocka_unit_test(built_in_templates_are_sound),
		cmocka_unit_test(overrides_replace_file_by_file),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

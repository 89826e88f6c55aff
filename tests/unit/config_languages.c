/*
 * The languages of mails: that each has all templates, with the same values, sections and
 * parts; that the command words which mails tell are read; plural forms, the manner of dates
 * and names; and that a fifth language is a folder of files.
 */
#include "tests/unit/test.h"

#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/configuration.h"
#include "config/language.h"
#include "config/templates.h"
#include "config/words.h"

static struct templates *load(const char *overrides)
{
	struct fault_list faults = {0};
	struct templates *templates = NULL;

	int r = templates_load(overrides, &faults, &templates);
	fault_list_print(&faults, stderr);
	expect_int(r, 0);
	return templates;
}

/* ---- Completeness ---- */

#define USED_MAX 400

/* What one file uses: "#name", ">name", "=name"; each once. */
struct used {
	char names[USED_MAX][48];
	size_t n;
};

static bool uses(const struct used *used, const char *name)
{
	for (size_t i = 0; i < used->n; i++)
		if (strcmp(used->names[i], name) == 0)
			return true;
	return false;
}

/* Which form of a word goes with a number is the language's own matter. */
static void note(void *context, char sign, const char *name)
{
	struct used *used = context;
	char text[48];

	if (sign == '|')
		return;
	(void)snprintf(text, sizeof(text), "%c%s", sign == '^' ? '#' : sign ? sign : '=', name);
	if (uses(used, text))
		return;
	assert_true(used->n < USED_MAX);
	(void)snprintf(used->names[used->n++], 48, "%s", text);
}

static unsigned count_missing(
	const char *language, const char *file, const struct used *wanted, const struct used *found)
{
	unsigned missing = 0;

	for (size_t i = 0; i < wanted->n; i++) {
		if (uses(found, wanted->names[i]))
			continue;
		print_error("%s/%s.txt lacks %s\n", language, file, wanted->names[i]);
		missing++;
	}
	return missing;
}

static unsigned compare_file(
	const struct templates *templates, const char *language, const char *file)
{
	static struct used english, other;

	english.n = other.n = 0;
	if (!templates_names(templates, "en", file, note, &english)) {
		print_error("%s/%s.txt has no counterpart in English\n", language, file);
		return 1;
	}
	if (!templates_names(templates, language, file, note, &other)) {
		print_error("%s/%s.txt is missing\n", language, file);
		return 1;
	}
	return count_missing(language, file, &english, &other) +
	       count_missing("en", file, &other, &english);
}

static void all_languages_have_the_same(void **state)
{
	struct templates *templates = load(NULL);
	struct embedded_template file;
	unsigned wrong = 0, languages = 0, files = 0;
	const char *language;

	(void)state;
	for (size_t i = 0; (language = templates_language(templates, i)); i++) {
		languages++;
		for (size_t j = 0; templates_embedded(j, &file); j++) {
			bool own = strcmp(file.language, language) == 0;
			bool english = strcmp(file.language, "en") == 0;
			if ((!own && !english) || strcmp(file.name, "language") == 0)
				continue;
			wrong += compare_file(templates, language, file.name);
			files++;
		}
	}
	expect_int(wrong, 0);
	expect_int(languages, 4);
	assert_true(files > 250);
	templates_free(templates);
}

/* Without its tags and citations a line has so many letters that it says something; what is far to
 * the right is a list of names. */
static bool says_something(const char *line, size_t size)
{
	size_t letters = 0;

	for (size_t i = 0, depth = 0; i < size; i++) {
		if (line[i] == '{' || line[i] == '(')
			depth++;
		else if (line[i] == '}' || line[i] == ')')
			depth -= depth > 0;
		else if (depth == 0 && (((line[i] | 32) >= 'a' && (line[i] | 32) <= 'z') ||
					       (unsigned char)line[i] >= 0x80))
			letters++;
	}
	return letters > 9 && strspn(line, " ") < 20;
}

static bool has_line(const char *text, const char *line, size_t size)
{
	for (const char *at = text; (at = memmem(at, strlen(at), line, size)); at++)
		if ((at == text || at[-1] == '\n') && (at[size] == '\n' || !at[size]))
			return true;
	return false;
}

/* What was only copied is in English still. */
static void nothing_is_left_in_english(void **state)
{
	struct embedded_template file, english;
	unsigned lines = 0;

	(void)state;
	for (size_t i = 0; templates_embedded(i, &file); i++) {
		if (!*file.language || strcmp(file.language, "en") == 0 ||
			strcmp(file.name, "language") == 0)
			continue;
		size_t j = 0;
		while (templates_embedded(j, &english) &&
			(strcmp(english.language, "en") != 0 ||
				strcmp(english.name, file.name) != 0))
			j++;
		for (const char *at = file.text; *at; at += at[0] == '\n') {
			size_t size = strcspn(at, "\n");
			if (says_something(at, size)) {
				lines++;
				if (has_line(english.text, at, size))
					fail_msg("%s/%s.txt: %.*s", file.language, file.name,
						(int)size, at);
			}
			at += size;
		}
	}
	assert_true(lines > 1000);
}

/* Every name that is explained is one that some mail uses, or a flag that a mail may use. */
static void names_are_explained_once(void **state)
{
	struct embedded_template file;
	char seen[700][48];
	size_t n = 0;

	(void)state;
	for (size_t i = 0; templates_embedded(i, &file); i++) {
		if (*file.language || strcmp(file.name, "names") != 0)
			continue;
		for (const char *at = strstr(file.text, "\n\n"); at; at = strchr(at, '\n')) {
			at += strspn(at, "\n");
			size_t size = strcspn(at, " \n");
			if (size == 0)
				break;
			assert_true(size < 48 && n < 700);
			(void)snprintf(seen[n], 48, "%.*s", (int)size, at);
			for (size_t j = 0; j < n; j++)
				if (strcmp(seen[j], seen[n]) == 0)
					fail_msg("names.txt explains %s twice", seen[n]);
			n++;
		}
	}
	assert_true(n > 400);
}

/* ---- Command words ---- */

static bool states_command(const struct words *words, const char *phrase, size_t size)
{
	char folded[WORDS_LINE_MAX];
	size_t places[WORDS_LINE_MAX], index = 0, used;

	if (words_fold(phrase, size, folded, places) == 0)
		return false;
	if (words_find(words, folded, &index, &used) != COMMAND_NONE)
		return true;
	index = 0;
	return words_find_ruling(words, folded, &index, &used) != RULING_WORD_NONE;
}

static struct words *load_words(const char *overrides)
{
	struct fault_list faults = {0};
	struct words *words = NULL;

	int r = words_load(overrides, &faults, &words);
	fault_list_print(&faults, stderr);
	expect_int(r, 0);
	return words;
}

/* Help tells them in its first column, separated by commas. */
static unsigned check_help(const struct words *words, const struct embedded_template *file)
{
	unsigned told = 0;

	for (const char *line = file->text; *line; line += strcspn(line, "\n") + 1) {
		if (strncmp(line, "  ", 2) != 0 || line[2] == ' ')
			continue;
		const char *end = strstr(line + 2, "  "), *stop = strchr(line, '\n');
		end = end && end < stop ? end : stop;
		for (const char *at = line + 2; at < end;) {
			size_t size = strcspn(at, ",");
			if (at + size > end)
				size = (size_t)(end - at);
			if (!states_command(words, at, size))
				fail_msg("%s/help.txt tells \"%.*s\"", file->language, (int)size,
					at);
			told++;
			at += size;
			at += strspn(at, ", ");
		}
	}
	return told;
}

/* Elsewhere they stand in quotes. */
static unsigned check_quoted(const struct words *words, const struct embedded_template *file)
{
	unsigned told = 0;

	for (const char *at = file->text; (at = strchr(at, '"'));) {
		const char *end = strchr(++at, '"');
		assert_non_null(end);
		if (!states_command(words, at, (size_t)(end - at)))
			fail_msg("%s/%s.txt tells \"%.*s\"", file->language, file->name,
				(int)(end - at), at);
		told++;
		at = end + 1;
	}
	return told;
}

static void told_words_are_read(void **state)
{
	struct words *words = load_words(NULL);
	struct embedded_template file;
	unsigned told = 0;

	(void)state;
	for (size_t i = 0; templates_embedded(i, &file); i++) {
		if (!*file.language || strcmp(file.name, "admin") == 0 ||
			strcmp(file.name, "language") == 0)
			continue;
		told += strcmp(file.name, "help") == 0 ? check_help(words, &file)
						       : check_quoted(words, &file);
	}
	assert_true(told > 4 * 35);
	words_free(words);
}

/* ---- Words of sentences ---- */

/* What a phrase does in a language; 0 if nobody knows it. */
static uint64_t uses_of(const struct words *words, const char *phrase, const char *language)
{
	const struct talk *talk = words_talk(words);
	const struct talk_phrase *found;
	char folded[WORDS_LINE_MAX];
	const char *list[TALK_WORDS_MAX];
	size_t places[WORDS_LINE_MAX], n = 0;

	assert_true(words_fold(phrase, strlen(phrase), folded, places) > 0);
	for (char *at = folded; at && n < TALK_WORDS_MAX; n++) {
		list[n] = at;
		at = strchr(at, ' ');
		if (at)
			*at++ = '\0';
	}
	if (talk_match(talk, list, n, &found) != n)
		return 0;
	return talk_uses(talk, found, talk_language(talk, language));
}

static void words_of_sentences(void **state)
{
	static const struct {
		const char *phrase, *language;
		enum talk_use use;
	} cases[] = {
		{"I'd like to", "en", TALK_WISH},
		{"i", "en", TALK_OWN},
		{"perhaps", "en", TALK_MAYBE},
		{"pelaan", "fi", TALK_DO},
		{"mossa", "it", TALK_MOVE},
		{"КОНЬ", "ru", TALK_KNIGHT},
		{"kurze rochade", "de", TALK_SHORT},
		/* What makes doubtful does so in every language ... */
		{"forse", "en", TALK_MAYBE},
		{"если", "fi", TALK_IF},
		{"en", "it", TALK_NOT},
		{"en", "nl", TALK_JOINT},
		{"se", "it", TALK_IF},
		{"se", "fi", TALK_FILL},
	};
	struct words *words = load_words(NULL);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (!(uses_of(words, cases[i].phrase, cases[i].language) & TALK(cases[i].use)))
			fail_msg("\"%s\" does not do %d in %s", cases[i].phrase, (int)cases[i].use,
				cases[i].language);
	/* ... what states moves only in its own, and a word of another use not at all. */
	assert_int_equal(uses_of(words, "pelaan", "en"), 0);
	assert_int_equal(uses_of(words, "en", "nl") & TALK(TALK_NOT), 0);
	assert_int_equal(uses_of(words, "se", "fi") & TALK(TALK_IF), 0);
	assert_int_equal(uses_of(words, "xyzzy", "en"), 0);
	words_free(words);
}

/* Each language of our mails can say all that statements need. */
static void languages_have_the_same_uses(void **state)
{
	static const char *const languages[] = {"en", "fi", "it", "ru"};
	static const char *const phrases[][4] = {
		{"if", "jos", "se", "если"},
		{"perhaps", "ehkä", "forse", "возможно"},
		{"tomorrow", "huomenna", "domani", "завтра"},
		{"not", "en", "non", "не"},
		{"regards", "terveisin", "saluti", "с уважением"},
		{"thanks", "kiitos", "grazie", "спасибо"},
		{"game", "peli", "partita", "партия"},
		{"white", "valkea", "bianco", "белые"},
		{"or", "tai", "o", "или"},
		{"knight", "ratsu", "cavallo", "конь"},
		{"takes", "lyö", "prende", "бьет"},
		{"castling", "linnoitus", "arrocco", "рокировка"},
		{"seven", "seitsemän", "sette", "семь"},
	};
	struct words *words = load_words(NULL);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(phrases); i++) {
		uint64_t common = UINT64_MAX;
		for (size_t k = 0; k < ARRAY_SIZE(languages); k++)
			common &= uses_of(words, phrases[i][k], languages[k]);
		if (common == 0)
			fail_msg("\"%s\" and its likes have no use in common", phrases[i][0]);
	}
	words_free(words);
}

/* ---- Plural forms ---- */

static void plural_forms_follow_their_rule(void **state)
{
	static const struct {
		const char *rule, *numbers, *forms;
	} cases[] = {
		{"one", "0 1 2 11 21 101 57.6 1,5 x -1", "1 0 1 1 1 1 1 1 1 0"},
		{"none", "0 1 2", "0 0 0"},
		{"zero-one", "0 1 1,5 2 100 101", "0 0 0 1 1 1"},
		{"slavic", "0 1 2 4 5 11 12 14 15 20 21 22 25 101 111 112 1000 57,6 1.0",
			"2 0 1 1 2 2 2 2 2 2 0 1 2 0 2 2 2 1 1"},
		{"polish", "1 2 4 5 12 21 22 101 102", "0 1 1 2 2 2 1 2 1"},
		{"czech", "0 1 2 4 5 22", "2 0 1 1 2 2"},
		{"slovene", "1 2 3 4 5 101 102 100", "0 1 2 2 3 0 1 3"},
		{"lithuanian", "1 2 9 10 11 20 21 22", "0 1 1 2 2 2 0 1"},
		{"latvian", "0 1 2 11 21", "1 0 1 1 0"},
		{"romanian", "0 1 2 19 20 101 119 120", "1 0 1 1 2 1 1 2"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		enum plural_rule rule;
		const char *form = cases[i].forms;
		assert_true(plural_find(cases[i].rule, &rule));
		for (const char *at = cases[i].numbers; *at;) {
			size_t size = strcspn(at, " ");
			char number[16];
			(void)snprintf(number, sizeof(number), "%.*s", (int)size, at);
			if (plural_form(rule, number) != (size_t)(*form - '0') ||
				plural_form(rule, number) >= plural_forms(rule))
				fail_msg("%s: %s takes form %zu", cases[i].rule, number,
					plural_form(rule, number));
			form += 2;
			at += size + (at[size] == ' ');
		}
	}
}

/* ---- A fifth language ---- */

static void write_file(const char *root, const char *name, const char *text)
{
	char path[512];

	(void)snprintf(path, sizeof(path), "%s/%s", root, name);
	for (char *slash = path + strlen(root) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
		*slash = '\0';
		(void)mkdir(path, 0700);
	}
	FILE *stream = fopen(path, "w");
	assert_non_null(stream);
	(void)fputs(text, stream);
	(void)fclose(stream);
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *where)
{
	(void)info;
	(void)kind;
	(void)where;
	return remove(path);
}

static void remove_folder(const char *root)
{
	expect_int(nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

static bool any_zone(const char *name)
{
	return name != NULL;
}

static int parse_club(const char *root, const char *language, struct fault_list *faults)
{
	struct configuration *configuration = NULL;
	char text[800];

	(void)snprintf(text, sizeof(text),
		"[club]\nname=C\naddress=m@c.example\nlanguage=%s\noverrides=%s\n"
		"[store]\ndirectory=/s\n[mailbox a]\nsource=maildir:/in\n"
		"[delivery]\ntarget=maildir:/out\n",
		language, root);
	int r = configuration_parse("f", text, strlen(text), any_zone, faults, &configuration);
	configuration_free(configuration);
	return r;
}

static void fifth_language_is_files(void **state)
{
	char root[] = P_tmpdir "/zugpost-language-XXXXXX", folded[WORDS_LINE_MAX];
	struct fault_list faults = {0};
	size_t places[WORDS_LINE_MAX], index = 0, used;
	struct values *values;
	char *subject, *text, name[STYLE_NAME_MAX];

	(void)state;
	assert_non_null(mkdtemp(root));
	assert_false(language_is_known("cs"));
	expect_int(parse_club(root, "cs", &faults), FILE_FAULTY);
	fault_list_release(&faults);
	faults = (struct fault_list){0};
	write_file(root, "templates/cs/language.txt",
		"# čeština\nname: čeština\nplural: czech\ndecimal: ,\ndate: {d}. {m}. {yyyy}\n");
	write_file(root, "templates/cs/refusal.txt",
		"Subject: zpráva nebyla přijata\n\nZbývá {{days-left}} "
		"{{days-left|den|dny|dní}}.\n{{>header}}\n");
	write_file(root, "words/cs/commands.txt", "resign: vzdávám se\n");
	write_file(root, "words/cs/rulings.txt", "uphold: potvrzuji\n");
	write_file(root, "words/cs/talk.txt", "do: hraji | hraji teď\nmaybe: snad\n");
	write_file(root, "words/cs/moves.txt", "knight: jezdec\n");
	write_file(root, "words/it/talk.txt", "do: gioco\n");
	expect_int(parse_club(root, "cs", &faults), 0);

	struct templates *templates = load(root);
	assert_true(templates_language_known(templates, "cs"));
	assert_true(language_is_known("cs"));
	assert_string_equal(templates_style(templates, "cs")->name, "čeština");
	/* What its file leaves out is as in English. */
	assert_string_equal(templates_style(templates, "cs")->time, "{hh}:{min}");
	assert_int_equal(style_name(templates_style(templates, "cs"), "Novák, Jan", name), 10);
	assert_string_equal(name, "Jan Novák");
	expect_int(values_new(&values), 0);
	expect_int(values_set(values, "days-left", "3"), 0);
	expect_int(values_set(values, "event-name", "Praha"), 0);
	expect_int(templates_render(templates, "cs", "refusal", values, &subject, &text), 0);
	assert_string_equal(subject, "zpráva nebyla přijata");
	/* A part that it does not have is the English one. */
	assert_non_null(strstr(text, "Zbývá 3 dny.\nEvent:  Praha"));
	free(subject);
	free(text);
	values_free(values);
	templates_free(templates);

	struct words *words = load_words(root);
	assert_true(words_fold("Vzdávám se", strlen("Vzdávám se"), folded, places) > 0);
	assert_int_equal(words_find(words, folded, &index, &used), COMMAND_RESIGN);
	assert_true(states_command(words, "potvrzuji", 9));
	assert_true(states_command(words, "vahvistan", 9));
	assert_true(uses_of(words, "hraji teď", "cs") & TALK(TALK_DO));
	assert_true(uses_of(words, "jezdec", "cs") & TALK(TALK_KNIGHT));
	assert_true(uses_of(words, "snad", "en") & TALK(TALK_MAYBE));
	/* A file replaces the built-in one, and no other. */
	assert_true(uses_of(words, "gioco", "it") & TALK(TALK_DO));
	assert_int_equal(uses_of(words, "forse", "it"), 0);
	assert_true(uses_of(words, "cavallo", "it") & TALK(TALK_KNIGHT));
	words_free(words);
	/* A line of it that says nothing is told with its place. */
	write_file(root, "words/cs/talk.txt", "do: hraji\nknight: jezdec\n");
	expect_int(words_load(root, &faults, &words), FILE_FAULTY);
	assert_int_equal(faults.n, 1);
	assert_int_equal(faults.faults[0].line, 2);
	assert_non_null(strstr(faults.faults[0].file, "words/cs/talk.txt"));
	fault_list_release(&faults);
	remove_folder(root);
}

/* --check tells the faults of a language's files with file and line. */
static void faults_of_a_language(void **state)
{
	char root[] = P_tmpdir "/zugpost-language-XXXXXX", *out = NULL;
	struct fault_list faults = {0};
	struct templates *templates = NULL;
	size_t size;

	(void)state;
	assert_non_null(mkdtemp(root));
	write_file(root, "templates/cs/language.txt",
		"plural: czech\nplural: greek\ndate: {d}.{month}\ncolour: red\nno colon\n");
	write_file(
		root, "templates/cs/header.txt", "\n{{days-left|den|dny}}\n{{days-left|x|y|z}}\n");
	write_file(root, "templates/czech/header.txt", "x\n");
	write_file(root, "templates/ru/header.txt", "{{days-left|день|дня}}\n");
	expect_int(templates_load(root, &faults, &templates), FILE_FAULTY);
	FILE *stream = open_memstream(&out, &size);
	for (size_t i = 0; i < faults.n; i++)
		(void)fprintf(stream, "%s:%u: %.30s\n",
			faults.faults[i].file + strlen(root) + strlen("/templates/"),
			faults.faults[i].line, faults.faults[i].message);
	(void)fclose(stream);
	assert_string_equal(out, "cs/language.txt:2: a line says how the language w\n"
				 "cs/language.txt:3: a line says how the language w\n"
				 "cs/language.txt:4: a line says how the language w\n"
				 "cs/language.txt:5: a line says how the language w\n"
				 "czech:0: no language: a folder is named\n"
				 "cs/header.txt:2: {{days-left|den|dny}} has not \n"
				 "ru/header.txt:1: {{days-left|день|дня}} \n");
	free(out);
	fault_list_release(&faults);
	remove_folder(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_languages_have_the_same),
		cmocka_unit_test(nothing_is_left_in_english),
		cmocka_unit_test(names_are_explained_once),
		cmocka_unit_test(told_words_are_read),
		cmocka_unit_test(words_of_sentences),
		cmocka_unit_test(languages_have_the_same_uses),
		cmocka_unit_test(plural_forms_follow_their_rule),
		cmocka_unit_test(fifth_language_is_files),
		cmocka_unit_test(faults_of_a_language),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * tests/data/chess/moves.tsv through the command that outside programs use: `move --stdin
 * --json`, raw text in, the move or the reason out.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "daemon/ctl/chess_commands.h"
#include "tests/unit/test.h"

enum column {
	COLUMN_ID = 0,
	COLUMN_LANG,
	COLUMN_FEN,
	COLUMN_LAST,
	COLUMN_TEXT,
	COLUMN_EXPECT,
	COLUMN_TAGS,
	COLUMNS,
};

static void split_line(char *line, char *ret_fields[COLUMNS])
{
	line[strcspn(line, "\n")] = '\0';
	for (int i = 0; i < COLUMNS; i++)
		ret_fields[i] = strsep(&line, "\t");
	assert_non_null(ret_fields[COLUMN_TAGS]);
}

/* What the command answers to one line, in a new JSON object. */
static json_t *ask(const char *fen, const char *text, const char *lang, const char *last)
{
	char request[2048], answer[4096] = "";
	char *argv[] = {(char[]){"move"}, (char[]){"--stdin"}};
	int size = snprintf(request, sizeof(request), "%s\t%s\t%s\t%s\n", fen, text, lang, last);
	struct ctl ctl = {.json = true, .err = stderr};
	json_t *object;

	ctl.in = fmemopen(request, (size_t)size, "r");
	ctl.out = fmemopen(answer, sizeof(answer), "w");
	assert_true(ctl.in && ctl.out);
	expect_int(move_command(&ctl, 2, argv), 0);
	(void)fclose(ctl.in);
	(void)fclose(ctl.out);
	object = json_loads(answer, 0, NULL);
	assert_non_null(object);
	return object;
}

static const char *string_of(json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

static bool check_case(char *fields[COLUMNS])
{
	json_t *answer = ask(
		fields[COLUMN_FEN], fields[COLUMN_TEXT], fields[COLUMN_LANG], fields[COLUMN_LAST]);
	const char *uci = string_of(answer, "uci"), *error = string_of(answer, "error");
	const char *got = *uci ? uci : error;
	bool good = !strcmp(got, fields[COLUMN_EXPECT]);

	if (strstr(fields[COLUMN_TAGS], "policy") && !*uci) /* a refusal is right as well */
		good = true;
	if (!good)
		print_error("%s %s '%s' gives %s, not %s\n", fields[COLUMN_ID], fields[COLUMN_LANG],
			fields[COLUMN_TEXT], got, fields[COLUMN_EXPECT]);
	if (!strcmp(error, "ambiguous") &&
		!json_array_size(json_object_get(answer, "candidates"))) {
		print_error("%s: ambiguous, but between nothing\n", fields[COLUMN_ID]);
		good = false;
	}
	json_decref(answer);
	return good;
}

static void test_table(void **state)
{
	FILE *file = fopen(TEST_DATA "/chess/moves.tsv", "re");
	char *line = NULL, *fields[COLUMNS];
	size_t cap = 0;
	int n = 0, bad = 0;

	(void)state;
	assert_non_null(file);
	while (getline(&line, &cap, file) > 0) {
		if (*line == '#')
			continue;
		split_line(line, fields);
		bad += !check_case(fields);
		n++;
	}
	free(line);
	(void)fclose(file);
	expect_int(n, 1334);
	expect_int(bad, 0);
}

#define INITIAL "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
#define AFTER_E4 "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"

/* Cases beyond the table: fen, lang, the last move from the initial position, text, outcome. */
static const char *const more[][5] = {
	{INITIAL, "en", "-", "e2 e4", "e2e4"},
	{INITIAL, "en", "-", "52 54", "e2e4"},
	{INITIAL, "en", "-", "1. 52 54", "e2e4"},
	{INITIAL, "en", "-", "\xf0\x9d\x90\x8d\xf0\x9d\x90\x9f\xf0\x9d\x9f\x91", "g1f3"},
	{INITIAL, "en", "-", "1. Nf3 (=) .", "g1f3"},
	{INITIAL, "en", "-", "Nf3 and thanks", "unreadable"},
	{INITIAL, "en", "-", "Nf3 Nc3", "unreadable"},
	{INITIAL, "en", "-", "", "unreadable"},
	{INITIAL, "xx", "-", "e4", "malformed"},
	{"nonsense", "en", "-", "e4", "malformed"},
	{AFTER_E4, "en", "e2e4", "1n e7-e5  1n e7-e5", "e7e5"},
	{AFTER_E4, "en", "e2e4", "1n e7-e5  1n d7-d5", "unreadable"},
	{AFTER_E4, "en", "e2e4", "e4, e5", "e7e5"},
	{AFTER_E4, "en", "e2e4", "e4", "unreadable"},
	{AFTER_E4, "en", "e2e4", "1... e5 2. Nf3", "e7e5"},
	{AFTER_E4, "en", "d2d4", "e5", "malformed"},
	{AFTER_E4, "en", "e2e4", "3. e4 e5", "e7e5"},
	{"4k3/8/8/8/8/8/8/R3K2R w KQ - 0 20", "it", "-", "0-0", "e1g1"},
	{"4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 20", "fi", "-", "20. e5xd6 e.p.", "e5d6"},
	/* a bishop is pinned, a Hungarian rook is not: for a player whose language is unknown */
	{"3rk3/8/8/8/8/8/3B4/3K3R w - - 0 20", "*", "-", "Be1", "illegal"},
	{"3rk3/8/8/8/8/8/3B4/3K3R w - - 0 20", "hu", "-", "Be1", "h1e1"},
};

static void test_more(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(more); i++) {
		const char *uci, *got;
		char last[128] = "-";
		json_t *answer;

		if (*more[i][2] != '-')
			(void)snprintf(last, sizeof(last), "%s|%s", INITIAL, more[i][2]);
		answer = ask(more[i][0], more[i][3], more[i][1], last);
		uci = string_of(answer, "uci");
		got = *uci ? uci : string_of(answer, "error");
		if (strcmp(got, more[i][4]) != 0)
			fail_msg("'%s' gives %s, not %s", more[i][3], got, more[i][4]);
		json_decref(answer);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

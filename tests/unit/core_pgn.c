/*
 * PGN: real games read, replayed and written again; public fault reports (faults.tsv); the three
 * styles.
 */
#include <stdlib.h>
#include <string.h>

#include "core/draws.h"
#include "core/notation.h"
#include "core/pgn.h"
#include "tests/unit/test.h"

static struct pgn_record record;

/* A whole file without a final NUL, so that reading past its end is seen. */
static char *file_read(const char *name, size_t *ret_size)
{
	FILE *file = fopen(name, "re");
	char *text;
	long size;

	assert_non_null(file);
	expect_int(fseek(file, 0, SEEK_END), 0);
	size = ftell(file);
	rewind(file);
	text = malloc((size_t)size);
	assert_non_null(text);
	expect_int(fread(text, 1, (size_t)size, file), size);
	(void)fclose(file);
	*ret_size = (size_t)size;
	return text;
}

static void line_next(FILE *file, char **line, size_t *cap)
{
	if (getline(line, cap, file) < 0)
		fail_msg("a line is missing");
	(*line)[strcspn(*line, "\n")] = '\0';
}

/* The moves as UCI between blanks. */
static void uci_of(const struct position *start, const uint16_t *moves, size_t n, char *out)
{
	struct position position = *start;

	for (size_t i = 0; i < n; i++) {
		if (i)
			*out++ = ' ';
		out += move_write(&position, moves[i], NOTATION_UCI, NULL, out);
		position_make(&position, moves[i]);
	}
	*out = '\0';
}

static const char *end_word(const struct position *position)
{
	switch (position_end(position)) {
	case POSITION_CHECKMATE:
		return "checkmate";
	case POSITION_STALEMATE:
		return "stalemate";
	case POSITION_GOES_ON:
		break;
	}
	return draws_insufficient(position) ? "insufficient" : "-";
}

static void check_ply(const char *number, size_t ply, const char *what)
{
	size_t wanted = strcmp(number, "-") ? strtoul(number, NULL, 10) : DRAWS_PLY_NONE;

	if (ply != wanted)
		fail_msg("%s: %zu, not %s", what, ply, number);
}

/* The first ply after which the counter has reached LIMIT. */
static size_t first_halfmove(const struct pgn_record *game, unsigned limit)
{
	struct position position = game->start;

	for (size_t ply = 0; ply <= game->n_moves; ply++) {
		if (position.halfmove >= limit)
			return ply;
		if (ply < game->n_moves)
			position_make(&position, game->moves[ply]);
	}
	return DRAWS_PLY_NONE;
}

static void check_adjudication(char *line)
{
	char *fields[10], fen[FEN_MAX];
	struct draws_facts facts;

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		fields[i] = strsep(&line, "\t");
	fen_write(&record.end, fen);
	assert_string_equal(fen, fields[3]);
	expect_int(draws_facts(&record.start, record.moves, record.n_moves, 1, &facts), 0);
	assert_true(position_same(&facts.position, &record.end));
	assert_string_equal(end_word(&record.end), fields[4]);
	check_ply(fields[5], facts.first_threefold_ply, "threefold");
	check_ply(fields[6], facts.first_fivefold_ply, "fivefold");
	check_ply(fields[7], first_halfmove(&record, 100), "fifty moves");
	check_ply(fields[8], first_halfmove(&record, 150), "seventy-five moves");
}

/* Written in every style, lines are short and the moves read back the same. */
static void check_written(enum pgn_style style)
{
	static struct pgn_record again;
	static char out[65536];
	static const struct pgn_tag tags[] = {{"White", "A \"quoted\" \\ name"}, {"ECO", "A00"}};
	struct pgn_game game = {.tags = tags,
		.n_tags = ARRAY_SIZE(tags),
		.start = &record.start,
		.moves = record.moves,
		.n_moves = record.n_moves,
		.result = "1/2-1/2"};
	size_t size = pgn_write(&game, style, out, sizeof(out));
	struct pgn_scan scan = {.text = out, .size = size};

	assert_true(size < sizeof(out));
	expect_int(strlen(out), size);
	for (const char *at = out, *end; (end = strchr(at, '\n')); at = end + 1)
		assert_true(end - at < 80);
	assert_true(pgn_next(&scan, &again));
	expect_int(again.fault, PGN_FINE);
	expect_int(again.n_moves, record.n_moves);
	assert_memory_equal(again.moves, record.moves, record.n_moves * sizeof(*record.moves));
	assert_true(position_same(&again.end, &record.end));
	assert_false(pgn_next(&scan, &again));
}

static void test_real_games(void **state)
{
	size_t size, cap = 0;
	char *text = file_read(TEST_DATA "/chess/games.pgn", &size), *line = NULL;
	FILE *uci = fopen(TEST_DATA "/chess/games.uci", "re");
	FILE *adjudication = fopen(TEST_DATA "/chess/games_adjudication.tsv", "re");
	struct pgn_scan scan = {.text = text, .size = size};
	static char moves[PGN_MOVES_MAX * 6];
	int n = 0;

	(void)state;
	assert_true(uci && adjudication);
	line_next(adjudication, &line, &cap);
	for (; pgn_next(&scan, &record); n++) {
		if (record.fault)
			fail_msg("line %zu: fault %d", record.fault_line, record.fault);
		line_next(uci, &line, &cap);
		uci_of(&record.start, record.moves, record.n_moves, moves);
		assert_string_equal(moves, line);
		line_next(adjudication, &line, &cap);
		check_adjudication(line);
		check_written((enum pgn_style)(n % 3));
	}
	expect_int(n, 3243);
	(void)fclose(uci);
	(void)fclose(adjudication);
	free(line);
	free(text);
}

static const char written_export[] = "[Event \"KO-50.2\"]\n"
				     "[Site \"?\"]\n"
				     "[Date \"????.??.??\"]\n"
				     "[Round \"?\"]\n"
				     "[White \"Brown, \\\"Mary\\\"\"]\n"
				     "[Black \"?\"]\n"
				     "[Result \"*\"]\n"
				     "[WhiteElo \"1830\"]\n"
				     "[SetUp \"1\"]\n"
				     "[FEN \"4k3/P7/8/8/8/8/8/4K3 b - - 0 30\"]\n"
				     "\n"
				     "30... Kd7 31. a8=Q Ke7 *\n\n";

static const char written_iecc[] = "[Event \"KO-50.2\"]\n"
				   "[Site \"IECC\"]\n"
				   "[Date \"????.??.??\"]\n"
				   "[Round \"?\"]\n"
				   "[White \"Brown, \\\"Mary\\\"\"]\n"
				   "[Black \"?\"]\n"
				   "[Result \"*\"]\n"
				   "[WhiteElo \"1830\"]\n"
				   "[SetUp \"1\"]\n"
				   "[FEN \"4k3/P7/8/8/8/8/8/4K3 b - - 0 30\"]\n"
				   "\n"
				   "30...Kd7 31.a8=Q Ke7 *\n\n";

static void test_styles(void **state)
{
	static const char fen[] = "4k3/P7/8/8/8/8/8/4K3 b - - 0 30";
	static const struct pgn_tag tags[] = {{"WhiteElo", "1830"}, {"White", "Brown, \"Mary\""},
		{"bad name", "x"}, {"Event", "KO-50.2"}, {"FEN", "not ours"}};
	struct position start, position;
	uint16_t moves[3];
	size_t at, n = 0;
	char out[1024];
	struct pgn_game game = {.tags = tags,
		.n_tags = ARRAY_SIZE(tags),
		.start = &start,
		.moves = moves,
		.n_moves = 3,
		.result = "*"};

	(void)state;
	expect_int(fen_parse(fen, strlen(fen), &start, &at), FEN_FINE);
	expect_int(movetext_read(&start, "30...Kd7 31.a8Q Ke7", 19, moves, 3, &n, &at), 0);
	position = start;
	expect_int(pgn_write(&game, PGN_EXPORT, out, sizeof(out)), strlen(written_export));
	assert_string_equal(out, written_export);
	(void)pgn_write(&game, PGN_IECC, out, sizeof(out));
	assert_string_equal(out, written_iecc);
	(void)pgn_write(&game, PGN_ICCF, out, sizeof(out));
	assert_non_null(strstr(out, "[Site \"ICCF Email\"]\n"));
	assert_non_null(strstr(out, "[PlyCount \"3\"]\n"));
	expect_int(movetext_write(&position, moves, 3, PGN_EXPORT, 0, out, 12), 22);
	assert_string_equal(out, "30... Kd7 3");
}

/* What the escapes of faults.tsv mean: \n and nothing else. */
static size_t unescape(char *text)
{
	char *out = text, *start = text;

	for (; *text; text++) {
		if (text[0] == '\\' && text[1] == 'n') {
			*out++ = '\n';
			text++;
		} else {
			*out++ = *text;
		}
	}
	*out = '\0';
	return (size_t)(out - start);
}

static void check_pgn(char *text, const char *wanted, const char *source)
{
	static char moves[PGN_MOVES_MAX * 6];
	size_t size = unescape(text);
	char *copy = malloc(size + !size);
	struct pgn_scan scan = {.text = copy, .size = size};

	assert_non_null(copy);
	memcpy(copy, text, size);
	assert_true(pgn_next(&scan, &record));
	uci_of(&record.start, record.moves, record.n_moves, moves);
	free(copy);
	if (!strncmp(wanted, "error", 5)) {
		expect_int(record.fault, PGN_FAULT_MOVE);
		expect_int(record.ply, 4);
	} else if (record.fault || strcmp(moves, wanted) != 0) {
		fail_msg("%s: fault %d, moves %s", source, record.fault, moves);
	}
}

static void check_pgn_error(const char *text, const char *wanted, const char *source)
{
	struct pgn_scan scan = {.text = text, .size = strlen(text)};
	char got[100];

	assert_true(pgn_next(&scan, &record));
	expect_int(record.fault, PGN_FAULT_MOVE);
	(void)snprintf(got, sizeof(got), "%s at ply %zu: %.*s",
		record.move_fault == MOVETEXT_ILLEGAL ? "illegal" : "ambiguous", record.ply,
		(int)record.faulty.size, record.faulty.at);
	if (strcmp(got, wanted) != 0)
		fail_msg("%s: %s, not %s", source, got, wanted);
}

static struct position position_of(const char *fen, size_t size)
{
	struct position position;
	size_t at;

	if (fen_parse(fen, size, &position, &at))
		fail_msg("%.*s is no position", (int)size, fen);
	return position;
}

static void check_san(char *input, const char *wanted)
{
	char *uci = strchr(input, '|'), san[NOTATION_MAX];
	struct position position = position_of(input, (size_t)(uci - input));

	(void)move_write(&position, move_from_uci(&position, uci + 1, strlen(uci + 1)),
		NOTATION_SAN, NULL, san);
	assert_string_equal(san, wanted);
}

static void check_repetitions(char *input, const char *wanted)
{
	char *text = strchr(input, '|'), *word;
	struct position start = position_of(input, (size_t)(text - input)), position = start;
	uint16_t moves[500];
	size_t n = 0;

	text++;
	while ((word = strsep(&text, " "))) {
		moves[n] = move_from_uci(&position, word, strlen(word));
		assert_int_not_equal(moves[n], MOVE_NONE);
		position_make(&position, moves[n++]);
	}
	expect_int(draws_repetitions(&start, moves, n), strtol(wanted, NULL, 10));
}

static void check_can_mate(const char *fen, const char *wanted)
{
	struct position position = position_of(fen, strlen(fen));

	for (int side = SIDE_WHITE; side <= SIDE_BLACK; side++) {
		enum draws_answer answer =
			draws_can_mate(&position, (enum side)side, DRAWS_BUDGET_SMALL);

		if (answer == DRAWS_UNDECIDED ? wanted[side] == '0'
					      : (answer == DRAWS_YES) != (wanted[side] == '1'))
			fail_msg("side %d of %s: %d", side, fen, answer);
	}
}

static void check_move(char *input, const char *wanted)
{
	char *lang = strsep(&input, "|"), *fen = strsep(&input, "|"), uci[NOTATION_MAX];
	struct position position;
	struct move_reading reading;
	size_t at;

	expect_int(fen_parse_loosely(fen, strlen(fen), &position, &at), FEN_FINE);

	if (move_read(&position, letters_find(lang, strlen(lang)), input, strlen(input),
		    &reading) != MOVE_READ) {
		if (strcmp(wanted, reading.result == MOVE_AMBIGUOUS ? "ambiguous" : "illegal") != 0)
			fail_msg("%s in %s: result %d", input, fen, reading.result);
		return;
	}
	(void)move_write(&position, reading.move, NOTATION_UCI, NULL, uci);
	assert_string_equal(uci, wanted);
}

/* All FENs that the table gives are to be refused, but for one with a move behind it. */
static void check_fen(char *fen, const char *wanted)
{
	char *move = strstr(fen, " + ");
	struct position position;
	size_t at;

	if (!move) {
		assert_int_not_equal(fen_parse(fen, strlen(fen), &position, &at), FEN_FINE);
		return;
	}
	position = position_of(fen, (size_t)(move - fen));
	position_make(&position, move_from_uci(&position, move + 3, 4));
	assert_string_equal(end_word(&position), wanted);
}

static void test_faults(void **state)
{
	FILE *file = fopen(TEST_DATA "/chess/faults.tsv", "re");
	char *line = NULL;
	size_t cap = 0;
	int n = 0;

	(void)state;
	assert_non_null(file);
	for (; getline(&line, &cap, file) > 0; n++) {
		char *rest = line, *source, *kind, *input, *wanted;

		line[strcspn(line, "\n")] = '\0';
		source = strsep(&rest, "\t");
		kind = strsep(&rest, "\t");
		input = strsep(&rest, "\t");
		wanted = strsep(&rest, "\t");
		if (*source == '#')
			continue;
		assert_non_null(wanted);
		if (!strcmp(kind, "pgn"))
			check_pgn(input, wanted, source);
		else if (!strcmp(kind, "pgn-error"))
			check_pgn_error(input, wanted, source);
		else if (!strcmp(kind, "move"))
			check_move(input, wanted);
		else if (!strcmp(kind, "san"))
			check_san(input, wanted);
		else if (!strcmp(kind, "repetitions"))
			check_repetitions(input, wanted);
		else if (!strcmp(kind, "fen"))
			check_fen(input, wanted);
		else if (!strncmp(kind, "can_mate", 8))
			check_can_mate(input, wanted);
		else
			fail_msg("unknown kind %s", kind);
	}
	free(line);
	(void)fclose(file);
	expect_int(n, 67);
}

struct file_case {
	const char *text;
	enum pgn_fault fault;
	size_t line, n_moves;
};

static const struct file_case file_cases[] = {
	{"[Event \"x\"]\n[Result \"1-0\"]\n\n1. e4 e5 1-0\n", PGN_FINE, 0, 2},
	{"\xef\xbb\xbf[Event \"x\"]\r\n[Result \"*\"]\r\n\r\n1. e4 e5 *\r\n", PGN_FINE, 0, 2},
	{"[Event \"x\"]\n[Result \"1-0\"]\n\n1. e4 e5\n0-1\n", PGN_FAULT_RESULT, 5, 2},
	{"[Event \"x\"]\n[Result \"1-0\"]\n\n1. e4 e5\n", PGN_FAULT_NO_RESULT, 5, 2},
	{"[Event x]\n[Result \"*\"]\n\n1. e4 *\n", PGN_FAULT_TAG, 1, 1},
	{"[FEN \"8/8/8/8 w\"]\n\n1. e4 *\n", PGN_FAULT_FEN, 1, 0},
	{"[Result \"*\"]\n\n1. e4 e5\n2. Ke3 *\n", PGN_FAULT_MOVE, 4, 2},
	{"[Result \"*\"]\n\n1. e4 {never closed *\n", PGN_FAULT_MOVE, 3, 1},
	{"[Result \"*\"]\n\n1. e4 ( 1. d4 *\n", PGN_FAULT_MOVE, 3, 1},
	{"1. e4 e5 2. 0-0 *\n", PGN_FAULT_MOVE, 1, 2},
	{"1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. 0-0 *\n", PGN_FINE, 0, 7},
	{"1. e4 d5 2. exd5 e.p. Qxd5 *\n", PGN_FINE, 0, 4},
	{"1. edx5 *\n", PGN_FAULT_MOVE, 1, 0},
	{"1. e4 f5 2. edx5 *\n", PGN_FAULT_MOVE, 1, 2},
	{"e2e4 e7-e5 $14 5755 *\n", PGN_FAULT_MOVE, 1, 2},
	{"e2e4 e7-e5 $14 7163 1/2-1/2\n", PGN_FINE, 0, 3},
	{")", PGN_FAULT_MOVE, 1, 0},
};

static void test_files(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(file_cases); i++) {
		const struct file_case *c = &file_cases[i];
		struct pgn_scan scan = {.text = c->text, .size = strlen(c->text)};

		assert_true(pgn_next(&scan, &record));
		if (record.fault != c->fault || record.fault_line != c->line ||
			record.n_moves != c->n_moves)
			fail_msg("case %zu: fault %d in line %zu after %zu moves", i, record.fault,
				record.fault_line, record.n_moves);
		assert_false(pgn_next(&scan, &record));
	}
}

/* A game behind a faulty one is found and read. */
static void test_goes_on(void **state)
{
	static const char text[] = "[Event \"a\"]\n[Result \"*\"]\n\n1. e4 e4 {1-0} (1... e5 *) *\n"
				   "\n[Event \"b\"]\n\n1. d4 *\n1. c4 c5 *";
	struct pgn_scan scan = {.text = text, .size = strlen(text)};

	(void)state;
	assert_true(pgn_next(&scan, &record));
	expect_int(record.fault, PGN_FAULT_MOVE);
	assert_true(pgn_next(&scan, &record));
	expect_int(record.fault, PGN_FINE);
	expect_int(record.line, 6);
	assert_memory_equal(pgn_tag_value(&record, "Event").at, "b", 1);
	assert_null(pgn_tag_value(&record, "White").at);
	assert_true(pgn_next(&scan, &record));
	expect_int(record.n_moves, 2);
	assert_false(pgn_next(&scan, &record));
}

struct movetext_case {
	const char *text;
	enum movetext_fault fault;
	size_t n, at;
};

static const struct movetext_case movetext_cases[] = {
	{"1.e4 c5", MOVETEXT_FINE, 2, 0},
	{"e4 c5 Nf3", MOVETEXT_FINE, 3, 0},
	{"1. e4 c5 2. Nf3 d6 *", MOVETEXT_FINE, 4, 0},
	{"", MOVETEXT_FINE, 0, 0},
	{"1.e4 c5 3.Nf3", MOVETEXT_NUMBER, 2, 8},
	{"1.e4 c6 2.e6", MOVETEXT_ILLEGAL, 2, 10},
	{"1.d4 d5 2.Nd2 Nf6 3.Nf3", MOVETEXT_AMBIGUOUS, 4, 20},
	{"1.e4 hello", MOVETEXT_UNREADABLE, 1, 5},
	{"1.e4 --", MOVETEXT_UNREADABLE, 1, 5},
	{"1.e4 [c5]", MOVETEXT_UNREADABLE, 1, 5},
	{"1.e4 c5 2.d4 cxd4 3.c3 dxc3 4.Nxc3 d6", MOVETEXT_LENGTH, 6, 30},
};

static void test_movetext(void **state)
{
	struct position initial = position_initial();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(movetext_cases); i++) {
		const struct movetext_case *c = &movetext_cases[i];
		uint16_t moves[8];
		size_t n = 0, at = 0, max = c->fault == MOVETEXT_LENGTH ? 6 : 8;
		enum movetext_fault fault =
			movetext_read(&initial, c->text, strlen(c->text), moves, max, &n, &at);

		if (fault != c->fault || n != c->n || at != c->at)
			fail_msg("'%s': %s after %zu moves at %zu", c->text,
				movetext_fault_text(fault), n, at);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_real_games),
		cmocka_unit_test(test_styles),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_goes_on),
		cmocka_unit_test(test_movetext),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

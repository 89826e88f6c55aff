/*
 * Draw facts against tests/data/chess/draws.tsv and deadpos.tsv.
 */
#include <stdlib.h>
#include <string.h>

#include "core/bits.h"
#include "core/draws.h"
#include "core/fen.h"
#include "core/notation.h"
#include "tests/unit/test.h"

#define PLIES_MAX 1000

static int bad;

static void wrong(const char *id, const char *what)
{
	print_error("%s: %s\n", id, what);
	bad++;
}

static size_t read_moves(const struct position *start, char *text, uint16_t moves[PLIES_MAX])
{
	struct position position = *start;
	char *word;
	size_t n = 0;

	while ((word = strsep(&text, " "))) {
		if (!*word || !strcmp(word, "-"))
			continue;
		moves[n] = move_from_uci(&position, word, strlen(word));
		if (moves[n] == MOVE_NONE)
			fail_msg("%s is not legal", word);
		position_make(&position, moves[n++]);
	}
	return n;
}

static struct position position_of(const char *fen)
{
	struct position position;
	size_t at;

	if (fen_parse(fen, strlen(fen), &position, &at))
		fail_msg("%s is no position", fen);
	return position;
}

static void check_ply(const char *id, const char *what, size_t ply, const char *wanted)
{
	size_t number = strcmp(wanted, "-") ? strtoul(wanted, NULL, 10) : DRAWS_PLY_NONE;

	if (ply != number)
		wrong(id, what);
}

/* WANTED: "-", "all", or moves between commas. */
static void check_moves(
	const char *id, const struct draws_facts *facts, const struct move_list *list, char *wanted)
{
	char *word;
	size_t n = 0;

	if (!strcmp(wanted, "all")) {
		struct move_list all;

		position_moves(&facts->position, &all);
		if (all.n != list->n)
			wrong(id, "not all moves may be claimed with");
		return;
	}
	while ((word = strsep(&wanted, ","))) {
		uint16_t move = move_from_uci(&facts->position, word, strlen(word));
		size_t i = 0;

		if (!strcmp(word, "-"))
			continue;
		while (i < list->n && list->moves[i] != move)
			i++;
		if (i == list->n)
			wrong(id, word);
		n++;
	}
	if (n != list->n)
		wrong(id, "a move too many to claim with");
}

static void check_answer(const char *id, enum draws_answer answer, bool wanted)
{
	if (answer == (wanted ? DRAWS_NO : DRAWS_YES))
		wrong(id, "who can mate");
}

static void check_draws(char *fields[17])
{
	static const char *const automatic[] = {
		"-", "checkmate", "stalemate", "dead", "fivefold", "75"};
	const char *id = fields[0];
	struct position start = position_of(fields[2]);
	struct draws_facts facts;
	uint16_t moves[PLIES_MAX];
	size_t n = read_moves(&start, fields[3], moves);
	char fen[FEN_MAX];

	expect_int(draws_facts(&start, moves, n, DRAWS_BUDGET_SMALL, &facts), 0);
	fen_write(&facts.position, fen);
	if (strcmp(fen, fields[4]) != 0)
		wrong(id, fen);
	if (facts.repetitions != strtoul(fields[5], NULL, 10) ||
		facts.repetitions != draws_repetitions(&start, moves, n))
		wrong(id, "repetitions");
	check_ply(id, "first threefold", facts.first_threefold_ply, fields[6]);
	check_ply(id, "first fivefold", facts.first_fivefold_ply, fields[7]);
	if (facts.claim_threefold != (*fields[8] == '1') ||
		facts.claim_fifty != (*fields[11] == '1'))
		wrong(id, "claims");
	check_moves(id, &facts, &facts.threefold_with, fields[9]);
	check_moves(id, &facts, &facts.fifty_with, fields[12]);
	check_ply(id, "halfmove", facts.position.halfmove, fields[10]);
	check_answer(id, facts.can_mate[SIDE_WHITE], *fields[14] == '1');
	check_answer(id, facts.can_mate[SIDE_BLACK], *fields[15] == '1');
	if (strcmp(automatic[facts.automatic], fields[16]) != 0)
		wrong(id, "what ends the game");
}

static FILE *table_open(const char *name)
{
	FILE *file = fopen(name, "re");

	assert_non_null(file);
	return file;
}

/* The next row that is no comment, split at its tabs; the rest of FIELDS is empty. */
static bool table_next(FILE *file, char **line, size_t *cap, char **fields, size_t max)
{
	static char empty[] = "";
	char *rest;

	do
		if (getline(line, cap, file) < 0)
			return false;
	while (**line == '#');
	rest = *line;
	rest[strcspn(rest, "\n")] = '\0';
	for (size_t i = 0; i < max; i++)
		fields[i] = rest ? strsep(&rest, "\t") : empty;
	return true;
}

static void test_draws(void **state)
{
	FILE *file = table_open(TEST_DATA "/chess/draws.tsv");
	char *line = NULL, *fields[17];
	size_t cap = 0;
	int n = 0;

	(void)state;
	for (; table_next(file, &line, &cap, fields, ARRAY_SIZE(fields)); n++)
		check_draws(fields);
	free(line);
	(void)fclose(file);
	expect_int(n, 134);
	expect_int(bad, 0);
}

/* Not one wrong verdict, and most of the sides that can not mate are proved to. */
static void test_dead_positions(void **state)
{
	FILE *file = table_open(TEST_DATA "/chess/deadpos.tsv");
	char *line = NULL, *fields[6];
	size_t cap = 0;
	int unwinnable = 0, proved = 0, n = 0;

	(void)state;
	for (; table_next(file, &line, &cap, fields, ARRAY_SIZE(fields)); n++) {
		struct position position = position_of(fields[2]);

		for (int side = SIDE_WHITE; side <= SIDE_BLACK; side++) {
			bool can = *fields[3 + side] == '1';
			enum draws_answer answer = draws_can_mate(&position, (enum side)side, 4000);

			check_answer(fields[0], answer, can);
			unwinnable += !can;
			proved += !can && answer == DRAWS_NO;
		}
	}
	free(line);
	(void)fclose(file);
	expect_int(n, 1621);
	expect_int(bad, 0);
	if (proved * 100 < unwinnable * 65)
		fail_msg("only %d of %d proved", proved, unwinnable);
}

/* No budget, and lines that no table holds. */
static void test_budget(void **state)
{
	struct position bare = position_of("4k3/8/8/8/8/8/8/4K3 w - - 0 1");
	struct position initial = position_initial();
	struct draws_facts facts;

	(void)state;
	expect_int(draws_dead(&bare, 1), DRAWS_YES);
	expect_int(draws_can_mate(&initial, SIDE_WHITE, 0), DRAWS_UNDECIDED);
	expect_int(draws_dead(&initial, 10), DRAWS_UNDECIDED);
	expect_int(draws_facts(&initial, NULL, 0, DRAWS_BUDGET_SMALL, &facts), 0);
	expect_int(facts.repetitions, 1);
	expect_int(facts.automatic, DRAWS_GOES_ON);
}

/* In games with many men both can still mate, and that is proved: after 1.e4 e5, and at every
 * fiftieth ply of real games. */
static void test_middlegames(void **state)
{
	FILE *file = table_open(TEST_DATA "/chess/games.uci");
	size_t cap = 0, plies = 0, asked = 0, undecided = 0;
	char *line = NULL, *word;

	(void)state;
	struct position open =
		position_of("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2");
	for (int side = SIDE_WHITE; side <= SIDE_BLACK; side++)
		expect_int(draws_can_mate(&open, (enum side)side, DRAWS_BUDGET_SMALL), DRAWS_YES);
	for (int games = 0; games < 300 && getline(&line, &cap, file) > 0; games++) {
		struct position position = position_initial();
		char *rest = line;

		rest[strcspn(rest, "\n")] = '\0';
		while ((word = strsep(&rest, " "))) {
			position_make(&position, move_from_uci(&position, word, strlen(word)));
			if (++plies % 50 || bits_count(position.sides[0] | position.sides[1]) < 12)
				continue;
			for (int side = SIDE_WHITE; side <= SIDE_BLACK; side++, asked++)
				undecided += draws_can_mate(&position, (enum side)side,
						     DRAWS_BUDGET) != DRAWS_YES;
		}
	}
	free(line);
	(void)fclose(file);
	if (asked < 500 || undecided)
		fail_msg("%zu of %zu undecided", undecided, asked);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_draws),
		cmocka_unit_test(test_dead_positions),
		cmocka_unit_test(test_budget),
		cmocka_unit_test(test_middlegames),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * Random games: every legal move of every position, in every notation and language, reads back
 * to itself, and no two moves share a text.
 */
#include <stdlib.h>
#include <string.h>

#include "core/fen.h"
#include "core/notation.h"
#include "tests/unit/test.h"

static const char *const languages[] = {"en", "fi", "it", "ru", "de", "fr", "es", "nl", "sv", "da",
	"no", "pl", "cs", "hu", "et", "pt", "ro", "is", "uk", "bg"};

/* A small generator of our own: the same games everywhere. */
static uint32_t random_next(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*state >> 33);
}

static void check_notation(const struct position *position, const struct move_list *list,
	enum notation notation, const struct letters *letters)
{
	static char texts[MOVES_MAX][NOTATION_MAX];

	for (size_t i = 0; i < list->n; i++) {
		struct move_reading reading;
		size_t size = move_write(position, list->moves[i], notation, letters, texts[i]);
		char fen[FEN_MAX];

		expect_int(size, strlen(texts[i]));
		if (move_read(position, letters, texts[i], size, &reading) != MOVE_READ ||
			reading.move != list->moves[i] || reading.warnings) {
			fen_write(position, fen);
			fail_msg("%s in %s: result %d, warnings %u", texts[i], fen, reading.result,
				reading.warnings);
		}
		for (size_t k = 0; k < i; k++)
			if (!strcmp(texts[k], texts[i]))
				fail_msg("two moves are %s", texts[i]);
	}
}

static void check_position(const struct position *position, unsigned round)
{
	static const enum notation notations[] = {
		NOTATION_FIGURINE, NOTATION_ICCF, NOTATION_SAN, NOTATION_LONG};
	const char *language = languages[round % ARRAY_SIZE(languages)];
	struct move_list list;
	struct position again;
	char fen[FEN_MAX];
	size_t at;

	position_moves(position, &list);
	for (size_t i = 0; i < ARRAY_SIZE(notations); i++)
		check_notation(position, &list, notations[i], letters_find(language, 2));
	check_notation(position, &list, NOTATION_UCI, letters_find("en", 2));
	check_notation(position, &list, NOTATION_MCLINK, letters_find("it", 2));
	at = fen_write(position, fen);
	expect_int(fen_parse(fen, at, &again, &at), FEN_FINE);
	assert_true(position_same(position, &again));
	expect_int(position_key(position), position_key(&again));
}

static void test_random_games(void **state)
{
	uint64_t seed = 1;
	unsigned positions = 0;

	(void)state;
	for (int game = 0; game < 40; game++) {
		struct position position = position_initial();

		for (int ply = 0; ply < 160; ply++) {
			struct move_list list;

			position_moves(&position, &list);
			if (!list.n)
				break;
			if (random_next(&seed) % 4 == 0)
				check_position(&position, positions++);
			position_make(&position, list.moves[random_next(&seed) % list.n]);
		}
	}
	assert_true(positions > 1000);
}

/* Positions where letters and files are hard to tell apart, and promotions on every side. */
static void test_hard_positions(void **state)
{
	static const char *const fens[] = {
		"r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
		"1b5k/B1P1P3/8/1b1B1b2/1P1P4/8/p1p1p3/1R3R1K w - - 0 1",
		"1b5k/B1P1P3/8/1b1B1b2/1P1P4/8/p1p1p3/1R3R1K b - - 0 1",
		"6k1/8/8/B7/8/8/8/BN4K1 w - - 0 40",
		"1k6/8/8/8/Q3Q2Q/8/K7/Q6Q w - - 0 40",
		"7k/8/1N3N2/N5N1/3p4/N5N1/1N3N2/4K3 w - - 0 30",
		"8/8/8/1kpP4/8/8/8/4K3 w - c6 0 50",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(fens); i++) {
		struct position position;
		size_t at;

		expect_int(fen_parse(fens[i], strlen(fens[i]), &position, &at), FEN_FINE);
		for (unsigned k = 0; k < ARRAY_SIZE(languages); k++)
			check_position(&position, k);
	}
}

struct fen_case {
	const char *fen;
	enum fen_fault fault;
	const char *again; /* how it is written; NULL: as it was */
};

static const struct fen_case fen_cases[] = {
	{"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", FEN_FINE, NULL},
	{"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1", FEN_FINE,
		"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"},
	{"8/8/8/1kpP4/8/8/8/4K3 w - c6 0 50", FEN_FINE, NULL},
	{"8/8/8/K1Pp3r/8/8/8/4k3 w - d6 0 50", FEN_FINE, "8/8/8/K1Pp3r/8/8/8/4k3 w - - 0 50"},
	{"4k3/8/8/8/8/8/8/4K3 w - -", FEN_FINE, "4k3/8/8/8/8/8/8/4K3 w - - 0 1"},
	{"4k3/8/8/8/8/8/8/4K3 w - - 7", FEN_FINE, "4k3/8/8/8/8/8/8/4K3 w - - 7 1"},
	{"", FEN_FAULT_SYNTAX, NULL},
	{"4k3/8/8/8/8/8/8/4K3", FEN_FAULT_SYNTAX, NULL},
	{"4k3/8/8/8/8/8/8/4K3 w - - 0 1 x", FEN_FAULT_SYNTAX, NULL},
	{"4k3/8/8/8/8/8/44/4K3 w - - 0 1", FEN_FAULT_SYNTAX, NULL},
	{"4k3/8/8/8/8/8/9/4K3 w - - 0 1", FEN_FAULT_SYNTAX, NULL},
	{"rnbqkbnr/pppppppp/7/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", FEN_FAULT_SYNTAX, NULL},
	{"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR x KQkq - 0 1", FEN_FAULT_SYNTAX, NULL},
	{"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w xQkq - 0 1", FEN_FAULT_SYNTAX, NULL},
	{"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KK - 0 1", FEN_FAULT_SYNTAX, NULL},
	{"8/8/8/8/8/8/8/4K3 w - - 0 1", FEN_FAULT_KINGS, NULL},
	{"4k3/8/8/8/8/8/4K3/4K3 w - - 0 1", FEN_FAULT_KINGS, NULL},
	{"8/8/8/8/8/4k3/4K3/8 w - - 0 1", FEN_FAULT_KINGS, NULL},
	{"4k2P/8/8/8/8/8/8/4K3 w - - 0 1", FEN_FAULT_PAWNS, NULL},
	{"4k3/8/8/8/8/P7/PPPPPPPP/4K3 w - - 0 1", FEN_FAULT_PAWNS, NULL},
	{"4k3/8/8/8/8/Q7/PPPPPPPP/QQQQKQQQ w - - 0 1", FEN_FAULT_PIECES, NULL},
	{"4k3/8/8/8/8/8/4R3/4K3 w - - 0 1", FEN_FAULT_CHECK, NULL},
	{"4k3/8/8/8/8/8/8/4KR2 w K - 0 1", FEN_FAULT_CASTLING, NULL},
	{"r2qk2r/pppppppp/8/8/8/8/PPPPPPPP/R2KQ2R w KQkq - 0 1", FEN_FAULT_CASTLING, NULL},
	{"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e3 0 1", FEN_FAULT_EN_PASSANT, NULL},
	{"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e6 0 1", FEN_FAULT_EN_PASSANT, NULL},
	{"4k3/8/8/8/8/8/8/4K3 w - - x 1", FEN_FAULT_COUNTERS, NULL},
	{"4k3/8/8/8/8/8/8/4K3 w - - 0 99999", FEN_FAULT_COUNTERS, NULL},
};

static void test_fen(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(fen_cases); i++) {
		const struct fen_case *c = &fen_cases[i];
		size_t size = strlen(c->fen), at = 0;
		char *copy = malloc(size ? size : 1), out[FEN_MAX]; /* without a final NUL */
		struct position position;
		enum fen_fault fault;

		assert_non_null(copy);
		memcpy(copy, c->fen, size);
		fault = fen_parse(copy, size, &position, &at);
		free(copy);
		if (fault != c->fault)
			fail_msg("'%s': %s", c->fen, fen_fault_text(fault));
		assert_true(at <= size);
		if (fault)
			continue;
		fen_write(&position, out);
		assert_string_equal(out, c->again ? c->again : c->fen);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_games),
		cmocka_unit_test(test_hard_positions),
		cmocka_unit_test(test_fen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

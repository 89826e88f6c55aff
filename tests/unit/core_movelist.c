/*
 * Text cut into tokens, and read against a game.
 */
#include <stdlib.h>
#include <string.h>

#include "core/movelist.h"
#include "tests/unit/test.h"

/* A token in one word: kind, number with dots, and the bytes of the move. */
static void describe(const char *text, const struct movelist_token *token, char out[128])
{
	static const char kinds[] = "mnr!cw";
	size_t size = token->kind == MOVELIST_MOVE ? token->move_size : token->size;
	size_t at = token->kind == MOVELIST_MOVE ? token->move_at : token->at;

	(void)snprintf(out, 128, "%c%s%s%u.%u%s:%.*s", kinds[token->kind],
		token->move_like ? "?" : "", token->draw_offer ? "=" : "", token->number,
		token->dots, token->colour ? (char[]){token->colour, '\0'} : "", (int)size,
		text + at);
}

static const char *const token_cases[][2] = {
	{"12. Nf3 d5", "m12.1:Nf3|m0.0:d5"},
	{"12.Nf3, d5.", "m12.1:Nf3|m0.0:d5."},
	{"15...Qe4, 16.Bb3", "m15.3:Qe4|m16.1:Bb3"},
	{"12.\xe2\x80\xa6 d5", "m12.4:d5"},
	{"12 ... d5 13.Bb5", "m12.3:d5|m13.1:Bb5"},
	{"12Nf3 d5", "m12.0:Nf3|m0.0:d5"},
	{"7163 7776", "m0.0:7163|m0.0:7776"},
	{"1. 52-54", "m1.1:52-54"},
	{"52 54", "m0.0:52 54"},
	{"02.  7163   7776", "m2.1:7163|m0.0:7776"},
	{"12n Cg8-f6  12n Cg8-f6", "m12.0n:Cg8-f6|m12.0n:Cg8-f6"},
	{"12 n Cg8-f6  12 n. Cg8-f6", "m12.0n:Cg8-f6|m12.0n:Cg8-f6"},
	{"10. : 5838", "m10.3:5838"},
	{"Nf3 (=)", "m=0.0:Nf3 (=)"},
	{"Nf3\n(=)", "m0.0:Nf3|!=0.0:(=)"},
	{"Nf3 !? with ideas", "m0.0:Nf3 !?|w0.0:with|w0.0:ideas"},
	{"B x f7 + ch.", "m0.0:B x f7 + ch."},
	{"e8 = Q", "m0.0:e8 = Q"},
	{"O - O 1-0", "m0.0:O - O|r0.0:1-0"},
	{"0-1", "r0.0:0-1"},
	{"\xc2\xbd-\xc2\xbd", "r0.0:\xc2\xbd-\xc2\xbd"},
	{"12. and so on", "n12.1:12.|w0.0:and|w0.0:so|w0.0:on"},
	{"Zf3 hello Nf9 2026", "w?0.0:Zf3|w0.0:hello|w?0.0:Nf9|w0.0:2026"},
	{"Nf3 {a comment} d5 ; the rest", "m0.0:Nf3|c0.0:{a comment}|m0.0:d5|c0.0:; the rest"},
	{"[Event \"x\"]\n1.e4", "c0.0:[Event \"x\"]|m1.1:e4"},
	{"12:30 on 10/05", "w0.0:12:30|w0.0:on|w0.0:10/05"},
	{"exd6 en passant!", "m0.0:exd6|w0.0:en|w0.0:passant!"},
	{"exd6 en passant", "m0.0:exd6 en passant"},
	{"** e4 **", "w0.0:**|m0.0:e4|w0.0:**"},
	{"**e4**", "m0.0:**e4**"},
	{"", ""},
	{"isn't it\xe2\x80\xa6", "w0.0:isn't|w0.0:it|!0.0:\xe2\x80\xa6"},
	{"1.e4...e5", "m1.1:e4|m0.3:e5"},
	{"57 58 1", "m0.0:57 58 1"},
	{"4748 2 5152", "m0.0:4748|m2.0:5152"},
	{"1: e4 1.: 5755", "m1.1:e4|m1.3:5755"},
	{"e8= Q e8 Q+", "m0.0:e8= Q|m0.0:e8 Q+"},
	{"-- Nf3", "w0.0:--|m0.0:Nf3"},
	{"\xff\xfe", "w0.0:\xff\xfe"},
};

static void test_tokens(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(token_cases); i++) {
		size_t size = strlen(token_cases[i][0]), end = 0;
		char *copy = malloc(size + !size), got[1024] = "", word[128];
		struct movelist_scan scan = movelist_scan(copy, size);
		struct movelist_token token;

		assert_non_null(copy);
		memcpy(copy, token_cases[i][0], size);
		while (movelist_next(&scan, &token)) {
			assert_true(token.at >= end && token.size > 0);
			end = token.at + token.size;
			assert_true(end <= size);
			describe(copy, &token, word);
			if (*got)
				strncat(got, "|", 2);
			strncat(got, word, sizeof(got) - strlen(got) - 1);
		}
		free(copy);
		if (strcmp(got, token_cases[i][1]) != 0)
			fail_msg("'%s' is cut to %s", token_cases[i][0], got);
	}
}

static void test_places(void **state)
{
	static const char text[] = "Hello (see 3.Nc3 e5)\n\n12.\nNf3";
	struct movelist_scan scan = movelist_scan(text, strlen(text));
	struct movelist_token token;

	(void)state;
	while (movelist_next(&scan, &token) && token.kind != MOVELIST_MOVE)
		;
	expect_int(token.depth, 1);
	expect_int(token.line, 0);
	while (movelist_next(&scan, &token) && token.number != 12)
		;
	expect_int(token.kind, MOVELIST_MOVE);
	expect_int(token.line, 2);
	expect_int(token.depth, 0);
	expect_int(token.at, strstr(text, "12.") - text);
	expect_int(token.move_at, strstr(text, "Nf3") - text);
}

/* A game to answer in: what was played, in SAN. */
struct game {
	uint16_t moves[300];
	size_t n;
	struct position start, position;
};

static void play(struct game *game, const char *moves)
{
	char *copy = strdup(moves), *rest = copy, *word;

	assert_non_null(copy);
	game->start = game->position = position_initial();
	game->n = 0;
	while ((word = strsep(&rest, " "))) {
		struct move_reading reading;

		if (!*word)
			continue;
		if (move_read(&game->position, letters_find("en", 2), word, strlen(word),
			    &reading) != MOVE_READ)
			fail_msg("%s is no move", word);
		game->moves[game->n++] = reading.move;
		position_make(&game->position, reading.move);
	}
	free(copy);
}

static const char *own_word(
	const struct game *game, const struct movelist_reading *reading, char out[NOTATION_MAX])
{
	static const char *const states[] = {[MOVELIST_OWN_NONE] = "none",
		[MOVELIST_OWN_DIFFERS] = "differs",
		[MOVELIST_OWN_FUTURE] = "future"};
	static const char *const results[] = {[MOVE_UNREADABLE] = "unreadable",
		[MOVE_ILLEGAL] = "illegal",
		[MOVE_AMBIGUOUS] = "ambiguous"};

	if (reading->own_state == MOVELIST_OWN_PAST)
		return reading->past_same ? "past" : "stale";
	if (reading->own_state != MOVELIST_OWN_ONE && reading->own_state != MOVELIST_OWN_TWICE)
		return states[reading->own_state];
	if (reading->own.result != MOVE_READ)
		return results[reading->own.result];
	(void)move_write(&game->position, reading->own.move, NOTATION_SAN, NULL, out);
	return out;
}

#define ITALIAN "e4 e5 Nf3 Nc6 Bc4 Bc5"
#define SPANISH "e4 e5 Nf3 Nc6 Bb5 a6"

struct reading_case {
	const char *moves, *language, *text;
	enum movelist_repetition repetition;
	const char *own;
};

static const struct reading_case reading_cases[] = {
	/* the own move alone */
	{ITALIAN, "en", "O-O", MOVELIST_REPETITION_NONE, "O-O"},
	{ITALIAN, "en", "4. 0-0", MOVELIST_REPETITION_NONE, "O-O"},
	{ITALIAN, "en", "4.c3 is my move.", MOVELIST_REPETITION_NONE, "c3"},
	{"e4", "en", "1.e5", MOVELIST_REPETITION_NONE, "e5"},
	{"e4", "en", "1... e5", MOVELIST_REPETITION_NONE, "e5"},
	{ITALIAN, "en", "Nd4", MOVELIST_REPETITION_NONE, "Nd4"},
	{ITALIAN, "en", "Bd4", MOVELIST_REPETITION_NONE, "illegal"},
	/* the repetition and the own move */
	{ITALIAN, "en", "3...Bc5 4.O-O", MOVELIST_REPETITION_RIGHT, "O-O"},
	{ITALIAN, "en", "3... Bc5, 4. c3", MOVELIST_REPETITION_RIGHT, "c3"},
	{ITALIAN, "en", "3...Bc5\n4.c3", MOVELIST_REPETITION_RIGHT, "c3"},
	{ITALIAN, "en", "Bc5 c3", MOVELIST_REPETITION_RIGHT, "c3"},
	{ITALIAN, "en", "3. ... Bc5? 4. c3!", MOVELIST_REPETITION_RIGHT, "c3"},
	{ITALIAN, "en", "(3... Bc5 4. c3)", MOVELIST_REPETITION_RIGHT, "c3"},
	{ITALIAN, "en", "3... 6835 4. 3233", MOVELIST_REPETITION_RIGHT, "c3"},
	{ITALIAN, "en", "6835 3233", MOVELIST_REPETITION_RIGHT, "c3"},
	{ITALIAN, "en", "3...Bb4 4.c3", MOVELIST_REPETITION_WRONG, "c3"},
	{ITALIAN, "en", "Bb4 c3", MOVELIST_REPETITION_WRONG, "c3"},
	{ITALIAN, "en", "3...Bc5", MOVELIST_REPETITION_RIGHT, "none"},
	{ITALIAN, "en", "Bc5", MOVELIST_REPETITION_RIGHT, "none"},
	{"e4", "en", "1. e4 e5", MOVELIST_REPETITION_RIGHT, "e5"},
	{"e4", "en", "1. d4 d5", MOVELIST_REPETITION_WRONG, "d5"},
	{"e4", "en", "1. e4", MOVELIST_REPETITION_RIGHT, "none"},
	{"e4", "en", "your 1.e4, my answer 1...e5", MOVELIST_REPETITION_RIGHT, "e5"},
	{SPANISH, "en", "to your a6: 3...a6 4.Ba4", MOVELIST_REPETITION_RIGHT, "Ba4"},
	/* whole lists */
	{ITALIAN, "en", "1.e4 e5 2.Nf3 Nc6 3.Bc4 Bc5 4.O-O", MOVELIST_REPETITION_RIGHT, "O-O"},
	{ITALIAN, "en", "e4 e5 Nf3 Nc6 Bc4 Bc5 O-O", MOVELIST_REPETITION_RIGHT, "O-O"},
	{ITALIAN, "en", "1.e4 e5 2.Nf3\nNc6 3.Bc4\nBc5", MOVELIST_REPETITION_RIGHT, "none"},
	{ITALIAN, "en", "2.Nf3 Nc6 3.Bc4 Bc5 4.O-O", MOVELIST_REPETITION_RIGHT, "O-O"},
	{ITALIAN, "en", "1.e4 e5 2.Nc3 Nc6 3.Bc4 Bc5 4.c3", MOVELIST_REPETITION_CONTRADICTS, "c3"},
	{ITALIAN, "en", "1.e4 e5 2.Nf3 Nc6 3.Bc4 Nf6 4.c3", MOVELIST_REPETITION_WRONG, "c3"},
	{ITALIAN, "en", "[Event \"x\"]\n[Result \"*\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. O-O *",
		MOVELIST_REPETITION_RIGHT, "O-O"},
	{"d4 d5 Nf3 g6", "ru",
		"---    10/05  0/00    01.  4244   4745     12/05  12/05  0/00\n"
		"12/05  16/05  4/04    02.  7163   7776     17/05  18/05  1/01\n"
		"19/05  22/05  3/07    03.  3234\n",
		MOVELIST_REPETITION_RIGHT, "c4"},
	/* MC-link's two statements */
	{"e4", "it", "1n e7-e5   1n e7-e5", MOVELIST_REPETITION_NONE, "e5"},
	{"e4", "it", "1b e2-e4\n1n e7-e5\n1n e7-e5", MOVELIST_REPETITION_RIGHT, "e5"},
	{"e4", "it", "1n e7-e5   1n d7-d5", MOVELIST_REPETITION_NONE, "differs"},
	{"e4 e5", "it", "2b Cg1-f3\n2b Cg1f3", MOVELIST_REPETITION_NONE, "Nf3"},
	{"", "en", "Nf3\nNc3", MOVELIST_REPETITION_NONE, "differs"},
	/* numbers of other plies */
	{ITALIAN, "en", "3.Bc5 4.c3", MOVELIST_REPETITION_RIGHT, "c3"},
	{ITALIAN, "en", "7.Bc5 8.c3", MOVELIST_REPETITION_RIGHT, "c3"},
	{ITALIAN, "en", "1.e4 e5 4.c3", MOVELIST_REPETITION_NONE, "c3"},
	{ITALIAN, "en", "1.e4 e5 3.Bc4 Bc5 4.c3", MOVELIST_REPETITION_RIGHT, "c3"},
	{ITALIAN, "en", "3.Bc4", MOVELIST_REPETITION_NONE, "past"},
	{ITALIAN, "en", "2...Nc6 3.Bc4", MOVELIST_REPETITION_NONE, "past"},
	{ITALIAN, "en", "3.Bb5", MOVELIST_REPETITION_NONE, "stale"},
	{ITALIAN, "en", "5.c3", MOVELIST_REPETITION_NONE, "future"},
	{ITALIAN, "en", "4...Nf6", MOVELIST_REPETITION_NONE, "future"},
	{ITALIAN, "en", "3...Bc5 5.c3", MOVELIST_REPETITION_RIGHT, "c3"},
	/* whose letters: the repetition shows it */
	{"e4 e5 Nf3 Nc6 Bc4 Bc5 O-O Nf6", "it", "4...Nf6 5.Re1", MOVELIST_REPETITION_RIGHT, "Re1"},
	{"e4 e5 Nf3 Nc6 Bc4 Bc5 O-O Nf6", "it", "4...Cf6 5.Te1", MOVELIST_REPETITION_RIGHT, "Re1"},
	{"e4 e5 Nf3 Nc6 Bc4 Bc5 O-O Nf6", "it", "4...Cf6 5.Rh1", MOVELIST_REPETITION_RIGHT, "Kh1"},
	{"e4 e5 Nf3 Nc6 Bc4 Bc5 Rg1 Nf6", "fi", "4...Nf6 5.Rf1", MOVELIST_REPETITION_RIGHT, "Rf1"},
	{"e4 e5 Nf3 Nc6", "ru", "2...\xd0\x9a\x63\x36 3.\xd0\xa1\xd1\x81\x34",
		MOVELIST_REPETITION_RIGHT, "Bc4"},
	/* two squares */
	{"e4", "en", "e2 e4 e7 e5", MOVELIST_REPETITION_RIGHT, "e5"},
	{"", "en", "e2 e4", MOVELIST_REPETITION_NONE, "e4"},
	/* nothing */
	{"e4", "en", "Thanks for your move!", MOVELIST_REPETITION_NONE, "none"},
	{"e4", "en", "", MOVELIST_REPETITION_NONE, "none"},
	{"e4", "en", "1-0", MOVELIST_REPETITION_NONE, "none"},
};

static void test_readings(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(reading_cases); i++) {
		const struct reading_case *c = &reading_cases[i];
		struct movelist_reading reading;
		struct movelist_game view;
		struct game game;
		char san[NOTATION_MAX];
		const char *own;

		play(&game, c->moves);
		view = (struct movelist_game){.start = &game.start,
			.moves = game.moves,
			.n_moves = game.n,
			.letters = letters_find(c->language, 2)};
		movelist_read(&view, c->text, strlen(c->text), &reading);
		own = own_word(&game, &reading, san);
		if (reading.repetition != c->repetition || strcmp(own, c->own) != 0)
			fail_msg("'%s': repetition %d, own %s", c->text, reading.repetition, own);
	}
}

static void read_in(const char *moves, const char *text, struct game *game,
	struct movelist_reading *ret_reading)
{
	struct movelist_game view;

	play(game, moves);
	view = (struct movelist_game){.start = &game->start,
		.moves = game->moves,
		.n_moves = game->n,
		.letters = letters_find("en", 2)};
	movelist_read(&view, text, strlen(text), ret_reading);
}

static void test_details(void **state)
{
	struct movelist_reading reading;
	struct game game;
	const char *text;

	(void)state;
	read_in(ITALIAN, "3...Bc5 4.O-O (=) Nf6 5.d3 1/2", &game, &reading);
	expect_int(reading.n_further, 2);
	assert_false(reading.further_faulty);
	assert_true(reading.draw_offer);
	assert_string_equal(reading.result, "1/2-1/2");
	expect_int(reading.last_reading.move, game.moves[5]);

	read_in(ITALIAN, "3...Bc5 4.O-O Ke7 5.Ke3", &game, &reading);
	expect_int(reading.n_further, 1);
	assert_true(reading.further_faulty);

	read_in(ITALIAN, "4.c3 (3233)", &game, &reading);
	expect_int(reading.n_words, 0);
	read_in(ITALIAN, "4.c3 (b4)", &game, &reading);
	expect_int(reading.n_words, 1);

	text = "Hi! 4.c3 it is";
	read_in(ITALIAN, text, &game, &reading);
	expect_int(reading.n_words, 3);
	expect_int(reading.word_at, 0);
	expect_int(reading.own_token.at, 4);
	expect_int(reading.own_token.size, 4);
	expect_int(reading.own_token.move_at, 6);

	read_in(ITALIAN, "1.e4 e5 2.Nc3 Nc6 3.Bc4 Bc5 4.c3", &game, &reading);
	expect_int(reading.wrong_ply, 2);
	expect_int(reading.n_repeated, 6);

	read_in(ITALIAN, "3.Bb5", &game, &reading);
	expect_int(reading.past_ply, 4);
}

/* Rows of moves beyond what is kept do no harm. */
static void test_long_text(void **state)
{
	struct movelist_reading reading;
	struct game game;
	char *text = malloc(40000);

	(void)state;
	assert_non_null(text);
	*text = '\0';
	for (int i = 0; i < 3000; i++)
		memcpy(text + (size_t)i * 4, "Nf3 ", 5);
	read_in("", text, &game, &reading);
	assert_true(reading.n_words > 0);
	memset(text, 'x', 39999);
	text[39999] = '\0';
	read_in("", text, &game, &reading);
	expect_int(reading.n_words, 1);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tokens),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_readings),
		cmocka_unit_test(test_details),
		cmocka_unit_test(test_long_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

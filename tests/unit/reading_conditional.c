/*
 * Conditional moves: series as people offer them, and talk about moves that offers nothing.
 */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "core/pgn.h"
#include "daemon/reading/grammar.h"

#define PLIES_MAX 40

/* A closed Ruy Lopez: White answers 12... Re8 with 13. Nf1. */
static const char game_text[] = "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 c3 O-O h3 Nb8 "
				"d4 Nbd7 Nbd2 Bb7 Bc2 Re8";
#define WHITE_PLY 24
#define BLACK_PLY 23

static struct position start;
static uint16_t moves[PLIES_MAX];
static struct newtext newtext;

static void make_game(const char *text)
{
	size_t n, at;

	start = position_initial();
	expect_int(movetext_read(&start, text, strlen(text), moves, PLIES_MAX, &n, &at), 0);
}

static struct message read_text(
	const char *text, unsigned ply, const char *language, const struct conditionals *waiting)
{
	struct letter letter = {.text = text, .text_size = strlen(text), .other_text = ""};
	struct message message;

	newtext_release(&newtext);
	expect_int(newtext_find(&letter, NULL, 0, NULL, &newtext), 0);
	const struct grammar_context context = {.start = &start,
		.moves = moves,
		.n = ply,
		.ply = ply,
		.by = ply % 2 ? SIDE_BLACK : SIDE_WHITE,
		.letters = language ? letters_find(language, 2) : NULL,
		.conditionals = waiting};
	expect_int(grammar_read(&newtext, &context, &message), 0);
	return message;
}

static const char *uci(uint16_t move)
{
	static char out[NOTATION_MAX];
	struct position none = position_initial();

	move_write(&none, move, NOTATION_UCI, NULL, out);
	return out;
}

/* "d6d5 a2a3; e7f8 f1g3!illegal" */
static const char *describe(const struct message *message)
{
	static const char *const faults[] = {"", "!unreadable", "!illegal", "!ambiguous"};
	static char out[2000];
	size_t n = 0;

	*out = '\0';
	for (size_t i = 0; i < message->n_conditionals; i++) {
		const struct stated_conditional *series = &message->conditionals[i];
		if (i > 0)
			n += (size_t)snprintf(out + n, sizeof(out) - n, "; ");
		for (size_t j = 0; j < series->line.n; j++)
			n += (size_t)snprintf(out + n, sizeof(out) - n, "%s%s", j ? " " : "",
				uci(series->line.moves[j]));
		n += (size_t)snprintf(out + n, sizeof(out) - n, "%s", faults[series->fault]);
	}
	return out;
}

struct conditional_case {
	const char *text, *own, *series;
	bool left_out; /* ignored_continuation */
};

static void run(const struct conditional_case *cases, size_t n, unsigned ply, const char *language)
{
	make_game(game_text);
	for (size_t i = 0; i < n; i++) {
		struct message message = read_text(cases[i].text, ply, language, NULL);
		const char *own =
			message.has_own && message.own.result == MOVE_READ && !message.several_own
				? uci(message.own.move)
				: "";
		if (strcmp(own, cases[i].own) != 0 ||
			strcmp(describe(&message), cases[i].series) != 0 ||
			message.ignored_continuation != cases[i].left_out)
			fail_msg("[%s]: own %s, series %s, left out %d", cases[i].text, own,
				describe(&message), message.ignored_continuation);
	}
}

/* White plays 13. Nf1 and expects moves of Black. */
static void test_series(void **state)
{
	(void)state;
	static const struct conditional_case cases[] = {
		{"12... Re8 13. Nf1, if 13... Bf8 14. Ng3", "d2f1", "e7f8 f1g3", false},
		{"12... Re8 13. Nf1 if Bf8 Ng3", "d2f1", "e7f8 f1g3", false},
		{"12... Re8 13. Nf1 and if 13... Bf8 then 14. Ng3.", "d2f1", "e7f8 f1g3", false},
		{"12... Re8 13. Nf1\nif 13... Bf8 14. Ng3 g6 15. b3", "d2f1", "e7f8 f1g3 g7g6 b2b3",
			false},
		{"12... Re8 13. Nf1\n\nIf 13... Bf8, then 14. Ng3.", "d2f1", "e7f8 f1g3", false},
		{"12... Re8 13. Nf1\nIf you play 13... Bf8 I play 14. Ng3", "d2f1", "e7f8 f1g3",
			false},
		{"12... Re8 13. Nf1 (if 13... Bf8 14. Ng3)", "d2f1", "e7f8 f1g3", false},
		{"I play 13. Nf1, if 13... Bf8 14. Ng3", "d2f1", "e7f8 f1g3", false},
		{"if 13... Bf8 14. Ng3\n\n12... Re8 13. Nf1", "d2f1", "e7f8 f1g3", false},
		{"12... Re8 13. Nf1\njos 13... Bf8 niin 14. Ng3", "d2f1", "e7f8 f1g3", false},
		{"12... Re8 13. Nf1\nse 13... Bf8 allora 14. Ng3", "d2f1", "e7f8 f1g3", false},
		{"12... Re8 13. Nf1\nесли 13... Bf8 то 14. Ng3", "d2f1", "e7f8 f1g3", false},
		{"12... 6858 13. 4261\nесли 13... 5768 то 14. 6173", "d2f1", "e7f8 f1g3", false},
	};
	run(cases, ARRAY_SIZE(cases), WHITE_PLY, NULL);
	static const struct conditional_case several[] = {
		{"12... Re8 13. Nf1 if 13... Bf8 14. Ng3; if 13... d5 14. Ng3", "d2f1",
			"e7f8 f1g3; d6d5 f1g3", false},
		{"12... Re8 13. Nf1 if 13... Bf8 14. Ng3; 13... d5 14. Ng3", "d2f1",
			"e7f8 f1g3; d6d5 f1g3", false},
		{"12... Re8 13. Nf1 if 13... Bf8 14. Ng3, if 13... d5 14. Ng3", "d2f1",
			"e7f8 f1g3; d6d5 f1g3", false},
		{"12... Re8 13. Nf1 if 13... Bf8 14. Ng3 13... d5 14. Ng3", "d2f1",
			"e7f8 f1g3; d6d5 f1g3", false},
		{"12... Re8 13. Nf1\nif 13... Bf8 14. Ng3\nif 13... d5 14. Ng3", "d2f1",
			"e7f8 f1g3; d6d5 f1g3", false},
		{"12... Re8 13. Nf1\nConditional moves:\n13... Bf8 14. Ng3\n13... d5 14. Ng3",
			"d2f1", "e7f8 f1g3; d6d5 f1g3", false},
		{"12... Re8 13. Nf1\n\nConditional: 13... Bf8 14. Ng3", "d2f1", "e7f8 f1g3", false},
		/* The number says that a series goes on, or branches off. */
		{"12... Re8 13. Nf1 if 13... Bf8 14. Ng3, if 14... g6 15. b3", "d2f1",
			"e7f8 f1g3 g7g6 b2b3", false},
		{"12... Re8 13. Nf1 if 13... Bf8 14. Ng3 g6 15. b3; if 14... h6 15. b4", "d2f1",
			"e7f8 f1g3 g7g6 b2b3; e7f8 f1g3 h7h6 b2b4", false},
		{"12... Re8 13. Nf1 if Bf8 then Ng3 and if g6 then b3", "d2f1",
			"e7f8 f1g3; g7g6 b2b3", false},
		/* Wrapped by the mail program. */
		{"12... Re8 13. Nf1 if 13... Bf8\n14. Ng3", "d2f1", "e7f8 f1g3", false},
		{"12... Re8 13. Nf1\nif 13... Bf8 14. Ng3\n14... g6 15. b3", "d2f1",
			"e7f8 f1g3 g7g6 b2b3", false},
		{"12... Re8 13. Nf1\nif you play 13... Bf8 then I answer\n14. Ng3", "d2f1",
			"e7f8 f1g3", false},
		{"12... Re8 13. Nf1\nif Bf8\nNg3", "d2f1", "e7f8 f1g3", false},
		{"12... Re8 13. Nf1\nif Bf8 Ng3\ng6 b3", "d2f1", "e7f8 f1g3 g7g6 b2b3", false},
	};
	run(several, ARRAY_SIZE(several), WHITE_PLY, NULL);
	static const struct conditional_case black[] = {
		{"12. Bc2 Re8 if 13. Nf1 Bf8", "f8e8", "d2f1 e7f8", false},
		{"12... Re8 if 13. Nf1 then 13... Bf8", "f8e8", "d2f1 e7f8", false},
		{"12. Bc2 Re8\nif 13. Nf1 Bf8 14. Ng3 g6", "f8e8", "d2f1 e7f8 f1g3 g7g6", false},
		{"12. Bc2 Re8\nif 13. Nf1\n13... Bf8", "f8e8", "d2f1 e7f8", false},
	};
	run(black, ARRAY_SIZE(black), BLACK_PLY, NULL);
	static const struct conditional_case finnish[] = {
		{"12... Te8 13. Rf1, jos 13... Lf8 niin 14. Rg3", "d2f1", "e7f8 f1g3", false},
	};
	run(finnish, ARRAY_SIZE(finnish), WHITE_PLY, "fi");
}

/* Legality of each ply up to the first fault. */
static void test_faults(void **state)
{
	(void)state;
	static const struct conditional_case cases[] = {
		{"12... Re8 13. Nf1 if 13... Bf8 14. Nh5", "d2f1", "e7f8!illegal", false},
		{"12... Re8 13. Nf1 if 13... Bf8 14. Ng3 Nb4 15. b3", "d2f1", "e7f8 f1g3!illegal",
			false},
		{"12... Re8 13. Nf1 if 13... Qh4 14. Ng3", "d2f1", "!illegal", false},
		{"12... Re8 13. Nf1 if 13... Bf8 14. Nf9", "d2f1", "e7f8!unreadable", false},
		{"12... Re8 13. Nf1 if 13... Bf8 14. N3d2 Nb6 15. Nf3", "d2f1",
			"e7f8 f3d2 d7b6 d2f3", false},
		{"12... Re8 13. Nf1 if 13... Bf8 14. Nd2 Nb6", "d2f1", "e7f8!ambiguous", false},
		{"12... Re8 13. Nf1 if 13... Bf8 14. Nh5; if 13... d5 14. Ng3", "d2f1",
			"e7f8!illegal; d6d5 f1g3", false},
		{"12... Re8 13. Nf1 if 13... Bf8 16. Ng3", "d2f1", "e7f8!unreadable", false},
	};
	run(cases, ARRAY_SIZE(cases), WHITE_PLY, NULL);
	struct message message =
		read_text("12... Re8 13. Nf1 if 13... Bf8 14. Nh5 g6", WHITE_PLY, NULL, NULL);
	const struct stated_conditional *series = &message.conditionals[0];
	expect_int(series->fault_text.size, 3);
	assert_memory_equal(message.text + series->fault_text.at, "Nh5", 3);
	expect_int(series->text.size, strlen("13... Bf8 14. Nh5"));
	assert_memory_equal(message.text + series->text.at, "13... Bf8 14. Nh5", series->text.size);
}

/* What offers nothing; and no condition is ever an own move. */
static void test_talk(void **state)
{
	(void)state;
	static const struct conditional_case cases[] = {
		{"12... Re8 13. Nf1 if you don't mind", "d2f1", "", false},
		{"12... Re8 13. Nf1\nIf Bf8 I am lost.", "d2f1", "", false},
		{"12... Re8 13. Nf1\nIf you had played Bf8 then Ng3 wins", "d2f1", "", true},
		{"12... Re8 13. Nf1\nif 13... Bf8 perhaps 14. Ng3", "d2f1", "", true},
		{"12... Re8 13. Nf1\nif 13... Bf8 14. Ng3?", "d2f1", "", true},
		{"12... Re8 13. Nf1\nif 13... Bf8 14. Ng3 or b3", "d2f1", "", true},
		{"12... Re8 13. Nf1\nif 11... Bf8 12. Ng3", "d2f1", "", true},
		{"12... Re8 13. Nf1\nif 13... Bf8", "d2f1", "", false},
		{"12... Re8 13. Nf1 Bf8 14. Ng3", "d2f1", "", true},
		{"12... Re8\nif 13. Nf1", "", "", false},
		{"12... Re8\nif 13. Nf1 Bf8", "", "", false},
		{"if Bf8\nNf1", "", "", false},
		{"if you play Bf8 I answer with\nNf1", "", "", false},
		{"Conditional moves:\nNf1 Bf8", "", "", false},
		/* An own move in the line below a condition that says nothing is one. */
		{"If Bf8 was better, I don't know.\n12... Re8 13. Nf1", "d2f1", "", false},
		{"If I may say so.\n12... Re8 13. Nf1", "d2f1", "", false},
	};
	run(cases, ARRAY_SIZE(cases), WHITE_PLY, NULL);
}

/* More than there is room for. */
static void test_limits(void **state)
{
	(void)state;
	static const char *const replies[] = {
		"Bf8", "d5", "c5", "h6", "g6", "Nb6", "Nf8", "Rb8", "Qc8", "Qb8", "Rc8", "a5"};
	char text[2000] = "12... Re8 13. Nf1\n";
	size_t n = strlen(text);

	make_game(game_text);
	for (size_t i = 0; i < ARRAY_SIZE(replies); i++)
		n += (size_t)snprintf(
			text + n, sizeof(text) - n, "if 13... %s 14. b4\n", replies[i]);
	struct message message = read_text(text, WHITE_PLY, NULL, NULL);
	expect_int(message.n_conditionals, CONDITIONAL_LINES_MAX);
	assert_true(message.ignored_continuation);
	n = (size_t)snprintf(text, sizeof(text), "12... Re8 13. Kh1 if");
	for (int i = 0; i < 20; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, i % 2 ? " Kg8 Kh1" : " Kh8 Kg1");
	message = read_text(text, WHITE_PLY, NULL, NULL);
	expect_int(message.n_conditionals, 1);
	expect_int(message.conditionals[0].line.n, CONDITIONAL_PLIES_MAX);
	expect_int(message.conditionals[0].fault, MOVE_UNREADABLE);
}

/* ---- Accepted by repetition ---- */

/* Black has offered with 12... Re8: 13. Nf1 Bf8 14. Ng3 g6, or 13. d5 c5. */
static struct conditionals make_waiting(void)
{
	struct conditionals waiting = {.by = SIDE_BLACK};
	struct position position = position_initial();

	make_game(game_text);
	for (unsigned i = 0; i < WHITE_PLY; i++)
		position_make(&position, moves[i]);
	expect_int(conditionals_read(
			   "d2f1 e7f8 f1g3 g7g6; d4d5 c7c5", &position, SIDE_BLACK, &waiting),
		0);
	return waiting;
}

static const char *accepted_of(const struct message *message)
{
	static char out[400];
	size_t n = 0;

	*out = '\0';
	for (size_t i = 0; i < message->n_accepted; i++)
		n += (size_t)snprintf(
			out + n, sizeof(out) - n, "%s%s", i ? " " : "", uci(message->accepted[i]));
	return out;
}

static void test_accepted(void **state)
{
	(void)state;
	static const struct {
		const char *text, *accepted, *own;
		enum repetition repetition;
		const char *series;
	} cases[] = {
		{"12... Re8 13. Nf1", "", "d2f1", REPETITION_RIGHT, ""},
		{"12... Re8 13. b3", "", "b2b3", REPETITION_RIGHT, ""},
		{"12... Re8 13. Nf1 Bf8 14. Ng3 g6 15. b3", "d2f1 e7f8 f1g3 g7g6", "b2b3",
			REPETITION_RIGHT, ""},
		{"13. Nf1 Bf8 14. Ng3 g6 15. b3", "d2f1 e7f8 f1g3 g7g6", "b2b3", REPETITION_NONE,
			""},
		{"12... Re8 13. Nf1 Bf8 14. Ng3 g6", "d2f1 e7f8 f1g3 g7g6", "", REPETITION_RIGHT,
			""},
		{"12... Re8 13. Nf1 Bf8 14. Ng3", "d2f1 e7f8", "f1g3", REPETITION_RIGHT, ""},
		{"12... Re8 13. Nf1 Bf8 14. b3", "d2f1 e7f8", "b2b3", REPETITION_RIGHT, ""},
		{"12... Re8 13. Nf1 Bf8", "d2f1 e7f8", "", REPETITION_RIGHT, ""},
		{"12... Re8 13. d5 c5 14. b3", "d4d5 c7c5", "b2b3", REPETITION_RIGHT, ""},
		{"Re8 Nf1 Bf8 Ng3 g6 b3", "d2f1 e7f8 f1g3 g7g6", "b2b3", REPETITION_RIGHT, ""},
		{"12... Re8\n13. Nf1 Bf8\n14. Ng3 g6\n15. b3", "d2f1 e7f8 f1g3 g7g6", "b2b3",
			REPETITION_RIGHT, ""},
		{"12... Re8 13. Nf1 Bf8 14. Ng3 g6\n\n15. b3", "d2f1 e7f8 f1g3 g7g6", "b2b3",
			REPETITION_RIGHT, ""},
		/* A series answered by a series. */
		{"12... Re8 13. Nf1 Bf8 14. Ng3 g6 15. b3 if 15... Nb6 16. a4",
			"d2f1 e7f8 f1g3 g7g6", "b2b3", REPETITION_RIGHT, "d7b6 a2a4"},
		/* Not as offered: the first move alone counts. */
		{"12... Re8 13. Nf1 h6 14. Ng3", "", "d2f1", REPETITION_RIGHT, ""},
		/* MC-link states everything twice. */
		{"13b Nd2-f1 13b Nd2-f1 13n Be7-f8 13n Be7-f8 14b b2-b3 14b b2-b3", "d2f1 e7f8",
			"b2b3", REPETITION_NONE, ""},
		{"12... Re8 13. Nf1 Bf8 14. Nh5", "d2f1 e7f8", "", REPETITION_RIGHT, ""},
	};
	struct conditionals waiting = make_waiting();
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct message message = read_text(cases[i].text, WHITE_PLY, NULL, &waiting);
		const char *own =
			message.has_own && message.own.result == MOVE_READ && !message.several_own
				? uci(message.own.move)
				: "";
		if (strcmp(own, cases[i].own) != 0 || message.ply != WHITE_PLY ||
			message.repetition != cases[i].repetition ||
			strcmp(accepted_of(&message), cases[i].accepted) != 0 ||
			strcmp(describe(&message), cases[i].series) != 0)
			fail_msg("[%s]: accepted %s, own %s, repetition %d, ply %u, series %s",
				cases[i].text, accepted_of(&message), own, (int)message.repetition,
				message.ply, describe(&message));
	}
	/* Nothing waits for the one who offered. */
	waiting.by = SIDE_WHITE;
	expect_int(
		read_text("12... Re8 13. Nf1 Bf8 14. b3", WHITE_PLY, NULL, &waiting).n_accepted, 0);
	/* An illegal move behind a series is one. */
	waiting.by = SIDE_BLACK;
	struct message message = read_text("13. Nf1 Bf8 14. Nh5", WHITE_PLY, NULL, &waiting);
	expect_int(message.own.result, MOVE_ILLEGAL);
}

/* A series of the greatest length, longer than what is looked at in one go. */
static void test_accepted_whole(void **state)
{
	(void)state;
	struct conditionals waiting = {.by = SIDE_BLACK, .n_lines = 1};
	static const char *const pairs[] = {"Kh1 Kh8", "Kg1 Kg8"};
	char text[1000];

	make_game(game_text);
	struct position position = position_initial();
	for (unsigned i = 0; i < WHITE_PLY; i++)
		position_make(&position, moves[i]);
	size_t n = (size_t)snprintf(text, sizeof(text), "12... Re8");
	for (size_t i = 0; i < CONDITIONAL_PLIES_MAX / 2; i++) {
		const char *pair = pairs[i % 2];
		struct move_reading reading;
		for (size_t half = 0; half < 2; half++) {
			expect_int(move_read(&position, NULL, pair + 4 * half, 3, &reading),
				MOVE_READ);
			position_make(&position, reading.move);
			waiting.lines[0].moves[2 * i + half] = reading.move;
		}
		waiting.lines[0].n += 2;
		n += (size_t)snprintf(text + n, sizeof(text) - n, " %zu. %s", 13 + i, pair);
	}
	snprintf(text + n, sizeof(text) - n, " %u. b3", 13 + CONDITIONAL_PLIES_MAX / 2);
	struct message message = read_text(text, WHITE_PLY, NULL, &waiting);
	expect_int(message.n_accepted, CONDITIONAL_PLIES_MAX);
	expect_int(message.own.result, MOVE_READ);
	assert_string_equal(uci(message.own.move), "b2b3");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_series),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_talk),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_accepted),
		cmocka_unit_test(test_accepted_whole),
	};
	int r = cmocka_run_group_tests(tests, NULL, NULL);
	newtext_release(&newtext);
	return r;
}

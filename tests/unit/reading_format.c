/*
 * The forms of RAZSh and MC-link: tables, numeric moves, columns and doubled statements.
 */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "core/pgn.h"
#include "daemon/reading/grammar.h"

static struct position start;
static uint16_t moves[40];
static unsigned n_moves;
static struct newtext newtext;

static void make_game(const char *text)
{
	size_t n, at;

	start = position_initial();
	expect_int(movetext_read(&start, text, strlen(text), moves, 40, &n, &at), 0);
	n_moves = (unsigned)n;
}

/* ANSWERED: the text of our mail that is answered, or NULL. */
static struct message read_text(enum rule_system system, const char *text, const char *subject,
	const char *answered, const char *line)
{
	struct letter letter = {.text = text, .text_size = strlen(text), .other_text = ""};
	struct message message;

	newtext_release(&newtext);
	expect_int(newtext_find(&letter, &answered, answered != NULL, line, &newtext), 0);
	const struct grammar_context context = {.start = &start,
		.moves = moves,
		.n = n_moves,
		.ply = n_moves,
		.by = n_moves % 2 ? SIDE_BLACK : SIDE_WHITE,
		.answered_line = answered != NULL,
		.letters = letters_find(system == RULES_MCLINK ? "it" : "ru", 2),
		.written = letters_find(system == RULES_MCLINK ? "it" : "ru", 2),
		.system = system,
		.subject = subject,
		.code = "0123"};
	expect_int(grammar_read(&newtext, &context, &message), 0);
	return message;
}

static const char *own_of(const struct message *message)
{
	static char out[NOTATION_MAX];
	static const char *const results[] = {"", "unreadable", "illegal", "ambiguous"};
	struct position none = position_initial();

	if (!message->has_own)
		return "";
	if (message->several_own)
		return "?";
	if (message->own.result != MOVE_READ)
		return results[message->own.result];
	move_write(&none, message->own.move, NOTATION_UCI, NULL, out);
	return out;
}

struct format_case {
	const char *text, *own;
	unsigned faults;
	const char *subject; /* NULL: the right one */
};

static void run(const struct format_case *cases, size_t n, const char *subject)
{
	for (size_t i = 0; i < n; i++) {
		struct message message = read_text(RULES_MCLINK, cases[i].text,
			cases[i].subject ? cases[i].subject : subject, NULL, NULL);
		if (strcmp(own_of(&message), cases[i].own) != 0 ||
			message.format_faults != cases[i].faults)
			fail_msg("[%s] [%s]: own %s, faults %x", cases[i].text,
				cases[i].subject ? cases[i].subject : subject, own_of(&message),
				message.format_faults);
	}
}

static void test_mclink(void **state)
{
	(void)state;
	static const struct format_case cases[] = {
		{"3b Af1-b5  3b Af1-b5", "f1b5", 0, NULL},
		{"3b Af1-b5\n3b Af1-b5", "f1b5", 0, NULL},
		{"3b Af1-b5\n\nCiao!\n\n3b Af1-b5", "f1b5", 0, NULL},
		{"3b Af1b5 3b f1-b5", "f1b5", 0, NULL},
		{"3b. Af1-b5  3b. Af1-b5", "f1b5", 0, NULL},
		{"2n Cb8-c6 2n Cb8-c6 3b Af1-b5 3b Af1-b5", "f1b5", 0, NULL},
		{"3b Af1-b5", "f1b5", FORMAT_STATEMENT, NULL},
		{"Af1-b5 Af1-b5", "f1b5", FORMAT_NUMBER, NULL},
		{"3. Af1-b5 3. Af1-b5", "f1b5", FORMAT_NUMBER, NULL},
		{"3b Ab5 3b Ab5", "f1b5", FORMAT_SQUARES, NULL},
		{"3b Af1-b5 3b Ab5", "f1b5", FORMAT_SQUARES, NULL},
		{"Ab5", "f1b5", FORMAT_STATEMENT | FORMAT_SQUARES | FORMAT_NUMBER, NULL},
		/* Two statements that differ. */
		{"3b Af1-b5  3b Af1-c4", "?", FORMAT_STATEMENT, NULL},
		{"3b Af1-b5\n\n3b Af1-c4", "?", FORMAT_STATEMENT, NULL},
		{"3b Af1-b6  3b Af1-b5", "?", FORMAT_STATEMENT, NULL},
		{"3b Af1-b5  3b Af1-b6", "?", FORMAT_STATEMENT, NULL},
		{"3b Af1-b6  3b Af1-b6", "illegal", 0, NULL},
		/* Conditional moves are no statements. */
		{"3b Af1-b5  3b Af1-b5 se 3n a7-a6 4b Ab5-a4", "f1b5", 0, NULL},
		/* Subjects. */
		{"3b Af1-b5  3b Af1-b5", "f1b5", 0, "Re: 0123-  3b Rossi-Bianchi"},
		{"3b Af1-b5  3b Af1-b5", "f1b5", 0, "R: 0123- 3b Rossi-Bianchi"},
		{"3b Af1-b5  3b Af1-b5", "f1b5", 0, "0123-3b Rossi-Bianchi"},
		{"3b Af1-b5  3b Af1-b5", "f1b5", 0, "Re: 0123-  2n Rossi-Bianchi"},
		{"3b Af1-b5  3b Af1-b5", "f1b5", FORMAT_SUBJECT, "0123-  4b Rossi-Bianchi"},
		{"3b Af1-b5  3b Af1-b5", "f1b5", FORMAT_SUBJECT, "0123-  3n Rossi-Bianchi"},
		{"3b Af1-b5  3b Af1-b5", "f1b5", FORMAT_SUBJECT, "0124-  3b Rossi-Bianchi"},
		{"3b Af1-b5  3b Af1-b5", "f1b5", FORMAT_SUBJECT, "0123-     Rossi-Bianchi"},
		{"3b Af1-b5  3b Af1-b5", "f1b5", FORMAT_SUBJECT, "la mia mossa"},
		{"3b Af1-b5  3b Af1-b5", "f1b5", FORMAT_SUBJECT, ""},
	};
	make_game("e4 e5 Nf3 Nc6");
	run(cases, ARRAY_SIZE(cases), "0123-  3b Rossi-Bianchi");
	/* No other system has this form. */
	expect_int(read_text(RULES_IECC, "Ab5", "x", NULL, NULL).format_faults, 0);

	static const struct format_case promotions[] = {
		{"5b b7xa8=D 5b b7xa8=D", "b7a8q", 0, NULL},
		{"5b b7:a8=D 5b b7:a8=D", "b7a8q", 0, NULL},
		{"5b b7-a8D 5b b7-a8D", "b7a8q", FORMAT_PROMOTION, NULL},
		{"5b O-O 5b O-O", "illegal", 0, NULL},
	};
	make_game("a4 b5 axb5 a6 bxa6 Bb7 axb7 h6");
	run(promotions, ARRAY_SIZE(promotions), "0123-  5b Rossi-Bianchi");
}

/* Behind the line that we filled in one move is enough, and above it. */
static void test_mclink_line(void **state)
{
	(void)state;
	static const char ours[] = "Bianchi ha giocato:\n\n2n Cb8-c6  2n Cb8-c6  3b \n";
	static const char line[] = "2n Cb8-c6  2n Cb8-c6  3b ";
	static const char *const subject = "Re: 0123-  2n Rossi-Bianchi";
	struct message message;

	make_game("e4 e5 Nf3 Nc6");
	message = read_text(RULES_MCLINK,
		"> Bianchi ha giocato:\n>\n> 2n Cb8-c6  2n Cb8-c6  3b Af1-b5\n", subject, ours,
		line);
	assert_string_equal(own_of(&message), "f1b5");
	expect_int(message.format_faults, 0);
	message = read_text(RULES_MCLINK,
		"> Bianchi ha giocato:\n>\n> 2n Cb8-c6  2n Cb8-c6  3b Ab5\n", subject, ours, line);
	assert_string_equal(own_of(&message), "f1b5");
	expect_int(message.format_faults, 0);
	message = read_text(RULES_MCLINK,
		"3b Af1-b5\n\n> Bianchi ha giocato:\n>\n> 2n Cb8-c6  2n Cb8-c6  3b\n", subject,
		ours, line);
	assert_string_equal(own_of(&message), "f1b5");
	expect_int(message.format_faults & ~message.line_faults, 0);
	message = read_text(RULES_MCLINK,
		"Ab5\n\n> Bianchi ha giocato:\n>\n> 2n Cb8-c6  2n Cb8-c6  3b\n", subject, ours,
		line);
	assert_string_equal(own_of(&message), "f1b5");
	expect_int(message.format_faults & ~message.line_faults, 0);
	/* A line that is no more there, or altered, makes up for nothing; nor does it for a wrong
	 * number, or two moves. */
	message = read_text(RULES_MCLINK, "Ab5\n\n> Bianchi ha giocato:\n", subject, ours, line);
	expect_int(message.line_faults, 0);
	message =
		read_text(RULES_MCLINK, "Ab5\n\n> 2n Cb8-c6  2n Cb8-c6  4b\n", subject, ours, line);
	expect_int(message.line_faults, 0);
	message = read_text(
		RULES_MCLINK, "4b Ab5\n\n> 2n Cb8-c6  2n Cb8-c6  3b\n", subject, ours, line);
	expect_int(message.line_faults, 0);
	message = read_text(
		RULES_MCLINK, "3b Ab5 3b Ac4\n\n> 2n Cb8-c6  2n Cb8-c6  3b\n", subject, ours, line);
	assert_string_equal(own_of(&message), "?");
	assert_true(message.format_faults & ~message.line_faults & FORMAT_STATEMENT);

	/* What begins the game is a general message: its columns are right in the answer to it. */
	make_game("");
	message = read_text(RULES_MCLINK, "> La partita inizia.\n>\n> 1b e4\n",
		"Re: 0123-     Rossi-Bianchi", "La partita inizia.\n\n1b \n", "1b ");
	assert_string_equal(own_of(&message), "e2e4");
	expect_int(message.format_faults, 0);
}

#define TABLE_HEAD                                                                                                                               \
	"----------------------------------------------------------------------\n"                                                               \
	"Турнир 2-я лига\nДата старта 10/05/2026\nБелые Иванов, Иван\nЧерные Петров, Петр\n" \
	"        white side                                    black side\n"                                                                     \
	"Пол.   Отв.   Время   N    Белые  Черные   Пол.   Отв.   Время\n"                                      \
	"---    10/05  0/00    01.  4244   4745     12/05  12/05  0/00\n"

static void test_table(void **state)
{
	(void)state;
	static const struct {
		const char *text, *own;
		enum repetition repetition;
	} cases[] = {
		{TABLE_HEAD "12/05  16/05  4/04    02.  7163   7776     17/05  18/05  1/01\n"
			    "19/05  22/05  3/07    03.  3234\nИванов\n",
			"c2c4", REPETITION_RIGHT},
		{"19/05  22/05  3/07    03.  3234\n", "c2c4", REPETITION_NONE},
		{"12/05  16/05  4/04    02.  7163   7776     17/05  18/05  1/01\n"
		 "19/05  22/05  3/07    03.  3234\n",
			"c2c4", REPETITION_RIGHT},
		{TABLE_HEAD "12/05  16/05  4/04    02.  7163   4746     17/05  18/05  1/02\n"
			    "19/05  22/05  1/02    03.  3234\n",
			"c2c4", REPETITION_WRONG},
		{TABLE_HEAD "12/05  16/05  4/04    02.  7163   7776     17/05  18/05  1/01\n", "",
			REPETITION_RIGHT},
		{TABLE_HEAD "12/05  16/05  4/04    02.  7163   7776     17/05  18/05  1/01\n"
			    "19/05  22/05  3/07    03.  3239\n",
			"unreadable", REPETITION_RIGHT},
		/* The other form. */
		{".Турнир 15\n.Дата старта 10/05/2026\n.Белые Иванов, И.\n.Черные Петров, П.\n"
		 "1. 4244 4745 2. 7163 7776 3. 3234\nПартнер отправил 18/05\nПолучено 19/05\n"
		 "Отправлю 22/05\nВремя белых 3/07\nВремя черных 1/01\nИванов\n",
			"c2c4", REPETITION_RIGHT},
		/* Digits in all ways. */
		{"2. ... 7776\n3. 3234", "c2c4", REPETITION_RIGHT},
		{"2. : 7776 3. 3234", "c2c4", REPETITION_RIGHT},
		{"7776 3234", "c2c4", REPETITION_RIGHT},
		{"7776\n3234", "c2c4", REPETITION_RIGHT},
		{"2... 77-76 3. 32-34", "c2c4", REPETITION_RIGHT},
		{"3. 32 34", "c2c4", REPETITION_NONE},
		{"3234", "c2c4", REPETITION_NONE},
		{"3. 3235", "illegal", REPETITION_NONE},
		{"3. 3239", "unreadable", REPETITION_NONE},
		{"4. 2024", "", REPETITION_NONE},
		{"3. 3234 (c4)", "c2c4", REPETITION_NONE},
	};
	make_game("d4 d5 Nf3 g6");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct message message = read_text(RULES_RAZSH, cases[i].text, NULL, NULL, NULL);
		if (strcmp(own_of(&message), cases[i].own) != 0 ||
			message.repetition != cases[i].repetition || message.n_commands > 0)
			fail_msg("[%s]: own %s, repetition %d, %zu commands", cases[i].text,
				own_of(&message), (int)message.repetition, message.n_commands);
	}
	/* Black's half of a row. */
	make_game("d4 d5 Nf3");
	struct message message = read_text(RULES_RAZSH,
		TABLE_HEAD "12/05  16/05  4/04    02.  7163   7776     17/05  18/05  1/01\n", NULL,
		NULL, NULL);
	assert_string_equal(own_of(&message), "g7g6");
	expect_int(message.repetition, REPETITION_RIGHT);
	assert_memory_equal(message.text + message.own_text.at, "7776", 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mclink),
		cmocka_unit_test(test_mclink_line),
		cmocka_unit_test(test_table),
	};
	int r = cmocka_run_group_tests(tests, NULL, NULL);
	newtext_release(&newtext);
	return r;
}

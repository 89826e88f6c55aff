/*
 * What is new in an answer to a mail of ours: as many ways to quote as there are programs.
 */
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "daemon/reading/newtext.h"

/* A mail as we send it. */
static const char sent[] =
	"Rossi, Mario has played:\n"
	"\n"
	"    12... Nf6\n"
	"\n"
	"Rossi, Mario writes:\n"
	"\n"
	"| A hard nut. I looked at 12... Nd7 too.\n"
	"\n"
	"  8  r . b q . r k .\n"
	"  7  p p p . . p p p\n"
	"  6  . . n . . n . .\n"
	"\n"
	"1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6\n"
	"8. c3 O-O 9. h3 Nb8 10. d4 Nbd7 11. Nbd2 Bb7 12. Bc2 Nf6\n"
	"\n"
	"Event: KO-50.2, game 1. White: Virtanen, Anna. Black: Rossi, Mario.\n"
	"\n"
	"To answer, reply to this mail and type your move behind its last line, or anywhere above\n"
	"it. Any usual notation will do. Add \"draw\" on a line of its own to offer a draw.\n"
	"\n"
	"12... Nf6 13. \n";

static const char reply_line[] = "12... Nf6 13. ";

/* Our mail with every line changed by one of these. */
enum quoting {
	QUOTE_MARK = 0, /* "> line", blank lines ">" */
	QUOTE_TIGHT,    /* ">line" */
	QUOTE_DEEP,     /* "> > line" */
	QUOTE_INITIALS, /* "RM> line" */
	QUOTE_NONE,     /* as it is */
	QUOTE_INDENT,   /* four blanks */
	QUOTE_WRAPPED,  /* "> " and wrapped at 40, continuation lines quoted */
	QUOTE_BROKEN,   /* "> " and wrapped at 40, continuation lines not quoted */
};

static void put(char *out, size_t room, const char *text, size_t size)
{
	size_t n = strlen(out);
	assert_true(n + size < room);
	memcpy(out + n, text, size);
	out[n + size] = '\0';
}

static void put_wrapped(char *out, size_t room, const char *line, size_t size, const char *next)
{
	put(out, room, "> ", 2);
	while (size > 40) {
		size_t cut = 40;
		while (cut > 0 && line[cut] != ' ')
			cut--;
		put(out, room, line, cut);
		put(out, room, "\n", 1);
		put(out, room, next, strlen(next));
		line += cut + 1;
		size -= cut + 1;
	}
	put(out, room, line, size);
}

/* The quote, with TYPED behind its last line. */
static void quote(char *out, size_t room, enum quoting how, const char *typed)
{
	static const char *const marks[] = {"> ", ">", "> > ", "RM> ", "", "    ", "", ""};
	for (const char *line = sent; *line;) {
		size_t size = strcspn(line, "\n"), n = size;
		while (n > 0 && line[n - 1] == ' ')
			n--;
		bool last = line[size + 1] == '\0';
		if (how == QUOTE_WRAPPED || how == QUOTE_BROKEN) {
			put_wrapped(out, room, line, n, how == QUOTE_WRAPPED ? "> " : "");
		} else {
			size_t mark = strlen(marks[how]);
			while (n == 0 && mark > 0 && marks[how][mark - 1] == ' ')
				mark--;
			put(out, room, marks[how], mark);
			put(out, room, line, n);
		}
		if (last && *typed) {
			put(out, room, " ", 1);
			put(out, room, typed, strlen(typed));
		}
		put(out, room, "\n", 1);
		line += size + 1;
	}
}

static struct newtext find(const char *text)
{
	/* A copy of its exact size: reading behind the end is found. */
	size_t size = strlen(text);
	char *copy = malloc(size + 1);
	assert_non_null(copy);
	memcpy(copy, text, size + 1);
	struct letter letter = {.text = copy, .text_size = size, .other_text = ""};
	const char *const texts[] = {sent};
	struct newtext found;
	expect_int(newtext_find(&letter, texts, 1, reply_line, &found), 0);
	free(copy);
	return found;
}

static void expect_new(const char *mail, const char *wanted, bool line, bool typed)
{
	struct newtext found = find(mail);
	if (strcmp(found.text, wanted) != 0)
		fail_msg("in:\n%s\nnew:\n[%s]\nwanted:\n[%s]", mail, found.text, wanted);
	if (found.reply_line != line || found.reply_line_typed != typed)
		fail_msg("in:\n%s\nreply line %d typed %d", mail, found.reply_line,
			found.reply_line_typed);
	size_t seen = 0;
	for (size_t i = 0; i < found.n_lines; i++) {
		assert_true(found.lines[i].at >= seen);
		assert_true(found.lines[i].at + found.lines[i].size <= found.size);
		seen = found.lines[i].at + found.lines[i].size;
	}
	newtext_release(&found);
}

static void test_ways_to_quote(void **state)
{
	(void)state;
	static const char *const attributions[] = {
		"On Sat, Mar 16, 2024 at 5:10 PM Demo Club <moves@club.example> wrote:\n\n",
		"Il giorno sab 16 mar 2024 alle ore 17:10 Demo Club <\nmoves@club.example> ha "
		"scritto:\n\n",
		"Am 16.03.24 um 17:10 schrieb Demo Club:\n",
		"16.03.2024 17:10, Demo Club \xd0\xbf\xd0\xb8\xd1\x88\xd0\xb5\xd1\x82:\n",
		"2024-03-16 17:10 GMT+02:00 Demo Club <moves@club.example>:\n",
		"Le 16/03/2024 \xc3\xa0 17:10, Demo Club a \xc3\xa9"
		"crit :\n",
		"-----Original Message-----\nFrom: Demo Club\nSent: Saturday, March 16, 2024\n"
		"To: Anna\nSubject: [KO-50.2 #1] Nf6\n\n",
		"________________________________\nVon: Demo Club <moves@club.example>\n"
		"Gesendet: Samstag\nAn: Anna\nBetreff: Nf6\n\n",
		"",
	};
	for (size_t a = 0; a < ARRAY_SIZE(attributions); a++) {
		for (int how = QUOTE_MARK; how <= QUOTE_BROKEN; how++) {
			char mail[8192] = "";
			put(mail, sizeof(mail), "Hi!\n\n13. Bg5\n\nAnna\n\n", 20);
			put(mail, sizeof(mail), attributions[a], strlen(attributions[a]));
			quote(mail, sizeof(mail), (enum quoting)how, "");
			expect_new(mail, "Hi!\n\n13. Bg5\n\nAnna", true, false);

			mail[0] = '\0';
			put(mail, sizeof(mail), attributions[a], strlen(attributions[a]));
			quote(mail, sizeof(mail), (enum quoting)how, "Bg5");
			expect_new(mail, "Bg5", true, true);

			mail[0] = '\0';
			put(mail, sizeof(mail), attributions[a], strlen(attributions[a]));
			quote(mail, sizeof(mail), (enum quoting)how, "");
			put(mail, sizeof(mail), "\nBg5\n", 5);
			expect_new(mail, "Bg5", true, false);
		}
	}
}

/* Others may quote moves of the same game. */
static void test_quotes_of_others(void **state)
{
	(void)state;
	expect_new("X wrote:\n> 12... Nf6 13. Bg5\n> is what I would play\n> Yours, X\n\nThanks!\n",
		"Thanks!", false, false);
	expect_new("X wrote:\n> 12... Nf6 13. Bg5 d5\n> 14. Bh4 and so on\n> or 13. a4\n", "",
		false, false);
	/* A line by itself may be what was left of ours, if ours is not there as well. */
	expect_new("> 12... Nf6 13. Bg5\n", "Bg5", true, true);
	char mail[8192] = "X wrote:\n> 12... Nf6 13. Bg5\n\nWhat do you think?\n\nClub wrote:\n";
	quote(mail, sizeof(mail), QUOTE_MARK, "");
	expect_new(mail, "What do you think?", true, false);
}

/* As MH quotes what was sent in quoted-printable. */
static void test_encoded_quote(void **state)
{
	(void)state;
	expect_new(
		"13. Bg5\n\nClub writes:\n> Rossi, Mario has pla=\n> yed:\n>\n>     12... "
		"Nf6=20\n>\n"
		"> To answer, reply to this mail and type your move behind its last line, or any=\n"
		"where above\n> it. Any usual notation will do.\n>\n> 12... Nf6 13.=20\n",
		"13. Bg5", true, false);
	expect_new("> it. Any usual notation will do. Add =22draw=22 on a line of its own to off=\n"
		   "er a draw.\n>\n> 12... Nf6 13.=20 Bg5\n",
		"Bg5", true, true);
	expect_new("> 12... Nf6 13. e8=Q\n", "e8=Q", true, true);
}

static void test_typed_inside(void **state)
{
	(void)state;
	/* Only a part was left, and typed into. */
	expect_new("> 12... Nf6 13. Bg5\n", "Bg5", true, true);
	expect_new("> 12... Nf6 13.Bg5\n", "Bg5", true, true);
	expect_new("> 12... Nf6 13.\n> Bg5\n", "Bg5", true, false);
	/* The line was changed: then it is new as a whole, and no repetition of ours. */
	expect_new("> Event: KO-50.2, game 1. White: Virtanen, Anna. Black: Rossi, Mario.\n"
		   "> To answer, reply to this mail and type your move behind its last line, or\n"
		   "> 12... Nd7 13. Bg5\n",
		"12... Nd7 13. Bg5", false, false);
	/* Between the lines of the quote. */
	expect_new(
		">     12... Nf6\n\n13. Bg5\n\n> Rossi, Mario writes:\n", "13. Bg5", false, false);
	/* Behind the list of moves. */
	expect_new("> 8. c3 O-O 9. h3 Nb8 10. d4 Nbd7 11. Nbd2 Bb7 12. Bc2 Nf6 13. Bg5\n",
		"13. Bg5", false, false);
	/* A move that stands in our mail too is new all the same. */
	static const char *const same[] = {"Nf6", "O-O", "12. Bc2 Nf6", "8. c3 O-O 9. h3"};
	for (size_t i = 0; i < ARRAY_SIZE(same); i++)
		for (int how = QUOTE_MARK; how <= QUOTE_BROKEN; how++) {
			char mail[8192] = "";
			quote(mail, sizeof(mail), (enum quoting)how, "");
			put(mail, sizeof(mail), "\n", 1);
			put(mail, sizeof(mail), same[i], strlen(same[i]));
			expect_new(mail, same[i], true, false);
			mail[0] = '\0';
			put(mail, sizeof(mail), same[i], strlen(same[i]));
			put(mail, sizeof(mail), "\n\n", 2);
			quote(mail, sizeof(mail), (enum quoting)how, "");
			expect_new(mail, same[i], true, false);
		}
	/* Typed by the player himself, all of it. */
	expect_new("12... Nf6 13. Bg5\n", "12... Nf6 13. Bg5", false, false);
	expect_new("12... Nf6\n13. Bg5\n", "12... Nf6\n13. Bg5", false, false);
}

static void test_nothing_new(void **state)
{
	(void)state;
	for (int how = QUOTE_MARK; how <= QUOTE_BROKEN; how++) {
		char mail[8192] = "";
		quote(mail, sizeof(mail), (enum quoting)how, "");
		expect_new(mail, "", true, false);
	}
	expect_new("", "", false, false);
	expect_new("\n\n \n", "", false, false);
}

/* Quotes that are not ours: dropped with all that belongs to them. */
static void test_foreign(void **state)
{
	(void)state;
	static const struct {
		const char *mail, *wanted;
	} cases[] = {
		{"13. Bg5\n\nOn Monday X <x@y.example> wrote:\n> 13. Qh5 mates\n", "13. Bg5"},
		{"13. Bg5\n\nOn Mon, 1 Jan 2024 at 10:00, X\n<x@y.example> wrote:\n\n\n> foo\n",
			"13. Bg5"},
		/* No quote follows: it is the player's own sentence. */
		{"As Kasparov wrote:\nplay for a win.\n13. Bg5\n",
			"As Kasparov wrote:\nplay for a win.\n13. Bg5"},
		{"From: my best analysis\n13. Bg5\n", "From: my best analysis\n13. Bg5"},
		{"Hello\n--------\n13. Bg5\n", "Hello\n--------\n13. Bg5"},
		{"____________\n13. Bg5\n", "____________\n13. Bg5"},
		{"13. Bg5\n-- \nJohn | 1. e4! best by test\n", "13. Bg5"},
		{"13. Bg5\n--\nJohn\n1.e4 wins\n", "13. Bg5"},
		{"13. Bg5\n*-- *\nJohn\n", "13. Bg5"},
		{"I like -- and -w in lines\n13. Bg5\n", "I like -- and -w in lines\n13. Bg5"},
		{"-- \nJohn\n\n> old\n\n13. Bg5\n", "13. Bg5"},
		{"13. Bg5\n\nSent from my iPhone\n\n> On 1 Jan 2024, X wrote:\n>\n> old\n",
			"13. Bg5"},
		{"13. Bg5\n\n-------- Messaggio originale --------\nDa: X\nData: 1/1/2024\nA: Y\n"
		 "Oggetto: Z\n\n13. Qh5\n",
			"13. Bg5"},
		{"13. Bg5\n\nFra: X\nSendt: 1. januar 2024\nTil: Y\nEmne: Z\n\n13. Qh5\n",
			"13. Bg5"},
		{"13. Bg5\n\nBegin forwarded message:\n\n13. Qh5\n", "13. Bg5"},
		{"13. Bg5\n| old\n| older\n| 13. Qh5\n", "13. Bg5"},
		{"-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n13. Bg5\n\n- -- \nJohn\n"
		 "-----BEGIN PGP SIGNATURE-----\n\niQEz\n=e4d5\n-----END PGP SIGNATURE-----\n",
			"13. Bg5"},
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		expect_new(cases[i].mail, cases[i].wanted, false, false);
	struct newtext found = find("13. Bg5\n\n> 13. Qh5 mates\n> words\n");
	assert_string_equal(found.dropped, "13. Qh5 mates\n");
	assert_true(found.foreign);
	assert_false(found.ours_found);
	newtext_release(&found);
}

/* The two sides of a mail are kept apart. */
static void test_two_sides(void **state)
{
	(void)state;
	struct letter letter = {.text = "13. Bg5\n",
		.text_size = 8,
		.other_text = "13. Bh6\n\n> old\n",
		.other_size = 15};
	struct newtext found;
	expect_int(newtext_find(&letter, NULL, 0, NULL, &found), 0);
	assert_string_equal(found.text, "13. Bg5");
	assert_string_equal(found.other, "13. Bh6");
	newtext_release(&found);
}

#ifdef ZUGPOST_SANITIZED
#define SECONDS_MAX 3.0
#else
#define SECONDS_MAX 0.25
#endif

static double cpu_seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* The main process does this: no mail may keep it for long. */
static void test_hostile(void **state)
{
	(void)state;
	static const char *const units[] = {"\n", "x\n", ">\n", "> ", ". ", "> . . . . . . . .\n",
		". . .\n", "> . . . x . . . x . . . x . . . x . . . x . . . x\n",
		"| . . . x | . . . x\n", "a@b.test 1/1/2024 wrote:\n", "a@b.test:\n", "1/1/2024\n",
		"From: a\n", "From: a\nTo: b\n\n", "Da: x\n", "\xd0\x9e\xd1\x82: \xd0\x94\n",
		"---\n", "--\n", "--- a@b.test wrote ---\n", "Sent from my x\n",
		"12... Nf6\n13. x\n", "> 12... Nf6 13. x\n", "> =20=3D=\n",
		"> to the to the of to your the is the a the of to\n"};
	size_t size = LETTER_TEXT_MAX;
	char *text = malloc(size + 64);
	assert_non_null(text);
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		size_t n = strlen(units[i]), used = 0;
		for (; used < size; used += n)
			memcpy(text + used, units[i], n);
		struct letter letter = {
			.text = text, .text_size = used, .other_text = text, .other_size = used};
		const char *const texts[] = {sent, sent, sent, sent, sent, sent, sent, sent};
		struct newtext found;
		double began = cpu_seconds();
		expect_int(newtext_find(&letter, texts, ARRAY_SIZE(texts), reply_line, &found), 0);
		double took = cpu_seconds() - began;
		newtext_release(&found);
		if (took > SECONDS_MAX)
			fail_msg("[%s] took %.3f seconds", units[i], took);
	}
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ways_to_quote),
		cmocka_unit_test(test_encoded_quote),
		cmocka_unit_test(test_quotes_of_others),
		cmocka_unit_test(test_typed_inside),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_nothing_new),
		cmocka_unit_test(test_foreign),
		cmocka_unit_test(test_two_sides),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

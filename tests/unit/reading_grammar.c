/*
 * What texts say: repetition and own move in every layout, and everything that is chat.
 */
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/notation.h"
#include "daemon/reading/grammar.h"

#define PLIES_MAX 400

/* A closed Ruy Lopez; WHITE_PLY moves made leave White to move (13.), one less leaves Black
 * (12...). */
static const char game_text[] =
	"e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 c3 O-O h3 Nb8 d4 Nbd7 Nbd2 Bb7 Bc2 Re8";
#define WHITE_PLY 24
#define BLACK_PLY 23

struct fixture {
	struct position start;
	uint16_t moves[PLIES_MAX];
	unsigned n;
};

static struct fixture make_game(const char *text)
{
	struct fixture game = {.start = position_initial()};
	struct position position = game.start;
	while (*text) {
		size_t size = strcspn(text, " ");
		struct move_reading reading;
		expect_int(move_read(&position, letters_find("en", 2), text, size, &reading),
			MOVE_READ);
		position_make(&position, reading.move);
		game.moves[game.n++] = reading.move;
		text += size;
		text += strspn(text, " ");
	}
	return game;
}

static const char *uci_of(const struct fixture *game, unsigned ply, uint16_t move)
{
	static char out[NOTATION_MAX];
	struct position position = game->start;
	for (unsigned i = 0; i < ply && i < game->n; i++)
		position_make(&position, game->moves[i]);
	if (move == MOVE_NONE)
		return "";
	move_write(&position, move, NOTATION_UCI, NULL, out);
	return out;
}

enum line {
	NO_LINE = 0,
	LINE_STANDS, /* our reply line was quoted unaltered */
	LINE_TYPED,  /* ... but the event wants the repetition typed */
};

struct grammar_case {
	const char *text;
	const char *own; /* UCI; NULL: none; "?" several; "illegal", "ambiguous", "unreadable" */
	enum repetition repetition;
	int ply; /* 0: the expected one */
	unsigned flags;
};

enum flag { /* or-ed */
	DRAW = 1,
	CONTINUES = 2,
	NUMBER = 4, /* number_warning */
};

static struct message read_in(enum rule_system system, const struct fixture *game, unsigned ply,
	const char *language, const char *text, enum line line)
{
	size_t size = strlen(text);
	struct letter letter = {.text = text, .text_size = size, .other_text = ""};
	static struct newtext found;
	newtext_release(&found);
	expect_int(newtext_find(&letter, NULL, 0, NULL, &found), 0);
	found.reply_line = line != NO_LINE;
	struct grammar_context context = {.start = &game->start,
		.moves = game->moves,
		.n = game->n,
		.ply = ply,
		.by = ply % 2 ? SIDE_BLACK : SIDE_WHITE,
		.letters = language ? letters_find(language, strlen(language)) : NULL,
		.answered_line = line != NO_LINE,
		.typed = line == LINE_TYPED,
		.system = system,
		.code = "0123"};
	struct message message;
	expect_int(grammar_read(&found, &context, &message), 0);
	assert_true(message.own_text.at + message.own_text.size <= message.text_size);
	assert_true(message.own_line.at + message.own_line.size <= message.text_size);
	assert_true(message.repetition_text.at + message.repetition_text.size <= message.text_size);
	return message;
}

static struct message read_text(const struct fixture *game, unsigned ply, const char *language,
	const char *text, enum line line)
{
	return read_in(RULES_IECC, game, ply, language, text, line);
}

static const char *own_of(const struct fixture *game, const struct message *message)
{
	if (!message->has_own)
		return "";
	if (message->several_own)
		return "?";
	switch (message->own.result) {
	case MOVE_READ:
		return uci_of(game, message->ply, message->own.move);
	case MOVE_UNREADABLE:
		return "unreadable";
	case MOVE_ILLEGAL:
		return "illegal";
	case MOVE_AMBIGUOUS:
		return "ambiguous";
	}
	return "";
}

static void expect_case(const struct fixture *game, unsigned ply, const char *language,
	const struct grammar_case *item, enum line line)
{
	struct message message = read_text(game, ply, language, item->text, line);
	unsigned wanted_ply = item->ply ? (unsigned)item->ply : ply;
	unsigned flags = (message.draw_offer ? DRAW : 0U) |
			 (message.ignored_continuation ? CONTINUES : 0U) |
			 (message.number_warning ? NUMBER : 0U);
	const char *own = own_of(game, &message);
	if (strcmp(own, item->own ? item->own : "") != 0 ||
		message.repetition != item->repetition || message.ply != wanted_ply ||
		flags != item->flags)
		fail_msg("[%s]: own %s, repetition %d, ply %u, flags %u; wanted %s, %d, %u, %u",
			item->text, own, (int)message.repetition, message.ply, flags,
			item->own ? item->own : "", (int)item->repetition, wanted_ply, item->flags);
}

static void run(const struct grammar_case *cases, size_t n, unsigned ply, const char *language)
{
	struct fixture game = make_game(game_text);
	game.n = ply;
	for (size_t i = 0; i < n; i++)
		expect_case(&game, ply, language, &cases[i], NO_LINE);
}

/* White answers 12... Re8. */
static void test_white(void **state)
{
	(void)state;
	static const struct grammar_case cases[] = {
		{"12... Re8 13. Nf1", "d2f1", REPETITION_RIGHT, 0, 0},
		{"12...Re8, 13.Nf1", "d2f1", REPETITION_RIGHT, 0, 0},
		{"12. ... Re8 13. Nf1", "d2f1", REPETITION_RIGHT, 0, 0},
		{"12. Re8 13. Nf1", "d2f1", REPETITION_RIGHT, 0, 0},
		{"12... Re8\n13. Nf1", "d2f1", REPETITION_RIGHT, 0, 0},
		{"12... Re8\n\n13. Nf1", "d2f1", REPETITION_RIGHT, 0, 0},
		{"13. Nf1\n\n12... Re8", "d2f1", REPETITION_RIGHT, 0, 0},
		{"Re8 Nf1", "d2f1", REPETITION_RIGHT, 0, 0},
		{"*12... Re8 13. Nf1*", "d2f1", REPETITION_RIGHT, 0, 0},
		{"(12... Re8 13. Nf1)", "d2f1", REPETITION_RIGHT, 0, 0},
		{"12... f8e8 13. d2f1", "d2f1", REPETITION_RIGHT, 0, 0},
		{"12... Rf8-e8 13. Nd2-f1", "d2f1", REPETITION_RIGHT, 0, 0},
		{"12... 6858 13. 4261", "d2f1", REPETITION_RIGHT, 0, 0},
		{"1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6\n"
		 "8. c3 O-O 9. h3 Nb8 10. d4 Nbd7 11. Nbd2 Bb7 12. Bc2 Re8 13. Nf1",
			"d2f1", REPETITION_RIGHT, 0, 0},
		{"10. d4 Nbd7 11. Nbd2 Bb7 12. Bc2 Re8 13. Nf1", "d2f1", REPETITION_RIGHT, 0, 0},
		{"11. Nbd2 Bc8 12. Bc2 Re8 13. Nf1", "d2f1", REPETITION_WRONG, 0, 0},
		{"12... Nf8 13. Nf1", "d2f1", REPETITION_WRONG, 0, 0},
		{"12... Re8", NULL, REPETITION_RIGHT, 0, 0},
		{"Your 12... Re8 surprised me.\n\nNf1", "d2f1", REPETITION_RIGHT, 0, 0},
		{"12... Nf8", NULL, REPETITION_WRONG, 0, 0},
		{"13. Nf1", "d2f1", REPETITION_NONE, 0, 0},
		{"Nf1", "d2f1", REPETITION_NONE, 0, 0},
		{"My move: 12... Re8 13. Nf1", "d2f1", REPETITION_RIGHT, 0, 0},
		{"12... Re8 13. Nf1 (=)", "d2f1", REPETITION_RIGHT, 0, DRAW},
		{"12... Re8 13. Nf1, draw?", "d2f1", REPETITION_RIGHT, 0, DRAW},
		{"12... Re8 13. Nf1\ndraw", "d2f1", REPETITION_RIGHT, 0, DRAW},
		{"12... Re8 13. Nf1 Bf8", "d2f1", REPETITION_RIGHT, 0, CONTINUES},
		{"12... Re8 13. Nf1\nBf8", "d2f1", REPETITION_RIGHT, 0, CONTINUES},
		{"12... Re8 13. Nf1\n\nI repeat: 12... Re8 13. Nf1", "d2f1", REPETITION_RIGHT, 0,
			0},
		{"12... Re8 13. Nf1\n\nno, better:\n12... Re8 13. d5", "?", REPETITION_RIGHT, 0, 0},
		{"12... Re8 13. Nf1\n\nd5", "?", REPETITION_RIGHT, 0, 0},
		{"12... Re8 13. Nf1\n\nI also looked at d5 here.", "d2f1", REPETITION_RIGHT, 0, 0},
		{"12... Re8 13. Nf1\n\n(13. d5 was the other idea)", "d2f1", REPETITION_RIGHT, 0,
			0},
		{"12... Re8 13. Nf1 check that please", "d2f1", REPETITION_RIGHT, 0, 0},
		{"I play 13. Nf1", "d2f1", REPETITION_NONE, 0, 0},
		{"12... Re8 13. Nf1 Good luck!", "d2f1", REPETITION_RIGHT, 0, 0},
		{"12... Re8 13. Nf1!?", "d2f1", REPETITION_RIGHT, 0, 0},
		{"12... Re8? 13. Nf1", "d2f1", REPETITION_RIGHT, 0, 0},
		{"12... Re8 13. Nf1, if 13... Bf8 14. Ng3", "d2f1", REPETITION_RIGHT, 0, 0},
		{"12... Re8 13. Nf1\nif 13... Bf8 14. Ng3", "d2f1", REPETITION_RIGHT, 0, 0},
		{"12... Re8 13. Nf9", "unreadable", REPETITION_RIGHT, 0, 0},
		{"12... Re8 13. --", "unreadable", REPETITION_RIGHT, 0, 0},
		{"12... Re8 13. Qd8", "illegal", REPETITION_RIGHT, 0, 0},
		{"12... Re8 14. Nf1", "d2f1", REPETITION_RIGHT, 0, NUMBER},
		{"11... Re8 12. Nf1", "d2f1", REPETITION_RIGHT, 0, NUMBER},
		/* Older plies: the message speaks of those. */
		{"11... Bb7 12. Bc2", "b3c2", REPETITION_RIGHT, 22, 0},
		{"12. Bc2", "b3c2", REPETITION_NONE, 22, 0},
		{"12. Ba4", "b3a4", REPETITION_NONE, 22, 0},
		{"14. Nf1", "d2f1", REPETITION_NONE, 26, 0},
		/* A signature's or a comment's moves are nobody's. */
		{"12... Re8 13. Nf1\n\n\"1. e4 e5 2. f4 is best\" - R. Spielmann", "d2f1",
			REPETITION_RIGHT, 0, 0},
		{"12... Re8 13. Nf1\n\n1. e4! best by test", "d2f1", REPETITION_RIGHT, 0, 0},
	};
	run(cases, ARRAY_SIZE(cases), WHITE_PLY, NULL);
}

/* Black answers 12. Bc2. */
static void test_black(void **state)
{
	(void)state;
	static const struct grammar_case cases[] = {
		{"12. Bc2 Re8", "f8e8", REPETITION_RIGHT, 0, 0},
		{"12.Bc2 Re8", "f8e8", REPETITION_RIGHT, 0, 0},
		{"12 Bc2 Re8", "f8e8", REPETITION_RIGHT, 0, 0},
		{"12. Bc2  12... Re8", "f8e8", REPETITION_RIGHT, 0, 0},
		{"11. Bc2 Re8", "f8e8", REPETITION_RIGHT, 0, NUMBER},
		{"13. Bc2 Re8", "f8e8", REPETITION_RIGHT, 0, NUMBER},
		{"I play Re8", "f8e8", REPETITION_NONE, 0, 0},
		{"Thanks! Re8", "f8e8", REPETITION_NONE, 0, 0},
		{"Re8 or d5", "?", REPETITION_NONE, 0, 0},
		{"Re8\nd5", "?", REPETITION_NONE, 0, CONTINUES},
		{"Re8\n\nSorry, I meant d5", "?", REPETITION_NONE, 0, 0},
		{"Room: d5", NULL, REPETITION_NONE, 0, 0},
		{"12) Bc2 Re8", "f8e8", REPETITION_RIGHT, 0, 0},
		{"12. Bc2\nRe8", "f8e8", REPETITION_RIGHT, 0, 0},
		{"12... Re8", "f8e8", REPETITION_NONE, 0, 0},
		{"12. Re8", "f8e8", REPETITION_NONE, 0, 0},
		{"12. Bc2", NULL, REPETITION_RIGHT, 0, 0},
		{"12. Ba4 Re8", "f8e8", REPETITION_WRONG, 0, 0},
		{"My answer to your Bc2 is 12. Bc2 Re8.", "f8e8", REPETITION_RIGHT, 0, 0},
		{"I play 12... Re8 now.", "f8e8", REPETITION_NONE, 0, 0},
	};
	run(cases, ARRAY_SIZE(cases), BLACK_PLY, NULL);
}

/* Offers of a draw in sentences around the move, and what only looks like one. */
static void test_offers(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		bool offers;
	} cases[] = {
		{"I play Nf1 and offer a draw", true},
		{"I play Nf1, and I offer a draw.", true},
		{"I play Nf1. I offer a draw.", true},
		{"My move is Nf1. Draw?", true},
		{"Nf1. How about a draw?", true},
		{"Nf1. Would you accept a draw?", true},
		{"Nf1 with a draw offer", true},
		{"I offer a draw with Nf1", true},
		{"I'd like to offer a draw with Nf1.", true},
		{"I propose a draw. My move: Nf1", true},
		{"Draw offer: Nf1", true},
		{"Nf1 remis?", true},
		{"Nf1 1/2?", true},
		{"Gioco Cf1 e propongo patta.", true},
		{"Gioco Cf1. Patta?", true},
		{"Pelaan d2-f1 ja tarjoan tasapeliä.", true},
		{"Мой ход Кf1. Ничья?", true},
		{"Nf1. I don't offer a draw.", false},
		{"I do not offer a draw, I play Nf1.", false},
		{"Nf1. No draw.", false},
		{"Nf1\nno draw please", false},
		{"Nf1. You offered a draw last time.", false},
		{"Nf1. Draw? No way!", false},
		{"Nf1. I thought about a draw.", false},
		{"Кf1. Ничью не предлагаю.", false},
	};
	struct fixture game = make_game(game_text);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		bool russian = (unsigned char)cases[i].text[0] >= 0x80;
		const char *language = strstr(cases[i].text, "Cf1")   ? "it"
				       : strstr(cases[i].text, "Rf1") ? "fi"
				       : russian                      ? "ru"
								      : "en";
		struct message message =
			read_text(&game, WHITE_PLY, language, cases[i].text, LINE_STANDS);
		if (strcmp(own_of(&game, &message), "d2f1") != 0 ||
			message.draw_offer != cases[i].offers)
			fail_msg("[%s]: own %s, offer %d", cases[i].text, own_of(&game, &message),
				message.draw_offer);
	}
}

/* Words that only look like moves. */
static void test_chat(void **state)
{
	(void)state;
	static const char *const texts[] = {"", "Thanks, I will think about it.",
		"I will go to e4 cafe", "a4 paper",
		"meet me in b4 room, seat c5, e-mail e4@d5.example",
		"Score 1-0, 0-1, tel. 02-1234, on 3.3.2024 at 10.15", "Would Nf1 be good?",
		"I think about Nf1 or d5", "be", "10:15", "Room 13", "13. March", "1-0",
		"  8 | r . b q . . k .\n  7 | p p p . . p p p", "art. 7 c4 e5 applies",
		"See you at 13. Nf", "I'm considering 13. Nf1, will answer tomorrow.",
		"Would 13. Nf1 be good?", "13. Nf1?", "After 12... Re8 13. Nf1 Bf8 I am fine.",
		"My analysis: 13. Nf1 Bf8 14. Ng3", "I will not play 13. Nf1",
		"I like your 12... Re8.", "2024", "00100 Roma", "https://x.example/e4/Nf1"};
	struct fixture game = make_game(game_text);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct message message = read_text(&game, WHITE_PLY, NULL, texts[i], LINE_STANDS);
		if ((message.has_own && message.own.result == MOVE_READ) ||
			message.repetition != REPETITION_NONE)
			fail_msg("[%s] became %s, repetition %d", texts[i], own_of(&game, &message),
				(int)message.repetition);
	}
}

static void test_reply_line(void **state)
{
	(void)state;
	struct fixture game = make_game(game_text);
	static const struct grammar_case stands[] = {
		{"Nf1", "d2f1", REPETITION_LINE, 0, 0},
		{"13. Nf1", "d2f1", REPETITION_LINE, 0, 0},
		{"12... Re8 13. Nf1", "d2f1", REPETITION_RIGHT, 0, 0},
		{"12... Nf8 13. Nf1", "d2f1", REPETITION_WRONG, 0, 0},
		{"Good move!", NULL, REPETITION_NONE, 0, 0},
	};
	for (size_t i = 0; i < ARRAY_SIZE(stands); i++)
		expect_case(&game, WHITE_PLY, NULL, &stands[i], LINE_STANDS);
	const struct grammar_case typed = {"Nf1", "d2f1", REPETITION_NONE, 0, 0};
	expect_case(&game, WHITE_PLY, NULL, &typed, LINE_TYPED);
}

/* A reply to an older mail: the game has gone on since. */
static void test_old_mail(void **state)
{
	(void)state;
	struct fixture game = make_game(game_text);
	static const struct grammar_case cases[] = {
		/* The same move again, and another one: both speak of the old position. */
		{"11... Bb7 12. Bc2", "b3c2", REPETITION_RIGHT, 22, 0},
		{"Bc2", "b3c2", REPETITION_NONE, 22, 0},
		/* Written under an old mail, but meant for now. */
		{"12... Re8 13. Nf1", "d2f1", REPETITION_RIGHT, 24, 0},
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		expect_case(&game, 22, NULL, &cases[i], NO_LINE);
}

/* Letters: the repetition shows whose they are. */
static void test_letters(void **state)
{
	(void)state;
	struct fixture game = make_game("e4 e5 Nf3 Nc6 Bc4 Nf6 d3 Bc5 c3 O-O Nbd2 d6");
	static const struct grammar_case finnish[] = {
		{"6... d6 7. O-O", "e1g1", REPETITION_RIGHT, 0, 0},
		{"6... d6 7. Lb3", "c4b3", REPETITION_RIGHT, 0, 0},
		{"6... d6 7. Bb3", "c4b3", REPETITION_RIGHT, 0, 0},
		{"6... d6 7. Rf1", "?f1", REPETITION_RIGHT, 0, 0},
	};
	for (size_t i = 0; i + 1 < ARRAY_SIZE(finnish); i++)
		expect_case(&game, 12, "fi", &finnish[i], NO_LINE);
	/* R is a rook in English and a knight in Finnish: both go to f1. */
	const struct grammar_case both = {"6... d6 7. Rf1", "ambiguous", REPETITION_RIGHT, 0, 0};
	expect_case(&game, 12, "fi", &both, NO_LINE);
	/* With an English letter in the repetition it is a rook. */
	struct fixture other = make_game("e4 e5 Nf3 Nc6 Bc4 Nf6 d3 Bc5 c3 O-O Nbd2 Nh5");
	const struct grammar_case rook = {"6... Nh5 7. Rf1", "h1f1", REPETITION_RIGHT, 0, 0};
	expect_case(&other, 12, "fi", &rook, NO_LINE);
	/* German letters, whatever his language is said to be. */
	const struct grammar_case german = {"6... Sh5 7. O-O", "e1g1", REPETITION_RIGHT, 0, 0};
	expect_case(&other, 12, "en", &german, NO_LINE);
	const struct grammar_case knight = {"6... Rh5 7. Rf1", "d2f1", REPETITION_RIGHT, 0, 0};
	expect_case(&other, 12, "fi", &knight, NO_LINE);
}

/* Whose letters they are, where nothing but our own line repeats the last move. */
static void test_whose_letters(void **state)
{
	(void)state;
	static const struct {
		enum rule_system system;
		const char *game, *language, *text, *own;
	} cases[] = {
		/* MC-link's mails show Italian letters to everybody, not other events'. */
		{RULES_MCLINK, "e4 e5", "en", "Cf3", "g1f3"},
		{RULES_MCLINK, "e4 e5", "en", "Nf3", "g1f3"},
		{RULES_MCLINK, "e4 e5", "fi", "Ac4", "f1c4"},
		{RULES_MCLINK, "e4 e5 Nf3 Nc6", "en", "Tg1", "h1g1"},
		{RULES_MCLINK, "e4 e5 Nf3 Nc6 Bc4 Bc5", "en", "Rf1", "ambiguous"},
		{RULES_IECC, "e4 e5 Nf3 Nc6 Bc4 Bc5", "en", "Rf1", "h1f1"},
		/* A Russian's Cyrillic K is a knight if one fits, his Latin one is a king. */
		{RULES_IECC, "e4 e5 Nf3 Nc6 Bc4 Bc5 Bxf7+", "ru", "\xd0\x9a:f7", "e8f7"},
		{RULES_IECC, "e4 e5 Be2 Nc6 d3 Bc5", "ru", "\xd0\x9a\x64\x32", "b1d2"},
		{RULES_IECC, "e4 e5 Be2 Nc6 d3 Bc5", "ru", "Kd2", "e1d2"},
		{RULES_IECC, "e4 e5 Be2 Nc6 d3 Bc5", "ru", "Nd2", "b1d2"},
		{RULES_IECC, "e4 e5 Be2 Nc6 d3 Bc5", "ru", "\xd0\x9a\xd1\x80\x64\x32", "e1d2"},
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct fixture game = make_game(cases[i].game);
		struct message message = read_in(cases[i].system, &game, game.n, cases[i].language,
			cases[i].text, LINE_STANDS);
		if (strcmp(own_of(&game, &message), cases[i].own) != 0)
			fail_msg("%s after %s: %s, not %s", cases[i].text, cases[i].game,
				own_of(&game, &message), cases[i].own);
	}
}

static void test_commands(void **state)
{
	(void)state;
	struct fixture game = make_game(game_text);
	static const struct {
		const char *text;
		enum command command;
	} cases[] = {
		{"resign", COMMAND_RESIGN},
		{"I resign.", COMMAND_RESIGN},
		{"I will not resign", COMMAND_NONE},
		{"I resign. Well played!", COMMAND_RESIGN},
		{"*Accept*", COMMAND_ACCEPT},
		{"accept nothing", COMMAND_NONE},
		{"claim threefold", COMMAND_CLAIM_THREEFOLD},
		{"leave 2026-03-01 2026-03-10", COMMAND_LEAVE},
		{"leave me alone", COMMAND_NONE},
		{"address anna@new.example", COMMAND_ADDRESS},
		{"status", COMMAND_STATUS},
		{"help", COMMAND_HELP},
		{"Luovutan!", COMMAND_RESIGN},
		{"Tarjoan  tasapeliä.", COMMAND_DRAW},
		{"Accetto", COMMAND_ACCEPT},
		{"non abbandono", COMMAND_NONE},
		{"СДАЮСЬ", COMMAND_RESIGN},
		{"не сдаюсь", COMMAND_NONE},
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct message message = read_text(&game, WHITE_PLY, NULL, cases[i].text, NO_LINE);
		enum command found = message.n_commands ? message.commands[0].kind : COMMAND_NONE;
		if (found != cases[i].command || message.has_own)
			fail_msg("[%s] is command %d", cases[i].text, (int)found);
	}
}

/* Text and HTML of one mail that say different things. */
static void test_two_sides(void **state)
{
	(void)state;
	struct fixture game = make_game(game_text);
	struct grammar_context context = {.start = &game.start,
		.moves = game.moves,
		.n = game.n,
		.ply = game.n,
		.by = SIDE_WHITE};
	static const struct {
		const char *html;
		bool several;
	} cases[] = {{"12... Re8 13. d5\n", true}, {"12... Re8 13. Nf1\n", false}, {"Hi\n", false}};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct letter letter = {.text = "12... Re8 13. Nf1\n",
			.text_size = 18,
			.other_text = cases[i].html,
			.other_size = strlen(cases[i].html)};
		struct newtext found;
		struct message message;
		expect_int(newtext_find(&letter, NULL, 0, NULL, &found), 0);
		expect_int(grammar_read(&found, &context, &message), 0);
		expect_int(message.several_own, cases[i].several);
		newtext_release(&found);
	}
}

/* Every move of the game, written in each notation behind its repetition. */
static void test_every_ply(void **state)
{
	(void)state;
	struct fixture game = make_game(game_text);
	unsigned n = game.n;
	struct position position = game.start;
	for (unsigned ply = 0; ply + 1 < n; ply++) {
		struct position before = position;
		position_make(&position, game.moves[ply]);
		for (int notation = NOTATION_SAN; notation <= NOTATION_UCI; notation++) {
			char last[NOTATION_MAX], own[NOTATION_MAX], text[128];
			move_write(&before, game.moves[ply], (enum notation)notation, NULL, last);
			move_write(
				&position, game.moves[ply + 1], (enum notation)notation, NULL, own);
			unsigned number = ply / 2 + 1;
			if (ply % 2)
				snprintf(text, sizeof(text), "%u... %s %u. %s", number, last,
					number + 1, own);
			else
				snprintf(text, sizeof(text), "%u. %s %s", number, last, own);
			game.n = ply + 1;
			struct message message = read_text(&game, ply + 1,
				notation == NOTATION_MCLINK ? "it" : NULL, text, NO_LINE);
			if (message.own.result != MOVE_READ ||
				message.own.move != game.moves[ply + 1] ||
				message.repetition != REPETITION_RIGHT || message.ply != ply + 1)
				fail_msg("ply %u: [%s]", ply, text);
		}
	}
}

/* Mails of thousands of lines must not take long: what lies behind is not read. */
static void test_hostile(void **state)
{
	(void)state;
	static const char *const units[] = {"e4\n", "12... Re8 13. Nf1\n", "13. Nf1 Bf8 14. Ng3\n",
		"if 13... Bf8 14. Ng3\n", "13. Nf9\n", "I play Nf1\n", "Nf1, claim 50 draw a b c\n",
		"leave 1.1.2026 2.2.2026\n", "if e4; "};
	struct fixture game = make_game(game_text);
	size_t size = (size_t)256 << 10;
	char *text = malloc(size + 1);
	assert_non_null(text);
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		size_t n = strlen(units[i]);
		for (size_t at = 0; at < size; at++)
			text[at] = units[i][at % n];
		text[size] = '\0';
		clock_t before = clock();
		(void)read_text(&game, WHITE_PLY, "fi", text, NO_LINE);
		double seconds = (double)(clock() - before) / CLOCKS_PER_SEC;
		/* A fifth of it is usual; sanitizers and busy machines take their share. */
		if (seconds > 3.0)
			fail_msg("[%s] takes %.1f s", units[i], seconds);
	}
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_white),
		cmocka_unit_test(test_black),
		cmocka_unit_test(test_offers),
		cmocka_unit_test(test_chat),
		cmocka_unit_test(test_reply_line),
		cmocka_unit_test(test_old_mail),
		cmocka_unit_test(test_letters),
		cmocka_unit_test(test_whose_letters),
		cmocka_unit_test(test_commands),
		cmocka_unit_test(test_two_sides),
		cmocka_unit_test(test_every_ply),
		cmocka_unit_test(test_hostile),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

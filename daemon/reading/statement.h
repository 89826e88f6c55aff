/*
 * What prose says about moves: inside of the grammar.
 *
 * "I play Nd7", "Thanks! Nd7" and "Nd7, good luck" state a move; "a4 paper" and "Nd7 was my
 * first idea" do not. What the words of a sentence do is in config/talk.h; a sentence is read
 * with the words of one language, the one of which it has most, and with every language's words
 * of doubt. A move is stated
 *
 * - by a clause that says who makes it ("I play Nd7", "my move is Nd7", "gioco Cd7", "Black
 *   plays Nd7", "Nd7 is my move"): in front of the move stand only words that lead to it, up to
 *   the writer or to the beginning of the clause; or
 * - by being a clause itself, with nothing in front of it or only such words as "so" and "hello":
 *   then nothing in its whole sentence may be in doubt, and a bare square must stand at the
 *   start of a short line or behind a greeting;
 *
 * if behind it the clause ends or goes on with words that may follow ("please", "regards"), and no
 * condition, "perhaps" or "tomorrow" stands in the sentence.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/movelist.h"
#include "daemon/reading/commands.h"

enum mention_flag { /* or-ed */
	MENTION_STATED = 1 << 0,
	MENTION_STRONG = 1 << 1,   /* by a clause that says who makes it */
	MENTION_TOLD = 1 << 2,     /* a tale, a theory: nobody's choice */
	MENTION_CHOICE = 1 << 3,   /* "Nd7 or b4": this, or the next mention */
	MENTION_CORRECTS = 1 << 4, /* "sorry, I meant Nd7": another move was wrong */
	MENTION_WHITE = 1 << 5,    /* it is said that this side makes it */
	MENTION_BLACK = 1 << 6,
};

/* A move in prose, or several side by side. */
struct mention {
	size_t at, size; /* in the text */
	size_t moves;
	struct movelist_token token; /* of the first move; offsets in the text */
	unsigned flags;
	struct excerpt sentence; /* around it */
};

#define MENTIONS_MAX ((size_t)200)
#define CANCELS_MAX 8

struct mentions {
	struct mention items[MENTIONS_MAX];
	size_t n;
	size_t cancels[CANCELS_MAX]; /* where sentences stand that take back what was written before
				      */
	size_t n_cancels;
	struct stated_command commands[STATED_COMMANDS_MAX]; /* within sentences and as such */
	size_t n_commands;
};

/* Reads the prose from AT to END of TEXT, whole lines; adds to RET what it says. COMMANDS: the
 * lines have not been read as commands. */
void statement_read(const struct command_context *context, const char *text, size_t at, size_t end,
	bool commands, struct mentions *ret);

/* The number of the game that a line from AT to END is a heading of ("Game 2:"), or 0. */
unsigned statement_game(
	const struct command_context *context, const char *text, size_t at, size_t end);

/* Does a line from AT to END, which ends with a colon, lead to moves that are nobody's choice:
 * "My analysis:", "I am considering:"? */
bool statement_leads_away(
	const struct command_context *context, const char *text, size_t at, size_t end);

/* Does another move that its side could make follow the own move of a list, on a line of its own
 * or behind a comma or a stroke, and no number says that it is the opponent's? POSITION is that
 * before the own move. */
MUST_CHECK bool statement_second(const char *list, size_t size, const struct position *position,
	const struct letters *letters, const struct movelist_reading *reading,
	struct movelist_token *ret_token);

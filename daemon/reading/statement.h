/*
 * Moves without a number in lines of prose: inside of the grammar.
 *
 * "I play Nd7", "Thanks! Nd7" and "Nd7, good luck" state a move; "a4 paper" and "Nd7 was my
 * first idea" do not. A line states a move only if it holds no other one, no question and no
 * word of doubt, and if the move ends a phrase like "my move is" or is a clause by itself: a
 * bare square only at the start of a short line, or after a greeting.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/movelist.h"

enum statement_kind {
	STATEMENT_NONE = 0,
	STATEMENT_MOVE,       /* `first` is the own move */
	STATEMENT_CHOICE,     /* "Nd7 or b4" */
	STATEMENT_CORRECTION, /* "I meant Nd7": if another move was written before, not that */
};

struct statement {
	enum statement_kind kind;
	bool retracts; /* a MOVE behind "Sorry," is a correction as well */
	/* Tokens with offsets from the start of the line. */
	struct movelist_token first, second;
};

/* SIZE bytes at LINE hold no line end. */
struct statement statement_find(const char *line, size_t size);

/* Do the N bytes at AT of the line, a repetition with the own move, stand there as a clause by
 * themselves: "Hi Anna, 12. g5 Nd7", with no word around them that tells of another game? */
bool statement_is_clause(const char *line, size_t size, size_t at, size_t n);

/* Does another move that its side could make follow the own move of a list, on a line of its own
 * or behind a comma, and no number says that it is the opponent's? POSITION is that before the
 * own move. */
MUST_CHECK bool statement_second(const char *list, size_t size, const struct position *position,
	const struct letters *letters, const struct movelist_reading *reading,
	struct movelist_token *ret_token);

/*
 * The grammar of a message: what its new text says about a game.
 *
 * A text becomes an own move only like this; everything else is chat:
 *
 * 1. Moves in words ("knight takes d5", "castles king side") become notation first: spoken.h.
 *    A line is move-like if it holds nothing but moves, move numbers, dots, punctuation, marks
 *    and pictures, after a lead-in of at most four words and a colon ("My move: 12... Nf6";
 *    not "My analysis:") and before a condition ("if ...") or the offer of a draw.
 *    Move-like lines that follow each other are read as one list, unless they only go on with a
 *    sentence that a program has broken, or stand below "My analysis:" or "Game 2:". An own
 *    move with a lone question mark is a question; a list that goes on to a result is somebody's
 *    game.
 * 2. A list may begin with the opponent's last move (the repetition), with any earlier move of
 *    the game (it must agree with the game up to the last move, else the repetition is wrong),
 *    or with the own move. A list that begins elsewhere says nothing.
 * 3. In prose a move counts if a sentence states it (see statement.h): alone, with the number of
 *    this ply or with none, or behind the repetition. What is stated beyond doubt and is no legal
 *    move counts if nothing else does.
 * 4. Two own moves that differ, in lists or in prose, are `several_own`: none is played; so are
 *    "Nd7 or b4", a bare move on the next line that the same side could make, a later "I meant
 *    Nd7", a second move with the number of this ply anywhere but in a tale, and two that the
 *    text and the HTML side of a mail hold. What else follows the own move in its list is an
 *    unmarked continuation: ignored. What a later sentence takes back ("no wait, don't play
 *    that") is no own move.
 * 5. Piece letters may be those of our mails to the sender, of his language, English ones, or
 *    (only with the repetition) those of any language. The repetition shows which he uses; when
 *    it does not, and our mails' letters and his language's (MC-link: or Italian ones) give
 *    different legal moves, the move is ambiguous. Cyrillic letters are read as such, if his
 *    language has them, before they are read as the Latin ones that they look like.
 * 6. Conditions are conditional moves or chat (see conditional.h), never own moves. What follows
 *    the own move is accepted.h's if it follows the opponent's conditional moves.
 * 7. Rows of RAZSh's table are lists, their dates and times aside. MC-link's form is checked in
 *    format.h; two statements that differ are `several_own` there too.
 *
 * 8. Where nothing else is the own move, a word that stands in its place (behind a number of this
 *    ply, or behind the repetition) and is none of any language is it, unreadable. A bare move out
 *    of turn that has not been made is about a ply beyond the game.
 *
 * The unaltered reply line of the answered mail counts as the repetition when there is an own
 * move and no repetition (unless `typed`).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "config/words.h"
#include "core/notation.h"
#include "core/position.h"
#include "daemon/reading/newtext.h"
#include "rules/message.h"
#include "rules/parameters.h"

struct grammar_context {
	const struct position *start;  /* before the first move */
	const uint16_t *moves;         /* the moves made */
	unsigned n;                    /* how many */
	unsigned ply;                  /* plies made when the answered mail was sent; else n */
	enum side by;                  /* the sender */
	const struct letters *letters; /* his language's, or NULL */
	const struct letters *written; /* those of our mails to him (his notation); NULL: English */
	bool answered_line;            /* the answered mail carried the reply line of this ply */
	bool typed;                    /* repetition = typed: a quoted reply line does not count */

	/* The opponent's conditional moves that wait in the last position; NULL: none. */
	const struct conditionals *conditionals;
	const struct words *words; /* that state commands; NULL: the built-in ones */
	int32_t today;             /* the date of arrival where the sender (MC-link's clock) is:
				      a date without a year is the next one from then on */

	/* MC-link 4.3-4.10 and 7bis.3: only with RULES_MCLINK there are format faults. */
	enum rule_system system;
	const char *subject; /* decoded; NULL: not known, no fault of it is reported */
	const char *code;    /* the game's four characters */
	unsigned number;     /* of the game in its event; 0: not known */
	const char *name;    /* the sender's; NULL: not known */
};

/* Reads the new text. Fills all of *ret but `trust` and `sent`, which the caller knows. `ply`
 * is the position the message speaks of: as in the context (one less when it is not the
 * sender's turn there), or another one when the numbers say so; it may lie beyond the game,
 * then `own` was read in the last position of the sender's turn. The excerpts are in
 * newtext->text, which the message borrows. Returns 0 or -ENOMEM. */
MUST_CHECK int grammar_read(
	const struct newtext *newtext, const struct grammar_context *context, struct message *ret);

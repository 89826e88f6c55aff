/*
 * Conditional moves (IECC 7.6, RAZSh variants 3.7-3.8, MC-link 5): series that a player has
 * offered, as they wait in the game for the opponent's answer. Values only.
 *
 * A line is played in turns, beginning with the move that is expected of the opponent:
 * expected, reply, expected, reply ... Only the lines of the side that is not on the move
 * are alive; each is kept from the present position on, played plies are cut off its front.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/position.h"

#define CONDITIONAL_LINES_MAX 8  /* "if ... ; if ..." */
#define CONDITIONAL_PLIES_MAX 32 /* of one line; even: every expected move has its reply */

struct conditional_line {
	uint16_t moves[CONDITIONAL_PLIES_MAX];
	size_t n;
};

struct conditionals {
	enum side by; /* who offered them */
	struct conditional_line lines[CONDITIONAL_LINES_MAX];
	size_t n_lines; /* 0: none wait */
};

/* The reply to MOVE, MOVE_NONE if none of the lines expects it. */
uint16_t conditionals_reply(const struct conditionals *conditionals, uint16_t move);

/* MOVE and REPLY were played: the lines that begin with them go on behind them, all others
 * are gone. */
void conditionals_advance(struct conditionals *conditionals, uint16_t move, uint16_t reply);

/* How many pairs (expected move and reply) of MOVES[0..n) follow one of the lines, and
 * whether they are the whole of a line (MC-link 5.3). */
size_t conditionals_match(
	const struct conditionals *conditionals, const uint16_t *moves, size_t n, bool *ret_whole);

/* The most replies that one of the lines holds. */
size_t conditionals_reach(const struct conditionals *conditionals);

/*
 * Adds a line to those that wait in POSITION (after the own move of their side): the legal
 * moves of LINE from its beginning, up to the last reply. False if the line breaks off: a
 * move is not legal, or it answers an expected move otherwise than a line before it.
 */
bool conditionals_add(struct conditionals *conditionals, const struct position *position,
	const struct conditional_line *line);

/* For the store: "e2e4 e7e5; d2d4 d7d5", with its final NUL; reading checks that all is legal
 * in POSITION. Returns the length; 0, or -EINVAL. */
#define CONDITIONALS_TEXT_MAX ((size_t)CONDITIONAL_LINES_MAX * (CONDITIONAL_PLIES_MAX * 6 + 2))
size_t conditionals_write(const struct conditionals *conditionals, char out[CONDITIONALS_TEXT_MAX]);
MUST_CHECK int conditionals_read(
	const char *text, const struct position *position, enum side by, struct conditionals *ret);

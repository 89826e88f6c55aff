/*
 * A game as the rules see it: the record of moves and where the game stands. Its clock
 * is beside it (rules/clock.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/position.h"
#include "rules/clock.h"
#include "rules/conditionals.h"

enum game_state {
	GAME_SCHEDULED = 0, /* the start has not come */
	GAME_ACTIVE,
	GAME_SUSPENDED, /* an IECC overstep, a RAZSh claim, a withdrawal before its ruling */
	GAME_FINISHED,
};

enum termination {
	TERMINATION_NONE = 0,
	TERMINATION_CHECKMATE,
	TERMINATION_STALEMATE,
	TERMINATION_DEAD_POSITION,
	TERMINATION_THREEFOLD,
	TERMINATION_FIVEFOLD,
	TERMINATION_FIFTY_MOVES,
	TERMINATION_SEVENTYFIVE_MOVES,
	TERMINATION_AGREEMENT,
	TERMINATION_RESIGNATION,
	TERMINATION_TIME,
	TERMINATION_FORFEIT,
	TERMINATION_ADJUDICATION,
	TERMINATION_ANNULLED,
};

/* What a suspended game waits for. */
enum awaiting {
	AWAITING_NONE = 0,
	AWAITING_OVERSTEP,     /* the arbiter's word on an overstep (IECC 7.10) */
	AWAITING_CLAIM,        /* his ruling on a claim (RAZSh 6.3) */
	AWAITING_WITHDRAWAL,   /* a player withdraws (IECC 3.1, RAZSh 8) */
	AWAITING_AGREEMENT,    /* a draw agreed: the Coordinator checks it (MC-link 9) */
	AWAITING_ADJUDICATION, /* the event has ended (RAZSh 9.4) */
};

enum draw_offer {
	OFFER_NONE = 0,
	OFFER_WHITE,
	OFFER_BLACK,
};

/* A view: the arrays belong to whoever loaded the game and outlive it. */
struct game {
	struct position start; /* before the first move of the list */
	struct position now;   /* after the last one */
	const uint16_t *moves; /* all moves made, the thematic ones first */
	size_t n_moves;        /* plies made */
	size_t n_thematic;     /* of these, moves that the event has set */
	enum game_state state;
	enum clock_result result;
	enum termination termination;
	enum draw_offer draw_offer;
	enum awaiting awaiting; /* with GAME_SUSPENDED; and a claim of RAZSh section II that
				   does not interrupt */
	enum side awaiting_by;  /* who overstepped, claimed, withdrew, accepted the draw */
	int64_t withdrew[2];    /* when the side withdrew, as long as that has not been rejected: it
				   may wait behind another ruling, or has lost the game (MC-link
				   11); 0: it has not */
	size_t demanded[2];     /* MC-link 9: plies made when the side demanded mate within fifty
				   moves, plus one; 0: it has not */
	struct conditionals conditionals; /* of the side that is not on the move */
};

/* The names that the contract gives them: "scheduled", "checkmate", "1-0". */
const char *game_state_name(enum game_state state);
const char *termination_name(enum termination termination); /* NULL for none */
const char *awaiting_name(enum awaiting awaiting);          /* NULL for none */
enum awaiting awaiting_find(const char *name);              /* AWAITING_NONE if unknown */
const char *result_name(enum clock_result result);
enum game_state game_state_find(const char *name); /* GAME_SCHEDULED if unknown */

/* The position after the first PLY plies, PLY <= n_moves. */
struct position game_position(const struct game *game, size_t ply);
/* Who was to move then. */
enum side game_turn(const struct game *game, size_t ply);

/*
 * What the board says about draws (FIDE Laws 5.2, 6.9, 9.2, 9.3, 9.6). Facts only: whether a
 * claim must be made, or a fact ends the game by itself, is for the rules of the event.
 */
#pragma once

#include "core/position.h"

enum draws_answer {
	DRAWS_NO = 0,
	DRAWS_YES,
	DRAWS_UNDECIDED, /* counts as: there is still a way to mate */
};

/* Positions that a search may visit. 50,000 take some ten milliseconds at most and prove what
 * can be proved in play; 10,000 are enough after every move. */
#define DRAWS_BUDGET 50000
#define DRAWS_BUDGET_SMALL 10000

/* Whether SIDE could still mate by any series of legal moves of both (6.9, 5.1.2): by material,
 * then by games at random, which can only say yes, and by visiting the positions that can be
 * reached, at most BUDGET of them. */
enum draws_answer draws_can_mate(const struct position *position, enum side side, size_t budget);

/* Neither side can (5.2.2). A mate on the board is not dead. */
enum draws_answer draws_dead(const struct position *position, size_t budget);

/* By material alone: K, KN, KB and bishops of one square colour against as much. */
bool draws_insufficient(const struct position *position);

/* How often the position after MOVES has been on the board since START, itself counted: same
 * board, side on move, castling rights and legal en-passant capture (9.2.3). */
size_t draws_repetitions(const struct position *start, const uint16_t *moves, size_t n);

enum draws_automatic {
	DRAWS_GOES_ON = 0,
	DRAWS_CHECKMATE,
	DRAWS_STALEMATE,
	DRAWS_DEAD_POSITION,
	DRAWS_FIVEFOLD,          /* 9.6.1 */
	DRAWS_SEVENTYFIVE_MOVES, /* 9.6.2 */
};

#define DRAWS_PLY_NONE SIZE_MAX

struct draws_facts {
	struct position position; /* after the moves */
	enum position_end end;
	bool insufficient;
	size_t repetitions;         /* of the last position */
	size_t first_threefold_ply; /* 0 is the start; DRAWS_PLY_NONE */
	size_t first_fivefold_ply;
	bool claim_threefold; /* now, without a move */
	bool claim_fifty;
	struct move_list threefold_with;     /* moves that may be named with a claim (9.2.1) */
	struct move_list fifty_with;         /* (9.3.1) */
	enum draws_answer dead, can_mate[2]; /* by enum side */
	enum draws_automatic automatic;      /* the first that applies, mate before all */
};

/* All facts after N legal MOVES from START. Returns 0 or -ENOMEM. */
MUST_CHECK int draws_facts(const struct position *start, const uint16_t *moves, size_t n,
	size_t budget, struct draws_facts *ret_facts);

#include "rules/game.h"

#include <assert.h>
#include <string.h>

static const char *const state_names[] = {
	[GAME_SCHEDULED] = "scheduled",
	[GAME_ACTIVE] = "active",
	[GAME_SUSPENDED] = "suspended",
	[GAME_FINISHED] = "finished",
};

static const char *const termination_names[] = {
	[TERMINATION_NONE] = NULL,
	[TERMINATION_CHECKMATE] = "checkmate",
	[TERMINATION_STALEMATE] = "stalemate",
	[TERMINATION_DEAD_POSITION] = "dead-position",
	[TERMINATION_THREEFOLD] = "threefold",
	[TERMINATION_FIVEFOLD] = "fivefold",
	[TERMINATION_FIFTY_MOVES] = "fifty-moves",
	[TERMINATION_SEVENTYFIVE_MOVES] = "seventyfive-moves",
	[TERMINATION_AGREEMENT] = "agreement",
	[TERMINATION_RESIGNATION] = "resignation",
	[TERMINATION_TIME] = "time",
	[TERMINATION_FORFEIT] = "forfeit",
	[TERMINATION_ADJUDICATION] = "adjudication",
	[TERMINATION_ANNULLED] = "annulled",
};

static const char *const awaiting_names[] = {
	[AWAITING_NONE] = NULL,
	[AWAITING_OVERSTEP] = "overstep",
	[AWAITING_CLAIM] = "claim",
	[AWAITING_WITHDRAWAL] = "withdrawal",
	[AWAITING_AGREEMENT] = "agreement",
	[AWAITING_ADJUDICATION] = "adjudication",
};

static const char *const result_names[] = {
	[RESULT_NONE] = "*",
	[RESULT_WHITE] = "1-0",
	[RESULT_BLACK] = "0-1",
	[RESULT_DRAW] = "1/2-1/2",
};

const char *game_state_name(enum game_state state)
{
	return state_names[state];
}

const char *termination_name(enum termination termination)
{
	return termination_names[termination];
}

const char *awaiting_name(enum awaiting awaiting)
{
	return awaiting_names[awaiting];
}

enum awaiting awaiting_find(const char *name)
{
	for (size_t i = 1; i < ARRAY_SIZE(awaiting_names); i++)
		if (strcmp(awaiting_names[i], name) == 0)
			return (enum awaiting)i;
	return AWAITING_NONE;
}

const char *result_name(enum clock_result result)
{
	return result_names[result];
}

enum game_state game_state_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(state_names); i++)
		if (strcmp(state_names[i], name) == 0)
			return (enum game_state)i;
	return GAME_SCHEDULED;
}

struct position game_position(const struct game *game, size_t ply)
{
	assert(ply <= game->n_moves);

	if (ply == game->n_moves)
		return game->now;
	struct position position = game->start;
	for (size_t i = 0; i < ply; i++)
		position_make(&position, game->moves[i]);
	return position;
}

enum side game_turn(const struct game *game, size_t ply)
{
	enum side first = (enum side)game->start.turn;
	return ply % 2 == 0 ? first : side_other(first);
}

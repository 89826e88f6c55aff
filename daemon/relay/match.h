/*
 * A match: one game with all that a decision about it needs, as the store has it: event,
 * players, zones, moves, the clock folded up.
 */
#pragma once

#include "daemon/relay/club.h"
#include "daemon/store/arena.h"
#include "daemon/store/games.h"
#include "daemon/store/ledger.h"
#include "daemon/store/people.h"
#include "rules/clock.h"
#include "rules/decide.h"
#include "rules/game.h"

struct match {
	struct arena arena;
	struct club *club;
	struct game_row row;
	struct tournament_row tournament;
	struct player_row players[2];
	const struct zone *zones[2];
	struct clock_parameters parameters;
	const struct ledger_row *ledger;
	size_t n_ledger;
	struct clock *clock;
	struct game game;  /* a view of row */
	const char *id;    /* "KO-50.2/1" */
	size_t moves_room; /* of row.moves */
};

/* Loads the game with this id. -ENOENT: no such game. -EBADMSG: what is stored about it
 * contradicts itself. */
MUST_CHECK int match_open(struct club *club, int64_t id, struct match **ret_match);
void match_free(struct match *match);
static inline void match_freep(struct match **match)
{
	if (*match)
		match_free(*match);
}
#define CLEANUP_MATCH __attribute__((cleanup(match_freep)))

/* Finds a game by its name, "CODE/NUMBER": 1, 0 there is none, -errno. */
MUST_CHECK int match_find(struct club *club, const char *name, int64_t *ret_id);

/* SIDE of a player, or -ENOENT if he does not play here. */
MUST_CHECK int match_side(const struct match *match, const char *player);
/* Has the event's start come at NOW, although its timer has not fired? Makes the game
 * active in this view only, for a dry run. */
void match_pretend_started(struct match *match, int64_t now);

/* The first instant at which the side to move oversteps if nothing arrives; INSTANT_NONE when no
 * clock runs, or a held move puts it off. */
MUST_CHECK int match_deadline(const struct match *match, int64_t *ret_deadline);

/* What event and club bring to a decision about it, beside what a message brings. */
void match_context(const struct match *match, struct rules_context *ret_context);

/* The parameters of a stored tournament's rules. */
MUST_CHECK int match_parameters(
	const struct tournament_row *tournament, struct clock_parameters *ret_parameters);

/* Appends a move to the view and its row. */
void match_add_move(struct match *match, uint16_t move);
/* Takes moves back until PLIES are left. */
void match_take_back(struct match *match, size_t plies);

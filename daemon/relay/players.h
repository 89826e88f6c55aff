/*
 * Changes of what the club knows of a player, asked for otherwise than by a tournament file.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "daemon/relay/club.h"
#include "daemon/store/arena.h"
#include "daemon/store/people.h"

/* What is NULL stays. */
struct player_change {
	const char *email; /* addresses, separated by commas: instead of all that he has */
	const char *added; /* one address more, behind them */
	const char *timezone, *language, *notation;
	bool entered; /* by somebody else than he: he is told, where he could be reached before too
		       */
};

/* Carries the change out in the running transaction. 0 done, and *ret_row is the player as he is
 * now; 1 refused, and *ret_fault says why in words; -errno. New addresses make new reply tokens;
 * one that is added leaves them as they are. A new zone holds from the next message on
 * (IECC 7.2). Opponents and arbiters of his games are told of new addresses (IECC 4.1, RAZSh
 * 1.2), and he himself, whose old tokens prove nothing any more. Strings live in ARENA. */
MUST_CHECK int players_change(struct club *club, struct arena *arena, const char *player,
	const struct player_change *change, int64_t now, struct player_row *ret_row,
	const char **ret_fault);

/* The player has another zone from NOW on: his games are told. */
MUST_CHECK int players_zone(
	struct club *club, struct arena *arena, const struct player_row *row, int64_t now);

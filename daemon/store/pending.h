/*
 * What waits for somebody's word: a leave that an opponent or the arbiter was asked about
 * (IECC 8.2, 8.3, RAZSh 7.7), and a change of address that both addresses must confirm.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "daemon/store/arena.h"
#include "daemon/store/store.h"

struct pending_leave {
	int64_t id;
	int64_t game;
	const char *player;  /* who asks for it */
	int32_t first, last; /* dates, inclusive */
	int64_t announced;   /* UTC ms */
	bool arbiter;        /* the arbiter was asked; else the opponent */
};

MUST_CHECK int pending_leave_insert(struct store *store, const struct pending_leave *leave);
/* The newest one of a game that waits for the arbiter, or for an opponent, and was not asked
 * for by NOT_BY (NULL: whoever asked). 1 found, 0 none waits. */
MUST_CHECK int pending_leave_find(struct store *store, struct arena *arena, int64_t game,
	bool arbiter, const char *not_by, struct pending_leave *ret_leave);
/* How many wait for the arbiter, in a game or (0) in all. */
MUST_CHECK int pending_leave_count(struct store *store, int64_t game, int64_t *ret_count);
/* Nobody waits any more for an answer to this player's request for these dates in the event of
 * the game. */
MUST_CHECK int pending_leave_settle(struct store *store, const struct pending_leave *leave);

struct pending_address {
	int64_t inbox; /* the message that tells of it */
	const char *player;
	const char *old, *new; /* as they were written */
	int64_t asked;         /* UTC ms */
	bool old_confirmed, new_confirmed;
};

/* An earlier change of the same player that waits is dropped. */
MUST_CHECK int pending_address_insert(struct store *store, const struct pending_address *address);
/* 1 found, 0 there is none (any more). */
MUST_CHECK int pending_address_load(struct store *store, struct arena *arena, int64_t inbox,
	struct pending_address *ret_address);
/* The old or the new address has confirmed it. */
MUST_CHECK int pending_address_confirm(struct store *store, int64_t inbox, bool new);
MUST_CHECK int pending_address_drop(struct store *store, int64_t inbox);

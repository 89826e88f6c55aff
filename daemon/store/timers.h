/*
 * Deadlines: instants at which something happens without a message. Keyed by game, kind,
 * ply and instant, so that each fires once, also across restarts; those that are set anew
 * with every change of the game are disarmed first.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "daemon/store/arena.h"
#include "daemon/store/store.h"

struct timer_row {
	int64_t game;
	const char *kind; /* start, overstep, confirm, ... */
	int64_t ply;      /* plies made; with 'confirm' the inbox row */
	int64_t at;
};

/* Arms a timer. One that has fired stays fired. */
MUST_CHECK int timers_arm(struct store *store, const struct timer_row *timer);
/* The same, but not if one of this game, kind and ply has fired at whatever instant. */
MUST_CHECK int timers_arm_once(struct store *store, const struct timer_row *timer);
/* What is armed of one kind will not fire any more, and stays known. */
MUST_CHECK int timers_lapse(struct store *store, int64_t game, const char *kind, int64_t at);
/* Takes away the armed timers of a game of one kind. */
MUST_CHECK int timers_disarm(struct store *store, int64_t game, const char *kind);
/* What it waited for has come: it will not fire any more, whatever its instant. */
MUST_CHECK int timers_settle(struct store *store, const struct timer_row *timer, int64_t at);
/* Those of this kind (NULL: of all kinds) that have fired at PLY or later may fire again. */
MUST_CHECK int timers_forget(struct store *store, int64_t game, const char *kind, int64_t ply);
MUST_CHECK int timers_fired(struct store *store, const struct timer_row *timer, int64_t at);

/* The armed timer that comes first: 1 found, 0 none. */
MUST_CHECK int timers_next(struct store *store, struct arena *arena, struct timer_row *ret_timer);
/* The armed timer of this game that comes first: 1 found, 0 none. */
MUST_CHECK int timers_next_of(
	struct store *store, struct arena *arena, int64_t game, struct timer_row *ret_timer);
/* Has this game an armed timer at or before AT? 1 yes. */
MUST_CHECK int timers_due(struct store *store, int64_t game, int64_t at);
/* Has this game an armed timer of that kind? 1 yes. */
MUST_CHECK int timers_armed(struct store *store, int64_t game, const char *kind);
/* How many of that kind are armed, of a game or (0) of all, and the first instant among them
 * (INSTANT_NONE: there is none). */
MUST_CHECK int timers_count(struct store *store, const char *kind, int64_t game, int64_t *ret_count,
	int64_t *ret_first);
/* Is one of this game, kind and ply armed, at whatever instant? 1 yes. */
MUST_CHECK int timers_is_armed(struct store *store, const struct timer_row *timer);
/* When one of this game, kind and ply fired: 1 found, 0 none has. */
MUST_CHECK int timers_last_fired(
	struct store *store, const struct timer_row *timer, int64_t *ret_fired);

/*
 * What bulletins of an event tell of beside the games themselves (MC-link 2.2, 6.3, 7ter.12):
 * the decisions on stops, and the bulletins that have appeared.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "daemon/store/arena.h"
#include "daemon/store/store.h"
#include "rules/leave.h"

struct stop_row {
	int64_t game;
	enum side side; /* whose stop */
	int64_t at;     /* of the decision */
	enum stop_act act;
	bool vacation;
	int64_t start, end; /* INSTANT_NONE where it has none */
	bool granted;
	int hours;
	unsigned reasons;   /* enum stop_reason */
	const char *reason; /* the Coordinator's words, or NULL */
};

MUST_CHECK int bulletins_add_stop(struct store *store, const struct stop_row *row);
/* What was decided in the games of an event behind the row SINCE, in order. */
MUST_CHECK int bulletins_stops(struct store *store, struct arena *arena, const char *tournament,
	int64_t since, struct stop_row **ret_rows, size_t *ret_n);

/* An input about one of the event's games. */
struct decision_row {
	const char *game; /* "KO-50.2/1" */
	int64_t at;
	const char *kind; /* ruling, lotto */
	const char *data; /* JSON, as the event log has it */
};
/* Rulings and lots in the games of an event, behind the event SINCE, in order. */
MUST_CHECK int bulletins_decisions(struct store *store, struct arena *arena, const char *tournament,
	int64_t since, struct decision_row **ret_rows, size_t *ret_n);

struct bulletin_row {
	int64_t number; /* from 1; 0: none has appeared */
	int64_t at;
	int64_t last_stop, last_event; /* up to which it has told */
};
/* The next bulletin of the event appears at AT. */
MUST_CHECK int bulletins_add(struct store *store, const char *tournament, int64_t at);
/* The last one of an event: 1 found, 0 none has appeared (and *ret_row is all zero). */
MUST_CHECK int bulletins_last(
	struct store *store, const char *tournament, struct bulletin_row *ret_row);

/* The event's timer that is armed, of that kind: 1 found, 0 none. */
MUST_CHECK int bulletins_armed(struct store *store, const char *tournament, const char *kind,
	int64_t *ret_game, int64_t *ret_ply, int64_t *ret_at);
/* The last instant that a clock of the event's games knows of: 1 found, 0 none has begun. */
MUST_CHECK int bulletins_activity(struct store *store, const char *tournament, int64_t *ret_at);

/* Where a game stood in the last bulletin: 1 found, 0 it was in none. */
MUST_CHECK int bulletins_game(
	struct store *store, int64_t game, size_t *ret_plies, bool *ret_finished);
MUST_CHECK int bulletins_put_game(struct store *store, int64_t game, size_t plies, bool finished);

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
	unsigned reasons;   /* enum stop_reason */
	const char *reason; /* the Coordinator's words, or NULL */
};

MUST_CHECK int bulletins_add_stop(struct store *store, const struct stop_row *row);
/* What was decided in a game behind SINCE (INSTANT_NONE: ever) and up to UNTIL, in order. */
MUST_CHECK int bulletins_stops(struct store *store, struct arena *arena, int64_t game,
	int64_t since, int64_t until, struct stop_row **ret_rows, size_t *ret_n);

MUST_CHECK int bulletins_add(
	struct store *store, const char *tournament, int64_t number, int64_t at);
/* The last one of an event: 1 found, 0 none has appeared. */
MUST_CHECK int bulletins_last(
	struct store *store, const char *tournament, int64_t *ret_number, int64_t *ret_at);

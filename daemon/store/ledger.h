/*
 * The ledgers of the games' clocks: the events from which a clock is folded
 * (rules/clock.h), each with the message that caused it.
 */
#pragma once

#include <stdint.h>

#include "daemon/store/arena.h"
#include "daemon/store/store.h"
#include "rules/clock.h"

struct ledger_row {
	struct clock_event event; /* event.zone is not filled: see zone_name */
	const char *zone_name;    /* CLOCK_ZONE, or NULL */
	int64_t seq;
	size_t ply;    /* plies made when it happened, a move itself included */
	int64_t inbox; /* the message that caused it, 0 if none */
};

MUST_CHECK int ledger_append(
	struct store *store, int64_t game, const struct ledger_row *row, int64_t *ret_seq);
MUST_CHECK int ledger_load(struct store *store, struct arena *arena, int64_t game,
	struct ledger_row **ret_rows, size_t *ret_n);

/* The relay's copy of a move or start, or of a query, was taken by the receiver's server at
 * AT. Only the first proof counts. */
MUST_CHECK int ledger_delivered(struct store *store, int64_t game, int64_t seq, int64_t at);
MUST_CHECK int ledger_queried(struct store *store, int64_t game, int64_t seq, int64_t at);
/* It came back: as if it had never been taken (rules, section 0). */
MUST_CHECK int ledger_returned(struct store *store, int64_t game, int64_t seq, bool query);

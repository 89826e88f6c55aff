/*
 * When something of the club's was out of reach: a mailbox, the delivery target, the daemon
 * itself.
 */
#pragma once

#include "daemon/store/arena.h"
#include "daemon/store/store.h"

struct outage_row {
	const char *what; /* "mailbox moves", "delivery", "daemon" */
	int64_t from;     /* UTC ms */
	int64_t to;       /* INSTANT_NONE: still */
};

/* 1 begun, 0 it is out of reach already. */
MUST_CHECK int outages_begin(struct store *store, const char *what, int64_t from);
/* 1 ended, 0 it was within reach. */
MUST_CHECK int outages_end(struct store *store, const char *what, int64_t to);

/* In the order in which they began: those that last, and those that ended after an instant
 * (INT64_MAX: none of them). */
MUST_CHECK int outages_load(struct store *store, struct arena *arena, int64_t after,
	struct outage_row **ret_rows, size_t *ret_n);
/* Since when it is out of reach: 1, or 0 if it is not. */
MUST_CHECK int outages_since(struct store *store, const char *what, int64_t *ret_from);

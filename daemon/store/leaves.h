/*
 * Leaves of the players, by event: one row for each period that was granted.
 */
#pragma once

#include <stdint.h>

#include "daemon/store/arena.h"
#include "daemon/store/store.h"

struct leave_row {
	int64_t id;
	const char *tournament;
	int32_t first, last; /* dates, inclusive */
};

MUST_CHECK int leaves_insert(struct store *store, const char *player, const struct leave_row *row);
MUST_CHECK int leaves_load(struct store *store, struct arena *arena, const char *player,
	struct leave_row **ret_rows, size_t *ret_n);
/* His leaves in that event that begin up to UNTIL end with LAST; what had not begun by then goes.
 */
MUST_CHECK int leaves_end(struct store *store, const char *player, const char *tournament,
	int32_t last, int32_t until);
/* Edition 1: every leave of his in that event ends with LAST, and all that begin later go. */
MUST_CHECK int leaves_cut(
	struct store *store, const char *player, const char *tournament, int32_t last);

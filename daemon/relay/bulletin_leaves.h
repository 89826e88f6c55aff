/*
 * Leave in the bulletins of an event (IECC 8, RAZSh 7): what was granted, began, ended or was taken
 * back between two of them. Stops of MC-link have records of their own (store/bulletins.h).
 */
#pragma once

#include "daemon/compose/compose.h"
#include "daemon/relay/match.h"

/* From the matches of the event, whose clocks have been advanced to TO: in order of the first days.
 * A leave of one player is told once, whatever the number of his games. */
void bulletin_leaves(struct arena *arena, struct match *const *matches, size_t n, int64_t from,
	int64_t to, struct compose_leave **ret_leaves, size_t *ret_n);

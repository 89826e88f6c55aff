/*
 * Outages of the club's own servers, and what they cost a player (product, section 1): a charge
 * whose time touches one is marked, and a ruling takes off what of it the outage touches.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rules/clock.h"

struct outage {
	int64_t from,
		to; /* the first instant of it, and the first behind it; INT64_MAX: it lasts */
};

/* Does any of them touch the time of the charge, from `received` to `sent`? */
bool outage_touches(const struct clock_charge *charge, const struct outage *outages, size_t n);

/*
 * What is to be credited at PLY (clock_ply + 1: the move that is thought about, as of `at`):
 * those counted dates of the charge, in MC-link hours, that an outage touches, less what has been
 * taken off it already. SINCE is when the time of the move that is thought about began. 0 also
 * where nothing was charged.
 */
int outage_credit(const struct clock *clock, int ply, int64_t at, int64_t since,
	const struct outage *outages, size_t n);

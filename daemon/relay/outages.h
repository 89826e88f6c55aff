/*
 * Outages of the club's own servers: kept as inputs, and looked up for the charges of a clock.
 */
#pragma once

#include "daemon/relay/match.h"
#include "rules/outage.h"

/*
 * Notes in a transaction of its own, at AT, that WHAT ("mailbox moves", "delivery", "daemon") was
 * out of reach: FROM until TO; with TO INSTANT_NONE it still is; with FROM INSTANT_NONE it is
 * no longer. Nothing is written where that is known.
 */
MUST_CHECK int outages_note(
	struct club *club, const char *what, int64_t from, int64_t to, int64_t at);

/* By index of clock_charges: does the charge touch one? In the match's arena. */
MUST_CHECK int outages_marks(struct match *match, bool **ret_marks, size_t *ret_n);

/* What of the move that is thought about an outage touches, as of AT. */
MUST_CHECK int outages_of_turn(struct match *match, int64_t at, int *ret_credit);

/* Fills in what a credit without a number takes off. */
MUST_CHECK int outages_complete(struct match *match, struct ruling *ruling);

/*
 * Bulletins of an event (MC-link 2.2, 6.3, 6.4): what was played, decided and booked since the
 * last one, to all players, arbiters and the public area.
 */
#pragma once

#include <stdint.h>

#include "daemon/relay/club.h"
#include "daemon/store/people.h"

#define BULLETIN_TIMER "bulletin"

/* Writes the event's next bulletin in the running transaction: the state is that of AT. */
MUST_CHECK int bulletin_carry(struct club *club, const struct tournament_row *tournament,
	int64_t at, int64_t now, int64_t *ret_number);

/* An event with an interval (`bulletin-every`) has one timer, on its first unfinished game; its
 * ply is the number of intervals since the start. After an import: it is set anew if the interval
 * has changed or there is none; what lies before the last thing that happened in the event is not
 * made up for. */
MUST_CHECK int bulletin_arm(struct club *club, const struct tournament_row *tournament);
/* The timer on that game was due at AT. */
MUST_CHECK int bulletin_fire(struct club *club, int64_t game, int64_t at, int64_t now);

/*
 * What becomes of a stop after it was granted, and stops that the Coordinator gives (MC-link
 * 7ter.18, 7ter.21, 7ter.24), in all games of its player.
 */
#pragma once

#include "daemon/relay/match.h"
#include "daemon/relay/requests.h"

struct stop_order {
	enum stop_act act; /* not STOP_ASKED */
	enum side side;    /* whose stop, in the match that is given */
	int index;         /* of the stop in that game; not with STOP_GIVEN */
	int64_t start, end;
	bool coordinator;   /* the Coordinator withdraws it, published or not */
	const char *reason; /* his words for the bulletin, or NULL */
	int64_t at;
};

/* Carries the order out in the running transaction, in HOME and in the player's other
 * unfinished games, and tells all. Strings of the result live in ARENA. A refused order has
 * changed nothing but the record of it. */
MUST_CHECK int stops_carry(struct match *home, struct arena *arena, const struct stop_order *order,
	int64_t now, struct request_result *ret_result);

/* Keeps for the bulletin what was decided on a stop in one game. */
MUST_CHECK int stops_keep(const struct match *match, enum side side, const struct request *request,
	const struct leave_outcome *outcome);

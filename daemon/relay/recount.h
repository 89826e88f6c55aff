/*
 * MC-link 7.5': a player with two or more games in an event has more hours, by how many of
 * them are unfinished. Each clock reads the number at its next manche; here it is told.
 */
#pragma once

#include "daemon/relay/match.h"

/* Tells the match's own clock, before it starts. */
MUST_CHECK int recount_own(struct match *match, int64_t at);
/* The match has begun or is over: tells the clocks of the other running games of its two
 * players. Nothing happens under rules without increments. */
MUST_CHECK int recount_others(struct match *match, int64_t at);

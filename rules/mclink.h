/*
 * The clock of MC-link's rules: whole hours by MC-link's own clock (7.2-7.4), an allowance
 * for each manche (7.3'-7.7'), penalties served in the next one (7bis), stops (7ter),
 * sudden death (8).
 */
#pragma once

#include "rules/clock_system.h"

extern const struct clock_ops mclink_ops;

/* 7.4: the whole hour that an instant counts as. */
int64_t mclink_round(const struct clock *clock, int64_t instant);
/* Time of the side in its manche at an instant, and its moves. */
int mclink_tenths_left(const struct clock *clock, enum side side, int64_t at);
int mclink_moves_left(const struct clock *clock, enum side side);

/* Stops, in rules/mclink_stops.c: as clock_ops.consider and .apply. */
int mclink_consider(
	const struct clock *clock, const struct clock_event *event, struct clock_answer *ret);
int mclink_stop(
	struct clock *clock, const struct clock_event *event, struct clock_answer *ret, bool *keep);

/*
 * What an event of the rules calculator did, as JSON.
 */
#pragma once

#include <jansson.h>

#include "rules/clock.h"

/* A new reference. */
json_t *clock_answer_json(const struct clock *clock, const struct clock_event *event,
	const struct clock_answer *answer);
/* The overstep that suspends an IECC game, or null. */
json_t *clock_overstep_json(const struct clock *clock);

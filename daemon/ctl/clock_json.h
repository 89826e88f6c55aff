/*
 * The clocks as JSON: the rules calculator, and what `game --json` shows of a clock.
 */
#pragma once

#include <jansson.h>

#include "core/base.h"
#include "rules/clock.h"
#include "rules/lotto.h"

/* Room for the one line that says what is wrong with a request. */
#define CLOCK_FAULT_SIZE 256

/*
 * Compute a request of the rules calculator. 0 and a new value in *ret_answer; -EINVAL and
 * in `fault` the path of what is wrong and why; -ENOMEM.
 */
MUST_CHECK int clock_json_compute(
	json_t *request, json_t **ret_answer, char fault[CLOCK_FAULT_SIZE]);

/* A player's state, and the charges of the game, as of an instant. New references. */
json_t *clock_json_side(const struct clock *clock, enum side side, int64_t at);
json_t *clock_json_ledger(const struct clock *clock);
/* MC-link 10: the numbers of both, the virtual winner, the counters afterwards. */
json_t *clock_json_lotto(const struct lotto *lotto);

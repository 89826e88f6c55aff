/*
 * Claims of time: RAZSh 6, in section III and section II.
 */
#include "rules/razsh.h"

#include <stddef.h>

/* 6.1: until the claimant's own move that answers the opponent's 10th, 20th ... */
static int open_control(const struct clock *clock, enum side claimant)
{
	enum side other = side_other(claimant);
	int answered = moves_made(clock, claimant) - (claimant == clock->first ? 1 : 0) -
		       clock->razsh.side[other].dropped;

	return (answered < 0 ? 0 : answered) / clock->parameters.control_moves + 1;
}

static void claim_account(
	const struct clock *clock, const struct clock_event *event, struct clock_answer *ret)
{
	enum side late = side_other(event->by);
	int last = clock->razsh.side[late].dropped + event->n * clock->parameters.control_moves;

	ret->limit = event->n * clock->parameters.control_days;
	if (moves_made(clock, late) >= last) {
		ret->spent = razsh_total_up_to(clock, late, last);
		return;
	}
	int reachable = razsh_reachable_limit(clock, late);
	if (reachable > ret->limit)
		ret->limit = reachable;
	ret->spent = razsh_total_up_to(clock, late, INT32_MAX) +
		     razsh_weight(clock, late, razsh_running(clock, late, event->at));
}

/* 6.1, 6.7: may it be raised, and is it borne out? */
int razsh_consider(
	const struct clock *clock, const struct clock_event *event, struct clock_answer *ret)
{
	if (event->kind != CLOCK_CLAIM)
		return CLOCK_ERROR_SYSTEM;
	if (!clock->started)
		return CLOCK_ERROR_NOT_STARTED;
	if (clock->razsh.claimed)
		return CLOCK_ERROR_STATUS;
	if (event->n < 1)
		return CLOCK_ERROR_VALUE;
	ret->open_control = open_control(clock, event->by);
	if (clock->razsh.side[event->by].barred == event->n)
		ret->reason = "claims barred in this cycle";
	else if (event->n < ret->open_control)
		ret->reason = "too late";
	else if (event->n > ret->open_control)
		ret->reason = "not reached";
	if (ret->reason != NULL)
		return 0;
	claim_account(clock, event, ret);
	ret->granted = true;
	ret->borne_out = ret->spent > ret->limit;
	ret->objection_days = clock->parameters.objection_days;
	return 0;
}

bool clock_claim_interrupts(const struct clock *clock, enum side claimant)
{
	const struct razsh_side *late = &clock->razsh.side[side_other(claimant)];

	return late->upheld + 1 >= clock->parameters.oversteps_lost;
}

int razsh_claim(
	struct clock *clock, const struct clock_event *event, struct clock_answer *ret, bool *keep)
{
	struct razsh *razsh = &clock->razsh;

	int r = razsh_consider(clock, event, ret);
	*keep = ret->granted;
	if (r != 0 || !ret->granted)
		return r;
	razsh->claimed = true;
	razsh->claimant = event->by;
	razsh->control = event->n;
	if (!clock_claim_interrupts(clock, event->by))
		return 0;
	/* 6.3: the days up to the claim are kept. */
	razsh->kept = razsh_running(clock, clock->turn, event->at);
	razsh->base = DATE_NONE;
	clock->status = CLOCK_INTERRUPTED;
	return 0;
}

/* The move with which the limit of the control was exceeded. */
static int overstepping_move(const struct clock *clock, enum side late)
{
	int limit = clock->razsh.control * clock->parameters.control_days;
	int move = clock->razsh.side[late].dropped + 1;

	while (move <= moves_made(clock, late) && razsh_total_up_to(clock, late, move) <= limit)
		move++;
	return move;
}

int razsh_ruling(struct clock *clock, const struct clock_event *event, struct clock_answer *ret)
{
	struct razsh *razsh = &clock->razsh;
	enum side late = side_other(razsh->claimant);

	if (!razsh->claimed)
		return CLOCK_ERROR_STATUS;
	razsh->claimed = false;
	if (event->flag && ++razsh->side[late].upheld >= clock->parameters.oversteps_lost) {
		ret->result = late == SIDE_WHITE ? RESULT_BLACK : RESULT_WHITE;
		razsh->lost = true;
		clock_finish(clock, ret->result, event->at);
		return 0;
	}
	/* Section II 6.4: after the first overstep the count begins anew. */
	if (event->flag) {
		razsh->side[late].dropped = overstepping_move(clock, late);
		razsh->side[late].over_limit = 0;
	}
	if (event->ban)
		razsh->side[razsh->claimant].barred = razsh->control;
	if (clock->status == CLOCK_INTERRUPTED && !razsh->query)
		razsh_base_set(clock, ruling_told(event));
	clock->status = CLOCK_RUNNING;
	ret->kept = razsh->kept;
	ret->has_turn = true;
	ret->turn = clock->turn;
	ret->arrival = razsh->base;
	return 0;
}

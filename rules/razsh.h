/*
 * The clock of the RAZSh rules, section III (e-mail) and section II (post): days by local
 * dates, carried on from control to control; an overstep is open to a claim (6.1).
 */
#pragma once

#include "rules/clock_system.h"

extern const struct clock_ops razsh_ops;

/* Is it section II? */
bool razsh_is_post(const struct clock *clock);

/* Days and bookings on the moves up to `last` that still count. */
int razsh_total_up_to(const struct clock *clock, enum side side, int last);
/* 4.6: the limit of the control that the side may reach, accepting all that is offered. */
int razsh_reachable_limit(const struct clock *clock, enum side side);
/* Days of the answer to come, and what they weigh in the total. */
int razsh_running(const struct clock *clock, enum side side, int64_t at);
int razsh_weight(const struct clock *clock, enum side side, int days);
/* The time of the side on the move runs from a delivery. */
void razsh_base_set(struct clock *clock, int64_t delivered);

/* Claims (6), in rules/razsh_claim.c: as clock_ops.consider and .apply. */
int razsh_consider(
	const struct clock *clock, const struct clock_event *event, struct clock_answer *ret);
int razsh_claim(
	struct clock *clock, const struct clock_event *event, struct clock_answer *ret, bool *keep);
int razsh_ruling(struct clock *clock, const struct clock_event *event, struct clock_answer *ret);

/* Leave (7), in rules/razsh_leave.c: as clock_ops.apply. */
int razsh_leave(struct clock *clock, struct applied *entry, struct clock_answer *ret, bool *keep);
int razsh_leave_end(struct clock *clock, const struct clock_event *event, struct clock_answer *ret);

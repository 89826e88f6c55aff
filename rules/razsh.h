/*
 * The clock of the RAZSh rules, section III (e-mail) and section II (post): days by local
 * dates, carried on from control to control; an overstep is open to a claim (6.1).
 */
#pragma once

#include "rules/clock_system.h"

extern const struct clock_ops razsh_ops;

/* Is it section II? */
bool razsh_is_post(const struct clock *clock);

/* Leave (7), in rules/razsh_leave.c: as clock_ops.apply. */
int razsh_leave(struct clock *clock, struct applied *entry, struct clock_answer *ret, bool *keep);
int razsh_leave_end(struct clock *clock, const struct clock_event *event, struct clock_answer *ret);

/*
 * The clock of the RAZSh rules, section III (e-mail) and section II (post): days by local
 * dates, carried on from control to control; an overstep is open to a claim (6.1).
 */
#pragma once

#include "rules/clock_system.h"

extern const struct clock_ops razsh_ops;

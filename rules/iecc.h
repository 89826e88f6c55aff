/*
 * The clock of IECC's guidelines, article 7: days counted by local dates, at most ten for
 * a move and thirty for any ten moves in a row; an overstep suspends the game (7.10).
 */
#pragma once

#include "rules/clock_system.h"

extern const struct clock_ops iecc_ops;

/*
 * The clock of MC-link's rules: whole hours by MC-link's own clock (7.2-7.4), an allowance
 * for each manche (7.3'-7.7'), penalties served in the next one (7bis), stops (7ter),
 * sudden death (8).
 */
#pragma once

#include "rules/clock_system.h"

extern const struct clock_ops mclink_ops;

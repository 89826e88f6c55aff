/*
 * Perft for the two kinds of processors; position_perft chooses. DEPTH is at least 1.
 */
#pragma once

#include "core/position.h"

uint64_t perft_any(const struct position *position, unsigned depth);
#ifdef PERFT_HAS_BMI2
uint64_t perft_bmi2(const struct position *position, unsigned depth);
#endif

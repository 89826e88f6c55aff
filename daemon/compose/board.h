/*
 * A position as a diagram in plain text.
 */
#pragma once

#include "core/position.h"

#define BOARD_MAX 256

/* Ten lines, the pieces by their English letters, Black's in lower case; seen from SIDE. Ends
 * in a newline. Returns the length. */
size_t board_write(const struct position *position, enum side side, char out[BOARD_MAX]);

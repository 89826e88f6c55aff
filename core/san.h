/*
 * The quick way for well-formed English SAN, for the inside of core: no list of moves is made.
 */
#pragma once

#include "core/position.h"

/* Reads a move from the front of TEXT. On success the only legal move that fits and the bytes
 * it takes, marks of check included; MOVE_NONE when it is not as the standard writes it or no
 * single legal move fits: then move_read has the last word. */
uint16_t san_quick(
	const struct position *position, const char *text, size_t size, size_t *ret_used);

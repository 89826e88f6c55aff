/*
 * Editions of what is decided. A store follows from its inputs, and must follow from them for ever:
 * what a version of the program decides otherwise than the one before begins with an edition,
 * and an input that came earlier is decided as it was then (docs/decisions/0013).
 */
#pragma once

#include <stdbool.h>

enum {
	EDITION_FIRST = 1, /* 0.1.0 */
	EDITION_2,         /* 0.2.0 */
	EDITION_NEWEST = EDITION_2,
};

/* Is it decided by edition WANTED, or a later one? 0 is the newest. */
static inline bool edition_includes(int edition, int wanted)
{
	return edition == 0 || edition >= wanted;
}

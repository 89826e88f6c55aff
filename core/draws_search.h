/*
 * What is behind draws_can_mate, for the inside of core.
 */
#pragma once

#include "core/draws.h"

/* LACKS says when a side can not mate by material: such positions are not followed further. */
enum draws_answer draws_search(const struct position *position, enum side side, size_t budget,
	bool (*lacks)(const struct position *position, enum side side));

/* Whether SIDE mates in games played at random, for about the time of a search with BUDGET; true
 * is a proof, false none. */
bool draws_play(const struct position *position, enum side side, size_t budget);

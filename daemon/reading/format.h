/*
 * MC-link's form of a move message (4.3-4.10, 7bis.3, reading 7 and 18): inside of the grammar.
 */
#pragma once

#include "daemon/reading/grammar_inside.h"

/* The faults of a message with an own move, enum format_fault. A move typed into our reply line
 * needs no number, no second statement and no squares of its own. *ret_differ: it is stated more
 * than once, and not as the same move. */
unsigned format_faults(
	const struct grammar *grammar, const struct message *message, bool *ret_differ);

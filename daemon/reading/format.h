/*
 * MC-link's form of a move message (4.3-4.10, 7bis.3, reading 7 and 18): inside of the grammar.
 */
#pragma once

#include "daemon/reading/grammar_inside.h"

/* Fills the faults of a message with an own move. One typed into our reply line needs no number, no
 * second statement and no squares of its own; nor does one above it (AT_LINE: it is there,
 * unaltered): then those are line_faults. Returns whether it is stated more than once, and not as
 * the same move. */
bool format_read(const struct grammar *grammar, bool at_line, struct message *message);

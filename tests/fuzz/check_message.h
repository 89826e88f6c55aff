/*
 * What must hold of every message that the grammar makes, whatever it is made of: excerpts lie
 * in the text, and moves are legal. Aborts where it does not.
 */
#pragma once

#include "daemon/reading/grammar.h"

void check_message(const struct message *message, const struct grammar_context *context);

/* Makes moves, which must all be legal. */
void check_moves(struct position *position, const uint16_t *moves, size_t n);

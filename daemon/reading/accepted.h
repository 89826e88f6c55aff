/*
 * Conditional moves of the opponent that a message accepts by repeating them (IECC 7.6, RAZSh
 * 3.8, MC-link 5.3): inside of the grammar.
 */
#pragma once

#include "daemon/reading/grammar_inside.h"

/* The game as it will have gone on with the accepted moves. */
struct accepted {
	struct grammar_context context;
	uint16_t *moves; /* owned */
};

/* If the own move and what follows it are pairs of a waiting line, fills message->accepted and
 * reads the text again behind them: grammar->found is then the own move after the series, with
 * the repetition that was found before; grammar->context is that of RET. Returns 0 or -ENOMEM;
 * the caller releases RET in any case, when the grammar is no longer used. */
MUST_CHECK int accepted_read(
	struct grammar *grammar, struct message *message, struct accepted *ret);
void accepted_release(struct accepted *accepted);

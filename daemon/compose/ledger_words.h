/*
 * The ledger of a clock in words: for each charge one line that says what was counted, from
 * which stamps, in which zone, by which article, and the sum after it. The words are those of
 * the template "ledger" (config/templates), so they come in the languages of the mails.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "config/templates.h"
#include "core/base.h"
#include "rules/clock.h"
#include "rules/game.h"

struct ledger_words {
	const struct templates *templates;
	const char *language;
	const struct clock *clock;
	const struct game *game; /* of that clock: for the numbers of its moves */
	const char *names[2];    /* of the players; NULL: the template's "White" and "Black" */
	const bool *outages;     /* by index of clock_charges: the charge touches an outage of the
				    club's servers, which a ruling may credit; NULL: none does */
	size_t n_outages;
};

/* The line for CHARGE, one of clock_charges(words->clock), without a newline; it may be longer
 * than a mail's columns. The caller frees it. -ENOMEM, or as template_render. */
MUST_CHECK int ledger_words_line(
	const struct ledger_words *words, const struct clock_charge *charge, char **ret_line);

/* The number on the board of the move that a charge belongs to. */
unsigned ledger_words_number(const struct game *game, const struct clock_charge *charge);

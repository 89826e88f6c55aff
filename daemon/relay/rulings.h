/*
 * Rulings of the arbiter: one implementation for zugpostctl and for mails.
 */
#pragma once

#include <stdint.h>

#include "daemon/relay/match.h"

/* Carries a ruling out in the running transaction and tells both players and the arbiter.
 * TEXT is how it was given, for the log. Held messages of a game that goes on again are judged
 * anew. *ret_decision says whether it could be done. */
MUST_CHECK int rulings_carry(struct match *match, const struct ruling *ruling, const char *text,
	int64_t now, struct decision *ret_decision);

/* Why a request or ruling was not carried out, in English for whoever gave it. */
const char *refusal_text(enum refusal refusal);

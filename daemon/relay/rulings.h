/*
 * Rulings of the arbiter: one implementation for zugpostctl and for mails.
 */
#pragma once

#include <stdint.h>

#include "daemon/relay/judge.h"
#include "daemon/relay/match.h"
#include "daemon/relay/post.h"

/* Carries a ruling out in the running transaction and tells both players and the arbiter.
 * TEXT is how it was given, for the log; ORIGIN tells of its message, reason and author. Held
 * messages of a game that goes on again are judged anew. *ret_decision says whether it could be
 * done. */
MUST_CHECK int rulings_carry(struct match *match, const struct ruling *ruling, const char *text,
	const struct post *origin, int64_t now, struct decision *ret_decision);

/* Carries out the ruling that an arbiter's message states, with INBOX its row and DIGEST that of
 * its bytes. If it cannot be done, judgement->verdict and its decision's refusal say so. */
MUST_CHECK int rulings_receive(
	struct judgement *judgement, int64_t inbox, const char *digest, int64_t now);

/* Why a request or ruling was not carried out, in English for whoever gave it. */
const char *refusal_text(enum refusal refusal);

/*
 * What follows a drawn game of a knockout (MC-link 10): a lot, or in the event's last stage
 * another game.
 */
#pragma once

#include "daemon/compose/compose.h"
#include "daemon/relay/match.h"

enum lotto_refusal {
	LOTTO_DONE = 0,
	LOTTO_OTHER_RULES, /* they know no lots */
	LOTTO_NOT_DRAWN,   /* the game is not drawn */
	LOTTO_SHARED,      /* 10.15: not a knockout, points are shared */
	LOTTO_REPLAYED,    /* 10.12-13: a new game decides */
	LOTTO_ALREADY,     /* it has been drawn */
};
const char *lotto_refusal_text(enum lotto_refusal refusal);

/* What is known of the match's lot: after, drawn (0: not yet), lotto, before. 1 there is or will
 * be one, or another game; 0 nothing follows the match. */
MUST_CHECK int lotto_of(const struct match *match, struct compose_lotto *ret_lotto);

/* The first number on the Rome wheel is DRAWN, of 1 to 90: carried out in the running
 * transaction, all are told. */
MUST_CHECK int lotto_carry(struct match *match, int drawn, int64_t now,
	enum lotto_refusal *ret_refusal, struct compose_lotto *ret_lotto);

/* Has a lot been drawn for the match, or a game begun because of its result? 1 yes. */
MUST_CHECK int lotto_has_followed(const struct match *match);

/* The match has ended at AT: if it is drawn, and its stage asks for more, word of the lot goes
 * out, or the next game begins. */
MUST_CHECK int lotto_follow(struct match *match, int64_t at, int64_t now);

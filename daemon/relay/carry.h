/*
 * Carrying out what was decided: moves, clock, state, deadlines and every mail, all in the
 * caller's transaction.
 */
#pragma once

#include <stdint.h>

#include "daemon/relay/match.h"
#include "daemon/relay/post.h"

/* The timer of a held message that waits for its sender's confirmation; its ply is the
 * message's row. */
#define CONFIRM_TIMER "confirm"

/* The start of the match's event has come (its timer was due at AT). */
MUST_CHECK int carry_start(struct match *match, int64_t at, int64_t now);
/* A timer of the game's clock, or of the event, is due. */
MUST_CHECK int carry_timer(struct match *match, const struct clock_timer *timer, int64_t now);

/* The ledger row SEQ has got its stamp `delivered`. */
MUST_CHECK int carry_delivered(struct match *match, int64_t seq, int64_t now);

/* Sets the game's timers anew, as its clock says. */
MUST_CHECK int carry_deadlines(struct match *match);

/* Carries out a decision that POST is to tell of: a ruling, what a request does to one game. */
MUST_CHECK int carry_decided(
	struct match *match, const struct decision *decision, struct post *post);

/* A mail that could not be delivered: tells the other player and the arbiter. */
MUST_CHECK int carry_bounce(struct match *match, int64_t outbox, const char *reason, int64_t now);

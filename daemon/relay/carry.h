/*
 * Carrying out what was decided: moves, clock, state, deadlines and every mail, all in the
 * caller's transaction.
 */
#pragma once

#include <stdint.h>

#include "daemon/relay/judge.h"
#include "daemon/relay/post.h"

/* Writes a judged message: its row, the effects of its decision, the mails. NOW is the
 * present; the message's own instant is its arrival. */
MUST_CHECK int carry_message(struct club *club, const struct inbox_row *row,
	struct judgement *judgement, const struct letter *letter, int64_t now);

/* Judges a stored message that has been read, and carries it out. HOW says what is special
 * about it; its row, arrival and letter are filled in. */
MUST_CHECK int carry_row(
	struct club *club, const struct inbox_row *row, const struct judge_input *how, int64_t now);

/* The start of the match's event has come (its timer was due at AT). */
MUST_CHECK int carry_start(struct match *match, int64_t at, int64_t now);
/* A timer of the game's clock, or of the event, is due. */
MUST_CHECK int carry_timer(struct match *match, const struct clock_timer *timer, int64_t now);

/* Sets the game's timers anew, as its clock says. */
MUST_CHECK int carry_deadlines(struct match *match);

/* Carries out a decision that POST is to tell of: a ruling, what a request does to one game. */
MUST_CHECK int carry_decided(
	struct match *match, const struct decision *decision, struct post *post);

/* A mail that could not be delivered: tells the other player and the arbiter. */
MUST_CHECK int carry_bounce(struct match *match, int64_t outbox, const char *reason, int64_t now);

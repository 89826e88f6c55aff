/*
 * The work of a pass: everything that is due, in order of its instant. A timer comes
 * before a message of the same instant: a deadline is the first instant that is too late.
 * Each step is one transaction.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "daemon/relay/club.h"

struct work_limits {
	int64_t until;         /* messages and timers up to here are due */
	int64_t scanned_until; /* every mailbox has been scanned completely up to here:
				  a deadline behind it waits */
	int64_t now;           /* the present, for what is written */
};

struct work_done {
	int64_t message; /* inbox row that was decided, 0: it was a timer */
};

/* Does the next piece of work. 1 done, 0 nothing is due, -errno. */
MUST_CHECK int work_step(
	struct club *club, const struct work_limits *limits, struct work_done *ret_done);

/* Paused, nothing is decided and no deadline fires; what arrives is kept, and mails go out. */
#define WORK_PAUSED INT64_MAX /* until it is resumed */
/* Within the caller's transaction; INSTANT_NONE: the work goes on. */
MUST_CHECK int work_pause(struct club *club, int64_t until);
/* 1 it is paused at NOW, and until when; 0. */
MUST_CHECK int work_paused(struct club *club, int64_t now, int64_t *ret_until);

/* The next instant at which a timer is due; leaves *ret_at alone if there is none. */
MUST_CHECK int work_next_timer(struct club *club, int64_t *ret_at);

/* An outbox row was delivered at AT: the reader's time starts. */
MUST_CHECK int work_delivered(struct club *club, int64_t outbox, int64_t at);
/* It can never be delivered: sender and arbiter are told. */
MUST_CHECK int work_undeliverable(
	struct club *club, int64_t outbox, const char *reason, int64_t now);
/* It could not be delivered this time; it is tried again at NEXT. */
MUST_CHECK int work_put_off(
	struct club *club, int64_t outbox, int64_t next, const char *reason, int64_t now);
/* A pass has scanned the mailboxes: kept as an input even if nothing is due. */
MUST_CHECK int work_scanned(struct club *club, const struct work_limits *limits);
/* A message that killed the reader twice: set aside whole, and reported. */
MUST_CHECK int work_set_aside(struct club *club, int64_t inbox, const char *reason, int64_t now);

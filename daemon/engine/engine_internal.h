/*
 * What the files of the engine know of it: engine.c drives, incoming.c brings mail in,
 * readings.c has it read, outgoing.c delivers, notify.c tells the service manager.
 */
#pragma once

#include "daemon/delivery/delivery.h"
#include "daemon/engine/alerts.h"
#include "daemon/engine/engine.h"
#include "daemon/engine/metrics.h"
#include "daemon/intake/intake.h"
#include "daemon/reading/reader.h"

/* A message of the batch that is being stored. */
struct taken {
	char *place;
	int64_t id;
};

struct mailbox_state {
	struct engine *engine;
	const struct configured_mailbox *configured;
	int64_t rank;
	struct intake *intake;
	bool answered, failed; /* in the running round */
	int64_t down_since;    /* it cannot be reached since then; INSTANT_NONE: it can */
	char reason[512];      /* ... and why; this has been logged */
	struct taken *batch;
	size_t n_batch, batch_room;
	struct taken *renumbered; /* those that came again under another UIDVALIDITY */
	size_t n_renumbered;
	bool in_transaction;
};

/* What is known of the delivery target as a whole. */
struct target_state {
	bool down;         /* it could not be reached at the last try */
	int64_t since;     /* ... since then, over restarts; INSTANT_NONE: it is well */
	int64_t next_try;  /* until then nothing goes out: it is down, or wants a pause */
	unsigned failures; /* in a row */
	uint64_t password; /* credential_mark() of the one that the worker has */
	char reason[TARGET_TEXT_MAX];
};

struct engine {
	struct club *club, *fresh;
	void (*changed)(void *userdata); /* after an exchange; or NULL */
	void *changed_userdata;
	struct engine_options options;
	sd_event *event;
	sd_event_source *work;  /* deferred: goes on with what is due */
	sd_event_source *alarm; /* the next instant at which something is due */
	struct mailbox_state *mailboxes;
	size_t n_mailboxes;
	struct reader *reader;
	struct delivery *delivery;

	int64_t round, round_now;
	bool round_running, round_wanted;
	bool complete;
	int64_t until, scanned_until;

	int64_t reading[READER_WINDOW];
	size_t n_reading;
	int64_t lost[READER_WINDOW]; /* messages that took the reader down once; the last ones */
	size_t n_lost;
	struct target_state target;
	struct alerts alerts;
	struct metrics metrics;
	sd_event_source *measure;           /* metrics.c */
	int64_t sent_until;                 /* outbox rows up to here were handed out */
	int64_t freed[DELIVERY_WINDOW + 1]; /* rows before it whose turn has come since */
	size_t n_freed;
	bool drained; /* nothing was due when the work last looked */
	bool unreachable;
	bool stopping;
	sd_event_source *announce; /* a STATUS= that waits (notify.c) */
	char announced[1024];      /* the last one */
	int64_t announced_at;
	int64_t alive; /* this was noted last */
};

/* The store is gone or broken: the loop ends. */
void engine_fail(struct engine *engine, const char *what, int error);
/* Goes on with what is due, from the event loop. */
void engine_wake(struct engine *engine);

/* ---- incoming.c ---- */

MUST_CHECK int incoming_open(struct engine *engine);
void incoming_close(struct engine *engine);
/* Scans every mailbox; at the end the engine is woken and `round_running` is false. */
void incoming_scan(struct engine *engine);
/* A message was decided: it leaves the mailbox's inbox. Of one that is set aside the
 * administrator is told. */
MUST_CHECK int incoming_move(struct engine *engine, int64_t id);
bool incoming_moves_done(const struct engine *engine);

/* ---- watch.c: outages ---- */

/* The daemon has not run since it was last noted to be alive. */
MUST_CHECK int watch_begin(struct engine *engine);
void watch_end(struct engine *engine);
/* A round has ended: which mailboxes could be reached is known. */
MUST_CHECK int watch_round(struct engine *engine);
/* The delivery target could not be reached, or can again. */
MUST_CHECK int watch_target(struct engine *engine, bool down);

/* ---- readings.c ---- */

MUST_CHECK int readings_open(struct engine *engine);
/* Gives the reader what is stored and not read. 1 while something is being read. */
MUST_CHECK int readings_feed(struct engine *engine);

/* ---- outgoing.c ---- */

/* The first opening, with what the store knows of the target. */
MUST_CHECK int outgoing_begin(struct engine *engine);
/* A password that cannot be read leaves the target down, and is no failure. */
MUST_CHECK int outgoing_open(struct engine *engine);
void outgoing_close(struct engine *engine);
/* Hands out what is due. 1 while something is on its way. */
MUST_CHECK int outgoing_pump(struct engine *engine);
/* Mails on their way. */
size_t outgoing_waiting(const struct engine *engine);
/* The next instant at which a mail is to go out; leaves *ret_at alone if there is none. */
MUST_CHECK int outgoing_next(struct engine *engine, int64_t *ret_at);

/*
 * Intake of one mailbox, seen from main: raw messages with their arrival and
 * place, from a worker process. Nothing is read or decided here. The password of an
 * IMAP account is read when the worker asks for it, before each login.
 *
 * The way of a message: on_message hands it over; the owner stores it durably
 * and calls intake_stored(); once it is decided the owner calls
 * intake_handled(), which moves it out of the inbox, and on_handled says that
 * this is done. A message that has not been handled comes again after a restart
 * of the worker: the place tells that it is the same.
 *
 * No handler may call intake_close().
 */
#pragma once

#include <systemd/sd-event.h>

#include "config/configuration.h"
#include "daemon/net/worker.h"

/* Messages, or bytes of them, that may be handed over and not yet stored; then
 * the worker waits. One message is always let through. */
#define INTAKE_WINDOW_MESSAGES 256
#define INTAKE_WINDOW_BYTES (8u << 20)

enum intake_where {
	INTAKE_ARCHIVE = 1, /* handled mail */
	INTAKE_JUNK,        /* ignored mail */
	INTAKE_KEEP,        /* leave it where it is, and do not hand it over again */
};

/* Where `since = first-connection` begins: with the UID next under that UIDVALIDITY; when the
 * server has numbered its mails anew, with mail that arrived at that instant. */
struct intake_mark {
	uint32_t validity, next; /* validity 0: not known yet */
	int64_t instant;         /* UTC milliseconds */
};

/* Milliseconds; 0: as usual. */
struct intake_timing {
	uint32_t idle;             /* IDLE is renewed (10 minutes) */
	uint32_t poll;             /* without IDLE: the server is asked (1 minute) */
	uint32_t retry, retry_max; /* between attempts to connect: grows (1 s to 5 minutes) */
};

struct intake_config {
	const char *maildir; /* path; both INTAKE_ARCHIVE and INTAKE_JUNK mean its cur/ */
	size_t message_size; /* longer messages are cut here */

	/* IMAP, when maildir is NULL; the mailbox must outlive the intake. */
	const struct configured_mailbox *mailbox;
	struct intake_mark mark;
	struct intake_timing timing;
	bool look_only; /* a scan logs in and opens the folder for reading: nothing else */
};

/* Valid during on_message. */
struct intake_message {
	const char *place; /* the message within the mailbox: printable ASCII, at most 1 KiB */
	int64_t arrival;   /* UTC milliseconds, whole seconds */
	int64_t size_full; /* before the cut */
	const void *raw;
	size_t size;
};

/* Why mail does not come in. */
struct intake_outage {
	int64_t since; /* UTC milliseconds: when the connection was lost, or first failed */
	int error;     /* -errno */
	const char *text;
};

struct intake_handlers {
	/* In order of (arrival, file-name bytes or UID) within a scan. */
	void (*on_message)(void *userdata, const struct intake_message *message);
	/* After the last of several messages that came together: the moment to commit
	 * them in one transaction. Comes before on_scan_done. May be NULL. */
	void (*on_batch)(void *userdata);
	/* All that had arrived up to the scan's `now` has been handed over. */
	void (*on_scan_done)(void *userdata, int64_t round);
	/* The mailbox could not be read, or not all of it. error: -errno. */
	void (*on_scan_failed)(void *userdata, int64_t round, int error, const char *text);
	/* Moved (or gone already). May be NULL. */
	void (*on_handled)(void *userdata, const char *place);
	/* It could not be moved; why has been said by on_notice. May be NULL. */
	void (*on_not_handled)(void *userdata, const char *place);
	/* Something may have come: scan when convenient. */
	void (*on_changed)(void *userdata);
	/* Worth a line in the log: a thing in the inbox that is no message, for example. */
	void (*on_notice)(void *userdata, const char *text);
	/* `since` begins here: to be stored durably before any message. IMAP only. */
	void (*on_mark)(void *userdata, const struct intake_mark *mark);
	/* The mailbox cannot be reached, or not be read: once, until on_reachable. Both may be
	 * NULL. A scan that failed for this reason is told as well. */
	void (*on_unreachable)(void *userdata, const struct intake_outage *outage);
	/* A scan was complete again. */
	void (*on_reachable)(void *userdata, const struct intake_outage *outage);
	/* The worker died; if a scan was running, on_scan_failed came first. May be NULL. */
	void (*on_death)(void *userdata, const struct worker_death *death);
};

struct intake;

/* handlers must outlive the intake; config is copied. The program's table of
 * workers must hold {"intake", intake_worker}. */
int intake_open(struct intake **ret_intake, sd_event *event, const struct intake_config *config,
	const struct intake_handlers *handlers, void *userdata) MUST_CHECK;
void intake_close(struct intake *intake);

/* Hands over every message whose arrival is not after now (UTC milliseconds) and
 * that was not stored before. Ends with on_scan_done or on_scan_failed. A scan that
 * is asked for while there is no worker begins with the next one. -EBUSY while one
 * is running. */
int intake_scan(struct intake *intake, int64_t round, int64_t now) MUST_CHECK;
/* The message is stored durably: makes room for further ones. */
int intake_stored(struct intake *intake, const char *place) MUST_CHECK;
/* The message is decided. Means stored as well. Repeated to the next worker until
 * it is done. */
int intake_handled(struct intake *intake, const char *place, enum intake_where where) MUST_CHECK;

/* Moves that are not done yet. */
size_t intake_waiting(const struct intake *intake);
bool intake_scanning(const struct intake *intake);
/* NULL while the mailbox can be reached, as far as is known. */
const struct intake_outage *intake_outage(const struct intake *intake);
pid_t intake_pid(const struct intake *intake);

/* The worker's side, for the table of worker kinds. */
int intake_worker(int fd);

/*
 * All inputs of a club as files that people and other programs can read:
 *
 *   version        "zugpost-export 1", the number of events, the hash of the last one
 *   secret         of the store, in hexadecimal digits
 *   events.jsonl   one event a line, in order (relay/input_log.h): id, at (UTC milliseconds),
 *                  time (the same for people), kind, hash, data
 *   messages/      the raw messages, each under the SHA-256 of its bytes
 *   mails/         what an earlier version of the program wrote, if one did: N.json for the mail of
 *                  number N: message_id, recipient, subject, text, raw
 */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "daemon/store/arena.h"
#include "daemon/store/events.h"
#include "daemon/store/outbox.h"
#include "daemon/store/store.h"

/* Told now and then: so many of so many events are done. */
struct progress {
	FILE *stream; /* NULL: nobody wants to know */
	const char *doing;
	int64_t total, done, shown;
};

/* A line on the stream that is written over again and again; with DONE -1 it is cleared. */
void progress_tell(struct progress *progress, int64_t done);

struct archive_counts {
	int64_t events, messages;
};

/* Writes the folder DIR as of the running transaction: everything or nothing. -EEXIST: it is
 * there and not empty. */
MUST_CHECK int archive_write(struct store *store, const char *directory, struct progress *progress,
	struct archive_counts *ret_counts);

/* An archive that is read. */
struct archive;

enum archive_result {
	ARCHIVE_FAULT = 1, /* a file is damaged: archive_fault() says which, where and how */
	ARCHIVE_END,
};

/* *ret_archive is set with 0 and with ARCHIVE_FAULT. */
MUST_CHECK int archive_open(const char *directory, struct archive **ret_archive);
void archive_close(struct archive *archive);
static inline void archive_closep(struct archive **archive)
{
	if (*archive)
		archive_close(*archive);
}
const char *archive_fault(const struct archive *archive);
const unsigned char *archive_secret(const struct archive *archive);
int64_t archive_events(const struct archive *archive);

/* The next event, its hash checked against the one before; it lives in ARENA. 0; ARCHIVE_END
 * behind the last; ARCHIVE_FAULT; -errno. */
MUST_CHECK int archive_next(struct archive *archive, struct arena *arena, struct event *ret_event);
/* A raw message. 0, ARCHIVE_FAULT or -errno. */
MUST_CHECK int archive_raw(struct archive *archive, const char *digest, struct arena *arena,
	const void **ret_raw, size_t *ret_size);
/* What the archive has of the mail of that number; the id is 0 if it has nothing. 0, ARCHIVE_FAULT
 * or -errno. */
MUST_CHECK int archive_mail(
	struct archive *archive, int64_t id, struct arena *arena, struct outbox_row *ret_row);
/* "DIR/events.jsonl:12: TEXT", for a fault of the event that came last. */
const char *archive_blame(struct archive *archive, const char *text);

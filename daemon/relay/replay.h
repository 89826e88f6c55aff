/*
 * The inputs of a club carried out again: from its event log (relay/input_log.h), the raw
 * messages and the secret comes the same store, by the code that the daemon works with.
 *
 * Every event must come of the replay just as it was: what an input led to then, it leads to
 * now, or the replay says at which event it went another way. What an earlier version of the
 * program decided is decided by its edition (rules/edition.h), and its mails are taken as they are.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "daemon/relay/club.h"
#include "daemon/store/arena.h"
#include "daemon/store/events.h"
#include "daemon/store/outbox.h"

/* Where a replay gets what the log does not hold, and what it cannot do by itself. */
struct replay_source {
	/* The raw bytes of a message; 0, or REPLAY_FAULT with words in *ret_fault, or with NULL
	 * for one that the source tells itself (replay_fault() is empty then). */
	int (*raw)(void *userdata, int64_t message, const char *digest, struct arena *arena,
		const void **ret_raw, size_t *ret_size, const char **ret_fault);
	/* Runs a command of zugpostctl on the club's store, for the account BY (or NULL). What it
	 * answers is of no interest: what it changed is seen. */
	int (*command)(void *userdata, struct club *club, int64_t at, const char *by, int argc,
		char **argv, const char *text, size_t size);
	/* Message id, recipient, subject, text and bytes of the mail of that number, which another
	 * version of the program wrote. 0, with the id 0 if it is not known; REPLAY_FAULT for a
	 * fault that the source tells itself. */
	int (*mail)(void *userdata, int64_t id, struct arena *arena, struct outbox_row *ret_row);
	void *userdata;
};

enum replay_result {
	REPLAY_FAULT = 1, /* the input cannot be carried out, or leads elsewhere */
};

struct replay;

/* Into STORE, which is new and is taken over. FOLDER is where files may be put for a moment. */
MUST_CHECK int replay_new(struct replay **ret_replay, struct store *store, const char *folder,
	const struct replay_source *source);
void replay_free(struct replay *replay);
static inline void replay_freep(struct replay **replay)
{
	if (*replay)
		replay_free(*replay);
}

/* The next event. 0; REPLAY_FAULT, with words in replay_fault(); -errno. */
MUST_CHECK int replay_event(struct replay *replay, const struct event *event);
/* There are no more. The same results. */
MUST_CHECK int replay_finish(struct replay *replay);
const char *replay_fault(const struct replay *replay);

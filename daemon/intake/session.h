/*
 * The worker's side of intake: one session with main, for one mailbox. Each kind of
 * mailbox has its own `run`; worker.c chooses by the scheme of the source.
 */
#pragma once

#include "daemon/intake/protocol.h"
#include "daemon/net/channel.h"

struct session {
	struct channel channel;
	struct frame_writer writer;
	struct frame_writer done; /* answers that wait for the disk */
	const char *address;      /* the source behind its scheme and colon */
	size_t message_size, window_messages, window_bytes;
	size_t sent_messages, sent_bytes; /* handed over and not yet stored */
};

/* Until main closes, or until a fresh worker would do better: 0, or -errno. Shuts itself in and
 * says FRAME_READY. rest: what is left of the configuration's fields. */
int maildir_session_run(struct session *session, struct frame_fields *rest) MUST_CHECK;
int imap_session_run(struct session *session, struct frame_fields *rest) MUST_CHECK;

/* What main says, one function for each frame; NULL: this kind of mailbox does not hear it. They
 * return 0 or -errno, which ends the session. */
struct session_hearing {
	int (*scan)(void *state, int64_t round, int64_t now);
	int (*stored)(void *state, const char *place);
	int (*handled)(void *state, const char *place, uint8_t where); /* enum intake_where */
	int (*mark)(void *state, uint32_t validity, uint32_t next, int64_t instant);
	/* One of the strings is empty. PASSWORD is wiped afterwards. */
	int (*password)(void *state, const char *password, const char *fault);
};
/* Hears what has come from main. -EBADMSG: nothing that it may say. */
int session_hear(
	struct session *session, const struct session_hearing *hearing, void *state) MUST_CHECK;

bool session_window_open(const struct session *session);
/* Says NOTICE, in printable ASCII whatever the name holds. */
int session_notice(struct session *session, const char *name, const char *what) MUST_CHECK;
int session_say(struct session *session, enum intake_frame type) MUST_CHECK;
int session_scan_done(struct session *session, int64_t round) MUST_CHECK;
/* error: -errno */
int session_scan_failed(
	struct session *session, int64_t round, int error, const char *text) MUST_CHECK;
int session_message(struct session *session, const char *place, int64_t arrival, int64_t size_full,
	const void *raw, size_t size) MUST_CHECK;
/* Collects the answer: sent by session_send_done(). error: -errno or 0 */
int session_handled(struct session *session, const char *place, int error) MUST_CHECK;
int session_send_done(struct session *session) MUST_CHECK;

/*
 * What the two files of the IMAP session share: imap_session.c talks with main and keeps the
 * connection, imap_scan.c brings messages in and moves them.
 */
#pragma once

#include "daemon/intake/imap_box.h"
#include "daemon/intake/imap_client.h"
#include "daemon/intake/intake.h"
#include "daemon/intake/session.h"

/* A decided message that is to be moved. */
struct imap_move {
	uint32_t validity, uid;
	enum intake_where where;
	char *place; /* as main wrote it */
};

struct imap_session {
	struct session *session;
	struct imap_client *client;
	struct imap_settings settings;
	char *host, *ca_file, *user, *folder, *archive, *junk; /* folders encoded; "" if none */
	uint64_t idle_ms, poll_ms, retry_ms, retry_max_ms;
	bool since_all;
	struct intake_mark mark; /* validity 0: none yet */

	struct imap_box box;
	bool scanning, waiting;
	bool begun;   /* the folder has been listed in this scan */
	bool retried; /* the connection was made anew in this scan */
	int64_t round, now;
	size_t next;    /* in box.order */
	int64_t future; /* the first arrival behind `now`; INT64_MAX: none */

	struct imap_move *moves; /* in the order of main */
	size_t n_moves, moves_room;

	bool wanted;        /* a scan was asked for: stay connected from then on */
	bool asked;         /* for the password */
	bool hold;          /* idle_until holds while IDLE is on, otherwise the next poll */
	unsigned failures;  /* in a row */
	int64_t refused_at; /* the server would not move something; 0: none */
	int64_t attempt_at, lost_at, idle_until, changed_at, future_at; /* monotonic; 0: none */
	int lost_error;
	char lost_text[700];
	bool told; /* CHANGED was said since the last SCAN */
	bool busy; /* BUSY was said */
	bool worn; /* a fresh worker would look up the host again */
};

/* All of these: 0, -errno of the channel, or IMAP_LOST when the client's connection failed; its
 * reason is in the client. */
#define IMAP_LOST 1

/* CLOCK_MONOTONIC in milliseconds. */
int64_t imap_session_clock(void);

/* Lists the folder and learns what is new. */
int imap_scan_begin(struct imap_session *state) MUST_CHECK;
/* Are there messages that the last listing did not have? */
int imap_scan_look(struct imap_session *state, bool *ret_changed) MUST_CHECK;
/* Hands over the next messages; *ret_end: all that arrived by `now` have been. */
int imap_scan_batch(struct imap_session *state, bool *ret_end) MUST_CHECK;
/* Moves some of those that wait, and answers. */
int imap_scan_move(struct imap_session *state) MUST_CHECK;
/* Main has stored it. */
void imap_scan_stored(struct imap_session *state, const char *place);
/* Main has decided. */
int imap_scan_handled(struct imap_session *state, const char *place, uint8_t where) MUST_CHECK;

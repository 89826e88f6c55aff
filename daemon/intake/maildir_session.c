#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <time.h>
#include <unistd.h>

#include "daemon/intake/intake.h"
#include "daemon/intake/maildir.h"
#include "daemon/intake/session.h"
#include "daemon/net/sandbox.h"

/* Several mails that come together are announced once. */
#define DEBOUNCE_MS 50
/* Moves that share one sync of the folders, at most. */
#define MOVES_A_SYNC 256

struct maildir_session {
	struct session *session;
	struct maildir maildir;
	uint8_t *buffer; /* message_size bytes */

	bool scanning, waiting;
	int64_t round, now;
	size_t next; /* in maildir.order */
	int error;   /* the first file that could not be read; the scan fails at its end */
	char error_text[NAME_MAX * 4 + 128];

	int watch;       /* inotify, -1 if there is none */
	bool told;       /* CHANGED was said since the last SCAN */
	int64_t changed; /* when something changed, 0 if nothing did */
	size_t moves;    /* wait for maildir_sync() and their answers */
};

static int64_t monotonic_ms(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void watch_begin(struct maildir_session *state)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s/new", state->maildir.path);

	/* Again with every scan: the folder may be another one than before. Without a watch
	 * main still scans at its own times. */
	if (state->watch >= 0 && n > 0 && (size_t)n < sizeof(path))
		(void)inotify_add_watch(
			state->watch, path, IN_CREATE | IN_MOVED_TO | IN_CLOSE_WRITE | IN_ONLYDIR);
}

static void watch_read(struct maildir_session *state)
{
	/* What has happened does not matter: a scan finds it. */
	char events[4096] __attribute__((aligned(__alignof__(struct inotify_event))));

	if (state->watch >= 0 && read(state->watch, events, sizeof(events)) > 0 &&
		state->changed == 0)
		state->changed = monotonic_ms();
}

static int watch_tell(struct maildir_session *state)
{
	if (state->changed == 0 || monotonic_ms() - state->changed < DEBOUNCE_MS)
		return 0;
	state->changed = 0;
	if (state->told)
		return 0;
	state->told = true;
	return session_say(state->session, INTAKE_CHANGED);
}

static int scan_end(struct maildir_session *state)
{
	state->scanning = false;
	if (state->error < 0)
		return session_scan_failed(
			state->session, state->round, state->error, state->error_text);
	return session_scan_done(state->session, state->round);
}

/* One sync for many moves, before any of them is called done. */
static int moves_end(struct maildir_session *state)
{
	int r;

	if (state->moves == 0)
		return 0;
	state->moves = 0;
	r = maildir_sync(&state->maildir);
	return r < 0 ? r : session_send_done(state->session);
}

static int scan_begin(void *userdata, int64_t round, int64_t now)
{
	struct maildir_session *state = userdata;
	int r;

	if (state->scanning)
		return -EPROTO;
	r = moves_end(state);
	if (r < 0)
		return r;
	state->scanning = true;
	state->round = round;
	state->now = now;
	state->next = 0;
	state->error = 0;
	state->told = false;
	watch_begin(state);
	watch_read(state);
	state->changed = 0;
	r = maildir_list(&state->maildir);
	if (r < 0) {
		state->error = r;
		(void)snprintf(state->error_text, sizeof(state->error_text), "%s: %s",
			state->maildir.path, strerrordesc_np(-r));
		return scan_end(state);
	}
	return 0;
}

static int entry_odd(struct maildir_session *state, struct maildir_entry *entry, const char *what)
{
	bool known = entry->state == MAILDIR_ODD;

	entry->state = MAILDIR_ODD;
	return known ? 0 : session_notice(state->session, entry->name, what);
}

static int entry_send(struct maildir_session *state, struct maildir_entry *entry)
{
	struct session *session = state->session;
	char place[INTAKE_PLACE_MAX];
	size_t size;
	int64_t full;
	int r;

	/* Two names that differ behind the ":2," alone have one place. */
	if (entry > state->maildir.entries && entry[-1].base_size == entry->base_size &&
		memcmp(entry[-1].name, entry->name, entry->base_size) == 0)
		return entry_odd(state, entry, "another file in new/ has the same name");
	r = maildir_place(entry->name, entry->base_size, place, sizeof(place));
	if (r < 0)
		return entry_odd(state, entry, "the name is too long");
	r = maildir_read(
		&state->maildir, entry, state->buffer, session->message_size, &size, &full);
	if (r == -ENOENT)
		return 0;
	if (r == -ELOOP)
		return entry_odd(state, entry, "not a regular file, ignored");
	if (r < 0) {
		/* It may hold a move that came in time: this scan is not complete. */
		if (state->error == 0)
			(void)snprintf(state->error_text, sizeof(state->error_text), "%s: %s",
				place, strerrordesc_np(-r));
		state->error = state->error ? state->error : r;
		return 0;
	}
	entry->state = MAILDIR_SENT;
	entry->sent_size = size;
	session->sent_messages++;
	session->sent_bytes += size;
	return session_message(session, place, entry->arrival, full, state->buffer, size);
}

/* Hands over the next message, or ends the scan. */
static int scan_step(struct maildir_session *state)
{
	struct maildir *maildir = &state->maildir;

	while (state->next < maildir->n_entries) {
		struct maildir_entry *entry = &maildir->entries[maildir->order[state->next]];

		state->next++;
		if (entry->arrival > state->now)
			break;
		if (entry->state == MAILDIR_WAITING || entry->state == MAILDIR_ODD)
			return entry_send(state, entry);
	}
	return scan_end(state);
}

static int entry_stored(void *userdata, const char *place)
{
	struct maildir_session *state = userdata;
	struct maildir_entry *entry = maildir_find(&state->maildir, place);

	if (!entry)
		return 0;
	if (entry->state == MAILDIR_SENT) {
		state->session->sent_messages--;
		state->session->sent_bytes -= entry->sent_size;
	}
	entry->state = MAILDIR_STORED;
	/* If the window stays full, that is said again: main counts the time from here. */
	state->waiting = false;
	return 0;
}

static int entry_handled(void *userdata, const char *place, uint8_t where)
{
	struct maildir_session *state = userdata;
	int r = entry_stored(state, place);

	switch ((enum intake_where)where) {
	case INTAKE_ARCHIVE:
	case INTAKE_JUNK:
		r = maildir_move(&state->maildir, place);
		break;
	case INTAKE_KEEP:
		break;
	default:
		return -EBADMSG;
	}
	state->moves++;
	return session_handled(state->session, place, r);
}

static const struct session_hearing hearing = {
	.scan = scan_begin,
	.stored = entry_stored,
	.handled = entry_handled,
};

/* Waits for main, for the mailbox, or for nothing if there is something to hand over. */
static int wait_for_events(struct maildir_session *state)
{
	struct pollfd polled[2] = {{.fd = state->session->channel.fd, .events = POLLIN},
		{.fd = state->watch, .events = POLLIN}};
	int timeout = -1, r;

	if (state->changed != 0)
		timeout = DEBOUNCE_MS;
	if (state->scanning && !state->waiting)
		timeout = 0;
	if (poll(polled, ARRAY_SIZE(polled), timeout) < 0)
		return errno == EINTR ? 1 : -errno;
	if (polled[1].revents)
		watch_read(state);
	r = watch_tell(state);
	if (r < 0)
		return r;
	return polled[0].revents ? channel_fill(&state->session->channel) : 1;
}

static int session_step(struct maildir_session *state)
{
	bool open;
	int r;

	r = session_hear(state->session, &hearing, state);
	if (r < 0)
		return r;
	open = session_window_open(state->session);
	if (state->scanning && open)
		r = scan_step(state);
	else if (state->scanning && !state->waiting)
		r = session_say(state->session, INTAKE_WAITING);
	state->waiting = state->scanning && !open;
	/* Not while there is something to hand over: the answers can wait for more. */
	if (r == 0 && (!state->scanning || state->waiting || state->moves >= MOVES_A_SYNC))
		r = moves_end(state);
	return r;
}

static int session_loop(struct maildir_session *state)
{
	int r;

	/* Frames may have come together with the configuration: first look, then wait. */
	do
		r = session_step(state);
	while (r == 0 && (r = wait_for_events(state)) > 0);
	return r;
}

int maildir_session_run(struct session *session, struct frame_fields *rest)
{
	struct maildir_session state = {.session = session, .watch = -1};
	int r;

	r = frame_fields_end(rest);
	if (r < 0)
		return r;
	r = maildir_init(&state.maildir, session->address);
	if (r < 0)
		return r;
	state.buffer = malloc(session->message_size + 1);
	state.watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	r = state.buffer ? sandbox_enter(SANDBOX_MAILDIR) : -ENOMEM;
	if (r == 0)
		r = channel_ready(&session->channel);
	if (r == 0)
		r = session_loop(&state);
	if (state.watch >= 0)
		(void)close(state.watch);
	free(state.buffer);
	maildir_clear(&state.maildir);
	return r;
}

#include "daemon/intake/imap_session.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "daemon/intake/imap_name.h"
#include "daemon/net/sandbox.h"

/* Several mails that come together are announced once. */
#define DEBOUNCE_MS 50
/* Moves that are not put off until the scan has ended. */
#define MOVES_ENOUGH 250
/* After this time a failure may be due to an old address or an old CA. */
#define WORN_MS 300000
/* A mail of the near future (the server's clock is ahead) is looked for again then. */
#define FUTURE_MAX_MS 300000

int64_t imap_session_clock(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- Saying ---- */

static int say_busy(struct imap_session *state, uint64_t ms)
{
	struct frame_writer *writer = &state->session->writer;
	int r;

	state->busy = ms > 0;
	frame_begin(writer, INTAKE_BUSY);
	frame_put_u32(writer, (uint32_t)ms);
	r = frame_end(writer);
	return r < 0 ? r : channel_send(&state->session->channel, writer);
}

static void on_busy(void *userdata, uint64_t ms)
{
	/* If main has gone, the client's own look at the channel ends the command. */
	(void)!say_busy(userdata, ms);
}

static int say_unreachable(struct imap_session *state)
{
	struct frame_writer *writer = &state->session->writer;
	int64_t ago = imap_session_clock() - state->lost_at;
	int r;

	frame_begin(writer, INTAKE_UNREACHABLE);
	frame_put_u32(writer, (uint32_t)-state->lost_error);
	frame_put_u32(writer, ago > INT32_MAX ? INT32_MAX : (uint32_t)ago);
	frame_put_string(writer, state->lost_text);
	r = frame_end(writer);
	return r < 0 ? r : channel_send(&state->session->channel, writer);
}

static int say_changed(struct imap_session *state)
{
	if (state->told)
		return 0;
	state->told = true;
	return session_say(state->session, INTAKE_CHANGED);
}

/* ---- Losing and finding the server ---- */

/* Half of the delay is left to chance: many clients of one server do not come back at once. */
static int64_t next_delay(const struct imap_session *state)
{
	uint64_t delay = state->retry_ms;
	uint32_t chance = 0;

	for (unsigned i = 1; i < state->failures && delay < state->retry_max_ms; i++)
		delay *= 2;
	if (delay > state->retry_max_ms)
		delay = state->retry_max_ms;
	if (getrandom(&chance, sizeof(chance), GRND_NONBLOCK) < 0)
		chance = 0;
	return (int64_t)(delay / 2 + chance % (delay / 2 + 1));
}

static int scan_fail(struct imap_session *state)
{
	state->scanning = state->waiting = false;
	return session_scan_failed(
		state->session, state->round, state->lost_error, state->lost_text);
}

static void note_failure(struct imap_session *state, int error, const char *text)
{
	state->failures++;
	if (state->lost_at == 0)
		state->lost_at = imap_session_clock();
	state->lost_error = error < 0 ? error : -EIO;
	(void)snprintf(state->lost_text, sizeof(state->lost_text), "%s", text);
	state->attempt_at = imap_session_clock() + next_delay(state);
}

/* An attempt to connect has failed. */
static int attempt_failed(struct imap_session *state, int error, const char *text)
{
	int r;

	note_failure(state, error, text);
	r = say_unreachable(state);
	if (r == 0 && state->scanning)
		r = scan_fail(state);
	state->worn = !state->scanning && imap_client_age(state->client) > WORN_MS;
	return r;
}

/* The connection broke, or the server refused what we cannot do without. In a scan one further
 * attempt is made at once: the server may just have been tired of waiting. */
static int connection_lost(struct imap_session *state)
{
	char text[sizeof(state->lost_text)];

	(void)snprintf(text, sizeof(text), "%s", imap_client_text(state->client));
	imap_client_close(state->client);
	state->begun = state->waiting = state->hold = false;
	state->idle_until = 0;
	note_failure(state, -ECONNRESET, text);
	/* It lets us in, and yet nothing can be moved. */
	if (!state->scanning)
		return state->n_moves > 0 && state->failures > 1 ? say_unreachable(state) : 0;
	if (!state->retried) {
		state->retried = true;
		state->attempt_at = imap_session_clock();
		return 0;
	}
	return scan_fail(state);
}

static int scan_end(struct imap_session *state)
{
	int64_t ahead = state->future == INT64_MAX ? INT64_MAX : state->future - state->now;

	state->scanning = state->waiting = false;
	state->failures = 0;
	state->future_at = ahead <= FUTURE_MAX_MS ? imap_session_clock() + ahead : 0;
	return session_scan_done(state->session, state->round);
}

static int connect_now(struct imap_session *state, const char *password)
{
	bool again = state->lost_at != 0;
	int r = imap_client_open(state->client, password);

	if (r < 0)
		return attempt_failed(state, r, imap_client_text(state->client));
	state->lost_at = 0;
	state->hold = false;
	state->idle_until = 0;
	if (state->settings.look_only)
		return state->scanning ? scan_end(state) : 0;
	/* What came in between was announced to nobody. */
	return again && !state->scanning ? say_changed(state) : 0;
}

/* ---- What main says ---- */

static int password_said(void *userdata, const char *password, const char *fault)
{
	struct imap_session *state = userdata;

	if (!state->asked)
		return -EBADMSG;
	state->asked = false;
	return *fault ? attempt_failed(state, -EACCES, fault) : connect_now(state, password);
}

static int scan_asked(void *userdata, int64_t round, int64_t now)
{
	struct imap_session *state = userdata;

	if (state->scanning)
		return -EBADMSG;
	state->round = round;
	state->now = now;
	state->scanning = state->wanted = true;
	state->begun = state->waiting = state->retried = state->told = false;
	state->changed_at = state->future_at = 0;
	/* No attempt is due yet: the last one speaks for this scan. */
	if (!imap_client_is_open(state->client) && !state->asked &&
		state->attempt_at > imap_session_clock())
		return scan_fail(state);
	return 0;
}

static int mark_said(void *userdata, uint32_t validity, uint32_t next, int64_t instant)
{
	struct imap_session *state = userdata;

	state->mark = (struct intake_mark){.validity = validity, .next = next, .instant = instant};
	return 0;
}

static int message_stored(void *userdata, const char *place)
{
	imap_scan_stored(userdata, place);
	return 0;
}

static int message_handled(void *userdata, const char *place, uint8_t where)
{
	return imap_scan_handled(userdata, place, where);
}

static const struct session_hearing hearing = {
	.scan = scan_asked,
	.stored = message_stored,
	.handled = message_handled,
	.mark = mark_said,
	.password = password_said,
};

/* ---- Work ---- */

static bool moves_due(const struct imap_session *state)
{
	return state->n_moves > 0 &&
	       (!state->scanning || state->waiting || state->n_moves >= MOVES_ENOUGH);
}

static bool batch_due(const struct imap_session *state)
{
	return state->scanning && (!state->begun || session_window_open(state->session));
}

static bool work_due(const struct imap_session *state)
{
	return imap_client_is_open(state->client) && (moves_due(state) || batch_due(state));
}

/* Time to begin with IDLE, to renew it, or to ask. */
static bool rest_due(const struct imap_session *state)
{
	return imap_client_is_open(state->client) && !state->scanning &&
	       !state->settings.look_only && imap_session_clock() >= state->idle_until;
}

static void note_change(struct imap_session *state, bool changed)
{
	if (changed && state->changed_at == 0)
		state->changed_at = imap_session_clock();
}

static int idle_end(struct imap_session *state)
{
	bool changed = false;
	int r;

	if (!state->hold)
		return 0;
	state->hold = false;
	state->idle_until = 0;
	r = imap_client_idle_end(state->client, &changed);
	/* A scan is about to find it. */
	note_change(state, changed && !state->scanning);
	return r < 0 ? IMAP_LOST : 0;
}

/* One unit: then main is listened to. */
static int work(struct imap_session *state)
{
	bool end = false;
	int r = idle_end(state);

	if (r != 0)
		return r;
	if (moves_due(state))
		return imap_scan_move(state);
	if (!state->begun) {
		r = imap_scan_begin(state);
		if (r != 0)
			return r;
	}
	r = imap_scan_batch(state, &end);
	return r == 0 && end ? scan_end(state) : r;
}

/* Nothing to do: waits for mail by IDLE, or asks now and then. */
static int rest(struct imap_session *state)
{
	bool changed = false;
	int64_t now = imap_session_clock();
	int r = 0;

	if (!rest_due(state))
		return 0;
	if (state->hold) {
		r = idle_end(state);
		if (r != 0)
			return r;
	} else if (state->idle_until != 0) {
		r = imap_scan_look(state, &changed);
	}
	if (r != 0)
		return r;
	r = imap_client_idle(state->client, &changed);
	note_change(state, changed);
	state->hold = r == 0;
	state->idle_until = now + (int64_t)(state->hold ? state->idle_ms : state->poll_ms);
	return r < 0 && r != -EOPNOTSUPP ? IMAP_LOST : 0;
}

static int tell(struct imap_session *state)
{
	int64_t now = imap_session_clock();

	if (state->future_at != 0 && now >= state->future_at) {
		state->future_at = 0;
		return say_changed(state);
	}
	if (state->changed_at == 0 || now - state->changed_at < DEBOUNCE_MS)
		return 0;
	state->changed_at = 0;
	return say_changed(state);
}

static bool connect_due(const struct imap_session *state)
{
	return state->wanted && !imap_client_is_open(state->client) && !state->asked &&
	       imap_session_clock() >= state->attempt_at &&
	       (!state->settings.look_only || state->scanning);
}

static int session_step(struct imap_session *state)
{
	int r = session_hear(state->session, &hearing, state);

	if (r == 0)
		r = tell(state);
	if (r == 0 && connect_due(state)) {
		state->asked = true;
		r = session_say(state->session, INTAKE_PASSWORD_WANTED);
	}
	if (r == 0 && state->scanning && state->begun && !state->waiting &&
		!session_window_open(state->session)) {
		state->waiting = true;
		r = session_say(state->session, INTAKE_WAITING);
	}
	if (r == 0)
		r = work_due(state) ? work(state) : rest(state);
	if (r == IMAP_LOST)
		r = connection_lost(state);
	if (r == 0 && !state->scanning)
		note_change(state, imap_client_news(state->client));
	if (r == 0 && state->busy && !work_due(state) && (!state->scanning || state->waiting))
		r = say_busy(state, 0);
	return r;
}

/* ---- Waiting ---- */

static int64_t soonest(int64_t a, int64_t b)
{
	return b != 0 && (a < 0 || b < a) ? b : a;
}

/* Milliseconds to the next thing to do; -1 without limit. */
static int64_t time_left(const struct imap_session *state)
{
	bool open = imap_client_is_open(state->client);
	int64_t at = -1, now = imap_session_clock();

	if (work_due(state) || connect_due(state) || rest_due(state))
		return 0;
	at = soonest(at, state->future_at);
	if (state->changed_at != 0)
		at = soonest(at, state->changed_at + DEBOUNCE_MS);
	if (open && !state->scanning)
		at = soonest(at, state->idle_until);
	if (!open && state->wanted && !state->asked)
		at = soonest(at, state->attempt_at);
	if (at < 0)
		return -1;
	return at > now ? at - now : 0;
}

static int idle_take(struct imap_session *state)
{
	bool changed = false;

	if (imap_client_idle_take(state->client, &changed) < 0)
		return connection_lost(state);
	note_change(state, changed);
	return 0;
}

/* 1, or 0 when main has closed. */
static int wait_for_events(struct imap_session *state)
{
	struct pollfd main_end = {.fd = state->session->channel.fd, .events = POLLIN};
	int64_t left = time_left(state);
	int r;

	if (state->hold) {
		r = imap_client_wait(state->client, main_end.fd, left);
	} else {
		r = poll(&main_end, 1, left > INT32_MAX ? INT32_MAX : (int)left);
		r = r < 0 ? (errno == EINTR ? 0 : -errno) : r > 0 ? TLS_READY_OTHER : 0;
	}
	if (r < 0)
		return r;
	if (r & TLS_READY_STREAM) {
		int s = idle_take(state);

		if (s < 0)
			return s;
	}
	return r & TLS_READY_OTHER ? channel_fill(&state->session->channel) : 1;
}

static int session_loop(struct imap_session *state)
{
	int r;

	/* Frames may have come together with the configuration: first look, then wait. */
	do
		r = session_step(state);
	while (r == 0 && !state->worn && (r = wait_for_events(state)) > 0);
	return r;
}

/* ---- Life ---- */

static int take_text(char **slot, const char *text)
{
	*slot = strdup(text);
	return *slot ? 0 : -ENOMEM;
}

static int take_names(struct imap_session *state, struct frame_fields *rest)
{
	struct imap_settings *settings = &state->settings;
	int r = take_text(&state->host, frame_get_string(rest));

	settings->address.port = (uint16_t)frame_get_u32(rest);
	settings->address.mode = (enum tls_mode)frame_get_u8(rest);
	if (r == 0)
		r = take_text(&state->ca_file, frame_get_string(rest));
	if (r == 0)
		r = take_text(&state->user, frame_get_string(rest));
	settings->auth = (enum mail_auth)frame_get_u8(rest);
	if (r == 0)
		r = imap_name_encode(frame_get_string(rest), &state->folder);
	if (r == 0)
		r = imap_name_encode(frame_get_string(rest), &state->archive);
	if (r == 0)
		r = imap_name_encode(frame_get_string(rest), &state->junk);
	return r;
}

static int take_settings(struct imap_session *state, struct frame_fields *rest)
{
	struct imap_settings *settings = &state->settings;
	int r = take_names(state, rest);

	if (r < 0)
		return r;
	state->since_all = frame_get_u8(rest);
	settings->look_only = frame_get_u8(rest);
	settings->timeout_ms = frame_get_u32(rest);
	state->idle_ms = frame_get_u32(rest);
	state->poll_ms = frame_get_u32(rest);
	state->retry_ms = frame_get_u32(rest);
	state->retry_max_ms = frame_get_u32(rest);
	if (frame_fields_end(rest) < 0 || settings->address.mode < TLS_AT_ONCE ||
		settings->address.mode > TLS_NEVER || settings->auth >= MAIL_AUTH_NONE ||
		settings->timeout_ms == 0)
		return -EBADMSG;
	settings->address.host = state->host;
	settings->address.ca_file = *state->ca_file ? state->ca_file : NULL;
	settings->address.abort_fd = state->session->channel.fd;
	settings->user = state->user;
	settings->folder = state->folder;
	settings->on_busy = on_busy;
	settings->userdata = state;
	return 0;
}

static void session_release(struct imap_session *state)
{
	imap_client_free(state->client);
	imap_box_clear(&state->box);
	for (size_t i = 0; i < state->n_moves; i++)
		free(state->moves[i].place);
	free(state->moves);
	free(state->host);
	free(state->ca_file);
	free(state->user);
	free(state->folder);
	free(state->archive);
	free(state->junk);
}

int imap_session_run(struct session *session, struct frame_fields *rest)
{
	struct imap_session state = {.session = session, .future = INT64_MAX};
	int r = take_settings(&state, rest);

	if (r == 0)
		r = imap_client_new(&state.client, &state.settings);
	if (r == 0)
		r = sandbox_enter(SANDBOX_CLIENT);
	if (r == 0)
		r = channel_ready(&session->channel);
	if (r == 0)
		r = session_loop(&state);
	session_release(&state);
	return r;
}

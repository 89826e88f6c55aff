#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/intake/intake.h"
#include "daemon/intake/session.h"

/* The largest frame from main: FRAME_CONFIG with its source and names. */
#define FRAME_LIMIT (INTAKE_SOURCE_MAX + INTAKE_NAMES_MAX)
#define NOTICE_MAX 900

bool session_window_open(const struct session *session)
{
	return session->sent_messages == 0 || (session->sent_messages < session->window_messages &&
						      session->sent_bytes < session->window_bytes);
}

static int session_end_frame(struct session *session)
{
	int r = frame_end(&session->writer);

	return r < 0 ? r : channel_send(&session->channel, &session->writer);
}

int session_say(struct session *session, enum intake_frame type)
{
	frame_begin(&session->writer, (uint8_t)type);
	return session_end_frame(session);
}

int session_notice(struct session *session, const char *name, const char *what)
{
	char text[NOTICE_MAX];
	size_t n = 0;

	for (; *name && n + 64 < sizeof(text); name++) {
		unsigned char c = (unsigned char)*name;

		if (c >= ' ' && c < 0x7f && c != '\\')
			text[n++] = (char)c;
		else
			n += (size_t)snprintf(text + n, sizeof(text) - n, "\\x%02x", c);
	}
	(void)snprintf(text + n, sizeof(text) - n, ": %s", what);
	frame_begin(&session->writer, INTAKE_NOTICE);
	frame_put_string(&session->writer, text);
	return session_end_frame(session);
}

int session_scan_done(struct session *session, int64_t round)
{
	frame_begin(&session->writer, INTAKE_SCAN_DONE);
	frame_put_i64(&session->writer, round);
	return session_end_frame(session);
}

int session_scan_failed(struct session *session, int64_t round, int error, const char *text)
{
	frame_begin(&session->writer, INTAKE_SCAN_FAILED);
	frame_put_i64(&session->writer, round);
	frame_put_u32(&session->writer, (uint32_t)-error);
	frame_put_string(&session->writer, text);
	return session_end_frame(session);
}

int session_message(struct session *session, const char *place, int64_t arrival, int64_t size_full,
	const void *raw, size_t size)
{
	frame_begin(&session->writer, INTAKE_MESSAGE);
	frame_put_string(&session->writer, place);
	frame_put_i64(&session->writer, arrival);
	frame_put_i64(&session->writer, size_full);
	frame_put_blob(&session->writer, raw, size);
	return session_end_frame(session);
}

int session_handled(struct session *session, const char *place, int error)
{
	frame_begin(&session->done, INTAKE_HANDLED_DONE);
	frame_put_string(&session->done, place);
	frame_put_u32(&session->done, (uint32_t)-error);
	return frame_end(&session->done);
}

int session_send_done(struct session *session)
{
	return channel_send(&session->channel, &session->done);
}

/* ---- What main says ---- */

static int hear_scan(
	const struct session_hearing *hearing, void *state, struct frame_fields *fields)
{
	int64_t round = frame_get_i64(fields), now = frame_get_i64(fields);

	return frame_fields_end(fields) < 0 ? -EBADMSG : hearing->scan(state, round, now);
}

static int hear_stored(
	const struct session_hearing *hearing, void *state, struct frame_fields *fields)
{
	const char *place = frame_get_string(fields);

	return frame_fields_end(fields) < 0 ? -EBADMSG : hearing->stored(state, place);
}

static int hear_handled(
	const struct session_hearing *hearing, void *state, struct frame_fields *fields)
{
	const char *place = frame_get_string(fields);
	uint8_t where = frame_get_u8(fields);

	return frame_fields_end(fields) < 0 ? -EBADMSG : hearing->handled(state, place, where);
}

static int hear_mark(
	const struct session_hearing *hearing, void *state, struct frame_fields *fields)
{
	uint32_t validity = frame_get_u32(fields), next = frame_get_u32(fields);
	int64_t instant = frame_get_i64(fields);

	if (frame_fields_end(fields) < 0 || !hearing->mark)
		return -EBADMSG;
	return hearing->mark(state, validity, next, instant);
}

static int hear_password(
	const struct session_hearing *hearing, void *state, struct frame_fields *fields)
{
	const char *password = frame_get_string(fields), *fault = frame_get_string(fields);

	if (frame_fields_end(fields) < 0 || !hearing->password)
		return -EBADMSG;
	int r = hearing->password(state, password, fault);
	/* It lies in the parser's buffer, which is our own. */
	explicit_bzero((char *)(uintptr_t)password, strlen(password));
	return r;
}

static const struct {
	enum intake_frame type;
	int (*hear)(
		const struct session_hearing *hearing, void *state, struct frame_fields *fields);
} said_by_main[] = {
	{INTAKE_SCAN, hear_scan},
	{INTAKE_STORED, hear_stored},
	{INTAKE_HANDLED, hear_handled},
	{INTAKE_MARK, hear_mark},
	{INTAKE_PASSWORD, hear_password},
};

static int hear_one(const struct session_hearing *hearing, void *state, const struct frame *frame)
{
	struct frame_fields fields;

	frame_fields_begin(&fields, frame);
	for (size_t i = 0; i < ARRAY_SIZE(said_by_main); i++)
		if (frame->type == said_by_main[i].type)
			return said_by_main[i].hear(hearing, state, &fields);
	return -EBADMSG;
}

int session_hear(struct session *session, const struct session_hearing *hearing, void *state)
{
	struct frame frame;
	int r;

	while ((r = channel_next(&session->channel, &frame)) > 0) {
		r = hear_one(hearing, state, &frame);
		if (r < 0)
			return r;
	}
	return r;
}

/* ---- A session ---- */

/* One line for each kind of mailbox. */
static const struct {
	const char *scheme;
	int (*run)(struct session *session, struct frame_fields *rest);
} session_kinds[] = {
	{"maildir:", maildir_session_run},
	{"imap:", imap_session_run},
};

static int session_start(struct session *session, char *source, size_t max)
{
	struct frame_fields fields;
	const char *string;
	int r;

	r = channel_config(&session->channel, &fields);
	if (r < 0)
		return r;
	string = frame_get_string(&fields);
	session->message_size = frame_get_u32(&fields);
	session->window_messages = frame_get_u32(&fields);
	session->window_bytes = frame_get_u32(&fields);
	if (fields.bad || strlen(string) >= max)
		return -EBADMSG;
	memcpy(source, string, strlen(string) + 1);
	frame_writer_init(&session->writer, session->message_size + INTAKE_FRAME_EXTRA);
	frame_writer_init(&session->done, INTAKE_FRAME_EXTRA);
	for (size_t i = 0; i < ARRAY_SIZE(session_kinds); i++) {
		size_t size = strlen(session_kinds[i].scheme);

		if (strncmp(source, session_kinds[i].scheme, size) != 0)
			continue;
		session->address = source + size;
		return session_kinds[i].run(session, &fields);
	}
	return -EPROTONOSUPPORT;
}

int intake_worker(int fd)
{
	struct session session = {0};
	char source[INTAKE_SOURCE_MAX];
	int r;

	channel_init(&session.channel, fd, FRAME_LIMIT);
	r = session_start(&session, source, sizeof(source));
	frame_writer_clear(&session.writer);
	frame_writer_clear(&session.done);
	channel_clear(&session.channel);
	/* Main has gone first: nothing to say, and nobody to say it to. */
	if (r == 0 || r == -EPIPE || r == -ECONNRESET)
		return EXIT_SUCCESS;
	(void)fprintf(stderr, "<3>intake worker: %s\n", strerrordesc_np(-r));
	return EXIT_FAILURE;
}

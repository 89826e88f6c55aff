#include "daemon/intake/intake.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "daemon/intake/protocol.h"
#include "daemon/net/credential.h"
#include "daemon/net/tls_stream.h"

/* Time for a fresh worker to get ready, and between two signs of life in a scan. */
#define START_MS 30000
#define SCAN_MS 60000
#define RESTART_MAX_MS 60000
/* The longest that a worker may call itself busy. */
#define BUSY_MAX_MS (20 * 60000)

static const struct intake_timing usual_timing = {
	.idle = 600000, .poll = 60000, .retry = 1000, .retry_max = 300000};

/* A decided message whose move is not confirmed yet. */
struct move {
	struct move *next;
	enum intake_where where;
	char place[];
};

struct intake {
	struct worker *worker;
	const struct intake_handlers *handlers;
	void *userdata;
	struct frame_writer writer;
	size_t message_size;

	struct move *moves, **moves_end; /* in the order in which the worker knows them */
	size_t n_moves;
	bool scanning;   /* a scan was asked for and has not ended */
	bool batch_open; /* messages were handed over since the last on_batch */
	bool changed;    /* something came while a scan was running */
	int64_t round, now;

	const struct secret *password; /* NULL: none */
	struct intake_mark mark;
	bool out; /* outage holds */
	struct intake_outage outage;
	char outage_text[INTAKE_TEXT_MAX];
};

static bool is_place(const char *place)
{
	size_t size = strlen(place);

	return size > 0 && size < INTAKE_PLACE_MAX && !strchr(place, ' ');
}

/* -ENOTCONN is no error: the next worker is told in on_start. */
static int intake_say(struct intake *intake)
{
	int r = frame_end(&intake->writer);

	if (r == 0)
		r = worker_send(intake->worker, &intake->writer);
	frame_writer_reset(&intake->writer);
	return r;
}

static int say_scan(struct intake *intake)
{
	frame_begin(&intake->writer, INTAKE_SCAN);
	frame_put_i64(&intake->writer, intake->round);
	frame_put_i64(&intake->writer, intake->now);
	return intake_say(intake);
}

static int say_move(struct intake *intake, const struct move *move)
{
	frame_begin(&intake->writer, INTAKE_HANDLED);
	frame_put_string(&intake->writer, move->place);
	frame_put_u8(&intake->writer, (uint8_t)move->where);
	return intake_say(intake);
}

static int say_mark(struct intake *intake)
{
	frame_begin(&intake->writer, INTAKE_MARK);
	frame_put_u32(&intake->writer, intake->mark.validity);
	frame_put_u32(&intake->writer, intake->mark.next);
	frame_put_i64(&intake->writer, intake->mark.instant);
	return intake_say(intake);
}

static int intake_watch(struct intake *intake, uint64_t ms)
{
	if (!worker_ready(intake->worker))
		ms = START_MS;
	return worker_deadline(intake->worker, ms);
}

static void end_batch(struct intake *intake)
{
	if (!intake->batch_open)
		return;
	intake->batch_open = false;
	if (intake->handlers->on_batch)
		intake->handlers->on_batch(intake->userdata);
}

static int64_t present(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void begin_outage(struct intake *intake, int error, int64_t ago, const char *text)
{
	(void)snprintf(intake->outage_text, sizeof(intake->outage_text), "%s", text);
	intake->outage.text = intake->outage_text;
	intake->outage.error = error;
	if (intake->out)
		return;
	intake->out = true;
	intake->outage.since = present() - ago;
	if (intake->handlers->on_unreachable)
		intake->handlers->on_unreachable(intake->userdata, &intake->outage);
}

static void end_outage(struct intake *intake)
{
	if (!intake->out)
		return;
	intake->out = false;
	if (intake->handlers->on_reachable)
		intake->handlers->on_reachable(intake->userdata, &intake->outage);
}

static void end_scan(struct intake *intake, int error, const char *text)
{
	bool changed = intake->changed;

	end_batch(intake);
	intake->scanning = false;
	intake->changed = false;
	if (error < 0)
		begin_outage(intake, error, 0, text);
	else
		end_outage(intake);
	if (error < 0)
		intake->handlers->on_scan_failed(intake->userdata, intake->round, error, text);
	else
		intake->handlers->on_scan_done(intake->userdata, intake->round);
	if (changed)
		intake->handlers->on_changed(intake->userdata);
}

static int take_message(struct intake *intake, struct frame_fields *fields)
{
	struct intake_message message;

	message.place = frame_get_line(fields);
	message.arrival = frame_get_i64(fields);
	message.size_full = frame_get_i64(fields);
	message.raw = frame_get_blob(fields, &message.size);
	if (frame_fields_end(fields) < 0 || !intake->scanning || !is_place(message.place) ||
		message.arrival > intake->now || message.size > intake->message_size ||
		message.size_full < (int64_t)message.size)
		return -EBADMSG;
	intake->batch_open = true;
	intake->handlers->on_message(intake->userdata, &message);
	return intake_watch(intake, SCAN_MS);
}

static int take_scan_end(struct intake *intake, struct frame_fields *fields, bool failed)
{
	int64_t round = frame_get_i64(fields);
	uint32_t error = failed ? frame_get_u32(fields) : 0;
	const char *text = failed ? frame_get_line(fields) : "";
	int r;

	if (frame_fields_end(fields) < 0 || !intake->scanning || round != intake->round ||
		(failed && (error == 0 || error > 4095)))
		return -EBADMSG;
	worker_prosper(intake->worker);
	r = intake_watch(intake, 0);
	end_scan(intake, -(int)error, text);
	return r;
}

static int take_handled(struct intake *intake, struct frame_fields *fields)
{
	const char *place = frame_get_string(fields);
	uint32_t error = frame_get_u32(fields);
	struct move *move = intake->moves;
	char text[INTAKE_PLACE_MAX + 128];

	/* The worker says them in order. */
	if (frame_fields_end(fields) < 0 || error > 4095 || !move ||
		strcmp(move->place, place) != 0)
		return -EBADMSG;
	intake->moves = move->next;
	if (!intake->moves)
		intake->moves_end = &intake->moves;
	intake->n_moves--;
	/* What a server refused, the worker has told for all of them at once. */
	if (error > 0 && error != EREMOTEIO && error != ESTALE) {
		(void)snprintf(text, sizeof(text), "%s cannot be moved: %s", place,
			strerrordesc_np((int)error));
		intake->handlers->on_notice(intake->userdata, text);
	}
	if (error > 0 && intake->handlers->on_not_handled)
		intake->handlers->on_not_handled(intake->userdata, move->place);
	else if (error == 0 && intake->handlers->on_handled)
		intake->handlers->on_handled(intake->userdata, move->place);
	free(move);
	return 0;
}

static int take_notice(struct intake *intake, struct frame_fields *fields)
{
	const char *text = frame_get_line(fields);

	if (frame_fields_end(fields) < 0)
		return -EBADMSG;
	intake->handlers->on_notice(intake->userdata, text);
	return 0;
}

static int take_changed(struct intake *intake, struct frame_fields *fields)
{
	if (frame_fields_end(fields) < 0)
		return -EBADMSG;
	/* The running scan may have passed it by: told at its end. */
	if (intake->scanning)
		intake->changed = true;
	else
		intake->handlers->on_changed(intake->userdata);
	return 0;
}

static int take_marked(struct intake *intake, struct frame_fields *fields)
{
	struct intake_mark mark = {.instant = intake->now};

	mark.validity = frame_get_u32(fields);
	mark.next = frame_get_u32(fields);
	if (frame_fields_end(fields) < 0 || !intake->scanning || !intake->password ||
		mark.validity == 0 || intake->mark.validity != 0 || !intake->handlers->on_mark)
		return -EBADMSG;
	intake->mark = mark;
	intake->handlers->on_mark(intake->userdata, &intake->mark);
	return 0;
}

static int take_busy(struct intake *intake, struct frame_fields *fields)
{
	uint32_t ms = frame_get_u32(fields);

	if (frame_fields_end(fields) < 0 || ms > BUSY_MAX_MS)
		return -EBADMSG;
	return intake_watch(intake, ms);
}

/* The worker is about to log in. */
static int take_password_wanted(struct intake *intake, struct frame_fields *fields)
{
	char text[INTAKE_TEXT_MAX] = "", *password = NULL;
	int r;

	if (frame_fields_end(fields) < 0 || !intake->password)
		return -EBADMSG;
	r = credential_read(intake->password, &password, text, sizeof(text));
	if (r < 0 && !*text)
		(void)snprintf(text, sizeof(text), "the password: %s", strerrordesc_np(-r));
	frame_begin(&intake->writer, INTAKE_PASSWORD);
	frame_put_string(&intake->writer, password);
	frame_put_string(&intake->writer, text);
	credential_free(password);
	r = intake_say(intake);
	if (intake->writer.bytes)
		explicit_bzero(intake->writer.bytes, intake->writer.allocated);
	return r == -ENOTCONN ? 0 : r;
}

static int take_unreachable(struct intake *intake, struct frame_fields *fields)
{
	uint32_t error = frame_get_u32(fields), ago = frame_get_u32(fields);
	const char *text = frame_get_line(fields);

	if (frame_fields_end(fields) < 0 || error == 0 || error > 4095)
		return -EBADMSG;
	begin_outage(intake, -(int)error, ago, text);
	return 0;
}

static int on_frame(void *userdata, const struct frame *frame)
{
	struct intake *intake = userdata;
	struct frame_fields fields;

	frame_fields_begin(&fields, frame);
	switch ((enum intake_frame)frame->type) {
	case INTAKE_MESSAGE:
		return take_message(intake, &fields);
	case INTAKE_WAITING:
		/* Now it is the owner who takes his time. */
		return frame_fields_end(&fields) < 0 ? -EBADMSG : intake_watch(intake, 0);
	case INTAKE_SCAN_DONE:
		return take_scan_end(intake, &fields, false);
	case INTAKE_SCAN_FAILED:
		return take_scan_end(intake, &fields, true);
	case INTAKE_HANDLED_DONE:
		return take_handled(intake, &fields);
	case INTAKE_CHANGED:
		return take_changed(intake, &fields);
	case INTAKE_NOTICE:
		return take_notice(intake, &fields);
	case INTAKE_MARKED:
		return take_marked(intake, &fields);
	case INTAKE_BUSY:
		return take_busy(intake, &fields);
	case INTAKE_PASSWORD_WANTED:
		return take_password_wanted(intake, &fields);
	case INTAKE_UNREACHABLE:
		return take_unreachable(intake, &fields);
	case INTAKE_SCAN:
	case INTAKE_STORED:
	case INTAKE_HANDLED:
	case INTAKE_MARK:
	case INTAKE_PASSWORD:
	default:
		return -EBADMSG;
	}
}

static void on_pause(void *userdata)
{
	end_batch(userdata);
}

static void on_start(void *userdata)
{
	struct intake *intake = userdata;
	int r = intake->mark.validity != 0 ? say_mark(intake) : 0;

	/* If the queue is full or memory is short, the worker runs over its time and the
	 * next one is told. */
	for (const struct move *move = intake->moves; move && r == 0; move = move->next)
		r = say_move(intake, move);
	if (intake->scanning && r == 0)
		(void)say_scan(intake);
	(void)intake_watch(intake, START_MS);
}

static void on_ready(void *userdata)
{
	struct intake *intake = userdata;

	(void)intake_watch(intake, intake->scanning ? SCAN_MS : 0);
}

static void on_death(void *userdata, const struct worker_death *death)
{
	struct intake *intake = userdata;

	if (intake->scanning)
		end_scan(intake, -EIO, death->text);
	if (intake->handlers->on_death)
		intake->handlers->on_death(intake->userdata, death);
}

static const struct worker_handlers worker_handlers = {
	.on_frame = on_frame,
	.on_pause = on_pause,
	.on_start = on_start,
	.on_ready = on_ready,
	.on_death = on_death,
};

static void put_timing(struct frame_writer *writer, uint32_t wanted, uint32_t usual)
{
	frame_put_u32(writer, wanted ? wanted : usual);
}

static int put_imap(struct intake *intake, const struct intake_config *config)
{
	const struct configured_mailbox *mailbox = config->mailbox;
	const struct mail_account *account = &mailbox->account;
	struct frame_writer *writer = &intake->writer;
	enum tls_mode mode = account->tls == MAIL_TLS_NONE      ? TLS_NEVER
			     : account->url.scheme == URL_IMAPS ? TLS_AT_ONCE
								: TLS_LATER;

	if (account->timeout <= 0 || account->timeout > BUSY_MAX_MS / 2)
		return -EINVAL;
	frame_put_string(writer, account->url.host);
	frame_put_u32(writer, account->url.port);
	frame_put_u8(writer, (uint8_t)mode);
	frame_put_string(writer, account->ca_file);
	frame_put_string(writer, account->url.user);
	frame_put_u8(writer, (uint8_t)account->auth);
	frame_put_string(writer, account->url.folder);
	frame_put_string(writer, mailbox->archive);
	frame_put_string(writer, mailbox->junk);
	frame_put_u8(writer, mailbox->since == SINCE_ALL);
	frame_put_u8(writer, config->look_only);
	frame_put_u32(writer, (uint32_t)account->timeout);
	put_timing(writer, config->timing.idle, usual_timing.idle);
	put_timing(writer, config->timing.poll, usual_timing.poll);
	put_timing(writer, config->timing.retry, usual_timing.retry);
	put_timing(writer, config->timing.retry_max, usual_timing.retry_max);
	intake->password = &account->password;
	return 0;
}

static int intake_start(struct intake *intake, sd_event *event, const struct intake_config *config)
{
	struct worker_options options = {.kind = "intake",
		.frame_limit = config->message_size + INTAKE_FRAME_EXTRA,
		.queue_limit = SIZE_MAX,
		.restart_max_ms = RESTART_MAX_MS};
	char source[INTAKE_SOURCE_MAX];
	int n = snprintf(source, sizeof(source), "%s%s",
		config->maildir ? "maildir:" : "imap:", config->maildir ? config->maildir : "");
	int r = 0;

	if (n < 0 || (size_t)n >= sizeof(source))
		return -ENAMETOOLONG;
	if (config->message_size > UINT32_MAX - INTAKE_FRAME_EXTRA)
		return -EINVAL;
	frame_put_string(&intake->writer, source);
	frame_put_u32(&intake->writer, (uint32_t)config->message_size);
	frame_put_u32(&intake->writer, INTAKE_WINDOW_MESSAGES);
	frame_put_u32(&intake->writer, INTAKE_WINDOW_BYTES);
	if (!config->maildir)
		r = put_imap(intake, config);
	if (r == 0)
		r = intake->writer.error;
	if (r < 0)
		return r;
	options.config = intake->writer.bytes;
	options.config_size = intake->writer.size;
	return worker_new(&intake->worker, event, &options, &worker_handlers, intake);
}

int intake_open(struct intake **ret_intake, sd_event *event, const struct intake_config *config,
	const struct intake_handlers *handlers, void *userdata)
{
	struct intake *intake = calloc(1, sizeof(*intake));
	int r;

	if (!intake)
		return -ENOMEM;
	intake->handlers = handlers;
	intake->userdata = userdata;
	intake->message_size = config->message_size;
	intake->moves_end = &intake->moves;
	intake->mark = config->mark;
	frame_writer_init(&intake->writer, INTAKE_NAMES_MAX + INTAKE_SOURCE_MAX);
	r = intake_start(intake, event, config);
	frame_writer_reset(&intake->writer);
	if (r < 0) {
		intake_close(intake);
		return r;
	}
	*ret_intake = intake;
	return 0;
}

void intake_close(struct intake *intake)
{
	if (!intake)
		return;
	worker_free(intake->worker);
	while (intake->moves) {
		struct move *move = intake->moves;

		intake->moves = move->next;
		free(move);
	}
	frame_writer_clear(&intake->writer);
	free(intake);
}

int intake_scan(struct intake *intake, int64_t round, int64_t now)
{
	int r;

	if (intake->scanning)
		return -EBUSY;
	intake->round = round;
	intake->now = now;
	r = say_scan(intake);
	if (r < 0 && r != -ENOTCONN)
		return r;
	intake->scanning = true;
	return intake_watch(intake, SCAN_MS);
}

int intake_stored(struct intake *intake, const char *place)
{
	int r;

	frame_begin(&intake->writer, INTAKE_STORED);
	frame_put_string(&intake->writer, place);
	r = intake_say(intake);
	/* The next worker hands it over again, and is told again. */
	if (r == -ENOTCONN)
		return 0;
	return r < 0 || !intake->scanning ? r : intake_watch(intake, SCAN_MS);
}

int intake_handled(struct intake *intake, const char *place, enum intake_where where)
{
	size_t size = strlen(place) + 1;
	struct move *move = malloc(sizeof(*move) + size);
	int r;

	if (!move)
		return -ENOMEM;
	*move = (struct move){.where = where};
	memcpy(move->place, place, size);
	r = say_move(intake, move);
	if (r < 0 && r != -ENOTCONN) {
		free(move);
		return r;
	}
	*intake->moves_end = move;
	intake->moves_end = &move->next;
	intake->n_moves++;
	return intake->scanning ? intake_watch(intake, SCAN_MS) : 0;
}

size_t intake_waiting(const struct intake *intake)
{
	return intake->n_moves;
}

bool intake_scanning(const struct intake *intake)
{
	return intake->scanning;
}

const struct intake_outage *intake_outage(const struct intake *intake)
{
	return intake->out ? &intake->outage : NULL;
}

pid_t intake_pid(const struct intake *intake)
{
	return worker_pid(intake->worker);
}

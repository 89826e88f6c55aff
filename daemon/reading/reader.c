#include "daemon/reading/reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/net/channel.h"
#include "daemon/net/requests.h"
#include "daemon/net/sandbox.h"
#include "daemon/reading/letter_json.h"

#ifdef ZUGPOST_SANITIZED
#define LETTER_MS 60000
#else
#define LETTER_MS 10000
#endif
#define START_MS 30000
/* Hostile mails come in rows: they must not keep the others waiting for long. */
#define RESTART_MAX_MS 2000

/*
 *   main                      worker
 *   FRAME_CONFIG{}         -> loads the charsets, shuts itself in
 *                          <- FRAME_READY{}
 *   READ{i64 id, blob raw} ->
 *                          <- LETTER{i64 id, blob json}
 *   DIE{i64 id, blob raw}  -> dies; only in tests
 */
enum reader_frame {
	READER_READ = FRAME_FIRST_OWN,
	READER_DIE,
	READER_LETTER = FRAME_FIRST_OWN + 16,
};

/* id and lengths */
#define FRAME_EXTRA 64

struct reader {
	struct requests *requests;
	const struct reader_handlers *handlers;
	void *userdata;
};

static int on_answer(void *userdata, int64_t id, const struct frame *frame)
{
	struct reader *reader = userdata;
	struct frame_fields fields;
	const char *json;
	size_t size;

	if (frame->type != READER_LETTER)
		return -EBADMSG;
	frame_fields_begin(&fields, frame);
	(void)frame_get_i64(&fields);
	json = frame_get_blob(&fields, &size);
	if (frame_fields_end(&fields) < 0)
		return -EBADMSG;
	reader->handlers->on_letter(reader->userdata, id, json, size);
	return 0;
}

static void on_lost(void *userdata, int64_t id, const struct worker_death *death)
{
	struct reader *reader = userdata;

	reader->handlers->on_lost(reader->userdata, id, death);
}

static void on_death(void *userdata, const struct worker_death *death)
{
	struct reader *reader = userdata;

	if (reader->handlers->on_death)
		reader->handlers->on_death(reader->userdata, death);
}

static const struct requests_handlers requests_handlers = {
	.on_answer = on_answer,
	.on_lost = on_lost,
	.on_death = on_death,
};

int reader_open(struct reader **ret_reader, sd_event *event, const struct reader_handlers *handlers,
	void *userdata)
{
	static const struct worker_options worker = {.kind = "reader",
		.frame_limit = READER_LETTER_MAX + FRAME_EXTRA,
		.restart_max_ms = RESTART_MAX_MS};
	static const struct requests_options options = {.window = READER_WINDOW,
		.window_bytes = READER_WINDOW_BYTES,
		.limit_ms = LETTER_MS,
		.start_ms = START_MS};
	struct reader *reader = calloc(1, sizeof(*reader));
	int r;

	if (!reader)
		return -ENOMEM;
	reader->handlers = handlers;
	reader->userdata = userdata;
	r = requests_new(&reader->requests, event, &worker, &options, &requests_handlers, reader);
	if (r < 0) {
		free(reader);
		return r;
	}
	*ret_reader = reader;
	return 0;
}

void reader_close(struct reader *reader)
{
	if (!reader)
		return;
	requests_free(reader->requests);
	free(reader);
}

#ifdef READER_CRASH_HOOK
/* The crash tests name a text: the worker dies over every message that holds it. */
static uint8_t frame_for(const void *raw, size_t size)
{
	const char *poison = getenv("ZUGPOST_TEST_READER_DIES");

	return poison && memmem(raw, size, poison, strlen(poison)) ? READER_DIE : READER_READ;
}
#else
static uint8_t frame_for(const void *raw, size_t size)
{
	(void)raw;
	(void)size;
	return READER_READ;
}
#endif

int reader_read(struct reader *reader, int64_t id, const void *raw, size_t size)
{
	struct frame_writer *writer = requests_begin(reader->requests, frame_for(raw, size), id);

	frame_put_blob(writer, raw, size < LETTER_RAW_MAX ? size : LETTER_RAW_MAX);
	return requests_send(reader->requests);
}

size_t reader_waiting(const struct reader *reader)
{
	return requests_waiting(reader->requests);
}

pid_t reader_pid(const struct reader *reader)
{
	return requests_pid(reader->requests);
}

static int read_one(struct channel *channel, struct frame_writer *writer, const struct frame *frame)
{
	struct frame_fields fields;
	const void *raw;
	char *json = NULL;
	size_t size, json_size;
	int64_t id;
	int r;

#ifdef READER_CRASH_HOOK
	if (frame->type == READER_DIE)
		__builtin_trap();
#endif
	frame_fields_begin(&fields, frame);
	id = frame_get_i64(&fields);
	raw = frame_get_blob(&fields, &size);
	if (frame->type != READER_READ || frame_fields_end(&fields) < 0)
		return -EBADMSG;
	r = letter_read_json(raw, size, &json, &json_size);
	if (r < 0)
		return r;
	frame_begin(writer, READER_LETTER);
	frame_put_i64(writer, id);
	frame_put_blob(writer, json, json_size);
	free(json);
	r = frame_end(writer);
	return r < 0 ? r : channel_send(channel, writer);
}

static int read_all(struct channel *channel)
{
	struct frame_writer writer;
	struct frame_fields fields;
	struct frame frame;
	int r;

	r = channel_config(channel, &fields);
	if (r == 0)
		r = frame_fields_end(&fields);
	if (r == 0)
		r = letter_prepare();
	if (r == 0)
		r = sandbox_enter(SANDBOX_READER);
	if (r == 0)
		r = channel_ready(channel);
	if (r < 0)
		return r;
	frame_writer_init(&writer, READER_LETTER_MAX + FRAME_EXTRA);
	while ((r = channel_receive(channel, &frame)) > 0) {
		r = read_one(channel, &writer, &frame);
		if (r < 0)
			break;
	}
	frame_writer_clear(&writer);
	return r;
}

int reader_worker(int fd)
{
	struct channel channel;
	int r;

	channel_init(&channel, fd, LETTER_RAW_MAX + FRAME_EXTRA);
	r = read_all(&channel);
	channel_clear(&channel);
	/* Main has gone first: nothing to say, and nobody to say it to. */
	if (r == 0 || r == -EPIPE || r == -ECONNRESET)
		return EXIT_SUCCESS;
	(void)fprintf(stderr, "<3>reader worker: %s\n", strerrordesc_np(-r));
	return EXIT_FAILURE;
}

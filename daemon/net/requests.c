#include "daemon/net/requests.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct request {
	struct request *next;
	int64_t id;
	size_t size;
	uint8_t bytes[]; /* the whole frame */
};

struct requests {
	struct worker *worker;
	const struct requests_handlers *handlers;
	void *userdata;
	struct requests_options options;
	/* Unanswered, oldest first. The worker knows all of them while it runs, and works
	 * on the first. */
	struct request *first, **end;
	size_t n, bytes;
	struct frame_writer writer;
	int64_t id; /* of the request in the writer */
};

static void requests_append(struct requests *requests, struct request *request)
{
	request->next = NULL;
	*requests->end = request;
	requests->end = &request->next;
	requests->n++;
	requests->bytes += request->size;
}

static void requests_prepend(struct requests *requests, struct request *request)
{
	request->next = requests->first;
	if (!request->next)
		requests->end = &request->next;
	requests->first = request;
	requests->n++;
	requests->bytes += request->size;
}

static struct request *requests_pop(struct requests *requests)
{
	struct request *request = requests->first;

	assert(request);
	requests->first = request->next;
	if (!requests->first)
		requests->end = &requests->first;
	requests->n--;
	requests->bytes -= request->size;
	return request;
}

/* The clock runs for the first request alone. */
static int requests_watch(struct requests *requests)
{
	uint64_t ms = 0;

	if (!worker_ready(requests->worker))
		ms = requests->options.start_ms;
	else if (requests->first)
		ms = requests->options.limit_ms;
	return worker_deadline(requests->worker, ms);
}

static int on_frame(void *userdata, const struct frame *frame)
{
	struct requests *requests = userdata;
	struct frame_fields fields;
	struct request *request;
	int64_t id;
	int r;

	frame_fields_begin(&fields, frame);
	id = frame_get_i64(&fields);
	if (fields.bad || !requests->first || requests->first->id != id)
		return -EBADMSG;
	/* Taken out before the owner hears of it, who may send the next one from there. */
	request = requests_pop(requests);
	r = requests->handlers->on_answer(requests->userdata, id, frame);
	if (r < 0) {
		requests_prepend(requests, request);
		return r;
	}
	free(request);
	worker_prosper(requests->worker);
	return requests_watch(requests);
}

static void on_start(void *userdata)
{
	struct requests *requests = userdata;

	for (struct request *request = requests->first; request; request = request->next) {
		struct frame_writer whole = {.bytes = request->bytes, .size = request->size};

		/* Without a limit on the queue only memory can fail; then the worker runs over
		 * its time, and the next one is given everything again. */
		if (worker_send(requests->worker, &whole) < 0)
			break;
	}
	(void)requests_watch(requests);
}

static void on_ready(void *userdata)
{
	(void)requests_watch(userdata);
}

static void requests_lose_first(struct requests *requests, const struct worker_death *death)
{
	struct request *request = requests_pop(requests);
	int64_t id = request->id;

	free(request);
	requests->handlers->on_lost(requests->userdata, id, death);
}

static void on_death(void *userdata, const struct worker_death *death)
{
	struct requests *requests = userdata;
	size_t n = 0;

	if (requests->first && death->was_ready)
		n = 1;
	else if (requests->options.lost_unready)
		n = requests->n;
	/* Counted before, since the owner may send a lost one again. */
	while (n-- > 0 && requests->first)
		requests_lose_first(requests, death);
	if (requests->handlers->on_death)
		requests->handlers->on_death(requests->userdata, death);
}

static const struct worker_handlers worker_handlers = {
	.on_frame = on_frame,
	.on_start = on_start,
	.on_ready = on_ready,
	.on_death = on_death,
};

int requests_new(struct requests **ret_requests, sd_event *event,
	const struct worker_options *worker, const struct requests_options *options,
	const struct requests_handlers *handlers, void *userdata)
{
	struct requests *requests = calloc(1, sizeof(*requests));
	struct worker_options unlimited = *worker;
	int r;

	if (!requests)
		return -ENOMEM;
	requests->handlers = handlers;
	requests->userdata = userdata;
	requests->options = *options;
	requests->end = &requests->first;
	frame_writer_init(&requests->writer, UINT32_MAX);
	unlimited.queue_limit = SIZE_MAX;
	r = worker_new(&requests->worker, event, &unlimited, &worker_handlers, requests);
	if (r < 0) {
		requests_free(requests);
		return r;
	}
	*ret_requests = requests;
	return 0;
}

void requests_free(struct requests *requests)
{
	if (!requests)
		return;
	worker_free(requests->worker);
	while (requests->first)
		free(requests_pop(requests));
	frame_writer_clear(&requests->writer);
	free(requests);
}

struct frame_writer *requests_begin(struct requests *requests, uint8_t type, int64_t id)
{
	frame_writer_reset(&requests->writer);
	requests->id = id;
	frame_begin(&requests->writer, type);
	frame_put_i64(&requests->writer, id);
	return &requests->writer;
}

bool requests_room(const struct requests *requests, size_t size)
{
	if (requests->n == 0)
		return true;
	return requests->n < requests->options.window &&
	       requests->bytes < requests->options.window_bytes &&
	       size <= requests->options.window_bytes - requests->bytes;
}

int requests_send(struct requests *requests)
{
	struct frame_writer *writer = &requests->writer;
	struct request *request;
	int r;

	r = frame_end(writer);
	if (r < 0)
		return r;
	if (!requests_room(requests, writer->size))
		return -EAGAIN;
	request = malloc(sizeof(*request) + writer->size);
	if (!request)
		return -ENOMEM;
	request->id = requests->id;
	request->size = writer->size;
	memcpy(request->bytes, writer->bytes, writer->size);
	r = worker_send(requests->worker, writer);
	if (r < 0 && r != -ENOTCONN) {
		free(request);
		return r;
	}
	requests_append(requests, request);
	return requests->n == 1 ? requests_watch(requests) : 0;
}

size_t requests_waiting(const struct requests *requests)
{
	return requests->n;
}

pid_t requests_pid(const struct requests *requests)
{
	return worker_pid(requests->worker);
}

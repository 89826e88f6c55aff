/*
 * Requests to a worker that answers them one by one, in order: the client side
 * of the reader and of delivery. Whatever is unanswered when the worker dies is
 * given to the next one, except the request that it died on: that one is lost,
 * and the owner decides whether to try it again.
 */
#pragma once

#include "daemon/net/worker.h"

struct requests_options {
	size_t window;       /* requests that may be unanswered at a time */
	size_t window_bytes; /* and their bytes; one request is always taken */
	uint64_t limit_ms;   /* time for one request, waiting in the queue not counted */
	uint64_t start_ms;   /* time for a fresh worker to get ready */
	/* When a worker dies before it is ready: whether all requests are lost, or wait for
	 * the next one. */
	bool lost_unready;
};

struct requests_handlers {
	/* The answer to request id. A negative value: not an answer that the protocol
	 * allows; the worker is killed and the request lost. */
	int (*on_answer)(void *userdata, int64_t id, const struct frame *frame);
	/* The worker died over this request. */
	void (*on_lost)(void *userdata, int64_t id, const struct worker_death *death);
	/* Every death, after on_lost. May be NULL. */
	void (*on_death)(void *userdata, const struct worker_death *death);
};

struct requests;

/* Every frame of the worker must begin with the i64 id of the request that it
 * answers. worker->queue_limit is ignored. */
int requests_new(struct requests **ret_requests, sd_event *event,
	const struct worker_options *worker, const struct requests_options *options,
	const struct requests_handlers *handlers, void *userdata) MUST_CHECK;
void requests_free(struct requests *requests);

/* Begins a request: add the fields behind the id, then requests_send(). */
struct frame_writer *requests_begin(struct requests *requests, uint8_t type, int64_t id);
/* -EAGAIN when the window is full: try again after the next answer or loss. */
int requests_send(struct requests *requests) MUST_CHECK;
/* Room for another request of so many bytes? */
bool requests_room(const struct requests *requests, size_t size);
/* Requests that are unanswered. */
size_t requests_waiting(const struct requests *requests);
pid_t requests_pid(const struct requests *requests);

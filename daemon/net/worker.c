#include "daemon/net/worker.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "daemon/net/child.h"

#define RESTART_FIRST_MS 100
/* From the end of file on its socket to the kill. */
#define EXIT_GRACE_MS 2000
/* Reads a turn, so that one talkative worker does not starve the loop. */
#define READS_A_TURN 16
/* An emptied queue keeps no more memory than this. */
#define QUEUE_KEPT 65536

struct worker {
	sd_event *event;
	const struct worker_handlers *handlers;
	void *userdata;
	char *kind;
	struct frame_writer config;
	size_t queue_limit;
	uint64_t restart_max_ms;

	pid_t pid; /* 0: none */
	int pidfd;
	int fd; /* -1: the worker has closed its end, or there is none */
	sd_event_source *io, *exited, *restart, *deadline;
	struct frame_parser parser;
	uint8_t *queue;
	size_t queue_start, queue_end, queue_allocated;

	bool ready, broken;
	enum worker_fate fate; /* of a worker that was killed from here, otherwise 0 */
	int fate_code;
	unsigned deaths;
	unsigned in_handlers;
};

static size_t queue_size(const struct worker *worker)
{
	return worker->queue_end - worker->queue_start;
}

static void queue_clear(struct worker *worker)
{
	worker->queue_start = worker->queue_end = 0;
	if (worker->queue_allocated > QUEUE_KEPT) {
		free(worker->queue);
		worker->queue = NULL;
		worker->queue_allocated = 0;
	}
}

static int queue_append(struct worker *worker, const void *data, size_t size)
{
	size_t used = queue_size(worker), wanted;
	uint8_t *grown;

	if (used > 0 && (used > worker->queue_limit || size > worker->queue_limit - used))
		return -ENOBUFS;
	if (worker->queue_end + size > worker->queue_allocated && worker->queue_start > 0) {
		memmove(worker->queue, worker->queue + worker->queue_start, used);
		worker->queue_start = 0;
		worker->queue_end = used;
	}
	if (worker->queue_end + size > worker->queue_allocated) {
		wanted = used + size > SIZE_MAX / 2 ? SIZE_MAX : 2 * (used + size);
		grown = realloc(worker->queue, wanted);
		if (!grown)
			return -ENOMEM;
		worker->queue = grown;
		worker->queue_allocated = wanted;
	}
	memcpy(worker->queue + worker->queue_end, data, size);
	worker->queue_end += size;
	return 0;
}

/* Writes what goes without waiting. A worker that no longer reads is about to be
 * reaped: what was meant for it is dropped. */
static void queue_flush(struct worker *worker)
{
	while (worker->fd >= 0 && queue_size(worker) > 0) {
		ssize_t n = send(worker->fd, worker->queue + worker->queue_start,
			queue_size(worker), MSG_DONTWAIT | MSG_NOSIGNAL);

		if (n >= 0) {
			worker->queue_start += (size_t)n;
			continue;
		}
		if (errno == EINTR)
			continue;
		if (errno == EAGAIN)
			return;
		worker->broken = true;
		break;
	}
	queue_clear(worker);
}

static int io_arm(struct worker *worker)
{
	if (!worker->io)
		return 0;
	return sd_event_source_set_io_events(
		worker->io, EPOLLIN | (queue_size(worker) > 0 ? (uint32_t)EPOLLOUT : 0));
}

static void worker_kill(struct worker *worker, enum worker_fate fate, int code)
{
	if (worker->pid == 0)
		return;
	if (!worker->fate) {
		worker->fate = fate;
		worker->fate_code = code;
	}
	/* It cannot have been reaped by anybody else: the number is still its own. */
	(void)kill(worker->pid, SIGKILL);
}

/* Stops listening; the process ends by itself or is killed after a grace. */
static void worker_hang_up(struct worker *worker)
{
	worker->io = sd_event_source_disable_unref(worker->io);
	if (worker->fd >= 0)
		(void)close(worker->fd);
	worker->fd = -1;
	queue_clear(worker);
	if (worker->pid != 0 && worker_deadline(worker, EXIT_GRACE_MS) < 0)
		worker_kill(worker, WORKER_OVERDUE, 0);
}

/* A frame of the protocol that all workers share is dealt with here. */
static int worker_take_frame(struct worker *worker, const struct frame *frame)
{
	int r;

	if (frame->type == FRAME_READY) {
		if (worker->ready || frame->size > 0)
			return -EBADMSG;
		worker->ready = true;
		if (worker->handlers->on_ready)
			worker->handlers->on_ready(worker->userdata);
		return 0;
	}
	if (frame->type < FRAME_FIRST_OWN || !worker->ready)
		return -EBADMSG;
	worker->in_handlers++;
	r = worker->handlers->on_frame(worker->userdata, frame);
	worker->in_handlers--;
	return r;
}

static int worker_take_frames(struct worker *worker, const void *data, size_t size)
{
	struct frame frame;
	int r;

	r = frame_parser_push(&worker->parser, data, size);
	if (r < 0)
		return r;
	while ((r = frame_parser_next(&worker->parser, &frame)) > 0) {
		r = worker_take_frame(worker, &frame);
		if (r < 0)
			return r;
	}
	return r;
}

/* Reads what has come, at most so many times. */
static void worker_read(struct worker *worker, unsigned turns)
{
	static uint8_t bytes[FRAME_PUSH_MAX];
	bool something = false;
	int r = 0;

	while (turns-- > 0 && worker->fd >= 0 && r >= 0) {
		ssize_t n = recv(worker->fd, bytes, sizeof(bytes), MSG_DONTWAIT);

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			break;
		if (n <= 0) {
			worker_hang_up(worker);
			break;
		}
		something = true;
		r = worker_take_frames(worker, bytes, (size_t)n);
	}
	if (something && worker->handlers->on_pause) {
		worker->in_handlers++;
		worker->handlers->on_pause(worker->userdata);
		worker->in_handlers--;
	}
	if (r < 0) {
		/* From a worker that misspeaks nothing more is heard. */
		worker_kill(worker, WORKER_MISSPOKE, r);
		worker_hang_up(worker);
	}
}

static int on_io(sd_event_source *source, int fd, uint32_t events, void *userdata)
{
	struct worker *worker = userdata;

	(void)source;
	(void)fd;
	if (events & EPOLLOUT)
		queue_flush(worker);
	if (events & (EPOLLIN | EPOLLHUP | EPOLLERR))
		worker_read(worker, READS_A_TURN);
	return io_arm(worker);
}

static void death_text(
	const struct worker *worker, const struct worker_death *death, char *text, size_t size)
{
	char what[128];
	const char *name;

	switch (death->fate) {
	case WORKER_EXITED:
		(void)snprintf(what, sizeof(what), "ended with exit code %d", death->code);
		break;
	case WORKER_KILLED:
		name = sigabbrev_np(death->code);
		(void)snprintf(what, sizeof(what), "was killed by SIG%s", name ? name : "?");
		break;
	case WORKER_OVERDUE:
		(void)snprintf(what, sizeof(what), "ran over its time limit and was killed");
		break;
	case WORKER_MISSPOKE:
		(void)snprintf(what, sizeof(what), "broke the protocol (%s) and was killed",
			strerrordesc_np(-death->code));
		break;
	case WORKER_UNSTARTED:
		(void)snprintf(what, sizeof(what), "could not be started (%s)",
			strerrordesc_np(-death->code));
		break;
	}
	(void)snprintf(text, size, "worker %s (%d) %s; the next one starts in %llu ms",
		worker->kind, (int)death->pid, what, (unsigned long long)death->restart_ms);
}

/* Clears away a process that is gone, orders the next one, and tells the owner. */
static int worker_bury(struct worker *worker, enum worker_fate fate, int code)
{
	char text[256];
	struct worker_death death = {.fate = fate,
		.code = code,
		.pid = worker->pid,
		.was_ready = worker->ready,
		.in_a_row = ++worker->deaths,
		.text = text};
	int r;

	worker->pid = 0;
	worker_hang_up(worker);
	worker->exited = sd_event_source_disable_unref(worker->exited);
	if (worker->pidfd >= 0)
		(void)close(worker->pidfd);
	worker->pidfd = -1;
	worker->ready = worker->broken = false;
	worker->fate = 0;
	frame_parser_clear(&worker->parser);
	r = worker_deadline(worker, 0);
	if (r < 0)
		return r;
	death.restart_ms = RESTART_FIRST_MS;
	for (unsigned i = 1; i < death.in_a_row && death.restart_ms < worker->restart_max_ms; i++)
		death.restart_ms *= 2;
	if (death.restart_ms > worker->restart_max_ms)
		death.restart_ms = worker->restart_max_ms;
	r = sd_event_source_set_time_relative(worker->restart, death.restart_ms * 1000);
	if (r >= 0)
		r = sd_event_source_set_enabled(worker->restart, SD_EVENT_ONESHOT);
	if (r < 0)
		return r;
	death_text(worker, &death, text, sizeof(text));
	worker->in_handlers++;
	worker->handlers->on_death(worker->userdata, &death);
	worker->in_handlers--;
	return 0;
}

static int on_exited(sd_event_source *source, int fd, uint32_t events, void *userdata)
{
	struct worker *worker = userdata;
	siginfo_t info = {0};

	(void)source;
	(void)events;
	/* What it said before it died still counts. */
	if (!worker->fate)
		worker_read(worker, UINT32_MAX);
	if (waitid(P_PIDFD, (id_t)fd, &info, WEXITED) < 0)
		return -errno;
	if (worker->fate)
		return worker_bury(worker, worker->fate, worker->fate_code);
	return worker_bury(
		worker, info.si_code == CLD_EXITED ? WORKER_EXITED : WORKER_KILLED, info.si_status);
}

static int on_deadline(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct worker *worker = userdata;

	(void)source;
	(void)usec;
	worker_kill(worker, WORKER_OVERDUE, 0);
	worker_hang_up(worker);
	return 0;
}

static int worker_start(struct worker *worker)
{
	struct child child;
	int r;

	r = child_start(worker->kind, &child);
	if (r < 0)
		return r;
	worker->pid = child.pid;
	worker->pidfd = child.pidfd;
	worker->fd = child.socket;
	r = sd_event_add_io(
		worker->event, &worker->exited, worker->pidfd, EPOLLIN, on_exited, worker);
	if (r >= 0)
		r = sd_event_add_io(worker->event, &worker->io, worker->fd, EPOLLIN, on_io, worker);
	if (r >= 0)
		r = queue_append(worker, worker->config.bytes, worker->config.size);
	if (r < 0) {
		worker_kill(worker, WORKER_UNSTARTED, r);
		(void)waitid(P_PID, (id_t)worker->pid, &(siginfo_t){0}, WEXITED);
	}
	return r;
}

static int on_restart(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct worker *worker = userdata;
	int r;

	(void)source;
	(void)usec;
	r = worker_start(worker);
	if (r < 0)
		return worker_bury(worker, WORKER_UNSTARTED, r);
	worker->in_handlers++;
	worker->handlers->on_start(worker->userdata);
	worker->in_handlers--;
	queue_flush(worker);
	return io_arm(worker);
}

static int worker_set_up(struct worker *worker, const struct worker_options *options)
{
	int r;

	worker->kind = strdup(options->kind);
	if (!worker->kind)
		return -ENOMEM;
	frame_begin(&worker->config, FRAME_CONFIG);
	frame_put_raw(&worker->config, options->config, options->config_size);
	r = frame_end(&worker->config);
	if (r < 0)
		return r;
	r = sd_event_add_time(worker->event, &worker->deadline, CLOCK_MONOTONIC, UINT64_MAX, 1000,
		on_deadline, worker);
	if (r < 0)
		return r;
	r = sd_event_source_set_enabled(worker->deadline, SD_EVENT_OFF);
	if (r < 0)
		return r;
	return sd_event_add_time_relative(
		worker->event, &worker->restart, CLOCK_MONOTONIC, 0, 1000, on_restart, worker);
}

int worker_new(struct worker **ret_worker, sd_event *event, const struct worker_options *options,
	const struct worker_handlers *handlers, void *userdata)
{
	struct worker *worker = calloc(1, sizeof(*worker));
	int r;

	if (!worker)
		return -ENOMEM;
	*worker = (struct worker){.event = sd_event_ref(event),
		.handlers = handlers,
		.userdata = userdata,
		.queue_limit = options->queue_limit,
		.restart_max_ms = options->restart_max_ms,
		.pidfd = -1,
		.fd = -1};
	frame_parser_init(&worker->parser, options->frame_limit);
	frame_writer_init(&worker->config, options->config_size);
	r = worker_set_up(worker, options);
	if (r < 0) {
		worker_free(worker);
		return r;
	}
	*ret_worker = worker;
	return 0;
}

static uint64_t now_ms(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Reads and forgets; false when the other end is closed. */
static bool worker_discard(struct worker *worker)
{
	uint8_t bytes[4096];
	ssize_t n;

	do
		n = recv(worker->fd, bytes, sizeof(bytes), MSG_DONTWAIT);
	while (n > 0);
	return n < 0 && (errno == EAGAIN || errno == EINTR);
}

/* Lets it end by itself for a while. */
static void worker_wait(struct worker *worker)
{
	uint64_t now = now_ms(), end = now + EXIT_GRACE_MS;
	bool told = false;

	while (now < end) {
		struct pollfd polled[2] = {{.fd = worker->pidfd, .events = POLLIN},
			{.fd = worker->fd, .events = POLLIN}};

		queue_flush(worker);
		if (queue_size(worker) > 0)
			polled[1].events |= POLLOUT;
		else if (worker->fd >= 0 && !told)
			told = shutdown(worker->fd, SHUT_WR) >= 0;
		if (poll(polled, 2, (int)(end - now)) < 0 && errno != EINTR)
			return;
		if (polled[0].revents)
			return;
		if (polled[1].revents && !worker_discard(worker)) {
			(void)close(worker->fd);
			worker->fd = -1;
		}
		now = now_ms();
	}
}

void worker_free(struct worker *worker)
{
	if (!worker)
		return;
	assert(worker->in_handlers == 0);
	worker->io = sd_event_source_disable_unref(worker->io);
	worker->exited = sd_event_source_disable_unref(worker->exited);
	worker->restart = sd_event_source_disable_unref(worker->restart);
	worker->deadline = sd_event_source_disable_unref(worker->deadline);
	if (worker->pid != 0) {
		if (!worker->fate)
			worker_wait(worker);
		worker_kill(worker, WORKER_OVERDUE, 0);
		(void)waitid(P_PID, (id_t)worker->pid, &(siginfo_t){0}, WEXITED);
	}
	if (worker->pidfd >= 0)
		(void)close(worker->pidfd);
	if (worker->fd >= 0)
		(void)close(worker->fd);
	frame_parser_clear(&worker->parser);
	frame_writer_clear(&worker->config);
	free(worker->queue);
	free(worker->kind);
	sd_event_unref(worker->event);
	free(worker);
}

int worker_send(struct worker *worker, struct frame_writer *writer)
{
	int r;

	if (worker->fd < 0 || worker->broken || worker->fate)
		return -ENOTCONN;
	r = queue_append(worker, writer->bytes, writer->size);
	if (r < 0)
		return r;
	frame_writer_reset(writer);
	queue_flush(worker);
	return io_arm(worker);
}

int worker_deadline(struct worker *worker, uint64_t ms)
{
	int r;

	if (ms == 0 || worker->pid == 0)
		return sd_event_source_set_enabled(worker->deadline, SD_EVENT_OFF);
	r = sd_event_source_set_time_relative(worker->deadline, ms * 1000);
	if (r < 0)
		return r;
	return sd_event_source_set_enabled(worker->deadline, SD_EVENT_ONESHOT);
}

void worker_prosper(struct worker *worker)
{
	worker->deaths = 0;
}

bool worker_running(const struct worker *worker)
{
	return worker->fd >= 0;
}

bool worker_ready(const struct worker *worker)
{
	return worker->ready;
}

pid_t worker_pid(const struct worker *worker)
{
	return worker->pid;
}

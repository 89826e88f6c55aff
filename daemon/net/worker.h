/*
 * Worker processes, seen from main. A worker is this same program started again
 * (/proc/self/exe, so that both ends always speak the same protocol) with
 * `--worker KIND`, its socket as descriptor 3, no other descriptors but the
 * standard ones, and an empty environment. It dies with main.
 *
 * A worker that ends, says something it must not, or runs over the time it was
 * given is reaped, reported, and started again after a delay that doubles with
 * every death in a row. Nothing here blocks except worker_free().
 *
 * No call of this file that frees may be made from inside a handler.
 */
#pragma once

#include <sys/types.h>
#include <systemd/sd-event.h>

#include "daemon/net/frame.h"

/* What a program can be started as. */
struct worker_kind {
	const char *name;
	int (*run)(int fd); /* the exit code */
};

/* To be called before anything else in main(). -1 unless argv[1] is `--worker`;
 * otherwise it runs that worker and returns the exit code. */
int worker_main(int argc, char **argv, const struct worker_kind *kinds, size_t n_kinds) MUST_CHECK;

enum worker_fate {
	WORKER_EXITED = 1, /* by itself; code: the exit code */
	WORKER_KILLED,     /* by a signal; code: the signal */
	WORKER_OVERDUE,    /* ran over its time limit */
	WORKER_MISSPOKE,   /* sent what the protocol does not allow; code: the -errno */
	WORKER_UNSTARTED,  /* fork or socketpair failed; code: the -errno */
};

struct worker_death {
	enum worker_fate fate;
	int code;
	pid_t pid;
	bool was_ready;      /* had said FRAME_READY before */
	unsigned in_a_row;   /* deaths since the last worker_prosper(), this one included */
	uint64_t restart_ms; /* when the next one starts */
	const char *text;    /* all this in words, for a log; valid during the call */
};

struct worker_options {
	const char *kind;
	const void *config; /* fields of FRAME_CONFIG, copied */
	size_t config_size;
	size_t frame_limit;      /* largest payload that is accepted from the worker */
	size_t queue_limit;      /* most bytes that wait to be sent */
	uint64_t restart_max_ms; /* the delay before a restart grows up to this */
};

struct worker_handlers {
	/* A frame of the kind's own. A negative value is a breach of the protocol:
	 * the worker is killed. */
	int (*on_frame)(void *userdata, const struct frame *frame);
	/* After the last of several frames that came together. May be NULL. */
	void (*on_pause)(void *userdata);
	/* A fresh worker takes frames (FRAME_CONFIG has been sent). */
	void (*on_start)(void *userdata);
	/* It is shut in and waits for work. May be NULL. */
	void (*on_ready)(void *userdata);
	void (*on_death)(void *userdata, const struct worker_death *death);
};

struct worker;

/* The first start happens in here: on_start is called by the event loop soon
 * after. handlers must outlive the worker; the rest is copied. */
int worker_new(struct worker **ret_worker, sd_event *event, const struct worker_options *options,
	const struct worker_handlers *handlers, void *userdata) MUST_CHECK;
/* Lets the worker finish (end of file on its socket), kills it after a grace
 * of two seconds, and frees. Calls no handler. NULL is fine. */
void worker_free(struct worker *worker);

/* Sends the frames that the writer holds and empties it. -ENOTCONN while there
 * is no worker (send again from on_start), -ENOBUFS when too much is waiting. */
int worker_send(struct worker *worker, struct frame_writer *writer) MUST_CHECK;

/* Kills the worker unless this is called again within so many milliseconds; 0
 * lifts the limit. */
int worker_deadline(struct worker *worker, uint64_t ms) MUST_CHECK;
/* The worker did its work: the next restart comes after the shortest delay. */
void worker_prosper(struct worker *worker);

bool worker_running(const struct worker *worker);
bool worker_ready(const struct worker *worker);
/* 0 when none is running. For tests and `status`. */
pid_t worker_pid(const struct worker *worker);

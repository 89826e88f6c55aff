/*
 * The reader: a worker process that turns raw mails into letters (JSON, see
 * letter_json.h) with no network, no files and no secrets. Seen from main.
 *
 * No handler may call reader_close().
 */
#pragma once

#include <systemd/sd-event.h>

#include "daemon/net/worker.h"

/* Messages that may wait to be read, and their bytes. */
#define READER_WINDOW 64
#define READER_WINDOW_BYTES (16u << 20)
/* The largest letter. */
#define READER_LETTER_MAX (32u << 20)

struct reader_handlers {
	void (*on_letter)(void *userdata, int64_t id, const char *json, size_t size);
	/* The worker crashed, or ran over its time limit, while it read this message:
	 * the second time the message is to be set aside. */
	void (*on_lost)(void *userdata, int64_t id, const struct worker_death *death);
	/* Every death, after on_lost. May be NULL. */
	void (*on_death)(void *userdata, const struct worker_death *death);
};

struct reader;

/* handlers must outlive the reader. The program's table of workers must hold
 * {"reader", reader_worker}. */
int reader_open(struct reader **ret_reader, sd_event *event, const struct reader_handlers *handlers,
	void *userdata) MUST_CHECK;
void reader_close(struct reader *reader);

/* Takes a copy of at most LETTER_RAW_MAX bytes. Ends with on_letter or on_lost, in order.
 * -EAGAIN when too many wait: there is room again after the next of them. */
int reader_read(struct reader *reader, int64_t id, const void *raw, size_t size) MUST_CHECK;
size_t reader_waiting(const struct reader *reader);
pid_t reader_pid(const struct reader *reader);

/* The worker's side, for the table of worker kinds. */
int reader_worker(int fd);

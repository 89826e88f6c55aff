/*
 * The event log: every input that the club's state is made of, in the order in which it
 * was taken in. Append-only; each row's hash covers the one before.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "daemon/store/arena.h"
#include "daemon/store/store.h"

struct event {
	int64_t id;
	int64_t at;
	const char *kind; /* import, message, delivered, failed, scan, confirmed, ... */
	const char *data; /* a JSON object */
	const unsigned char *hash;
};

/* The hash of an event behind the one whose hash is BEFORE (zeros: the first). */
#define EVENT_HASH_SIZE 32
void events_hash(const unsigned char before[EVENT_HASH_SIZE], const struct event *event,
	unsigned char out[EVENT_HASH_SIZE]);

/* Appends within the running transaction. */
MUST_CHECK int events_append(struct store *store, int64_t at, const char *kind, const char *data);

/* 1 found, 0 there is none of that id. */
MUST_CHECK int events_load(
	struct store *store, struct arena *arena, int64_t id, struct event *ret_event);
/* The id of the last one, 0 if there is none. */
MUST_CHECK int events_last(struct store *store, int64_t *ret_id);

/* Calls EACH for every event from FROM on, in order, until it returns other than 0. */
MUST_CHECK int events_walk(struct store *store, int64_t from,
	int (*each)(const struct event *event, void *userdata), void *userdata);

/* Is the chain of hashes unbroken? 1, 0 (and *ret_broken is the first bad row), -errno. */
MUST_CHECK int events_verify(struct store *store, int64_t *ret_broken);

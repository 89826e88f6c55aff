/*
 * The store of one club: one SQLite database, one writer.
 *
 * Whoever writes holds the lock of the folder for as long as the store is open. All
 * functions return 0 or -errno unless they say otherwise; a fault of the database is
 * -EIO and its text is in store_error().
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base.h"

struct store;

enum store_mode {
	STORE_WRITE = 0, /* takes the lock, creates and migrates the database */
	STORE_REBUILD,   /* as STORE_WRITE, without care for a power cut: it can be made again */
	STORE_READ,      /* looks only; the database must exist and be of this version */
};

#define STORE_SECRET_SIZE 32

/* -EBUSY: another process holds the lock. -ENOENT: STORE_READ and there is no store.
 * -ESTALE: the database is of a later (or, for STORE_READ, an earlier) version. */
MUST_CHECK int store_open(const char *directory, enum store_mode mode, struct store **ret_store);
/* The same; TELL (or NULL) is told, again and again if it takes long, to which version a store of
 * an earlier one is brought. */
MUST_CHECK int store_open_telling(const char *directory, enum store_mode mode,
	void (*tell)(int64_t version), struct store **ret_store);
/* Makes a new store with a secret that is given. -EEXIST: there is one. */
MUST_CHECK int store_rebuild(const char *directory, const unsigned char secret[STORE_SECRET_SIZE],
	struct store **ret_store);
/* Everything is in the one file of the database, and on the disk: the end of a rebuilding. */
MUST_CHECK int store_settle(struct store *store);
void store_close(struct store *store);
static inline void store_closep(struct store **store)
{
	if (*store)
		store_close(*store);
}
const char *store_error(const struct store *store);

/* A transaction: BEGIN IMMEDIATE for the writer. Between begin and commit everything
 * counts or nothing. store_rollback may follow anything and never fails. */
MUST_CHECK int store_begin(struct store *store);
MUST_CHECK int store_commit(struct store *store);
void store_rollback(struct store *store);

/* An input that the next transaction carries out: an event of the log (store/events.h) whose
 * row comes first in it, once it is committed with any other change. Until then it stays
 * expected; KIND NULL ends that. Copies the strings. */
MUST_CHECK int store_expect(struct store *store, int64_t at, const char *kind, const char *data);

/* The secret from which tokens are made; written when the store is created. */
const unsigned char *store_secret(const struct store *store);

/* Facts of the club: named numbers. store_fact leaves *ret_value alone if there is none. */
MUST_CHECK int store_fact(struct store *store, const char *name, int64_t *ret_value);
MUST_CHECK int store_set_fact(struct store *store, const char *name, int64_t value);

/* Writes a consistent copy of the database to a new file (while others work on it). */
MUST_CHECK int store_backup(struct store *store, const char *file);
/* Is FILE the database itself? */
bool store_is_file(const struct store *store, const char *file);

/*
 * What the files of daemon/store know of an open store.
 */
#pragma once

#include <glib.h>
#include <sqlite3.h>

#include "daemon/store/store.h"

struct store {
	sqlite3 *database;
	GHashTable *statements; /* SQL text (by address) -> sqlite3_stmt */
	int lock;               /* descriptor of the lock file, -1 for a reader */
	enum store_mode mode;
	unsigned char secret[STORE_SECRET_SIZE];
	struct {
		int64_t at;
		char *kind, *data; /* NULL: none */
		int changes;       /* of the connection, with its row */
	} expected;
	unsigned long commits;         /* for the crash tests */
	void (*tell)(int64_t version); /* while it is brought up to this version */
	int64_t telling;
	char error[256];
};

/* In a condition: events that are looked for later, by their index (event_told). */
#define EVENT_IS_TOLD "event.kind IN ('ruling', 'stop', 'lotto', 'order', 'request', 'failed')"

void store_note_error(struct store *store, const char *text);
/* Has what is in a file reach the disk. */
MUST_CHECK int store_sync(const char *file);

/* Brings the database to the version of this program; forward only, one transaction a version.
 * What it was is kept beside it, as zugpost.db.schema-VERSION, and replaces a copy of that name.
 * TELL (or NULL) is called when a version begins, and again and again while it takes long. */
MUST_CHECK int schema_migrate(struct store *store, void (*tell)(int64_t version));
/* From now on, and until it is called with NULL. */
void schema_tell(struct store *store, void (*tell)(int64_t version), int64_t version);
MUST_CHECK int schema_version(struct store *store, int64_t *ret_version);
extern const int64_t schema_newest;

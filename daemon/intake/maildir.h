/*
 * Reading a Maildir: what waits in new/, in order of arrival, and the move to cur/.
 * Everything in there may be hostile: only regular files are opened, links are never
 * followed, and whatever vanishes in between was somebody else's business.
 *
 * The arrival instant is the decimal number of seconds before the first dot of the file
 * name, otherwise the file's modification time. A place is the file name up to ":2,"
 * with every byte outside printable ASCII, and '%', written as %XX.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base.h"

enum maildir_state {
	MAILDIR_WAITING = 0, /* to be handed over */
	MAILDIR_SENT,        /* handed over, not stored yet */
	MAILDIR_STORED,
	MAILDIR_ODD, /* not a message; this has been said */
};

struct maildir_entry {
	char *name;       /* file name in new/ */
	size_t base_size; /* of it: up to ":2," */
	int64_t arrival;  /* UTC milliseconds, whole seconds */
	size_t sent_size;
	enum maildir_state state;
};

/* One maildir with what its last scan found. */
struct maildir {
	char *path;
	int new_fd, cur_fd;            /* -1 while the folders could not be opened */
	struct maildir_entry *entries; /* ordered by base name */
	size_t n_entries;
	size_t *order; /* indexes of entries by (arrival, base name) */
};

int maildir_init(struct maildir *maildir, const char *path) MUST_CHECK;
void maildir_clear(struct maildir *maildir);

/* Opens the folders and lists new/; entries that were there before keep their state.
 * -ENOENT, -ENOTDIR, -EACCES and the like when it is no readable maildir. */
int maildir_list(struct maildir *maildir) MUST_CHECK;

/* The entry of a place, or NULL if it is not (or no longer) in new/. */
struct maildir_entry *maildir_find(struct maildir *maildir, const char *place);

/* Reads at most max bytes of the file into buffer; *ret_full is its whole size.
 * -ENOENT: it is gone. -ELOOP: it is no regular file. */
int maildir_read(const struct maildir *maildir, const struct maildir_entry *entry, void *buffer,
	size_t max, size_t *ret_size, int64_t *ret_full) MUST_CHECK;

/* Moves a message to cur/ as seen. Already gone is success. The move is durable after
 * maildir_sync(). */
int maildir_move(struct maildir *maildir, const char *place) MUST_CHECK;
int maildir_sync(const struct maildir *maildir) MUST_CHECK;

/* Milliseconds of the decimal seconds before the first dot; false if there are none. */
bool maildir_name_arrival(const char *name, int64_t *ret_arrival);
/* The place of a base name; size bytes of it. -ENAMETOOLONG if over max with the NUL. */
int maildir_place(const char *base, size_t size, char *place, size_t max) MUST_CHECK;
/* The base name of a place: -EINVAL unless maildir_place() can have written it. */
int maildir_place_base(const char *place, char *base, size_t max) MUST_CHECK;

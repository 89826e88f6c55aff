/*
 * Header fields of a message, taken apart by hand: libetpan turns what it cannot parse into
 * something else without a word, and an identity must not rest on that.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/base.h"
#include "daemon/reading/buffer.h"

#define HEADER_FIELDS_MAX 20000

struct header_field {
	const char *name; /* bytes of the raw message, not terminated */
	size_t name_size;
	const char *value; /* with its line ends, without blanks around it */
	size_t value_size;
};

struct header {
	struct header_field *fields;
	size_t n;
	size_t body; /* offset of the body in the raw message */
};

/* Finds the fields of a raw message with LF line ends. Lines that are no field (an mbox `From `
 * line, junk) are skipped as long as fields follow. -ENOMEM. */
MUST_CHECK int header_read(const char *raw, size_t size, struct header *ret);
void header_release(struct header *header);

/* The INDEXth field of that name, or NULL. */
const struct header_field *header_find(const struct header *header, const char *name, size_t index);
bool header_has_prefix(const struct header *header, const char *prefix);

/* The value unfolded and with encoded words decoded (RFC 2047; the bytes of adjacent words of
 * one charset are joined first). Raw bytes that are not UTF-8 are read as FALLBACK, which may
 * be NULL. Control characters are left in: see header_has_controls. */
void header_decode(const char *value, size_t size, const char *fallback, struct buffer *out);
/* Control characters other than white space of folding. */
bool header_has_controls(const char *text, size_t size);

/* One mailbox of an address list. */
struct mailbox {
	struct buffer name;    /* display name, not yet decoded */
	struct buffer address; /* local@domain, unquoted; empty if unusable */
	bool group;            /* inside a group */
};

enum mailbox_step {
	MAILBOX_END = 0,
	MAILBOX_READ,
	MAILBOX_INVALID, /* something that is no mailbox stood there */
};

struct mailbox_scan {
	const char *text;
	size_t size, at;
	bool in_group;
	bool saw_group;
};

/* Takes the next mailbox of an RFC 5322 address list, strictly: a display name must be words
 * or a quoted string, exactly one angle address, nothing behind it but a comma. */
enum mailbox_step mailbox_next(struct mailbox_scan *scan, struct mailbox *ret);
void mailbox_list_release(struct mailbox *mailbox);

/* The next <id> of a list of message ids, without its brackets; false at the end. A value
 * without any bracket is taken as one id if it looks like one. */
bool message_id_next(
	const char *text, size_t size, size_t *at, const char **ret_id, size_t *ret_size);

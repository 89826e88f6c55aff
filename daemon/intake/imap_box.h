/*
 * What is known of the messages in an IMAP folder: which there are, which of them main has,
 * in which order they are handed over. No I/O.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base.h"

enum imap_state {
	IMAP_NEW = 0, /* date and size are not known yet */
	IMAP_WAITING, /* to be handed over */
	IMAP_SENT,    /* handed over, not stored yet */
	IMAP_STORED,
};

struct imap_entry {
	uint32_t uid;
	enum imap_state state;
	int64_t arrival, size;
	size_t sent_size;
	bool refused; /* the server would not move it */
};

struct imap_box {
	uint32_t validity;
	struct imap_entry *entries; /* by UID */
	size_t n_entries;
	size_t *order; /* indexes of those that wait, by (arrival, UID) */
	size_t n_order;
};

void imap_box_clear(struct imap_box *box);
/* The folder has just these messages (ascending). Those that were known keep their state; a
 * message that is on its way to main stays known even if it is gone. */
int imap_box_set(struct imap_box *box, const uint32_t *uids, size_t n) MUST_CHECK;
/* Puts those that wait and arrived at or after since in order. */
int imap_box_order(struct imap_box *box, int64_t since) MUST_CHECK;
/* Those that the server would not move wait again. */
void imap_box_retry(struct imap_box *box);
struct imap_entry *imap_box_find(struct imap_box *box, uint32_t uid);

/* The place: UIDVALIDITY and UID with ten digits each, so that bytes order as numbers do. */
#define IMAP_PLACE_SIZE 22
void imap_place(uint32_t validity, uint32_t uid, char place[static IMAP_PLACE_SIZE]);
/* -EINVAL unless imap_place() can have written it. */
int imap_place_read(const char *place, uint32_t *ret_validity, uint32_t *ret_uid) MUST_CHECK;

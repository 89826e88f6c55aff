/*
 * Mails to the administrator (kind `admin`). What the daemon notices by itself is an input of its
 * own (alert_write), so that a replay writes it too; what follows from another input belongs to
 * that one (alert_tell). Both count together: so many of a kind in a day, and no more.
 */
#pragma once

#include <stdint.h>

#include "daemon/compose/compose.h"
#include "daemon/relay/club.h"

struct alert {
	enum compose_alert kind;
	const char *about; /* or NULL (compose.h) */
	int64_t since;     /* INSTANT_NONE if not known */
	const char *text;  /* what was said, or NULL */
	const char
		*outage; /* "mailbox moves", "delivery": whose beginning or end it tells, or NULL */
	const char *old_address, *new_address; /* of the player that it is about, or NULL */
	bool address_done;                     /* the new one is registered */
};

/* "mailbox-back": what the event log and metrics call it; NULL if there is no such kind. */
const char *alert_name(enum compose_alert kind);
/* ALERT_NONE if there is none of that name. */
enum compose_alert alert_find(const char *name);

/* How many mails of this kind have gone out on the day (UTC) of NOW. */
MUST_CHECK int alert_count(
	struct club *club, enum compose_alert kind, int64_t now, int64_t *ret_count);
/* The administrator was told that it is out of reach since then; INSTANT_NONE: he was not, or was
 * told of the end too. */
MUST_CHECK int alert_told(struct club *club, const char *outage, int64_t *ret_since);

/* In the running transaction, as a part of the input that it carries out. Does nothing if the club
 * has no administrator, or he has had his mails of this kind today. */
MUST_CHECK int alert_tell(struct club *club, const struct alert *alert, int64_t now);

/* Writes the mail, in a transaction of its own. The club must have an administrator. */
MUST_CHECK int alert_write(struct club *club, const struct alert *alert, int64_t now);

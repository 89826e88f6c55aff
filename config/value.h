/*
 * Values as configuration and tournament files write them.
 *
 * Readers return 0, -EINVAL for a value that is not of that form (-ERANGE for one that is
 * too large) and -ENOMEM; out-parameters are untouched on failure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base.h"

#define ID_MAX 32

/* Ids and codes: [A-Za-z0-9._-]{1,32}. */
bool value_is_id(const char *text);
/* Text for one line of a mail or a header: valid UTF-8 without control characters (C0, C1,
 * DEL, line and paragraph separators) and without marks that turn the direction of text. */
bool value_is_line(const char *text);

MUST_CHECK int value_bool(const char *text, bool *ret_value);                   /* yes, no */
MUST_CHECK int value_number(const char *text, int64_t max, int64_t *ret_value); /* 0..max */
MUST_CHECK int value_duration(const char *text, int64_t *ret_milliseconds); /* 90s 15min 36h 5d */
MUST_CHECK int value_size(const char *text, uint64_t *ret_bytes);           /* 64K 1M */
MUST_CHECK int value_date(const char *text, int32_t *ret_date);             /* 2026-01-10 */
/* RFC 3339 with zone, whole seconds or fractions. */
MUST_CHECK int value_instant(const char *text, int64_t *ret_instant);

bool value_is_ascii(const char *text);
/* A plain address, local@domain: exactly one @, no quotes, no white space, no control characters,
 * at most 254 bytes. Letters of any script (RFC 6531). */
bool value_is_address(const char *text);

/* One mailbox: `address` or `Display, Name <address>`. */
struct mailbox {
	char *name; /* NULL if none */
	char *address;
};
MUST_CHECK int value_mailbox(const char *text, struct mailbox *ret_mailbox);
void mailbox_release(struct mailbox *mailbox);

/* A list separated by commas; empty items are -EINVAL. */
struct value_list {
	char **items;
	size_t n;
};
MUST_CHECK int value_list(const char *text, struct value_list *ret_list);
void value_list_release(struct value_list *list);

enum url_scheme {
	URL_MAILDIR = 0,
	URL_IMAP, /* STARTTLS */
	URL_IMAPS,
	URL_SMTP, /* STARTTLS */
	URL_SMTPS,
};

/* maildir:/PATH, or SCHEME://USER@HOST[:PORT][/FOLDER]. */
struct mail_url {
	enum url_scheme scheme;
	char *path;    /* maildir: absolute; else NULL */
	char *user;    /* percent-decoded; NULL if none */
	char *host;    /* without the brackets of an IPv6 address */
	uint16_t port; /* as written or the scheme's own: 143, 993, 587, 465 */
	char *folder;  /* IMAP: percent-decoded, "INBOX" if none */
	bool loopback; /* localhost, 127.0.0.0/8, ::1 */
};
/* *ret_why says in words what is wrong when the result is -EINVAL. */
MUST_CHECK int value_url(const char *text, struct mail_url *ret_url, const char **ret_why);
void mail_url_release(struct mail_url *url);

/*
 * Writes RFC 5322 mails: text/plain, UTF-8, seven-bit on the wire, one recipient.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base.h"
#include "rules/mail_kind.h"

struct mail {
	char *message_id;    /* without angle brackets */
	char *envelope_from; /* "" for the null sender */
	char *to;            /* plain address */
	char *subject;
	char *text; /* the body as the reader sees it, lines end in LF */
	char *raw;  /* the whole mail, lines end in CRLF */
	size_t raw_size;
};

void mail_release(struct mail *mail);

/* What a mail is made of; strings are UTF-8 and borrowed, optional ones NULL. */
struct mail_parts {
	const char *message_id;
	const char *envelope_from;
	const char *from_name, *from_address;
	const char *to_name, *to_address; /* to_name optional */
	const char *reply_to;             /* optional */
	const char *in_reply_to;          /* optional, without brackets */
	const char *references; /* optional, ids separated by blanks, with or without brackets */
	int64_t date;           /* UTC milliseconds */
	const char *subject;
	const char *text;
	const char *auto_submitted; /* "auto-generated" or "auto-replied" */
	enum mail_kind kind;
	const char *game;    /* Zugpost-Game, optional */
	int ply;             /* Zugpost-Ply, -1 for none */
	const char *verdict; /* Zugpost-Verdict, optional */
	const char *before;  /* Zugpost-Receipt-Before, optional */
};

#define MAIL_RECEIPT_BEFORE "Zugpost-Receipt-Before"

/* Writes the mail. -EINVAL if anything that goes into a header holds a CR, LF or NUL or
 * another control character, or is no UTF-8, or an address or id is not one; nothing is
 * written then. Returns 0, -EINVAL or -ENOMEM. */
MUST_CHECK int mail_write(const struct mail_parts *parts, struct mail *ret_mail);

/* Whether SIZE bytes may stand as a message id: visible ASCII with one @, no brackets. What
 * comes from other people's mail must be asked about before it is given to mail_write. */
bool mail_is_message_id(const char *text, size_t size);

/* RFC 2047: TEXT as it may stand in a header, in encoded words separated by blanks if it is
 * more than ASCII or has blanks in a row; the caller frees it. -EINVAL as mail_write. */
MUST_CHECK int mail_encode_words(const char *text, char **ret_text);

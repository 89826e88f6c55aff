/*
 * A letter: what a raw message says, decoded and freed of its wrapping, but not judged.
 *
 * The reader worker makes it from hostile bytes (letter_json.h), the main process gets it as
 * JSON and does not trust the worker. All strings are valid UTF-8 without NUL; those from
 * headers hold no control characters. Everything belongs to the letter and lives as long.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base.h"

#define LETTER_RAW_MAX ((size_t)1 << 20)  /* what lies behind is not read */
#define LETTER_TEXT_MAX ((size_t)1 << 20) /* bytes of decoded text */
#define LETTER_LIST_MAX 64                /* recipients, references, notes */

enum letter_from {
	FROM_USABLE = 0, /* exactly one From field with exactly one mailbox */
	FROM_MISSING,    /* none, or empty */
	FROM_SEVERAL,    /* several fields or several addresses */
	FROM_GROUP,
	FROM_INVALID, /* no address, or it decodes to control characters */
};

enum letter_report {
	REPORT_NONE = 0,
	REPORT_DELIVERY,    /* message/delivery-status (RFC 3464) */
	REPORT_DISPOSITION, /* a read receipt (RFC 8098), also those without a machine part */
	REPORT_ABUSE,       /* message/feedback-report (RFC 5965) */
	REPORT_FREE_TEXT,   /* a bounce in prose, as Exim and qmail write it */
};

/* One recipient of a delivery report. Strings are NULL where the report has none. */
struct letter_recipient {
	const char *recipient;
	const char *action;     /* lower case: failed, delayed, delivered, relayed, expanded */
	const char *status;     /* 5.1.1 */
	const char *diagnostic; /* what the server said: "550 5.1.1 no such user" */
};

struct letter {
	const char *unparsable; /* why nothing was read, a word; then all else is empty */

	enum letter_from from;
	const char *from_address; /* local@domain, unquoted; NULL unless FROM_USABLE */
	const char *from_name;    /* display name, "" if none */
	const char *reply_to;     /* the first address, or NULL */

	/* Delivered-To, X-Original-To, To, Cc, in this order. */
	const char *recipients[LETTER_LIST_MAX];
	size_t n_recipients;

	const char *subject;                     /* "" if none */
	const char *message_id;                  /* without angle brackets, NULL if none */
	const char *in_reply_to;                 /* the first id of In-Reply-To, or NULL */
	const char *references[LETTER_LIST_MAX]; /* oldest first; the last ones if there are more */
	size_t n_references;
	const char *date; /* what Date: claims; never used for a clock; NULL if none */

	/* Signs of automatic mail; NULL or false where the field is missing. */
	const char *auto_submitted; /* lower case, without comment and parameters */
	const char *precedence;     /* lower case */
	const char *zugpost_kind;
	const char *x_loop;    /* all X-Loop fields, joined by a blank */
	bool null_return_path; /* Return-Path: <> */
	bool list;             /* List-Id, List-Post, List-Help or Mailing-List */
	bool autoreply;        /* X-Autoreply, X-Autorespond, X-Autoreply-From, ... */
	bool challenge;        /* the headers of a challenge-response system */
	bool spam;             /* X-Spam-Flag: YES */

	/* The topmost Authentication-Results field, unfolded, as it stands; NULL if none. */
	const char *authentication;

	/* What the body is. */
	const char *content_type; /* type/subtype of the whole, lower case */
	bool encrypted;           /* only an encrypted body: nothing to read */
	bool tnef_only;           /* only a winmail.dat */
	bool is_signed;
	bool from_html;        /* text was made from HTML */
	bool attachments;      /* there were attachments; none was read */
	bool attached_message; /* a message/rfc822 was attached; it was not read */
	bool partial;          /* message/partial or message/external-body: cannot be read */

	enum letter_report report;
	struct letter_recipient report_recipients[LETTER_LIST_MAX];
	size_t n_report_recipients;
	const char *report_message_id; /* Message-ID of the mail that came back, or NULL */
	const char *report_from;       /* its From address, or NULL */

	/* The text that the sender wrote, with his quotes: lines end in LF, cleaned (clean.h),
	 * format=flowed undone, quotes of HTML marked by "> ". */
	const char *text;
	size_t text_size;

	/* The HTML side of the same text, when there was a plain one too; else empty. The two
	 * must not say different things. */
	const char *other_text;
	size_t other_size;

	const char *notes[LETTER_LIST_MAX]; /* what was odd, as words for the dossier */
	size_t n_notes;

	struct letter_pool *pool; /* owns all of the above */
};

void letter_free(struct letter *letter);

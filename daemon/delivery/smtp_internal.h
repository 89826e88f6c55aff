/*
 * What smtp.c (the connection) and smtp_mail.c (one mail) share.
 */
#pragma once

#include <libetpan/mailstream.h>

#include "daemon/delivery/smtp.h"

#define SMTP_REPLY_BYTES 65536 /* received in one step */

struct smtp {
	struct target_config config; /* owns its strings */
	struct tls_peer *peer;
	mailstream *stream; /* NULL: not connected */
	struct smtp_reply reply;
	/* What EHLO offered. */
	bool starttls, pipelining, eight_bit, utf8, dsn;
	uint64_t size_max; /* 0: none was named */
	char auth[200];    /* mechanisms, " PLAIN LOGIN " */
	bool used;         /* a mail has gone this way before */
	int code;
	char error[TLS_TEXT_MAX + 80];
};

/* Writes into the stream's buffer. */
int smtp_write(struct smtp *smtp, const char *text) MUST_CHECK;
/* Sends what was written; the next replies have so many milliseconds. */
int smtp_flush(struct smtp *smtp, uint64_t ms) MUST_CHECK;
/* The next reply. -errno: the connection is of no use any more. */
int smtp_read(struct smtp *smtp) MUST_CHECK;
/* Lets the connection go, without a word. */
void smtp_drop(struct smtp *smtp);
/* Notes why; returns error. */
int smtp_fail(struct smtp *smtp, int error, const char *format, ...) PRINTF_LIKE(3, 4);
/* The same, for what went wrong with the stream. */
int smtp_fail_stream(struct smtp *smtp, int error);
/* The reply in words (smtp_reply_text), without our password. */
void smtp_say(const struct smtp *smtp, char text[static SMTP_TEXT_MAX]);

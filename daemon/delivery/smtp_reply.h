/*
 * Replies of a mail server (RFC 5321 section 4.2, enhanced codes RFC 3463): bytes in, a
 * reply out; no I/O. Whatever the server writes, a reply is small or none.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/base.h"
#include "daemon/delivery/delivery.h"

#define SMTP_LINE_MAX 2048
#define SMTP_LINES_MAX 128
#define SMTP_REPLY_MAX 16384 /* text of all lines */
#define SMTP_TEXT_MAX 400

struct smtp_reply {
	int code;        /* 220 ... 599 */
	int enhanced[3]; /* 5.1.1; zeroes if there is none */
	/* The text of each line behind its code, ended by a NUL, one behind the other. */
	char lines[SMTP_REPLY_MAX];
	size_t size;
	unsigned n_lines;
	/* The line that is coming in. */
	char line[SMTP_LINE_MAX];
	size_t line_size;
};

void smtp_reply_begin(struct smtp_reply *reply);
/* Takes bytes until the reply is complete; *ret_used of them belong to it. 1 complete, 0
 * more is needed; -EBADMSG no reply, -EMSGSIZE over a cap. */
int smtp_reply_push(
	struct smtp_reply *reply, const char *bytes, size_t size, size_t *ret_used) MUST_CHECK;

/* The reply in one line of printable ASCII, "550 5.1.1 No such user": the enhanced code
 * comes first, what looks like an address (and so every token) is left out. */
void smtp_reply_text(const struct smtp_reply *reply, char text[static SMTP_TEXT_MAX]);

/* The text of the next line: begin with NULL; NULL behind the last. */
const char *smtp_reply_line(const struct smtp_reply *reply, const char *previous);

/* ---- What a reply means ---- */

enum smtp_step {
	SMTP_MAIL = 1,
	SMTP_RCPT,
	SMTP_DATA, /* the consent, 354 */
	SMTP_END,  /* behind the final dot */
};

struct smtp_judgement {
	enum delivery_status status;
	bool slow_down; /* the server wants a pause */
};

/* What a reply other than the one hoped for says of this mail and of the target. The
 * enhanced code goes before the first digit where it says more: a full mailbox is never
 * for good, a refusal by policy may be meant for all that we send. */
struct smtp_judgement smtp_judge(enum smtp_step step, const struct smtp_reply *reply);

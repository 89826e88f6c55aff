/*
 * Inside of newtext: the lines of a mail and what each of them is.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/base.h"

enum line_state {
	STATE_PLAIN = 0, /* may be new */
	STATE_BLANK,
	STATE_QUOTED,  /* a quote that is not known to be ours */
	STATE_OURS,    /* we sent it */
	STATE_TYPED,   /* typed into what we sent: `typed` is new */
	STATE_DROPPED, /* attribution, header block, signature, armour */
	STATE_CUT,     /* below the mark of an unquoted original */
};

struct mail_line {
	const char *text; /* without the line end */
	size_t size;
	size_t depth;     /* levels of quoting */
	const char *body; /* behind the quote marks */
	size_t body_size;
	enum line_state state;
	const char *typed;
	size_t typed_size;
	unsigned char labels[2]; /* for layout.c: 0 where it has not looked yet */
};

struct mail_lines {
	struct mail_line *items;
	size_t n;
};

/* What the comparison with our own mails found. */
struct ours {
	bool found;
	bool reply_line;
	bool reply_line_typed;
};

/* Marks the lines that stand in SENT (cleaned texts): STATE_OURS and STATE_TYPED. -ENOMEM. */
MUST_CHECK int ours_mark(struct mail_lines *lines, const char *const *sent, size_t n_sent,
	const char *reply_line, struct ours *ret);

/* Marks attributions, header blocks, forwards, signatures and armour. */
void layout_mark(struct mail_lines *lines);

/* Does the line hold a square or a castling, as every move does? */
bool line_looks_like_move(const char *text, size_t size);

/*
 * What is new in a letter (product, section 1.5).
 *
 * First the text is compared with what we sent: our own words are not new, wherever they
 * stand, at any quoting depth and re-wrapped or not; what was typed into them is. Then layout
 * rules drop foreign quotes with their attributions, forwards, and signatures.
 */
#pragma once

#include "daemon/reading/letter.h"

/* What lies behind is not read: this is done in the main process, and must not take long. */
#define NEWTEXT_LINES_MAX 40000
#define NEWTEXT_SIZE_MAX ((size_t)512 << 10)

enum line_origin {
	LINE_ABOVE = 0, /* before any quote */
	LINE_BETWEEN,   /* between two quotes */
	LINE_BELOW,     /* after the last quote */
	LINE_IN_OURS,   /* typed into a line of ours; only what was typed is kept */
};

struct newtext_line {
	size_t at, size; /* bytes of newtext.text, without the LF */
	enum line_origin origin;
};

struct newtext {
	char *text; /* new lines joined by LF, with a final NUL; blank lines in between are kept */
	size_t size;
	struct newtext_line *lines;
	size_t n_lines;

	bool ours_found;       /* part of what we sent stands in the mail */
	bool reply_line;       /* our reply line stands there unaltered (typed behind it or not) */
	bool reply_line_typed; /* ... and something was typed behind it */
	bool foreign;          /* quoted text that is not ours was dropped */

	/* Dropped lines (foreign quotes, signatures) that look like moves, joined by LF: the
	 * grammar reports them if one fits the game. */
	char *dropped;
	size_t dropped_size;

	/* What is new in the HTML side of the same mail, when it has two sides; else NULL. The
	 * grammar refuses a mail whose sides hold different moves. */
	char *other;
	size_t other_size;
};

/* SENT_TEXTS are the texts of our mails that the letter may quote, the answered one first;
 * REPLY_LINE is the answered mail's reply line (or NULL), with or without its placeholder.
 * Returns 0 or -ENOMEM. The text may be empty: then nothing is new. */
MUST_CHECK int newtext_find(const struct letter *letter, const char *const *sent_texts,
	size_t n_sent, const char *reply_line, struct newtext *ret);
void newtext_release(struct newtext *newtext);

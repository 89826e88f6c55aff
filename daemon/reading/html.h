/*
 * HTML to text, without a tree: nothing that hostile nesting could exhaust.
 */
#pragma once

#include "core/base.h"
#include "daemon/reading/buffer.h"

struct html_facts {
	bool hidden; /* text that a reader does not see was dropped */
	bool struck; /* text that the writer struck out was dropped */
};

/* Writes the visible text of SIZE bytes of UTF-8 HTML. Block elements and <br> end lines, cells
 * of a table are kept apart by blanks, quotes (cite, gmail_quote, moz-cite, or any blockquote
 * behind an attribution) are marked by "> " a level. -ENOMEM. */
MUST_CHECK int html_to_text(
	const char *html, size_t size, struct buffer *out, struct html_facts *ret_facts);

/* The charset that a <meta> in the first 2 KiB names; false if none. */
bool html_meta_charset(const char *html, size_t size, char out[64]);

/*
 * A growing text with a cap, and text in columns.
 */
#pragma once

#include <stddef.h>

#include "config/template.h"
#include "core/base.h"

/* Starts zeroed; text_release frees it. */
struct text {
	char *bytes; /* with a final NUL once anything was added */
	size_t size, room;
	size_t max; /* 0: TEMPLATE_OUTPUT_MAX */
};

/* -E2BIG beyond the cap. */
MUST_CHECK int text_add(struct text *text, const char *bytes, size_t size);
MUST_CHECK int text_add_string(struct text *text, const char *string);
void text_release(struct text *text);

/* Adds the paragraphs of BYTES, each filled to lines of at most TEMPLATE_COLUMNS columns. */
MUST_CHECK int text_add_filled(struct text *text, const char *bytes, size_t size);

/* How many of SIZE bytes of a line make its first part when it is folded at COLUMNS: all of
 * them if they fit, else up to a blank where possible. */
size_t text_cut(const char *line, size_t size, size_t columns);

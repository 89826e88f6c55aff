/*
 * Words of a player on their way to another reader.
 */
#pragma once

#include <stddef.h>

#include "core/base.h"

#define WORDS_LINES_MAX 40

/* A copy of TEXT in which mail addresses are replaced by "[...]", control characters are
 * gone, and lines are at most COLUMNS columns wide; at most WORDS_LINES_MAX lines are kept
 * (the last one is "[...]" then). No newline at the end. The caller frees it. */
MUST_CHECK int mask_words(const char *text, unsigned columns, char **ret_text);

/* The same with its addresses: what the club itself or an arbiter says. */
MUST_CHECK int mask_nothing(const char *text, unsigned columns, char **ret_text);

/* A copy of SIZE bytes in one line of at most COLUMNS columns, "..." behind what was cut:
 * for quoting what was read. */
MUST_CHECK int mask_line(const char *text, size_t size, unsigned columns, char **ret_text);

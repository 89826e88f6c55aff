/*
 * Unicode cleaning: after it a text holds what a reader sees, in the plainest characters.
 */
#pragma once

#include <stddef.h>

#include "core/base.h"

/* Cleans SIZE bytes of TEXT, which need not be valid UTF-8: invalid bytes become U+FFFD; NFKC;
 * dashes to '-', quotation marks to ' or ", ellipses to three dots, blanks of all kinds to
 * space (TAB stays), line and paragraph separators and CR LF to LF; invisible, directional and
 * control characters go. Returns 0 or -ENOMEM; the caller frees *ret_text (with final NUL). */
MUST_CHECK int clean_text(const char *text, size_t size, char **ret_text, size_t *ret_size);

/* The same for one line: line ends and TAB become a space. */
MUST_CHECK int clean_line(const char *text, size_t size, char **ret_text, size_t *ret_size);

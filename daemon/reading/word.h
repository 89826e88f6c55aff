/*
 * Words of a text, folded for config/talk.h: inside of the grammar.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/base.h"

#define WORD_MAX ((size_t)40)

struct word {
	size_t at, size;       /* in the text */
	char folded[WORD_MAX]; /* in capitals; "" for a longer one */
	bool capital;          /* begins with a capital letter */
	bool digits;           /* holds one */
};

/* The next word from *AT on: letters, digits (so that no part of a move is a word) and the
 * apostrophes between them. *AT moves behind it. False at the end. */
bool word_next(const char *text, size_t size, size_t *at, struct word *ret);

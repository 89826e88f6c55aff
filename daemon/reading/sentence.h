/*
 * Sentences about moves, taken apart: inside of the grammar.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "config/talk.h"
#include "core/movelist.h"
#include "daemon/reading/word.h"

#define SENTENCE_ITEMS_MAX 160 /* of a longer one the rest is left out */

enum sentence_kind {
	SENTENCE_WORD = 0, /* or several that are one phrase */
	SENTENCE_MOVE,
	SENTENCE_NUMBER,
	SENTENCE_MARK, /* parts clauses */
};

struct sentence_item {
	enum sentence_kind kind;
	size_t at, size; /* in the text */
	char mark;       /* of a MARK: itself, '^' for pictures */
	bool capital, digits;
	struct movelist_token token;      /* of a MOVE or NUMBER, with offsets in the text */
	const struct talk_phrase *phrase; /* of a WORD; NULL: nothing is known of it */
};

struct sentence {
	struct sentence_item items[SENTENCE_ITEMS_MAX];
	char folded[SENTENCE_ITEMS_MAX][WORD_MAX];
	size_t n;
	size_t at, end; /* in the text */
	bool asks;      /* ends with a question mark */
};

struct sentence_scan {
	const struct talk *talk;
	const char *text; /* read from `at` to `end`; ends of lines are blanks */
	size_t at, end;
};

/* The next sentence; false at the end. */
bool sentence_next(struct sentence_scan *scan, struct sentence *ret);

/*
 * Conditional moves in a text (IECC 7.6, RAZSh 3.7, MC-link 5): inside of the grammar.
 *
 * A series stands behind "if", "jos", "se", "если" or under a heading ("Conditional moves:"),
 * and holds nothing but moves and the words of such sentences ("then", "you play", "niin",
 * "allora", "то"). Series are parted by such a word, a semicolon or, under a heading, by lines;
 * a series goes on in the next line when its numbers do or when it stops in the middle of a
 * pair. What holds other words is chat about moves: never a series, and never an own move.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/notation.h"
#include "core/position.h"
#include "rules/message.h"

#define CONDITIONAL_PARTS_MAX 32

/* A stretch of the text that holds moves of one series. */
struct conditional_part {
	size_t at, size;
	size_t moves; /* and words that may be meant for moves */
	bool begins;  /* a series; else it goes on with the part before */
};

struct conditional_parts {
	struct conditional_part items[CONDITIONAL_PARTS_MAX];
	size_t n;
	bool unclear; /* there are conditions with moves that are no series for us */
};

struct command_context;
struct text_lines;

/* Finds the series in the lines of TEXT. Lines that only continue one are no lists any more,
 * so that nothing in them is taken for an own move. */
void conditional_find(const struct command_context *context, const char *text,
	struct text_lines *lines, struct conditional_parts *ret);

/* What the series say in POSITION, which is that after the own move. Returns how many were
 * written to OUT; *ret_left_out says whether moves were left out because they speak of plies
 * that are past, or of more series than there is room for. */
size_t conditional_read(const char *text, const struct conditional_parts *parts,
	const struct position *position, const struct letters *letters,
	struct stated_conditional out[CONDITIONAL_LINES_MAX], bool *ret_left_out);

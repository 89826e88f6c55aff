/*
 * The lines of a text, looked at once for all plies and letters: inside of the grammar.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "daemon/reading/commands.h"
#include "daemon/reading/conditional.h"
#include "daemon/reading/moveline.h"
#include "daemon/reading/newtext.h"
#include "daemon/reading/statement.h"

/* What lies behind is not read: a mail of tens of thousands of lines must not take long. */
#define TEXT_LINES_MAX ((size_t)1000)
#define TEXT_SIZE_MAX ((size_t)20 << 10)
#define TEXT_LINE_MAX ((size_t)8000) /* nobody writes his move into a longer one */

struct text_line {
	size_t at, size;
	bool typed;   /* into a line of ours */
	bool wrapped; /* goes on with the sentence of the line before */
	bool list;    /* move-like */
	struct moveline part;
	bool elsewhere;   /* it is about another game, or a tale: nothing is read in it */
	bool conditional; /* all of it belongs to conditional moves: see conditional.h */
	bool commands;    /* the line states a command */
	struct stated_command command; /* with its move, if any, in `part` */
};

struct text_lines {
	char *text; /* as the lines were read: same bytes at the same places, but moves in words
		       have become notation (see spoken.h), and what parts the moves of a table is
		       blank */
	struct text_line *items;
	size_t n, room;
	size_t bytes; /* in lines that may say something */
	struct conditional_parts conditionals;
	struct mentions *mentions; /* what the other lines say */
};

/* The lines that new text comes with. The caller releases them. Returns 0 or -ENOMEM. */
MUST_CHECK int text_lines_of_newtext(const struct newtext *newtext,
	const struct command_context *context, struct text_lines *ret);

/* The lines of any other text. */
MUST_CHECK int text_lines_of_text(const char *text, size_t size,
	const struct command_context *context, struct text_lines *ret);

void text_lines_release(struct text_lines *lines);

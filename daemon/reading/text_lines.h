/*
 * The lines of a text, looked at once for all plies and letters: inside of the grammar.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "daemon/reading/commands.h"
#include "daemon/reading/moveline.h"
#include "daemon/reading/newtext.h"

struct text_line {
	size_t at, size;
	bool typed; /* into a line of ours */
	bool list;  /* move-like */
	struct moveline part;
	bool commands;                 /* the line states a command */
	struct stated_command command; /* with its move, if any, in `part` */
};

struct text_lines {
	struct text_line *items;
	size_t n;
};

/* The lines that new text comes with. The caller frees the items. Returns 0 or -ENOMEM. */
MUST_CHECK int text_lines_of_newtext(const struct newtext *newtext,
	const struct command_context *context, struct text_lines *ret);

/* The lines of any other text. */
MUST_CHECK int text_lines_of_text(const char *text, size_t size,
	const struct command_context *context, struct text_lines *ret);

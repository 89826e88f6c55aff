/*
 * What words around moves do, in the languages of config/talk.h: inside of the grammar.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "daemon/reading/commands.h"

/* What the words of SIZE bytes do (or-ed TALK(use)), in the sender's language. */
uint64_t chat_uses(const struct command_context *context, const char *text, size_t size);

/* Does it hedge: "perhaps", "would", "analysis", "not", a question mark? */
bool chat_hedges(const struct command_context *context, const char *text, size_t size);

enum chat_lead {
	CHAT_LEAD_ANYWHERE = 0, /* "Room:" */
	CHAT_LEAD_TO_MOVE,      /* "My reply:", "Black:", "OK then:" */
	CHAT_LEAD_TO_THEIRS,    /* "Your move:" */
	CHAT_LEAD_AWAY,         /* "The engine's move:" */
};

/* Where the words before a colon lead. */
enum chat_lead chat_lead(const struct command_context *context, const char *text, size_t size);

/* Where a condition begins ("if", "jos", "se", "если", "conditional" ...) in SIZE bytes; SIZE if
 * nowhere. */
size_t chat_condition(const struct command_context *context, const char *text, size_t size);
/* The length of the words that begin it; *ret_heading: they stand over series, not in a
 * sentence. */
size_t chat_condition_word(
	const struct command_context *context, const char *text, size_t size, bool *ret_heading);

/* May all words here stand in a conditional series: "then", "niin", "you play"? *ret_any: there
 * are words at all. */
bool chat_is_conditional(
	const struct command_context *context, const char *text, size_t size, bool *ret_any);

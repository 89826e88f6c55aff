/*
 * Commands in the words of a line (product, section 4): inside of the grammar.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/words.h"
#include "rules/message.h"

struct command_context {
	const struct words *words;
	size_t language;  /* the sender's: see config/talk.h; SIZE_MAX if its words are not known */
	int32_t today;    /* see grammar_context */
	unsigned number;  /* of the game; 0: not known */
	const char *name; /* the sender's: "Rossi, Bruno"; NULL: not known */
};

/* The command that SIZE bytes at AT of TEXT, a line, state: the whole line is one, with what
 * the command takes behind its words. "I will not resign" is none, nor is "leave me alone". What
 * follows a claim of a draw is for the caller to judge: it may be a move, in the command's
 * `argument`. False if it is chat. */
MUST_CHECK bool command_read(const struct command_context *context, const char *text, size_t at,
	size_t size, struct stated_command *ret);

/* What may follow a move on its line: an offer, a claim or a demand in words. COMMAND_NONE for
 * anything else. */
enum command command_behind_move(
	const struct command_context *context, const char *text, size_t size);

/* A claim of a draw, which may name the move that it is made with. */
bool command_takes_move(enum command kind);

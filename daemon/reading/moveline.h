/*
 * Which lines hold moves and nothing else: inside of the grammar (see grammar.h, 1).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/movelist.h"
#include "daemon/reading/commands.h"

/* A move-like line: its moves alone, and what stood around them. */
struct moveline {
	size_t at, size;
	enum command behind; /* "..., draw?": cut off */
	bool led;            /* "My move: ..." */
	bool theirs;         /* "Your move: ..." */
	bool condition;      /* "..., if ...": cut off */
	bool numbered; /* there is a move with a number, whether the line is move-like or not */
};

/* Is the line of SIZE bytes at AT of TEXT move-like? */
MUST_CHECK bool moveline_read(const struct command_context *context, const char *text, size_t at,
	size_t size, struct moveline *ret);

/* A move, not a word that looks like one ("be", "ed"). */
bool moveline_is_move(const struct movelist_token *token);

/* "??" and the like only hold the place of a move. */
bool moveline_is_placeholder(const char *text, const struct movelist_token *token);

/* Bullets, rules, pictures, and smiles made of letters (":D", a lone "J" of a font of
 * pictures): words that say nothing. */
bool moveline_is_picture(const char *text, size_t size);

/* A move number by itself ("13." or "12..."), also where no move follows: then it is a word to
 * the scanner. Fills number and dots. */
bool moveline_is_number(const char *text, struct movelist_token *token);

/* Cuts "if Bf8 then Ng3" off, if a move stands before it. */
bool moveline_cut_condition(
	const struct command_context *context, const char *text, size_t at, size_t *size);

/* Takes "... and I offer a draw" off the end of SIZE bytes at AT: the longest of their last words
 * that is such a command, not the last word alone. */
enum command moveline_cut_command(
	const struct command_context *context, const char *text, size_t at, size_t *size);

/*
 * Words around moves, in the languages of our mails: do they state a move, or only speak of
 * one? Inside of the grammar.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/base.h"

enum chat {              /* or-ed */
	CHAT_STATES = 1, /* "I play", "my move is", "rispondo", "хожу" */
	CHAT_HEDGES = 2, /* "perhaps", "would", "analysis", "not", a question mark */
};

#define CHAT_WORD_MAX ((size_t)40)

/* The next word at *AT in lower case: letters, digits (so that no part of a move is a word) and
 * apostrophes. A longer one is "". False at the end. */
bool chat_next_word(
	const char *text, size_t size, size_t *at, size_t *ret_start, char out[CHAT_WORD_MAX]);

unsigned chat_words(const char *text, size_t size);

enum chat_lead {
	CHAT_LEAD_ANYWHERE = 0, /* "Room:" */
	CHAT_LEAD_TO_MOVE,      /* "My reply:", "Black:", "OK then:" */
	CHAT_LEAD_AWAY,         /* "The engine's move:" */
};

/* Where the words before a colon lead. */
enum chat_lead chat_lead(const char *text, size_t size);

/* Where a condition begins ("if", "jos", "se", "если", "conditional" ...) in SIZE bytes; SIZE if
 * nowhere. */
size_t chat_condition(const char *text, size_t size);
/* The length of the word that begins it; *ret_heading: it stands over series, not in a sentence. */
size_t chat_condition_word(const char *text, size_t size, bool *ret_heading);

/* May this word, in lower case, stand in a conditional series: "then", "niin", "you play"? */
bool chat_is_conditional(const char *word);

/*
 * An arbiter's ruling in the words of a line (product, section 4): of a mail, or of `zugpostctl
 * rule`. The words come from config/words (rulings.txt), in all languages.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "config/words.h"
#include "daemon/reading/newtext.h"
#include "rules/decide.h"

enum stated_ruling_kind {
	STATED_RULING = 0,     /* `ruling` has it */
	STATED_LEAVE,          /* approve: the leave that was asked for */
	STATED_MOVE,           /* argument: a move, entered for the side to move */
	STATED_ACCEPT_ADDRESS, /* side, argument */
	STATED_MOBILE,         /* on (IECC 10.4) */
	STATED_ANNOUNCEMENT,   /* argument, and the lines behind it */
};

/* Excerpts are bytes of the text that was read. What a one-word ruling leaves out (`penalty`,
 * `lift`) is for the caller to fill in. */
struct stated_ruling {
	enum stated_ruling_kind kind;
	struct ruling ruling; /* without `at` */
	bool has_side, has_number, has_move, has_days;
	bool approve, on;
	struct excerpt line;
	struct excerpt argument;
	struct excerpt reason; /* on the same line, or of size 0 */
};

/* The ruling that SIZE bytes at AT of TEXT state: the whole line is one, or it is none. */
MUST_CHECK bool ruling_read(const struct words *words, const char *text, size_t at, size_t size,
	struct stated_ruling *ret_ruling);

enum rulings_found {
	RULINGS_NONE = 0,
	RULINGS_ONE,
	RULINGS_SEVERAL, /* more than one line states a ruling: nothing is guessed */
};

/* The ruling of a message. */
enum rulings_found ruling_find(
	const struct words *words, const struct newtext *newtext, struct stated_ruling *ret_ruling);

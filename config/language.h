/*
 * The languages that mails can be written in and commands read in, and the notations that a
 * player may choose for the moves in his mails.
 */
#pragma once

#include <stdbool.h>

#include "core/base.h"
#include "core/notation.h"

bool language_is_known(const char *code);

/* "san", "san-fi", "san-it", "san-ru", "figurine", "long", "iccf". *ret_letters is NULL for
 * English. Returns false for any other word. */
MUST_CHECK bool notation_find(
	const char *name, enum notation *ret_notation, const struct letters **ret_letters);
bool notation_is_known(const char *name);

/*
 * The languages that mails can be written in and commands read in, and the notations that a
 * player may choose for the moves in his mails.
 */
#pragma once

#include <stdbool.h>

#include "core/base.h"
#include "core/notation.h"

#define LANGUAGE_CODE_MAX 4

/* Two or three small letters. */
bool language_is_code(const char *code);
/* Whether mails can be written in it: there are templates, built in or from a folder of
 * overrides that has been loaded. */
bool language_is_known(const char *code);
/* A folder of overrides that was loaded has it. */
void language_add(const char *code);
/* The code of the language that a player names, as he or others call it: "fi", "Finnish",
 * "suomi". NULL if there is none of that name. */
const char *language_find(const char *name);

/* "san", "san-fi", "san-it", "san-ru", "figurine", "long", "iccf". *ret_letters is NULL for
 * English. Returns false for any other word. */
MUST_CHECK bool notation_find(
	const char *name, enum notation *ret_notation, const struct letters **ret_letters);
bool notation_is_known(const char *name);

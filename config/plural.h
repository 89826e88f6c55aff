/*
 * Plural forms: which form of a word a number takes. What languages have in common is a rule
 * here; which rule a language follows is said in its language.txt.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/base.h"

enum plural_rule {
	PLURAL_ONE = 0,    /* 1 / others: English, Finnish, Italian, German, ... */
	PLURAL_NONE,       /* one form: Hungarian, Turkish, ... */
	PLURAL_ZERO_ONE,   /* 0 and 1 / others: French, ... */
	PLURAL_SLAVIC,     /* 1, 21 / 2-4, 22-24 and fractions / others: Russian, Ukrainian, ... */
	PLURAL_POLISH,     /* 1 / 2-4, 22-24 / others */
	PLURAL_CZECH,      /* 1 / 2-4 / others: Czech, Slovak */
	PLURAL_SLOVENE,    /* 1, 101 / 2, 102 / 3-4 and fractions / others */
	PLURAL_LITHUANIAN, /* 1, 21 / 2-9, 22-29 / others */
	PLURAL_LATVIAN,    /* 1, 21 / others, 0 among them */
	PLURAL_ROMANIAN,   /* 1 / 0, 2-19, 101-119 / others */
};

/* "one", "slavic": what language.txt calls it. */
MUST_CHECK bool plural_find(const char *name, enum plural_rule *ret_rule);
/* How many forms a word has. */
size_t plural_forms(enum plural_rule rule);
/* Which of them goes with the number that the text NUMBER begins with ("2", "57.6", "57,6"):
 * from 0 on. A text that begins with no number takes the last. */
size_t plural_form(enum plural_rule rule, const char *number);

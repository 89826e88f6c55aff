/*
 * Game codes in a Subject (product, section 1.3). Prefixes of any kind and language may stand
 * before them, other text behind.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/base.h"

/* MC-link's columns, "0123- 12b Rossi-Bianchi", tolerant of squeezed blanks. */
struct subject_columns {
	char code[5];  /* upper case */
	unsigned move; /* 0: a general message */
	char colour;   /* 'b' White, 'n' Black, 0: a general message */
};

/* The first columns in the (decoded, clean) Subject. */
MUST_CHECK bool subject_find_columns(const char *subject, struct subject_columns *ret);

/* "[CODE #n]": our own mails' form. */
struct subject_bracket {
	char event[33];
	unsigned number;
};
MUST_CHECK bool subject_find_bracket(const char *subject, struct subject_bracket *ret);

/*
 * The inside of template values, for the engine only.
 */
#pragma once

#include "config/template.h"

/* A text, a list of items, or neither (a name that is not set). */
struct value_entry {
	char *name;
	char *text;
	struct values **items;
	size_t n_items;
};

struct values {
	struct value_entry *entries;
	size_t n;
	const struct values *outer; /* of an item: where it stands */
};

/* The entry that NAME means here: the innermost one. */
const struct value_entry *values_find(const struct values *values, const char *name);

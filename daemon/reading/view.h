/*
 * A sentence as one language sees it: inside of statement.h.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "daemon/reading/commands.h"
#include "daemon/reading/sentence.h"

/* A sentence, and what its items do in its language. */
struct view {
	const struct command_context *context;
	const struct sentence *sentence;
	size_t language;
	uint64_t uses[SENTENCE_ITEMS_MAX];
	bool polite;    /* the sentences before it on its line only greet */
	bool cancelled; /* the sentence before takes back what there was */
	bool starts;    /* nothing stands before it on its line */
	bool whole;     /* nothing stands behind it on its line */
};

/* Moves side by side: items FROM to TO. */
struct run {
	size_t from, to;
	size_t moves;
	const struct movelist_token *first;
	bool spoken;
	bool castles; /* the word alone, which need not mean a move */
};

/* What the sender's own name does: "Bruno plays Nd7", "Nd7 Bruno". */
#define VIEW_OWN_NAME (TALK(TALK_OWN) | TALK(TALK_CLOSE))

const struct sentence_item *view_item(const struct view *view, size_t i);
bool view_is_mark(const struct view *view, size_t i);
/* A word that is no phrase of the language, nor holds digits. */
bool view_is_unknown(const struct view *view, size_t i);

/* Does item I any of these? */
bool view_does(const struct view *view, size_t i, uint64_t uses);
/* All that items FROM to TO do. */
uint64_t view_uses(const struct view *view, size_t from, size_t to);

/* Where the clause of item I begins, and the mark or the end behind it. */
size_t view_clause_start(const struct view *view, size_t i);
size_t view_clause_end(const struct view *view, size_t i);

size_t view_count_words(const struct view *view, bool *ret_digits);

/* Chooses the language, and fills what the items do. */
void view_look(struct view *view);

/* The next moves side by side from item I on. */
bool view_next_run(const struct view *view, const char *text, size_t i, struct run *ret);
bool run_is_bare_square(const struct run *run);

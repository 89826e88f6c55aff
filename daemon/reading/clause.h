/*
 * Does a clause state a move? Inside of statement.h, which says what makes one.
 */
#pragma once

#include "daemon/reading/view.h"

enum grade {
	GRADE_NONE = 0,
	GRADE_BARE,   /* a clause by itself */
	GRADE_WEAK,   /* "so Nd7", "play Nd7", "I'd like to play Nd7" */
	GRADE_STRONG, /* "I play Nd7" */
};

/* What makes a statement doubtful. */
#define CLAUSE_DOUBT                                                              \
	(TALK(TALK_NOT) | TALK(TALK_TALE) | TALK(TALK_MAYBE) | TALK(TALK_LATER) | \
		TALK(TALK_AWAY) | TALK(TALK_IF) | TALK(TALK_HEADING) | TALK(TALK_CANCEL))

/* The moves of a run, in its whole sentence. */
enum grade clause_grade(const struct view *view, const char *text, const struct run *run);

/* What stands before a run in its clause, which begins at item *FROM; moves that to where the
 * part begins that is a clause by itself: "I was ill, but now I play Nd7". */
enum grade clause_grade_before(const struct view *view, const struct run *run, size_t *from);

enum behind {
	BEHIND_NOTHING = 0, /* that belongs to the move */
	BEHIND_NAMED,       /* "is my move" */
	BEHIND_OTHER,       /* the clause says something else about it */
};

/* What follows a run in its clause, which ends at *END; moves that to where what belongs to the
 * move ends. */
enum behind clause_look_behind(
	const struct view *view, const struct run *run, enum grade grade, size_t *end);

/* May nothing but these words stand before the writer, items FROM to TO? */
bool clause_opens(const struct view *view, size_t from, size_t to);
/* "Hi Anna": a greeting and a name or two. */
bool clause_is_greeting(const struct view *view, size_t from, size_t to);

/* The number of the game that items I and I + 1 name, or 0. */
unsigned clause_game_number(const struct view *view, size_t i);

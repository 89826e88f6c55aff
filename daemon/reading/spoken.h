/*
 * Moves in words: "knight takes d5", "e2 to e4", "короткая рокировка": inside of the grammar.
 */
#pragma once

#include <stddef.h>

#include "config/talk.h"

/* Stands for the bytes of words that their notation does not need; no text of a mail holds it,
 * and the readers of moves skip it. */
#define SPOKEN_FILLER '\x7f'

/* Puts notation in the place of such words in SIZE bytes of a line, and SPOKEN_FILLER behind it
 * up to their end: offsets stay as they are. Pieces are written as figurines, which belong to
 * no language. */
void spoken_rewrite(const struct talk *talk, char *line, size_t size);

/* Do SIZE bytes at TEXT hold "castles", to whichever side? */
bool spoken_is_castles(const char *text, size_t size);
/* Do they hold any such move? */
bool spoken_is(const char *text, size_t size);

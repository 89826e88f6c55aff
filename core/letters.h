/*
 * Piece letters of the languages, for the inside of core.
 */
#pragma once

#include "core/notation.h"

struct letters {
	const char *language;
	bool cyrillic;
	bool knight_is_p;     /* Dutch paard: elsewhere P is the pawn */
	uint32_t piece[7];    /* capital letter by enum piece; the king's first letter where two */
	uint32_t king_second; /* the p of Кр, small */
};

#define LETTERS_COUNT 20
extern const struct letters letters_all[LETTERS_COUNT]; /* English first */

#define LETTERS_ENGLISH (&letters_all[0])

/* The piece of a capital letter in this language, or PIECE_NONE. The king's own letter counts
 * only where it stands for the king by itself. */
enum piece letters_piece(const struct letters *letters, uint32_t capital);

/* The piece of a figurine of either colour, or PIECE_NONE. */
enum piece letters_figurine(uint32_t symbol);

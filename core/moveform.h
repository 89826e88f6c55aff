/*
 * The ways to take a stretch of folded symbols for a move, without a position: for the inside
 * of core.
 */
#pragma once

#include "core/movelist.h"

#define MOVEFORM_SYMBOLS 32
#define MOVEFORM_MAX 8
#define MOVEFORM_ANY 8 /* a file or rank that is not given */

/* "castles", to whichever side: a symbol of no alphabet, for readers of words. */
#define MOVEFORM_CASTLES "\xf3\xb0\x80\x81"
#define MOVEFORM_CASTLES_SYMBOL 0xf0001U

struct moveform {
	enum movelist_shape shape;
	uint32_t letter;    /* the piece's letter as written; 0: none, a pawn or two squares */
	uint32_t promotion; /* the letter as written, '1'-'4' from numeric notation, or 0 */
	uint8_t from_file, from_rank, to_file, to_rank;
	uint8_t castling; /* 2 or 3 zeros; 1: to whichever side */
	bool two_letters; /* Russian Кр in any mixture of alphabets */
	bool capture;
	bool capital_file; /* a file given by a capital letter in front: a fallback reading */
};

/* All forms of exactly these symbols; returns their number, 0 if they are no move. */
size_t moveform_parse(const uint32_t *symbols, size_t n, struct moveform ret_forms[MOVEFORM_MAX]);

/* A token together with the symbols of its move, marks taken off. */
struct movecore {
	uint32_t symbols[MOVEFORM_SYMBOLS];
	size_t n;
	bool check, mate, passing; /* marks that stood behind it */
};
bool movelist_next_core(
	struct movelist_scan *scan, struct movelist_token *ret_token, struct movecore *ret_core);

/* Reads a core in a position; fills result, move, candidates, notation, letters, warnings. */
void movecore_read(const struct position *position, const struct letters *letters,
	const struct movecore *core, struct move_reading *reading);

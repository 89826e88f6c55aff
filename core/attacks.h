/*
 * Where pieces attack. Sliding pieces by obstruction difference: on each of the four lines
 * through a square the nearest obstruction on either side is found with one subtraction, so
 * that no table larger than two kilobytes is needed and nothing has to be set up.
 */
#pragma once

#include "core/base.h"
#include "core/bits.h"
#include "core/position.h"

enum line {
	LINE_RANK = 0,
	LINE_FILE,
	LINE_DIAGONAL,
	LINE_ANTIDIAGONAL,
};

/* The lines through a square, the square itself left out. */
extern const uint64_t attacks_lines[64][4];
extern const uint64_t attacks_knight[64];
extern const uint64_t attacks_king[64];
extern const uint64_t attacks_pawn[2][64]; /* by the side of the pawn */

ALWAYS_INLINE uint64_t attacks_line(unsigned square, enum line line, uint64_t occupied)
{
	uint64_t mask = attacks_lines[square][line], below = BIT(square) - 1;
	uint64_t lower = mask & occupied & below, upper = mask & occupied & ~below;
	uint64_t nearest = UINT64_C(1) << 63 >> __builtin_clzll(lower | 1);

	return mask & (upper ^ (upper - nearest));
}
ALWAYS_INLINE uint64_t attacks_rook(unsigned square, uint64_t occupied)
{
	return attacks_line(square, LINE_RANK, occupied) |
	       attacks_line(square, LINE_FILE, occupied);
}
ALWAYS_INLINE uint64_t attacks_bishop(unsigned square, uint64_t occupied)
{
	return attacks_line(square, LINE_DIAGONAL, occupied) |
	       attacks_line(square, LINE_ANTIDIAGONAL, occupied);
}
ALWAYS_INLINE uint64_t attacks_queen(unsigned square, uint64_t occupied)
{
	return attacks_rook(square, occupied) | attacks_bishop(square, occupied);
}

/* What a piece (no pawn) attacks. */
uint64_t attacks_piece(enum piece piece, unsigned square, uint64_t occupied);

/* The squares between two squares of one line, both left out; 0 if they share none. */
uint64_t attacks_between(unsigned from, unsigned to);

/* The pieces of SIDE that attack SQUARE when OCCUPIED stands in the way. */
ALWAYS_INLINE uint64_t attacks_to(
	const struct position *p, unsigned square, enum side side, uint64_t occupied)
{
	uint64_t queens = p->pieces[PIECE_QUEEN];
	uint64_t straight = p->pieces[PIECE_ROOK] | queens;
	uint64_t slanting = p->pieces[PIECE_BISHOP] | queens;
	uint64_t found = (attacks_knight[square] & p->pieces[PIECE_KNIGHT]) |
			 (attacks_king[square] & p->pieces[PIECE_KING]) |
			 (attacks_pawn[side_other(side)][square] & p->pieces[PIECE_PAWN]);

	found |= attacks_rook(square, occupied) & straight;
	found |= attacks_bishop(square, occupied) & slanting;
	return found & p->sides[side];
}

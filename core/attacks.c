#include "core/attacks.h"

/* All tables are constant expressions of the square. */
#define ROW(f, s) \
	f(s), f((s) + 1), f((s) + 2), f((s) + 3), f((s) + 4), f((s) + 5), f((s) + 6), f((s) + 7)
#define ALL(f) \
	ROW(f, 0), ROW(f, 8), ROW(f, 16), ROW(f, 24), ROW(f, 32), ROW(f, 40), ROW(f, 48), ROW(f, 56)

#define SHIFT(set, by) ((by) > 0 ? (set) << ((by) > 0 ? (by) : 0) : (set) >> ((by) > 0 ? 0 : -(by)))

#define MAIN_DIAGONAL UINT64_C(0x8040201008040201)
#define MAIN_ANTIDIAGONAL UINT64_C(0x0102040810204080)
/* A diagonal is the main one moved up or down by ranks; what leaves the board is gone. */
#define DIAGONAL(s) SHIFT(MAIN_DIAGONAL, 8 * (((s) >> 3) - ((s)&7)))
#define ANTIDIAGONAL(s) SHIFT(MAIN_ANTIDIAGONAL, 8 * (((s) >> 3) + ((s)&7) - 7))
#define LINES(s)                                                                                  \
	{                                                                                         \
		RANK_1 << ((s)&56) & ~BIT(s), FILE_A << ((s)&7) & ~BIT(s), DIAGONAL(s) & ~BIT(s), \
			ANTIDIAGONAL(s) & ~BIT(s)                                                 \
	}

#define WEST(set) (((set) & ~FILE_A) >> 1)
#define EAST(set) (((set) & ~FILE_H) << 1)
#define WEST2(set) (((set) & ~(FILE_A | FILE_B)) >> 2)
#define EAST2(set) (((set) & ~(FILE_G | FILE_H)) << 2)
#define KNIGHT_1(s) (WEST(BIT(s)) | EAST(BIT(s)))
#define KNIGHT_2(s) (WEST2(BIT(s)) | EAST2(BIT(s)))
#define KNIGHT(s) (KNIGHT_1(s) << 16 | KNIGHT_1(s) >> 16 | KNIGHT_2(s) << 8 | KNIGHT_2(s) >> 8)
#define BESIDE(s) (BIT(s) | WEST(BIT(s)) | EAST(BIT(s)))
#define KING(s) ((BESIDE(s) | BESIDE(s) << 8 | BESIDE(s) >> 8) & ~BIT(s))
#define PAWN_WHITE(s) (KNIGHT_1(s) << 8)
#define PAWN_BLACK(s) (KNIGHT_1(s) >> 8)

const uint64_t attacks_lines[64][4] = {ALL(LINES)};
const uint64_t attacks_knight[64] = {ALL(KNIGHT)};
const uint64_t attacks_king[64] = {ALL(KING)};
const uint64_t attacks_pawn[2][64] = {{ALL(PAWN_WHITE)}, {ALL(PAWN_BLACK)}};

uint64_t attacks_piece(enum piece piece, unsigned square, uint64_t occupied)
{
	switch (piece) {
	case PIECE_KNIGHT:
		return attacks_knight[square];
	case PIECE_BISHOP:
		return attacks_bishop(square, occupied);
	case PIECE_ROOK:
		return attacks_rook(square, occupied);
	case PIECE_QUEEN:
		return attacks_queen(square, occupied);
	case PIECE_KING:
		return attacks_king[square];
	case PIECE_NONE:
	case PIECE_PAWN:
		break;
	}
	return 0;
}

uint64_t attacks_between(unsigned from, unsigned to)
{
	uint64_t range = ((BIT(from) - 1) ^ (BIT(to) - 1)) & ~BIT(to);

	for (int line = LINE_RANK; line <= LINE_ANTIDIAGONAL; line++)
		if (attacks_lines[from][line] & BIT(to))
			return attacks_lines[from][line] & range;
	return 0;
}

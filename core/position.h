/*
 * A chess position as a plain value, and the moves that are legal in it.
 *
 * Squares are 0..63, a1 = 0, b1 = 1, h8 = 63. A move is a uint16_t: bits 0-5 the
 * square it leaves, 6-11 the square it enters, 12-14 the piece it promotes to
 * (enum piece, 0 = none). Castling is the king's move of two squares. MOVE_NONE
 * (a1a1) is no move.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base.h"

enum piece {
	PIECE_NONE = 0,
	PIECE_PAWN,
	PIECE_KNIGHT,
	PIECE_BISHOP,
	PIECE_ROOK,
	PIECE_QUEEN,
	PIECE_KING,
};

#define SQUARE_NONE 64
#define MOVE_NONE ((uint16_t)0)
#define MOVES_MAX 416 /* fifteen queens and a king have no more; in play it is 218 */

enum castling {
	CASTLE_WHITE_KING = 1,
	CASTLE_WHITE_QUEEN = 2,
	CASTLE_BLACK_KING = 4,
	CASTLE_BLACK_QUEEN = 8,
};

struct position {
	uint64_t pieces[7]; /* by enum piece; [PIECE_NONE] unused */
	uint64_t sides[2];  /* by enum side */
	uint8_t board[64];  /* enum piece of each square, whatever its side */
	uint8_t turn;       /* enum side */
	uint8_t castling;   /* enum castling, or-ed */
	uint8_t en_passant; /* the square behind a pawn that just made two steps, only if a
			       LEGAL en-passant capture exists; else SQUARE_NONE */
	uint16_t halfmove;  /* plies since a capture or a pawn's move */
	uint16_t fullmove;  /* number of the move, from 1 */
};

struct move_list {
	uint16_t moves[MOVES_MAX];
	size_t n;
};

enum position_end {
	POSITION_GOES_ON = 0,
	POSITION_CHECKMATE,
	POSITION_STALEMATE,
};

static inline unsigned move_from(uint16_t move)
{
	return move & 63U;
}
static inline unsigned move_to(uint16_t move)
{
	return (move >> 6) & 63U;
}
static inline enum piece move_promotion(uint16_t move)
{
	return (enum piece)((move >> 12) & 7U);
}
static inline uint16_t move_pack(unsigned from, unsigned to, enum piece promotion)
{
	return (uint16_t)(from | to << 6 | (unsigned)promotion << 12);
}

/* The usual first position of a game. */
struct position position_initial(void);

/* All legal moves of the side on move. */
void position_moves(const struct position *position, struct move_list *ret_list);
bool position_is_legal(const struct position *position, uint16_t move);

/* Makes a move that must be legal. */
void position_make(struct position *position, uint16_t move);

bool position_in_check(const struct position *position);
enum position_end position_end(const struct position *position);

/* The repetition key: board, side on move, castling rights and the file of a legal
 * en-passant capture (FIDE 9.2.3). Equal positions have equal keys; position_same
 * compares in full what the key only hashes. */
uint64_t position_key(const struct position *position);
bool position_same(const struct position *a, const struct position *b);

/* The number of leaf positions DEPTH plies down. */
uint64_t position_perft(const struct position *position, unsigned depth);

#include "core/position.h"

#include <string.h>

#include "core/movegen.h"

#define BACK_RANK                                                                      \
	PIECE_ROOK, PIECE_KNIGHT, PIECE_BISHOP, PIECE_QUEEN, PIECE_KING, PIECE_BISHOP, \
		PIECE_KNIGHT, PIECE_ROOK
#define EIGHT(x) x, x, x, x, x, x, x, x

const uint8_t movegen_castling_kept[64] = {
	15 & ~CASTLE_WHITE_QUEEN,
	15,
	15,
	15,
	15 & ~(CASTLE_WHITE_KING | CASTLE_WHITE_QUEEN),
	15,
	15,
	15 & ~CASTLE_WHITE_KING,
	EIGHT(15),
	EIGHT(15),
	EIGHT(15),
	EIGHT(15),
	EIGHT(15),
	EIGHT(15),
	15 & ~CASTLE_BLACK_QUEEN,
	15,
	15,
	15,
	15 & ~(CASTLE_BLACK_KING | CASTLE_BLACK_QUEEN),
	15,
	15,
	15 & ~CASTLE_BLACK_KING,
};

static const struct position initial = {
	.pieces = {[PIECE_PAWN] = RANK(1) | RANK(6),
		[PIECE_KNIGHT] = BIT(1) | BIT(6) | BIT(57) | BIT(62),
		[PIECE_BISHOP] = BIT(2) | BIT(5) | BIT(58) | BIT(61),
		[PIECE_ROOK] = BIT(0) | BIT(7) | BIT(56) | BIT(63),
		[PIECE_QUEEN] = BIT(3) | BIT(59),
		[PIECE_KING] = BIT(4) | BIT(60)},
	.sides = {RANK(0) | RANK(1), RANK(6) | RANK(7)},
	.board = {BACK_RANK, EIGHT(PIECE_PAWN), EIGHT(0), EIGHT(0), EIGHT(0), EIGHT(0),
		EIGHT(PIECE_PAWN), BACK_RANK},
	.turn = SIDE_WHITE,
	.castling = 15,
	.en_passant = SQUARE_NONE,
	.halfmove = 0,
	.fullmove = 1,
};

struct position position_initial(void)
{
	return initial;
}

void position_moves(const struct position *position, struct move_list *ret_list)
{
	if (position->turn == SIDE_WHITE)
		ret_list->n = movegen_all(position, SIDE_WHITE, ret_list->moves);
	else
		ret_list->n = movegen_all(position, SIDE_BLACK, ret_list->moves);
}

bool position_is_legal(const struct position *position, uint16_t move)
{
	struct move_list list;

	position_moves(position, &list);
	for (size_t i = 0; i < list.n; i++)
		if (list.moves[i] == move)
			return true;
	return false;
}

static bool passing_is_legal(const struct position *position)
{
	enum side us = (enum side)position->turn;
	struct movegen g = movegen_prepare(position, us);

	return movegen_passing(position, &g, us, NULL, 0) > 0;
}

void position_make(struct position *position, uint16_t move)
{
	if (position->turn == SIDE_WHITE)
		movegen_make(position, SIDE_WHITE, move);
	else
		movegen_make(position, SIDE_BLACK, move);
	if (position->en_passant != SQUARE_NONE && !passing_is_legal(position))
		position->en_passant = SQUARE_NONE;
}

bool position_in_check(const struct position *position)
{
	enum side us = (enum side)position->turn;
	uint64_t king = position->pieces[PIECE_KING] & position->sides[us];

	return attacks_to(position, bits_first(king), side_other(us),
		       position->sides[0] | position->sides[1]) != 0;
}

enum position_end position_end(const struct position *position)
{
	size_t n = position->turn == SIDE_WHITE ? movegen_all(position, SIDE_WHITE, NULL)
						: movegen_all(position, SIDE_BLACK, NULL);

	if (n)
		return POSITION_GOES_ON;
	return position_in_check(position) ? POSITION_CHECKMATE : POSITION_STALEMATE;
}

static uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

uint64_t position_key(const struct position *position)
{
	uint64_t hash = (uint64_t)position->turn | (uint64_t)position->castling << 8 |
			(uint64_t)position->en_passant << 16;

	for (int piece = PIECE_PAWN; piece <= PIECE_KING; piece++)
		hash = mix(hash, position->pieces[piece]);
	hash = mix(hash, position->sides[SIDE_WHITE]);
	return hash ^ hash >> 32;
}

bool position_same(const struct position *a, const struct position *b)
{
	return !memcmp(a->pieces + 1, b->pieces + 1, sizeof(a->pieces) - sizeof(a->pieces[0])) &&
	       a->sides[0] == b->sides[0] && a->sides[1] == b->sides[1] && a->turn == b->turn &&
	       a->castling == b->castling && a->en_passant == b->en_passant;
}

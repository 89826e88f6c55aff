/*
 * Legal moves straight from check and pin masks. For the inside of core: everything is
 * inlined with the side and the sink as constants, so that one text both lists and counts.
 */
#pragma once

#include "core/attacks.h"

/* What the side on move may do about checks and pins. */
struct movegen {
	uint64_t own, enemy, occupied;
	uint64_t allowed;      /* squares a piece other than the king may enter */
	uint64_t pin_straight; /* squares of rank and file pins, the pinning piece included */
	uint64_t pin_slanting;
	uint64_t checkers;
	uint64_t danger; /* squares the enemy attacks with our king lifted off */
	unsigned king;
};

ALWAYS_INLINE uint64_t movegen_pawn_attacks(uint64_t pawns, enum side side)
{
	uint64_t west = pawns & ~FILE_A, east = pawns & ~FILE_H;

	return side == SIDE_WHITE ? west << 7 | east << 9 : west >> 9 | east >> 7;
}

ALWAYS_INLINE uint64_t movegen_danger(const struct position *p, enum side us, unsigned king)
{
	enum side them = side_other(us);
	uint64_t enemy = p->sides[them];
	uint64_t occupied = (p->sides[0] | p->sides[1]) ^ BIT(king);
	uint64_t danger = movegen_pawn_attacks(p->pieces[PIECE_PAWN] & enemy, them);
	uint64_t set = p->pieces[PIECE_KNIGHT] & enemy;

	while (set)
		danger |= attacks_knight[bits_pop(&set)];
	set = (p->pieces[PIECE_BISHOP] | p->pieces[PIECE_QUEEN]) & enemy;
	while (set)
		danger |= attacks_bishop(bits_pop(&set), occupied);
	set = (p->pieces[PIECE_ROOK] | p->pieces[PIECE_QUEEN]) & enemy;
	while (set)
		danger |= attacks_rook(bits_pop(&set), occupied);
	return danger | attacks_king[bits_first(p->pieces[PIECE_KING] & enemy)];
}

/* Looks along one line from the king for a check or a pin. */
ALWAYS_INLINE void movegen_look(
	struct movegen *g, enum line line, uint64_t sliders, uint64_t *pin, uint64_t *block)
{
	uint64_t mask = attacks_lines[g->king][line];

	if (!(mask & sliders))
		return;
	sliders &= attacks_line(g->king, line, g->enemy);
	while (sliders) {
		uint64_t slider = sliders & -sliders;
		uint64_t way = (mask & ((BIT(g->king) - 1) ^ (slider - 1))) | slider;
		uint64_t between = (way ^ slider) & g->occupied;

		if (!between) {
			g->checkers |= slider;
			*block |= way;
		} else if (bits_one(between)) {
			*pin |= way;
		}
		sliders ^= slider;
	}
}

ALWAYS_INLINE struct movegen movegen_prepare(const struct position *p, enum side us)
{
	struct movegen g = {.own = p->sides[us], .enemy = p->sides[side_other(us)]};
	uint64_t straight = (p->pieces[PIECE_ROOK] | p->pieces[PIECE_QUEEN]) & g.enemy;
	uint64_t slanting = (p->pieces[PIECE_BISHOP] | p->pieces[PIECE_QUEEN]) & g.enemy;
	uint64_t block, near;

	g.occupied = g.own | g.enemy;
	g.king = bits_first(p->pieces[PIECE_KING] & g.own);
	near = attacks_knight[g.king] & p->pieces[PIECE_KNIGHT];
	near |= attacks_pawn[us][g.king] & p->pieces[PIECE_PAWN];
	near &= g.enemy;
	g.checkers = near;
	block = near;
	movegen_look(&g, LINE_RANK, straight, &g.pin_straight, &block);
	movegen_look(&g, LINE_FILE, straight, &g.pin_straight, &block);
	movegen_look(&g, LINE_DIAGONAL, slanting, &g.pin_slanting, &block);
	movegen_look(&g, LINE_ANTIDIAGONAL, slanting, &g.pin_slanting, &block);
	g.allowed = ~(g.own | p->pieces[PIECE_KING]); /* a king is never taken */
	if (g.checkers)
		g.allowed &= bits_one(g.checkers) ? block : 0;
	return g;
}

/* Whether a pawn's capture en passant leaves the king safe: both pawns are really taken off. */
ALWAYS_INLINE bool movegen_passing_is_safe(
	const struct position *p, const struct movegen *g, enum side us, unsigned from, unsigned to)
{
	uint64_t taken = us == SIDE_WHITE ? BIT(to) >> 8 : BIT(to) << 8;
	uint64_t occupied = (g->occupied ^ BIT(from) ^ taken) | BIT(to);

	return !(attacks_to(p, g->king, side_other(us), occupied) & ~taken);
}

/* Adds moves to the list, or only counts them when there is no list. */
ALWAYS_INLINE size_t movegen_put(uint16_t *list, size_t n, unsigned from, uint64_t targets)
{
	if (!list)
		return n + bits_count(targets);
	while (targets)
		list[n++] = (uint16_t)(from | bits_pop(&targets) << 6);
	return n;
}

ALWAYS_INLINE size_t movegen_put_pawns(
	uint16_t *list, size_t n, uint64_t targets, int step, uint64_t last_rank)
{
	uint64_t promotions = targets & last_rank;

	targets ^= promotions;
	if (!list)
		return n + bits_count(targets) + (size_t)4 * bits_count(promotions);
	while (targets) {
		unsigned to = bits_pop(&targets);

		list[n++] = (uint16_t)((unsigned)((int)to - step) | to << 6);
	}
	while (promotions) {
		unsigned to = bits_pop(&promotions);
		unsigned move = (unsigned)((int)to - step) | to << 6;

		for (unsigned piece = PIECE_QUEEN; piece >= PIECE_KNIGHT; piece--)
			list[n++] = (uint16_t)(move | piece << 12);
	}
	return n;
}

ALWAYS_INLINE uint64_t movegen_shift(uint64_t set, int by)
{
	return by > 0 ? set << by : set >> -by;
}

ALWAYS_INLINE size_t movegen_passing(
	const struct position *p, const struct movegen *g, enum side us, uint16_t *list, size_t n)
{
	uint64_t pawns = attacks_pawn[side_other(us)][p->en_passant] & p->pieces[PIECE_PAWN];

	pawns &= g->own;
	while (pawns) {
		unsigned from = bits_pop(&pawns);

		if (!movegen_passing_is_safe(p, g, us, from, p->en_passant))
			continue;
		if (list)
			list[n] = (uint16_t)(from | (unsigned)p->en_passant << 6);
		n++;
	}
	return n;
}

ALWAYS_INLINE size_t movegen_pawns(
	const struct position *p, const struct movegen *g, enum side us, uint16_t *list, size_t n)
{
	const int up = us == SIDE_WHITE ? 8 : -8;
	const int west = us == SIDE_WHITE ? 7 : -9, east = us == SIDE_WHITE ? 9 : -7;
	const uint64_t last = us == SIDE_WHITE ? RANK(7) : RANK(0);
	const uint64_t third = us == SIDE_WHITE ? RANK(2) : RANK(5);
	uint64_t pawns = p->pieces[PIECE_PAWN] & g->own, empty = ~g->occupied;
	uint64_t free = pawns & ~(g->pin_straight | g->pin_slanting);
	uint64_t straight = pawns & g->pin_straight & ~g->pin_slanting;
	uint64_t slanting = pawns & g->pin_slanting & ~g->pin_straight;
	uint64_t one = movegen_shift(free, up) | (movegen_shift(straight, up) & g->pin_straight);
	uint64_t two, target = g->enemy & g->allowed, take;

	one &= empty;
	two = movegen_shift(one & third, up) & empty & g->allowed;
	n = movegen_put_pawns(list, n, one & g->allowed, up, last);
	n = movegen_put_pawns(list, n, two, 2 * up, 0);
	take = movegen_shift(free & ~FILE_A, west);
	take |= movegen_shift(slanting & ~FILE_A, west) & g->pin_slanting;
	n = movegen_put_pawns(list, n, take & target, west, last);
	take = movegen_shift(free & ~FILE_H, east);
	take |= movegen_shift(slanting & ~FILE_H, east) & g->pin_slanting;
	n = movegen_put_pawns(list, n, take & target, east, last);
	if (p->en_passant != SQUARE_NONE)
		n = movegen_passing(p, g, us, list, n);
	return n;
}

ALWAYS_INLINE size_t movegen_sliders(
	const struct position *p, const struct movegen *g, bool slanting, uint16_t *list, size_t n)
{
	uint64_t along = slanting ? g->pin_slanting : g->pin_straight;
	uint64_t across = slanting ? g->pin_straight : g->pin_slanting;
	uint64_t set = p->pieces[slanting ? PIECE_BISHOP : PIECE_ROOK] | p->pieces[PIECE_QUEEN];

	set &= g->own & ~across;
	while (set) {
		unsigned from = bits_pop(&set);
		uint64_t to = slanting ? attacks_bishop(from, g->occupied)
				       : attacks_rook(from, g->occupied);

		if (along & BIT(from))
			to &= along;
		n = movegen_put(list, n, from, to & g->allowed);
	}
	return n;
}

ALWAYS_INLINE size_t movegen_castling(const struct position *p, const struct movegen *g,
	enum side us, uint64_t danger, uint16_t *list, size_t n)
{
	const unsigned home = us == SIDE_WHITE ? 0 : 56;
	const unsigned short_right = us == SIDE_WHITE ? CASTLE_WHITE_KING : CASTLE_BLACK_KING;
	const unsigned long_right = us == SIDE_WHITE ? CASTLE_WHITE_QUEEN : CASTLE_BLACK_QUEEN;

	if (p->castling & short_right && !(g->occupied & UINT64_C(0x60) << home) &&
		!(danger & UINT64_C(0x70) << home)) {
		if (list)
			list[n] = (uint16_t)((home + 4) | (home + 6) << 6);
		n++;
	}
	if (p->castling & long_right && !(g->occupied & UINT64_C(0x0e) << home) &&
		!(danger & UINT64_C(0x1c) << home)) {
		if (list)
			list[n] = (uint16_t)((home + 4) | (home + 2) << 6);
		n++;
	}
	return n;
}

/* All legal moves of US, the side on move; returns their number. */
ALWAYS_INLINE size_t movegen_all(const struct position *p, enum side us, uint16_t *list)
{
	struct movegen g = movegen_prepare(p, us);
	uint64_t danger = movegen_danger(p, us, g.king), set;
	size_t n = movegen_put(list, 0, g.king, attacks_king[g.king] & ~g.own & ~danger);

	if (g.checkers && !bits_one(g.checkers))
		return n;
	n = movegen_pawns(p, &g, us, list, n);
	set = p->pieces[PIECE_KNIGHT] & g.own & ~(g.pin_straight | g.pin_slanting);
	while (set) {
		unsigned from = bits_pop(&set);

		n = movegen_put(list, n, from, attacks_knight[from] & g.allowed);
	}
	n = movegen_sliders(p, &g, true, list, n);
	n = movegen_sliders(p, &g, false, list, n);
	if (p->castling)
		n = movegen_castling(p, &g, us, danger, list, n);
	return n;
}

extern const uint8_t movegen_castling_kept[64]; /* rights that survive a move from or to it */

/* Makes the move. The en-passant square is set whenever an enemy pawn stands beside the pawn
 * that made two steps: movegen_all looks whether the capture is legal. */
ALWAYS_INLINE void movegen_make(struct position *p, enum side us, uint16_t move)
{
	const enum side them = side_other(us);
	const int up = us == SIDE_WHITE ? 8 : -8;
	unsigned from = move_from(move), to = move_to(move);
	unsigned piece = p->board[from], taken = p->board[to], placed = piece;
	uint64_t both = BIT(from) | BIT(to);
	unsigned passing = p->en_passant;

	p->en_passant = SQUARE_NONE;
	p->halfmove = (uint16_t)(p->halfmove + 1);
	if (taken) {
		p->pieces[taken] ^= BIT(to);
		p->sides[them] ^= BIT(to);
		p->halfmove = 0;
	}
	p->sides[us] ^= both;
	p->board[from] = PIECE_NONE;
	if (piece == PIECE_PAWN) {
		p->halfmove = 0;
		if (move >> 12)
			placed = move >> 12;
		if (passing != SQUARE_NONE && to == passing) {
			unsigned square = (unsigned)((int)to - up) & 63;

			p->pieces[PIECE_PAWN] ^= BIT(square);
			p->sides[them] ^= BIT(square);
			p->board[square] = PIECE_NONE;
		} else if ((int)to - (int)from == 2 * up) {
			unsigned square = (unsigned)((int)from + up) & 63;

			if (attacks_pawn[us][square] & p->pieces[PIECE_PAWN] & p->sides[them])
				p->en_passant = (uint8_t)square;
		}
	} else if (piece == PIECE_KING && (to == from + 2 || from == to + 2)) {
		unsigned rook_from = (to > from ? to + 1 : to - 2) & 63;
		unsigned rook_to = (to > from ? to - 1 : to + 1) & 63;
		uint64_t rook = BIT(rook_from) | BIT(rook_to);

		p->pieces[PIECE_ROOK] ^= rook;
		p->sides[us] ^= rook;
		p->board[rook_from] = PIECE_NONE;
		p->board[rook_to] = PIECE_ROOK;
	}
	p->pieces[piece] ^= BIT(from);
	p->pieces[placed] ^= BIT(to);
	p->board[to] = (uint8_t)placed;
	p->castling &= movegen_castling_kept[from] & movegen_castling_kept[to];
	p->turn = (uint8_t)them;
	p->fullmove = (uint16_t)(p->fullmove + (us == SIDE_BLACK));
}

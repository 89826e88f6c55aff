#include "core/fen.h"

#include <string.h>

#include "core/movegen.h"

static const char letters[] = " PNBRQK";

/* A reader of the text's fields. */
struct cursor {
	const char *text;
	size_t size, at;
};

static int peek(const struct cursor *c)
{
	return c->at < c->size ? (unsigned char)c->text[c->at] : -1;
}

static bool take(struct cursor *c, char wanted)
{
	if (peek(c) != wanted)
		return false;
	c->at++;
	return true;
}

static bool take_blank(struct cursor *c)
{
	if (!take(c, ' '))
		return false;
	while (take(c, ' '))
		;
	return true;
}

static void put(struct position *p, unsigned square, enum piece piece, enum side side)
{
	p->pieces[piece] |= BIT(square);
	p->sides[side] |= BIT(square);
	p->board[square] = (uint8_t)piece;
}

static enum fen_fault read_rank(struct cursor *c, struct position *p, unsigned rank)
{
	unsigned file = 0;
	bool digit_before = false;

	while (file < 8) {
		int byte = peek(c);
		const char *letter;

		if (byte >= '1' && byte <= '8') {
			file += (unsigned)(byte - '0');
			if (digit_before || file > 8)
				return FEN_FAULT_SYNTAX;
			digit_before = true;
		} else {
			letter = byte > ' ' ? memchr(letters + 1, byte & ~0x20, 6) : NULL;
			if (!letter || byte < 'A' || byte > 'z')
				return FEN_FAULT_SYNTAX;
			put(p, square_at(file++, rank), (enum piece)(letter - letters),
				byte & 0x20 ? SIDE_BLACK : SIDE_WHITE);
			digit_before = false;
		}
		c->at++;
	}
	return FEN_FINE;
}

static enum fen_fault read_board(struct cursor *c, struct position *p)
{
	for (unsigned rank = 8; rank-- > 0;) {
		enum fen_fault fault = read_rank(c, p, rank);

		if (fault)
			return fault;
		if (rank && !take(c, '/'))
			return FEN_FAULT_SYNTAX;
	}
	return take_blank(c) ? FEN_FINE : FEN_FAULT_SYNTAX;
}

static enum fen_fault read_turn(struct cursor *c, struct position *p)
{
	if (take(c, 'w'))
		p->turn = SIDE_WHITE;
	else if (take(c, 'b'))
		p->turn = SIDE_BLACK;
	else
		return FEN_FAULT_SYNTAX;
	return take_blank(c) ? FEN_FINE : FEN_FAULT_SYNTAX;
}

static bool has(const struct position *p, unsigned square, enum piece piece, enum side side)
{
	return p->board[square] == piece && (p->sides[side] & BIT(square));
}

static enum fen_fault read_castling(struct cursor *c, struct position *p)
{
	static const char rights[] = {'K', 'Q', 'k', 'q'};

	if (take(c, '-'))
		return take_blank(c) ? FEN_FINE : FEN_FAULT_SYNTAX;
	while (peek(c) != ' ') {
		const char *right = peek(c) > 0 ? memchr(rights, peek(c), sizeof(rights)) : NULL;
		unsigned i = right ? (unsigned)(right - rights) : 0;
		enum side side = i < 2 ? SIDE_WHITE : SIDE_BLACK;
		unsigned home = side == SIDE_WHITE ? 0 : 56;

		if (!right || p->castling & 1U << i)
			return FEN_FAULT_SYNTAX;
		if (!has(p, home + 4, PIECE_KING, side) ||
			!has(p, home + (i % 2 ? 0 : 7), PIECE_ROOK, side))
			return FEN_FAULT_CASTLING;
		p->castling = (uint8_t)(p->castling | 1U << i);
		c->at++;
	}
	return p->castling && take_blank(c) ? FEN_FINE : FEN_FAULT_SYNTAX;
}

/* The square must lie behind an enemy pawn that can just have made two steps. */
static enum fen_fault read_en_passant(struct cursor *c, struct position *p)
{
	enum side them = side_other((enum side)p->turn);
	unsigned rank = them == SIDE_WHITE ? 2 : 5;
	unsigned file, square, pawn, home;
	int letter = peek(c);

	if (take(c, '-'))
		return FEN_FINE;
	if (letter < 'a' || letter > 'h')
		return FEN_FAULT_SYNTAX;
	c->at++;
	if (peek(c) < '1' || peek(c) > '8')
		return FEN_FAULT_SYNTAX;
	if (peek(c) != (int)('1' + rank))
		return FEN_FAULT_EN_PASSANT;
	c->at++;
	file = (unsigned)(letter - 'a');
	square = square_at(file, rank);
	pawn = them == SIDE_WHITE ? square + 8 : square - 8;
	home = them == SIDE_WHITE ? square - 8 : square + 8;
	if (!has(p, pawn, PIECE_PAWN, them) || p->board[square] || p->board[home])
		return FEN_FAULT_EN_PASSANT;
	p->en_passant = (uint8_t)square;
	return FEN_FINE;
}

static bool read_number(struct cursor *c, unsigned max, uint16_t *ret_number)
{
	unsigned number = 0;
	size_t start = c->at;

	while (peek(c) >= '0' && peek(c) <= '9') {
		number = number * 10 + (unsigned)(peek(c) - '0');
		if (number > max)
			return false;
		c->at++;
	}
	*ret_number = (uint16_t)number;
	return c->at > start;
}

static enum fen_fault read_counters(struct cursor *c, struct position *p)
{
	p->halfmove = 0;
	p->fullmove = 1;
	if (!take_blank(c) || c->at == c->size)
		return c->at == c->size ? FEN_FINE : FEN_FAULT_SYNTAX;
	if (!read_number(c, 9999, &p->halfmove))
		return FEN_FAULT_COUNTERS;
	if (!take_blank(c) || c->at == c->size)
		return c->at == c->size ? FEN_FINE : FEN_FAULT_SYNTAX;
	if (!read_number(c, 9999, &p->fullmove))
		return FEN_FAULT_COUNTERS;
	if (!p->fullmove) /* some programs begin with 0 */
		p->fullmove = 1;
	while (take(c, ' '))
		;
	return c->at == c->size ? FEN_FINE : FEN_FAULT_SYNTAX;
}

static enum fen_fault check_side(const struct position *p, enum side side)
{
	uint64_t own = p->sides[side], pawns = p->pieces[PIECE_PAWN] & own;

	if (!bits_one(p->pieces[PIECE_KING] & own))
		return FEN_FAULT_KINGS;
	if (bits_count(pawns) > 8 || pawns & (RANK(0) | RANK(7)))
		return FEN_FAULT_PAWNS;
	return bits_count(own) > 16 ? FEN_FAULT_PIECES : FEN_FINE;
}

static enum fen_fault check_position(const struct position *p)
{
	enum fen_fault fault = check_side(p, SIDE_WHITE);
	struct position other = *p;

	if (!fault)
		fault = check_side(p, SIDE_BLACK);
	if (fault)
		return fault;
	if (attacks_king[bits_first(p->pieces[PIECE_KING])] & p->pieces[PIECE_KING])
		return FEN_FAULT_KINGS;
	other.turn = (uint8_t)side_other((enum side)p->turn);
	return position_in_check(&other) ? FEN_FAULT_CHECK : FEN_FINE;
}

/* An en-passant square stays only if a legal capture exists. */
static void normalise_en_passant(struct position *p)
{
	struct move_list list;
	unsigned square = p->en_passant;

	if (square == SQUARE_NONE)
		return;
	position_moves(p, &list);
	for (size_t i = 0; i < list.n; i++)
		if (move_to(list.moves[i]) == square &&
			p->board[move_from(list.moves[i])] == PIECE_PAWN)
			return;
	p->en_passant = SQUARE_NONE;
}

static enum fen_fault parse(
	const char *text, size_t size, bool loosely, struct position *ret_position, size_t *ret_at)
{
	struct cursor c = {.text = text, .size = size};
	struct position p = {.en_passant = SQUARE_NONE};
	enum fen_fault fault;

	fault = read_board(&c, &p);
	if (!fault)
		fault = read_turn(&c, &p);
	/* Whoever has no king of his own to ask about is found before rights are. */
	if (!fault)
		fault = check_position(&p);
	if (fault == FEN_FAULT_CHECK && loosely)
		fault = FEN_FINE;
	if (!fault)
		fault = read_castling(&c, &p);
	if (!fault)
		fault = read_en_passant(&c, &p);
	if (!fault)
		fault = read_counters(&c, &p);
	if (fault) {
		*ret_at = c.at;
		return fault;
	}
	normalise_en_passant(&p);
	*ret_position = p;
	return FEN_FINE;
}

enum fen_fault fen_parse(
	const char *text, size_t size, struct position *ret_position, size_t *ret_at)
{
	return parse(text, size, false, ret_position, ret_at);
}

enum fen_fault fen_parse_loosely(
	const char *text, size_t size, struct position *ret_position, size_t *ret_at)
{
	return parse(text, size, true, ret_position, ret_at);
}

const char *fen_fault_text(enum fen_fault fault)
{
	switch (fault) {
	case FEN_FINE:
		return "a good position";
	case FEN_FAULT_SYNTAX:
		return "not a FEN";
	case FEN_FAULT_KINGS:
		return "there must be one king each, not side by side";
	case FEN_FAULT_PAWNS:
		return "more than eight pawns, or pawns on the first or last rank";
	case FEN_FAULT_PIECES:
		return "more than sixteen pieces of a side";
	case FEN_FAULT_CHECK:
		return "the side that is not on move is in check";
	case FEN_FAULT_CASTLING:
		return "a castling right without its king or rook in place";
	case FEN_FAULT_EN_PASSANT:
		return "no pawn can just have made two steps over the en-passant square";
	case FEN_FAULT_COUNTERS:
		return "a counter is no number or too large";
	}
	return "unknown";
}

static char *write_number(char *out, unsigned number)
{
	char digits[10];
	size_t n = 0;

	do
		digits[n++] = (char)('0' + number % 10);
	while (number /= 10);
	while (n)
		*out++ = digits[--n];
	return out;
}

static char *write_board(char *out, const struct position *p)
{
	for (unsigned rank = 8; rank-- > 0;) {
		unsigned empty = 0;

		for (unsigned file = 0; file < 8; file++) {
			unsigned square = square_at(file, rank);

			if (!p->board[square]) {
				empty++;
				continue;
			}
			if (empty)
				*out++ = (char)('0' + empty);
			empty = 0;
			*out = letters[p->board[square]];
			if (p->sides[SIDE_BLACK] & BIT(square))
				*out |= 0x20;
			out++;
		}
		if (empty)
			*out++ = (char)('0' + empty);
		*out++ = rank ? '/' : ' ';
	}
	return out;
}

size_t fen_write(const struct position *position, char out[FEN_MAX])
{
	char *at = write_board(out, position);

	*at++ = position->turn == SIDE_WHITE ? 'w' : 'b';
	*at++ = ' ';
	for (unsigned i = 0; i < 4; i++)
		if (position->castling & 1U << i)
			*at++ = "KQkq"[i];
	if (!position->castling)
		*at++ = '-';
	*at++ = ' ';
	if (position->en_passant == SQUARE_NONE) {
		*at++ = '-';
	} else {
		*at++ = (char)('a' + square_file(position->en_passant));
		*at++ = (char)('1' + square_rank(position->en_passant));
	}
	*at++ = ' ';
	at = write_number(at, position->halfmove);
	*at++ = ' ';
	at = write_number(at, position->fullmove);
	*at = '\0';
	return (size_t)(at - out);
}

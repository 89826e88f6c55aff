#include "core/notation.h"

#include <string.h>

#include "core/letters.h"
#include "core/movegen.h"

/* The move taken apart, as all notations need it. */
struct parts {
	unsigned from, to;
	enum piece piece, promotion;
	bool capture, castling;
};

static struct parts take_apart(const struct position *p, uint16_t move)
{
	struct parts m = {.from = move_from(move), .to = move_to(move)};

	m.piece = (enum piece)p->board[m.from];
	m.promotion = move_promotion(move);
	m.capture = p->board[m.to] || (m.piece == PIECE_PAWN && m.to == p->en_passant);
	m.castling = m.piece == PIECE_KING && (m.to == m.from + 2 || m.from == m.to + 2);
	return m;
}

static char *put_square(char *out, unsigned square)
{
	*out++ = (char)('a' + square_file(square));
	*out++ = (char)('1' + square_rank(square));
	return out;
}

static char *put_symbol(char *out, uint32_t symbol)
{
	if (symbol < 0x80) {
		*out++ = (char)symbol;
	} else if (symbol < 0x800) {
		*out++ = (char)(0xc0 | symbol >> 6);
		*out++ = (char)(0x80 | (symbol & 0x3f));
	} else {
		*out++ = (char)(0xe0 | symbol >> 12);
		*out++ = (char)(0x80 | (symbol >> 6 & 0x3f));
		*out++ = (char)(0x80 | (symbol & 0x3f));
	}
	return out;
}

static char *put_text(char *out, const char *text)
{
	while (*text)
		*out++ = *text++;
	return out;
}

/* LETTERS NULL writes figurines of SIDE's colour. */
static char *put_piece(char *out, enum piece piece, const struct letters *letters, enum side side)
{
	if (letters) {
		out = put_symbol(out, letters->piece[piece]);
		if (piece == PIECE_KING && letters->king_second)
			out = put_symbol(out, letters->king_second);
		return out;
	}
	return put_symbol(out, (side == SIDE_WHITE ? 0x2654U : 0x265aU) + PIECE_KING - piece);
}

static char *put_promotion(
	char *out, enum piece piece, const struct letters *letters, enum side side)
{
	if (!piece)
		return out;
	*out++ = '=';
	return put_piece(out, piece, letters, side);
}

static char *put_castling(char *out, const struct parts *m)
{
	return put_text(out, m->to > m->from ? "O-O" : "O-O-O");
}

static char *put_check(char *out, const struct position *p, uint16_t move)
{
	struct position after = *p;

	position_make(&after, move);
	if (position_in_check(&after))
		*out++ = position_end(&after) == POSITION_CHECKMATE ? '#' : '+';
	return out;
}

/* File, else rank, else both, among the legal moves only. */
static char *put_disambiguation(char *out, const struct position *p, const struct parts *m)
{
	struct move_list list;
	bool other = false, same_file = false, same_rank = false;

	position_moves(p, &list);
	for (size_t i = 0; i < list.n; i++) {
		unsigned from = move_from(list.moves[i]);

		if (from == m->from || move_to(list.moves[i]) != m->to ||
			p->board[from] != m->piece)
			continue;
		other = true;
		same_file = same_file || square_file(from) == square_file(m->from);
		same_rank = same_rank || square_rank(from) == square_rank(m->from);
	}
	if (other && (!same_file || same_rank))
		*out++ = (char)('a' + square_file(m->from));
	if (other && same_file)
		*out++ = (char)('1' + square_rank(m->from));
	return out;
}

static char *put_san(
	char *out, const struct position *p, const struct parts *m, const struct letters *letters)
{
	if (m->castling)
		return put_castling(out, m);
	if (m->piece != PIECE_PAWN) {
		out = put_piece(out, m->piece, letters, (enum side)p->turn);
		out = put_disambiguation(out, p, m);
	} else if (m->capture) {
		*out++ = (char)('a' + square_file(m->from));
	}
	if (m->capture)
		*out++ = 'x';
	out = put_square(out, m->to);
	return put_promotion(out, m->promotion, letters, (enum side)p->turn);
}

static char *put_long(
	char *out, const struct position *p, const struct parts *m, const struct letters *letters)
{
	if (m->castling)
		return put_castling(out, m);
	if (m->piece != PIECE_PAWN)
		out = put_piece(out, m->piece, letters, (enum side)p->turn);
	out = put_square(out, m->from);
	*out++ = m->capture ? 'x' : '-';
	out = put_square(out, m->to);
	return put_promotion(out, m->promotion, letters, (enum side)p->turn);
}

static char *put_numeric(char *out, const struct parts *m)
{
	static const char digits[] = {[PIECE_QUEEN] = '1',
		[PIECE_ROOK] = '2',
		[PIECE_BISHOP] = '3',
		[PIECE_KNIGHT] = '4'};
	unsigned squares[] = {m->from, m->to};

	for (size_t i = 0; i < 2; i++) {
		*out++ = (char)('1' + square_file(squares[i]));
		*out++ = (char)('1' + square_rank(squares[i]));
	}
	if (m->promotion)
		*out++ = digits[m->promotion];
	return out;
}

static char *put_uci(char *out, const struct parts *m)
{
	out = put_square(out, m->from);
	out = put_square(out, m->to);
	if (m->promotion)
		*out++ = " pnbrq"[m->promotion];
	return out;
}

size_t move_write(const struct position *position, uint16_t move, enum notation notation,
	const struct letters *letters, char out[NOTATION_MAX])
{
	struct parts m = take_apart(position, move);
	char *at = out;

	if (!letters)
		letters = LETTERS_ENGLISH;
	switch (notation) {
	case NOTATION_SAN:
		at = put_san(at, position, &m, letters);
		break;
	case NOTATION_FIGURINE:
		at = put_san(at, position, &m, NULL);
		break;
	case NOTATION_LONG:
		at = put_long(at, position, &m, letters);
		break;
	case NOTATION_MCLINK:
		at = put_long(at, position, &m, letters_find("it", 2));
		break;
	case NOTATION_ICCF:
		at = put_numeric(at, &m);
		break;
	case NOTATION_UCI:
		at = put_uci(at, &m);
		break;
	}
	if (notation != NOTATION_ICCF && notation != NOTATION_UCI)
		at = put_check(at, position, move);
	*at = '\0';
	return (size_t)(at - out);
}

static bool read_square(const char *text, unsigned *ret_square)
{
	if (text[0] < 'a' || text[0] > 'h' || text[1] < '1' || text[1] > '8')
		return false;
	*ret_square = square_at((unsigned)(text[0] - 'a'), (unsigned)(text[1] - '1'));
	return true;
}

uint16_t move_from_uci(const struct position *position, const char *text, size_t size)
{
	static const char promotions[] = {'n', 'b', 'r', 'q'};
	enum piece promotion = PIECE_NONE;
	unsigned from, to;
	uint16_t move;

	if (size < 4 || size > 5 || !read_square(text, &from) || !read_square(text + 2, &to))
		return MOVE_NONE;
	if (size == 5) {
		const char *piece = memchr(promotions, text[4], sizeof(promotions));

		if (!piece)
			return MOVE_NONE;
		promotion = (enum piece)(PIECE_KNIGHT + (piece - promotions));
	}
	move = move_pack(from, to, promotion);
	return position_is_legal(position, move) ? move : MOVE_NONE;
}

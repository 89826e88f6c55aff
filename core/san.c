#include "core/san.h"

#include "core/movegen.h"

/* What the text says; squares as files and ranks, 8 for not given. */
struct san {
	unsigned piece, from_file, from_rank, to, promotion;
	bool capture;
	size_t used;
};

static const uint8_t piece_letters[128] = {['N'] = PIECE_KNIGHT,
	['B'] = PIECE_BISHOP,
	['R'] = PIECE_ROOK,
	['Q'] = PIECE_QUEEN,
	['K'] = PIECE_KING};

static unsigned letter_piece(char byte)
{
	return piece_letters[(unsigned char)byte & 127];
}

static bool is_file(char byte)
{
	return byte >= 'a' && byte <= 'h';
}

static bool is_rank(char byte)
{
	return byte >= '1' && byte <= '8';
}

static bool is_end(char byte)
{
	return (unsigned char)byte <= ' ' || byte == '.' || byte == '!' || byte == '?' ||
	       byte == '{' || byte == '(' || byte == ')' || byte == '$' || byte == ';';
}

/* Gathers the squares' letters and digits; the last two are the square entered. AT is copied
 * to a buffer that ends in zeros, so that looking ahead is safe. */
static bool parse(const char *at, struct san *san)
{
	const char *start = at;
	char squares[5];
	size_t n = 0, crossed = 0;

	san->piece = letter_piece(*at);
	at += san->piece != 0;
	while (is_file(*at) || is_rank(*at) || (*at == 'x' && !san->capture)) {
		if (*at == 'x') {
			san->capture = true;
			crossed = n;
		} else if (n == 4) {
			return false;
		} else {
			squares[n++] = *at;
		}
		at++;
	}
	if (n < 2 || (san->capture && n != crossed + 2) || !is_file(squares[n - 2]) ||
		!is_rank(squares[n - 1]))
		return false;
	san->to = square_at((unsigned)(squares[n - 2] - 'a'), (unsigned)(squares[n - 1] - '1'));
	n -= 2;
	if (n == 2 && !(is_file(squares[0]) && is_rank(squares[1])))
		return false;
	if (n)
		*(is_file(squares[0]) ? &san->from_file : &san->from_rank) =
			(unsigned)(squares[0] - (is_file(squares[0]) ? 'a' : '1'));
	if (n == 2)
		san->from_rank = (unsigned)(squares[1] - '1');
	if (*at == '=') {
		san->promotion = letter_piece(at[1]);
		if (!san->promotion)
			return false;
		at += 2;
	}
	at += *at == '+' || *at == '#';
	san->used = (size_t)(at - start);
	return is_end(*at);
}

/* Whether our king is safe after FROM leaves, TO is entered and TAKEN is gone. */
ALWAYS_INLINE bool is_safe(const struct position *p, enum side us, unsigned king, unsigned from,
	unsigned to, uint64_t taken)
{
	uint64_t occupied = ((p->sides[0] | p->sides[1]) & ~(BIT(from) | taken)) | BIT(to);

	if (from == king)
		king = to;
	return !(attacks_to(p, king, side_other(us), occupied) & ~(taken | BIT(to)));
}

static uint16_t only_safe(const struct position *p, const struct san *san, uint64_t candidates)
{
	enum side us = (enum side)p->turn;
	unsigned king = bits_first(p->pieces[PIECE_KING] & p->sides[us]);
	uint16_t move = MOVE_NONE;

	while (candidates) {
		unsigned from = bits_pop(&candidates);

		if (!is_safe(p, us, king, from, san->to, 0))
			continue;
		if (move != MOVE_NONE)
			return MOVE_NONE;
		move = move_pack(from, san->to, (enum piece)san->promotion);
	}
	return move;
}

static uint16_t piece_move(const struct position *p, const struct san *san)
{
	uint64_t own = p->sides[p->turn], occupied = p->sides[0] | p->sides[1];
	uint64_t candidates = p->pieces[san->piece] & own;

	if ((own | p->pieces[PIECE_KING]) & BIT(san->to) || san->promotion)
		return MOVE_NONE;
	candidates &= attacks_piece((enum piece)san->piece, san->to, occupied);
	if (san->from_file < 8)
		candidates &= FILE_A << san->from_file;
	if (san->from_rank < 8)
		candidates &= RANK(san->from_rank);
	return only_safe(p, san, candidates);
}

static uint16_t passing_move(const struct position *p, const struct san *san, unsigned from)
{
	enum side us = (enum side)p->turn;
	unsigned king = bits_first(p->pieces[PIECE_KING] & p->sides[us]);
	uint64_t taken = us == SIDE_WHITE ? BIT(san->to) >> 8 : BIT(san->to) << 8;

	return is_safe(p, us, king, from, san->to, taken) ? move_pack(from, san->to, PIECE_NONE)
							  : MOVE_NONE;
}

static uint16_t pawn_move(const struct position *p, const struct san *san)
{
	enum side us = (enum side)p->turn;
	uint64_t pawns = p->pieces[PIECE_PAWN] & p->sides[us];
	uint64_t occupied = p->sides[0] | p->sides[1], target = BIT(san->to), from;

	if ((san->promotion != 0) != ((target & (RANK(0) | RANK(7))) != 0) ||
		san->promotion == PIECE_KING || san->from_rank < 8)
		return MOVE_NONE;
	if (san->capture) {
		if (san->from_file > 7)
			return MOVE_NONE;
		from = attacks_pawn[side_other(us)][san->to] & pawns & FILE_A << san->from_file;
		if (from && san->to == p->en_passant)
			return passing_move(p, san, bits_first(from));
		return p->sides[side_other(us)] & target ? only_safe(p, san, from) : MOVE_NONE;
	}
	if (san->from_file < 8 || occupied & target)
		return MOVE_NONE;
	from = us == SIDE_WHITE ? target >> 8 : target << 8;
	if (!(from & occupied) && target & (us == SIDE_WHITE ? RANK(3) : RANK(4)))
		from = us == SIDE_WHITE ? target >> 16 : target << 16;
	return only_safe(p, san, from & pawns);
}

static uint16_t castling_move(const struct position *p, bool to_king_side)
{
	enum side us = (enum side)p->turn;
	unsigned home = us == SIDE_WHITE ? 0 : 56;
	unsigned right = to_king_side ? CASTLE_WHITE_KING : CASTLE_WHITE_QUEEN;
	uint64_t occupied = p->sides[0] | p->sides[1];
	uint64_t between = (to_king_side ? UINT64_C(0x60) : UINT64_C(0x0e)) << home;
	unsigned king = home + 4;

	if (!(p->castling & (us == SIDE_WHITE ? right : right << 2)) || occupied & between)
		return MOVE_NONE;
	for (unsigned i = 0; i < 3; i++)
		if (attacks_to(p, to_king_side ? king + i : king - i, side_other(us), occupied))
			return MOVE_NONE;
	return move_pack(king, to_king_side ? king + 2 : king - 2, PIECE_NONE);
}

#define LOOK 16

static uint16_t castling_text(const struct position *p, const char *at, size_t *ret_used)
{
	size_t n = at[3] == '-' ? 5 : 3;

	if (at[1] != '-' || at[2] != 'O' || (n == 5 && at[4] != 'O'))
		return MOVE_NONE;
	*ret_used = n + (at[n] == '+' || at[n] == '#');
	return is_end(at[*ret_used]) ? castling_move(p, n == 3) : MOVE_NONE;
}

uint16_t san_quick(const struct position *position, const char *text, size_t size, size_t *ret_used)
{
	struct san san = {.from_file = 8, .from_rank = 8};
	char copy[LOOK] = "";

	if (size < LOOK) {
		for (size_t i = 0; i < size; i++)
			copy[i] = text[i];
		text = copy;
	}
	if (*text == 'O')
		return castling_text(position, text, ret_used);
	if (!parse(text, &san))
		return MOVE_NONE;
	*ret_used = san.used;
	return san.piece ? piece_move(position, &san) : pawn_move(position, &san);
}

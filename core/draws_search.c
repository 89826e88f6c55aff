#include "core/draws_search.h"

#include <stdlib.h>

#include "core/movegen.h"

/*
 * The positions that can be reached from the first one, the most promising for a helpmate
 * first. When all have been visited without a mate there is none. Fifty moves and repetitions
 * end no series here: a shorter series leads to the same position.
 */

/* A position in 32 bytes: what stands on each occupied square in turn, four bits each. */
struct packed {
	uint64_t occupied, pieces[2];
	uint8_t turn, castling, en_passant;
	uint32_t next; /* in its bucket */
};

#define BUCKETS 64
#define NONE UINT32_MAX

struct search {
	struct packed *nodes;
	uint32_t n, max;
	uint64_t *seen; /* keys; a table with open addressing, 0 is empty */
	uint64_t mask;
	uint32_t buckets[BUCKETS];
	enum side side;
	bool (*lacks)(const struct position *position, enum side side);
};

static struct packed pack(const struct position *p)
{
	struct packed packed = {.occupied = p->sides[0] | p->sides[1],
		.turn = p->turn,
		.castling = p->castling,
		.en_passant = p->en_passant};
	uint64_t set = packed.occupied;

	for (unsigned i = 0; set; i++) {
		unsigned square = bits_pop(&set);
		uint64_t code =
			p->board[square] | (p->sides[SIDE_BLACK] & BIT(square) ? UINT64_C(8) : 0);

		packed.pieces[i / 16] |= code << (i % 16 * 4);
	}
	return packed;
}

static struct position unpack(const struct packed *packed)
{
	struct position p = {.turn = packed->turn,
		.castling = packed->castling,
		.en_passant = packed->en_passant,
		.fullmove = 1};
	uint64_t set = packed->occupied;

	for (unsigned i = 0; set; i++) {
		unsigned square = bits_pop(&set);
		unsigned code = packed->pieces[i / 16] >> (i % 16 * 4) & 15;

		p.board[square] = code & 7;
		p.pieces[code & 7] |= BIT(square);
		p.sides[code >> 3] |= BIT(square);
	}
	return p;
}

static unsigned edge_distance(unsigned square)
{
	unsigned file = square_file(square), rank = square_rank(square);

	file = file < 4 ? file : 7 - file;
	rank = rank < 4 ? rank : 7 - rank;
	return file + rank;
}

/* Steps that the side's foremost pawn has to go, 0 when it has a rook or queen already. */
static unsigned promotion_distance(const struct position *p, enum side side)
{
	uint64_t own = p->sides[side], pawns = p->pieces[PIECE_PAWN] & own;

	if (own & (p->pieces[PIECE_ROOK] | p->pieces[PIECE_QUEEN]) || !pawns)
		return 0;
	return side == SIDE_WHITE ? 7 - (63 - (unsigned)__builtin_clzll(pawns)) / 8
				  : bits_first(pawns) / 8;
}

static unsigned distance(unsigned a, unsigned b)
{
	int files = (int)square_file(a) - (int)square_file(b);
	int ranks = (int)square_rank(a) - (int)square_rank(b);

	files = files < 0 ? -files : files;
	ranks = ranks < 0 ? -ranks : ranks;
	return (unsigned)(files > ranks ? files : ranks);
}

/* How far from a mate of the other king it looks; small is near. */
static unsigned outlook(const struct position *p, enum side side)
{
	enum side victim = side_other(side);
	unsigned king = bits_first(p->pieces[PIECE_KING] & p->sides[victim]);
	unsigned own_king = bits_first(p->pieces[PIECE_KING] & p->sides[side]);
	uint64_t escapes = attacks_king[king] & ~p->sides[victim];
	unsigned score;

	escapes &= ~movegen_danger(p, victim, king);
	score = 3 * bits_count(escapes) + 2 * edge_distance(king) + distance(king, own_king) +
		4 * promotion_distance(p, side);
	return score < BUCKETS ? score : BUCKETS - 1;
}

/* Whether the key is new. */
static bool see(struct search *s, uint64_t key)
{
	uint64_t slot = key & s->mask;

	key += !key;
	while (s->seen[slot]) {
		if (s->seen[slot] == key)
			return false;
		slot = (slot + 1) & s->mask;
	}
	s->seen[slot] = key;
	return true;
}

/* False when there is no room left. */
static bool visit(struct search *s, const struct position *p)
{
	unsigned bucket;

	if (s->lacks(p, s->side) || !see(s, position_key(p)))
		return true;
	if (s->n == s->max)
		return false;
	bucket = outlook(p, s->side);
	s->nodes[s->n] = pack(p);
	s->nodes[s->n].next = s->buckets[bucket];
	s->buckets[bucket] = s->n++;
	return true;
}

static bool take(struct search *s, struct position *ret_position)
{
	for (unsigned i = 0; i < BUCKETS; i++) {
		const struct packed *node;

		if (s->buckets[i] == NONE)
			continue;
		node = &s->nodes[s->buckets[i]];
		s->buckets[i] = node->next;
		*ret_position = unpack(node);
		return true;
	}
	return false;
}

static enum draws_answer run(struct search *s, const struct position *start)
{
	struct position p;

	(void)visit(s, start);
	while (take(s, &p)) {
		struct move_list list;

		position_moves(&p, &list);
		if (!list.n && p.turn == side_other(s->side) && position_in_check(&p))
			return DRAWS_YES;
		for (size_t i = 0; i < list.n; i++) {
			struct position next = p;

			position_make(&next, list.moves[i]);
			if (!visit(s, &next))
				return DRAWS_UNDECIDED;
		}
	}
	return DRAWS_NO;
}

enum draws_answer draws_search(const struct position *position, enum side side, size_t budget,
	bool (*lacks)(const struct position *position, enum side side))
{
	struct search s = {.side = side, .lacks = lacks, .max = (uint32_t)budget, .mask = 15};
	enum draws_answer answer = DRAWS_UNDECIDED;

	if (!budget || budget > UINT32_MAX / 4)
		return DRAWS_UNDECIDED;
	while (s.mask < 2 * budget)
		s.mask = s.mask * 2 + 1;
	for (unsigned i = 0; i < BUCKETS; i++)
		s.buckets[i] = NONE;
	s.nodes = malloc(budget * sizeof(*s.nodes));
	s.seen = calloc(s.mask + 1, sizeof(*s.seen));
	if (s.nodes && s.seen)
		answer = run(&s, position);
	free(s.nodes);
	free(s.seen);
	return answer;
}

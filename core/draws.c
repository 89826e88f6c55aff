#include "core/draws.h"

#include <errno.h>
#include <stdlib.h>

#include "core/bits.h"
#include "core/draws_search.h"

#define LIGHT_SQUARES UINT64_C(0x55aa55aa55aa55aa)

/* Whether SIDE can not mate whatever both play, by the count of pieces. */
static bool lacks_material(const struct position *p, enum side side)
{
	uint64_t own = p->sides[side], other = p->sides[side_other(side)];
	uint64_t bishops = p->pieces[PIECE_BISHOP];

	if (own & (p->pieces[PIECE_PAWN] | p->pieces[PIECE_ROOK] | p->pieces[PIECE_QUEEN]))
		return false;
	if (own & p->pieces[PIECE_KNIGHT])
		return bits_count(own) <= 2 &&
		       !(other & ~(p->pieces[PIECE_KING] | p->pieces[PIECE_QUEEN]));
	if (own & bishops)
		return (!(bishops & LIGHT_SQUARES) || !(bishops & ~LIGHT_SQUARES)) &&
		       !p->pieces[PIECE_PAWN] && !p->pieces[PIECE_KNIGHT];
	return true;
}

bool draws_insufficient(const struct position *position)
{
	return lacks_material(position, SIDE_WHITE) && lacks_material(position, SIDE_BLACK);
}

enum draws_answer draws_can_mate(const struct position *position, enum side side, size_t budget)
{
	if (lacks_material(position, side))
		return DRAWS_NO;
	/* First a short try: it settles most positions with many men. */
	if (draws_play(position, side, budget / 8))
		return DRAWS_YES;
	enum draws_answer answer = draws_search(position, side, budget, lacks_material);
	if (answer == DRAWS_UNDECIDED && draws_play(position, side, budget))
		return DRAWS_YES;
	return answer;
}

static enum draws_answer dead_of(enum draws_answer white, enum draws_answer black)
{
	if (white == DRAWS_YES || black == DRAWS_YES)
		return DRAWS_NO;
	return white == DRAWS_NO && black == DRAWS_NO ? DRAWS_YES : DRAWS_UNDECIDED;
}

enum draws_answer draws_dead(const struct position *position, size_t budget)
{
	enum draws_answer white = draws_can_mate(position, SIDE_WHITE, budget);

	if (white != DRAWS_NO)
		return dead_of(white, DRAWS_UNDECIDED);
	return dead_of(white, draws_can_mate(position, SIDE_BLACK, budget));
}

/* A position of the game with its key; positions are compared in full where keys agree. */
struct entry {
	struct position position;
	uint64_t key;
};

static bool entry_same(const struct entry *a, const struct entry *b)
{
	return a->key == b->key && position_same(&a->position, &b->position);
}

static size_t entry_count(const struct entry *entries, size_t n, const struct entry *wanted)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += entry_same(&entries[i], wanted);
	return count;
}

static struct entry entry_of(const struct position *position)
{
	return (struct entry){*position, position_key(position)};
}

/* The n + 1 positions of the game; the caller frees them. */
static struct entry *replay(const struct position *start, const uint16_t *moves, size_t n)
{
	struct entry *entries = calloc(n + 1, sizeof(*entries));

	if (!entries)
		return NULL;
	entries[0] = entry_of(start);
	for (size_t i = 0; i < n; i++) {
		struct position next = entries[i].position;

		position_make(&next, moves[i]);
		entries[i + 1] = entry_of(&next);
	}
	return entries;
}

size_t draws_repetitions(const struct position *start, const uint16_t *moves, size_t n)
{
	struct position position = *start;
	struct entry last;
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		position_make(&position, moves[i]);
	last = entry_of(&position);
	position = *start;
	for (size_t i = 0; i <= n; i++) {
		struct entry entry = entry_of(&position);

		count += entry_same(&entry, &last);
		if (i < n)
			position_make(&position, moves[i]);
	}
	return count;
}

static void find_repetitions(const struct entry *entries, size_t n, struct draws_facts *facts)
{
	facts->first_threefold_ply = facts->first_fivefold_ply = DRAWS_PLY_NONE;
	for (size_t ply = 0; ply <= n; ply++) {
		size_t count = entry_count(entries, ply + 1, &entries[ply]);

		if (count == 3 && facts->first_threefold_ply == DRAWS_PLY_NONE)
			facts->first_threefold_ply = ply;
		if (count == 5 && facts->first_fivefold_ply == DRAWS_PLY_NONE)
			facts->first_fivefold_ply = ply;
		facts->repetitions = count;
	}
}

/* Moves after which a claim would hold; a move that ends the game needs no claim. */
static void find_claims(const struct entry *entries, size_t n, struct draws_facts *facts)
{
	const struct position *position = &facts->position;
	struct move_list list;

	facts->threefold_with.n = facts->fifty_with.n = 0;
	position_moves(position, &list);
	for (size_t i = 0; i < list.n; i++) {
		struct position after = *position;
		struct entry entry;

		position_make(&after, list.moves[i]);
		if (!after.halfmove)
			continue; /* never seen before, and the count begins anew */
		entry = entry_of(&after);
		if (entry_count(entries, n + 1, &entry) >= 2)
			facts->threefold_with.moves[facts->threefold_with.n++] = list.moves[i];
		if (after.halfmove >= 100 && position_end(&after) == POSITION_GOES_ON)
			facts->fifty_with.moves[facts->fifty_with.n++] = list.moves[i];
	}
}

static void find_mates(struct draws_facts *facts, size_t budget)
{
	for (int side = SIDE_WHITE; side <= SIDE_BLACK; side++)
		facts->can_mate[side] = draws_can_mate(&facts->position, (enum side)side, budget);
	facts->dead = dead_of(facts->can_mate[SIDE_WHITE], facts->can_mate[SIDE_BLACK]);
}

static enum draws_automatic automatic_of(const struct draws_facts *facts)
{
	if (facts->end == POSITION_CHECKMATE)
		return DRAWS_CHECKMATE;
	if (facts->end == POSITION_STALEMATE)
		return DRAWS_STALEMATE;
	if (facts->dead == DRAWS_YES)
		return DRAWS_DEAD_POSITION;
	if (facts->repetitions >= 5)
		return DRAWS_FIVEFOLD;
	return facts->position.halfmove >= 150 ? DRAWS_SEVENTYFIVE_MOVES : DRAWS_GOES_ON;
}

int draws_facts(const struct position *start, const uint16_t *moves, size_t n, size_t budget,
	struct draws_facts *ret_facts)
{
	struct entry *entries = replay(start, moves, n);
	struct draws_facts *facts = ret_facts;

	if (!entries)
		return -ENOMEM;
	facts->position = entries[n].position;
	facts->end = position_end(&facts->position);
	facts->insufficient = draws_insufficient(&facts->position);
	find_repetitions(entries, n, facts);
	facts->claim_threefold = facts->repetitions >= 3 && facts->end == POSITION_GOES_ON;
	facts->claim_fifty = facts->position.halfmove >= 100 && facts->end == POSITION_GOES_ON;
	find_claims(entries, n, facts);
	find_mates(facts, budget);
	facts->automatic = automatic_of(facts);
	free(entries);
	return 0;
}

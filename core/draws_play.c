#include "core/movegen.h"

#include "core/draws_search.h"

/*
 * Games played at random, in which the side mates as soon as it can. A mate that comes of legal
 * moves is a proof, whatever chose them; none proves nothing. With many men on the board this
 * finds at once what a search that prefers bare kings does not.
 */

#define GAME_TURNS 200  /* of the side; what has found no mate by then begins again */
#define VISITS_A_TURN 8 /* positions that a search visits meanwhile, more or less */

/* The same numbers for the same position, everywhere. */
static uint64_t next_number(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static bool is_mate(const struct position *p, uint16_t move)
{
	struct position next = *p;

	position_make(&next, move);
	return position_in_check(&next) && position_end(&next) == POSITION_CHECKMATE;
}

static bool mates_now(const struct position *p, const struct move_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		if (is_mate(p, list->moves[i]))
			return true;
	return false;
}

/* Neither helps by taking: men of both give mates, or stand in the king's way. */
static uint16_t choose(const struct position *p, const struct move_list *list, uint64_t *state)
{
	uint16_t move = list->moves[next_number(state) % list->n];

	if (p->board[move_to(move)])
		move = list->moves[next_number(state) % list->n];
	return move;
}

bool draws_play(const struct position *position, enum side side, size_t budget)
{
	uint64_t state = position_key(position) | 1;
	struct position p = *position;
	size_t turn = 0;

	for (size_t left = budget / VISITS_A_TURN; left > 0;) {
		struct move_list list;

		position_moves(&p, &list);
		if (p.turn == side) {
			left--;
			if (mates_now(&p, &list))
				return true;
		}
		if (!list.n && p.turn == side_other(side) && position_in_check(&p))
			return true;
		if (!list.n && !turn)
			return false;
		if (!list.n || turn == GAME_TURNS) {
			p = *position;
			turn = 0;
			continue;
		}
		turn += p.turn == side;
		position_make(&p, choose(&p, &list, &state));
	}
	return false;
}

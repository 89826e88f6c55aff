/*
 * The body of perft, compiled once for any processor and once more for those that have
 * bit-counting instructions. PERFT_COUNT is the name that the including file gives it.
 */
#include "core/movegen.h"

#define PASTE(a, b) a##b
#define NAME(a, b) PASTE(a, b)
#define PERFT_WHITE NAME(PERFT_COUNT, _white)
#define PERFT_BLACK NAME(PERFT_COUNT, _black)

static uint64_t PERFT_WHITE(const struct position *position, unsigned depth);
static uint64_t PERFT_BLACK(const struct position *position, unsigned depth);

ALWAYS_INLINE uint64_t perft_nodes(const struct position *position, unsigned depth, enum side us)
{
	uint16_t moves[MOVES_MAX];
	size_t n;
	uint64_t nodes = 0;

	if (depth <= 1)
		return movegen_all(position, us, NULL);
	n = movegen_all(position, us, moves);
	for (size_t i = 0; i < n; i++) {
		struct position next = *position;

		movegen_make(&next, us, moves[i]);
		nodes += us == SIDE_WHITE ? PERFT_BLACK(&next, depth - 1)
					  : PERFT_WHITE(&next, depth - 1);
	}
	return nodes;
}

static uint64_t PERFT_WHITE(const struct position *position, unsigned depth)
{
	return perft_nodes(position, depth, SIDE_WHITE);
}

static uint64_t PERFT_BLACK(const struct position *position, unsigned depth)
{
	return perft_nodes(position, depth, SIDE_BLACK);
}

uint64_t PERFT_COUNT(const struct position *position, unsigned depth)
{
	return position->turn == SIDE_WHITE ? PERFT_WHITE(position, depth)
					    : PERFT_BLACK(position, depth);
}

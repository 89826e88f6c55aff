/*
 * A FEN: what is accepted is written and read back the same, and its moves can be made.
 */
#include <stdlib.h>

#include "core/draws.h"
#include "core/fen.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_moves(const struct position *position)
{
	struct move_list list;

	position_moves(position, &list);
	if (list.n > MOVES_MAX || list.n != position_perft(position, 1))
		abort();
	for (size_t i = 0; i < list.n; i++) {
		struct position after = *position;

		position_make(&after, list.moves[i]);
		if ((after.sides[0] & after.sides[1]) || after.turn == position->turn)
			abort();
		after.turn = position->turn;
		if (position_in_check(&after)) /* the mover's king must be safe */
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct position position, again;
	char text[FEN_MAX];
	size_t at = 0, length;

	if (fen_parse((const char *)data, size, &position, &at)) {
		if (at > size)
			abort();
		return 0;
	}
	length = fen_write(&position, text);
	if (length >= FEN_MAX || fen_parse(text, length, &again, &at) ||
		!position_same(&position, &again) ||
		position_key(&position) != position_key(&again))
		abort();
	check_moves(&position);
	(void)draws_dead(&position, 50);
	return 0;
}

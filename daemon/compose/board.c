#include "daemon/compose/board.h"

#include <stdio.h>

static char square_letter(const struct position *position, unsigned square)
{
	static const char letters[2][8] = {".PNBRQK", ".pnbrqk"};
	unsigned black = (unsigned)(position->sides[SIDE_BLACK] >> square & 1U);

	return letters[black][position->board[square]];
}

size_t board_write(const struct position *position, enum side side, char out[BOARD_MAX])
{
	unsigned flip = side == SIDE_BLACK ? 7 : 0;
	size_t n = 0;

	for (unsigned row = 0; row < 8; row++) {
		unsigned rank = 7 - (row ^ flip);
		n += (size_t)snprintf(out + n, BOARD_MAX - n, "%u |", rank + 1);
		for (unsigned file = 0; file < 8; file++)
			n += (size_t)snprintf(out + n, BOARD_MAX - n, " %c",
				square_letter(position, rank * 8 + (file ^ flip)));
		n += (size_t)snprintf(out + n, BOARD_MAX - n, "\n");
	}
	n += (size_t)snprintf(out + n, BOARD_MAX - n, "  +----------------\n   ");
	for (unsigned file = 0; file < 8; file++)
		n += (size_t)snprintf(out + n, BOARD_MAX - n, " %c", (char)('a' + (file ^ flip)));
	n += (size_t)snprintf(out + n, BOARD_MAX - n, "\n");
	return n;
}

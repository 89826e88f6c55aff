/*
 * Move text against a game of some moves; the first byte says how many have been made.
 */
#include <stdlib.h>

#include "core/movelist.h"
#include "core/pgn.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define GAME                                                                                   \
	"e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 c3 O-O h3 Na5 Bc2 c5 d4 Qc7 Nbd2 " \
	"cxd4 cxd4 Nc6 Nb3 a5"
#define PLIES 28

static void check_tokens(const char *text, size_t size)
{
	struct movelist_scan scan = movelist_scan(text, size);
	struct movelist_token token;
	size_t end = 0;

	while (movelist_next(&scan, &token)) {
		if (token.at < end || !token.size || token.size > size - token.at)
			abort();
		end = token.at + token.size;
		if (token.kind == MOVELIST_MOVE &&
			(token.move_at < token.at || token.move_at + token.move_size > end))
			abort();
	}
}

static void check_reading(const struct movelist_game *game, const struct movelist_reading *r)
{
	struct position position = movelist_position(game, game->n_moves);

	if (r->own_state != MOVELIST_OWN_ONE && r->own_state != MOVELIST_OWN_TWICE)
		return;
	if (r->own.result != MOVE_READ)
		return;
	if (!position_is_legal(&position, r->own.move))
		abort();
	position_make(&position, r->own.move);
	for (size_t i = 0; i < r->n_further; i++) {
		if (!position_is_legal(&position, r->further[i]))
			abort();
		position_make(&position, r->further[i]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const languages[] = {"en", "it", "fi", "ru", "**"};
	struct position start = position_initial();
	struct movelist_reading reading;
	uint16_t moves[PLIES];
	size_t n, at;

	if (size < 2)
		return 0;
	if (movetext_read(&start, GAME, sizeof(GAME) - 1, moves, PLIES, &n, &at))
		abort();
	check_tokens((const char *)data + 2, size - 2);
	movelist_read(
		&(struct movelist_game){
			.start = &start,
			.moves = moves,
			.n_moves = data[0] % (PLIES + 1),
			.letters = letters_find(languages[data[1] % ARRAY_SIZE(languages)], 2),
		},
		(const char *)data + 2, size - 2, &reading);
	check_reading(
		&(struct movelist_game){
			.start = &start, .moves = moves, .n_moves = data[0] % (PLIES + 1)},
		&reading);
	return 0;
}

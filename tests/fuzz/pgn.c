/*
 * A file of games: what is read without a fault is written and read back the same.
 */
#include <stdlib.h>
#include <string.h>

#include "core/pgn.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_again(const struct pgn_record *record)
{
	static struct pgn_record again;
	struct pgn_game game = {.start = &record->start,
		.moves = record->moves,
		.n_moves = record->n_moves,
		.result = "*"};
	size_t size = pgn_write(&game, PGN_IECC, NULL, 0), written;
	char *text = malloc(size + 1);
	struct pgn_scan scan = {.text = text, .size = size};

	if (!text)
		return;
	written = pgn_write(&game, PGN_IECC, text, size + 1);
	if (written != size || !pgn_next(&scan, &again) || again.fault ||
		again.n_moves != record->n_moves ||
		memcmp(again.moves, record->moves, record->n_moves * sizeof(*record->moves)) != 0)
		abort();
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct pgn_record record;
	struct pgn_scan scan = {.text = (const char *)data, .size = size};
	size_t at = 0;

	while (pgn_next(&scan, &record)) {
		if (scan.at <= at)
			abort(); /* no way forward */
		at = scan.at;
		if (!record.fault && record.n_moves < 500)
			check_again(&record);
	}
	return 0;
}

/*
 * One move in a position: the first two bytes choose the position and the language, the rest
 * is the text. What is read must be legal and, written again, read back.
 */
#include <stdlib.h>
#include <string.h>

#include "core/fen.h"
#include "core/notation.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const fens[] = {
	"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
	"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
	"r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
	"8/8/8/1kpP4/8/8/8/4K3 w - c6 0 50",
	"k7/8/8/8/8/8/3p2K1/4R3 b - - 0 60",
	"6k1/8/8/B7/8/8/8/BN4K1 w - - 0 40",
	"1r2k3/8/8/8/2p5/1P1B4/8/1K6 w - - 0 40",
	"rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3",
};

static const char *const languages[] = {"en", "ru", "it", "fi", "de", "nl", "hu", "bg", "cs", "**"};

static void check_candidates(const struct position *position, const struct move_reading *reading)
{
	if (reading->n_candidates > ARRAY_SIZE(reading->candidates))
		abort();
	for (size_t i = 0; i < reading->n_candidates; i++)
		if (!position_is_legal(position, reading->candidates[i]))
			abort();
}

static void check_again(
	const struct position *position, const struct letters *letters, uint16_t move)
{
	static const enum notation notations[] = {
		NOTATION_SAN, NOTATION_LONG, NOTATION_FIGURINE, NOTATION_ICCF};

	for (size_t i = 0; i < ARRAY_SIZE(notations); i++) {
		struct move_reading again;
		char text[NOTATION_MAX];
		size_t size = move_write(position, move, notations[i], letters, text);

		if (move_read(position, letters, text, size, &again) != MOVE_READ ||
			again.move != move)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct letters *letters;
	struct move_reading reading;
	struct position position;
	const char *fen;
	size_t at;

	if (size < 2)
		return 0;
	fen = fens[data[0] % ARRAY_SIZE(fens)];
	letters = letters_find(languages[data[1] % ARRAY_SIZE(languages)], 2);
	if (fen_parse(fen, strlen(fen), &position, &at))
		abort();
	if (move_read(&position, letters, (const char *)data + 2, size - 2, &reading) ==
		MOVE_READ) {
		if (!position_is_legal(&position, reading.move))
			abort();
		check_again(&position, letters ? letters : letters_find("en", 2), reading.move);
	}
	check_candidates(&position, &reading);
	return 0;
}

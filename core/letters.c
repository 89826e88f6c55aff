#include "core/letters.h"

#include <string.h>

/*      language       pawn king queen rook bishop knight */
#define LATIN(code, k, q, r, b, n)                                            \
	{                                                                     \
		.language = (code), .piece = {0, 0, (n), (b), (r), (q), (k)}, \
		.knight_is_p = (n) == 'P'                                     \
	}
#define CYRILLIC(code, k, second, q, r, b, n)                                 \
	{                                                                     \
		.language = (code), .piece = {0, 0, (n), (b), (r), (q), (k)}, \
		.king_second = (second), .cyrillic = true                     \
	}

const struct letters letters_all[LETTERS_COUNT] = {
	LATIN("en", 'K', 'Q', 'R', 'B', 'N'), LATIN("fi", 'K', 'D', 'T', 'L', 'R'),
	LATIN("it", 'R', 'D', 'T', 'A', 'C'),
	CYRILLIC("ru", 0x41a, 0x440, 0x424, 0x41b, 0x421, 0x41a), /* Кр Ф Л С К */
	LATIN("de", 'K', 'D', 'T', 'L', 'S'), LATIN("fr", 'R', 'D', 'T', 'F', 'C'),
	LATIN("es", 'R', 'D', 'T', 'A', 'C'), LATIN("nl", 'K', 'D', 'T', 'L', 'P'),
	LATIN("sv", 'K', 'D', 'T', 'L', 'S'), LATIN("da", 'K', 'D', 'T', 'L', 'S'),
	LATIN("no", 'K', 'D', 'T', 'L', 'S'), LATIN("pl", 'K', 'H', 'W', 'G', 'S'),
	LATIN("cs", 'K', 'D', 'V', 'S', 'J'), LATIN("hu", 'K', 'V', 'B', 'F', 'H'),
	LATIN("et", 'K', 'L', 'V', 'O', 'R'), LATIN("pt", 'R', 'D', 'T', 'B', 'C'),
	LATIN("ro", 'R', 'D', 'T', 'N', 'C'), LATIN("is", 'K', 'D', 'H', 'B', 'R'),
	CYRILLIC("uk", 0x41a, 0x440, 0x424, 0x422, 0x421, 0x41a), /* Кр Ф Т С К */
	CYRILLIC("bg", 0x426, 0, 0x414, 0x422, 0x41e, 0x41a),     /* Ц Д Т О К */
};

const struct letters *letters_find(const char *language, size_t size)
{
	if (size < 2 || (size > 2 && language[2] != '-' && language[2] != '_'))
		return NULL;
	for (size_t i = 0; i < LETTERS_COUNT; i++)
		if (!memcmp(letters_all[i].language, language, 2))
			return &letters_all[i];
	return NULL;
}

const char *letters_language(const struct letters *letters)
{
	return letters->language;
}

enum piece letters_piece(const struct letters *letters, uint32_t capital)
{
	for (int piece = PIECE_KNIGHT; piece <= PIECE_KING; piece++)
		if (letters->piece[piece] == capital &&
			!(piece == PIECE_KING && letters->king_second))
			return (enum piece)piece;
	if (capital == 'P' && !letters->knight_is_p)
		return PIECE_PAWN;
	if (capital == 0x41f && letters->cyrillic) /* П */
		return PIECE_PAWN;
	return PIECE_NONE;
}

enum piece letters_figurine(uint32_t symbol)
{
	static const uint8_t pieces[] = {
		PIECE_KING, PIECE_QUEEN, PIECE_ROOK, PIECE_BISHOP, PIECE_KNIGHT, PIECE_PAWN};

	if (symbol < 0x2654 || symbol > 0x265f)
		return PIECE_NONE;
	return (enum piece)pieces[(symbol - 0x2654) % 6];
}

#include "core/fold.h"

struct range {
	uint32_t first, last;
	char into; /* 0: vanishes */
};

/* In order of code points. */
static const struct range ranges[] = {
	{0x00a0, 0x00a0, ' '},
	{0x00ab, 0x00ab, '"'},
	{0x00ad, 0x00ad, 0},
	{0x00b1, 0x00b1, FOLD_ANNOTATION},
	{0x00b2, 0x00b2, '2'},
	{0x00b3, 0x00b3, '3'},
	{0x00b4, 0x00b4, '\''},
	{0x00b7, 0x00b7, '*'},
	{0x00b9, 0x00b9, '1'},
	{0x00bb, 0x00bb, '"'},
	{0x00d7, 0x00d7, 'x'},
	{0x034f, 0x034f, 0},
	{0x061c, 0x061c, 0},
	{0x180e, 0x180e, 0},
	{0x2000, 0x200a, ' '},
	{0x200b, 0x200f, 0},
	{0x2010, 0x2015, '-'},
	{0x2018, 0x201b, '\''},
	{0x201c, 0x201f, '"'},
	{0x2020, 0x2020, '+'},
	{0x2021, 0x2021, '#'},
	{0x2022, 0x2022, '*'},
	{0x2028, 0x2029, '\n'},
	{0x202a, 0x202e, 0},
	{0x202f, 0x202f, ' '},
	{0x2032, 0x2033, '\''},
	{0x2039, 0x203a, '\''},
	{0x203c, 0x203c, FOLD_ANNOTATION},
	{0x2043, 0x2043, '-'},
	{0x2044, 0x2044, '/'},
	{0x2047, 0x2049, FOLD_ANNOTATION},
	{0x205f, 0x205f, ' '},
	{0x2060, 0x2064, 0},
	{0x2066, 0x206f, 0},
	{0x2190, 0x21ff, FOLD_ANNOTATION},
	{0x2212, 0x2212, '-'},
	{0x2213, 0x2213, FOLD_ANNOTATION},
	{0x2215, 0x2215, '/'},
	{0x2217, 0x2217, '*'},
	{0x221e, 0x221e, FOLD_ANNOTATION},
	{0x2236, 0x2236, ':'},
	{0x2260, 0x2260, '#'},
	{0x2293, 0x2294, FOLD_ANNOTATION},
	{0x2295, 0x229f, FOLD_ANNOTATION},
	{0x25a0, 0x25ff, FOLD_ANNOTATION},
	{0x2715, 0x2718, 'x'},
	{0x27f2, 0x27f3, FOLD_ANNOTATION},
	{0x2a2f, 0x2a2f, 'x'},
	{0x2a71, 0x2a72, FOLD_ANNOTATION},
	{0x2b1c, 0x2b1c, FOLD_ANNOTATION},
	{0x3000, 0x3000, ' '},
	{0xfe00, 0xfe0f, 0},
	{0xfe58, 0xfe58, '-'},
	{0xfe63, 0xfe63, '-'},
	{0xfeff, 0xfeff, 0},
	{0xe0100, 0xe01ef, 0},
};

uint32_t fold_decode(const char *text, size_t size, size_t *at)
{
	const unsigned char *byte = (const unsigned char *)text + *at;
	size_t left = size - *at, length = *byte < 0xe0 ? 2 : *byte < 0xf0 ? 3 : 4;
	static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
	uint32_t symbol;

	*at += 1;
	if (*byte < 0x80)
		return *byte;
	if (*byte < 0xc2 || *byte > 0xf4 || left < length)
		return FOLD_INVALID;
	symbol = *byte & (0x7fU >> length);
	for (size_t i = 1; i < length; i++) {
		if ((byte[i] & 0xc0) != 0x80)
			return FOLD_INVALID;
		symbol = symbol << 6 | (byte[i] & 0x3fU);
	}
	if (symbol < smallest[length] || symbol > 0x10ffff ||
		(symbol >= 0xd800 && symbol <= 0xdfff))
		return FOLD_INVALID;
	*at += length - 1;
	return symbol;
}

/* Wide forms, raised and lowered digits, and the mathematical alphabets. */
static uint32_t fold_style(uint32_t symbol)
{
	if (symbol >= 0xff01 && symbol <= 0xff5e)
		return symbol - 0xff01 + '!';
	if (symbol >= 0x2070 && symbol <= 0x2079)
		return symbol - 0x2070 + '0';
	if (symbol >= 0x2080 && symbol <= 0x2089)
		return symbol - 0x2080 + '0';
	if (symbol >= 0x1d400 && symbol <= 0x1d6a3) {
		uint32_t letter = (symbol - 0x1d400) % 52;

		return letter < 26 ? 'A' + letter : 'a' + letter - 26;
	}
	if (symbol >= 0x1d7ce && symbol <= 0x1d7ff)
		return (symbol - 0x1d7ce) % 10 + '0';
	return symbol;
}

static size_t fold_many(uint32_t ret_symbols[FOLD_MAX], const char *text)
{
	size_t n = 0;

	while (text[n]) {
		ret_symbols[n] = (unsigned char)text[n];
		n++;
	}
	return n;
}

size_t fold_next(const char *text, size_t size, size_t *at, uint32_t ret_symbols[FOLD_MAX])
{
	uint32_t symbol = fold_decode(text, size, at);
	size_t low = 0, high = ARRAY_SIZE(ranges);

	if (symbol < 0x80) {
		if (symbol == '\t' || symbol == '\r' || symbol == '\v')
			symbol = ' ';
		else if (symbol == '\f')
			symbol = '\n';
		else if (!symbol || symbol == 0x7f)
			return 0;
		*ret_symbols = symbol;
		return 1;
	}
	if (symbol == 0x2024 || symbol == 0x2025 || symbol == 0x2026)
		return fold_many(ret_symbols, &"..."[0x2026 - symbol]);
	if (symbol == 0x00bd)
		return fold_many(ret_symbols, "1/2");
	while (low < high) {
		size_t middle = (low + high) / 2;

		if (ranges[middle].last < symbol)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < ARRAY_SIZE(ranges) && ranges[low].first <= symbol) {
		*ret_symbols = (unsigned char)ranges[low].into;
		return ranges[low].into != 0;
	}
	*ret_symbols = fold_style(symbol);
	return 1;
}

static const struct {
	uint32_t cyrillic;
	char latin;
} twins[] = {
	{0x0410, 'A'}, /* А */
	{0x0412, 'B'}, /* В */
	{0x0415, 'E'}, /* Е */
	{0x041a, 'K'}, /* К */
	{0x041c, 'M'}, /* М */
	{0x041d, 'H'}, /* Н */
	{0x041e, 'O'}, /* О */
	{0x0420, 'P'}, /* Р */
	{0x0421, 'C'}, /* С */
	{0x0422, 'T'}, /* Т */
	{0x0425, 'X'}, /* Х */
	{0x0430, 'a'},
	{0x0435, 'e'},
	{0x043a, 'k'},
	{0x043e, 'o'},
	{0x0440, 'p'},
	{0x0441, 'c'},
	{0x0445, 'x'},
};

uint32_t fold_latin_twin(uint32_t symbol)
{
	for (size_t i = 0; i < ARRAY_SIZE(twins); i++)
		if (twins[i].cyrillic == symbol)
			return (unsigned char)twins[i].latin;
	return 0;
}

uint32_t fold_cyrillic_twin(uint32_t symbol)
{
	for (size_t i = 0; i < ARRAY_SIZE(twins); i++)
		if ((unsigned char)twins[i].latin == symbol)
			return twins[i].cyrillic;
	return 0;
}

uint32_t fold_upper(uint32_t symbol)
{
	if ((symbol >= 'a' && symbol <= 'z') || (symbol >= 0x0430 && symbol <= 0x044f))
		return symbol - 0x20;
	if (symbol >= 0x0450 && symbol <= 0x045f)
		return symbol - 0x50;
	if (symbol >= 0xe0 && symbol <= 0xfe && symbol != 0xf7)
		return symbol - 0x20;
	return symbol;
}

bool fold_is_letter(uint32_t symbol)
{
	return (symbol >= 'a' && symbol <= 'z') || (symbol >= 'A' && symbol <= 'Z') ||
	       (symbol >= 0xc0 && symbol <= 0x24f) || (symbol >= 0x370 && symbol <= 0x52f);
}

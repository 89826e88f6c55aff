#include "daemon/reading/subject.h"

#include <ctype.h>
#include <string.h>

static bool is_word(char c)
{
	/* Bytes beyond ASCII are letters of some alphabet. */
	return isalnum((unsigned char)c) || (unsigned char)c >= 0x80;
}

/* Columns at this very place. */
static bool read_columns(const char *at, struct subject_columns *ret)
{
	struct subject_columns columns = {.move = 0};
	bool digit = false;
	for (size_t i = 0; i < 4; i++) {
		if (!isalnum((unsigned char)at[i]))
			return false;
		digit |= isdigit((unsigned char)at[i]) != 0;
		columns.code[i] = (char)toupper((unsigned char)at[i]);
	}
	if (at[4] != '-')
		return false;
	size_t blanks = strspn(at + 5, " ");
	const char *number = at + 5 + blanks;
	size_t digits = strspn(number, "0123456789");
	for (size_t i = 0; i < digits && digits <= 3; i++)
		columns.move = columns.move * 10 + (unsigned)(number[i] - '0');
	char colour = (char)tolower((unsigned char)number[digits]);
	if (digits > 0 && digits <= 3 && columns.move > 0 && (colour == 'b' || colour == 'n') &&
		!is_word(number[digits + 1])) {
		columns.colour = colour;
		*ret = columns;
		return true;
	}
	/* A general message: blanks and names. Names alone look like that without a digit. */
	columns.move = 0;
	if (!digit || blanks == 0 || !is_word(*number))
		return false;
	*ret = columns;
	return true;
}

bool subject_find_columns(const char *subject, struct subject_columns *ret)
{
	bool boundary = true;
	for (const char *at = subject; *at; at++) {
		if (boundary && read_columns(at, ret))
			return true;
		boundary = !is_word(*at) && *at != '-';
	}
	return false;
}

bool subject_find_bracket(const char *subject, struct subject_bracket *ret)
{
	for (const char *open = strchr(subject, '['); open; open = strchr(open + 1, '[')) {
		size_t size = strspn(open + 1,
			"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-");
		const char *at = open + 1 + size + strspn(open + 1 + size, " ");
		if (size == 0 || size >= sizeof(ret->event) || *at != '#')
			continue;
		size_t digits = strspn(++at, "0123456789");
		if (digits == 0 || digits > 6 || at[digits] != ']')
			continue;
		struct subject_bracket bracket = {.number = 0};
		memcpy(bracket.event, open + 1, size);
		for (size_t i = 0; i < digits; i++)
			bracket.number = bracket.number * 10 + (unsigned)(at[i] - '0');
		*ret = bracket;
		return true;
	}
	return false;
}

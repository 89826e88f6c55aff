#include "daemon/reading/noise.h"

#include <ctype.h>
#include <string.h>

#include "core/movelist.h"

#define WORD_MIN 3       /* letters of what is glued to a move */
#define WORD_SIZE_MAX 40 /* of both */

/* Digits at *AT, at most MAX. */
static size_t skip_digits(const char *text, size_t size, size_t *at, size_t max)
{
	size_t n = 0;
	while (n < max && *at < size && isdigit((unsigned char)text[*at])) {
		(*at)++;
		n++;
	}
	return n;
}

/* The length of "31.12.2026", "2026-12-31", "31/12/26" or "10:15:30" at TEXT; 0 if it is none. */
static size_t date_size(const char *text, size_t size)
{
	size_t at = 0, parts[3] = {0}, n = 0;
	char mark = '\0';
	while (n < 3 && (parts[n] = skip_digits(text, size, &at, 4)) > 0) {
		n++;
		if (n == 3 || at + 1 >= size || !strchr("./-:", text[at]) ||
			(mark && text[at] != mark) || !isdigit((unsigned char)text[at + 1]))
			break;
		mark = text[at++];
	}
	if (at < size && (isalnum((unsigned char)text[at]) || (unsigned char)text[at] >= 0x80))
		return 0;
	bool time = mark == ':' && n >= 2 && parts[0] <= 2 && parts[1] == 2;
	bool date = n == 3 && mark != ':' &&
		    ((parts[0] <= 2 && parts[1] <= 2 && (parts[2] == 2 || parts[2] == 4)) ||
			    (parts[0] == 4 && parts[1] <= 2 && parts[2] <= 2));
	return time || date ? at : 0;
}

bool noise_mask(char *line, size_t size)
{
	bool found = false, diagram = memmem(line, size, ". .", 3) != NULL;
	for (size_t i = 0; i < size; i++) {
		bool begins = i == 0 || strchr(" \t([,;|", line[i - 1]);
		size_t n = begins ? date_size(line + i, size - i) : 0;
		if (n == 0 && line[i] == '|' && !diagram)
			n = 1;
		/* "12.1.2026:" */
		if (n > 1 && i + n < size && line[i + n] == ':')
			n++;
		if (n == 0)
			continue;
		memset(line + i, ' ', n);
		found = true;
		i += n - 1;
	}
	return found;
}

/* Are these SIZE bytes one move? */
static bool is_move(const char *text, size_t size)
{
	struct movelist_scan scan = movelist_scan(text, size);
	struct movelist_token token;
	return movelist_next(&scan, &token) && token.kind == MOVELIST_MOVE &&
	       token.shape != MOVELIST_SHAPE_FILES && token.at + token.size == size;
}

static size_t letters_before(const char *text, size_t at)
{
	size_t n = 0;
	while (n < at && (isalpha((unsigned char)text[at - 1 - n]) ||
				 (unsigned char)text[at - 1 - n] >= 0x80))
		n++;
	return n;
}

static size_t letters_behind(const char *text, size_t at, size_t size)
{
	size_t n = 0;
	while (at + n < size &&
		(isalpha((unsigned char)text[at + n]) || (unsigned char)text[at + n] >= 0x80))
		n++;
	return n;
}

static void unglue_token(char *text, size_t size)
{
	for (size_t i = 1; i + 1 < size; i++) {
		bool stop = strchr(".!?", text[i]) != NULL;
		if (!stop && text[i] != '/' && text[i] != '-')
			continue;
		bool move_first = is_move(text, i),
		     move_behind = is_move(text + i + 1, size - i - 1);
		bool glued = stop ? (letters_before(text, i) >= WORD_MIN && move_behind) ||
					     (letters_behind(text, i + 1, size) >= WORD_MIN &&
						     move_first)
				  : move_first && move_behind;
		if (!glued)
			continue;
		text[i] = stop ? ';' : ',';
		return;
	}
}

void noise_unglue(char *line, size_t size)
{
	struct movelist_scan scan = movelist_scan(line, size);
	struct movelist_token token;
	while (movelist_next(&scan, &token))
		if (token.kind == MOVELIST_WORD && token.size < WORD_SIZE_MAX)
			unglue_token(line + token.at, token.size);
}

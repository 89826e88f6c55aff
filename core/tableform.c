#include "core/tableform.h"

#define WORDS_MAX 10

/* The words of the line between blanks. */
struct words {
	const char *line;
	struct {
		size_t at, size;
	} list[WORDS_MAX];
	size_t n, next;
};

static bool is_blank(char byte)
{
	return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

static bool split(struct words *words, const char *line, size_t size)
{
	size_t at = 0;

	words->line = line;
	words->n = words->next = 0;
	for (;;) {
		size_t start;

		while (at < size && is_blank(line[at]))
			at++;
		if (at == size)
			return true;
		if (words->n == WORDS_MAX)
			return false;
		start = at;
		while (at < size && !is_blank(line[at]))
			at++;
		words->list[words->n].at = start;
		words->list[words->n++].size = at - start;
	}
}

/* Digits at *AT, at most WIDTH of them. */
static bool take_number(
	const char *text, size_t size, size_t width, size_t *at, unsigned *ret_number)
{
	size_t start = *at;
	unsigned number = 0;

	while (*at < size && *at - start < width && text[*at] >= '0' && text[*at] <= '9')
		number = number * 10 + (unsigned)(text[(*at)++] - '0');
	*ret_number = number;
	return *at > start;
}

/* The next word as two numbers with a stroke between. */
static bool take_pair(struct words *words, unsigned ret_numbers[2])
{
	const char *text;
	size_t size, at = 0;

	if (words->next == words->n)
		return false;
	text = words->line + words->list[words->next].at;
	size = words->list[words->next].size;
	if (!take_number(text, size, 3, &at, &ret_numbers[0]) || at == size ||
		(text[at] != '/' && text[at] != '.'))
		return false;
	at++;
	if (!take_number(text, size, 4, &at, &ret_numbers[1]) || at != size)
		return false;
	words->next++;
	return true;
}

static bool take_dashes(struct words *words)
{
	size_t at = words->next < words->n ? words->list[words->next].at : 0;
	size_t size = words->next < words->n ? words->list[words->next].size : 0;

	for (size_t i = 0; i < size; i++)
		if (words->line[at + i] != '-')
			return false;
	words->next += size > 0;
	return size > 0;
}

static bool take_date(struct words *words, struct tableform_date *ret_date)
{
	unsigned numbers[2];

	if (take_dashes(words)) {
		*ret_date = (struct tableform_date){0, 0};
		return true;
	}
	if (!take_pair(words, numbers) || !numbers[0] || numbers[0] > 31 || !numbers[1] ||
		numbers[1] > 12)
		return false;
	*ret_date = (struct tableform_date){(uint8_t)numbers[0], (uint8_t)numbers[1]};
	return true;
}

/* Received, answered and time; all three or nothing. */
static bool take_times(struct words *words, struct tableform_half *half)
{
	struct words start = *words;
	struct tableform_half times = *half;
	unsigned numbers[2];

	if (take_date(words, &times.received) && take_date(words, &times.answered) &&
		take_pair(words, numbers)) {
		times.days = (uint16_t)numbers[0];
		times.total = (uint16_t)numbers[1];
		times.dated = true;
		*half = times;
		return true;
	}
	*words = start;
	return false;
}

static bool take_move_number(struct words *words, unsigned *ret_number)
{
	const char *text;
	size_t size, at = 0;

	if (words->next == words->n)
		return false;
	text = words->line + words->list[words->next].at;
	size = words->list[words->next].size;
	if (!take_number(text, size, 3, &at, ret_number) || at + 1 != size || text[at] != '.')
		return false;
	words->next++;
	return *ret_number > 0;
}

/* A move in any notation: what it means is for move_read. */
static void take_move(struct words *words, struct tableform_half *half)
{
	if (words->next == words->n)
		return;
	half->move_at = words->list[words->next].at;
	half->move_size = words->list[words->next].size;
	words->next++;
}

bool tableform_row_read(const char *line, size_t size, struct tableform_row *ret_row)
{
	struct tableform_row row = {.number = 0};
	struct tableform_half *white = &row.halves[SIDE_WHITE], *black = &row.halves[SIDE_BLACK];
	struct words words;

	if (!split(&words, line, size))
		return false;
	(void)take_times(&words, white);
	if (!take_move_number(&words, &row.number))
		return false;
	take_move(&words, white);
	if (!white->move_size)
		return false;
	if (!take_times(&words, black)) {
		take_move(&words, black);
		(void)take_times(&words, black);
	}
	if (words.next != words.n || (!white->dated && !black->dated))
		return false;
	*ret_row = row;
	return true;
}

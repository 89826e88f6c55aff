#include "rules/conditionals.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "core/notation.h"

uint16_t conditionals_reply(const struct conditionals *conditionals, uint16_t move)
{
	for (size_t i = 0; i < conditionals->n_lines; i++)
		if (conditionals->lines[i].n >= 2 && conditionals->lines[i].moves[0] == move)
			return conditionals->lines[i].moves[1];
	return MOVE_NONE;
}

void conditionals_advance(struct conditionals *conditionals, uint16_t move, uint16_t reply)
{
	size_t kept = 0;

	for (size_t i = 0; i < conditionals->n_lines; i++) {
		struct conditional_line line = conditionals->lines[i];
		if (line.n < 4 || line.moves[0] != move || line.moves[1] != reply)
			continue;
		line.n -= 2;
		memmove(line.moves, line.moves + 2, line.n * sizeof(*line.moves));
		conditionals->lines[kept++] = line;
	}
	conditionals->n_lines = kept;
}

size_t conditionals_match(
	const struct conditionals *conditionals, const uint16_t *moves, size_t n, bool *ret_whole)
{
	size_t pairs = 0;
	bool whole = false;

	for (size_t i = 0; i < conditionals->n_lines; i++) {
		const struct conditional_line *line = &conditionals->lines[i];
		size_t same = 0;
		while (same < n && same < line->n && line->moves[same] == moves[same])
			same++;
		if (same / 2 > pairs)
			pairs = same / 2;
		whole = whole || (line->n > 0 && same == line->n);
	}
	*ret_whole = whole;
	return pairs;
}

size_t conditionals_reach(const struct conditionals *conditionals)
{
	size_t reach = 0;

	for (size_t i = 0; i < conditionals->n_lines; i++)
		if (conditionals->lines[i].n / 2 > reach)
			reach = conditionals->lines[i].n / 2;
	return reach;
}

/* Does another line answer the same expected moves otherwise than the first N plies of LINE? */
static bool contradicts(
	const struct conditionals *conditionals, const struct conditional_line *line, size_t n)
{
	for (size_t i = 0; i < conditionals->n_lines; i++) {
		const struct conditional_line *other = &conditionals->lines[i];
		size_t same = 0;
		while (same < n && same < other->n && other->moves[same] == line->moves[same])
			same++;
		if (same < n && same < other->n && same % 2 == 1)
			return true;
	}
	return false;
}

bool conditionals_add(struct conditionals *conditionals, const struct position *position,
	const struct conditional_line *line)
{
	struct position now = *position;
	struct conditional_line legal = {.n = 0};
	bool whole = line->n <= CONDITIONAL_PLIES_MAX;

	assert(conditionals->n_lines <= CONDITIONAL_LINES_MAX);
	while (whole && legal.n < line->n) {
		uint16_t move = line->moves[legal.n];
		legal.moves[legal.n] = move;
		whole = position_is_legal(&now, move) &&
			!contradicts(conditionals, &legal, legal.n + 1);
		if (!whole)
			break;
		position_make(&now, move);
		legal.n++;
	}
	legal.n -= legal.n % 2;
	if (legal.n > 0 && conditionals->n_lines < CONDITIONAL_LINES_MAX)
		conditionals->lines[conditionals->n_lines++] = legal;
	return whole;
}

size_t conditionals_write(const struct conditionals *conditionals, char out[CONDITIONALS_TEXT_MAX])
{
	struct position none = position_initial(); /* UCI does not look at it */
	size_t size = 0;

	for (size_t i = 0; i < conditionals->n_lines; i++) {
		const struct conditional_line *line = &conditionals->lines[i];
		if (i > 0)
			out[size++] = ';';
		for (size_t j = 0; j < line->n; j++) {
			char text[NOTATION_MAX];
			size_t length = move_write(&none, line->moves[j], NOTATION_UCI, NULL, text);
			if (i + j > 0)
				out[size++] = ' ';
			memcpy(out + size, text, length);
			size += length;
		}
	}
	out[size] = '\0';
	return size;
}

/* One line of text up to ';' or the end. */
static int read_line(const char *text, size_t size, const struct position *position,
	struct conditional_line *ret)
{
	struct position now = *position;

	*ret = (struct conditional_line){.n = 0};
	for (size_t at = 0; at < size;) {
		size_t length = 0;
		while (at + length < size && text[at + length] != ' ')
			length++;
		if (length > 0) {
			uint16_t move = move_from_uci(&now, text + at, length);
			if (move == MOVE_NONE || ret->n == CONDITIONAL_PLIES_MAX)
				return -EINVAL;
			ret->moves[ret->n++] = move;
			position_make(&now, move);
		}
		at += length + 1;
	}
	return ret->n > 0 && ret->n % 2 == 0 ? 0 : -EINVAL;
}

int conditionals_read(
	const char *text, const struct position *position, enum side by, struct conditionals *ret)
{
	struct conditionals all = {.by = by};

	while (*text) {
		size_t size = strcspn(text, ";");
		struct conditional_line line;
		if (all.n_lines == CONDITIONAL_LINES_MAX ||
			read_line(text, size, position, &line) < 0)
			return -EINVAL;
		all.lines[all.n_lines++] = line;
		text += size + (text[size] == ';');
	}
	*ret = all;
	return 0;
}

#include "daemon/reading/text_lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/tableform.h"

/* "claim threefold 13. Nf3": the move is as good as on a line of its own. */
static void look_for_command(
	const struct command_context *context, const char *text, struct text_line *line)
{
	line->commands = command_read(context, text, line->at, line->size, &line->command);
	if (!line->commands || line->command.argument.size == 0 ||
		!command_takes_move(line->command.kind))
		return;
	line->list = moveline_read(
		context, text, line->command.argument.at, line->command.argument.size, &line->part);
	line->commands = line->list;
}

static struct text_line look_at(
	const struct command_context *context, const char *text, size_t at, size_t size, bool typed)
{
	struct text_line line = {.at = at, .size = size, .typed = typed};
	if (size == 0 || size > TEXT_LINE_MAX)
		return line;
	line.list = moveline_read(context, text, at, size, &line.part);
	if (!line.list)
		look_for_command(context, text, &line);
	return line;
}

/* Dates and times of a table's row (RAZSh, appendix 3) become blanks: moves stay. */
static void mask_row(char *line, size_t size)
{
	struct tableform_row row;
	if (memchr(line, '/', size) == NULL || !tableform_row_read(line, size, &row))
		return;
	const struct tableform_half *white = &row.halves[SIDE_WHITE];
	const struct tableform_half *black = &row.halves[SIDE_BLACK];
	size_t number = white->move_at, from = white->move_at + white->move_size;
	while (number > 0 && strchr(" \t", line[number - 1]))
		number--;
	while (number > 0 && !strchr(" \t", line[number - 1]))
		number--;
	memset(line, ' ', number);
	if (black->move_size > 0) {
		memset(line + from, ' ', black->move_at - from);
		from = black->move_at + black->move_size;
	}
	memset(line + from, ' ', size - from);
}

/* Starts with room for N lines of a text, of which a copy is made. */
static int begin(const char *text, size_t size, size_t n, struct text_lines *ret)
{
	if (n > TEXT_LINES_MAX)
		n = TEXT_LINES_MAX;
	*ret = (struct text_lines){
		.items = calloc(n + 1, sizeof(*ret->items)), .text = malloc(size + 1)};
	if (!ret->items || !ret->text) {
		text_lines_release(ret);
		return -ENOMEM;
	}
	memcpy(ret->text, text, size);
	ret->text[size] = '\0';
	ret->room = n;
	return 0;
}

/* No line that says anything. */
static bool is_idle(size_t size)
{
	return size < 2 || size > TEXT_LINE_MAX;
}

/* False when no more is read. Of idle lines that follow each other one is enough. */
static bool add(struct text_lines *lines, const struct command_context *context, size_t at,
	size_t size, bool typed)
{
	if (is_idle(size) && lines->n > 0 && is_idle(lines->items[lines->n - 1].size))
		return true;
	if (lines->n == lines->room || (!is_idle(size) && lines->bytes + size > TEXT_SIZE_MAX))
		return false;
	if (!is_idle(size)) {
		mask_row(lines->text + at, size);
		lines->bytes += size;
	}
	lines->items[lines->n++] = look_at(context, lines->text, at, size, typed);
	return true;
}

int text_lines_of_newtext(const struct newtext *newtext, const struct command_context *context,
	struct text_lines *ret)
{
	int r = begin(newtext->text, newtext->size, newtext->n_lines, ret);
	if (r < 0)
		return r;
	for (size_t i = 0; i < newtext->n_lines; i++) {
		const struct newtext_line *line = &newtext->lines[i];
		if (!add(ret, context, line->at, line->size, line->origin == LINE_IN_OURS))
			break;
	}
	conditional_find(ret->text, ret, &ret->conditionals);
	return 0;
}

int text_lines_of_text(const char *text, size_t size, const struct command_context *context,
	struct text_lines *ret)
{
	size_t n = 1;
	for (size_t i = 0; i < size; i++)
		n += text[i] == '\n';
	int r = begin(text, size, n, ret);
	if (r < 0)
		return r;
	for (size_t at = 0; at <= size;) {
		const char *lf = memchr(text + at, '\n', size - at);
		size_t end = lf ? (size_t)(lf - text) : size;
		if (!add(ret, context, at, end - at, false))
			break;
		at = end + 1;
	}
	conditional_find(ret->text, ret, &ret->conditionals);
	return 0;
}

void text_lines_release(struct text_lines *lines)
{
	free(lines->items);
	free(lines->text);
	*lines = (struct text_lines){.n = 0};
}

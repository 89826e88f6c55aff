#include "daemon/reading/text_lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MAX_SIZE ((size_t)8000) /* nobody writes his move into a longer one */

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
	if (size == 0 || size > LINE_MAX_SIZE)
		return line;
	line.list = moveline_read(context, text, at, size, &line.part);
	if (!line.list)
		look_for_command(context, text, &line);
	return line;
}

int text_lines_of_newtext(const struct newtext *newtext, const struct command_context *context,
	struct text_lines *ret)
{
	ret->items = calloc(newtext->n_lines + 1, sizeof(*ret->items));
	if (!ret->items)
		return -ENOMEM;
	ret->n = newtext->n_lines;
	for (size_t i = 0; i < ret->n; i++) {
		const struct newtext_line *line = &newtext->lines[i];
		ret->items[i] = look_at(
			context, newtext->text, line->at, line->size, line->origin == LINE_IN_OURS);
	}
	return 0;
}

int text_lines_of_text(const char *text, size_t size, const struct command_context *context,
	struct text_lines *ret)
{
	size_t n = 1;
	for (size_t i = 0; i < size; i++)
		n += text[i] == '\n';
	*ret = (struct text_lines){.items = calloc(n, sizeof(*ret->items))};
	if (!ret->items)
		return -ENOMEM;
	for (size_t at = 0; at <= size && ret->n < n;) {
		const char *lf = memchr(text + at, '\n', size - at);
		size_t end = lf ? (size_t)(lf - text) : size;
		ret->items[ret->n++] = look_at(context, text, at, end - at, false);
		at = end + 1;
	}
	return 0;
}

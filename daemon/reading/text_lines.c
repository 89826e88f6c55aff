#include "daemon/reading/text_lines.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/tableform.h"
#include "daemon/reading/chat.h"
#include "daemon/reading/noise.h"
#include "daemon/reading/spoken.h"

/* Widths at which programs break lines, in characters. */
#define WRAP_MIN 50
#define WRAP_FULL 70 /* a word that would end behind it goes to the next line */
#define WRAP_MAX 80

#define HEADING_SIZE_MAX 60

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
	const struct command_context *context, char *text, size_t at, size_t size, bool typed)
{
	struct text_line line = {.at = at, .size = size, .typed = typed};
	if (size == 0 || size > TEXT_LINE_MAX)
		return line;
	line.list = moveline_read(context, text, at, size, &line.part);
	if (!line.list)
		look_for_command(context, text, &line);
	/* A command may need what is noise elsewhere. */
	if (!line.list && !line.commands && noise_mask(text + at, size))
		line.list = moveline_read(context, text, at, size, &line.part);
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
	*ret = (struct text_lines){.items = calloc(n + 1, sizeof(*ret->items)),
		.text = malloc(size + 1),
		.mentions = calloc(1, sizeof(*ret->mentions))};
	if (!ret->items || !ret->text || !ret->mentions) {
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
		noise_unglue(lines->text + at, size);
		spoken_rewrite(words_talk(context->words), lines->text + at, size);
		lines->bytes += size;
	}
	lines->items[lines->n++] = look_at(context, lines->text, at, size, typed);
	return true;
}

/* ---- prose ---- */

static size_t count_characters(const char *text, size_t size)
{
	size_t n = 0;
	for (size_t i = 0; i < size; i++)
		n += ((unsigned char)text[i] & 0xC0) != 0x80;
	return n;
}

static bool is_letter(char c)
{
	return isalpha((unsigned char)c) || (unsigned char)c >= 0x80;
}

/* Has a program broken a sentence between line I - 1 and line I? Then the first one is full: the
 * next word had no room. */
static bool is_wrapped(const struct text_lines *lines, size_t i)
{
	if (i == 0 || lines->items[i].size == 0)
		return false;
	const struct text_line *before = &lines->items[i - 1], *line = &lines->items[i];
	const char *text = lines->text;
	if (before->at + before->size + 1 != line->at || before->list || before->typed ||
		line->typed || strchr(".!?:;", text[before->at + before->size - 1]))
		return false;
	/* No diagram, no table, no position. */
	size_t end = before->at + before->size;
	if (text[end - 1] == ',')
		end--;
	if (end < before->at + 2 || !is_letter(text[end - 1]) || !is_letter(text[end - 2]))
		return false;
	size_t width = count_characters(text + before->at, before->size);
	const char *blank = memchr(text + line->at, ' ', line->size);
	size_t word = blank ? (size_t)(blank - (text + line->at)) : line->size;
	return width >= WRAP_MIN && width <= WRAP_MAX &&
	       width + 1 + count_characters(text + line->at, word) > WRAP_FULL;
}

/* Does line I go on with a condition that the line before has begun? */
static bool is_conditional(
	const struct command_context *context, const struct text_lines *lines, size_t i)
{
	const struct text_line *before = &lines->items[i - 1];
	const char *text = lines->text + before->at;
	return before->size > 0 && before->at + before->size + 1 == lines->items[i].at &&
	       chat_condition(context, text, before->size) < before->size &&
	       !strchr(".!?", text[before->size - 1]);
}

/* Moves that only go on with a sentence are no list, nor are words there a command. */
static void join_wrapped(const struct command_context *context, struct text_lines *lines)
{
	for (size_t i = 1; i < lines->n; i++) {
		struct text_line *line = &lines->items[i];
		const struct text_line *before = &lines->items[i - 1];
		line->wrapped = before->size > 0 && is_wrapped(lines, i) &&
				chat_condition(context, lines->text + before->at, before->size) ==
					before->size;
		line->wrapped |= !line->list && line->size > 0 && is_conditional(context, lines, i);
		if (line->wrapped)
			line->list = line->commands = false;
	}
}

/* Reads the lines that are neither moves nor conditions, sentences over several lines as one. */
static void read_prose(const struct command_context *context, struct text_lines *lines)
{
	for (size_t i = 0; i < lines->n; i++) {
		const struct text_line *line = &lines->items[i];
		if (line->size == 0 || line->size > TEXT_LINE_MAX || line->list ||
			line->conditional || line->elsewhere)
			continue;
		size_t at = line->at, end = at + line->size;
		bool commands = line->commands;
		while (i + 1 < lines->n && lines->items[i + 1].wrapped &&
			!lines->items[i + 1].conditional) {
			i++;
			end = lines->items[i].at + lines->items[i].size;
		}
		statement_read(context, lines->text, at, end, !commands, lines->mentions);
	}
}

/* What stands below "Game 2:" is nothing for game 1. */
static void leave_out_others(const struct command_context *context, struct text_lines *lines)
{
	bool elsewhere = false;
	for (size_t i = 0; context->number > 0 && i < lines->n; i++) {
		struct text_line *line = &lines->items[i];
		unsigned number = 0;
		if (line->size > 0 && line->size <= HEADING_SIZE_MAX && !line->list)
			number = statement_game(
				context, lines->text, line->at, line->at + line->size);
		if (number > 0)
			elsewhere = number != context->number;
		line->elsewhere |= elsewhere;
		if (elsewhere)
			line->list = line->commands = false;
	}
}

/* "My analysis:" over moves makes them no move of the game, up to the next blank line. */
static void leave_out_told(const struct command_context *context, struct text_lines *lines)
{
	bool told = false;
	for (size_t i = 0; i < lines->n; i++) {
		struct text_line *line = &lines->items[i];
		bool blank = line->size == 0;
		bool heads = i > 0 && lines->items[i - 1].size > 0;
		if (blank && !(heads && told && !lines->items[i - 1].list))
			told = false;
		if (line->list && told) {
			line->list = false;
			line->elsewhere = true;
		} else if (!blank && !line->list && line->size <= TEXT_LINE_MAX &&
			   lines->text[line->at + line->size - 1] == ':')
			told = statement_leads_away(
				context, lines->text, line->at, line->at + line->size);
		else if (!blank)
			told = false;
	}
}

static void finish(const struct command_context *context, struct text_lines *lines)
{
	leave_out_told(context, lines);
	leave_out_others(context, lines);
	join_wrapped(context, lines);
	conditional_find(context, lines->text, lines, &lines->conditionals);
	read_prose(context, lines);
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
	finish(context, ret);
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
	finish(context, ret);
	return 0;
}

void text_lines_release(struct text_lines *lines)
{
	free(lines->items);
	free(lines->text);
	free(lines->mentions);
	*lines = (struct text_lines){.n = 0};
}

#include "config/text.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "config/utf8.h"

int text_add(struct text *text, const char *bytes, size_t size)
{
	size_t max = text->max ? text->max : TEMPLATE_OUTPUT_MAX;

	if (size > max || text->size > max - size)
		return -E2BIG;
	if (text->size + size + 1 > text->room) {
		size_t room = 2 * (text->size + size) + 64;
		char *grown = realloc(text->bytes, room);
		if (!grown)
			return -ENOMEM;
		text->bytes = grown;
		text->room = room;
	}
	memcpy(text->bytes + text->size, bytes, size);
	text->size += size;
	text->bytes[text->size] = '\0';
	return 0;
}

int text_add_string(struct text *text, const char *string)
{
	return text_add(text, string, strlen(string));
}

void text_release(struct text *text)
{
	free(text->bytes);
	*text = (struct text){.max = text->max};
}

/* Marks that take no column of their own. */
static bool is_combining(uint32_t code)
{
	return (code >= 0x300 && code < 0x370) || (code >= 0x483 && code < 0x48a) ||
	       (code >= 0x1ab0 && code < 0x1b00) || (code >= 0x1dc0 && code < 0x1e00) ||
	       (code >= 0x20d0 && code < 0x2100) || (code >= 0xfe00 && code < 0xfe10) ||
	       (code >= 0xfe20 && code < 0xfe30) || (code >= 0x200b && code < 0x2010);
}

/* Wide characters of East Asia, and pictures. */
static bool is_wide(uint32_t code)
{
	return (code >= 0x1100 && code < 0x1160) || (code >= 0x2e80 && code < 0xa4d0) ||
	       (code >= 0xac00 && code < 0xd7a4) || (code >= 0xf900 && code < 0xfb00) ||
	       (code >= 0xfe30 && code < 0xfe70) || (code >= 0xff00 && code < 0xff61) ||
	       (code >= 0x1f300 && code < 0x1f650) || (code >= 0x1f900 && code < 0x1fa00) ||
	       (code >= 0x20000 && code < 0x3fffe);
}

/* One character: its bytes and columns. Bytes that are no UTF-8 stand for one column. */
static size_t character(const char *text, size_t size, size_t *ret_columns)
{
	uint32_t code;

	size_t length = utf8_decode(text, size, &code);
	if (length == 0) {
		*ret_columns = 1;
		return 1;
	}
	*ret_columns = is_combining(code) ? 0 : is_wide(code) ? 2 : 1;
	return length;
}

size_t text_columns(const char *text, size_t size)
{
	size_t columns = 0, width;

	while (size > 0) {
		size_t length = character(text, size, &width);
		columns += width;
		text += length;
		size -= length;
	}
	return columns;
}

/* Bytes of TEXT that fit into COLUMNS, at least one character. */
static size_t fitting(const char *text, size_t size, size_t columns)
{
	size_t at = 0, used = 0, width;

	while (at < size) {
		size_t length = character(text + at, size - at, &width);
		if (used + width > columns && at > 0)
			break;
		used += width;
		at += length;
	}
	return at;
}

/* A paragraph that is being filled. */
struct filling {
	struct text *text;
	const char *indent; /* of lines after the first */
	size_t indent_size;
	size_t column;
	bool fresh; /* nothing but the indentation stands in the line */
};

static int new_line(struct filling *filling)
{
	int r = text_add(filling->text, "\n", 1);
	if (r < 0)
		return r;
	for (size_t i = 0; r >= 0 && i < filling->indent_size; i++)
		r = text_add(filling->text, " ", 1);
	filling->column = filling->indent_size;
	filling->fresh = true;
	return r;
}

static int add_word(struct filling *filling, const char *word, size_t size)
{
	size_t columns = text_columns(word, size);
	int r = 0;

	if (!filling->fresh) {
		if (filling->column + 1 + columns > TEMPLATE_COLUMNS) {
			r = new_line(filling);
		} else {
			r = text_add(filling->text, " ", 1);
			filling->column++;
		}
	}
	while (r >= 0 && filling->column + columns > TEMPLATE_COLUMNS) {
		size_t part = fitting(word, size, TEMPLATE_COLUMNS - filling->column);
		r = text_add(filling->text, word, part);
		word += part;
		size -= part;
		columns = text_columns(word, size);
		if (r >= 0 && size > 0)
			r = new_line(filling);
	}
	if (r < 0)
		return r;
	filling->column += columns;
	filling->fresh = false;
	return text_add(filling->text, word, size);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

/* Leading blanks and a "- " or "* ", which are kept as they stand. */
static size_t lead_size(const char *bytes, size_t size)
{
	size_t at = 0;

	while (at < size && bytes[at] == ' ')
		at++;
	if (at + 1 < size && (bytes[at] == '-' || bytes[at] == '*') && bytes[at + 1] == ' ')
		at += 2;
	return at < TEMPLATE_COLUMNS / 2 ? at : 0;
}

static int fill_paragraph(struct text *text, const char *bytes, size_t size)
{
	size_t lead = lead_size(bytes, size);
	struct filling filling = {.text = text, .indent_size = lead, .column = lead, .fresh = true};

	int r = text_add(text, bytes, lead);
	for (size_t at = lead; r >= 0 && at < size;) {
		while (at < size && is_blank(bytes[at]))
			at++;
		size_t start = at;
		while (at < size && !is_blank(bytes[at]))
			at++;
		if (at > start)
			r = add_word(&filling, bytes + start, at - start);
	}
	return r < 0 ? r : text_add(text, "\n", 1);
}

/* Whether a paragraph ends before the line at BYTES: an empty line, or another item. */
static bool starts_paragraph(const char *bytes, size_t size)
{
	size_t at = 0;

	while (at < size && bytes[at] == ' ')
		at++;
	return at == size || bytes[at] == '\n' ||
	       (at + 1 < size && (bytes[at] == '-' || bytes[at] == '*') && bytes[at + 1] == ' ');
}

int text_add_filled(struct text *text, const char *bytes, size_t size)
{
	size_t at = 0;
	int r = 0;

	while (r >= 0 && at < size) {
		size_t start = at, end;
		do {
			const char *newline = memchr(bytes + at, '\n', size - at);
			end = newline ? (size_t)(newline - bytes) : size;
			at = newline ? end + 1 : size;
		} while (at < size && end > start && !starts_paragraph(bytes + at, size - at));
		if (starts_paragraph(bytes + start, end - start) && end - start <= 1)
			r = text_add(text, "\n", 1);
		else
			r = fill_paragraph(text, bytes + start, end - start);
	}
	return r;
}

static size_t leading_blanks(const char *line, size_t size)
{
	size_t n = 0;

	while (n < size && line[n] == ' ')
		n++;
	return n;
}

size_t text_cut(const char *line, size_t size, size_t columns)
{
	if (text_columns(line, size) <= columns)
		return size;
	size_t fit = fitting(line, size, columns), cut = fit;
	size_t least = leading_blanks(line, size);
	while (cut > least && line[cut] != ' ')
		cut--;
	return cut > least ? cut : fit;
}

/* Folds one line of SIZE bytes; continuation lines keep its indentation. */
static int fold_line(struct text *text, const char *line, size_t size)
{
	size_t indent = leading_blanks(line, size);
	int r = 0;

	if (indent > TEMPLATE_COLUMNS / 2)
		indent = 0;
	size_t room = TEMPLATE_COLUMNS;
	while (r >= 0 && text_columns(line, size) > room) {
		size_t cut = text_cut(line, size, room);
		r = text_add(text, line, cut);
		while (cut < size && line[cut] == ' ')
			cut++;
		line += cut;
		size -= cut;
		if (r >= 0)
			r = text_add(text, "\n", 1);
		for (size_t i = 0; r >= 0 && i < indent; i++)
			r = text_add(text, " ", 1);
		room = TEMPLATE_COLUMNS - indent;
	}
	return r < 0 ? r : text_add(text, line, size);
}

/* A tag of a PGN record: broken in two it would be none. */
static bool is_tag(const char *line, size_t size)
{
	return size > 4 && line[0] == '[' && memcmp(line + size - 2, "\"]", 2) == 0;
}

int text_fold(const char *string, char **ret_text)
{
	struct text text = {.max = 2 * TEMPLATE_OUTPUT_MAX};
	int r = text_add(&text, "", 0);

	while (r >= 0 && *string) {
		const char *end = strchrnul(string, '\n');
		size_t size = (size_t)(end - string);
		r = is_tag(string, size) ? text_add(&text, string, size)
					 : fold_line(&text, string, size);
		if (r >= 0 && *end)
			r = text_add(&text, "\n", 1);
		string = *end ? end + 1 : end;
	}
	if (r < 0) {
		text_release(&text);
		return r;
	}
	*ret_text = text.bytes;
	return 0;
}

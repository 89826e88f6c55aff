#include "daemon/compose/mask.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "config/text.h"
#include "config/utf8.h"

static bool is_address_character(char c)
{
	return (unsigned char)c >= 0x80 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || (c && strchr("!#$%&'*+-/=?^_`{|}~.\"", c));
}

/* Adds SIZE bytes of a line with every run around an @ replaced. */
static int add_masked(struct text *out, const char *line, size_t size)
{
	size_t from = 0;
	int r = 0;

	while (r >= 0 && from < size) {
		const char *at = memchr(line + from, '@', size - from);
		if (!at)
			break;
		size_t start = (size_t)(at - line), end = start + 1;
		while (start > from && is_address_character(line[start - 1]))
			start--;
		while (end < size && (is_address_character(line[end]) || line[end] == '@'))
			end++;
		r = text_add(out, line + from, start - from);
		if (r >= 0)
			r = text_add_string(out, "[...]");
		from = end;
	}
	return r < 0 ? r : text_add(out, line + from, size - from);
}

/* Control characters, marks of direction and bytes that are no UTF-8 left out, tabs made
 * blanks. */
static int add_clean(struct text *out, const char *text, size_t size, bool lines)
{
	uint32_t code;
	int r = text_add(out, "", 0);

	while (r >= 0 && size > 0) {
		size_t length = utf8_decode(text, size, &code);
		bool newline = length == 1 && *text == '\n';
		if (length == 1 && (*text == '\t' || (newline && !lines)))
			r = text_add(out, " ", 1);
		else if (newline || (length > 0 && code >= 0x20 && !(code >= 0x7f && code < 0xa0) &&
					    !(code >= 0x200e && code < 0x2010) &&
					    !(code >= 0x2028 && code < 0x202f) &&
					    !(code >= 0x2066 && code < 0x206a) && code != 0x61c &&
					    code != 0xfeff))
			r = text_add(out, text, length);
		length += length == 0;
		text += length;
		size -= length;
	}
	return r;
}

/* Folds masked text to COLUMNS and WORDS_LINES_MAX. */
static int add_folded(struct text *out, const struct text *masked, unsigned columns)
{
	size_t at = 0, lines = 0;
	int r = text_add(out, "", 0);

	while (r >= 0 && at < masked->size) {
		const char *line = masked->bytes + at;
		const char *newline = memchr(line, '\n', masked->size - at);
		size_t size = newline ? (size_t)(newline - line) : masked->size - at;
		size_t cut = text_cut(line, size, columns);
		if (lines++ > 0)
			r = text_add(out, "\n", 1);
		if (r >= 0 && lines == WORDS_LINES_MAX &&
			(cut < size || (newline && at + size + 1 < masked->size)))
			return text_add_string(out, "[...]");
		if (r >= 0)
			r = text_add(out, line, cut);
		at += cut;
		if (cut < size)
			at += strspn(line + cut, " ");
		else
			at += newline ? 1 : 0;
	}
	return r;
}

/* Clean text without addresses. */
static int add_masked_lines(struct text *out, const struct text *clean)
{
	int r = text_add(out, "", 0);

	for (const char *line = clean->bytes; r >= 0 && *line;) {
		const char *end = strchrnul(line, '\n');
		r = add_masked(out, line, (size_t)(end - line));
		if (r >= 0 && *end)
			r = text_add(out, "\n", 1);
		line = *end ? end + 1 : end;
	}
	return r;
}

static int write_words(const char *text, bool mask, unsigned columns, char **ret_text)
{
	struct text clean = {0}, masked = {0}, out = {0};

	int r = add_clean(&clean, text, strlen(text), true);
	while (r >= 0 && clean.size > 0 && strchr(" \n", clean.bytes[clean.size - 1]))
		clean.bytes[--clean.size] = '\0';
	if (r >= 0 && mask)
		r = add_masked_lines(&masked, &clean);
	if (r >= 0)
		r = add_folded(&out, mask ? &masked : &clean, columns);
	text_release(&clean);
	text_release(&masked);
	if (r < 0) {
		text_release(&out);
		return r;
	}
	*ret_text = out.bytes;
	return 0;
}

int mask_words(const char *text, unsigned columns, char **ret_text)
{
	return write_words(text, true, columns, ret_text);
}

int mask_nothing(const char *text, unsigned columns, char **ret_text)
{
	return write_words(text, false, columns, ret_text);
}

int mask_line(const char *text, size_t size, unsigned columns, char **ret_text)
{
	struct text out = {0};

	int r = add_clean(&out, text, size, false);
	if (r >= 0 && text_columns(out.bytes, out.size) > columns) {
		out.size = text_cut(out.bytes, out.size, columns - 3);
		r = text_add_string(&out, "...");
	}
	if (r < 0) {
		text_release(&out);
		return r;
	}
	*ret_text = out.bytes;
	return 0;
}

#include "daemon/reading/clean.h"

#include <errno.h>
#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/reading/buffer.h"

struct range {
	gunichar first, last;
};

static bool in_ranges(const struct range *ranges, size_t n, gunichar c)
{
	for (size_t i = 0; i < n; i++)
		if (c >= ranges[i].first && c <= ranges[i].last)
			return true;
	return false;
}

/* Default-ignorable code points of Unicode, and the directional marks. */
static bool is_invisible(gunichar c)
{
	static const struct range ranges[] = {
		{0xAD, 0xAD},
		{0x34F, 0x34F},
		{0x61C, 0x61C},
		{0x115F, 0x1160},
		{0x17B4, 0x17B5},
		{0x180B, 0x180F},
		{0x200B, 0x200F},
		{0x202A, 0x202E},
		{0x2060, 0x206F},
		{0x3164, 0x3164},
		{0xFE00, 0xFE0F},
		{0xFEFF, 0xFEFF},
		{0xFFA0, 0xFFA0},
		{0xFFF0, 0xFFFB},
		{0x1BCA0, 0x1BCA3},
		{0x1D173, 0x1D17A},
		{0xE0000, 0xE0FFF},
	};
	return c >= 0xAD && in_ranges(ranges, ARRAY_SIZE(ranges), c);
}

static bool is_dash(gunichar c)
{
	return (c >= 0x2010 && c <= 0x2015) || c == 0x2043 || c == 0x207B || c == 0x208B ||
	       c == 0x2212 || c == 0x2E3A || c == 0x2E3B || c == 0xFE58 || c == 0xFE63 ||
	       c == 0xFF0D;
}

static bool is_single_quote(gunichar c)
{
	return c == 0xB4 || c == 0x60 || (c >= 0x2B9 && c <= 0x2BC) ||
	       (c >= 0x2018 && c <= 0x201B) || c == 0x2032 || c == 0x2035 || c == 0x2039 ||
	       c == 0x203A || c == 0xFF07;
}

static bool is_double_quote(gunichar c)
{
	return c == 0xAB || c == 0xBB || (c >= 0x201C && c <= 0x201F) || c == 0x2033 ||
	       c == 0x2036 || (c >= 0x301D && c <= 0x301F) || c == 0xFF02;
}

static bool is_blank(gunichar c)
{
	return c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x202F ||
	       c == 0x205F || c == 0x3000;
}

static bool is_line_end(gunichar c)
{
	return c == '\n' || c == '\v' || c == '\f' || c == 0x85 || c == 0x2028 || c == 0x2029;
}

/* The length of a terminal's control sequence after ESC, which must not leave its letters. */
static size_t escape_size(const char *text, size_t size)
{
	if (size == 0 || text[0] != '[')
		return 0;
	size_t n = 1;
	while (n < size && n < 32 && (unsigned char)text[n] >= 0x20 &&
		(unsigned char)text[n] < 0x40)
		n++;
	return n < size ? n + 1 : n;
}

static void add_cleaned(struct buffer *out, gunichar c, bool one_line)
{
	if (is_line_end(c) || c == '\r')
		buffer_char(out, one_line ? ' ' : '\n');
	else if (c == '\t')
		buffer_char(out, one_line ? ' ' : '\t');
	else if (c < 0x20 || (c >= 0x7F && c < 0xA0) || is_invisible(c))
		return;
	else if (is_dash(c))
		buffer_char(out, '-');
	else if (is_single_quote(c))
		buffer_char(out, '\'');
	else if (is_double_quote(c))
		buffer_char(out, '"');
	else if (is_blank(c))
		buffer_char(out, ' ');
	else if (c == 0x2044 || c == 0x2215)
		buffer_char(out, '/');
	else
		buffer_code(out, c);
}

static void clean_into(struct buffer *out, const char *text, size_t size, bool one_line)
{
	for (size_t i = 0; i < size;) {
		unsigned char byte = (unsigned char)text[i];
		if (byte == '\r' && i + 1 < size && text[i + 1] == '\n') {
			i++;
			continue;
		}
		if (byte == 0x1B) {
			i += 1 + escape_size(text + i + 1, size - i - 1);
			continue;
		}
		if (byte < 0x80) {
			add_cleaned(out, byte, one_line);
			i++;
			continue;
		}
		gunichar c = g_utf8_get_char_validated(text + i, (gssize)(size - i));
		if (c == (gunichar)-1 || c == (gunichar)-2) {
			buffer_code(out, 0xFFFD);
			i++;
			continue;
		}
		add_cleaned(out, c, one_line);
		i += (size_t)g_unichar_to_utf8(c, NULL);
	}
}

static int clean(const char *text, size_t size, bool one_line, char **ret_text, size_t *ret_size)
{
	struct buffer first = BUFFER_INIT(SIZE_MAX / 4);
	clean_into(&first, text, size, one_line);
	buffer_add(&first, "", 0);
	if (first.failed) {
		buffer_release(&first);
		return -ENOMEM;
	}
	char *normal = g_utf8_normalize(first.bytes, (gssize)first.size, G_NORMALIZE_NFKC);
	buffer_release(&first);
	if (!normal)
		return -ENOMEM;
	/* Normalising may bring back what was mapped (fractions, spaced accents). */
	struct buffer second = BUFFER_INIT(SIZE_MAX / 4);
	clean_into(&second, normal, strlen(normal), one_line);
	buffer_add(&second, "", 0);
	g_free(normal);
	if (second.failed) {
		buffer_release(&second);
		return -ENOMEM;
	}
	*ret_text = second.bytes;
	*ret_size = second.size;
	return 0;
}

int clean_text(const char *text, size_t size, char **ret_text, size_t *ret_size)
{
	return clean(text, size, false, ret_text, ret_size);
}

int clean_line(const char *text, size_t size, char **ret_text, size_t *ret_size)
{
	return clean(text, size, true, ret_text, ret_size);
}

#include "daemon/reading/transfer.h"

#include <string.h>

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

/* The byte that the escape at BYTES ("=E8") stands for, or -1. */
static int escape_value(const char *bytes, size_t size)
{
	if (size < 3)
		return -1;
	int high = hex_digit(bytes[1]), low = hex_digit(bytes[2]);
	return high < 0 || low < 0 ? -1 : high * 16 + low;
}

/* The length of a soft line break at BYTES ('=', blanks, line end), or 0. */
static size_t soft_break(const char *bytes, size_t size)
{
	size_t i = 1;
	while (i < size && (bytes[i] == ' ' || bytes[i] == '\t' || bytes[i] == '\r'))
		i++;
	if (i == size)
		return i;
	return bytes[i] == '\n' ? i + 1 : 0;
}

void transfer_quoted_printable(const char *bytes, size_t size, struct buffer *out)
{
	for (size_t i = 0; i < size;) {
		if (bytes[i] != '=') {
			const char *next = memchr(bytes + i, '=', size - i);
			size_t n = next ? (size_t)(next - bytes) - i : size - i;
			buffer_add(out, bytes + i, n);
			i += n;
			continue;
		}
		int value = escape_value(bytes + i, size - i);
		size_t gap = soft_break(bytes + i, size - i);
		if (gap) {
			i += gap;
		} else if (value >= 0) {
			buffer_char(out, (char)value);
			i += 3;
		} else {
			buffer_char(out, bytes[i++]);
		}
	}
}

void transfer_q(const char *bytes, size_t size, struct buffer *out)
{
	for (size_t i = 0; i < size; i++) {
		int value = bytes[i] == '=' ? escape_value(bytes + i, size - i) : -1;
		if (value >= 0) {
			buffer_char(out, (char)value);
			i += 2;
		} else {
			buffer_char(out, bytes[i] == '_' ? ' ' : bytes[i]);
		}
	}
}

static int base64_value(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	if (c == '+')
		return 62;
	if (c == '/')
		return 63;
	return -1;
}

/* Does the line hold blanks or signs that no base64 line has? Such a line behind a complete
 * group was added by somebody else. */
static bool is_prose(const char *line, size_t size)
{
	size_t odd = 0;
	while (size > 0 && strchr(" \t\r", line[size - 1]))
		size--;
	for (size_t i = 0; i < size; i++)
		if (base64_value(line[i]) < 0 && line[i] != '=')
			odd++;
	return odd > 0;
}

struct quads {
	unsigned bits, n;
};

static void take_line(const char *line, size_t size, struct quads *quads, struct buffer *out)
{
	for (size_t i = 0; i < size; i++) {
		int value = base64_value(line[i]);
		if (line[i] == '=')
			*quads = (struct quads){0, 0};
		if (value < 0)
			continue;
		quads->bits = (quads->bits << 6 | (unsigned)value) & 0xFFFFFF;
		quads->n++;
		/* A byte is given out as soon as its bits are there: no padding is needed. */
		if (quads->n == 2)
			buffer_char(out, (char)(quads->bits >> 4 & 0xFF));
		else if (quads->n == 3)
			buffer_char(out, (char)(quads->bits >> 2 & 0xFF));
		else if (quads->n == 4) {
			buffer_char(out, (char)(quads->bits & 0xFF));
			*quads = (struct quads){0, 0};
		}
	}
}

void transfer_base64(const char *bytes, size_t size, struct buffer *out)
{
	struct quads quads = {0, 0};
	bool ended = false, prose = false;
	for (size_t at = 0; at < size;) {
		const char *lf = memchr(bytes + at, '\n', size - at);
		size_t end = lf ? (size_t)(lf - bytes) : size;
		const char *line = bytes + at;
		size_t n = end - at;
		prose = prose || ((ended || quads.n == 0) && is_prose(line, n));
		if (prose) {
			buffer_char(out, '\n');
			buffer_add(out, line, n);
		} else {
			take_line(line, n, &quads, out);
			if (memchr(line, '=', n))
				ended = true;
		}
		at = end + 1;
	}
}

#include "daemon/reading/flowed.h"

#include <string.h>

struct flowed_line {
	size_t depth;
	const char *text;
	size_t size;
	bool soft; /* goes on in the next line */
};

static struct flowed_line take_line(const char *text, size_t size, bool delsp)
{
	struct flowed_line line = {.text = text, .size = size};
	while (line.size > 0 && line.text[0] == '>') {
		line.text++;
		line.size--;
		line.depth++;
	}
	if (line.size > 0 && line.text[0] == ' ') {
		line.text++;
		line.size--;
	}
	bool signature = line.size == 3 && memcmp(line.text, "-- ", 3) == 0;
	line.soft = !signature && line.size > 0 && line.text[line.size - 1] == ' ';
	if (line.soft && delsp)
		line.size--;
	return line;
}

void flowed_undo(const char *text, size_t size, bool delsp, struct buffer *out)
{
	bool open = false;
	size_t depth = 0;
	for (size_t at = 0; at < size;) {
		const char *lf = memchr(text + at, '\n', size - at);
		size_t end = lf ? (size_t)(lf - text) : size;
		size_t n = end - at;
		if (n > 0 && text[end - 1] == '\r')
			n--;
		struct flowed_line line = take_line(text + at, n, delsp);
		bool signature = line.size == 3 && memcmp(line.text, "-- ", 3) == 0;
		/* A soft line before a change of depth or a signature ends there all the same. */
		if (open && (line.depth != depth || signature)) {
			buffer_char(out, '\n');
			open = false;
		}
		for (size_t i = 0; !open && i < line.depth; i++)
			buffer_text(out, i + 1 == line.depth ? "> " : ">");
		buffer_add(out, line.text, line.size);
		open = line.soft;
		depth = line.depth;
		if (!open)
			buffer_char(out, '\n');
		at = end + 1;
	}
	if (open)
		buffer_char(out, '\n');
}

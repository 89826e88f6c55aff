/*
 * A growing string of bytes with a cap. After a failure (no memory, cap reached) it takes no
 * more; `failed` and `full` say so, which a caller asks once at the end.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct buffer {
	char *bytes; /* with a final NUL once anything was added */
	size_t size, room, cap;
	bool failed; /* no memory */
	bool full;   /* the cap cut something off */
};

#define BUFFER_INIT(limit)     \
	{                      \
		.cap = (limit) \
	}

void buffer_add(struct buffer *buffer, const void *bytes, size_t size);
void buffer_char(struct buffer *buffer, char c);
void buffer_text(struct buffer *buffer, const char *text);
/* The code point in UTF-8; U+FFFD for what is none. */
void buffer_code(struct buffer *buffer, unsigned code);
void buffer_clear(struct buffer *buffer);
void buffer_release(struct buffer *buffer);

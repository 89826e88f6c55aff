#include "daemon/reading/buffer.h"

#include <stdlib.h>
#include <string.h>

static bool buffer_reserve(struct buffer *buffer, size_t more)
{
	size_t need = buffer->size + more + 1;
	if (need <= buffer->room)
		return true;
	size_t room = buffer->room ? buffer->room : 64;
	while (room < need)
		room *= 2;
	char *bytes = realloc(buffer->bytes, room);
	if (!bytes) {
		buffer->failed = true;
		return false;
	}
	buffer->bytes = bytes;
	buffer->room = room;
	return true;
}

void buffer_add(struct buffer *buffer, const void *bytes, size_t size)
{
	if (buffer->failed || buffer->full)
		return;
	if (size > buffer->cap - buffer->size) {
		size = buffer->cap - buffer->size;
		buffer->full = true;
	}
	if (!buffer_reserve(buffer, size))
		return;
	if (size)
		memcpy(buffer->bytes + buffer->size, bytes, size);
	buffer->size += size;
	buffer->bytes[buffer->size] = '\0';
}

void buffer_char(struct buffer *buffer, char c)
{
	buffer_add(buffer, &c, 1);
}

void buffer_text(struct buffer *buffer, const char *text)
{
	buffer_add(buffer, text, strlen(text));
}

void buffer_code(struct buffer *buffer, unsigned code)
{
	if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
		code = 0xFFFD;
	char out[4];
	size_t n = 0;
	if (code < 0x80) {
		out[n++] = (char)code;
	} else if (code < 0x800) {
		out[n++] = (char)(0xC0 | code >> 6);
		out[n++] = (char)(0x80 | (code & 63));
	} else if (code < 0x10000) {
		out[n++] = (char)(0xE0 | code >> 12);
		out[n++] = (char)(0x80 | (code >> 6 & 63));
		out[n++] = (char)(0x80 | (code & 63));
	} else {
		out[n++] = (char)(0xF0 | code >> 18);
		out[n++] = (char)(0x80 | (code >> 12 & 63));
		out[n++] = (char)(0x80 | (code >> 6 & 63));
		out[n++] = (char)(0x80 | (code & 63));
	}
	/* A cut must not split a character. */
	if (n > buffer->cap - buffer->size) {
		buffer->full = true;
		return;
	}
	buffer_add(buffer, out, n);
}

void buffer_clear(struct buffer *buffer)
{
	buffer->size = 0;
	if (buffer->bytes)
		buffer->bytes[0] = '\0';
}

void buffer_release(struct buffer *buffer)
{
	free(buffer->bytes);
	*buffer = (struct buffer){.cap = buffer->cap};
}

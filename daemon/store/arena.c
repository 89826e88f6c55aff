#include "daemon/store/arena.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_SIZE ((size_t)8192)

struct arena_block {
	struct arena_block *next;
	size_t size, used;
	alignas(max_align_t) unsigned char bytes[];
};

void *arena_alloc(struct arena *arena, size_t size)
{
	size_t align = alignof(max_align_t);
	size_t wanted = (size + align - 1) / align * align;
	struct arena_block *block = arena->blocks;

	if (!block || block->size - block->used < wanted) {
		size_t room = wanted > BLOCK_SIZE ? wanted : BLOCK_SIZE;
		block = calloc(1, sizeof(*block) + room);
		if (!block)
			abort();
		block->size = room;
		block->next = arena->blocks;
		arena->blocks = block;
	}
	void *place = block->bytes + block->used;
	block->used += wanted;
	return place;
}

char *arena_copy(struct arena *arena, const void *bytes, size_t size)
{
	if (!bytes)
		return NULL;
	char *copy = arena_alloc(arena, size + 1);
	memcpy(copy, bytes, size);
	return copy;
}

char *arena_string(struct arena *arena, const char *string)
{
	return string ? arena_copy(arena, string, strlen(string)) : NULL;
}

char *arena_format(struct arena *arena, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	int size = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (size < 0)
		abort();
	char *text = arena_alloc(arena, (size_t)size + 1);
	va_start(args, format);
	vsnprintf(text, (size_t)size + 1, format, args);
	va_end(args);
	return text;
}

void arena_clear(struct arena *arena)
{
	while (arena->blocks) {
		struct arena_block *next = arena->blocks->next;
		free(arena->blocks);
		arena->blocks = next;
	}
}

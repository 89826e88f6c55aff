/*
 * Memory that lives and dies together: the strings of the rows that one piece of work
 * reads. Freed as a whole; nothing in it is freed alone.
 */
#pragma once

#include <stddef.h>

#include "core/base.h"

struct arena {
	struct arena_block *blocks;
};

#define ARENA_INIT \
	{          \
		0  \
	}

/* SIZE zeroed bytes; aborts when memory is out, as every allocation of a row does. */
void *arena_alloc(struct arena *arena, size_t size);
/* A copy of SIZE bytes with a NUL behind them; NULL for NULL. */
char *arena_copy(struct arena *arena, const void *bytes, size_t size);
char *arena_string(struct arena *arena, const char *string);
char *arena_format(struct arena *arena, const char *format, ...) PRINTF_LIKE(2, 3);
void arena_clear(struct arena *arena);

#define CLEANUP_ARENA __attribute__((cleanup(arena_clear)))

#include "daemon/reading/pool.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_SIZE ((size_t)8192)

struct chunk {
	struct chunk *next;
	size_t used, size;
	max_align_t bytes[];
};

struct letter_pool {
	struct chunk *chunks;
};

struct letter_pool *pool_new(void)
{
	return calloc(1, sizeof(struct letter_pool));
}

void pool_free(struct letter_pool *pool)
{
	if (!pool)
		return;
	for (struct chunk *chunk = pool->chunks, *next; chunk; chunk = next) {
		next = chunk->next;
		free(chunk);
	}
	free(pool);
}

void *pool_take(struct letter_pool *pool, size_t size)
{
	if (size > SIZE_MAX / 4)
		return NULL;
	size = (size + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
	struct chunk *chunk = pool->chunks;
	if (!chunk || chunk->size - chunk->used < size) {
		size_t room = size > CHUNK_SIZE ? size : CHUNK_SIZE;
		chunk = calloc(1, sizeof(*chunk) + room);
		if (!chunk)
			return NULL;
		*chunk = (struct chunk){.next = pool->chunks, .size = room};
		pool->chunks = chunk;
	}
	void *at = (char *)chunk->bytes + chunk->used;
	chunk->used += size;
	return at;
}

char *pool_copy(struct letter_pool *pool, const void *bytes, size_t size)
{
	char *copy = pool_take(pool, size + 1);
	if (copy && size)
		memcpy(copy, bytes, size);
	return copy;
}

/*
 * Memory that lives and dies with one letter.
 */
#pragma once

#include <stddef.h>

#include "core/base.h"

struct letter_pool;

/* NULL when there is no memory. */
MUST_CHECK struct letter_pool *pool_new(void);
void pool_free(struct letter_pool *pool);

/* SIZE zeroed bytes; NULL when there is no memory. */
MUST_CHECK void *pool_take(struct letter_pool *pool, size_t size);
/* A copy of SIZE bytes with a final NUL. */
MUST_CHECK char *pool_copy(struct letter_pool *pool, const void *bytes, size_t size);

/*
 * Words that every part of Zugpost shares: compiler attributes, sides and
 * instants. Nothing here has behaviour.
 */
#pragma once

#include <stdint.h>

#define MUST_CHECK __attribute__((warn_unused_result))
#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))
#define ARRAY_SIZE(a) (sizeof(a) / sizeof(*(a)))

/* The two players of a game; also the index of their half of any pair. */
enum side {
	SIDE_WHITE = 0,
	SIDE_BLACK = 1,
};

static inline enum side side_other(enum side side)
{
	return side == SIDE_WHITE ? SIDE_BLACK : SIDE_WHITE;
}

/* Instants are UTC milliseconds since 1970-01-01T00:00:00Z, without leap
 * seconds. INSTANT_NONE stands for "not known" or "never". */
#define INSTANT_NONE INT64_MIN

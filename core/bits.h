/*
 * Bitboards: one bit a square, a1 = bit 0, h8 = bit 63.
 */
#pragma once

#include <stdint.h>

#define ALWAYS_INLINE static inline __attribute__((always_inline))

#define BIT(square) (UINT64_C(1) << (square))
#define FILE_A UINT64_C(0x0101010101010101)
#define FILE_B (FILE_A << 1)
#define FILE_G (FILE_A << 6)
#define FILE_H (FILE_A << 7)
#define RANK_1 UINT64_C(0xff)
#define RANK(rank) (RANK_1 << (8 * (rank)))

ALWAYS_INLINE unsigned bits_first(uint64_t set)
{
	return (unsigned)__builtin_ctzll(set);
}
ALWAYS_INLINE unsigned bits_count(uint64_t set)
{
	return (unsigned)__builtin_popcountll(set);
}
/* Takes the lowest square out of the set. */
ALWAYS_INLINE unsigned bits_pop(uint64_t *set)
{
	unsigned square = bits_first(*set);
	*set &= *set - 1;
	return square;
}
ALWAYS_INLINE int bits_one(uint64_t set)
{
	return set && !(set & (set - 1));
}

static inline unsigned square_file(unsigned square)
{
	return square & 7U;
}
static inline unsigned square_rank(unsigned square)
{
	return square >> 3;
}
static inline unsigned square_at(unsigned file, unsigned rank)
{
	return rank << 3 | file;
}

#include "core/perft.h"

#define PERFT_COUNT perft_any
#include "core/perft_count.h"

uint64_t position_perft(const struct position *position, unsigned depth)
{
	if (!depth)
		return 1;
#ifdef PERFT_HAS_BMI2
	if (__builtin_cpu_supports("popcnt") && __builtin_cpu_supports("bmi2"))
		return perft_bmi2(position, depth);
#endif
	return perft_any(position, depth);
}

#include "core/perft.h"

#define PERFT_COUNT perft_bmi2
#include "core/perft_count.h"

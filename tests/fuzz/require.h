/*
 * What must hold whatever the bytes are, also where assertions are left out.
 */
#pragma once

#include <stdlib.h>

#define require(condition)        \
	do {                      \
		if (!(condition)) \
			abort();  \
	} while (0)

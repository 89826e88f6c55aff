/*
 * `zugpostctl clock`: a request of the rules calculator in, the result out.
 */
#pragma once

#include <stdio.h>

#include "core/base.h"

/* Returns the exit status: 0; 1 with one line on `err` that names the path of the fault. */
MUST_CHECK int clock_compute(FILE *in, FILE *out, FILE *err);

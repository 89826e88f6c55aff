/*
 * What every command of zugpostctl is given. Global options are taken off before.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

struct ctl {
	FILE *in;
	FILE *out;
	FILE *err;
	bool json;
};

/* Exit codes of commands (contract 2). */
enum ctl_exit {
	CTL_DONE = 0,
	CTL_REFUSED = 1,
	CTL_USAGE = 2,
};

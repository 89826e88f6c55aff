/*
 * The table that RAZSh's players mail (section III, appendix 3): a row for each move with the
 * dates it was received and answered, the time it took and all of it, and the moves.
 *
 *     12/05  16/05  4/04    02.  7163   7776     17/05  18/05  1/01
 *
 * Dates are the players' own and claims only; years are not written (2.3.19).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base.h"

struct tableform_date {
	uint8_t day, month; /* 0: "---" or not given */
};

struct tableform_half {
	size_t move_at, move_size; /* in the line; size 0: no move */
	bool dated;                /* the three fields below are given */
	struct tableform_date received, answered;
	uint16_t days, total; /* of this move, of all so far */
};

struct tableform_row {
	unsigned number;
	struct tableform_half halves[2]; /* by enum side */
};

/* Reads one line; false when it is no row of such a table. The dates of either side may be
 * missing, and Black's half of the last row. */
MUST_CHECK bool tableform_row_read(const char *line, size_t size, struct tableform_row *ret_row);

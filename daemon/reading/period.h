/*
 * Periods as people write them behind a command: inside of the grammar.
 *
 * Dates are ISO (2026-03-01), D.M.YYYY, D/M/YYYY, or without a year: then the next one from
 * the day of the mail on. In a range the second date may lend the first its month or year
 * ("1.-10.3.2026"). A time (18:00, 18.00, T18:00) may stand behind each.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/words.h"

struct period {
	unsigned n; /* dates that were read, at most two */
	int32_t dates[2];
	int minutes[2]; /* after midnight, -1: none */
	bool valid;     /* what looks like dates and times are some */
};

/* Reads a line as words_fold makes it. False if it does not begin with something that looks
 * like a date, words of WORDS aside. */
MUST_CHECK bool period_read(
	const char *line, const struct words *words, int32_t today, struct period *ret);

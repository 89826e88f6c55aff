/*
 * The civil calendar (proleptic Gregorian) in a time zone.
 *
 * A zone is a value: a table of transitions that the shell fills from the system's
 * tzdata (daemon/zone.h). Local dates can run backwards at a transition and whole
 * dates can be missing, so nothing here searches by bisection over local time.
 *
 * A date is an int32_t, days since 1970-01-01. An instant is UTC milliseconds.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base.h"

struct zone_transition {
	int64_t at;     /* UTC seconds from which the offset holds */
	int32_t offset; /* seconds east of UTC */
};

struct zone {
	const char *name;                          /* IANA name */
	const struct zone_transition *transitions; /* in order of time; the first one's offset
						      also holds before it */
	size_t n;
};

#define DATE_NONE INT32_MIN

int32_t date_from_civil(int year, unsigned month, unsigned day);
void date_to_civil(int32_t date, int *ret_year, unsigned *ret_month, unsigned *ret_day);
bool date_is_civil(int year, unsigned month, unsigned day);
/* So many calendar months later; the last day of the month where that day does not exist. */
int32_t date_add_months(int32_t date, int months);

/* Seconds east of UTC at an instant. */
int32_t zone_offset(const struct zone *zone, int64_t instant);
/* The local date of an instant. */
int32_t zone_date(const struct zone *zone, int64_t instant);
/* Start of a local date: the first instant whose local date is DATE or later. */
int64_t zone_date_start(const struct zone *zone, int32_t date);
/* The instant whose local time is MILLISECONDS after midnight of DATE (wall clock); the
 * first one where a time comes twice, the end of the gap where it does not exist. */
int64_t zone_instant(const struct zone *zone, int32_t date, int32_t milliseconds);

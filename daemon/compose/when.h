/*
 * Instants and dates as mails write them: ISO, with the zone.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "rules/calendar.h"

#define WHEN_MAX 96

/* "2026-03-01 12:00 +0200", with seconds where they are not zero. A zone of NULL is UTC. */
size_t when_short(const struct zone *zone, int64_t instant, char out[WHEN_MAX]);
/* The same with the zone's name behind it: "... +0200 (Europe/Helsinki)". */
size_t when_write(const struct zone *zone, int64_t instant, char out[WHEN_MAX]);
/* "2026-03-01 10:00:00Z" */
size_t when_utc(int64_t instant, char out[WHEN_MAX]);
/* "2026-03-01" */
size_t when_date(int32_t date, char out[WHEN_MAX]);
/* "57.6", "57" where the tenths are whole. */
size_t when_tenths(int tenths, char out[WHEN_MAX]);

/*
 * Instants and dates as mails write them, in the manner of a language (config/style.h), with
 * the zone.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "config/style.h"
#include "rules/calendar.h"

#define WHEN_MAX 160

/* For tables: "2026-03-01 12:00 +0200", with seconds where they are not zero. A zone of NULL is
 * UTC. */
size_t when_short(
	const struct style *style, const struct zone *zone, int64_t instant, char out[WHEN_MAX]);
/* For sentences, with the zone's name behind it: "1.3.2026 klo 12.00 +0200 (Europe/Helsinki)". */
size_t when_write(
	const struct style *style, const struct zone *zone, int64_t instant, char out[WHEN_MAX]);
/* "2026-03-01 10:00:00Z", in every language: it is what can be compared. */
size_t when_utc(int64_t instant, char out[WHEN_MAX]);
/* "1.3.2026" */
size_t when_date(const struct style *style, int32_t date, char out[WHEN_MAX]);
/* "2026-03-01", as commands and records want it. */
size_t when_iso_date(int32_t date, char out[WHEN_MAX]);
/* "57,6", "57" where the tenths are whole. */
size_t when_tenths(const struct style *style, int tenths, char out[WHEN_MAX]);

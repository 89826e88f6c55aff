#include "daemon/compose/when.h"

#include <stdio.h>
#include <stdlib.h>

#define DAY 86400

static size_t write_local(int64_t seconds, const char *separator, char *out, size_t room)
{
	int32_t date = (int32_t)(seconds / DAY);
	int rest = (int)(seconds % DAY);
	int year;
	unsigned month, day;
	size_t n;

	if (rest < 0) {
		rest += DAY;
		date--;
	}
	date_to_civil(date, &year, &month, &day);
	n = (size_t)snprintf(out, room, "%04d-%02u-%02u%s%02d:%02d", year, month, day, separator,
		rest / 3600, rest / 60 % 60);
	if (rest % 60)
		n += (size_t)snprintf(out + n, room - n, ":%02d", rest % 60);
	return n;
}

static int64_t to_seconds(int64_t instant)
{
	return (instant - (instant % 1000 + 1000) % 1000) / 1000;
}

size_t when_short(const struct zone *zone, int64_t instant, char out[WHEN_MAX])
{
	int32_t offset = zone ? zone_offset(zone, instant) : 0;
	int32_t minutes = (offset < 0 ? -offset : offset) / 60;

	size_t n = write_local(to_seconds(instant) + offset, " ", out, WHEN_MAX);
	n += (size_t)snprintf(out + n, WHEN_MAX - n, " %c%02d%02d", offset < 0 ? '-' : '+',
		minutes / 60, minutes % 60);
	return n;
}

size_t when_write(const struct zone *zone, int64_t instant, char out[WHEN_MAX])
{
	size_t n = when_short(zone, instant, out);

	n += (size_t)snprintf(
		out + n, WHEN_MAX - n, " (%.60s)", zone && zone->name ? zone->name : "UTC");
	return n < WHEN_MAX ? n : WHEN_MAX - 1;
}

size_t when_utc(int64_t instant, char out[WHEN_MAX])
{
	size_t n = write_local(to_seconds(instant), " ", out, WHEN_MAX);

	n += (size_t)snprintf(out + n, WHEN_MAX - n, "Z");
	return n;
}

size_t when_date(int32_t date, char out[WHEN_MAX])
{
	int year;
	unsigned month, day;

	date_to_civil(date, &year, &month, &day);
	return (size_t)snprintf(out, WHEN_MAX, "%04d-%02u-%02u", year, month, day);
}

size_t when_tenths(int tenths, char out[WHEN_MAX])
{
	if (tenths % 10 == 0)
		return (size_t)snprintf(out, WHEN_MAX, "%d", tenths / 10);
	return (size_t)snprintf(out, WHEN_MAX, "%s%d.%d", tenths < 0 ? "-" : "", abs(tenths / 10),
		abs(tenths % 10));
}

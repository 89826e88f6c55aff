#include "daemon/compose/when.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DAY 86400

/* What the holes of a pattern stand for. */
struct hole {
	const char *name;
	const char *text;
};

/* What the hole at the start of PATTERN stands for, NULL if there is none; its size. */
static const char *find_hole(
	const char *pattern, const struct hole *holes, size_t n_holes, size_t *ret_size)
{
	for (size_t i = 0; *pattern == '{' && i < n_holes; i++) {
		size_t size = strlen(holes[i].name);
		if (strncmp(pattern + 1, holes[i].name, size) == 0 && pattern[size + 1] == '}') {
			*ret_size = size + 2;
			return holes[i].text;
		}
	}
	return NULL;
}

/* Writes PATTERN with its holes filled; the parts of a style are short. */
static size_t expand(
	const char *pattern, const struct hole *holes, size_t n_holes, char *out, size_t room)
{
	size_t n = 0, size = 1;

	*out = '\0';
	while (*pattern && n + 1 < room) {
		const char *text = find_hole(pattern, holes, n_holes, &size);
		if (!text)
			size = 1;
		int put = snprintf(out + n, room - n, "%.*s", text ? (int)strlen(text) : 1,
			text ? text : pattern);
		n += put > 0 ? (size_t)put : 0;
		pattern += size;
	}
	return n < room ? n : room - 1;
}

static void two_widths(unsigned number, char shortest[16], char two[16])
{
	(void)snprintf(shortest, 16, "%u", number);
	(void)snprintf(two, 16, "%02u", number);
}

size_t when_date(const struct style *style, int32_t date, char out[WHEN_MAX])
{
	char d[16], dd[16], m[16], mm[16], yyyy[16];
	unsigned month, day;
	int year;

	date_to_civil(date, &year, &month, &day);
	two_widths(day, d, dd);
	two_widths(month, m, mm);
	(void)snprintf(yyyy, sizeof(yyyy), "%04d", year);
	const struct hole holes[] = {{"d", d}, {"dd", dd}, {"m", m}, {"mm", mm}, {"yyyy", yyyy}};
	return expand(style->date, holes, ARRAY_SIZE(holes), out, WHEN_MAX);
}

size_t when_iso_date(int32_t date, char out[WHEN_MAX])
{
	unsigned month, day;
	int year;

	date_to_civil(date, &year, &month, &day);
	return (size_t)snprintf(out, WHEN_MAX, "%04d-%02u-%02u", year, month, day);
}

/* Date and second of the day. */
static int32_t split(int64_t seconds, int *ret_rest)
{
	int64_t rest = (seconds % DAY + DAY) % DAY;

	*ret_rest = (int)rest;
	return (int32_t)((seconds - rest) / DAY);
}

static void write_time(const struct style *style, int rest, char out[WHEN_MAX])
{
	char h[16], hh[16], min[16], sec[16];

	two_widths((unsigned)rest / 3600, h, hh);
	(void)snprintf(min, sizeof(min), "%02d", rest / 60 % 60);
	(void)snprintf(sec, sizeof(sec), "%02d", rest % 60);
	const struct hole holes[] = {{"h", h}, {"hh", hh}, {"min", min}, {"sec", sec}};
	size_t n = expand(style->time, holes, ARRAY_SIZE(holes), out, WHEN_MAX);
	if (rest % 60)
		(void)expand(style->seconds, holes, ARRAY_SIZE(holes), out + n, WHEN_MAX - n);
}

static int64_t to_seconds(int64_t instant)
{
	return (instant - (instant % 1000 + 1000) % 1000) / 1000;
}

static size_t write_local(const struct style *style, const char *pattern, const struct zone *zone,
	int64_t instant, char out[WHEN_MAX])
{
	int32_t offset = zone ? zone_offset(zone, instant) : 0;
	int32_t minutes = (offset < 0 ? -offset : offset) / 60;
	char date[WHEN_MAX], time[WHEN_MAX];
	int rest;

	(void)when_date(style, split(to_seconds(instant) + offset, &rest), date);
	write_time(style, rest, time);
	const struct hole holes[] = {{"date", date}, {"time", time}};
	size_t n = expand(pattern, holes, ARRAY_SIZE(holes), out, WHEN_MAX);
	n += (size_t)snprintf(out + n, WHEN_MAX - n, " %c%02d%02d", offset < 0 ? '-' : '+',
		minutes / 60, minutes % 60);
	return n < WHEN_MAX ? n : WHEN_MAX - 1;
}

size_t when_short(
	const struct style *style, const struct zone *zone, int64_t instant, char out[WHEN_MAX])
{
	return write_local(style, style->stamp, zone, instant, out);
}

size_t when_write(
	const struct style *style, const struct zone *zone, int64_t instant, char out[WHEN_MAX])
{
	size_t n = write_local(style, style->moment, zone, instant, out);

	n += (size_t)snprintf(
		out + n, WHEN_MAX - n, " (%.60s)", zone && zone->name ? zone->name : "UTC");
	return n < WHEN_MAX ? n : WHEN_MAX - 1;
}

size_t when_utc(int64_t instant, char out[WHEN_MAX])
{
	int rest;
	size_t n = when_iso_date(split(to_seconds(instant), &rest), out);

	n += (size_t)snprintf(out + n, WHEN_MAX - n, " %02d:%02d", rest / 3600, rest / 60 % 60);
	if (rest % 60)
		n += (size_t)snprintf(out + n, WHEN_MAX - n, ":%02d", rest % 60);
	n += (size_t)snprintf(out + n, WHEN_MAX - n, "Z");
	return n;
}

size_t when_tenths(const struct style *style, int tenths, char out[WHEN_MAX])
{
	if (tenths % 10 == 0)
		return (size_t)snprintf(out, WHEN_MAX, "%d", tenths / 10);
	return (size_t)snprintf(out, WHEN_MAX, "%s%d%s%d", tenths < 0 ? "-" : "", abs(tenths / 10),
		style->decimal, abs(tenths % 10));
}

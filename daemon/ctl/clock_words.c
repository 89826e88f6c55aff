#include "daemon/ctl/clock_words.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

const char *side_word(enum side side)
{
	return side == SIDE_WHITE ? "white" : "black";
}

const char *status_word(enum clock_status status)
{
	static const char *const words[] = {
		[CLOCK_RUNNING] = "running",
		[CLOCK_SUSPENDED] = "suspended",
		[CLOCK_INTERRUPTED] = "interrupted",
		[CLOCK_STOPPED] = "stopped",
		[CLOCK_OVER] = "over",
	};
	return words[status];
}

const char *result_word(enum clock_result result)
{
	static const char *const words[] = {
		[RESULT_NONE] = "*",
		[RESULT_WHITE] = "1-0",
		[RESULT_BLACK] = "0-1",
		[RESULT_DRAW] = "1/2-1/2",
	};
	return words[result];
}

const char *stop_kind_word(enum clock_stop_kind kind)
{
	static const char *const words[] = {
		[STOP_NORMAL] = "normal",
		[STOP_VACATION] = "vacation",
		[STOP_COORDINATOR] = "coordinator",
	};
	return words[kind];
}

#define TEXT_SIZE 40
#define DAY_SECONDS 86400

/* Seconds of local time as a date and the time of day. */
static int split(int64_t seconds, int *ret_year, unsigned *ret_month, unsigned *ret_day)
{
	int64_t date = seconds / DAY_SECONDS - (seconds % DAY_SECONDS < 0);

	date_to_civil((int32_t)date, ret_year, ret_month, ret_day);
	return (int)(seconds - date * DAY_SECONDS);
}

static int64_t floor_seconds(int64_t instant)
{
	return instant / 1000 - (instant % 1000 < 0);
}

json_t *json_instant(int64_t instant)
{
	char text[TEXT_SIZE];
	int year;
	unsigned month, day;

	if (instant == INSTANT_NONE)
		return json_null();
	int second = split(floor_seconds(instant), &year, &month, &day);
	(void)snprintf(text, sizeof(text), "%04d-%02u-%02uT%02d:%02d:%02dZ", year, month, day,
		second / 3600, second / 60 % 60, second % 60);
	return json_string(text);
}

json_t *json_date(int32_t date)
{
	char text[TEXT_SIZE];
	int year;
	unsigned month, day;

	if (date == DATE_NONE)
		return json_null();
	date_to_civil(date, &year, &month, &day);
	(void)snprintf(text, sizeof(text), "%04d-%02u-%02u", year, month, day);
	return json_string(text);
}

json_t *json_local(const struct zone *zone, int64_t instant)
{
	char text[TEXT_SIZE];
	int year;
	unsigned month, day;
	int offset = zone_offset(zone, instant);
	int second = split(floor_seconds(instant) + offset, &year, &month, &day);
	int minutes = (offset < 0 ? -offset : offset) / 60;

	(void)snprintf(text, sizeof(text), "%04d-%02u-%02u %02d:%02d %c%02d%02d", year, month, day,
		second / 3600, second / 60 % 60, offset < 0 ? '-' : '+', minutes / 60,
		minutes % 60);
	return json_string(text);
}

json_t *json_tenths(int tenths)
{
	return json_hours((double)tenths / TENTHS);
}

json_t *json_hours(double hours)
{
	double whole = round(hours);

	return fabs(hours - whole) < 1e-9 ? json_integer((json_int_t)whole) : json_real(hours);
}

json_t *json_word(const char *word)
{
	return word == NULL ? json_null() : json_string(word);
}

json_t *json_words(const char *first, ...)
{
	json_t *array = json_array();
	va_list words;

	va_start(words, first);
	for (const char *word = first; word != NULL; word = va_arg(words, const char *))
		(void)json_array_append_new(array, json_string(word));
	va_end(words);
	return array;
}

json_t *json_stop_reasons(unsigned reasons)
{
	/* In the order of the bits of enum stop_reason. */
	static const char *const words[] = {"interval", "retroactive", "two stops already",
		"too little time left", "two stops over the standard time", "over 200 hours",
		"under 250 hours left", "sudden death", "tournament not begun in June",
		"already used", "outside 15 June - 15 September", "over 1500 hours",
		"notice under 168 hours"};
	json_t *array = json_array();

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if ((reasons & 1U << i) != 0)
			(void)json_array_append_new(array, json_string(words[i]));
	return array;
}

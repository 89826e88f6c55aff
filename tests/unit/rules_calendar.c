/*
 * The calendar: civil dates, and the starts of local dates in every zone of tzdata against
 * a search through the transitions that knows nothing of the code under test.
 */
#include "tests/unit/test.h"

#include <errno.h>
#include <string.h>

#include "daemon/zone.h"
#include "rules/calendar.h"

#define DAY 86400000LL
#define HOUR 3600000LL

static void test_civil_dates(void **state)
{
	(void)state;
	static const unsigned char days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	int32_t date = date_from_civil(1600, 1, 1);

	expect_int(date_from_civil(1970, 1, 1), 0);
	/* Day by day through the calendar: every date is the one after the one before. */
	for (int year = 1600; year <= 2400; year++) {
		bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
		for (unsigned month = 1; month <= 12; month++) {
			unsigned last = days[month - 1] + (month == 2 && leap ? 1U : 0U);
			for (unsigned day = 1; day <= last; day++, date++) {
				int y;
				unsigned m, d;
				date_to_civil(date, &y, &m, &d);
				assert_true(y == year && m == month && d == day);
				expect_int(date_from_civil(year, month, day), date);
				assert_true(date_is_civil(year, month, day));
			}
			assert_false(date_is_civil(year, month, last + 1));
		}
	}
	assert_false(date_is_civil(2006, 13, 1));
	assert_false(date_is_civil(2006, 0, 1));
	assert_false(date_is_civil(2006, 1, 0));
}

static void test_months(void **state)
{
	(void)state;
	static const struct {
		int year, months, to_year;
		unsigned month, day, to_month, to_day;
	} cases[] = {
		{2006, 6, 2006, 1, 15, 7, 15},
		{2006, 6, 2007, 8, 31, 2, 28},
		{2007, 6, 2008, 8, 31, 2, 29},
		{2006, 3, 2007, 11, 30, 2, 28},
		{2006, 0, 2006, 12, 31, 12, 31},
		{2006, 12, 2007, 12, 31, 12, 31},
		{2006, -1, 2006, 3, 31, 2, 28},
		{2006, -3, 2005, 1, 31, 10, 31},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		expect_int(date_add_months(
				   date_from_civil(cases[i].year, cases[i].month, cases[i].day),
				   cases[i].months),
			date_from_civil(cases[i].to_year, cases[i].to_month, cases[i].to_day));
}

static int64_t utc(int year, unsigned month, unsigned day, int hour, int minute)
{
	return date_from_civil(year, month, day) * DAY + hour * HOUR + minute * 60000LL;
}

/* Nights on which a date begins late, twice, or not at all. */
static void test_known_starts(void **state)
{
	(void)state;
	static const struct {
		const char *zone;
		int year;
		unsigned month, day;
		int64_t hours_utc_from_midnight; /* of the start, from 00:00 UTC of the date */
		int minutes;
	} cases[] = {
		/* begins at 01:00 */
		{"America/Sao_Paulo", 2006, 11, 5, 3, 0},
		{"America/Sao_Paulo", 2006, 11, 6, 2, 0},
		/* 23:00 comes twice the evening before; midnight only once */
		{"America/Sao_Paulo", 2007, 2, 25, 3, 0},
		/* 01:00 goes back to 00:00 */
		{"America/Havana", 2006, 10, 29, 4, 0},
		{"America/Havana", 2013, 3, 10, 5, 0},
		/* 00:01 goes back to 23:01 of the day before */
		{"America/St_Johns", 2005, 10, 30, 2, 30},
		/* 30 December 2011 was left out */
		{"Pacific/Apia", 2011, 12, 30, -14, 0},
		{"Pacific/Apia", 2011, 12, 31, -14, 0},
		/* 21 August 1993 was left out */
		{"Pacific/Kwajalein", 1993, 8, 21, 12, 0},
		{"Pacific/Kwajalein", 1993, 8, 22, -12, 0},
		{"Asia/Kathmandu", 2020, 5, 5, -6, 15},
		{"Europe/Helsinki", 2095, 7, 1, -3, 0},
		{"Europe/Rome", 1905, 7, 1, -1, 0},
		{"UTC", 2006, 7, 4, 0, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct zone *zone;
		expect_int(zone_load(cases[i].zone, &zone), 0);
		int32_t date = date_from_civil(cases[i].year, cases[i].month, cases[i].day);
		int64_t start = date * DAY + cases[i].hours_utc_from_midnight * HOUR +
				cases[i].minutes * 60000LL;
		if (strcmp(cases[i].zone, "Pacific/Apia") == 0)
			start = utc(2011, 12, 30, 10, 0);
		if (zone_date_start(zone, date) != start)
			fail_msg("%s case %zu: %lld minutes off", cases[i].zone, i,
				(long long)(zone_date_start(zone, date) - start) / 60000);
	}
}

/* Local date by going through all transitions, without the code under test. */
static int64_t slow_date(const struct zone *zone, int64_t instant)
{
	int64_t seconds = instant >= 0 ? instant / 1000 : -((-instant + 999) / 1000);
	int64_t local = zone->transitions[0].offset + seconds;

	for (size_t i = 0; i < zone->n; i++)
		if (zone->transitions[i].at <= seconds)
			local = zone->transitions[i].offset + seconds;
	return local >= 0 ? local / 86400 : -((-local + 86399) / 86400);
}

/* The start of each date around a transition is the first instant of that date or later:
 * it is, the millisecond before it is not, and no hour of the day before is. */
static void check_start(const struct zone *zone, int32_t date)
{
	int64_t start = zone_date_start(zone, date);

	if (slow_date(zone, start) < date || slow_date(zone, start - 1) >= date)
		fail_msg("%s: date %d does not begin at %lld", zone->name, date, (long long)start);
	for (int64_t at = start - 30 * HOUR; at < start; at += HOUR)
		if (slow_date(zone, at) >= date)
			fail_msg("%s: date %d is there before %lld", zone->name, date,
				(long long)start);
	expect_int(zone_date(zone, start), slow_date(zone, start));
}

static void check_zone(const char *name)
{
	const struct zone *zone;

	expect_int(zone_load(name, &zone), 0);
	for (size_t i = 0; i < zone->n; i += 1) {
		int64_t at = zone->transitions[i].at * 1000;
		/* After 2030 the same rule goes on and on. */
		if (at > utc(2030, 1, 1, 0, 0) && at < utc(2098, 1, 1, 0, 0))
			continue;
		int32_t date = (int32_t)slow_date(zone, at);
		for (int32_t d = date - 1; d <= date + 1; d++)
			check_start(zone, d);
		if (i > 0 && zone->transitions[i - 1].at >= zone->transitions[i].at)
			fail_msg("%s: transitions out of order", name);
	}
}

static void test_every_zone(void **state)
{
	(void)state;
	FILE *list = fopen("/usr/share/zoneinfo/tzdata.zi", "r");
	char line[256], name[128];
	int n = 0;

	assert_non_null(list);
	while (fgets(line, sizeof(line), list) != NULL) {
		const struct zone *zone;
		if (sscanf(line, "Z %127s", name) == 1)
			check_zone(name);
		else if (sscanf(line, "L %*s %127s", name) == 1)
			expect_int(zone_load(name, &zone), 0);
		else
			continue;
		n++;
	}
	fclose(list);
	assert_true(n > 400);
}

static void test_unknown_zones(void **state)
{
	(void)state;
	static const char *const names[] = {"", "GST+4", "03", "Mars/Olympus", "/etc/localtime",
		"../etc/localtime", ":Europe/Rome", "europe/rome", "EST+5", "localtime",
		"posix/Europe/Rome", "tzdata.zi"};
	const struct zone *zone = NULL, *again = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (zone_load(names[i], &zone) != -ENOENT)
			fail_msg("%s is taken for a zone", names[i]);
		assert_false(zone_known(names[i]));
	}
	expect_int(zone_load("Europe/Rome", &zone), 0);
	expect_int(zone_load("Europe/Rome", &again), 0);
	assert_ptr_equal(zone, again);
	assert_string_equal(zone->name, "Europe/Rome");
}

/* Wall-clock times that come twice, once, or never. */
static void test_wall_clock(void **state)
{
	(void)state;
	const struct zone *zone;
	const int32_t half_past_two = (int32_t)(2 * HOUR + HOUR / 2);

	expect_int(zone_load("Europe/Rome", &zone), 0);
	expect_int(zone_instant(zone, date_from_civil(2001, 3, 25), half_past_two),
		utc(2001, 3, 25, 1, 0));
	expect_int(zone_instant(zone, date_from_civil(2001, 10, 28), half_past_two),
		utc(2001, 10, 28, 0, 30));
	expect_int(zone_instant(zone, date_from_civil(2001, 7, 1), half_past_two),
		utc(2001, 7, 1, 0, 30));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_civil_dates),
		cmocka_unit_test(test_months),
		cmocka_unit_test(test_known_starts),
		cmocka_unit_test(test_every_zone),
		cmocka_unit_test(test_unknown_zones),
		cmocka_unit_test(test_wall_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

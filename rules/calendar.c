#include "rules/calendar.h"

#define DAY_SECONDS 86400
#define SECOND_MILLISECONDS 1000

/* Days before the first of March, counted in a year that begins in March. */
#define ERA_YEARS 400
#define ERA_DAYS 146097

int32_t date_from_civil(int year, unsigned month, unsigned day)
{
	int64_t y = year - (month <= 2);
	int64_t era = (y >= 0 ? y : y - (ERA_YEARS - 1)) / ERA_YEARS;
	int64_t of_era = y - era * ERA_YEARS;
	int64_t of_year = (153 * ((int64_t)month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
	int64_t day_of_era = of_era * 365 + of_era / 4 - of_era / 100 + of_year;

	return (int32_t)(era * ERA_DAYS + day_of_era - 719468);
}

void date_to_civil(int32_t date, int *ret_year, unsigned *ret_month, unsigned *ret_day)
{
	int64_t z = (int64_t)date + 719468;
	int64_t era = (z >= 0 ? z : z - (ERA_DAYS - 1)) / ERA_DAYS;
	int64_t of_era = z - era * ERA_DAYS;
	int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
	int64_t month = (5 * of_year + 2) / 153;

	*ret_day = (unsigned)(of_year - (153 * month + 2) / 5 + 1);
	*ret_month = (unsigned)(month < 10 ? month + 3 : month - 9);
	*ret_year = (int)(year + era * ERA_YEARS + (*ret_month <= 2));
}

static unsigned month_days(int year, unsigned month)
{
	static const unsigned char days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

	return days[month - 1] + (month == 2 && leap ? 1U : 0U);
}

bool date_is_civil(int year, unsigned month, unsigned day)
{
	return month >= 1 && month <= 12 && day >= 1 && day <= month_days(year, month);
}

int32_t date_add_months(int32_t date, int months)
{
	int year;
	unsigned month, day;

	date_to_civil(date, &year, &month, &day);
	int64_t index = (int64_t)year * 12 + (int64_t)month - 1 + months;
	year = (int)(index >= 0 ? index / 12 : (index - 11) / 12);
	month = (unsigned)(index - (int64_t)year * 12) + 1;
	if (day > month_days(year, month))
		day = month_days(year, month);
	return date_from_civil(year, month, day);
}

static int64_t floor_divide(int64_t a, int64_t b)
{
	return a >= 0 ? a / b : -((-a + b - 1) / b);
}

/* The stretch of time in which an instant lies: index of its first transition, 0 also
 * for what comes before that. In UTC the transitions are in order, so bisection is safe. */
static size_t stretch_find(const struct zone *zone, int64_t seconds)
{
	size_t low = 0, high = zone->n;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;
		if (zone->transitions[middle].at <= seconds)
			low = middle;
		else
			high = middle;
	}
	return low;
}

int32_t zone_offset(const struct zone *zone, int64_t instant)
{
	if (zone->n == 0)
		return 0;
	return zone->transitions[stretch_find(zone, floor_divide(instant, SECOND_MILLISECONDS))]
		.offset;
}

int32_t zone_date(const struct zone *zone, int64_t instant)
{
	int64_t seconds = floor_divide(instant, SECOND_MILLISECONDS);

	return (int32_t)floor_divide(seconds + zone_offset(zone, instant), DAY_SECONDS);
}

int64_t zone_instant(const struct zone *zone, int32_t date, int32_t milliseconds)
{
	int64_t wall = (int64_t)date * DAY_SECONDS * SECOND_MILLISECONDS + milliseconds;

	if (zone->n == 0)
		return wall;
	/* No offset exceeds a day: what is sought lies in this stretch or in a later one. */
	size_t i =
		stretch_find(zone, floor_divide(wall, SECOND_MILLISECONDS) - (int64_t)DAY_SECONDS);
	for (;; i++) {
		const struct zone_transition *here = &zone->transitions[i];
		int64_t instant = wall - (int64_t)here->offset * SECOND_MILLISECONDS;
		if (i > 0 && instant < here->at * SECOND_MILLISECONDS)
			instant = here->at * SECOND_MILLISECONDS; /* skipped by the transition */
		if (i + 1 == zone->n || instant < here[1].at * SECOND_MILLISECONDS)
			return instant;
	}
}

int64_t zone_date_start(const struct zone *zone, int32_t date)
{
	return zone_instant(zone, date, 0);
}

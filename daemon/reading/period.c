#include "daemon/reading/period.h"

#include <string.h>

#include "rules/calendar.h"

#define YEARS_AHEAD 8 /* a 29 February comes within them */

/* A date as written; 0 for what is missing. */
struct written {
	unsigned day, month;
	int year;
};

struct scan {
	const char *at;
	struct period period;
	struct written written[2];
};

/* Digits at *AT, at most FOUR; returns how many. */
static size_t take_digits(const char **at, unsigned *ret)
{
	size_t n = strspn(*at, "0123456789");

	if (n == 0 || n > 4)
		return 0;
	*ret = 0;
	for (size_t i = 0; i < n; i++)
		*ret = *ret * 10 + (unsigned)((*at)[i] - '0');
	*at += n;
	return n;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int century(unsigned year, size_t digits)
{
	return (int)year + (digits == 2 ? 2000 : 0);
}

/* Two or three numbers with one mark between them. */
static bool take_date(struct scan *scan, struct written *ret)
{
	const char *at = scan->at;
	unsigned a, b, c = 0;
	size_t a_size = take_digits(&at, &a), b_size, c_size = 0;
	char mark = *at;

	if (a_size == 0 || a_size == 3 || !mark || !strchr("./-", mark))
		return false;
	at++;
	b_size = take_digits(&at, &b);
	if (b_size == 0 || b_size > 2) {
		if (mark == '/' || a_size > 2 || (mark == '.' && *at != '-' && *at != ' '))
			return false;
		/* "1.-10.3.2026": the day alone. */
		*ret = (struct written){.day = a};
		scan->at += a_size + (mark == '.');
		return true;
	}
	if (*at == mark && is_digit(at[1])) {
		at++;
		c_size = take_digits(&at, &c);
	} else if (mark == '-' && a_size <= 2 && *at == '.') {
		/* "1-10.3.2026" */
		*ret = (struct written){.day = a};
		scan->at += a_size;
		return true;
	}
	if (a_size == 4) {
		*ret = (struct written){.day = c, .month = b, .year = (int)a};
		scan->period.valid &= c_size > 0;
	} else if (c_size > 0) {
		*ret = (struct written){.day = a, .month = b, .year = century(c, c_size)};
		scan->period.valid &= c_size == 2 || c_size == 4;
	} else if (mark != '-') {
		*ret = (struct written){.day = a, .month = b};
		at += *at == '.';
	} else {
		return false;
	}
	scan->at = at;
	return true;
}

static bool take_time(struct scan *scan)
{
	const char *at = scan->at;
	unsigned hour, minute;
	size_t n = scan->period.n;

	if (n == 0 || scan->period.minutes[n - 1] >= 0)
		return false;
	at += *at == 'T' && is_digit(at[1]);
	size_t size = take_digits(&at, &hour);
	if (size == 0 || size > 2 || (*at != ':' && *at != '.'))
		return false;
	bool dot = *at++ == '.';
	if (take_digits(&at, &minute) != 2 || *at == '.' || *at == '/')
		return false;
	/* "10.12" is a time behind a date that has a year, otherwise a date. */
	if (dot && scan->written[n - 1].year == 0 && minute >= 1 && minute <= 12)
		return false;
	scan->period.valid &= hour < 24 ? minute < 60 : hour == 24 && minute == 0;
	scan->period.minutes[n - 1] = (int)(hour * 60 + minute);
	scan->at = at;
	return true;
}

/* The first such date on FROM or later. */
static bool next_date(struct written written, int32_t from, int32_t *ret)
{
	int year;
	unsigned month, day;

	date_to_civil(from, &year, &month, &day);
	for (int i = 0; i <= YEARS_AHEAD; i++)
		if (date_is_civil(year + i, written.month, written.day)) {
			*ret = date_from_civil(year + i, written.month, written.day);
			if (*ret >= from)
				return true;
		}
	return false;
}

/* The last such date on TO or earlier. */
static bool last_date(struct written written, int32_t to, int32_t *ret)
{
	int year;
	unsigned month, day;

	date_to_civil(to, &year, &month, &day);
	for (int i = 0; i <= YEARS_AHEAD; i++)
		if (date_is_civil(year - i, written.month, written.day)) {
			*ret = date_from_civil(year - i, written.month, written.day);
			if (*ret <= to)
				return true;
		}
	return false;
}

static bool full_date(struct written written, int32_t *ret)
{
	if (written.year < 1990 || written.year > 2999 ||
		!date_is_civil(written.year, written.month, written.day))
		return false;
	*ret = date_from_civil(written.year, written.month, written.day);
	return true;
}

static bool resolve_one(struct written written, int32_t from, int32_t *ret)
{
	return written.year ? full_date(written, ret)
			    : written.month && next_date(written, from, ret);
}

static bool resolve(struct scan *scan, int32_t today)
{
	struct written *written = scan->written;
	int32_t *dates = scan->period.dates;

	if (scan->period.n == 2 && written[0].month == 0) {
		written[0].month = written[1].month;
		written[0].year = written[1].year;
	}
	if (scan->period.n == 1)
		return resolve_one(written[0], today, &dates[0]);
	if (written[0].year == 0 && written[1].year != 0)
		return full_date(written[1], &dates[1]) && written[0].month &&
		       last_date(written[0], dates[1], &dates[0]);
	if (!resolve_one(written[0], today, &dates[0]))
		return false;
	return resolve_one(written[1], dates[0], &dates[1]);
}

bool period_read(const char *line, const struct words *words, int32_t today, struct period *ret)
{
	struct scan scan = {.at = line, .period = {.minutes = {-1, -1}, .valid = true}};

	while (*scan.at) {
		size_t word = words_period(words, scan.at);
		if (strchr(" ,;:()-", *scan.at))
			scan.at++;
		else if (word > 0)
			scan.at += word;
		else if (take_time(&scan))
			continue;
		else if (scan.period.n < 2 && take_date(&scan, &scan.written[scan.period.n]))
			scan.period.n++;
		else
			break;
	}
	if (scan.period.n == 0)
		return false;
	scan.period.valid = scan.period.valid && resolve(&scan, today);
	*ret = scan.period;
	return true;
}

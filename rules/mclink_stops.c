/*
 * Stops of MC-link's clock (7ter, 8.6): ordinary, vacation, and those that the Coordinator
 * grants.
 */
#include "rules/mclink.h"

#include <stddef.h>

#define HOUR (60 * 60000LL)

#define STOPS_IN_MANCHE 2
#define VACATION_HOURS 1500
#define VACATION_NOTICE_HOURS 168
#define VACATION_MONTH 6
#define SD_STOP_HOURS 200
#define SD_STOP_INTERVAL_HOURS 100
#define SD_STOP_LEFT_HOURS 250

static int stop_hours(const struct clock_stop *stop)
{
	return (int)((stop->to - stop->from) / HOUR);
}

/* 7ter.19: a quarter of the standard time between stops; 8.6: a hundred hours between
 * the player's own. */
static bool too_near(const struct clock *clock, const struct clock_stop *wanted)
{
	bool own_only = clock->mclink.sudden_death;
	int64_t least = own_only ? SD_STOP_INTERVAL_HOURS * HOUR
				 : clock->parameters.standard_hours * HOUR / 4;

	for (size_t i = 0; i < clock->n_stops; i++) {
		const struct clock_stop *stop = &clock->stops[i];
		if (stop->removed || (own_only && stop->by != wanted->by))
			continue;
		if (wanted->from - stop->to < least && stop->from - wanted->to < least)
			return true;
	}
	return false;
}

/* Ordinary stops of the player in his manche, and the hours of the last of them. */
static int stops_in_manche(const struct clock *clock, enum side side, int *ret_hours)
{
	int n = 0;

	for (size_t i = 0; i < clock->n_stops; i++) {
		const struct clock_stop *stop = &clock->stops[i];
		if (stop->removed || stop->by != side || stop->kind != STOP_NORMAL ||
			stop->manche != clock->mclink.side[side].manche)
			continue;
		*ret_hours = stop_hours(stop);
		n++;
	}
	return n;
}

static unsigned check_normal(
	const struct clock *clock, const struct clock_stop *stop, struct clock_answer *ret)
{
	const struct clock_parameters *parameters = &clock->parameters;
	int first_hours = 0, left = mclink_moves_left(clock, stop->by);
	int earlier = stops_in_manche(clock, stop->by, &first_hours);
	unsigned reasons = 0;

	ret->has_needed = true;
	ret->needed =
		(double)parameters->standard_hours * left / (2.0 * parameters->moves_per_manche);
	/* 7ter.7, in whole numbers: left >= T * moves / 2N */
	if ((int64_t)ret->tenths_remaining * 2 * parameters->moves_per_manche <
		(int64_t)TENTHS * parameters->standard_hours * left)
		reasons |= STOP_TOO_LITTLE_TIME;
	if (earlier >= STOPS_IN_MANCHE)
		reasons |= STOP_TWO_ALREADY;
	if (earlier == 1) {
		ret->has_both = true;
		ret->both_stops = first_hours + ret->hours;
		if (ret->both_stops > parameters->standard_hours)
			reasons |= STOP_OVER_STANDARD;
	}
	return reasons;
}

static unsigned check_sudden_death(
	const struct clock *clock, const struct clock_stop *stop, const struct clock_answer *answer)
{
	int hours = 0;
	unsigned reasons = 0;

	if (stops_in_manche(clock, stop->by, &hours) >= STOPS_IN_MANCHE)
		reasons |= STOP_TWO_ALREADY;
	if (answer->hours > SD_STOP_HOURS)
		reasons |= STOP_OVER_200;
	if (answer->tenths_remaining < TENTHS * SD_STOP_LEFT_HOURS)
		reasons |= STOP_UNDER_250;
	return reasons;
}

/* 7ter.14, .16: from 15 June to 15 September 24:00, 1500 hours at most. */
static unsigned check_period(const struct clock *clock, const struct clock_stop *stop)
{
	const struct zone *zone = clock->parameters.zone;
	int year;
	unsigned month, day, reasons = 0;

	date_to_civil(zone_date(zone, stop->from), &year, &month, &day);
	if (stop->from < zone_date_start(zone, date_from_civil(year, 6, 15)) ||
		stop->to > zone_date_start(zone, date_from_civil(year, 9, 16)))
		reasons |= STOP_OUTSIDE;
	if (stop_hours(stop) > VACATION_HOURS)
		reasons |= STOP_OVER_1500;
	return reasons;
}

static unsigned check_vacation(
	const struct clock *clock, const struct clock_stop *stop, int64_t asked)
{
	int year, month_begun = clock->parameters.month;
	unsigned month, day, reasons;

	if (clock->mclink.sudden_death)
		return STOP_SUDDEN_DEATH;
	reasons = check_period(clock, stop);
	date_to_civil(
		zone_date(clock->parameters.zone, clock->parameters.start), &year, &month, &day);
	if (month_begun == 0)
		month_begun = (int)month;
	if (month_begun != VACATION_MONTH)
		reasons |= STOP_NOT_JUNE;
	for (size_t i = 0; i < clock->n_stops; i++)
		if (!clock->stops[i].removed && clock->stops[i].kind == STOP_VACATION &&
			clock->stops[i].by == stop->by)
			reasons |= STOP_USED;
	if (stop->from - asked < VACATION_NOTICE_HOURS * HOUR)
		reasons |= STOP_NOTICE;
	return reasons;
}

static void stop_add(struct clock *clock, const struct clock_stop *stop, struct clock_answer *ret)
{
	ret->granted = true;
	ret->index = (int)clock->n_stops;
	clock->stops[clock->n_stops++] = *stop;
}

/* 7ter.6-19, 8.6: what a request is worth, in one game. */
static int consider_request(const struct clock *clock, const struct clock_event *event,
	struct clock_stop *stop, struct clock_answer *ret)
{
	int64_t asked = mclink_round(clock, event->at);

	*stop = (struct clock_stop){.by = event->by,
		.kind = event->vacation ? STOP_VACATION : STOP_NORMAL,
		.from = mclink_round(clock, event->start),
		.to = mclink_round(clock, event->end),
		.manche = clock->mclink.side[event->by].manche};
	if (stop->to <= stop->from)
		return CLOCK_ERROR_VALUE;
	ret->hours = stop_hours(stop);
	ret->considered = !event->flag; /* 7ter.4 */
	if (event->flag)
		return 0;
	if (stop->from < asked)
		ret->reasons |= STOP_RETROACTIVE;
	if (too_near(clock, stop))
		ret->reasons |= STOP_INTERVAL;
	if (event->vacation) {
		ret->reasons |= check_vacation(clock, stop, asked);
	} else {
		ret->has_remaining = true;
		ret->tenths_remaining = mclink_tenths_left(clock, event->by, event->at);
		ret->reasons |= clock->mclink.sudden_death ? check_sudden_death(clock, stop, ret)
							   : check_normal(clock, stop, ret);
	}
	return 0;
}

int mclink_consider(
	const struct clock *clock, const struct clock_event *event, struct clock_answer *ret)
{
	struct clock_stop stop;

	if (event->kind != CLOCK_STOP_REQUEST)
		return CLOCK_ERROR_SYSTEM;
	int r = consider_request(clock, event, &stop, ret);
	ret->granted = r == 0 && ret->considered && ret->reasons == 0;
	return r;
}

static int apply_request(
	struct clock *clock, const struct clock_event *event, struct clock_answer *ret, bool *keep)
{
	struct clock_stop stop;
	int r = consider_request(clock, event, &stop, ret);

	if (r != 0)
		return r;
	*keep = ret->considered && (ret->reasons == 0 || clock->replaying);
	if (*keep)
		stop_add(clock, &stop, ret);
	return 0;
}

/* 7ter.24: the Coordinator may, whatever the rules say. */
static int apply_grant(
	struct clock *clock, const struct clock_event *event, struct clock_answer *ret)
{
	struct clock_stop stop = {.by = event->by,
		.kind = STOP_COORDINATOR,
		.from = mclink_round(clock, event->start),
		.to = mclink_round(clock, event->end),
		.manche = clock->mclink.side[event->by].manche};

	if (stop.to <= stop.from)
		return CLOCK_ERROR_VALUE;
	ret->hours = stop_hours(&stop);
	stop_add(clock, &stop, ret);
	return 0;
}

static struct clock_stop *stop_find(struct clock *clock, const struct clock_event *event)
{
	if (event->n < 0 || (size_t)event->n >= clock->n_stops)
		return NULL;
	struct clock_stop *stop = &clock->stops[event->n];
	return stop->removed || stop->by != event->by ? NULL : stop;
}

/* A stop ends at an instant: what of it has passed stays. */
static void stop_cut(struct clock *clock, struct clock_stop *stop, int64_t at)
{
	int64_t now = mclink_round(clock, at);

	if (now <= stop->from)
		stop->removed = true;
	else if (now < stop->to)
		stop->to = now;
}

/* 7ter.21: an ordinary stop stands once it has been published. */
static int apply_withdraw(
	struct clock *clock, const struct clock_event *event, struct clock_answer *ret, bool *keep)
{
	struct clock_stop *stop = stop_find(clock, event);

	if (stop == NULL)
		return CLOCK_ERROR_PLY;
	if ((stop->kind == STOP_NORMAL && event->flag) || stop->to <= event->at) {
		*keep = false;
		return 0;
	}
	stop_cut(clock, stop, event->at);
	ret->granted = true;
	return 0;
}

/* 7ter.18: a vacation may be revoked, cut or extended, within 7ter.14 and .16. */
static int apply_change(
	struct clock *clock, const struct clock_event *event, struct clock_answer *ret, bool *keep)
{
	struct clock_stop *stop = stop_find(clock, event);
	int64_t now = mclink_round(clock, event->at);

	if (stop == NULL)
		return CLOCK_ERROR_PLY;
	struct clock_stop changed = *stop;
	if (event->start != INSTANT_NONE)
		changed.from = mclink_round(clock, event->start);
	changed.to = mclink_round(clock, event->end);
	bool moved = changed.from != stop->from;
	bool retroactive = (moved && (changed.from < now || stop->from < now)) ||
			   changed.to < now || stop->to <= now;
	if (stop->kind != STOP_VACATION || retroactive ||
		(changed.to > changed.from && check_period(clock, &changed) != 0)) {
		*keep = false;
		return 0;
	}
	if (changed.to <= changed.from)
		changed.removed = true;
	*stop = changed;
	ret->granted = true;
	ret->hours = changed.removed ? 0 : stop_hours(&changed);
	return 0;
}

int mclink_stop(
	struct clock *clock, const struct clock_event *event, struct clock_answer *ret, bool *keep)
{
	if (event->kind == CLOCK_STOP_REQUEST)
		return apply_request(clock, event, ret, keep);
	if (event->kind == CLOCK_STOP_GRANT)
		return apply_grant(clock, event, ret);
	if (event->kind == CLOCK_STOP_WITHDRAW)
		return apply_withdraw(clock, event, ret, keep);
	return apply_change(clock, event, ret, keep);
}

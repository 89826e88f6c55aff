#include "rules/mclink.h"

#include <stddef.h>

#define MINUTE 60000LL
#define HOUR (60 * MINUTE)
#define MINUTES_LATE 31 /* 7.4: from this minute on, an hour counts as the next */

#define STOPS_IN_MANCHE 2
#define VACATION_HOURS 1500
#define VACATION_NOTICE_HOURS 168
#define VACATION_MONTH 6
#define SD_STOP_HOURS 200
#define SD_STOP_INTERVAL_HOURS 100
#define SD_STOP_LEFT_HOURS 250
#define FREE_FAULTS 2

/* ---- The hourly clock (7.2-7.4) ---- */

static int64_t floor_to(int64_t value, int64_t unit)
{
	int64_t rest = value % unit;

	return value - (rest < 0 ? rest + unit : rest);
}

static int64_t round_hour(const struct clock *clock, int64_t instant)
{
	int64_t offset = 1000LL * zone_offset(clock->parameters.zone, instant);
	int64_t wall = instant + offset;
	int64_t hour = floor_to(wall, HOUR);

	if (wall - hour >= MINUTES_LATE * MINUTE)
		hour += HOUR;
	return hour - offset;
}

/* The end of the stops that cover an instant, or the instant itself. */
static int64_t stop_end(const struct clock *clock, int64_t instant)
{
	bool again = true;

	while (again) {
		again = false;
		for (size_t i = 0; i < clock->n_stops; i++) {
			const struct clock_stop *stop = &clock->stops[i];
			if (!stop->removed && stop->from <= instant && instant < stop->to) {
				instant = stop->to;
				again = true;
			}
		}
	}
	return instant;
}

/* The next beginning of a stop after an instant outside of stops. */
static int64_t stop_start(const struct clock *clock, int64_t instant)
{
	int64_t next = INT64_MAX;

	for (size_t i = 0; i < clock->n_stops; i++) {
		const struct clock_stop *stop = &clock->stops[i];
		if (!stop->removed && stop->to > stop->from && stop->from > instant &&
			stop->from < next)
			next = stop->from;
	}
	return next;
}

/* Whole hours between two rounded instants, but those of stops. */
static int hours_between(const struct clock *clock, int64_t from, int64_t to)
{
	int64_t total = 0;

	for (int64_t at = stop_end(clock, from); at < to; at = stop_end(clock, at)) {
		int64_t end = stop_start(clock, at);
		if (end > to)
			end = to;
		total += end - at;
		at = end;
	}
	return (int)(total / HOUR);
}

/* The last rounded instant up to which no more than `hours` have run. */
static int64_t deadline_find(const struct clock *clock, int64_t from, int hours)
{
	int64_t left = hours * HOUR, at = stop_end(clock, from);

	if (hours < 0)
		return from + left;
	for (;;) {
		int64_t next = stop_start(clock, at);
		if (next == INT64_MAX || next - at > left)
			return at + left;
		left -= next - at;
		at = stop_end(clock, next);
	}
}

/* When a message counts: in a stop, at its end (7ter.22); not before the start (7.8'). */
static int64_t instant_counted(const struct clock *clock, int64_t instant)
{
	int64_t end = stop_end(clock, instant);

	return instant_max(end > instant ? end : round_hour(clock, instant), clock->mclink.start);
}

/* ---- Manches (7.3'-7.7') ---- */

static int increment(const struct clock_parameters *parameters, int games)
{
	int hours = 0;

	for (int i = 0; i < parameters->n_increments; i++)
		if (parameters->increments[i].games <= games)
			hours = parameters->increments[i].hours;
	return hours;
}

/* 7bis.4-7: penalties are served now, a fifth of the hours at most; the rest is kept. */
static void allowance_set(struct clock *clock, enum side side, int manche)
{
	const struct clock_parameters *parameters = &clock->parameters;
	struct mclink_side *half = &clock->mclink.side[side];
	int due = half->pending + half->residual;

	half->gross = TENTHS * (parameters->standard_hours + increment(parameters, half->games));
	half->served = due < half->gross / 5 ? due : half->gross / 5;
	half->residual = due - half->served;
	half->available = half->gross - half->served;
	half->pending = 0;
	half->used = 0;
	half->manche = manche;
}

static void begin(struct clock *clock)
{
	const struct clock_parameters *parameters = &clock->parameters;

	clock->mclink = (struct mclink){.start = round_hour(clock, parameters->start)};
	clock->mclink.base = clock->mclink.start;
	for (int side = 0; side < 2; side++) {
		clock->mclink.side[side].games = parameters->games[side];
		allowance_set(clock, (enum side)side, 1);
	}
	clock->started = true;
}

static void recalculated(struct clock_answer *ret, enum side by, int manche)
{
	if (ret->n_recalculated < CLOCK_RECALCULATIONS_MAX)
		ret->recalculated[ret->n_recalculated++] =
			(struct clock_recalculation){.by = by, .manche = manche};
}

/* 8.1-8.5, 8.7 */
static bool sudden_death_begins(const struct clock *clock, int manches, int64_t at)
{
	return manches >= 2 && at - clock->mclink.start > clock->parameters.sd_days * (24 * HOUR);
}

static void sudden_death_begin(struct clock *clock, struct clock_answer *ret)
{
	clock->mclink.sudden_death = true;
	for (int side = 0; side < 2; side++) {
		struct mclink_side *half = &clock->mclink.side[side];
		half->gross = half->available = TENTHS * clock->parameters.sd_hours;
		half->served = half->used = half->pending = half->residual = half->manche = 0;
	}
	recalculated(ret, SIDE_WHITE, 0);
}

/* A move was made: White's first of a manche sets Black's allowance, Black's last of it
 * sets White's next. */
static void manches_advance(
	struct clock *clock, enum side by, int move, int64_t at, struct clock_answer *ret)
{
	int n = clock->parameters.moves_per_manche;
	enum side second = side_other(clock->first);

	if (clock->mclink.sudden_death)
		return;
	if (by == clock->first && (move - 1) % n == 0) {
		allowance_set(clock, second, (move - 1) / n + 1);
		recalculated(ret, second, (move - 1) / n + 1);
	}
	if (by == second && move % n == 0) {
		if (sudden_death_begins(clock, move / n, at)) {
			sudden_death_begin(clock, ret);
			return;
		}
		allowance_set(clock, clock->first, move / n + 1);
		recalculated(ret, clock->first, move / n + 1);
	}
}

/* ---- Time-out (7bis.1) ---- */

static bool deadline(const struct clock *clock, int64_t *ret_deadline, int64_t *ret_timeout)
{
	const struct mclink_side *half = &clock->mclink.side[clock->turn];

	if (clock->mclink.base == INSTANT_NONE)
		return false;
	int left = half->available - TENTHS * (half->used - clock->mclink.credit);
	*ret_deadline =
		deadline_find(clock, clock->mclink.base, (int)floor_to(left, TENTHS) / TENTHS);
	*ret_timeout = *ret_deadline + MINUTES_LATE * MINUTE;
	return true;
}

static int64_t overstep_at(const struct clock *clock)
{
	int64_t last, timeout;

	return deadline(clock, &last, &timeout) ? timeout : INSTANT_NONE;
}

static int running(const struct clock *clock, enum side side, int64_t at)
{
	if (side != clock->turn || clock->mclink.base == INSTANT_NONE)
		return 0;
	if (clock->ended_at != INSTANT_NONE && at > clock->ended_at)
		at = clock->ended_at;
	int hours = hours_between(clock, clock->mclink.base, instant_counted(clock, at)) -
		    clock->mclink.credit;
	return hours > 0 ? hours : 0;
}

static void advance(struct clock *clock, int64_t at)
{
	int64_t timeout = overstep_at(clock);

	if (timeout == INSTANT_NONE || timeout > at)
		return;
	enum side by = clock->turn;
	struct clock_overstep overstep = {.by = by,
		.kinds = OVERSTEP_HOURS,
		.move = moves_made(clock, by) + 1,
		.at = timeout,
		.days_on_move = running(clock, by, timeout),
		.result = by == SIDE_WHITE ? RESULT_BLACK : RESULT_WHITE};
	clock_note_overstep(clock, &overstep);
	clock_finish(clock, overstep.result, timeout);
}

/* ---- Moves ---- */

/* 7bis.2: what a move takes over half the standard time. Not in sudden death. */
static void penalty_long(struct clock *clock, const struct applied *entry, int move, int hours,
	struct clock_answer *ret)
{
	struct mclink_side *half = &clock->mclink.side[entry->event.by];
	int over = TENTHS * hours - TENTHS / 2 * clock->parameters.standard_hours;

	if (over <= 0 || clock->mclink.sudden_death || entry->lifted)
		return;
	ret->tenths_penalty = over;
	half->pending += over;
	struct clock_charge *charge =
		charge_add(clock, entry, entry->event.by, move, "MC-link 7bis.2");
	charge->tenths_penalty = over;
	charge->tenths_sum = TENTHS * half->used;
}

/* 7bis.3: two warnings, then a tenth of the standard time for each further fault in a row.
 * A tenth of T hours is T tenths of an hour. */
static void penalty_format(
	struct clock *clock, const struct applied *entry, int move, struct clock_answer *ret)
{
	struct mclink_side *half = &clock->mclink.side[entry->event.by];

	if (!entry->event.bad_format) {
		half->faults = 0;
		return;
	}
	half->faults++;
	if (half->faults <= FREE_FAULTS) {
		ret->warning = half->faults;
		return;
	}
	if (clock->mclink.sudden_death || entry->lifted)
		return;
	ret->tenths_format = clock->parameters.standard_hours;
	half->pending += ret->tenths_format;
	struct clock_charge *charge =
		charge_add(clock, entry, entry->event.by, move, "MC-link 7bis.3");
	charge->tenths_penalty = ret->tenths_format;
	charge->tenths_sum = TENTHS * half->used;
}

/* The turn of the side on the move begins with a publication. */
static void turn_begin(struct clock *clock, const struct applied *entry, int64_t published)
{
	clock->mclink.credit = entry->credit_next;
	clock->mclink.base =
		published == INSTANT_NONE ? INSTANT_NONE : instant_counted(clock, published);
}

/* The first own move of a message: its hours and penalties go here. */
static void move_first(
	struct clock *clock, const struct applied *entry, int64_t base, struct clock_answer *ret)
{
	const struct clock_event *event = &entry->event;
	struct mclink_side *half = &clock->mclink.side[event->by];
	int move = moves_made(clock, event->by) + 1;

	half->used += ret->hours;
	half->pending += half->owed;
	half->owed = 0;
	made_add(clock, entry, plies_of(entry));
	clock->days[event->by].values[move - 1] = ret->hours;
	/* made_add made the whole series; the charge is of the first move. */
	struct clock_charge *charge = charge_add(clock, entry, event->by, move, "MC-link 7.3");
	charge->received = base;
	charge->sent = event->at;
	charge->days = ret->hours;
	charge->tenths_sum = TENTHS * half->used;
	penalty_long(clock, entry, move, ret->hours, ret);
	penalty_format(clock, entry, move, ret);
}

static int apply_move(struct clock *clock, const struct applied *entry, struct clock_answer *ret)
{
	const struct clock_event *event = &entry->event;
	enum side by = event->by;
	int64_t base = clock->mclink.base;
	int first_ply = clock->ply + 1;

	if (by != clock->turn)
		return CLOCK_ERROR_NOT_ON_MOVE;
	ret->rounded = instant_counted(clock, event->at);
	if (stop_end(clock, event->at) > event->at)
		ret->registered_until = stop_end(clock, event->at);
	if (base != INSTANT_NONE)
		ret->hours = hours_between(clock, base, ret->rounded) - clock->mclink.credit -
			     entry->credit;
	if (ret->hours < 0)
		ret->hours = 0;
	ret->first = moves_made(clock, by) + 1;
	ret->last = ret->first + event->accepts;
	ret->charged_to = ret->first;
	move_first(clock, entry, base, ret);
	charges_free_of_cost(clock, entry, first_ply + 1, clock->ply, 0, "MC-link 5.3");
	for (int ply = first_ply; ply <= clock->ply; ply++) {
		enum side mover = ply % 2 == 1 ? clock->first : side_other(clock->first);
		manches_advance(clock, mover, (ply + 1) / 2, ret->rounded, ret);
	}
	turn_begin(clock, entry, event->delivered);
	return 0;
}

/* A message that makes no move: the clock runs on; it may be a format fault (4.5). */
static int apply_fault(struct clock *clock, const struct applied *entry, struct clock_answer *ret)
{
	enum side by = entry->event.by;

	if (by != clock->turn)
		return CLOCK_ERROR_NOT_ON_MOVE;
	if (entry->event.bad_format)
		penalty_format(clock, entry, moves_made(clock, by) + 1, ret);
	ret->rounded = instant_counted(clock, entry->event.at);
	return 0;
}

/* The relay's start: White's hours begin when the pairing notice has reached him. */
static int apply_start(struct clock *clock, const struct applied *entry)
{
	const struct clock_event *event = &entry->event;

	if (clock->ply > 0)
		return CLOCK_ERROR_STARTED;
	clock->first = clock->turn = event->by;
	turn_begin(clock, entry, event->delivered);
	return 0;
}

/* ---- Stops (7ter, 8.6) ---- */

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

static int tenths_left(const struct clock *clock, enum side side, int64_t at)
{
	const struct mclink_side *half = &clock->mclink.side[side];

	return half->available - TENTHS * (half->used + running(clock, side, at));
}

static int moves_left(const struct clock *clock, enum side side)
{
	return clock->mclink.side[side].manche * clock->parameters.moves_per_manche -
	       moves_made(clock, side);
}

static unsigned check_normal(
	const struct clock *clock, const struct clock_stop *stop, struct clock_answer *ret)
{
	const struct clock_parameters *parameters = &clock->parameters;
	int first_hours = 0, left = moves_left(clock, stop->by);
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
	int64_t asked = round_hour(clock, event->at);

	*stop = (struct clock_stop){.by = event->by,
		.kind = event->vacation ? STOP_VACATION : STOP_NORMAL,
		.from = round_hour(clock, event->start),
		.to = round_hour(clock, event->end),
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
		ret->tenths_remaining = tenths_left(clock, event->by, event->at);
		ret->reasons |= clock->mclink.sudden_death ? check_sudden_death(clock, stop, ret)
							   : check_normal(clock, stop, ret);
	}
	return 0;
}

static int consider(
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
		.from = round_hour(clock, event->start),
		.to = round_hour(clock, event->end),
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
	int64_t now = round_hour(clock, at);

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
	int64_t now = round_hour(clock, event->at);

	if (stop == NULL)
		return CLOCK_ERROR_PLY;
	struct clock_stop changed = *stop;
	if (event->start != INSTANT_NONE)
		changed.from = round_hour(clock, event->start);
	changed.to = round_hour(clock, event->end);
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

/* ---- Other events ---- */

static int apply_games(struct clock *clock, const struct clock_event *event)
{
	if (event->n < 0)
		return CLOCK_ERROR_VALUE;
	clock->mclink.side[event->by].games = event->n;
	return 0;
}

static int apply_penalty(struct clock *clock, const struct applied *entry, struct clock_answer *ret)
{
	const struct clock_event *event = &entry->event;

	if (event->n < 1 || event->n > COUNT_DAYS_MAX)
		return CLOCK_ERROR_VALUE;
	ret->penalty = entry->lifted ? 0 : event->n;
	if (entry->lifted)
		return 0;
	clock->mclink.side[event->by].owed += TENTHS * event->n;
	struct clock_charge *charge =
		charge_add(clock, entry, event->by, moves_made(clock, event->by) + 1, "ruling");
	charge->tenths_penalty = TENTHS * event->n;
	charge->tenths_sum = TENTHS * clock->mclink.side[event->by].used;
	return 0;
}

static int apply_rollback(struct clock *clock, const struct applied *entry)
{
	turn_begin(clock, entry, entry->event.at);
	return 0;
}

/* An agreed draw awaits the Coordinator (9): what was used stays used. */
static int apply_freeze(struct clock *clock, const struct applied *entry)
{
	if (clock->status != CLOCK_RUNNING && !clock->replaying)
		return CLOCK_ERROR_STATUS;
	clock->mclink.frozen_since = clock->mclink.base;
	clock->mclink.credit = -running(clock, clock->turn, entry->event.at);
	clock->mclink.base = INSTANT_NONE;
	clock->status = CLOCK_SUSPENDED;
	return 0;
}

static int apply_thaw(struct clock *clock, const struct applied *entry)
{
	int64_t since = clock->mclink.frozen_since;

	if (clock->status != CLOCK_SUSPENDED && !clock->replaying)
		return CLOCK_ERROR_STATUS;
	clock->status = CLOCK_RUNNING;
	if (since != INSTANT_NONE)
		clock->mclink.base = instant_max(since, instant_counted(clock, entry->event.at));
	return 0;
}

static int apply(struct clock *clock, struct applied *entry, struct clock_answer *ret, bool *keep)
{
	const struct clock_event *event = &entry->event;

	switch (event->kind) {
	case CLOCK_START:
		return apply_start(clock, entry);
	case CLOCK_MOVE:
		return apply_move(clock, entry, ret);
	case CLOCK_FAULT:
		return apply_fault(clock, entry, ret);
	case CLOCK_ROLLBACK:
		return apply_rollback(clock, entry);
	case CLOCK_GAMES:
		return apply_games(clock, event);
	case CLOCK_STOP_REQUEST:
		return apply_request(clock, event, ret, keep);
	case CLOCK_STOP_GRANT:
		return apply_grant(clock, event, ret);
	case CLOCK_STOP_WITHDRAW:
		return apply_withdraw(clock, event, ret, keep);
	case CLOCK_VACATION_CHANGE:
		return apply_change(clock, event, ret, keep);
	case CLOCK_EDIT:
		return apply_penalty(clock, entry, ret);
	case CLOCK_FREEZE:
		return apply_freeze(clock, entry);
	case CLOCK_THAW:
		return apply_thaw(clock, entry);
	case CLOCK_AUTO_REPLY:
	case CLOCK_QUERY:
	case CLOCK_REPEAT:
	case CLOCK_LEAVE:
	case CLOCK_LEAVE_END:
	case CLOCK_CLAIM:
	case CLOCK_RULING:
	case CLOCK_ARBITER:
	case CLOCK_END:
	case CLOCK_ZONE:
		break;
	}
	return CLOCK_ERROR_SYSTEM;
}

/* ---- What follows from it ---- */

#define STOPS_AHEAD 3

/* The beginnings and ends of the stops after the last event, those that overlap as one. */
static size_t stop_timers(const struct clock *clock, struct clock_timer *out)
{
	int64_t at = clock->now != INSTANT_NONE ? clock->now : clock->mclink.start;
	size_t n = 0;

	if (stop_end(clock, at) > at) {
		at = stop_end(clock, at);
		out[n++] = (struct clock_timer){.kind = TIMER_STOP_END, .at = at};
	}
	for (int i = 0; i < STOPS_AHEAD && stop_start(clock, at) != INT64_MAX; i++) {
		at = stop_start(clock, at);
		out[n++] = (struct clock_timer){.kind = TIMER_STOP_START, .at = at};
		at = stop_end(clock, at);
		out[n++] = (struct clock_timer){.kind = TIMER_STOP_END, .at = at};
	}
	return n;
}

static size_t timers(const struct clock *clock, struct clock_timer *out)
{
	int64_t last, timeout;
	size_t n = stop_timers(clock, out);

	if (deadline(clock, &last, &timeout))
		out[n++] = (struct clock_timer){.kind = TIMER_OVERSTEP, .at = timeout};
	for (size_t i = 0; i < n; i++) {
		out[i].ply = clock->ply;
		out[i].by = clock->turn;
	}
	return n;
}

static void side_state(
	const struct clock *clock, int64_t at, enum side side, struct clock_side *ret)
{
	const struct mclink_side *half = &clock->mclink.side[side];

	ret->manche = half->manche;
	ret->moves_left = half->manche == 0 ? 0 : moves_left(clock, side);
	ret->gross = half->gross;
	ret->served = half->served;
	ret->available = half->available;
	ret->used = half->used;
	ret->running = running(clock, side, at);
	ret->tenths_remaining = half->available - TENTHS * (half->used + ret->running);
	ret->pending = half->pending;
	ret->residual = half->residual;
	ret->faults = half->faults;
	ret->on_move = side == clock->turn && clock->status == CLOCK_RUNNING &&
		       clock->mclink.base != INSTANT_NONE;
}

static void state(const struct clock *clock, int64_t at, struct clock_state *ret)
{
	for (int side = 0; side < 2; side++)
		side_state(clock, at, (enum side)side, &ret->side[side]);
	ret->sudden_death = clock->mclink.sudden_death;
	if (clock->status != CLOCK_RUNNING)
		return;
	if (stop_end(clock, at) > at)
		ret->status = CLOCK_STOPPED;
	if (!deadline(clock, &ret->deadline, &ret->timeout_at))
		ret->deadline = ret->timeout_at = INSTANT_NONE;
}

const struct clock_ops mclink_ops = {
	.begin = begin,
	.apply = apply,
	.consider = consider,
	.advance = advance,
	.overstep_at = overstep_at,
	.timers = timers,
	.state = state,
};

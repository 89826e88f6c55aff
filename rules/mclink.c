#include "rules/mclink.h"

#include <stddef.h>

#define MINUTE 60000LL
#define HOUR (60 * MINUTE)
#define MINUTES_LATE 31 /* 7.4: from this minute on, an hour counts as the next */

#define FREE_FAULTS 2

/* ---- The hourly clock (7.2-7.4) ---- */

static int64_t floor_to(int64_t value, int64_t unit)
{
	int64_t rest = value % unit;

	return value - (rest < 0 ? rest + unit : rest);
}

int64_t mclink_round(const struct clock *clock, int64_t instant)
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

	return instant_max(end > instant ? end : mclink_round(clock, instant), clock->mclink.start);
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

	clock->mclink = (struct mclink){.start = mclink_round(clock, parameters->start)};
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
	clock->mclink.frozen = false;
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

/* The last reply of an accepted series ends the game: nobody has to answer it. */
static int apply_last_reply(
	struct clock *clock, const struct applied *entry, struct clock_answer *ret)
{
	if (entry->event.by != clock->turn)
		return CLOCK_ERROR_NOT_ON_MOVE;
	ret->first = ret->last = ret->charged_to = moves_made(clock, entry->event.by) + 1;
	made_add(clock, entry, 1);
	(void)charge_add(clock, entry, entry->event.by, ret->first, "MC-link 5.3");
	turn_begin(clock, entry, INSTANT_NONE);
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
	/* The number of games may have been told since the clock was made. */
	allowance_set(clock, SIDE_WHITE, 1);
	allowance_set(clock, SIDE_BLACK, 1);
	turn_begin(clock, entry, event->delivered);
	return 0;
}

/* ---- What is left ---- */

int mclink_tenths_left(const struct clock *clock, enum side side, int64_t at)
{
	const struct mclink_side *half = &clock->mclink.side[side];

	return half->available - TENTHS * (half->used + running(clock, side, at));
}

int mclink_moves_left(const struct clock *clock, enum side side)
{
	return clock->mclink.side[side].manche * clock->parameters.moves_per_manche -
	       moves_made(clock, side);
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
	turn_begin(clock, entry, ruling_told(&entry->event));
	return 0;
}

static void freeze(struct clock *clock, int64_t at)
{
	clock->mclink.frozen = true;
	clock->mclink.frozen_since = clock->mclink.base;
	clock->mclink.credit = -running(clock, clock->turn, at);
	clock->mclink.base = INSTANT_NONE;
}

static void thaw(struct clock *clock, int64_t at)
{
	int64_t since = clock->mclink.frozen_since;

	clock->mclink.frozen = false;
	if (since != INSTANT_NONE)
		clock->mclink.base = instant_max(since, instant_counted(clock, at));
}

/* An agreed draw awaits the Coordinator (9): what was used stays used. */
static int apply_freeze(struct clock *clock, const struct applied *entry)
{
	if (clock->status != CLOCK_RUNNING && !clock->replaying)
		return CLOCK_ERROR_STATUS;
	freeze(clock, entry->event.at);
	clock->status = CLOCK_SUSPENDED;
	return 0;
}

static int apply_thaw(struct clock *clock, const struct applied *entry)
{
	if (clock->status != CLOCK_SUSPENDED && !clock->replaying)
		return CLOCK_ERROR_STATUS;
	clock->status = CLOCK_RUNNING;
	thaw(clock, entry->event.at);
	return 0;
}

/* 7bis.1: the Coordinator puts a time-out aside. The hours of the move that is thought about
 * are counted from then on. */
static int apply_arbiter(struct clock *clock, const struct applied *entry)
{
	const struct clock_event *event = &entry->event;

	if (event->action != ACTION_RESUME || event->days != 0)
		return CLOCK_ERROR_VALUE;
	if (!clock->has_overstep && !clock->replaying)
		return CLOCK_ERROR_STATUS;
	clock->has_overstep = false;
	clock->status = CLOCK_RUNNING;
	clock->result = RESULT_NONE;
	clock->ended_at = INSTANT_NONE;
	turn_begin(clock, entry, event->at);
	return 0;
}

static int apply_reopen(struct clock *clock, struct applied *entry)
{
	int64_t told = ruling_told(&entry->event);

	if (entry->event.days != 0)
		return CLOCK_ERROR_VALUE;
	int r = reopen_begin(clock, entry, TENTHS * clock->mclink.side[clock->turn].used);
	if (r != 0)
		return r;
	if (entry->event.flag) {
		clock->has_overstep = false;
		turn_begin(clock, entry, told);
	} else {
		if (!clock->mclink.frozen)
			freeze(clock, clock->ended_at);
		thaw(clock, told);
	}
	clock->ended_at = INSTANT_NONE;
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
	case CLOCK_STOP_GRANT:
	case CLOCK_STOP_WITHDRAW:
	case CLOCK_VACATION_CHANGE:
		return mclink_stop(clock, event, ret, keep);
	case CLOCK_EDIT:
		return apply_penalty(clock, entry, ret);
	case CLOCK_FREEZE:
		return apply_freeze(clock, entry);
	case CLOCK_THAW:
		return apply_thaw(clock, entry);
	case CLOCK_REOPEN:
		return apply_reopen(clock, entry);
	case CLOCK_AUTO_REPLY:
		return apply_last_reply(clock, entry, ret);
	case CLOCK_ARBITER:
		return apply_arbiter(clock, entry);
	case CLOCK_QUERY:
	case CLOCK_REPEAT:
	case CLOCK_LEAVE:
	case CLOCK_LEAVE_END:
	case CLOCK_CLAIM:
	case CLOCK_RULING:
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
		/* Several stops may begin and end while one move is thought about. */
		out[i].ply = out[i].kind == TIMER_OVERSTEP ? clock->ply : (int)(out[i].at / HOUR);
		out[i].by = clock->turn;
	}
	return n;
}

static void side_state(
	const struct clock *clock, int64_t at, enum side side, struct clock_side *ret)
{
	const struct mclink_side *half = &clock->mclink.side[side];

	ret->manche = half->manche;
	ret->moves_left = half->manche == 0 ? 0 : mclink_moves_left(clock, side);
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
	.consider = mclink_consider,
	.advance = advance,
	.overstep_at = overstep_at,
	.timers = timers,
	.state = state,
};

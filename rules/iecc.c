#include "rules/iecc.h"

#include <stddef.h>

static void begin(struct clock *clock)
{
	clock->iecc = (struct iecc){.arrival = DATE_NONE,
		.since = INSTANT_NONE,
		.pending_at = {INSTANT_NONE, INSTANT_NONE}};
}

/* ---- Counting ---- */

static bool is_leave_day(const struct clock *clock, enum side side, int32_t date)
{
	return leaves_cover(clock, date, side, !clock->parameters.leave_player);
}

/* 7.3: dates after the arrival up to the answer; 8.4: but those of a leave. */
static int count(const struct clock *clock, enum side side, int32_t arrival, int32_t to)
{
	int days = 0;

	if (arrival == DATE_NONE)
		return 0;
	for (int32_t date = arrival + 1; date <= to && days < COUNT_DAYS_MAX; date++)
		if (!is_leave_day(clock, side, date))
			days++;
	return days;
}

/* The date on which the count reaches `days`, 1 or more. */
static int32_t date_of_count(const struct clock *clock, enum side side, int32_t arrival, int days)
{
	int32_t date = arrival;

	while (days > 0) {
		date++;
		if (!is_leave_day(clock, side, date))
			days--;
	}
	return date;
}

/* Index of the first move in the window that ends with move `last` (7.4). */
static int window_first(const struct clock *clock, enum side side, int last)
{
	int first = last - clock->parameters.window_moves + 1;
	int base = (int)clock->iecc.window_base[side] + 1;

	return first > base ? first : base;
}

/* Days and penalties of the finished moves first .. last. */
static int window_sum(const struct clock *clock, enum side side, int first, int last)
{
	int sum = 0;

	for (int move = first; move <= last && move <= moves_made(clock, side); move++)
		sum += clock->days[side].values[move - 1] + clock->penalties[side].values[move - 1];
	return sum;
}

static int window_ending(const struct clock *clock, enum side side, int last)
{
	return window_sum(clock, side, window_first(clock, side, last), last);
}

/* Finished moves of the window that ends with the move to come. */
static int next_move_base(const struct clock *clock, enum side side)
{
	return window_ending(clock, side, moves_made(clock, side) + 1);
}

/* Days that the side on the move has used by an instant. */
static int used(const struct clock *clock, int64_t at)
{
	enum side side = clock->turn;

	int days = clock->iecc.spent +
		   count(clock, side, clock->iecc.arrival, zone_date(clock->zones[side], at));
	return days > 0 ? days : 0;
}

/* ---- Overstep (7.10) ---- */

struct limit {
	int64_t at;
	int days; /* used then */
	unsigned kinds;
};

static unsigned kinds_of(const struct clock *clock, int days, int sum)
{
	return (days > clock->parameters.move_days ? OVERSTEP_MOVE : 0U) |
	       (sum > clock->parameters.window_days ? OVERSTEP_WINDOW : 0U);
}

/* When the side on the move oversteps if nothing arrives; false if no clock runs. */
static bool limit_find(const struct clock *clock, struct limit *ret)
{
	const struct clock_parameters *parameters = &clock->parameters;
	const struct iecc *iecc = &clock->iecc;
	enum side side = clock->turn;

	if (!clock->started || iecc->arrival == DATE_NONE)
		return false;
	int sum = next_move_base(clock, side) + iecc->pending[side];
	int left = parameters->move_days;
	if (parameters->window_days - sum < left)
		left = parameters->window_days - sum;
	left -= iecc->spent;
	if (left < 0) {
		ret->at = instant_max(iecc->since, iecc->pending_at[side]);
		ret->days = used(clock, ret->at);
	} else {
		int32_t date = date_of_count(clock, side, iecc->arrival, left + 1);
		ret->at = zone_date_start(clock->zones[side], date);
		ret->days = iecc->spent + left + 1;
		/* Only the penalty made it so early: at the fined message. */
		if (ret->at < iecc->pending_at[side]) {
			ret->at = iecc->pending_at[side];
			ret->days = used(clock, ret->at);
		}
	}
	ret->kinds = kinds_of(clock, ret->days, sum + ret->days);
	return true;
}

static int64_t overstep_at(const struct clock *clock)
{
	struct limit limit;

	return limit_find(clock, &limit) ? limit.at : INSTANT_NONE;
}

static void advance(struct clock *clock, int64_t at)
{
	enum side side = clock->turn;
	int move = moves_made(clock, side) + 1;
	struct limit limit;

	if (clock->gap || !limit_find(clock, &limit) || limit.at > at)
		return;
	clock_note_overstep(clock, &(struct clock_overstep){.by = side,
					   .kinds = limit.kinds,
					   .move = move,
					   .at = limit.at,
					   .days_on_move = limit.days,
					   .window_first = window_first(clock, side, move),
					   .window_last = move,
					   .window_sum = next_move_base(clock, side) +
							 clock->iecc.pending[side] + limit.days});
	clock->status = CLOCK_SUSPENDED;
}

/* A penalty booked on finished moves can overstep a window (7.8). */
static void check_finished(struct clock *clock, enum side side, int first, int64_t at)
{
	for (int move = first; move <= moves_made(clock, side); move++) {
		int sum = window_ending(clock, side, move);
		int days = clock->days[side].values[move - 1];
		if (move <= (int)clock->iecc.window_base[side] ||
			sum <= clock->parameters.window_days)
			continue;
		clock_note_overstep(clock, &(struct clock_overstep){.by = side,
						   .kinds = kinds_of(clock, days, sum),
						   .move = move,
						   .at = at,
						   .days_on_move = days,
						   .window_first = window_first(clock, side, move),
						   .window_last = move,
						   .window_sum = sum});
		clock->status = CLOCK_SUSPENDED;
		return;
	}
}

/* ---- Events ---- */

/* The turn of the side on the move begins with a delivery. */
static void turn_begin(struct clock *clock, const struct applied *entry, int64_t delivered)
{
	clock->iecc.spent = -entry->credit_next;
	clock->iecc.since = delivered;
	clock->iecc.arrival = delivered == INSTANT_NONE
				      ? DATE_NONE
				      : zone_date(clock->zones[clock->turn], delivered);
}

static int apply_start(struct clock *clock, const struct applied *entry, struct clock_answer *ret)
{
	const struct clock_event *event = &entry->event;

	if (clock->started)
		return CLOCK_ERROR_STARTED;
	clock->started = true;
	clock->first = clock->turn = event->by;
	/* White's time begins at the later of the official start and the pairing notice. */
	turn_begin(clock, entry,
		event->delivered == INSTANT_NONE ? INSTANT_NONE
						 : instant_max(event->at, event->delivered));
	ret->arrival = clock->iecc.arrival;
	return 0;
}

/* Penalties that waited for the next own move go to move `first` if it was made. */
static int pending_book(struct clock *clock, enum side side, int first)
{
	int pending = clock->iecc.pending[side];

	if (pending == 0 || first > moves_made(clock, side))
		return 0;
	clock->penalties[side].values[first - 1] += pending;
	clock->iecc.pending[side] = 0;
	clock->iecc.pending_at[side] = INSTANT_NONE;
	return pending;
}

static void charge_days(struct clock *clock, const struct applied *entry, enum side by, int move,
	int days, int32_t arrival, const char *article)
{
	struct clock_charge *charge = charge_add(clock, entry, by, move, article);

	charge->days = days;
	charge->received = clock->iecc.since;
	charge->received_date = arrival;
	charge->sent = entry->event.at;
	charge->sent_date = zone_date(clock->zones[by], entry->event.at);
	charge->tenths_sum = TENTHS * window_ending(clock, by, move);
}

static int move_days(const struct clock *clock, const struct applied *entry)
{
	int days = used(clock, entry->event.at) - entry->credit;

	return days > 0 ? days : 0;
}

/* 7.8: one day at the move on which the offence was committed. */
static void penalty_charge(struct clock *clock, const struct applied *entry, enum side by, int move,
	int days, const char *article)
{
	struct clock_charge *charge = charge_add(clock, entry, by, move, article);

	charge->tenths_penalty = TENTHS * days;
	charge->sent = entry->event.at;
	charge->sent_date = zone_date(clock->zones[by], entry->event.at);
	int sum = window_ending(clock, by, move);
	if (move > moves_made(clock, by))
		sum += clock->iecc.pending[by];
	charge->tenths_sum = TENTHS * sum;
}

static int apply_move(struct clock *clock, const struct applied *entry, struct clock_answer *ret)
{
	const struct clock_event *event = &entry->event;
	const struct clock_parameters *parameters = &clock->parameters;
	enum side by = event->by;

	if (!clock->started)
		return CLOCK_ERROR_NOT_STARTED;
	if (by != clock->turn)
		return CLOCK_ERROR_NOT_ON_MOVE;
	int32_t arrival = clock->iecc.arrival;
	int first_ply = clock->ply + 1, before = moves_made(clock, side_other(by));
	ret->days = move_days(clock, entry);
	ret->first = moves_made(clock, by) + 1;
	ret->last = ret->first + event->accepts;
	ret->charged_to = parameters->charge_last ? ret->last : ret->first;
	made_add(clock, entry, plies_of(entry));
	bool whole = ret->last <= moves_made(clock, by);
	bool charged = ret->charged_to <= moves_made(clock, by);
	if (charged)
		clock->days[by].values[ret->charged_to - 1] = ret->days;
	ret->penalty = pending_book(clock, by, ret->first);
	(void)pending_book(clock, side_other(by), before + 1);
	int charged_ply = ply_of(clock, by, ret->charged_to);
	charges_free_of_cost(clock, entry, first_ply,
		charged_ply < clock->ply ? charged_ply : clock->ply, charged_ply, "IECC 7.6b");
	if (charged)
		charge_days(clock, entry, by, ret->charged_to, ret->days, arrival,
			event->accepts > 0 ? "IECC 7.6c" : "IECC 7.3");
	charges_free_of_cost(clock, entry, charged_ply + 1, clock->ply, 0, "IECC 7.6b");
	if (event->illegal_conditional && whole && !entry->lifted) {
		clock->penalties[by].values[ret->last - 1] += parameters->penalty_days;
		ret->penalty += parameters->penalty_days;
		penalty_charge(clock, entry, by, ret->last, parameters->penalty_days, "IECC 7.8");
	}
	ret->sum = window_ending(clock, by, ret->charged_to);
	ret->sum_now = window_ending(clock, by, ret->last);
	turn_begin(clock, entry, event->delivered);
	ret->arrival = clock->iecc.arrival;
	check_finished(clock, by, ret->first, event->at);
	ret->overstepped = clock->status == CLOCK_SUSPENDED;
	return 0;
}

/* 7.6a: the expected move came alone; the relay plays the stored reply at no cost. */
static int apply_auto_reply(
	struct clock *clock, const struct applied *entry, struct clock_answer *ret)
{
	const struct clock_event *event = &entry->event;

	if (!clock->started || clock->ply == 0)
		return CLOCK_ERROR_NOT_STARTED;
	if (event->by != clock->turn)
		return CLOCK_ERROR_NOT_ON_MOVE;
	ret->first = ret->last = ret->charged_to = moves_made(clock, event->by) + 1;
	made_add(clock, entry, 1);
	ret->penalty = pending_book(clock, event->by, ret->first);
	(void)charge_add(clock, entry, event->by, ret->first, "IECC 7.6b");
	turn_begin(clock, entry, event->delivered);
	ret->arrival = clock->iecc.arrival;
	return 0;
}

/* The accepted moves of a message whose own answer is bad stand; its days go to the first
 * of its own moves, and the answer is counted from that day on. */
static void accepted_stand(
	struct clock *clock, const struct applied *entry, struct clock_answer *ret)
{
	const struct clock_event *event = &entry->event;
	enum side by = event->by;
	int first_ply = clock->ply + 1, others = moves_made(clock, side_other(by));
	int32_t arrival = clock->iecc.arrival;

	ret->first = moves_made(clock, by) + 1;
	ret->last = ret->first + event->accepts - 1;
	made_add(clock, entry, entry->kept > 0 ? entry->kept : 2 * event->accepts);
	(void)pending_book(clock, by, ret->first);
	(void)pending_book(clock, side_other(by), others + 1);
	if (clock->parameters.charge_last) {
		charges_free_of_cost(clock, entry, first_ply, clock->ply, 0, "IECC 7.6b");
		return;
	}
	clock->days[by].values[ret->first - 1] = ret->days;
	charge_days(clock, entry, by, ret->first, ret->days, arrival, "IECC 7.6c");
	charges_free_of_cost(clock, entry, first_ply + 1, clock->ply, 0, "IECC 7.6b");
	clock->iecc.spent = -entry->credit_next;
	if (arrival != DATE_NONE)
		clock->iecc.arrival = zone_date(clock->zones[by], event->at);
}

static int apply_fault(struct clock *clock, const struct applied *entry, struct clock_answer *ret)
{
	const struct clock_event *event = &entry->event;
	enum side by = event->by;

	if (!clock->started)
		return CLOCK_ERROR_NOT_STARTED;
	if (by != clock->turn)
		return CLOCK_ERROR_NOT_ON_MOVE;
	ret->days = move_days(clock, entry);
	int so_far = ret->days;
	if (event->accepts > 0) {
		accepted_stand(clock, entry, ret);
		so_far = clock->parameters.charge_last ? ret->days : 0;
	}
	/* A wrong repetition (10.2) is returned without penalty: 7.8 does not name it. */
	if (event->fault != FAULT_BAD_REPETITION && !entry->lifted) {
		ret->penalty = clock->parameters.penalty_days;
		clock->iecc.pending[by] += ret->penalty;
		clock->iecc.pending_at[by] = event->at;
		penalty_charge(
			clock, entry, by, moves_made(clock, by) + 1, ret->penalty, "IECC 7.8");
	}
	ret->sum = next_move_base(clock, by) + clock->iecc.pending[by] + so_far;
	advance(clock, event->at);
	ret->overstepped = clock->status == CLOCK_SUSPENDED;
	return 0;
}

/* 8.1-8.4. In a replay what was granted stays granted. */
static int apply_leave(
	struct clock *clock, struct applied *entry, struct clock_answer *ret, bool *keep)
{
	struct clock_event *event = &entry->event;
	const struct clock_parameters *parameters = &clock->parameters;
	int64_t announced = event->sent != INSTANT_NONE ? event->sent : event->at;
	int32_t earliest = zone_date(clock->zones[event->by], announced) + 1;

	if (event->from == DATE_NONE || event->to < event->from ||
		event->to - event->from > LEAVE_DAYS_MAX)
		return CLOCK_ERROR_VALUE;
	ret->late = event->from < earliest;
	if (ret->late && !clock->replaying)
		event->from = earliest;
	if (event->from > event->to) {
		ret->reason = "over before it could start";
		*keep = false;
		return 0;
	}
	leaves_add(clock, event->by, event->from, event->to);
	ret->total = leaves_days(clock, event->by, 0);
	if (parameters->two_player) {
		int32_t end = date_add_months(event->from, parameters->leave_months);
		if (event->to >= end) {
			ret->reason = "over six months";
			ret->may_annul = true;
		} else if (!event->agreed) {
			ret->reason = "opponent has not agreed";
		}
	} else if (ret->total > parameters->leave_quota && !event->approved) {
		ret->reason = "over quota";
		ret->ask = true;
	}
	if (ret->reason != NULL && !clock->replaying) {
		clock->n_leaves--;
		*keep = false;
		return 0;
	}
	ret->granted = true;
	ret->from = event->from;
	ret->to = event->to;
	return 0;
}

/* 7.9: the player now on the move counts from the notice. Nobody is fined for what is taken back,
 * but what the TD has booked himself stands until he lifts it. */
static int apply_rollback(struct clock *clock, const struct applied *entry)
{
	turn_begin(clock, entry, ruling_told(&entry->event));
	return 0;
}

/* The windows of who overstepped start anew, his clock at AT. */
static void forgive(struct clock *clock, const struct applied *entry, int64_t at)
{
	enum side late = clock->has_overstep ? clock->overstep.by : clock->turn;

	clock->iecc.window_base[late] = clock->days[late].n;
	clock->iecc.pending[late] = 0;
	clock->iecc.pending_at[late] = INSTANT_NONE;
	clock->has_overstep = false;
	turn_begin(clock, entry, at);
	clock->iecc.spent += entry->event.days;
}

static int apply_arbiter(struct clock *clock, const struct applied *entry, struct clock_answer *ret)
{
	const struct clock_event *event = &entry->event;

	if (event->action == ACTION_RESULT) {
		clock_finish(clock, event->result, event->at);
		ret->result = event->result;
		return 0;
	}
	if (event->action != ACTION_RESUME || event->days < 0 || event->days > COUNT_DAYS_MAX)
		return CLOCK_ERROR_VALUE;
	if (clock->status != CLOCK_SUSPENDED && !clock->replaying)
		return CLOCK_ERROR_STATUS;
	/* The windows of the late player start anew, his clock restarts that day. */
	clock->status = CLOCK_RUNNING;
	forgive(clock, entry, event->at);
	ret->has_turn = true;
	ret->turn = clock->turn;
	ret->arrival = clock->iecc.arrival;
	return 0;
}

static int apply_penalty(struct clock *clock, const struct applied *entry, struct clock_answer *ret)
{
	const struct clock_event *event = &entry->event;

	if (event->n < 1 || event->n > COUNT_DAYS_MAX)
		return CLOCK_ERROR_VALUE;
	ret->penalty = entry->lifted ? 0 : event->n;
	if (ret->penalty == 0)
		return 0;
	clock->iecc.pending[event->by] += event->n;
	clock->iecc.pending_at[event->by] = event->at;
	penalty_charge(
		clock, entry, event->by, moves_made(clock, event->by) + 1, event->n, "IECC 7.9");
	if (clock->status == CLOCK_RUNNING)
		advance(clock, event->at);
	ret->overstepped = clock->status == CLOCK_SUSPENDED;
	return 0;
}

/* A withdrawal awaits its ruling (3.1): what was used stays used. */
static int apply_freeze(struct clock *clock, const struct applied *entry)
{
	if (!clock->started)
		return CLOCK_ERROR_NOT_STARTED;
	if (clock->status != CLOCK_RUNNING && !clock->replaying)
		return CLOCK_ERROR_STATUS;
	clock->iecc.spent = used(clock, entry->event.at);
	clock->iecc.arrival = DATE_NONE;
	clock->status = CLOCK_SUSPENDED;
	return 0;
}

static int apply_thaw(struct clock *clock, const struct applied *entry, struct clock_answer *ret)
{
	struct iecc *iecc = &clock->iecc;

	if ((clock->status != CLOCK_SUSPENDED || clock->has_overstep) && !clock->replaying)
		return CLOCK_ERROR_STATUS;
	clock->status = CLOCK_RUNNING;
	if (iecc->since != INSTANT_NONE) {
		iecc->since = instant_max(iecc->since, entry->event.at);
		iecc->arrival = zone_date(clock->zones[clock->turn], iecc->since);
	}
	ret->has_turn = true;
	ret->turn = clock->turn;
	ret->arrival = iecc->arrival;
	return 0;
}

static int apply_reopen(struct clock *clock, struct applied *entry, struct clock_answer *ret)
{
	struct iecc *iecc = &clock->iecc;
	int64_t told = ruling_told(&entry->event);

	int r = reopen_begin(clock, entry, TENTHS * next_move_base(clock, clock->turn));
	if (r != 0)
		return r;
	if (entry->event.flag && !clock->gap) {
		forgive(clock, entry, told);
	} else {
		/* Up to the end it was used; then it was nobody's. */
		iecc->spent =
			entry->event.days > 0 ? entry->event.days : used(clock, clock->ended_at);
		if (iecc->since != INSTANT_NONE) {
			iecc->since = instant_max(iecc->since, told);
			iecc->arrival = zone_date(clock->zones[clock->turn], iecc->since);
		}
	}
	clock->ended_at = INSTANT_NONE;
	ret->has_turn = true;
	ret->turn = clock->turn;
	ret->arrival = iecc->arrival;
	return 0;
}

static int apply(struct clock *clock, struct applied *entry, struct clock_answer *ret, bool *keep)
{
	const struct clock_event *event = &entry->event;

	switch (event->kind) {
	case CLOCK_START:
		return apply_start(clock, entry, ret);
	case CLOCK_MOVE:
		return apply_move(clock, entry, ret);
	case CLOCK_AUTO_REPLY:
		return apply_auto_reply(clock, entry, ret);
	case CLOCK_FAULT:
		return apply_fault(clock, entry, ret);
	case CLOCK_LEAVE:
		return apply_leave(clock, entry, ret, keep);
	case CLOCK_ROLLBACK:
		return apply_rollback(clock, entry);
	case CLOCK_ARBITER:
		return apply_arbiter(clock, entry, ret);
	case CLOCK_EDIT:
		return apply_penalty(clock, entry, ret);
	case CLOCK_FREEZE:
		return apply_freeze(clock, entry);
	case CLOCK_THAW:
		return apply_thaw(clock, entry, ret);
	case CLOCK_REOPEN:
		return apply_reopen(clock, entry, ret);
	case CLOCK_QUERY:
	case CLOCK_REPEAT:
	case CLOCK_LEAVE_END:
	case CLOCK_CLAIM:
	case CLOCK_RULING:
	case CLOCK_GAMES:
	case CLOCK_STOP_REQUEST:
	case CLOCK_STOP_GRANT:
	case CLOCK_STOP_WITHDRAW:
	case CLOCK_VACATION_CHANGE:
	case CLOCK_END:
	case CLOCK_ZONE:
		break;
	}
	return CLOCK_ERROR_SYSTEM;
}

/* ---- What follows from it ---- */

/* 7.11: the start of the day on which the count of the mover passes five. */
static int64_t reminder_at(const struct clock *clock)
{
	const struct iecc *iecc = &clock->iecc;
	int days = clock->parameters.remind_days + 1 - iecc->spent;

	if (days < 1)
		return iecc->since;
	return zone_date_start(
		clock->zones[clock->turn], date_of_count(clock, clock->turn, iecc->arrival, days));
}

static size_t timers(const struct clock *clock, struct clock_timer *out)
{
	struct limit limit;
	size_t n = leaves_timers(clock, out);

	if (!limit_find(clock, &limit))
		return n;
	out[n++] = (struct clock_timer){.kind = TIMER_REMIND,
		.at = reminder_at(clock),
		.ply = clock->ply,
		.by = clock->turn};
	out[n++] = (struct clock_timer){
		.kind = TIMER_OVERSTEP, .at = limit.at, .ply = clock->ply, .by = clock->turn};
	return n;
}

static void running_state(const struct clock *clock, int64_t at, struct clock_side *ret)
{
	struct limit limit;
	enum side side = clock->turn;

	if (clock->status != CLOCK_RUNNING || !limit_find(clock, &limit))
		return;
	ret->on_move = true;
	ret->arrival = clock->iecc.arrival;
	ret->running = used(clock, at);
	ret->penalty = clock->iecc.pending[side];
	ret->window_sum = ret->next_move_base + ret->penalty + ret->running;
	ret->window_left = clock->parameters.window_days - ret->window_sum;
	ret->move_left = clock->parameters.move_days - ret->running;
	ret->reminder_at = reminder_at(clock);
	ret->overstep_at = limit.at;
	ret->overstep_kinds = limit.kinds;
}

static void state(const struct clock *clock, int64_t at, struct clock_state *ret)
{
	for (int side = 0; side < 2; side++) {
		struct clock_side *half = &ret->side[side];
		half->last_window_sum =
			window_ending(clock, (enum side)side, moves_made(clock, (enum side)side));
		half->next_move_base = next_move_base(clock, (enum side)side);
	}
	running_state(clock, at, &ret->side[clock->turn]);
}

const struct clock_ops iecc_ops = {
	.begin = begin,
	.apply = apply,
	.advance = advance,
	.overstep_at = overstep_at,
	.timers = timers,
	.state = state,
};

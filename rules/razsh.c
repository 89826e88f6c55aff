#include "rules/razsh.h"

#include <stddef.h>

static void begin(struct clock *clock)
{
	clock->razsh = (struct razsh){.start = DATE_NONE,
		.base = DATE_NONE,
		.base_at = INSTANT_NONE,
		.query_base = DATE_NONE,
		.last_move = DATE_NONE,
		.last_sent = DATE_NONE,
		.last_zone = NULL};
	for (int side = 0; side < 2; side++)
		clock->razsh.side[side].over_at = clock->razsh.side[side].extra_at = INSTANT_NONE;
}

/* ---- Counting ---- */

static bool on_leave(const struct clock *clock, enum side side, int32_t date)
{
	return leaves_cover(clock, date, side, false);
}

/* 7.6: what arrives during a leave counts as received on the first day after it. In
 * section II the first day after the leave counts already. */
static int32_t count_from(const struct clock *clock, enum side side, int32_t received)
{
	if (!razsh_is_post(clock))
		while (on_leave(clock, side, received))
			received++;
	return received;
}

static int count(const struct clock *clock, enum side side, int32_t received, int32_t to)
{
	int days = 0;

	if (received == DATE_NONE)
		return 0;
	for (int32_t date = count_from(clock, side, received) + 1;
		date <= to && days < COUNT_DAYS_MAX; date++)
		if (!on_leave(clock, side, date))
			days++;
	return days;
}

/* The date on which the count reaches `days`, 1 or more. */
static int32_t date_of_count(const struct clock *clock, enum side side, int32_t received, int days)
{
	int32_t date = count_from(clock, side, received);

	while (days > 0) {
		date++;
		if (!on_leave(clock, side, date))
			days--;
	}
	return date;
}

/* Days and bookings on the moves after `dropped` up to `last`. */
int razsh_total_up_to(const struct clock *clock, enum side side, int last)
{
	int dropped = clock->razsh.side[side].dropped, sum = 0;

	for (int move = dropped + 1; move <= moves_made(clock, side) && move <= last; move++)
		sum += clock->days[side].values[move - 1];
	for (size_t i = 0; i < clock->n_extra[side]; i++) {
		const struct clock_extra *extra = &clock->extra[side][i];
		if (extra->move > dropped && extra->move <= last)
			sum += extra->days;
	}
	return sum;
}

static int total(const struct clock *clock, enum side side)
{
	return razsh_total_up_to(clock, side, INT32_MAX);
}

/* The control that a move belongs to, and its limit (4.3). */
static int control_of(const struct clock *clock, enum side side, int move)
{
	int counted = move - clock->razsh.side[side].dropped;
	int moves = clock->parameters.control_moves;

	return counted < 1 ? 1 : (counted + moves - 1) / moves;
}

static int limit_of(const struct clock *clock, enum side side, int move)
{
	return clock->parameters.control_days * control_of(clock, side, move);
}

static int next_move(const struct clock *clock, enum side side)
{
	return moves_made(clock, side) + 1;
}

/* 4.6: while a variant is pending, the control of the last move that may be reached. */
int razsh_reachable_limit(const struct clock *clock, enum side side)
{
	int reach = side == clock->turn ? clock->razsh.reach : 0;

	return limit_of(clock, side, next_move(clock, side) + reach);
}

/* Days of the answer to come. Those of a move that the count dropped weigh nothing. */
int razsh_running(const struct clock *clock, enum side side, int64_t at)
{
	const struct razsh *razsh = &clock->razsh;

	if (side != clock->turn || !clock->started)
		return 0;
	if (clock->ended_at != INSTANT_NONE && at > clock->ended_at)
		at = clock->ended_at;
	int days = razsh->kept + count(clock, side, razsh->base, zone_date(clock->zones[side], at));
	return days > 0 ? days : 0;
}

int razsh_weight(const struct clock *clock, enum side side, int days)
{
	return next_move(clock, side) <= clock->razsh.side[side].dropped ? 0 : days;
}

/* ---- Overstep (4.3): noted, open to a claim ---- */

static bool limit_find(const struct clock *clock, int64_t *ret_at)
{
	const struct razsh *razsh = &clock->razsh;
	enum side side = clock->turn;
	const struct razsh_side *half = &razsh->side[side];
	int limit = razsh_reachable_limit(clock, side);
	int left = limit - total(clock, side) - razsh_weight(clock, side, razsh->kept);

	if (!clock->started || razsh->base == DATE_NONE || next_move(clock, side) <= half->dropped)
		return false;
	if (left < 0) {
		*ret_at = half->over_limit == limit ? half->over_at
						    : instant_max(razsh->base_at, half->extra_at);
		return true;
	}
	int32_t date = date_of_count(clock, side, razsh->base, left + 1);
	*ret_at = instant_max(zone_date_start(clock->zones[side], date), half->extra_at);
	return true;
}

static int64_t overstep_at(const struct clock *clock)
{
	int64_t at;

	return limit_find(clock, &at) ? at : INSTANT_NONE;
}

static void note(struct clock *clock, enum side side, int limit, int64_t at)
{
	struct razsh_side *half = &clock->razsh.side[side];

	if (half->over_limit == limit)
		return;
	half->over_limit = limit;
	half->over_at = at;
	half->over_moves = moves_made(clock, side);
}

static void advance(struct clock *clock, int64_t at)
{
	int64_t over;

	if (limit_find(clock, &over) && over <= at)
		note(clock, clock->turn, razsh_reachable_limit(clock, clock->turn), over);
}

/* ---- Events ---- */

static int32_t not_before_start(const struct clock *clock, int32_t date)
{
	return date < clock->razsh.start ? clock->razsh.start : date;
}

/* The time of the side on the move runs from a delivery (4.4, 4.5). */
void razsh_base_set(struct clock *clock, int64_t delivered)
{
	struct razsh *razsh = &clock->razsh;

	razsh->base_at = delivered;
	razsh->base = DATE_NONE;
	if (delivered != INSTANT_NONE)
		razsh->base =
			not_before_start(clock, zone_date(clock->zones[clock->turn], delivered));
}

static int apply_start(struct clock *clock, const struct applied *entry, struct clock_answer *ret)
{
	const struct clock_event *event = &entry->event;
	struct razsh *razsh = &clock->razsh;
	const struct zone *zone = clock->zones[event->by];

	if (clock->started)
		return CLOCK_ERROR_STARTED;
	if (event->date == DATE_NONE && event->at == INSTANT_NONE)
		return CLOCK_ERROR_VALUE;
	clock->started = true;
	clock->first = clock->turn = event->by;
	razsh->kept = -entry->credit_next;
	razsh->start = event->date != DATE_NONE ? event->date : zone_date(zone, event->at);
	bool late = event->delivered != INSTANT_NONE &&
		    zone_date(zone, event->delivered) > razsh->start;
	if (event->date != DATE_NONE && event->at == INSTANT_NONE &&
		event->delivered == INSTANT_NONE) {
		razsh->base = razsh->start;
		razsh->base_at = zone_date_start(zone, razsh->start);
	} else {
		razsh_base_set(clock, event->delivered);
		/* Section II 4.6: a late notice puts the start on the third day after it. */
		if (razsh_is_post(clock) && late)
			razsh->base = razsh->start = zone_date(zone, event->delivered) + 3;
	}
	ret->arrival = razsh->base;
	return 0;
}

/* Days booked on the next own move. */
static void book(struct clock *clock, const struct applied *entry, enum side side, int days,
	const char *kind, const char *article)
{
	struct clock_charge *charge;
	int move = next_move(clock, side);

	if (entry->lifted)
		return;
	clock->extra[side][clock->n_extra[side]++] = (struct clock_extra){
		.move = move, .days = days, .kind = kind, .event = (size_t)(entry - clock->events)};
	clock->razsh.side[side].extra_at = entry->event.at;
	charge = charge_add(clock, entry, side, move, article);
	charge->tenths_penalty = TENTHS * days;
	charge->sent = entry->event.at;
	charge->sent_date = zone_date(clock->zones[side], entry->event.at);
	charge->tenths_sum = TENTHS * total(clock, side);
	int limit = side == clock->turn ? razsh_reachable_limit(clock, side)
					: limit_of(clock, side, move);
	if (!clock->gap && total(clock, side) + razsh_running(clock, side, entry->event.at) > limit)
		note(clock, side, limit, entry->event.at);
}

static void remaining_before(
	const struct clock *clock, const struct applied *entry, struct clock_answer *ret)
{
	for (int i = 0; i < 2; i++) {
		enum side side = (enum side)i;
		int used = side == entry->event.by ? razsh_weight(clock, side, ret->days) : 0;
		ret->remaining_before[i] =
			limit_of(clock, side, next_move(clock, side)) - total(clock, side) - used;
		if (ret->remaining_before[i] <= clock->parameters.cc_days &&
			clock->parameters.cc_days >= 0)
			ret->cc_arbiter = true;
	}
}

static int answer_days(const struct clock *clock, const struct applied *entry)
{
	int days = razsh_running(clock, entry->event.by, entry->event.at) - entry->credit;

	return days > 0 ? days : 0;
}

static void charge_move(struct clock *clock, const struct applied *entry, int move, int days,
	int32_t base, int64_t base_at)
{
	struct clock_charge *charge = charge_add(clock, entry, entry->event.by, move,
		entry->event.accepts > 0 ? "RAZSh 4.6" : "RAZSh 4.4");

	charge->days = days;
	charge->received = base_at;
	charge->received_date = base;
	charge->sent = entry->event.at;
	charge->sent_date = zone_date(clock->zones[entry->event.by], entry->event.at);
	charge->tenths_sum = TENTHS * razsh_total_up_to(clock, entry->event.by, move);
}

static void sent_set(struct clock *clock, const struct clock_event *event)
{
	clock->razsh.last_zone = clock->zones[event->by];
	clock->razsh.last_sent = zone_date(clock->zones[event->by], event->at);
}

static int apply_move(struct clock *clock, const struct applied *entry, struct clock_answer *ret)
{
	const struct clock_event *event = &entry->event;
	struct razsh *razsh = &clock->razsh;
	enum side by = event->by;

	if (!clock->started)
		return CLOCK_ERROR_NOT_STARTED;
	if (by != clock->turn)
		return CLOCK_ERROR_NOT_ON_MOVE;
	int32_t base = razsh->base;
	int64_t base_at = razsh->base_at;
	int first_ply = clock->ply + 1;
	ret->days = answer_days(clock, entry);
	remaining_before(clock, entry, ret);
	ret->first = next_move(clock, by);
	ret->last = ret->charged_to = ret->first + event->accepts;
	ret->limit = limit_of(clock, by, ret->last);
	made_add(clock, entry, plies_of(entry));
	charges_free_of_cost(
		clock, entry, first_ply, clock->ply, ply_of(clock, by, ret->last), "RAZSh 4.6");
	if (ret->last <= moves_made(clock, by)) {
		clock->days[by].values[ret->last - 1] = ret->days;
		charge_move(clock, entry, ret->last, ret->days, base, base_at);
	}
	ret->sum = total(clock, by);
	ret->over_limit = ret->sum > ret->limit;
	if (ret->over_limit)
		note(clock, by, ret->limit, event->at);
	sent_set(clock, event);
	razsh->last_move = razsh->last_sent;
	razsh->kept = -entry->credit_next;
	razsh->query = false;
	razsh->reach = event->offers;
	razsh_base_set(clock, event->delivered);
	if (event->delivered != INSTANT_NONE) {
		ret->arrival = zone_date(clock->zones[side_other(by)], event->delivered);
		ret->slow_transmission =
			ret->arrival - razsh->last_sent > clock->parameters.standard_transmission;
	}
	return 0;
}

/* The last reply of an accepted variant ends the game: nobody has to answer it. */
static int apply_last_reply(
	struct clock *clock, const struct applied *entry, struct clock_answer *ret)
{
	if (!clock->started)
		return CLOCK_ERROR_NOT_STARTED;
	if (entry->event.by != clock->turn)
		return CLOCK_ERROR_NOT_ON_MOVE;
	ret->first = ret->last = ret->charged_to = next_move(clock, entry->event.by);
	made_add(clock, entry, 1);
	(void)charge_add(clock, entry, entry->event.by, ret->first, "RAZSh 3.7");
	clock->razsh.kept = clock->razsh.reach = 0;
	razsh_base_set(clock, INSTANT_NONE);
	return 0;
}

static const char *fault_word(enum clock_fault fault)
{
	switch (fault) {
	case FAULT_ILLEGAL:
		return "illegal";
	case FAULT_AMBIGUOUS:
		return "ambiguous";
	case FAULT_ILLEGIBLE:
		return "illegible";
	case FAULT_EMPTY:
		return "empty";
	case FAULT_BAD_REPETITION:
		return "bad_repetition";
	case FAULT_VARIANT_UNANSWERED:
		return "variant_unanswered";
	}
	return "illegal";
}

/* 4.7; section II 4.9: five days, then ten for every later fault in the game. */
static int penalty_next(struct clock *clock, enum side side)
{
	const struct clock_parameters *parameters = &clock->parameters;
	bool again = clock->razsh.side[side].faults++ > 0;

	return razsh_is_post(clock) && again ? parameters->penalty_again : parameters->penalty_days;
}

static int apply_fault(struct clock *clock, const struct applied *entry, struct clock_answer *ret)
{
	const struct clock_event *event = &entry->event;
	struct razsh *razsh = &clock->razsh;
	enum side by = event->by;
	int first_ply = clock->ply + 1;

	if (!clock->started)
		return CLOCK_ERROR_NOT_STARTED;
	if (by != clock->turn || razsh->query)
		return CLOCK_ERROR_NOT_ON_MOVE;
	ret->days = answer_days(clock, entry);
	if (event->accepts > 0) {
		ret->first = next_move(clock, by);
		ret->last = ret->first + event->accepts - 1;
		made_add(clock, entry, entry->kept > 0 ? entry->kept : 2 * event->accepts);
		charges_free_of_cost(clock, entry, first_ply, clock->ply, 0, "RAZSh 4.6");
		razsh->reach -= event->accepts < razsh->reach ? event->accepts : razsh->reach;
	}
	razsh->kept = ret->days;
	razsh->base = DATE_NONE;
	if (!entry->lifted) {
		ret->penalty = penalty_next(clock, by);
		book(clock, entry, by, ret->penalty, fault_word(event->fault),
			razsh_is_post(clock) ? "RAZSh II 4.9" : "RAZSh 4.7");
	}
	ret->sum = total(clock, by);
	if (event->query_delivered != INSTANT_NONE) {
		razsh_base_set(clock, event->query_delivered);
	} else if (event->delivered != INSTANT_NONE) {
		razsh->query = true;
		razsh->query_base = not_before_start(
			clock, zone_date(clock->zones[side_other(by)], event->delivered));
	}
	return 0;
}

/* 4.8: the partner's answer to a bad move; what is over three days counts as his. */
static int apply_query(struct clock *clock, const struct applied *entry, struct clock_answer *ret)
{
	const struct clock_event *event = &entry->event;
	struct razsh *razsh = &clock->razsh;

	if (!razsh->query)
		return CLOCK_ERROR_STATUS;
	if (event->by == clock->turn)
		return CLOCK_ERROR_NOT_ON_MOVE;
	ret->days = count(
		clock, event->by, razsh->query_base, zone_date(clock->zones[event->by], event->at));
	if (ret->days > clock->parameters.grace_days)
		ret->charged = ret->days - clock->parameters.grace_days;
	book(clock, entry, event->by, ret->charged, "late query", "RAZSh 4.8");
	ret->sum = total(clock, event->by);
	razsh->query = false;
	razsh_base_set(clock, event->delivered);
	ret->arrival = razsh->base;
	return 0;
}

/* 5.1, 4.9: the 14th day after sending, the partner's leave days not counted. */
static int32_t repeat_due(const struct clock *clock, int days)
{
	int32_t date = clock->razsh.last_sent;

	while (days > 0) {
		date++;
		if (!on_leave(clock, clock->turn, date))
			days--;
	}
	return date;
}

static int apply_repeat(struct clock *clock, const struct applied *entry, struct clock_answer *ret)
{
	const struct clock_event *event = &entry->event;
	const struct clock_parameters *parameters = &clock->parameters;

	if (!clock->started || clock->razsh.last_sent == DATE_NONE)
		return CLOCK_ERROR_STATUS;
	if (event->by == clock->turn)
		return CLOCK_ERROR_NOT_ON_MOVE;
	ret->due = repeat_due(clock, parameters->repeat_days);
	sent_set(clock, event);
	if (clock->razsh.last_sent > ret->due)
		ret->delay = clock->razsh.last_sent - ret->due;
	if (event->flag && ret->delay > parameters->repeat_grace && !entry->lifted)
		ret->penalty = ret->delay;
	if (ret->penalty > 0)
		book(clock, entry, event->by, ret->penalty, "late repeat", "RAZSh 4.9");
	if (event->flag)
		razsh_base_set(clock, event->delivered);
	ret->sum = total(clock, event->by);
	ret->cc_arbiter = true;
	ret->arrival = clock->razsh.base;
	return 0;
}

static int apply_penalty(struct clock *clock, const struct applied *entry, struct clock_answer *ret)
{
	const struct clock_event *event = &entry->event;

	if (event->n < 1 || event->n > COUNT_DAYS_MAX)
		return CLOCK_ERROR_VALUE;
	ret->penalty = entry->lifted ? 0 : event->n;
	book(clock, entry, event->by, event->n, "ruling", "ruling");
	ret->sum = total(clock, event->by);
	return 0;
}

/* 5.1, 5.3: the notice is what was sent last to the player on the move, and silence is counted from
 * it. Before the first move there is nothing to repeat. */
static void silence_anew(struct clock *clock, int64_t told)
{
	struct razsh *razsh = &clock->razsh;

	if (razsh->last_move == DATE_NONE)
		return;
	razsh->last_zone = clock->zones[side_other(clock->turn)];
	razsh->last_sent = razsh->last_move = zone_date(razsh->last_zone, told);
}

static int apply_rollback(struct clock *clock, const struct applied *entry)
{
	if (entry->event.flag)
		silence_anew(clock, ruling_told(&entry->event));
	clock->razsh.kept = -entry->credit_next;
	clock->razsh.query = false;
	clock->razsh.reach = 0;
	razsh_base_set(clock, ruling_told(&entry->event));
	return 0;
}

/* A withdrawal (8) awaits its ruling, or the event has ended (9.4). */
static int apply_freeze(struct clock *clock, const struct applied *entry)
{
	struct razsh *razsh = &clock->razsh;

	if (!clock->started)
		return CLOCK_ERROR_NOT_STARTED;
	if (clock->status != CLOCK_RUNNING && !clock->replaying)
		return CLOCK_ERROR_STATUS;
	razsh->kept = razsh_running(clock, clock->turn, entry->event.at);
	razsh->base = DATE_NONE;
	clock->status = CLOCK_SUSPENDED;
	return 0;
}

static int apply_thaw(struct clock *clock, const struct applied *entry, struct clock_answer *ret)
{
	struct razsh *razsh = &clock->razsh;

	if (clock->status != CLOCK_SUSPENDED && !clock->replaying)
		return CLOCK_ERROR_STATUS;
	clock->status = CLOCK_RUNNING;
	if (entry->event.flag)
		silence_anew(clock, entry->event.at);
	if (!razsh->query && razsh->base_at != INSTANT_NONE)
		razsh_base_set(clock, instant_max(razsh->base_at, entry->event.at));
	ret->has_turn = true;
	ret->turn = clock->turn;
	ret->arrival = razsh->base;
	return 0;
}

/* A claim that had ended the game, or was open when it ended, is put aside with the end. */
static int apply_reopen(struct clock *clock, struct applied *entry, struct clock_answer *ret)
{
	struct razsh *razsh = &clock->razsh;
	int used = razsh_running(clock, clock->turn, clock->ended_at);

	int r = reopen_begin(clock, entry, TENTHS * total(clock, clock->turn));
	if (r != 0)
		return r;
	if (razsh->lost)
		razsh->side[side_other(razsh->claimant)].upheld--;
	razsh->lost = razsh->claimed = false;
	clock->ended_at = INSTANT_NONE;
	silence_anew(clock, ruling_told(&entry->event));
	razsh->kept = entry->event.days > 0 ? entry->event.days : used;
	if (!razsh->query && razsh->base_at != INSTANT_NONE)
		razsh_base_set(clock, instant_max(razsh->base_at, ruling_told(&entry->event)));
	ret->has_turn = true;
	ret->turn = clock->turn;
	ret->arrival = razsh->base;
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
	case CLOCK_FAULT:
		return apply_fault(clock, entry, ret);
	case CLOCK_QUERY:
		return apply_query(clock, entry, ret);
	case CLOCK_REPEAT:
		return apply_repeat(clock, entry, ret);
	case CLOCK_LEAVE:
		return razsh_leave(clock, entry, ret, keep);
	case CLOCK_LEAVE_END:
		return razsh_leave_end(clock, event, ret);
	case CLOCK_CLAIM:
		return razsh_claim(clock, event, ret, keep);
	case CLOCK_RULING:
		return razsh_ruling(clock, event, ret);
	case CLOCK_ROLLBACK:
		return apply_rollback(clock, entry);
	case CLOCK_EDIT:
		return apply_penalty(clock, entry, ret);
	case CLOCK_FREEZE:
		return apply_freeze(clock, entry);
	case CLOCK_THAW:
		return apply_thaw(clock, entry, ret);
	case CLOCK_REOPEN:
		return apply_reopen(clock, entry, ret);
	case CLOCK_AUTO_REPLY:
		return apply_last_reply(clock, entry, ret);
	case CLOCK_ARBITER:
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

/* 4.10: when the side on the move has no more than five days left to its control, if it had
 * more when its turn began. */
static bool copies_find(const struct clock *clock, int64_t *ret_at)
{
	const struct razsh *razsh = &clock->razsh;
	enum side side = clock->turn;
	int left = limit_of(clock, side, next_move(clock, side)) - total(clock, side) -
		   razsh_weight(clock, side, razsh->kept) - clock->parameters.cc_days;

	if (clock->parameters.cc_days < 0 || razsh->base == DATE_NONE || left < 1 ||
		next_move(clock, side) <= razsh->side[side].dropped)
		return false;
	*ret_at =
		zone_date_start(clock->zones[side], date_of_count(clock, side, razsh->base, left));
	return true;
}

static size_t timers(const struct clock *clock, struct clock_timer *out)
{
	const struct razsh *razsh = &clock->razsh;
	const struct clock_parameters *parameters = &clock->parameters;
	const struct zone *zone = razsh->last_zone;
	size_t n = 0;
	int64_t at;

	if (!clock->started)
		return 0;
	if (razsh->last_move != DATE_NONE) {
		out[n++] = (struct clock_timer){.kind = TIMER_REPEAT,
			.at = zone_date_start(
				zone, repeat_due(clock, parameters->repeat_days + 1))};
		out[n++] = (struct clock_timer){.kind = TIMER_SILENCE,
			.at = zone_date_start(
				zone, razsh->last_move + parameters->silence_days + 1)};
	} else if (razsh_is_post(clock) && razsh->base != DATE_NONE) {
		/* Section II 5.1: no first move. */
		out[n++] = (struct clock_timer){.kind = TIMER_SILENCE,
			.at = zone_date_start(clock->zones[clock->turn],
				razsh->base + parameters->repeat_days + 1)};
	}
	if (razsh_is_post(clock) && razsh->last_move != DATE_NONE)
		out[n++] = (struct clock_timer){.kind = TIMER_REPORT,
			.at = zone_date_start(zone, date_add_months(razsh->last_move, 3))};
	const struct razsh_side *half = &razsh->side[clock->turn];
	if (limit_find(clock, &at) &&
		(half->over_limit != razsh_reachable_limit(clock, clock->turn) ||
			half->over_moves == moves_made(clock, clock->turn)))
		out[n++] = (struct clock_timer){.kind = TIMER_OVERSTEP, .at = at};
	if (copies_find(clock, &at))
		out[n++] = (struct clock_timer){.kind = TIMER_COPIES, .at = at};
	for (size_t i = 0; i < n; i++) {
		out[i].ply = clock->ply;
		out[i].by = clock->turn;
	}
	return n + leaves_timers(clock, out + n);
}

static void side_state(
	const struct clock *clock, int64_t at, enum side side, bool *ret_cc, struct clock_side *ret)
{
	int cc_days = clock->parameters.cc_days;

	ret->total = total(clock, side);
	ret->running = razsh_running(clock, side, at);
	ret->limit = razsh_reachable_limit(clock, side);
	ret->remaining = ret->limit - ret->total - razsh_weight(clock, side, ret->running);
	ret->leave_days = leaves_days(clock, side, 0);
	ret->on_move = side == clock->turn && clock->status == CLOCK_RUNNING &&
		       clock->razsh.base != DATE_NONE;
	ret->arrival = side == clock->turn ? clock->razsh.base : DATE_NONE;
	/* 4.10 looks at the very next move, whatever variant is pending. */
	int left = limit_of(clock, side, next_move(clock, side)) - ret->total -
		   razsh_weight(clock, side, ret->running);
	if (cc_days >= 0 && left <= cc_days)
		*ret_cc = true;
}

static void state(const struct clock *clock, int64_t at, struct clock_state *ret)
{
	const struct razsh *razsh = &clock->razsh;
	const struct clock_parameters *parameters = &clock->parameters;
	int64_t over;

	for (int side = 0; side < 2; side++)
		side_state(clock, at, (enum side)side, &ret->cc_arbiter, &ret->side[side]);
	if (clock->status != CLOCK_RUNNING)
		return;
	if (razsh->last_move != DATE_NONE) {
		ret->repeat_due = repeat_due(clock, parameters->repeat_days);
		ret->auto_repeat_at = zone_date_start(
			razsh->last_zone, repeat_due(clock, parameters->repeat_days + 1));
		ret->silence_at = zone_date_start(
			razsh->last_zone, razsh->last_move + parameters->silence_days + 1);
	}
	if (!limit_find(clock, &over))
		return;
	ret->has_overstep = true;
	ret->overstep = (struct clock_overstep){.by = clock->turn,
		.kinds = OVERSTEP_CONTROL,
		.move = next_move(clock, clock->turn),
		.at = over,
		.days_on_move = ret->side[clock->turn].running};
	ret->limit = razsh_reachable_limit(clock, clock->turn);
	ret->passed = over <= at;
}

const struct clock_ops razsh_ops = {
	.begin = begin,
	.apply = apply,
	.consider = razsh_consider,
	.advance = advance,
	.overstep_at = overstep_at,
	.timers = timers,
	.state = state,
};

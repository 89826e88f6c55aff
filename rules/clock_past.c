/*
 * What has been folded, once more: rulings on the past (penalties, stamps, moves taken back).
 */
#include "rules/clock_system.h"

/* Back to before the first event, keeping memory. */
void past_begin(struct clock *clock)
{
	for (int side = 0; side < 2; side++) {
		clock->zones[side] = clock->first_zones[side];
		clock->days[side].n = 0;
		clock->penalties[side].n = 0;
		clock->n_extra[side] = 0;
	}
	clock->n_made = 0;
	clock->n_charges = 0;
	clock->n_leaves = 0;
	clock->n_stops = 0;
	clock->now = INSTANT_NONE;
	clock->started = false;
	clock->status = CLOCK_RUNNING;
	clock->result = RESULT_NONE;
	clock->first = clock->turn = SIDE_WHITE;
	clock->ply = 0;
	clock->has_overstep = false;
	clock->ended_at = INSTANT_NONE;
	clock->ops->begin(clock);
}

/* The message that made a ply, or NULL. */
static struct applied *event_of_ply(struct clock *clock, int ply)
{
	for (size_t i = 0; i < clock->n_made; i++)
		if (clock->made[i].first_ply <= ply && ply <= clock->made[i].last_ply)
			return &clock->events[clock->made[i].event];
	return NULL;
}

/* A new beginning of a turn that was taken back. */
static bool is_of_gap(const struct clock *clock, const struct clock_event *event)
{
	return clock->gap && event->kind == CLOCK_ARBITER && event->action == ACTION_RESUME;
}

/* One event of the past. In a gap moves were taken back before it, and until the rollback
 * nobody's silence means anything. */
static void fold_entry(struct clock *clock, struct applied *entry)
{
	struct clock_answer answer = {.index = -1};
	const struct clock_event *event = &entry->event;
	bool keep;

	clock->now = INSTANT_NONE; /* corrected stamps need be in no order */
	if (event->at != INSTANT_NONE && !clock->gap)
		clock_advance(clock, event->at);
	if (clock->has_overstep && clock->status != CLOCK_INTERRUPTED) {
		clock->status = CLOCK_RUNNING;
		clock->result = RESULT_NONE;
	}
	if (event->kind == CLOCK_ZONE)
		clock->zones[event->by] = event->zone;
	else if (event->kind == CLOCK_END)
		clock_finish(clock, event->result, event->at);
	else if (!is_of_gap(clock, event))
		(void)clock->ops->apply(clock, entry, &answer, &keep);
}

void past_fold(struct clock *clock)
{
	bool gap = false;

	clock->replaying = true;
	past_begin(clock);
	for (size_t i = 0; i < clock->n_events; i++) {
		struct applied *entry = &clock->events[i];
		gap = (gap || entry->voided) && entry->event.kind != CLOCK_ROLLBACK;
		clock->gap = gap || entry->event.kind == CLOCK_ROLLBACK;
		if (!entry->voided)
			fold_entry(clock, entry);
		gap = gap || entry->kept > 0;
	}
	clock->replaying = clock->gap = false;
	if (!clock->has_overstep || clock->status == CLOCK_OVER)
		return;
	if (clock->parameters.system == RULES_MCLINK)
		clock_finish(clock, clock->overstep.result, clock->overstep.at);
	else
		clock->status = CLOCK_SUSPENDED;
}

bool past_belongs_to_moves(enum clock_event_kind kind)
{
	return kind == CLOCK_MOVE || kind == CLOCK_AUTO_REPLY || kind == CLOCK_FAULT ||
	       kind == CLOCK_QUERY || kind == CLOCK_REPEAT || kind == CLOCK_CLAIM ||
	       kind == CLOCK_RULING;
}

/* The plies after `plies` never were. */
int past_roll_back(struct clock *clock, struct applied *rollback, struct clock_answer *ret)
{
	int plies = rollback->event.plies;
	size_t last = 0; /* the event that made the last ply that stands */
	bool any = false;

	if (!clock->started || plies < 0 || plies > clock->ply)
		return CLOCK_ERROR_PLY;
	for (size_t i = 0; i < clock->n_made; i++) {
		const struct made *made = &clock->made[i];
		if (made->first_ply > plies)
			break;
		any = true;
		last = made->event;
		if (made->last_ply > plies)
			clock->events[last].kept = plies - made->first_ply + 1;
	}
	for (size_t i = any ? last + 1 : 0; i < clock->n_events; i++)
		if (past_belongs_to_moves(clock->events[i].event.kind))
			clock->events[i].voided = true;
	int64_t now = clock->now;
	past_fold(clock);
	clock->now = now;
	clock_advance(clock, now);
	ret->has_turn = true;
	ret->turn = clock->turn;
	ret->arrival = zone_date(clock->zones[clock->turn], rollback->event.at);
	return 0;
}

static int edit_lift(struct clock *clock, const struct clock_event *event)
{
	bool found = false;

	for (size_t i = 0; i < clock->n_charges; i++) {
		const struct clock_charge *charge = &clock->charges[i];
		if (charge->by == event->by && charge->move == event->move &&
			charge->tenths_penalty > 0) {
			clock->events[charge->event].lifted = true;
			found = true;
		}
	}
	return found ? 0 : CLOCK_ERROR_PLY;
}

/* The event with which the turn of the side on the move began. */
static struct applied *event_of_turn(struct clock *clock)
{
	for (size_t i = clock->n_events; i > 0; i--) {
		struct applied *entry = &clock->events[i - 1];
		enum clock_event_kind kind = entry->event.kind;
		if (!entry->voided && (kind == CLOCK_START || kind == CLOCK_MOVE ||
					      kind == CLOCK_AUTO_REPLY || kind == CLOCK_ROLLBACK ||
					      kind == CLOCK_ARBITER || kind == CLOCK_REOPEN ||
					      (kind == CLOCK_FAULT && entry->event.accepts > 0)))
			return entry;
	}
	return NULL;
}

/* Days or hours off a finished move, or off the one that is being thought about. */
static int edit_credit(struct clock *clock, const struct clock_event *event)
{
	bool running = event->ply == clock->ply + 1;
	struct applied *entry = running ? event_of_turn(clock) : event_of_ply(clock, event->ply);

	if (entry == NULL)
		return CLOCK_ERROR_PLY;
	if (event->n < 0 || event->n > COUNT_DAYS_MAX)
		return CLOCK_ERROR_VALUE;
	if (running)
		entry->credit_next += event->n;
	else
		entry->credit += event->n;
	return 0;
}

static int edit_stamps(struct clock *clock, const struct clock_event *event)
{
	struct applied *entry = event_of_ply(clock, event->ply);

	if (entry == NULL)
		return CLOCK_ERROR_PLY;
	int64_t sent = event->sent != INSTANT_NONE ? event->sent : entry->event.at;
	int64_t delivered =
		event->delivered != INSTANT_NONE ? event->delivered : entry->event.delivered;
	if (delivered != INSTANT_NONE && delivered < sent)
		return CLOCK_ERROR_ORDER;
	entry->event.at = sent;
	entry->event.delivered = delivered;
	return 0;
}

int past_edit(struct clock *clock, const struct clock_event *event, struct clock_answer *ret)
{
	int64_t now = clock->now;
	int r;

	if (event->action == ACTION_LIFT)
		r = edit_lift(clock, event);
	else if (event->action == ACTION_CREDIT)
		r = edit_credit(clock, event);
	else
		r = edit_stamps(clock, event);
	if (r != 0)
		return r;
	past_fold(clock);
	clock->now = now;
	clock_advance(clock, now);
	ret->days = 0;
	if (event->action != ACTION_LIFT && event->ply <= clock->ply) {
		enum side by = event->ply % 2 == 1 ? clock->first : side_other(clock->first);
		ret->first = ret->last = (event->ply + 1) / 2;
		ret->days = clock->days[by].values[ret->first - 1];
	}
	return 0;
}

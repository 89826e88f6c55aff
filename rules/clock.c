#include "rules/clock_system.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rules/iecc.h"
#include "rules/mclink.h"
#include "rules/razsh.h"

const char *clock_error_text(enum clock_error error)
{
	switch (error) {
	case CLOCK_ERROR_ORDER:
		return "is out of the order of time";
	case CLOCK_ERROR_NOT_STARTED:
		return "comes before the start";
	case CLOCK_ERROR_STARTED:
		return "the game has been started already";
	case CLOCK_ERROR_NOT_ON_MOVE:
		return "that side cannot do it now, because of who is on the move";
	case CLOCK_ERROR_OVER:
		return "the game is over";
	case CLOCK_ERROR_SYSTEM:
		return "there is no such event in these rules";
	case CLOCK_ERROR_STATUS:
		return "there is nothing that it could refer to";
	case CLOCK_ERROR_PLY:
		return "there is no such ply, move or stop";
	case CLOCK_ERROR_VALUE:
		return "a number or a period makes no sense";
	}
	return "";
}

/* ---- Memory ---- */

static int grow(void *array, size_t *capacity, size_t n, size_t size)
{
	void *old, *new;

	if (n <= *capacity)
		return 0;
	n += n / 2 + 8;
	memcpy(&old, array, sizeof(old));
	new = realloc(old, n * size);
	if (new == NULL)
		return -ENOMEM;
	memcpy(array, &new, sizeof(new));
	*capacity = n;
	return 0;
}

static int counts_reserve(struct counts *counts, size_t more)
{
	return grow(&counts->values, &counts->capacity, counts->n + more, sizeof(*counts->values));
}

/* Room for whatever one event may add. */
static int reserve(struct clock *clock, const struct clock_event *event)
{
	size_t moves = (size_t)event->accepts + 1;
	int r = grow(&clock->events, &clock->capacity_events, clock->n_events + 1,
		sizeof(*clock->events));

	for (int side = 0; side < 2 && r == 0; side++) {
		r = counts_reserve(&clock->days[side], moves);
		if (r == 0)
			r = counts_reserve(&clock->penalties[side], moves);
		if (r == 0)
			r = grow(&clock->extra[side], &clock->capacity_extra[side],
				clock->n_extra[side] + 1, sizeof(*clock->extra[side]));
	}
	if (r == 0)
		r = grow(&clock->made, &clock->capacity_made, clock->n_made + 1,
			sizeof(*clock->made));
	if (r == 0)
		r = grow(&clock->charges, &clock->capacity_charges,
			clock->n_charges + 2 * moves + 2, sizeof(*clock->charges));
	if (r == 0)
		r = grow(&clock->leaves, &clock->capacity_leaves, clock->n_leaves + 1,
			sizeof(*clock->leaves));
	if (r == 0)
		r = grow(&clock->stops, &clock->capacity_stops, clock->n_stops + 1,
			sizeof(*clock->stops));
	return r;
}

int clock_new(const struct clock_parameters *parameters, const struct zone *white,
	const struct zone *black, struct clock **ret)
{
	static const struct clock_ops *const systems[] = {
		[RULES_IECC] = &iecc_ops,
		[RULES_RAZSH] = &razsh_ops,
		[RULES_RAZSH_POST] = &razsh_ops,
		[RULES_MCLINK] = &mclink_ops,
	};
	bool by_hours = parameters->system == RULES_MCLINK;

	if (by_hours ? (parameters->zone == NULL || parameters->start == INSTANT_NONE ||
			       parameters->moves_per_manche < 1 || parameters->standard_hours < 1)
		     : (white == NULL || black == NULL))
		return -EINVAL;
	struct clock *clock = calloc(1, sizeof(*clock));
	if (clock == NULL)
		return -ENOMEM;
	clock->parameters = *parameters;
	clock->ops = systems[parameters->system];
	clock->first_zones[SIDE_WHITE] = by_hours ? parameters->zone : white;
	clock->first_zones[SIDE_BLACK] = by_hours ? parameters->zone : black;
	past_begin(clock);
	*ret = clock;
	return 0;
}

void clock_free(struct clock *clock)
{
	if (clock == NULL)
		return;
	for (int side = 0; side < 2; side++) {
		free(clock->days[side].values);
		free(clock->penalties[side].values);
		free(clock->extra[side]);
	}
	free(clock->events);
	free(clock->made);
	free(clock->charges);
	free(clock->leaves);
	free(clock->stops);
	free(clock);
}

static void *copy(const void *array, size_t n, size_t size)
{
	void *new = malloc(n > 0 ? n * size : 1);

	if (new != NULL && n > 0)
		memcpy(new, array, n * size);
	return new;
}

static bool counts_copy(struct counts *counts)
{
	counts->values = copy(counts->values, counts->n, sizeof(*counts->values));
	counts->capacity = counts->n;
	return counts->values != NULL;
}

/* The copy's own arrays; all of them are set, to NULL where memory ran out. */
static bool arrays_copy(struct clock *clone)
{
	bool all = true;

	for (int side = 0; side < 2; side++) {
		all = counts_copy(&clone->days[side]) && all;
		all = counts_copy(&clone->penalties[side]) && all;
		clone->extra[side] =
			copy(clone->extra[side], clone->n_extra[side], sizeof(**clone->extra));
		clone->capacity_extra[side] = clone->n_extra[side];
		all = all && clone->extra[side] != NULL;
	}
	clone->events = copy(clone->events, clone->n_events, sizeof(*clone->events));
	clone->capacity_events = clone->n_events;
	clone->made = copy(clone->made, clone->n_made, sizeof(*clone->made));
	clone->capacity_made = clone->n_made;
	clone->charges = copy(clone->charges, clone->n_charges, sizeof(*clone->charges));
	clone->capacity_charges = clone->n_charges;
	clone->leaves = copy(clone->leaves, clone->n_leaves, sizeof(*clone->leaves));
	clone->capacity_leaves = clone->n_leaves;
	clone->stops = copy(clone->stops, clone->n_stops, sizeof(*clone->stops));
	clone->capacity_stops = clone->n_stops;
	return all && clone->events != NULL && clone->made != NULL && clone->charges != NULL &&
	       clone->leaves != NULL && clone->stops != NULL;
}

int clock_clone(const struct clock *clock, struct clock **ret)
{
	struct clock *clone = copy(clock, 1, sizeof(*clock));

	if (clone == NULL)
		return -ENOMEM;
	if (!arrays_copy(clone)) {
		clock_free(clone);
		return -ENOMEM;
	}
	*ret = clone;
	return 0;
}

/* ---- What the systems share ---- */

int moves_made(const struct clock *clock, enum side by)
{
	return (int)clock->days[by].n;
}

int ply_of(const struct clock *clock, enum side by, int move)
{
	return 2 * move - (by == clock->first ? 1 : 0);
}

int plies_of(const struct applied *entry)
{
	return entry->kept > 0 ? entry->kept : 2 * entry->event.accepts + 1;
}

static size_t event_index(const struct clock *clock, const struct applied *entry)
{
	return (size_t)(entry - clock->events);
}

void made_add(struct clock *clock, const struct applied *entry, int plies)
{
	clock->made[clock->n_made++] = (struct made){.event = event_index(clock, entry),
		.first_ply = clock->ply + 1,
		.last_ply = clock->ply + plies};
	for (int i = 0; i < plies; i++) {
		struct counts *days = &clock->days[clock->turn];
		struct counts *penalties = &clock->penalties[clock->turn];
		assert(days->n < days->capacity && penalties->n < penalties->capacity);
		days->values[days->n++] = 0;
		penalties->values[penalties->n++] = 0;
		clock->turn = side_other(clock->turn);
		clock->ply++;
	}
}

struct clock_charge *charge_add(struct clock *clock, const struct applied *entry, enum side by,
	int move, const char *article)
{
	assert(clock->n_charges < clock->capacity_charges);
	struct clock_charge *charge = &clock->charges[clock->n_charges++];

	*charge = (struct clock_charge){.ply = ply_of(clock, by, move),
		.by = by,
		.move = move,
		.by_date = clock->parameters.system != RULES_MCLINK,
		.zone = clock->zones[by],
		.received = INSTANT_NONE,
		.sent = INSTANT_NONE,
		.received_date = DATE_NONE,
		.sent_date = DATE_NONE,
		.article = article,
		.event = event_index(clock, entry)};
	return charge;
}

void charges_free_of_cost(struct clock *clock, const struct applied *entry, int first_ply,
	int last_ply, int but_ply, const char *article)
{
	for (int ply = first_ply; ply <= last_ply; ply++) {
		enum side by = ply % 2 == 1 ? clock->first : side_other(clock->first);
		if (ply != but_ply)
			(void)charge_add(clock, entry, by, (ply + 1) / 2, article);
	}
}

int reopen_begin(struct clock *clock, struct applied *entry, int tenths_sum)
{
	enum side side = clock->turn;

	if (clock->status != CLOCK_OVER && !clock->replaying)
		return CLOCK_ERROR_STATUS;
	if (entry->event.days < 0 || entry->event.days > COUNT_DAYS_MAX)
		return CLOCK_ERROR_VALUE;
	struct clock_charge *charge =
		charge_add(clock, entry, side, moves_made(clock, side) + 1, "ruling");
	charge->ended = true;
	charge->tenths_sum = tenths_sum;
	charge->received = clock->ended_at;
	charge->sent = ruling_told(&entry->event);
	if (!clock->replaying)
		entry->event.flag = clock->has_overstep;
	clock->status = CLOCK_RUNNING;
	clock->result = RESULT_NONE;
	return 0;
}

void clock_note_overstep(struct clock *clock, const struct clock_overstep *overstep)
{
	if (clock->has_overstep)
		return;
	clock->has_overstep = true;
	clock->overstep = *overstep;
}

void clock_finish(struct clock *clock, enum clock_result result, int64_t at)
{
	clock->status = CLOCK_OVER;
	clock->result = result;
	clock->ended_at = at;
}

/* ---- The interface ---- */

#define CLOCK_ANSWER_NONE                         \
	((struct clock_answer){.index = -1,       \
		.arrival = DATE_NONE,             \
		.due = DATE_NONE,                 \
		.from = DATE_NONE,                \
		.to = DATE_NONE,                  \
		.rounded = INSTANT_NONE,          \
		.registered_until = INSTANT_NONE, \
		.considered = true})

static bool is_message(enum clock_event_kind kind)
{
	return kind == CLOCK_MOVE || kind == CLOCK_FAULT || kind == CLOCK_AUTO_REPLY ||
	       kind == CLOCK_CLAIM;
}

static bool is_edit(enum clock_action action)
{
	return action == ACTION_PENALTY || action == ACTION_LIFT || action == ACTION_CORRECT ||
	       action == ACTION_CREDIT;
}

static int check(const struct clock *clock, const struct clock_event *event)
{
	if (event->kind == CLOCK_EDIT && !is_edit(event->action))
		return CLOCK_ERROR_VALUE;
	if (event->accepts < 0 || event->accepts > SERIES_MAX || event->offers < 0 ||
		event->offers > SERIES_MAX)
		return CLOCK_ERROR_VALUE;
	if (event->at != INSTANT_NONE && clock->now != INSTANT_NONE && event->at < clock->now)
		return CLOCK_ERROR_ORDER;
	if (event->kind != CLOCK_START && event->at == INSTANT_NONE)
		return CLOCK_ERROR_VALUE;
	if (event->kind != CLOCK_START && event->kind != CLOCK_EDIT &&
		event->delivered != INSTANT_NONE && event->delivered < event->at)
		return CLOCK_ERROR_ORDER;
	if (event->query_delivered != INSTANT_NONE && event->query_delivered < event->at)
		return CLOCK_ERROR_ORDER;
	return 0;
}

/* A ruling may still undo a time-out that it shows to be none, or that it puts aside. */
static bool may_undo_end(const struct clock *clock, const struct clock_event *event)
{
	bool resume = event->kind == CLOCK_ARBITER && event->action == ACTION_RESUME;

	return event->kind == CLOCK_REOPEN ||
	       ((event->kind == CLOCK_EDIT || resume) && clock->has_overstep &&
		       clock->parameters.system == RULES_MCLINK);
}

static bool is_ruling_on_past(const struct clock_event *event)
{
	return event->kind == CLOCK_EDIT && event->action != ACTION_PENALTY;
}

static int apply_new(struct clock *clock, const struct clock_event *event, struct clock_answer *ret)
{
	bool keep = true;
	int r = 0;
	struct applied *entry = &clock->events[clock->n_events];

	*entry = (struct applied){.event = *event};
	clock->n_events++;
	switch (event->kind) {
	case CLOCK_ZONE:
		clock->zones[event->by] = event->zone;
		break;
	case CLOCK_END:
		clock_finish(clock, event->result, event->at);
		break;
	case CLOCK_ROLLBACK:
		r = past_roll_back(clock, entry, ret);
		break;
	case CLOCK_START:
	case CLOCK_MOVE:
	case CLOCK_AUTO_REPLY:
	case CLOCK_FAULT:
	case CLOCK_QUERY:
	case CLOCK_REPEAT:
	case CLOCK_LEAVE:
	case CLOCK_LEAVE_END:
	case CLOCK_CLAIM:
	case CLOCK_RULING:
	case CLOCK_ARBITER:
	case CLOCK_GAMES:
	case CLOCK_STOP_REQUEST:
	case CLOCK_STOP_GRANT:
	case CLOCK_STOP_WITHDRAW:
	case CLOCK_VACATION_CHANGE:
	case CLOCK_EDIT:
	case CLOCK_FREEZE:
	case CLOCK_THAW:
	case CLOCK_REOPEN:
		r = clock->ops->apply(clock, entry, ret, &keep);
		break;
	}
	if (r != 0 || !keep)
		clock->n_events--;
	return r;
}

static bool begins_turn(enum clock_event_kind kind)
{
	return past_belongs_to_moves(kind) || kind == CLOCK_START || kind == CLOCK_ROLLBACK ||
	       kind == CLOCK_ARBITER || kind == CLOCK_FREEZE || kind == CLOCK_THAW ||
	       kind == CLOCK_REOPEN;
}

/* A move that is booked only now but came before others that are: it takes its place among them.
 * Returns whether the game ran when it came. */
static bool apply_late(struct clock *clock, const struct clock_event *event)
{
	size_t place = clock->n_events;
	int ply = clock->ply;

	while (place > 0 && clock->events[place - 1].event.at > event->sent &&
		!begins_turn(clock->events[place - 1].event.kind))
		place--;
	struct applied *entry = &clock->events[place];
	memmove(entry + 1, entry, (clock->n_events - place) * sizeof(*entry));
	*entry = (struct applied){.event = *event};
	entry->event.at = event->sent;
	clock->n_events++;
	past_fold(clock);
	if (clock->ply > ply)
		return true;
	clock->n_events--;
	memmove(entry, entry + 1, (clock->n_events - place) * sizeof(*entry));
	past_fold(clock);
	return false;
}

static bool is_late(const struct clock_event *event)
{
	return (event->kind == CLOCK_MOVE || event->kind == CLOCK_AUTO_REPLY) &&
	       event->sent != INSTANT_NONE;
}

/* IECC: a message whose own penalty oversteps (7.8) has made its move, and the stored reply to it
 * (7.6a) comes with it. */
static bool comes_with_overstep(const struct clock *clock, const struct clock_event *event)
{
	return event->kind == CLOCK_AUTO_REPLY && clock->status == CLOCK_SUSPENDED &&
	       clock->has_overstep && clock->overstep.at == event->at;
}

int clock_apply(struct clock *clock, const struct clock_event *event, struct clock_answer *ret)
{
	struct clock_answer answer = CLOCK_ANSWER_NONE;
	int r = check(clock, event);

	if (r == 0)
		r = reserve(clock, event);
	if (r != 0)
		return r;
	if (is_late(event)) {
		answer.held = !apply_late(clock, event);
		clock->now = event->at;
		clock_advance(clock, event->at);
		*ret = answer;
		return 0;
	}
	if (event->at != INSTANT_NONE) {
		clock_advance(clock, event->at);
		clock->now = event->at;
	}
	if (is_message(event->kind) && clock->status != CLOCK_RUNNING &&
		!comes_with_overstep(clock, event)) {
		answer.held = true;
		answer.late = clock->has_overstep && clock->status == CLOCK_OVER &&
			      clock->parameters.system == RULES_MCLINK;
		*ret = answer;
		return 0;
	}
	if (clock->status == CLOCK_OVER && !may_undo_end(clock, event))
		return CLOCK_ERROR_OVER;
	r = is_ruling_on_past(event) ? past_edit(clock, event, &answer)
				     : apply_new(clock, event, &answer);
	if (r == 0)
		*ret = answer;
	return r;
}

int clock_consider(
	const struct clock *clock, const struct clock_event *event, struct clock_answer *ret)
{
	struct clock_answer answer = CLOCK_ANSWER_NONE;

	if (clock->ops->consider == NULL ||
		(event->kind != CLOCK_CLAIM && event->kind != CLOCK_STOP_REQUEST))
		return CLOCK_ERROR_SYSTEM;
	int r = check(clock, event);
	if (r != 0)
		return r;
	if (clock->status == CLOCK_OVER)
		return CLOCK_ERROR_OVER;
	r = clock->ops->consider(clock, event, &answer);
	if (r == 0)
		*ret = answer;
	return r;
}

void clock_advance(struct clock *clock, int64_t at)
{
	if (clock->status == CLOCK_RUNNING && (clock->now == INSTANT_NONE || at >= clock->now))
		clock->ops->advance(clock, at);
}

enum clock_status clock_status(const struct clock *clock)
{
	return clock->status;
}

enum clock_result clock_result(const struct clock *clock)
{
	return clock->result;
}

enum side clock_turn(const struct clock *clock)
{
	return clock->turn;
}

int clock_ply(const struct clock *clock)
{
	return clock->ply;
}

bool clock_has_started(const struct clock *clock)
{
	for (size_t i = 0; i < clock->n_events; i++)
		if (clock->events[i].event.kind == CLOCK_START)
			return true;
	return false;
}

enum rule_system clock_system(const struct clock *clock)
{
	return clock->parameters.system;
}

const struct clock_parameters *clock_parameters(const struct clock *clock)
{
	return &clock->parameters;
}

const struct zone *clock_zone(const struct clock *clock, enum side side)
{
	return clock->zones[side];
}

int64_t clock_overstep_at(const struct clock *clock)
{
	return clock->status == CLOCK_RUNNING ? clock->ops->overstep_at(clock) : INSTANT_NONE;
}

const char *clock_timer_name(enum clock_timer_kind kind)
{
	static const char *const names[CLOCK_TIMER_KINDS] = {
		[TIMER_REMIND] = "remind",
		[TIMER_REPEAT] = "repeat",
		[TIMER_SILENCE] = "silence",
		[TIMER_REPORT] = "report",
		[TIMER_OVERSTEP] = "overstep",
		[TIMER_STOP_START] = "stop-start",
		[TIMER_STOP_END] = "stop-end",
		[TIMER_COPIES] = "copies",
		[TIMER_LEAVE_END] = "leave-end",
		[TIMER_OBJECTION] = "objection",
		[TIMER_PAPERS] = "papers",
		[TIMER_ACCESS] = "access",
		[TIMER_EVENT_END] = "event-end",
	};
	return kind < CLOCK_TIMER_KINDS ? names[kind] : NULL;
}

enum clock_timer_kind clock_timer_find(const char *name)
{
	int kind = 0;

	while (kind < CLOCK_TIMER_KINDS &&
		strcmp(clock_timer_name((enum clock_timer_kind)kind), name) != 0)
		kind++;
	return (enum clock_timer_kind)kind;
}

/* At one instant the overstep comes first: who is over is not reminded. */
static bool comes_before(const struct clock_timer *a, const struct clock_timer *b)
{
	return a->at < b->at ||
	       (a->at == b->at && a->kind == TIMER_OVERSTEP && b->kind != TIMER_OVERSTEP);
}

size_t clock_timers(const struct clock *clock, struct clock_timer out[CLOCK_TIMERS_MAX])
{
	if (clock->status != CLOCK_RUNNING)
		return 0;
	size_t n = clock->ops->timers(clock, out);

	for (size_t i = 1; i < n; i++) {
		struct clock_timer timer = out[i];
		size_t j = i;
		for (; j > 0 && comes_before(&timer, &out[j - 1]); j--)
			out[j] = out[j - 1];
		out[j] = timer;
	}
	return n;
}

const struct clock_overstep *clock_overstep(const struct clock *clock)
{
	return clock->has_overstep ? &clock->overstep : NULL;
}

const struct clock_charge *clock_charges(const struct clock *clock, size_t *ret_n)
{
	*ret_n = clock->n_charges;
	return clock->charges;
}

void clock_state_at(const struct clock *clock, int64_t at, struct clock_state *ret)
{
	*ret = (struct clock_state){
		.status = clock->status,
		.has_turn = clock->status != CLOCK_OVER,
		.turn = clock->turn,
		.result = clock->result,
		.ply = clock->ply,
		.repeat_due = DATE_NONE,
		.auto_repeat_at = INSTANT_NONE,
		.silence_at = INSTANT_NONE,
		.deadline = INSTANT_NONE,
		.timeout_at = INSTANT_NONE,
	};
	for (int side = 0; side < 2; side++) {
		ret->side[side].days = clock->days[side].values;
		ret->side[side].penalties = clock->penalties[side].values;
		ret->side[side].n_moves = clock->days[side].n;
		ret->side[side].next_move = (int)clock->days[side].n + 1;
		ret->side[side].arrival = DATE_NONE;
		ret->side[side].reminder_at = INSTANT_NONE;
		ret->side[side].overstep_at = INSTANT_NONE;
		ret->side[side].extra = clock->extra[side];
		ret->side[side].n_extra = clock->n_extra[side];
	}
	ret->stops = clock->stops;
	ret->n_stops = clock->n_stops;
	clock->ops->state(clock, at, ret);
}

#include "daemon/ctl/clock_json.h"

#include <errno.h>
#include <stdio.h>

#include "daemon/ctl/clock_answer.h"
#include "daemon/ctl/clock_request.h"
#include "daemon/ctl/clock_words.h"
#include "rules/lotto.h"

static void set(json_t *object, const char *key, json_t *value)
{
	(void)json_object_set_new(object, key, value);
}

static void set_count(json_t *object, const char *key, int value)
{
	set(object, key, json_integer(value));
}

static json_t *counts(const int *values, size_t n)
{
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++)
		(void)json_array_append_new(array, json_integer(values[i]));
	return array;
}

/* ---- A player's state ---- */

static json_t *iecc_running(const struct clock_side *half, const struct zone *zone)
{
	json_t *object = json_object(), *kinds = json_array();

	if ((half->overstep_kinds & OVERSTEP_MOVE) != 0)
		(void)json_array_append_new(kinds, json_string("move"));
	if ((half->overstep_kinds & OVERSTEP_WINDOW) != 0)
		(void)json_array_append_new(kinds, json_string("window"));
	set_count(object, "move", half->next_move);
	set(object, "arrival", json_date(half->arrival));
	set_count(object, "days", half->running);
	set_count(object, "penalty", half->penalty);
	set_count(object, "window_sum", half->window_sum);
	set_count(object, "window_left", half->window_left);
	set_count(object, "move_left", half->move_left);
	set(object, "overstep_at", json_instant(half->overstep_at));
	set(object, "overstep_at_local", json_local(zone, half->overstep_at));
	set(object, "overstep_kinds", kinds);
	set(object, "reminder_at", json_instant(half->reminder_at));
	return object;
}

static json_t *iecc_side(const struct clock_side *half, const struct zone *zone)
{
	json_t *object = json_object();

	set(object, "days", counts(half->days, half->n_moves));
	set(object, "penalties", counts(half->penalties, half->n_moves));
	set_count(object, "last_window_sum", half->last_window_sum);
	set_count(object, "next_move_base", half->next_move_base);
	if (half->on_move)
		set(object, "running", iecc_running(half, zone));
	return object;
}

static json_t *razsh_side(const struct clock_side *half)
{
	json_t *object = json_object(), *extra = json_array();

	for (size_t i = 0; i < half->n_extra; i++)
		(void)json_array_append_new(
			extra, json_pack("[i,i,s]", half->extra[i].move, half->extra[i].days,
				       half->extra[i].kind));
	set(object, "days", counts(half->days, half->n_moves));
	set(object, "extra", extra);
	set_count(object, "total", half->total);
	set_count(object, "running", half->running);
	set_count(object, "next_move", half->next_move);
	set_count(object, "limit", half->limit);
	set_count(object, "remaining", half->remaining);
	set_count(object, "leave_days", half->leave_days);
	return object;
}

static json_t *mclink_side(const struct clock_side *half)
{
	json_t *object = json_object();
	bool sudden_death = half->manche == 0;

	set_count(object, "moves", (int)half->n_moves);
	set(object, "manche", sudden_death ? json_string("sd") : json_integer(half->manche));
	set(object, "moves_left", sudden_death ? json_null() : json_integer(half->moves_left));
	set(object, "gross", json_tenths(half->gross));
	set(object, "served", json_tenths(half->served));
	set(object, "available", json_tenths(half->available));
	set_count(object, "used", half->used);
	set_count(object, "running", half->running);
	set(object, "remaining", json_tenths(half->tenths_remaining));
	set(object, "pending", json_tenths(half->pending));
	set(object, "residual", json_tenths(half->residual));
	set_count(object, "faults", half->faults);
	set(object, "hours", counts(half->days, half->n_moves));
	return object;
}

static json_t *side_json(const struct clock *clock, const struct clock_state *state, enum side side)
{
	switch (clock_system(clock)) {
	case RULES_IECC:
		return iecc_side(&state->side[side], clock_zone(clock, side));
	case RULES_RAZSH:
	case RULES_RAZSH_POST:
		return razsh_side(&state->side[side]);
	case RULES_MCLINK:
		break;
	}
	return mclink_side(&state->side[side]);
}

json_t *clock_json_side(const struct clock *clock, enum side side, int64_t at)
{
	struct clock_state state;

	clock_state_at(clock, at, &state);
	return side_json(clock, &state, side);
}

/* ---- The ledger ---- */

/* A charge has no outage unless the relay, which knows them, says so. */
json_t *clock_json_ledger(const struct clock *clock)
{
	size_t n;
	const struct clock_charge *charges = clock_charges(clock, &n);
	bool hours = clock_system(clock) == RULES_MCLINK;
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++) {
		const struct clock_charge *charge = &charges[i];
		json_t *object = json_object();
		set_count(object, "ply", charge->ply);
		set(object, "by", json_string(side_word(charge->by)));
		set(object, "received", json_instant(charge->received));
		set(object, "sent", json_instant(charge->sent));
		set_count(object, hours ? "hours" : "days", charge->days);
		set(object, "penalty", json_tenths(charge->tenths_penalty));
		set(object, "article", json_word(charge->article));
		set(object, "sum", json_tenths(charge->tenths_sum));
		set(object, "outage", json_false());
		(void)json_array_append_new(array, object);
	}
	return array;
}

/* ---- The state ---- */

static json_t *result_or_null(enum clock_result result)
{
	return result == RESULT_NONE ? json_null() : json_string(result_word(result));
}

static void razsh_state(const struct clock *clock, const struct clock_state *state, json_t *object)
{
	set(object, "cc_arbiter", json_boolean(state->cc_arbiter));
	if (state->repeat_due != DATE_NONE) {
		set(object, "repeat_due", json_date(state->repeat_due));
		set(object, "auto_repeat_at", json_instant(state->auto_repeat_at));
		set(object, "silence_at", json_instant(state->silence_at));
	}
	if (!state->has_overstep)
		return;
	json_t *overstep = json_object();
	set(overstep, "by", json_string(side_word(state->overstep.by)));
	set_count(overstep, "limit", state->limit);
	set(overstep, "at", json_instant(state->overstep.at));
	set(overstep, "at_local",
		json_local(clock_zone(clock, state->overstep.by), state->overstep.at));
	set(overstep, "passed", json_boolean(state->passed));
	set(object, "overstep", overstep);
}

static json_t *stops_json(const struct clock_state *state)
{
	json_t *array = json_array();

	for (size_t i = 0; i < state->n_stops; i++) {
		const struct clock_stop *stop = &state->stops[i];
		if (stop->removed)
			continue;
		json_t *object = json_object();
		set(object, "by", json_string(side_word(stop->by)));
		set(object, "kind", json_string(stop_kind_word(stop->kind)));
		set(object, "from", json_instant(stop->from));
		set(object, "to", json_instant(stop->to));
		(void)json_array_append_new(array, object);
	}
	return array;
}

static json_t *timeout_json(const struct clock *clock)
{
	const struct clock_overstep *timeout = clock_overstep(clock);
	json_t *object;

	if (timeout == NULL)
		return json_null();
	object = json_object();
	set(object, "by", json_string(side_word(timeout->by)));
	set(object, "at", json_instant(timeout->at));
	set(object, "at_local", json_local(clock_zone(clock, timeout->by), timeout->at));
	set(object, "result", json_string(result_word(timeout->result)));
	set(object, "notify", json_words("white", "black", "coordinator", NULL));
	return object;
}

static void mclink_state(const struct clock *clock, const struct clock_state *state, json_t *object)
{
	set(object, "timeout", timeout_json(clock));
	set(object, "sudden_death", json_boolean(state->sudden_death));
	if (state->deadline != INSTANT_NONE) {
		set(object, "deadline", json_instant(state->deadline));
		set(object, "timeout_at", json_instant(state->timeout_at));
		set(object, "timeout_at_local",
			json_local(clock_zone(clock, SIDE_WHITE), state->timeout_at));
	}
	set(object, "stops", stops_json(state));
}

static json_t *state_json(const struct clock *clock, int64_t at)
{
	struct clock_state state;
	json_t *object = json_object(), *players = json_object();

	clock_state_at(clock, at, &state);
	set(object, "at", json_instant(at));
	set(object, "status", json_string(status_word(state.status)));
	set(object, "turn", state.has_turn ? json_string(side_word(state.turn)) : json_null());
	set(object, "result", result_or_null(state.result));
	switch (clock_system(clock)) {
	case RULES_IECC:
		set_count(object, "ply", state.ply);
		set(object, "overstep", clock_overstep_json(clock));
		break;
	case RULES_RAZSH:
	case RULES_RAZSH_POST:
		razsh_state(clock, &state, object);
		break;
	case RULES_MCLINK:
		mclink_state(clock, &state, object);
		break;
	}
	set(players, "white", side_json(clock, &state, SIDE_WHITE));
	set(players, "black", side_json(clock, &state, SIDE_BLACK));
	set(object, "players", players);
	return object;
}

/* ---- The calculator ---- */

static int fold(struct clock *clock, const struct clock_request *request, json_t *answers,
	char fault[CLOCK_FAULT_SIZE])
{
	struct clock_event event;
	struct clock_answer answer;
	int64_t last = INSTANT_NONE;

	for (size_t i = 0; i < json_array_size(request->events); i++) {
		int r = clock_request_event(request, i, &event, fault);
		if (r < 0)
			return r;
		/* The clock itself would still hear a ruling that undoes a time-out. */
		if (event.kind == CLOCK_EDIT) {
			clock_advance(clock, event.at);
			r = clock_status(clock) == CLOCK_OVER ? CLOCK_ERROR_OVER : 0;
		}
		if (r == 0)
			r = clock_apply(clock, &event, &answer);
		if (r > 0) {
			(void)snprintf(fault, CLOCK_FAULT_SIZE, "events[%zu]: %s", i,
				clock_error_text((enum clock_error)r));
			return -EINVAL;
		}
		if (r < 0)
			return r;
		(void)json_array_append_new(answers, clock_answer_json(clock, &event, &answer));
		if (event.at != INSTANT_NONE)
			last = event.at;
	}
	if (last != INSTANT_NONE && request->at < last) {
		(void)snprintf(fault, CLOCK_FAULT_SIZE, "at: is before the last event");
		return -EINVAL;
	}
	return 0;
}

static int compute_clock(json_t *request_json, json_t **ret, char fault[CLOCK_FAULT_SIZE])
{
	struct clock_request request;
	struct clock *clock;
	int r = clock_request_read(request_json, &request, fault);

	if (r == 0)
		r = clock_new(&request.parameters, request.zones[SIDE_WHITE],
			request.zones[SIDE_BLACK], &clock);
	if (r != 0)
		return r;
	json_t *answers = json_array();
	r = fold(clock, &request, answers, fault);
	if (r == 0) {
		clock_advance(clock, request.at);
		*ret = json_pack(
			"{s:O,s:o}", "events", answers, "state", state_json(clock, request.at));
	}
	json_decref(answers);
	clock_free(clock);
	return r;
}

json_t *clock_json_lotto(const struct lotto *lotto)
{
	return json_pack("{s:o,s:o,s:s,s:i,s:i}", "white",
		lotto->white_numbers > 0 ? json_pack("[i,i]", 1, lotto->white_numbers)
					 : json_array(),
		"black",
		lotto->white_numbers < LOTTO_NUMBERS
			? json_pack("[i,i]", lotto->white_numbers + 1, LOTTO_NUMBERS)
			: json_array(),
		"winner", side_word(lotto->winner), "white_counter", lotto->counters[SIDE_WHITE],
		"black_counter", lotto->counters[SIDE_BLACK]);
}

static int compute_lotto(json_t *lotto, json_t **ret, char fault[CLOCK_FAULT_SIZE])
{
	static const char *const members[] = {"white_counter", "black_counter", "drawn", NULL};
	int white, black, drawn;
	int r = request_keys(lotto, "lotto", members, fault);

	if (r == 0)
		r = request_number(lotto, "lotto", members[0], -1000, 1000, &white, fault);
	if (r == 0)
		r = request_number(lotto, "lotto", members[1], -1000, 1000, &black, fault);
	if (r == 0)
		r = request_number(lotto, "lotto", members[2], 1, LOTTO_NUMBERS, &drawn, fault);
	if (r != 0)
		return r;
	struct lotto result = lotto_draw(white, black, drawn);
	*ret = json_pack("{s:o}", "lotto", clock_json_lotto(&result));
	return 0;
}

static int compute_withdrawal(json_t *withdrawal, json_t **ret, char fault[CLOCK_FAULT_SIZE])
{
	static const char *const members[] = {"official", "join", NULL};
	int32_t official, join = DATE_NONE;
	int r = request_keys(withdrawal, "withdrawal", members, fault);

	if (r == 0)
		r = request_date(withdrawal, "withdrawal", members[0], &official, fault);
	if (r == 0 && json_object_get(withdrawal, members[1]) != NULL)
		r = request_date(withdrawal, "withdrawal", members[1], &join, fault);
	if (r != 0)
		return r;
	int32_t from = withdrawal_may_join_from(official);
	json_t *object = json_pack(
		"{s:s,s:b,s:o}", "games", "lost", "elo", 0, "may_join_from", json_date(from));
	if (join != DATE_NONE)
		set(object, "may_join", json_boolean(join >= from));
	*ret = json_pack("{s:o}", "withdrawal", object);
	return 0;
}

int clock_json_compute(json_t *request, json_t **ret_answer, char fault[CLOCK_FAULT_SIZE])
{
	static const char *const lotto_members[] = {"system", "lotto", NULL};
	static const char *const withdrawal_members[] = {"system", "withdrawal", NULL};
	json_t *answer = NULL;
	const char *system = json_string_value(json_object_get(request, "system"));
	json_t *lotto = json_object_get(request, "lotto");
	json_t *withdrawal = json_object_get(request, "withdrawal");
	enum rule_system found;
	int r;

	if (system == NULL || rule_system_find(system, &found) < 0 || found != RULES_MCLINK)
		lotto = withdrawal = NULL;
	if (lotto != NULL) {
		r = request_keys(request, "", lotto_members, fault);
		r = r < 0 ? r : compute_lotto(lotto, &answer, fault);
	} else if (withdrawal != NULL) {
		r = request_keys(request, "", withdrawal_members, fault);
		r = r < 0 ? r : compute_withdrawal(withdrawal, &answer, fault);
	} else {
		r = compute_clock(request, &answer, fault);
	}
	if (r < 0)
		return r;
	if (answer == NULL)
		return -ENOMEM;
	*ret_answer = answer;
	return 0;
}

#include "daemon/ctl/clock_answer.h"

#include <stdio.h>

#include "daemon/ctl/clock_words.h"

static void set(json_t *object, const char *key, json_t *value)
{
	(void)json_object_set_new(object, key, value);
}

static void set_count(json_t *object, const char *key, int value)
{
	set(object, key, json_integer(value));
}

/* Absent where there is none. */
static void set_date(json_t *object, const char *key, int32_t date)
{
	if (date != DATE_NONE)
		set(object, key, json_date(date));
}

json_t *clock_overstep_json(const struct clock *clock)
{
	const struct clock_overstep *overstep = clock_overstep(clock);

	if (overstep == NULL)
		return json_null();
	json_t *object = json_object(), *kinds = json_array();
	if ((overstep->kinds & OVERSTEP_MOVE) != 0)
		(void)json_array_append_new(kinds, json_string("move"));
	if ((overstep->kinds & OVERSTEP_WINDOW) != 0)
		(void)json_array_append_new(kinds, json_string("window"));
	set(object, "by", json_word(side_word(overstep->by)));
	set(object, "kinds", kinds);
	set_count(object, "move", overstep->move);
	set(object, "at", json_instant(overstep->at));
	set(object, "at_local", json_local(clock_zone(clock, overstep->by), overstep->at));
	set_count(object, "days_on_move", overstep->days_on_move);
	set(object, "window", json_pack("[i,i]", overstep->window_first, overstep->window_last));
	set_count(object, "window_sum", overstep->window_sum);
	set(object, "notify", json_words("arbiter", "td", "white", "black", NULL));
	return object;
}

static void set_moves(json_t *object, const struct clock_answer *answer)
{
	if (answer->last >= answer->first && answer->first > 0)
		set(object, "moves", json_pack("[i,i]", answer->first, answer->last));
}

static json_t *iecc_leave(const struct clock_answer *answer)
{
	json_t *object = json_object();

	set(object, "granted", json_boolean(answer->granted));
	if (answer->granted) {
		set_date(object, "from", answer->from);
		set_date(object, "to", answer->to);
		set(object, "late", json_boolean(answer->late));
		set(object, "notify", json_words("opponents", "admin", NULL));
	} else {
		set(object, "reason", json_word(answer->reason));
	}
	if (answer->total > 0)
		set_count(object, "total", answer->total);
	if (answer->ask)
		set(object, "ask", json_string("td"));
	if (answer->may_annul) {
		set(object, "may_annul", json_words("td", NULL));
		set(object, "may_claim_forfeit", json_words("opponent", "td", NULL));
	}
	return object;
}

/* Rollback, resume, ruling: whose time runs on from when. */
static void set_turn(json_t *object, const char *since, const struct clock_answer *answer)
{
	if (!answer->has_turn)
		return;
	set(object, "turn", json_word(side_word(answer->turn)));
	set_date(object, since, answer->arrival);
}

static json_t *edit_answer(const struct clock_event *event, const struct clock_answer *answer)
{
	json_t *object = json_object();

	if (event->action == ACTION_PENALTY)
		set_count(object, "penalty", answer->penalty);
	else if (event->action != ACTION_LIFT)
		set_count(object, "days", answer->days);
	return object;
}

static void iecc_move(
	json_t *object, const struct clock_event *event, const struct clock_answer *answer)
{
	set_count(object, "days", answer->days);
	if (event->kind == CLOCK_MOVE) {
		set_count(object, "penalty", answer->penalty);
		set_moves(object, answer);
		set_count(object, "window_sum", answer->sum);
		set_count(object, "window_sum_now", answer->sum_now);
	}
	set_date(object, "next_arrival", answer->arrival);
}

static json_t *iecc_answer(const struct clock *clock, const struct clock_event *event,
	const struct clock_answer *answer)
{
	json_t *object;

	if (event->kind == CLOCK_LEAVE)
		return iecc_leave(answer);
	object = json_object();
	if (event->kind == CLOCK_START) {
		set_date(object, "arrival", answer->arrival);
	} else if (event->kind == CLOCK_MOVE || event->kind == CLOCK_AUTO_REPLY) {
		iecc_move(object, event, answer);
	} else if (event->kind == CLOCK_FAULT) {
		set_count(object, "days_so_far", answer->days);
		set_count(object, "penalty", answer->penalty);
		set_count(object, "window_sum", answer->sum);
		set_moves(object, answer);
		if (answer->overstepped)
			set(object, "overstep", clock_overstep_json(clock));
	} else if (event->kind == CLOCK_ROLLBACK) {
		set_turn(object, "arrival", answer);
		set_count(object, "penalty", 0);
	} else {
		set_turn(object, "arrival", answer);
		if (answer->result != RESULT_NONE)
			set(object, "result", json_word(result_word(answer->result)));
	}
	return object;
}

static void razsh_move(json_t *object, const struct clock_answer *answer)
{
	set_count(object, "days", answer->days);
	set_count(object, "charged_to", answer->charged_to);
	set_moves(object, answer);
	set_count(object, "total", answer->sum);
	set_count(object, "limit", answer->limit);
	set(object, "over_limit", json_boolean(answer->over_limit));
	set(object, "cc_arbiter", json_boolean(answer->cc_arbiter));
	set(object, "remaining_before",
		json_pack("{s:i,s:i}", "white", answer->remaining_before[SIDE_WHITE], "black",
			answer->remaining_before[SIDE_BLACK]));
	if (answer->arrival != DATE_NONE) {
		set(object, "received", json_date(answer->arrival));
		set(object, "slow_transmission", json_boolean(answer->slow_transmission));
	}
}

static json_t *razsh_leave(const struct clock_answer *answer)
{
	json_t *object = json_object(), *by_year = json_object();
	char year[16];

	for (int i = 0; i < answer->n_years; i++) {
		(void)snprintf(year, sizeof(year), "%d", answer->years[i].year);
		set_count(by_year, year, answer->years[i].days);
	}
	set(object, "by_year", by_year);
	set(object, "granted", json_boolean(answer->granted));
	if (answer->granted) {
		set(object, "notify", json_words("partners", "arbiter", NULL));
	} else {
		set(object, "reason", json_word(answer->reason));
		set(object, "ask", json_string("arbiter"));
	}
	return object;
}

static json_t *razsh_claim(const struct clock_event *event, const struct clock_answer *answer)
{
	json_t *object = json_object();

	set(object, "accepted", json_boolean(answer->granted));
	if (!answer->granted) {
		set(object, "reason", json_word(answer->reason));
		set_count(object, "open_control", answer->open_control);
		return object;
	}
	set_count(object, "spent", answer->spent);
	set_count(object, "limit", answer->limit);
	set(object, "borne_out", json_boolean(answer->borne_out));
	set(object, "notify", json_words("arbiter", side_word(side_other(event->by)), NULL));
	set_count(object, "objection_days", answer->objection_days);
	return object;
}

static void razsh_repeat(json_t *object, const struct clock_answer *answer)
{
	set_date(object, "due", answer->due);
	set_count(object, "delay", answer->delay);
	set_count(object, "penalty", answer->penalty);
	set_count(object, "total", answer->sum);
	set(object, "cc_arbiter", json_boolean(answer->cc_arbiter));
	set_date(object, "partner_since", answer->arrival);
}

static void razsh_ruling(json_t *object, const struct clock_answer *answer)
{
	if (answer->result != RESULT_NONE) {
		set(object, "result", json_word(result_word(answer->result)));
		return;
	}
	if (answer->has_turn)
		set_count(object, "kept", answer->kept);
	set_turn(object, "since", answer);
}

static json_t *razsh_answer(const struct clock_event *event, const struct clock_answer *answer)
{
	json_t *object;

	if (event->kind == CLOCK_LEAVE)
		return razsh_leave(answer);
	if (event->kind == CLOCK_CLAIM)
		return razsh_claim(event, answer);
	object = json_object();
	if (event->kind == CLOCK_START) {
		set_date(object, "since", answer->arrival);
	} else if (event->kind == CLOCK_MOVE) {
		razsh_move(object, answer);
	} else if (event->kind == CLOCK_FAULT) {
		set_count(object, "days_so_far", answer->days);
		set_count(object, "penalty", answer->penalty);
		set_count(object, "total", answer->sum);
		set_moves(object, answer);
	} else if (event->kind == CLOCK_QUERY) {
		set_count(object, "days", answer->days);
		set_count(object, "charged", answer->charged);
		set_count(object, "total", answer->sum);
	} else if (event->kind == CLOCK_REPEAT) {
		razsh_repeat(object, answer);
	} else if (event->kind == CLOCK_LEAVE_END) {
		set_date(object, "last_day", answer->to);
		set_count(object, "given_back", answer->given_back);
	} else {
		razsh_ruling(object, answer);
	}
	return object;
}

static void mclink_move(json_t *object, const struct clock_answer *answer)
{
	char text[40];
	json_t *recalculated = json_array();

	set(object, "rounded", json_instant(answer->rounded));
	set_count(object, "hours", answer->hours);
	if (answer->tenths_penalty > 0)
		set(object, "penalty", json_tenths(answer->tenths_penalty));
	if (answer->warning > 0)
		set_count(object, "warning", answer->warning);
	if (answer->tenths_format > 0)
		set(object, "format_penalty", json_tenths(answer->tenths_format));
	for (int i = 0; i < answer->n_recalculated; i++) {
		const struct clock_recalculation *one = &answer->recalculated[i];
		(void)snprintf(text, sizeof(text), "%s manche %d", side_word(one->by), one->manche);
		(void)json_array_append_new(
			recalculated, json_string(one->manche == 0 ? "sudden death" : text));
	}
	if (answer->n_recalculated > 0)
		set(object, "recalculated", json_incref(recalculated));
	json_decref(recalculated);
	if (answer->registered_until != INSTANT_NONE)
		set(object, "registered_until", json_instant(answer->registered_until));
}

static json_t *mclink_stop(const struct clock_answer *answer)
{
	json_t *object = json_object();

	if (!answer->considered) {
		set(object, "considered", json_false());
		set(object, "granted", json_false());
		return object;
	}
	if (answer->hours > 0)
		set_count(object, "hours", answer->hours);
	if (answer->has_remaining)
		set(object, "remaining", json_tenths(answer->tenths_remaining));
	if (answer->has_needed)
		set(object, "needed", json_hours(answer->needed));
	if (answer->has_both)
		set_count(object, "both_stops", answer->both_stops);
	set(object, "granted", json_boolean(answer->granted));
	if (answer->granted) {
		set_count(object, "index", answer->index);
	} else {
		set(object, "reasons", json_stop_reasons(answer->reasons));
		set(object, "publish", json_true());
	}
	return object;
}

static json_t *mclink_answer(const struct clock_event *event, const struct clock_answer *answer)
{
	json_t *object;

	if (event->kind == CLOCK_STOP_REQUEST)
		return mclink_stop(answer);
	object = json_object();
	if (event->kind == CLOCK_MOVE) {
		mclink_move(object, answer);
	} else if (event->kind == CLOCK_GAMES) {
		set_count(object, "games", event->n);
	} else if (event->kind == CLOCK_STOP_GRANT) {
		set(object, "granted", json_boolean(answer->granted));
		set_count(object, "index", answer->index);
	} else if (event->kind == CLOCK_STOP_WITHDRAW) {
		set(object, "withdrawn", json_boolean(answer->granted));
	} else if (event->kind == CLOCK_VACATION_CHANGE) {
		set(object, "changed", json_boolean(answer->granted));
		if (answer->granted)
			set_count(object, "hours", answer->hours);
	} else {
		set_turn(object, "arrival", answer);
	}
	return object;
}

json_t *clock_answer_json(const struct clock *clock, const struct clock_event *event,
	const struct clock_answer *answer)
{
	if (answer->held)
		return json_pack("{s:b}",
			clock_system(clock) == RULES_MCLINK && answer->late ? "late" : "held", 1);
	if (event->kind == CLOCK_EDIT)
		return edit_answer(event, answer);
	if (event->kind == CLOCK_END)
		return json_pack("{s:s}", "result", result_word(event->result));
	switch (clock_system(clock)) {
	case RULES_IECC:
		return iecc_answer(clock, event, answer);
	case RULES_RAZSH:
	case RULES_RAZSH_POST:
		return razsh_answer(event, answer);
	case RULES_MCLINK:
		break;
	}
	return mclink_answer(event, answer);
}

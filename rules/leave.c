#include "rules/leave.h"

#include <assert.h>

#include "rules/decide_effects.h"

#define LEAVE_DAYS_LONGEST 3660

static const struct leave_outcome outcome_none = {.from = DATE_NONE, .to = DATE_NONE};

/* ---- Leaves already taken ---- */

/* Is a date within one of the leaves? EVENT -1: of any event. */
static bool taken_covers(const struct leave_taken *taken, size_t n_taken, int event, int32_t date)
{
	for (size_t i = 0; i < n_taken; i++)
		if ((event < 0 || taken[i].event == event) && taken[i].from <= date &&
			date <= taken[i].to)
			return true;
	return false;
}

static int year_of(int32_t date)
{
	int year;
	unsigned month, day;

	date_to_civil(date, &year, &month, &day);
	return year;
}

/* Dates of the event's leaves before the new one (each once), all years if YEAR is 0. */
static int taken_days(const struct leave_taken *taken, size_t n_taken, int event, int year)
{
	int total = 0;

	for (size_t i = 0; i < n_taken; i++) {
		if (event >= 0 && taken[i].event != event)
			continue;
		for (int32_t date = taken[i].from; date <= taken[i].to; date++)
			/* A date counts with the first leave that has it. */
			if ((year == 0 || year_of(date) == year) &&
				!taken_covers(taken, i, event, date))
				total++;
	}
	return total;
}

static int new_days(const struct leave_taken *taken, size_t n_taken, int event, int32_t from,
	int32_t to, int year)
{
	int total = 0;

	for (int32_t date = from; date <= to; date++)
		if ((year == 0 || year_of(date) == year) &&
			!taken_covers(taken, n_taken, event, date))
			total++;
	return total;
}

/* ---- One game ---- */

static bool is_sane(int32_t from, int32_t to)
{
	return from != DATE_NONE && to >= from && to - from <= LEAVE_DAYS_LONGEST;
}

static void add_effect(struct leave_outcome *outcome, const struct effect *effect)
{
	assert(outcome->n_effects < ARRAY_SIZE(outcome->effects));
	outcome->effects[outcome->n_effects++] = *effect;
}

static void add_mail(struct leave_outcome *outcome, enum mail_reader to)
{
	add_effect(outcome, &(struct effect){.kind = EFFECT_MAIL, .mail = MAIL_LEAVE, .to = to});
}

static struct clock_event event_of(
	enum clock_event_kind kind, const struct leave_game *game, int64_t at)
{
	struct clock_event event = CLOCK_EVENT_NONE;

	event.kind = kind;
	event.by = game->side;
	event.at = at;
	return event;
}

/* Everything was checked here: the clock takes it as approved. */
static void grant(const struct leave_request *request, const struct leave_game *game,
	struct leave_outcome *outcome)
{
	struct clock_event event = event_of(CLOCK_LEAVE, game, request->at);

	outcome->granted = true;
	event.from = outcome->from;
	event.to = outcome->to;
	event.sent = request->announced;
	event.approved = true;
	event.agreed = true;
	add_effect(outcome, &(struct effect){.kind = EFFECT_CLOCK, .event = event});
	add_mail(outcome, reader_of(side_other(game->side)));
	add_mail(outcome, READER_ARBITER);
}

static void refuse(struct leave_outcome *outcome, const char *reason)
{
	outcome->reason = reason;
	if (outcome->ask_opponent)
		return;
	if (outcome->ask_arbiter)
		add_mail(outcome, READER_ARBITER);
}

/* IECC 8.1: in advance; what is announced late begins on the day after. 8.2: a two-player
 * event needs the opponent. 8.3: thirty days in an event, more by the TD. */
static void ask_iecc(const struct leave_request *request, const struct leave_game *game,
	const struct leave_taken *taken, size_t n_taken, struct leave_outcome *outcome)
{
	const struct clock_parameters *parameters = game->parameters;
	int32_t earliest = zone_date(game->zone, request->announced) + 1;

	outcome->late = outcome->from < earliest;
	if (outcome->late)
		outcome->from = earliest;
	if (outcome->from > outcome->to) {
		refuse(outcome, "over before it could start");
		return;
	}
	outcome->total = taken_days(taken, n_taken, game->event, 0) +
			 new_days(taken, n_taken, game->event, outcome->from, outcome->to, 0);
	if (parameters->two_player &&
		outcome->to >= date_add_months(outcome->from, parameters->leave_months)) {
		outcome->may_annul = outcome->ask_arbiter = true;
		refuse(outcome, "over six months");
	} else if (parameters->two_player && !request->agreed) {
		outcome->ask_opponent = true;
		refuse(outcome, "opponent has not agreed");
		add_mail(outcome, reader_of(side_other(game->side)));
	} else if (!parameters->two_player && outcome->total > parameters->leave_quota &&
		   !request->approved) {
		outcome->ask_arbiter = true;
		refuse(outcome, "over quota");
	} else {
		grant(request, game, outcome);
	}
}

/* 7.1: the dates count in the year that they fall in; the leave is one for all games. */
static bool fill_years(const struct leave_game *game, const struct leave_taken *taken,
	size_t n_taken, struct leave_outcome *outcome)
{
	int first = year_of(outcome->from), last = year_of(outcome->to);
	bool fits = true;

	for (int year = first; year <= last; year++) {
		int days = taken_days(taken, n_taken, -1, year) +
			   new_days(taken, n_taken, -1, outcome->from, outcome->to, year);
		fits = fits && days <= game->parameters->leave_quota;
		if (year != first && year != last)
			continue;
		outcome->years[outcome->n_years].year = year;
		outcome->years[outcome->n_years++].days = days;
	}
	return fits;
}

static void ask_razsh(const struct leave_request *request, const struct leave_game *game,
	const struct leave_taken *taken, size_t n_taken, struct leave_outcome *outcome)
{
	int32_t announced = zone_date(game->zone, request->announced);

	outcome->ask_arbiter = true;
	bool fits = fill_years(game, taken, n_taken, outcome);
	if (!request->approved && announced >= outcome->from) {
		refuse(outcome, "not announced in advance"); /* 7.2 */
		return;
	}
	if (!request->approved && !fits) {
		refuse(outcome, "over 30 days in a year");
		return;
	}
	outcome->ask_arbiter = false;
	grant(request, game, outcome);
}

/* Section II 7.6: announced late, it runs from the date of the notice. 7.1: an event may have a
 * quota of its own. */
static void ask_post(const struct leave_request *request, const struct leave_game *game,
	const struct leave_taken *taken, size_t n_taken, struct leave_outcome *outcome)
{
	const struct clock_parameters *parameters = game->parameters;
	int32_t announced = zone_date(game->zone, request->announced);

	outcome->late = announced > outcome->from && !request->approved;
	if (outcome->late)
		outcome->from = announced;
	outcome->ask_arbiter = true;
	if (outcome->from > outcome->to) {
		refuse(outcome, "not announced in advance");
		return;
	}
	outcome->total = taken_days(taken, n_taken, game->event, 0) +
			 new_days(taken, n_taken, game->event, outcome->from, outcome->to, 0);
	if (parameters->leave_total > 0 && outcome->total > parameters->leave_total &&
		!request->approved) {
		refuse(outcome, "over the leave of the event");
		return;
	}
	outcome->ask_arbiter = false;
	grant(request, game, outcome);
}

static void ask(const struct leave_request *request, const struct leave_game *game,
	const struct leave_taken *taken, size_t n_taken, struct leave_outcome *outcome)
{
	outcome->from = request->from;
	outcome->to = request->to;
	switch (game->parameters->system) {
	case RULES_IECC:
		ask_iecc(request, game, taken, n_taken, outcome);
		return;
	case RULES_RAZSH:
		ask_razsh(request, game, taken, n_taken, outcome);
		return;
	case RULES_RAZSH_POST:
		ask_post(request, game, taken, n_taken, outcome);
		return;
	case RULES_MCLINK:
		outcome->from = outcome->to = DATE_NONE;
		return;
	}
}

/* ---- All games ---- */

static enum verdict verdict_of(const struct leave_outcome *outcomes, size_t n_games,
	bool any_of_rules, enum refusal *ret_refusal)
{
	for (size_t i = 0; i < n_games; i++)
		if (outcomes[i].granted || outcomes[i].ask_opponent)
			return VERDICT_COMMAND;
	*ret_refusal = n_games == 0    ? REFUSAL_NO_GAME
		       : !any_of_rules ? REFUSAL_OTHER_RULES
				       : REFUSAL_NOT_ALLOWED;
	return VERDICT_COMMAND_ERROR;
}

enum verdict decide_leave(const struct leave_request *request, const struct leave_game *games,
	size_t n_games, const struct leave_taken *taken, size_t n_taken,
	struct leave_outcome *ret_outcomes, enum refusal *ret_refusal)
{
	bool any = false;

	*ret_refusal = REFUSAL_NONE;
	if (!is_sane(request->from, request->to)) {
		for (size_t i = 0; i < n_games; i++)
			ret_outcomes[i] = outcome_none;
		*ret_refusal = REFUSAL_UNREADABLE;
		return VERDICT_COMMAND_ERROR;
	}
	for (size_t i = 0; i < n_games; i++) {
		ret_outcomes[i] = outcome_none;
		any = any || games[i].parameters->system != RULES_MCLINK;
		ask(request, &games[i], taken, n_taken, &ret_outcomes[i]);
	}
	return verdict_of(ret_outcomes, n_games, any, ret_refusal);
}

/* The last day of the absence that begins with that leave. */
static int32_t absence_end(
	const struct leave_taken *taken, size_t n_taken, const struct leave_taken *first)
{
	int32_t end = first->to, before;

	do {
		before = end;
		for (size_t i = 0; i < n_taken; i++)
			if (taken[i].event == first->event && taken[i].from >= first->from &&
				taken[i].from <= end + 1 && taken[i].to > end)
				end = taken[i].to;
	} while (end != before);
	return end;
}

/* The leave of the event that runs or comes next, as the clock finds it. */
static const struct leave_taken *current(
	const struct leave_taken *taken, size_t n_taken, int event, int32_t today)
{
	const struct leave_taken *found = NULL;

	for (size_t i = 0; i < n_taken; i++)
		if (taken[i].event == event && taken[i].to >= today &&
			(found == NULL || taken[i].from < found->from))
			found = &taken[i];
	return found;
}

enum verdict decide_leave_end(int64_t at, const struct leave_game *games, size_t n_games,
	const struct leave_taken *taken, size_t n_taken, struct leave_outcome *ret_outcomes,
	enum refusal *ret_refusal)
{
	bool any = false;

	*ret_refusal = REFUSAL_NONE;
	for (size_t i = 0; i < n_games; i++) {
		const struct leave_game *game = &games[i];
		struct leave_outcome *outcome = &ret_outcomes[i];
		*outcome = outcome_none;
		if (!is_razsh(game->parameters->system))
			continue;
		any = true;
		int32_t today = zone_date(game->zone, at);
		const struct leave_taken *leave = current(taken, n_taken, game->event, today);
		if (leave == NULL)
			continue;
		outcome->granted = true;
		if (leave->from > today)
			outcome->from = leave->from;
		else
			outcome->to = today;
		outcome->until = absence_end(taken, n_taken, leave);
		struct clock_event event = event_of(CLOCK_LEAVE_END, game, at);
		event.flag = edition_includes(game->edition, EDITION_2);
		add_effect(outcome, &(struct effect){.kind = EFFECT_CLOCK, .event = event});
		add_mail(outcome, reader_of(side_other(game->side)));
		add_mail(outcome, READER_ARBITER);
	}
	return verdict_of(ret_outcomes, n_games, any, ret_refusal);
}

/* ---- Stops ---- */

enum verdict decide_stop(const struct stop_request *request, const struct leave_game *games,
	size_t n_games, struct leave_outcome *ret_outcomes, enum refusal *ret_refusal)
{
	bool any = false;

	*ret_refusal = REFUSAL_NONE;
	for (size_t i = 0; i < n_games; i++) {
		struct leave_outcome *outcome = &ret_outcomes[i];
		struct clock_event event = event_of(CLOCK_STOP_REQUEST, &games[i], request->at);
		struct clock_answer answer;
		*outcome = outcome_none;
		if (games[i].parameters->system != RULES_MCLINK)
			continue;
		any = true;
		event.start = request->start;
		event.end = request->end;
		event.vacation = request->vacation;
		event.flag = request->other_channel;
		if (games[i].clock == NULL || clock_consider(games[i].clock, &event, &answer) != 0)
			continue;
		outcome->reasons = answer.reasons;
		outcome->hours = answer.hours;
		if (!answer.granted)
			continue;
		outcome->granted = true;
		add_effect(outcome, &(struct effect){.kind = EFFECT_CLOCK, .event = event});
		add_mail(outcome, reader_of(side_other(games[i].side)));
		add_mail(outcome, READER_ARBITER);
	}
	return verdict_of(ret_outcomes, n_games, any, ret_refusal);
}

/* The index of the stop in that game's clock; -1: it has none that is the same. */
static int find_stop(const struct stop_change *change, const struct leave_game *game)
{
	const struct clock_stop *wanted = &change->stop;
	struct clock_state state;

	clock_state_at(game->clock, change->at, &state);
	for (size_t i = 0; i < state.n_stops; i++) {
		const struct clock_stop *stop = &state.stops[i];
		if (!stop->removed && stop->by == game->side && stop->kind == wanted->kind &&
			stop->from == wanted->from && stop->to == wanted->to)
			return (int)i;
	}
	return -1;
}

static bool stop_event(
	const struct stop_change *change, const struct leave_game *game, struct clock_event *event)
{
	static const enum clock_event_kind kinds[] = {
		[STOP_CHANGED] = CLOCK_VACATION_CHANGE,
		[STOP_WITHDRAWN] = CLOCK_STOP_WITHDRAW,
		[STOP_GIVEN] = CLOCK_STOP_GRANT,
	};

	*event = event_of(kinds[change->act], game, change->at);
	event->start = change->start;
	event->end = change->end;
	event->flag = change->act == STOP_WITHDRAWN && change->published;
	if (change->act == STOP_GIVEN)
		return true;
	event->n = find_stop(change, game);
	return event->n >= 0;
}

/* Tried on a copy: the clock says whether it takes the event. */
static int try_stop(const struct leave_game *game, const struct clock_event *event,
	struct leave_outcome *outcome)
{
	struct clock_answer answer;
	struct clock *trial;
	int r = clock_clone(game->clock, &trial);

	if (r < 0)
		return r;
	r = clock_apply(trial, event, &answer);
	clock_free(trial);
	if (r != 0)
		return r < 0 ? r : 0;
	outcome->granted = answer.granted;
	outcome->hours = answer.hours;
	return 0;
}

int decide_stop_change(const struct stop_change *change, const struct leave_game *games,
	size_t n_games, struct leave_outcome *ret_outcomes, enum verdict *ret_verdict,
	enum refusal *ret_refusal)
{
	static const enum mail_reader readers[] = {
		READER_WHITE, READER_BLACK, READER_ARBITER, READER_PUBLIC};
	bool any = false;

	assert(change->act != STOP_ASKED);
	*ret_refusal = REFUSAL_NONE;
	for (size_t i = 0; i < n_games; i++) {
		struct leave_outcome *outcome = &ret_outcomes[i];
		struct clock_event event;
		*outcome = outcome_none;
		outcome->act = change->act;
		if (games[i].parameters->system != RULES_MCLINK)
			continue;
		any = true;
		if (!stop_event(change, &games[i], &event))
			continue;
		int r = try_stop(&games[i], &event, outcome);
		if (r < 0)
			return r;
		if (!outcome->granted)
			continue;
		add_effect(outcome, &(struct effect){.kind = EFFECT_CLOCK, .event = event});
		for (size_t j = 0; j < ARRAY_SIZE(readers); j++)
			add_mail(outcome, readers[j]);
	}
	*ret_verdict = verdict_of(ret_outcomes, n_games, any, ret_refusal);
	return 0;
}

#define MINUTE_MS 60000

void stop_period(const struct zone *zone, const struct stated_command *command, int64_t *ret_start,
	int64_t *ret_end)
{
	*ret_start = command->from_minute >= 0
			     ? zone_instant(zone, command->from, command->from_minute * MINUTE_MS)
			     : zone_date_start(zone, command->from);
	*ret_end = command->to_minute >= 0
			   ? zone_instant(zone, command->to, command->to_minute * MINUTE_MS)
			   : zone_date_start(zone, command->to + 1);
}

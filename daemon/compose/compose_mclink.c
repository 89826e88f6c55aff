/*
 * MC-link's clocks: hours of a manche, penalties that are served in the next one, stops.
 */
#include "daemon/compose/filling.h"
#include "daemon/compose/when.h"

#define HOUR INT64_C(3600000)
#define MINUTE INT64_C(60000)

static void fill_side(struct filling *item, const struct clock_state *state, enum side side)
{
	const struct compose_player *player = item->facts->players[side];
	const struct clock_side *half = &state->side[side];
	bool sudden = half->manche == 0;

	put_side(item, player);
	put_flag(item, "sudden-death", sudden);
	if (!sudden) {
		put_format(item, "manche", "%d", half->manche);
		put_format(item, "moves-left", "%d", half->moves_left);
	}
	put_format(item, "hours-used", "%d", half->used);
	if (half->running > 0)
		put_format(item, "hours-running", "%d", half->running);
	put_tenths(item, "hours-available", half->available);
	put_tenths(item, "hours-left", half->tenths_remaining > 0 ? half->tenths_remaining : 0);
	put_tenths(item, "hours-gross", half->gross);
	if (half->served > 0)
		put_tenths(item, "hours-served", half->served);
	if (half->pending + half->residual > 0)
		put_tenths(item, "hours-pending", half->pending + half->residual);
	if (half->faults > 0)
		put_format(item, "format-faults", "%d", half->faults);
}

static void fill_stops(struct filling *filling, const struct clock_state *state)
{
	const struct compose_facts *facts = filling->facts;

	for (size_t i = 0; i < state->n_stops; i++) {
		const struct clock_stop *stop = &state->stops[i];
		if (stop->removed || stop->to <= facts->now)
			continue;
		struct filling item = put_item(filling, "stops");
		const struct compose_player *player = facts->players[stop->by];
		put_name(&item, "stop-by", player ? player->name : NULL);
		put_instant(&item, "stop-from", stop->from);
		put_instant(&item, "stop-to", stop->to);
		put_flag(&item, "stop-vacation", stop->kind == STOP_VACATION);
		put_flag(&item, "stop-coordinator", stop->kind == STOP_COORDINATOR);
		filling->r = item.r;
	}
}

/* The stop in force at AT: its end, those that follow without a gap included; AT if none. */
static int64_t stop_end(const struct clock_state *state, int64_t at)
{
	for (size_t i = 0; i < state->n_stops; i++) {
		const struct clock_stop *stop = &state->stops[i];
		if (stop->removed || at < stop->from || at >= stop->to)
			continue;
		at = stop->to;
		i = (size_t)-1;
	}
	return at;
}

static int64_t next_stop(const struct clock_state *state, int64_t at)
{
	int64_t next = INT64_MAX;

	for (size_t i = 0; i < state->n_stops; i++)
		if (!state->stops[i].removed && state->stops[i].from >= at &&
			state->stops[i].from < next)
			next = state->stops[i].from;
	return next;
}

/* 7.4: minute 30 is still of the hour before. */
static int64_t round_hour(const struct zone *zone, int64_t at)
{
	int64_t local = at + INT64_C(1000) * (zone ? zone_offset(zone, at) : 0);
	int64_t rest = (local % HOUR + HOUR) % HOUR;

	return at - rest + (rest < 31 * MINUTE ? 0 : HOUR);
}

/* The last hour in time if the clock begins to run NOW. */
static int64_t estimate(const struct clock_state *state, const struct clock_side *half,
	const struct zone *zone, int64_t now)
{
	int64_t left = (int64_t)(half->tenths_remaining / TENTHS) * HOUR;
	int64_t end = stop_end(state, now);
	int64_t at = end > now ? end : round_hour(zone, now);

	for (;;) {
		at = stop_end(state, at);
		int64_t stop = next_stop(state, at);
		if (stop - at >= left)
			return at + left;
		left -= stop - at;
		at = stop;
	}
}

/* The reader's limit. MC-link's own clock is named, since it is the one that counts (7.2). */
static void fill_limit(struct filling *filling, const struct clock_state *state)
{
	const struct compose_facts *facts = filling->facts;
	enum side side = (enum side)facts->reader;
	const struct clock_side *half = &state->side[side];
	const struct zone *zone = clock_parameters(facts->clock)->zone;
	int64_t deadline = state->deadline, timeout = state->timeout_at;
	char text[WHEN_MAX];

	if (side != clock_turn(facts->clock) ||
		(state->status != CLOCK_RUNNING && state->status != CLOCK_STOPPED))
		return;
	put_flag(filling, "limit-running", half->on_move);
	put_flag(filling, "limit-estimated", !half->on_move);
	if (!half->on_move) {
		if (half->available == 0 || half->tenths_remaining < 0)
			return;
		deadline = estimate(state, half, zone, facts->now);
		timeout = deadline + 31 * MINUTE;
	}
	if (deadline == INSTANT_NONE || timeout == INSTANT_NONE)
		return;
	when_write(style_of(facts), zone, deadline, text);
	put(filling, "deadline", text);
	put_instant(filling, "limit", timeout);
	put_tenths(filling, "hours-to-go", half->tenths_remaining > 0 ? half->tenths_remaining : 0);
}

void fill_clock_mclink(struct filling *filling, const struct clock_state *state)
{
	const struct clock_parameters *parameters = clock_parameters(filling->facts->clock);

	put(filling, "clock-zone", parameters->zone ? parameters->zone->name : "UTC");
	put_flag(filling, "stopped", state->status == CLOCK_STOPPED);
	put_flag(filling, "in-sudden-death", state->sudden_death);
	for (int side = 0; side < 2; side++) {
		struct filling item = put_item(filling, "sides");
		fill_side(&item, state, (enum side)side);
		filling->r = item.r;
	}
	fill_stops(filling, state);
	if (is_player(filling->facts))
		fill_limit(filling, state);
}

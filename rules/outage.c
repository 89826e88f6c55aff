#include "rules/outage.h"

#define HOUR_MS INT64_C(3600000)
#define MINUTE_MS INT64_C(60000)

bool outage_touches(const struct clock_charge *charge, const struct outage *outages, size_t n)
{
	if (charge->ended || charge->received == INSTANT_NONE || charge->sent == INSTANT_NONE)
		return false;
	for (size_t i = 0; i < n; i++)
		if (outages[i].from < charge->sent && outages[i].to > charge->received)
			return true;
	return false;
}

/* Does one of them touch the time from FROM up to TO? */
static bool touched(const struct outage *outages, size_t n, int64_t from, int64_t to)
{
	for (size_t i = 0; i < n; i++)
		if (outages[i].from < to && outages[i].to > from)
			return true;
	return false;
}

static bool on_leave(const struct clock *clock, enum side side, int32_t date)
{
	struct clock_leave leave;

	for (size_t i = 0; clock_leave_at(clock, i, &leave); i++)
		if (leave.by == side && leave.from <= date && date <= leave.to)
			return true;
	return false;
}

/* What was charged: COUNTED of the time, TOUCHED of them by an outage. */
struct tally {
	int counted, touched;
};

/* The dates behind the one of receipt, leave aside (IECC 7.3, RAZSh 4.4). */
static struct tally tally_dates(const struct clock *clock, const struct clock_charge *charge,
	const struct outage *outages, size_t n)
{
	const struct zone *zone = charge->zone ? charge->zone : clock_zone(clock, charge->by);
	struct tally tally = {0};

	if (charge->received_date == DATE_NONE || charge->sent_date == DATE_NONE)
		return tally;
	for (int32_t date = charge->received_date + 1; date <= charge->sent_date; date++) {
		int64_t end = zone_date_start(zone, date + 1);
		if (on_leave(clock, charge->by, date))
			continue;
		tally.counted++;
		tally.touched += touched(outages, n, zone_date_start(zone, date),
			end < charge->sent ? end : charge->sent);
	}
	return tally;
}

static bool in_stop(const struct clock_state *state, int64_t from)
{
	for (size_t i = 0; i < state->n_stops; i++)
		if (!state->stops[i].removed && state->stops[i].from <= from &&
			from < state->stops[i].to)
			return true;
	return false;
}

/* MC-link 7.4: up to half past it is the hour before. Its clock is whole hours from UTC. */
static int64_t counted_hour(int64_t at)
{
	int64_t rest = at % HOUR_MS;

	return at - rest + (rest < 31 * MINUTE_MS ? 0 : HOUR_MS);
}

/* The hours from the counted one of receipt to that of the answer, stops aside. */
static struct tally tally_hours(const struct clock *clock, const struct clock_charge *charge,
	const struct outage *outages, size_t n)
{
	struct tally tally = {0};
	struct clock_state state;
	int64_t end = counted_hour(charge->sent);

	clock_state_at(clock, charge->sent, &state);
	for (int64_t at = counted_hour(charge->received); at < end; at += HOUR_MS) {
		if (in_stop(&state, at))
			continue;
		tally.counted++;
		tally.touched += touched(outages, n, at, at + HOUR_MS);
	}
	return tally;
}

static const struct clock_charge *find_charge(const struct clock *clock, int ply)
{
	size_t n;
	const struct clock_charge *charges = clock_charges(clock, &n);

	for (size_t i = 0; i < n; i++)
		if (charges[i].ply == ply && charges[i].tenths_penalty == 0 && !charges[i].ended &&
			charges[i].received != INSTANT_NONE && charges[i].sent != INSTANT_NONE)
			return &charges[i];
	return NULL;
}

/* The overstep that the move which is thought about has led to and that has stopped the clock;
 * NULL if there is none. */
static const struct clock_overstep *overstep_now(const struct clock *clock, enum side side)
{
	const struct clock_overstep *overstep = clock_overstep(clock);
	bool stopped = clock_status(clock) == CLOCK_SUSPENDED || clock_status(clock) == CLOCK_OVER;

	return overstep && stopped && overstep->by == side &&
			       overstep->move == clock_ply(clock) / 2 + 1
		       ? overstep
		       : NULL;
}

/* What the move that is thought about would be charged with now. */
static bool running_charge(
	const struct clock *clock, int64_t at, int64_t since, struct clock_charge *charge)
{
	enum side side = clock_turn(clock);
	const struct clock_overstep *overstep = overstep_now(clock, side);
	struct clock_state state;

	clock_state_at(clock, at, &state);
	const struct clock_side *half = &state.side[side];
	*charge = (struct clock_charge){
		.by = side,
		.zone = clock_zone(clock, side),
		.received = since,
		.sent = at,
		.received_date = half->arrival,
		.sent_date = DATE_NONE,
		.days = half->running,
	};
	if (overstep) {
		charge->sent = overstep->at < at ? overstep->at : at;
		charge->days = overstep->days_on_move;
		charge->received_date = charge->zone && since != INSTANT_NONE
						? zone_date(charge->zone, since)
						: DATE_NONE;
	}
	if (charge->zone)
		charge->sent_date = zone_date(charge->zone, charge->sent);
	return overstep || half->on_move;
}

int outage_credit(const struct clock *clock, int ply, int64_t at, int64_t since,
	const struct outage *outages, size_t n)
{
	const struct clock_charge *charge = NULL;
	struct clock_charge running;

	if (ply <= clock_ply(clock))
		charge = find_charge(clock, ply);
	else if (ply == clock_ply(clock) + 1 && running_charge(clock, at, since, &running))
		charge = &running;
	if (!charge)
		return 0;
	bool hours = clock_system(clock) == RULES_MCLINK;
	if (hours && charge->received == INSTANT_NONE)
		return 0;
	struct tally tally = hours ? tally_hours(clock, charge, outages, n)
				   : tally_dates(clock, charge, outages, n);
	int taken_off = tally.counted > charge->days ? tally.counted - charge->days : 0;
	int credit = tally.touched - taken_off;
	if (credit > charge->days)
		credit = charge->days;
	return credit > 0 ? credit : 0;
}

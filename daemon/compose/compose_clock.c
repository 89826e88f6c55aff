#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/text.h"
#include "daemon/compose/filling.h"
#include "daemon/compose/when.h"

/* "3 0 2 1": the last N of the days of a side's moves, with their penalties; "-" if none. */
static void put_days(struct filling *item, const struct clock_side *side, size_t n)
{
	struct text text = {0};
	char number[16];
	size_t first = side->n_moves > n ? side->n_moves - n : 0;
	int penalties = 0, r = 0;

	for (size_t i = first; i < side->n_moves && r >= 0; i++) {
		int penalty = side->penalties ? side->penalties[i] : 0;
		penalties += penalty;
		(void)snprintf(number, sizeof(number), "%s%d", i > first ? " + " : "",
			side->days[i] + penalty);
		r = text_add_string(&text, number);
	}
	if (item->r == 0 && r < 0)
		item->r = r;
	put(item, "clock-days", text.size > 0 ? text.bytes : "0");
	if (penalties > 0)
		put_format(item, "clock-penalty", "%d", penalties);
	text_release(&text);
}

static void fill_sides(struct filling *filling, const struct clock_state *state, size_t window)
{
	for (unsigned i = 0; i < 2; i++) {
		const struct compose_player *player = filling->facts->players[i];
		struct filling item = put_item(filling, "sides");
		put_format(&item, "clock-side", "%s:", player ? player->name : "");
		put_days(&item, &state->side[i], window);
		put_format(&item, "clock-sum", "%d", state->side[i].last_window_sum);
		filling->r = item.r;
	}
}

static void put_limit(struct filling *filling, int64_t at, int left)
{
	put_instant(filling, "limit", at);
	put_format(filling, "days-left", "%d", left);
}

/* The reader's own limit: of the clock that runs, or what it would be if this mail were
 * delivered now. Leave days that are still to come are not looked at here. */
static void fill_limit(struct filling *filling, const struct clock_state *state)
{
	const struct compose_facts *facts = filling->facts;
	const struct clock_parameters *parameters = clock_parameters(facts->clock);
	const struct clock_side *side = &state->side[facts->reader];
	const struct zone *zone = clock_zone(facts->clock, (enum side)facts->reader);
	char date[WHEN_MAX];

	if ((enum side)facts->reader != clock_turn(facts->clock) ||
		state->status != CLOCK_RUNNING || !zone)
		return;
	int64_t at = clock_overstep_at(facts->clock);
	if (at != INSTANT_NONE && side->on_move) {
		int left =
			side->move_left < side->window_left ? side->move_left : side->window_left;
		put_limit(filling, at, left < 0 ? 0 : left);
		put_format(filling, "days-used", "%d", side->running);
		put_flag(filling, "limit-running", true);
		return;
	}
	int left = parameters->window_days - side->next_move_base - side->penalty;
	if (left > parameters->move_days)
		left = parameters->move_days;
	if (left < 0)
		return;
	int32_t today = zone_date(zone, facts->now);
	put_limit(filling, zone_date_start(zone, today + left + 1), left);
	when_date(today, date);
	put(filling, "today", date);
	put_flag(filling, "limit-estimated", true);
}

/* Penalties booked on the move just made. */
static void fill_penalty(struct filling *filling, const struct clock_state *state)
{
	const struct compose_facts *facts = filling->facts;
	enum side mover = side_other((enum side)facts->game->now.turn);
	const struct clock_side *side = &state->side[mover];

	if (side->n_moves == 0 || !side->penalties || side->penalties[side->n_moves - 1] == 0)
		return;
	put_format(filling, "mover-penalty", "%d", side->penalties[side->n_moves - 1]);
	if (is_player(facts) && (enum side)facts->reader != mover)
		put_format(filling, "opponent-penalty", "%d", side->penalties[side->n_moves - 1]);
}

void fill_clock(struct filling *filling)
{
	const struct compose_facts *facts = filling->facts;
	struct clock_state state;

	if (!facts->clock || !facts->game || facts->game->state == GAME_FINISHED ||
		clock_system(facts->clock) != RULES_IECC)
		return;
	const struct clock_parameters *parameters = clock_parameters(facts->clock);
	clock_state_at(facts->clock, facts->now, &state);
	put_flag(filling, "clock", true);
	put_format(filling, "window-moves", "%d", parameters->window_moves);
	put_format(filling, "window-days", "%d", parameters->window_days);
	put_format(filling, "move-days", "%d", parameters->move_days);
	fill_sides(filling, &state, (size_t)parameters->window_moves);
	fill_penalty(filling, &state);
	if (is_player(facts))
		fill_limit(filling, &state);
}

/* ---- The report (IECC 11.1) ---- */

#define STAMP_COLUMNS 25

/* The last stamp of a line needs no padding. */
static void put_stamp(struct filling *item, const char *name, const struct zone *zone,
	int64_t instant, bool pad_utc)
{
	char local[WHEN_MAX] = "-", utc[WHEN_MAX] = "", utc_name[64];

	if (instant_known(instant)) {
		when_short(zone, instant, local);
		when_utc(instant, utc);
	}
	put_format(item, name, "%-*s", STAMP_COLUMNS, local);
	(void)snprintf(utc_name, sizeof(utc_name), "%s-utc", name);
	put_format(item, utc_name, "%-*s", pad_utc ? STAMP_COLUMNS : 0, utc);
}

static void fill_row(
	struct filling *table, const struct clock_charge *charge, const struct zone *zone)
{
	struct filling row = put_item(table, "rows");

	put_format(&row, "row-move", "%4d", charge->move);
	put_stamp(&row, "row-received", charge->zone ? charge->zone : zone, charge->received, true);
	put_stamp(&row, "row-sent", charge->zone ? charge->zone : zone, charge->sent, false);
	put_format(&row, "row-days", "%4d", charge->days);
	put_format(&row, "row-penalty", "%4d", charge->tenths_penalty / TENTHS);
	put_format(&row, "row-sum", "%4d", charge->tenths_sum / TENTHS);
	table->r = row.r;
}

static void fill_table(struct filling *filling, enum side side, int window)
{
	const struct compose_facts *facts = filling->facts;
	const struct zone *zone = clock_zone(facts->clock, side);
	size_t n = 0;
	const struct clock_charge *charges = clock_charges(facts->clock, &n);
	struct filling table = put_item(filling, "tables");
	int last = 0;

	put(&table, "table-side", facts->players[side] ? facts->players[side]->name : NULL);
	put(&table, "table-zone", zone && zone->name ? zone->name : "UTC");
	for (size_t i = 0; i < n; i++)
		if (charges[i].by == side && charges[i].move > last)
			last = charges[i].move;
	for (size_t i = 0; i < n; i++)
		if (charges[i].by == side && charges[i].move > last - window)
			fill_row(&table, &charges[i], zone);
	filling->r = table.r;
}

/* The move that the waiting side sent last. */
static int64_t last_sent(const struct clock *clock, enum side side)
{
	size_t n = 0;
	const struct clock_charge *charges = clock_charges(clock, &n);
	int64_t sent = INSTANT_NONE;

	for (size_t i = 0; i < n; i++)
		if (charges[i].by == side && charges[i].sent != INSTANT_NONE)
			sent = charges[i].sent;
	return sent;
}

static void put_person(struct filling *filling, const char *name, const char *address_name,
	const struct compose_player *player)
{
	if (!player)
		return;
	put(filling, name, player->name);
	if (filling->facts->reader == READER_ARBITER)
		put(filling, address_name, player->address);
}

void fill_overstep(struct filling *filling)
{
	const struct compose_facts *facts = filling->facts;
	const struct clock_overstep *overstep = facts->clock ? clock_overstep(facts->clock) : NULL;

	if (!overstep)
		return;
	const struct clock_parameters *parameters = clock_parameters(facts->clock);
	enum side late = overstep->by, waiting = side_other(late);
	put_person(filling, "late", "late-address", facts->players[late]);
	put_person(filling, "waiting", "waiting-address", facts->players[waiting]);
	put_flag(filling, "late-is-you", is_player(facts) && (enum side)facts->reader == late);
	put_instant(filling, "last-sent", last_sent(facts->clock, waiting));
	put_instant(filling, "reminded", facts->reminded);
	char local[WHEN_MAX], utc[WHEN_MAX];
	when_write(clock_zone(facts->clock, late), overstep->at, local);
	when_utc(overstep->at, utc);
	put(filling, "overstep-local", local);
	put(filling, "overstep-utc", utc);
	put_flag(filling, "overstep-move", overstep->kinds & OVERSTEP_MOVE);
	put_flag(filling, "overstep-window", overstep->kinds & OVERSTEP_WINDOW);
	put_format(filling, "overstep-number", "%d", overstep->move);
	put_format(filling, "overstep-days", "%d", overstep->days_on_move);
	put_format(filling, "window-first", "%d", overstep->window_first);
	put_format(filling, "window-last", "%d", overstep->window_last);
	put_format(filling, "window-sum", "%d", overstep->window_sum);
	if (is_player(facts))
		return;
	fill_table(filling, SIDE_WHITE, parameters->window_moves);
	fill_table(filling, SIDE_BLACK, parameters->window_moves);
}

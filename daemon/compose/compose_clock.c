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

/* "Anna Virtanen:" */
void put_side(struct filling *item, const struct compose_player *player)
{
	char name[STYLE_NAME_MAX];

	style_name(style_of(item->facts), player ? player->name : NULL, name);
	put_format(item, "clock-side", "%s:", name);
}

static void fill_sides(struct filling *filling, const struct clock_state *state, size_t window)
{
	for (unsigned i = 0; i < 2; i++) {
		const struct compose_player *player = filling->facts->players[i];
		struct filling item = put_item(filling, "sides");
		put_side(&item, player);
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
	put_date(filling, "today", today);
	put_flag(filling, "limit-estimated", true);
}

/* Penalties booked on the move just made: days, or MC-link's hours. */
static void fill_penalty(struct filling *filling)
{
	const struct compose_facts *facts = filling->facts;
	enum side mover = side_other((enum side)facts->game->now.turn);
	int move = (int)((facts->game->n_moves - facts->game->n_thematic + 1) / 2);
	size_t n = 0;
	const struct clock_charge *charges = clock_charges(facts->clock, &n);
	int tenths = 0;

	for (size_t i = 0; i < n; i++)
		if (charges[i].by == mover && charges[i].move == move)
			tenths += charges[i].tenths_penalty;
	if (tenths <= 0 || facts->game->n_moves <= facts->game->n_thematic)
		return;
	put_tenths(filling, "mover-penalty", tenths);
	if (is_player(facts) && (enum side)facts->reader != mover)
		put_tenths(filling, "opponent-penalty", tenths);
}

/* Leaves in force or to come. */
static void fill_absences(struct filling *filling)
{
	const struct compose_facts *facts = filling->facts;
	/* A report tells those that are over too. */
	bool report = facts->kind == MAIL_OVERSTEP || facts->kind == MAIL_CLAIM;
	struct clock_leave leave;

	for (size_t i = 0; clock_leave_at(facts->clock, i, &leave); i++) {
		const struct zone *zone = clock_zone(facts->clock, leave.by);
		if (!report && leave.to < zone_date_or_utc(zone, facts->now))
			continue;
		struct filling item = put_item(filling, "absences");
		const struct compose_player *player = facts->players[leave.by];
		put_name(&item, "absent", player ? player->name : NULL);
		put_date(&item, "absent-from", leave.from);
		put_date(&item, "absent-to", leave.to);
		filling->r = item.r;
	}
}

static void fill_iecc(struct filling *filling, const struct clock_state *state)
{
	const struct compose_facts *facts = filling->facts;
	const struct clock_parameters *parameters = clock_parameters(facts->clock);

	put_format(filling, "window-moves", "%d", parameters->window_moves);
	put_format(filling, "window-days", "%d", parameters->window_days);
	put_format(filling, "move-days", "%d", parameters->move_days);
	fill_sides(filling, state, (size_t)parameters->window_moves);
	if (is_player(facts))
		fill_limit(filling, state);
}

void fill_clock(struct filling *filling)
{
	const struct compose_facts *facts = filling->facts;
	struct clock_state state;

	if (!facts->clock || !facts->game || facts->game->state == GAME_FINISHED)
		return;
	clock_state_at(facts->clock, facts->now, &state);
	put_flag(filling, "clock", true);
	fill_penalty(filling);
	fill_absences(filling);
	switch (clock_system(facts->clock)) {
	case RULES_IECC:
		fill_iecc(filling, &state);
		return;
	case RULES_RAZSH:
	case RULES_RAZSH_POST:
		fill_clock_razsh(filling, &state);
		return;
	case RULES_MCLINK:
		fill_clock_mclink(filling, &state);
		return;
	}
}

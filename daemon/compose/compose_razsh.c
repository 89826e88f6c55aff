/*
 * RAZSh's clocks: totals that are carried on from control to control (4.3).
 */
#include "daemon/compose/filling.h"
#include "daemon/compose/ledger_words.h"
#include "daemon/compose/when.h"

static void fill_side(struct filling *item, const struct clock_state *state, enum side side)
{
	const struct compose_player *player = item->facts->players[side];
	const struct clock_parameters *parameters = clock_parameters(item->facts->clock);
	const struct clock_side *half = &state->side[side];
	int control = parameters->control_days > 0 ? half->limit / parameters->control_days : 0;

	put_side(item, player);
	put_format(item, "clock-total", "%d", half->total);
	if (half->running > 0)
		put_format(item, "clock-running", "%d", half->running);
	put_format(item, "control-days", "%d", half->limit);
	put_format(item, "control-move", "%d", control * parameters->control_moves);
	put_format(item, "clock-remaining", "%d", half->remaining > 0 ? half->remaining : 0);
	put_flag(item, "clock-over", half->remaining < 0);
	if (half->leave_days > 0)
		put_format(item, "clock-leave", "%d", half->leave_days);
}

/* What the totals hold beside the days of moves, said in words (2.1, appendix 3). */
static void fill_penalties(struct filling *filling)
{
	const struct compose_facts *facts = filling->facts;
	size_t n = 0;
	const struct clock_charge *charges = clock_charges(facts->clock, &n);

	for (size_t i = 0; i < n; i++) {
		const struct clock_charge *charge = &charges[i];
		if (charge->tenths_penalty == 0)
			continue;
		struct filling item = put_item(filling, "penalties");
		const struct compose_player *player = facts->players[charge->by];
		put_name(&item, "penalty-side", player ? player->name : NULL);
		put_format(&item, "penalty-move", "%u", ledger_words_number(facts->game, charge));
		put_tenths(&item, "penalty-days", charge->tenths_penalty);
		put_article(&item, "penalty-article", charge->article);
		filling->r = item.r;
	}
}

/* The reader's limit: of the clock that runs, or what it would be if this mail were delivered
 * now. Leave days that are still to come are not looked at then. */
static void fill_limit(struct filling *filling, const struct clock_state *state)
{
	const struct compose_facts *facts = filling->facts;
	enum side side = (enum side)facts->reader;
	const struct clock_side *half = &state->side[side];
	const struct zone *zone = clock_zone(facts->clock, side);

	if (side != clock_turn(facts->clock) || state->status != CLOCK_RUNNING || !zone)
		return;
	put_format(filling, "days-left", "%d", half->remaining > 0 ? half->remaining : 0);
	if (half->on_move) {
		put_flag(filling, "limit-running", true);
		put_flag(filling, "limit-passed", state->has_overstep && state->passed);
		put_format(filling, "days-used", "%d", half->running);
		put_instant(filling, "limit", clock_overstep_at(facts->clock));
		return;
	}
	if (half->remaining < 0)
		return;
	int32_t today = zone_date(zone, facts->now);
	put_instant(filling, "limit", zone_date_start(zone, today + half->remaining + 1));
	put_date(filling, "today", today);
	put_flag(filling, "limit-estimated", true);
}

void fill_clock_razsh(struct filling *filling, const struct clock_state *state)
{
	for (int side = 0; side < 2; side++) {
		struct filling item = put_item(filling, "sides");
		fill_side(&item, state, (enum side)side);
		filling->r = item.r;
	}
	fill_penalties(filling);
	put_flag(filling, "copies-now", state->cc_arbiter);
	if (is_player(filling->facts))
		fill_limit(filling, state);
}

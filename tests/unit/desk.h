/*
 * A game with its clock, for tests of what happens by time and by rulings.
 */
#pragma once

#include "tests/unit/decision.h"

/* A game of one side to move with its clock, started at SENT. */
struct desk {
	struct table table;
	struct clock_parameters parameters;
	struct clock *clock;
	struct rules_context context;
};

static inline void apply(struct desk *desk, const struct clock_event *event)
{
	struct clock_answer answer;

	expect_int(clock_apply(desk->clock, event, &answer), 0);
}

static inline struct clock_event event_at(enum clock_event_kind kind, enum side by, int64_t at)
{
	struct clock_event event = CLOCK_EVENT_NONE;

	event.kind = kind;
	event.by = by;
	event.at = event.delivered = at;
	return event;
}

static inline void desk_open(struct desk *desk, enum rule_system system)
{
	memset(desk, 0, sizeof(*desk));
	table_set(&desk->table, "");
	parameters_default(system, &desk->parameters);
	desk->parameters.zone = &utc;
	desk->parameters.start = SENT;
	desk->parameters.moves_per_manche = 10;
	desk->parameters.standard_hours = 240;
	desk->parameters.control_moves = 2;
	desk->parameters.control_days = 10;
	expect_int(clock_new(&desk->parameters, &utc, &utc, &desk->clock), 0);
	desk->context = (struct rules_context){.system = system, .clock = desk->clock};
	struct clock_event start = event_at(CLOCK_START, SIDE_WHITE, SENT);
	apply(desk, &start);
}

static inline void desk_move(struct desk *desk, const char *move, int64_t at)
{
	struct clock_event event = event_at(CLOCK_MOVE, (enum side)desk->table.game.now.turn, at);

	table_play(&desk->table, move);
	apply(desk, &event);
}

/* The deadline passes: as the relay fires it. */
static inline int64_t desk_overstep(struct desk *desk, struct decision *decision)
{
	int64_t at = clock_overstep_at(desk->clock);
	struct clock_timer timer = {.kind = TIMER_OVERSTEP,
		.at = at,
		.ply = clock_ply(desk->clock),
		.by = clock_turn(desk->clock)};

	assert_true(at != INSTANT_NONE);
	clock_advance(desk->clock, at);
	decide_timer(&desk->context, &desk->table.game, &timer, decision);
	const struct effect *effect = find(decision, EFFECT_STATE);
	if (effect) {
		desk->table.game.state = effect->state;
		desk->table.game.result = effect->result;
		desk->table.game.termination = effect->termination;
		desk->table.game.awaiting = effect->awaiting;
		desk->table.game.awaiting_by = effect->awaiting_by;
	}
	return at;
}

static inline void desk_rule(
	struct desk *desk, const struct ruling *ruling, struct decision *decision)
{
	expect_int(decide_ruling(&desk->context, &desk->table.game, ruling, decision), 0);
}

/*
 * A thousand games in each rule system over two simulated years, players and arbiters acting
 * at random, from a fixed seed: decisions are carried out as the relay does it, and after each
 * event everything that must always hold is checked.
 */
#include "tests/unit/test.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/fen.h"
#include "rules/decide.h"
#include "rules/leave.h"
#include "tests/unit/rules_simulation_writer.h"

#define HOUR 3600000LL
#define DAY (24 * HOUR)
#define GAMES 1000
#define YEARS 2
#define PLIES_MAX 400
#define EVENTS_MAX 2000
#define FIRED_MAX 1500

static const struct zone_transition east_transitions[] = {{.at = 0, .offset = 7200},
	{.at = 1774746000, .offset = 10800}, {.at = 1792890000, .offset = 7200}};
static const struct zone_transition west_transitions[] = {{.at = 0, .offset = -18000},
	{.at = 1772953200, .offset = -14400}, {.at = 1793512800, .offset = -18000}};
static const struct zone east = {.name = "East", .transitions = east_transitions, .n = 3};
static const struct zone west = {.name = "West", .transitions = west_transitions, .n = 3};
static const struct zone *const zones[] = {&east, &west};

static const int64_t first_instant = 1767225600000LL; /* 2026-01-01 */

/* A timer that has fired, by its key. */
struct fired {
	enum clock_timer_kind kind;
	int ply;
};

struct sim {
	struct clock_parameters parameters;
	struct clock *clock;
	struct game game;
	uint16_t moves[PLIES_MAX];
	struct clock_event events[EVENTS_MAX];
	size_t n_events;
	struct fired fired[FIRED_MAX];
	size_t n_fired;
	struct clock_timer armed[64]; /* by EFFECT_TIMER */
	size_t n_armed;
	struct leave_taken taken[2][64];
	size_t n_taken[2];
	int64_t now;
	int used;       /* of the move thought about when the game ended; -1: no clock ran then */
	uint64_t print; /* of all that was decided */
};

/* What has come about in all games, so that the test shows it has seen it. */
static struct tally {
	size_t verdicts[VERDICT_ACCEPTED_WITH_WARNING + 1];
	size_t terminations[TERMINATION_ANNULLED + 1];
	size_t timers[CLOCK_TIMER_KINDS];
	size_t rulings, refused_rulings, replies, accepted, leaves, stops, claims, withdrawn;
	size_t reopened;
} tally;

static struct rules_context context_of(const struct sim *sim)
{
	return (struct rules_context){
		.system = sim->parameters.system,
		.fide_2014 = sim->parameters.system == RULES_RAZSH,
		.public_area = sim->parameters.system == RULES_MCLINK,
		.clock = sim->clock,
	};
}

/* ---- Carrying out, as the relay does ---- */

static void print_add(struct sim *sim, uint64_t value)
{
	sim->print = (sim->print ^ value) * 1099511628211U;
}

static int64_t random_delay(void)
{
	return chance(90) ? random_below(600) * 1000LL : random_below(3 * 24) * HOUR;
}

/* The delivery that stamps the clock event at INDEX comes so much later. */
static void fill_stamps(const struct decision *decision, size_t index, struct clock_event *event)
{
	for (size_t i = 0; i < decision->n_effects; i++) {
		const struct effect *effect = &decision->effects[i];
		if (effect->kind != EFFECT_MAIL || effect->stamp == STAMP_NONE ||
			effect->stamped != index)
			continue;
		assert_int_equal(decision->effects[index].kind, EFFECT_CLOCK);
		if (effect->stamp == STAMP_QUERY)
			event->query_delivered = event->at + random_delay();
		else
			event->delivered = event->at + random_delay();
	}
}

static void carry_clock(struct sim *sim, const struct decision *decision, size_t index)
{
	struct clock_event event = decision->effects[index].event;
	struct clock_answer answer;

	fill_stamps(decision, index, &event);
	if (event.kind == CLOCK_END) {
		struct clock_state state;
		clock_state_at(sim->clock, event.at, &state);
		const struct clock_side *half = &state.side[clock_turn(sim->clock)];
		sim->used = state.status == CLOCK_RUNNING && half->on_move ? half->running : -1;
	}
	int r = clock_apply(sim->clock, &event, &answer);
	if (r != 0)
		fail_msg("system %d: event %d: %s", (int)sim->parameters.system, (int)event.kind,
			clock_error_text((enum clock_error)r));
	if (answer.held && event.kind != CLOCK_END)
		fail_msg("system %d: event %d is held", (int)sim->parameters.system,
			(int)event.kind);
	if (event.kind == CLOCK_LEAVE || event.kind == CLOCK_STOP_REQUEST)
		assert_true(answer.granted);
	assert_true(sim->n_events < EVENTS_MAX);
	sim->events[sim->n_events++] = event;
}

static void carry_state(struct sim *sim, const struct effect *effect)
{
	static const bool may[4][4] = {
		/* from scheduled, active, suspended, finished; to the same */
		{false, true, false, true},
		{false, true, true, true},
		{false, true, true, true},
		{false, true, false, true},
	};

	if (!may[sim->game.state][effect->state])
		fail_msg("from %s to %s", game_state_name(sim->game.state),
			game_state_name(effect->state));
	bool result = effect->result != RESULT_NONE;
	assert_int_equal(effect->state == GAME_FINISHED, effect->termination != TERMINATION_NONE);
	assert_true(!result || effect->state == GAME_FINISHED);
	assert_true(effect->state != GAME_SUSPENDED || effect->awaiting != AWAITING_NONE);
	sim->game.state = effect->state;
	sim->game.result = effect->result;
	sim->game.termination = effect->termination;
	sim->game.awaiting = effect->awaiting;
	sim->game.awaiting_by = effect->awaiting_by;
	tally.terminations[effect->termination]++;
}

static void forget_fired(struct sim *sim, const struct effect *effect)
{
	size_t kept = 0;

	for (size_t i = 0; i < sim->n_fired; i++)
		if (sim->fired[i].ply < (int)effect->plies ||
			(effect->timer.kind != CLOCK_TIMER_KINDS &&
				effect->timer.kind != sim->fired[i].kind))
			sim->fired[kept++] = sim->fired[i];
	sim->n_fired = kept;
}

/* Keyed by kind and ply; an effect arms it anew. */
static void arm(struct sim *sim, const struct clock_timer *timer)
{
	size_t kept = 0, i = 0;

	for (size_t j = 0; j < sim->n_fired; j++)
		if (sim->fired[j].kind != timer->kind || sim->fired[j].ply != timer->ply)
			sim->fired[kept++] = sim->fired[j];
	sim->n_fired = kept;
	while (i < sim->n_armed &&
		(sim->armed[i].kind != timer->kind || sim->armed[i].ply != timer->ply))
		i++;
	assert_true(i < ARRAY_SIZE(sim->armed));
	sim->armed[i] = *timer;
	if (i == sim->n_armed)
		sim->n_armed++;
}

static void carry_effect(struct sim *sim, const struct decision *decision, size_t index)
{
	const struct effect *effect = &decision->effects[index];
	struct game *game = &sim->game;

	print_add(sim, (uint64_t)effect->kind * 31 + effect->move);
	switch (effect->kind) {
	case EFFECT_MOVE:
		assert_true(position_is_legal(&game->now, effect->move));
		assert_true(game->n_moves < PLIES_MAX);
		position_make(&game->now, effect->move);
		sim->moves[game->n_moves++] = effect->move;
		return;
	case EFFECT_CLOCK:
		carry_clock(sim, decision, index);
		return;
	case EFFECT_STATE:
		carry_state(sim, effect);
		return;
	case EFFECT_OFFER:
		assert_int_not_equal(game->draw_offer, effect->offer);
		game->draw_offer = effect->offer;
		return;
	case EFFECT_CONDITIONALS:
		game->conditionals = decision->conditionals;
		return;
	case EFFECT_DEMAND:
		memcpy(game->demanded, effect->demanded, sizeof(game->demanded));
		return;
	case EFFECT_TIMER:
		arm(sim, &effect->timer);
		return;
	case EFFECT_ROLLBACK:
		assert_true(effect->plies < game->n_moves);
		game->now = game_position(game, effect->plies);
		game->n_moves = effect->plies;
		return;
	case EFFECT_WITHDREW:
		assert_true((game->withdrew[effect->side] == 0) != (effect->withdrew == 0));
		game->withdrew[effect->side] = effect->withdrew;
		return;
	case EFFECT_REARM:
		forget_fired(sim, effect);
		return;
	case EFFECT_MAIL:
		return;
	}
}

static void carry_effects(struct sim *sim, const struct decision *decision)
{
	for (size_t i = 0; i < decision->n_effects; i++)
		carry_effect(sim, decision, i);
}

static void carry(struct sim *sim, const struct decision *decision)
{
	struct decision withdrawn;

	print_add(sim, decision->verdict);
	carry_effects(sim, decision);
	const struct rules_context context = context_of(sim);
	if (!decide_withdrawn(&context, &sim->game, sim->now, &withdrawn))
		return;
	tally.withdrawn++;
	carry_effects(sim, &withdrawn);
	assert_false(decide_withdrawn(&context, &sim->game, sim->now, &withdrawn));
}

/* ---- What must hold ---- */

static void check_side(const struct sim *sim, const struct clock_side *half)
{
	int days = 0;

	for (size_t i = 0; i < half->n_moves; i++) {
		assert_true(half->days[i] >= 0 && half->penalties[i] >= 0);
		days += half->days[i];
	}
	assert_true(half->running >= 0 && half->total >= 0 && half->used >= 0);
	assert_true(half->pending >= 0 && half->residual >= 0 && half->served >= 0);
	assert_true(half->last_window_sum >= 0 && half->next_move_base >= 0);
	if (sim->parameters.system == RULES_RAZSH) {
		int extras = 0;
		for (size_t i = 0; i < half->n_extra; i++)
			extras += half->extra[i].days;
		assert_int_equal(half->total, days + extras);
	}
	if (sim->parameters.system == RULES_MCLINK)
		assert_true(half->available <= half->gross && half->served * 5 <= half->gross);
}

/* The ledger explains every day and hour. */
static void check_ledger(const struct sim *sim, const struct clock_state *state)
{
	size_t n;
	const struct clock_charge *charges = clock_charges(sim->clock, &n);
	int of_moves[2] = {0, 0}, of_charges[2] = {0, 0};

	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < state->side[side].n_moves; i++)
			of_moves[side] += state->side[side].days[i];
	for (size_t i = 0; i < n; i++) {
		assert_true(charges[i].days >= 0 && charges[i].tenths_penalty >= 0 &&
			    charges[i].tenths_sum >= 0);
		assert_non_null(charges[i].article);
		of_charges[charges[i].by] += charges[i].days;
	}
	assert_int_equal(of_moves[0], of_charges[0]);
	assert_int_equal(of_moves[1], of_charges[1]);
}

/* Board, state and clock tell the same story. */
static void check_agreement(const struct sim *sim, const struct clock_state *state)
{
	const struct game *game = &sim->game;

	if (game->state == GAME_SCHEDULED)
		return;
	assert_int_equal(state->ply, game->n_moves - game->n_thematic);
	assert_int_equal(clock_turn(sim->clock), game->now.turn);
	assert_int_equal(game->now.turn, game_turn(game, game->n_moves));
	switch (game->state) {
	case GAME_ACTIVE:
		assert_true(state->status == CLOCK_RUNNING || state->status == CLOCK_STOPPED);
		break;
	case GAME_SUSPENDED:
		assert_true(state->status == CLOCK_SUSPENDED || state->status == CLOCK_INTERRUPTED);
		break;
	case GAME_FINISHED:
		assert_int_equal(state->status, CLOCK_OVER);
		break;
	case GAME_SCHEDULED:
		break;
	}
	/* No withdrawal is lost. */
	if (game->state == GAME_ACTIVE)
		assert_true(game->withdrew[SIDE_WHITE] == 0 && game->withdrew[SIDE_BLACK] == 0);
	if (game->state == GAME_FINISHED) {
		assert_int_equal(game->draw_offer, OFFER_NONE);
		assert_int_equal(game->conditionals.n_lines, 0);
	}
}

/* What waits can be played, and belongs to the side that is not on the move. */
static void check_conditionals(const struct sim *sim)
{
	const struct conditionals *waiting = &sim->game.conditionals;
	char text[CONDITIONALS_TEXT_MAX];
	struct conditionals again;

	if (waiting->n_lines == 0)
		return;
	assert_int_not_equal(waiting->by, sim->game.now.turn);
	(void)conditionals_write(waiting, text);
	expect_int(conditionals_read(text, &sim->game.now, waiting->by, &again), 0);
	expect_int(again.n_lines, waiting->n_lines);
	for (size_t i = 0; i < waiting->n_lines; i++)
		assert_memory_equal(again.lines[i].moves, waiting->lines[i].moves,
			waiting->lines[i].n * sizeof(uint16_t));
}

static void check(const struct sim *sim)
{
	struct clock_state state;

	clock_state_at(sim->clock, sim->now, &state);
	check_agreement(sim, &state);
	check_ledger(sim, &state);
	for (int side = 0; side < 2; side++)
		check_side(sim, &state.side[side]);
	check_conditionals(sim);
}

/* ---- Timers ---- */

static bool has_fired(const struct sim *sim, const struct clock_timer *timer)
{
	for (size_t i = 0; i < sim->n_fired; i++)
		if (sim->fired[i].kind == timer->kind && sim->fired[i].ply == timer->ply)
			return true;
	return false;
}

/* The first timer that has not fired. */
static bool next_timer(const struct sim *sim, struct clock_timer *ret)
{
	struct clock_timer timers[CLOCK_TIMERS_MAX];
	size_t n = sim->game.state == GAME_ACTIVE ? clock_timers(sim->clock, timers) : 0;
	bool found = false;

	for (size_t i = 0; i < n + sim->n_armed; i++) {
		const struct clock_timer *timer = i < n ? &timers[i] : &sim->armed[i - n];
		if (has_fired(sim, timer) || (found && timer->at >= ret->at))
			continue;
		*ret = *timer;
		found = true;
	}
	return found;
}

static void fire(struct sim *sim, const struct clock_timer *timer)
{
	struct decision decision;

	sim->now = timer->at > sim->now ? timer->at : sim->now;
	clock_advance(sim->clock, sim->now);
	const struct rules_context context = context_of(sim);
	decide_timer(&context, &sim->game, timer, &decision);
	assert_true(sim->n_fired < FIRED_MAX);
	sim->fired[sim->n_fired++] = (struct fired){timer->kind, timer->ply};
	tally.timers[timer->kind] += decision.n_effects > 0;
	carry(sim, &decision);
	check(sim);
}

/* All that is due; then nothing is left in the past. */
static void work_off(struct sim *sim, int64_t until)
{
	struct clock_timer timer;

	while (next_timer(sim, &timer) && timer.at <= until)
		fire(sim, &timer);
	assert_true(!next_timer(sim, &timer) || timer.at > until);
	sim->now = until;
	clock_advance(sim->clock, until);
}

/* ---- Messages ---- */

/* Exactly one answer goes to the sender, unless the shell gives it. */
static void check_answer(const struct message *message, const struct decision *decision)
{
	enum mail_reader sender = message->by == SIDE_WHITE ? READER_WHITE : READER_BLACK;
	size_t answers = 0;

	for (size_t i = 0; i < decision->n_effects; i++) {
		const struct effect *effect = &decision->effects[i];
		if (effect->kind == EFFECT_MAIL && effect->to == sender &&
			(effect->mail == MAIL_RECEIPT || effect->mail == MAIL_REFUSAL ||
				effect->mail == MAIL_CONFIRM))
			answers++;
	}
	assert_int_not_equal(decision->verdict, VERDICT_NONE);
	bool shell = decision->request >= 0 && decision->verdict == VERDICT_COMMAND &&
		     decision->n_effects == 0;
	assert_int_equal(answers, shell ? 0 : 1);
	bool accepted = decision->verdict == VERDICT_ACCEPTED ||
			decision->verdict == VERDICT_ACCEPTED_WITH_WARNING;
	if (accepted)
		assert_int_equal(decision->made, decision->accepted + 1 + decision->replies);
}

static void receive(struct sim *sim)
{
	const struct writer writer = {.game = &sim->game,
		.clock = sim->clock,
		.system = sim->parameters.system,
		.now = sim->now};
	struct message message = random_message(&writer);
	const struct rules_context context = context_of(sim);
	struct decision decision;

	decide(&context, &sim->game, &message, sim->now, &decision);
	check_answer(&message, &decision);
	tally.verdicts[decision.verdict]++;
	tally.replies += decision.replies;
	tally.accepted += decision.accepted / 2;
	tally.claims += decision.matter == MATTER_TIME_CLAIM;
	carry(sim, &decision);
	/* A penalty can overstep a window (IECC 7.8): the relay goes on to that. */
	if (sim->game.state == GAME_ACTIVE && clock_status(sim->clock) == CLOCK_SUSPENDED) {
		decide_overstep(&context, &sim->game, sim->now, &decision);
		carry(sim, &decision);
	}
	check(sim);
}

/* ---- Leave and stops ---- */

static void take_leave(struct sim *sim, enum side side)
{
	struct leave_game game = {.parameters = &sim->parameters,
		.zone = zones[side],
		.side = side,
		.clock = sim->clock};
	int32_t today = zone_date(zones[side], sim->now);
	struct leave_request request = {.at = sim->now,
		.announced = sim->now,
		.from = today + random_below(12) - 1,
		.approved = chance(5)};
	struct leave_outcome outcome;
	enum refusal refusal;
	struct decision decision = {.n_effects = 0};

	request.to = request.from + random_below(15);
	enum verdict verdict = decide_leave(
		&request, &game, 1, sim->taken[side], sim->n_taken[side], &outcome, &refusal);
	assert_int_equal(verdict == VERDICT_COMMAND, outcome.granted || outcome.ask_opponent);
	if (!outcome.granted || sim->n_taken[side] == ARRAY_SIZE(sim->taken[side]))
		return;
	tally.leaves++;
	assert_true(outcome.from <= outcome.to && outcome.from >= request.from);
	memcpy(decision.effects, outcome.effects, sizeof(outcome.effects));
	decision.n_effects = outcome.n_effects;
	sim->taken[side][sim->n_taken[side]++] =
		(struct leave_taken){.from = outcome.from, .to = outcome.to};
	carry(sim, &decision);
	check(sim);
}

static void ask_stop(struct sim *sim, enum side side)
{
	struct leave_game game = {.parameters = &sim->parameters,
		.zone = zones[side],
		.side = side,
		.clock = sim->clock};
	struct stop_request request = {.at = sim->now, .start = sim->now + random_below(90) * HOUR};
	struct leave_outcome outcome;
	enum refusal refusal;
	struct decision decision = {.n_effects = 0};

	request.end = request.start + (1 + random_below(120)) * HOUR;
	enum verdict verdict = decide_stop(&request, &game, 1, &outcome, &refusal);
	assert_int_equal(verdict == VERDICT_COMMAND, outcome.granted);
	if (!outcome.granted)
		return;
	tally.stops++;
	memcpy(decision.effects, outcome.effects, sizeof(outcome.effects));
	decision.n_effects = outcome.n_effects;
	carry(sim, &decision);
	check(sim);
}

/* ---- The arbiter ---- */

static struct ruling random_ruling(const struct sim *sim)
{
	static const enum ruling_kind closing[] = {RULING_UPHOLD, RULING_REJECT, RULING_RESUME,
		RULING_REJECT, RULING_REJECT, RULING_RESUME, RULING_RESULT, RULING_ADJUDICATE,
		RULING_DRAW};
	static const enum ruling_kind passing[] = {RULING_PENALTY, RULING_LIFT, RULING_CREDIT,
		RULING_ROLLBACK, RULING_UNCLEAR, RULING_CORRECT};
	bool waits = sim->game.state == GAME_SUSPENDED || sim->game.awaiting != AWAITING_NONE;
	struct ruling ruling = {
		.kind = waits && chance(90) ? closing[random_below((int)ARRAY_SIZE(closing))]
					    : passing[random_below((int)ARRAY_SIZE(passing))],
		.at = sim->now,
		.side = (enum side)random_below(2),
		.n = random_below(4),
		.move = 1 + random_below((int)sim->game.n_moves / 2 + 1),
		.ply = (size_t)random_below((int)sim->game.n_moves + 2),
		.days = random_below(3),
		.bar = chance(50),
		.result = (enum clock_result)(1 + random_below(3)),
		.sent = INSTANT_NONE,
		.delivered = INSTANT_NONE,
	};

	if (ruling.kind == RULING_ROLLBACK || ruling.kind == RULING_UNCLEAR)
		ruling.ply = sim->game.n_moves - (size_t)random_below(3);
	if (ruling.kind == RULING_CORRECT)
		ruling.delivered = sim->now - random_below(48) * HOUR;
	return ruling;
}

static void rule(struct sim *sim)
{
	struct ruling ruling = random_ruling(sim);
	const struct rules_context context = context_of(sim);
	struct decision decision;

	expect_int(decide_ruling(&context, &sim->game, &ruling, &decision), 0);
	if (decision.verdict == VERDICT_COMMAND)
		tally.rulings++;
	else
		tally.refused_rulings++;
	if (decision.verdict == VERDICT_COMMAND_ERROR)
		assert_int_equal(decision.n_effects, 0);
	carry(sim, &decision);
	check(sim);
}

/* Somebody has entered a result for the wrong game; the arbiter puts it aside, or takes moves back.
 */
static void reopen(struct sim *sim)
{
	struct ruling ruling = {
		.kind = chance(60) ? RULING_RESUME : RULING_ROLLBACK,
		.at = sim->now,
		.ply = sim->game.n_moves - (size_t)random_below(4),
		.days = sim->parameters.system != RULES_MCLINK && chance(20) ? random_below(4) : 0,
		.sent = INSTANT_NONE,
		.delivered = INSTANT_NONE,
	};
	const struct rules_context context = context_of(sim);
	struct clock_state after;
	struct decision decision;

	bool put_aside = clock_overstep(sim->clock) != NULL;
	expect_int(decide_ruling(&context, &sim->game, &ruling, &decision), 0);
	carry(sim, &decision);
	if (decision.verdict != VERDICT_COMMAND)
		return;
	tally.reopened++;
	check(sim);
	/* What was used before the end stays used, and nothing of what came after it counts. */
	clock_state_at(sim->clock, sim->now, &after);
	enum side turn = clock_turn(sim->clock);
	if (ruling.kind == RULING_RESUME && !put_aside && ruling.days == 0 && sim->used >= 0)
		expect_int(after.side[turn].running, sim->used);
	sim->used = -1;
}

static void withdraw(struct sim *sim, enum side side)
{
	const struct rules_context context = context_of(sim);
	struct decision decision;

	decide_withdrawal(&context, &sim->game, side, sim->now, &decision);
	carry(sim, &decision);
	check(sim);
}

/* ---- A game ---- */

static void open_game(struct sim *sim, enum rule_system system)
{
	struct decision decision;

	memset(sim, 0, sizeof(*sim));
	parameters_default(system, &sim->parameters);
	sim->parameters.zone = &east;
	sim->parameters.start = first_instant;
	sim->parameters.moves_per_manche = 5;
	sim->parameters.standard_hours = 480;
	sim->parameters.two_player = chance(10);
	sim->now = first_instant;
	sim->used = -1;
	sim->game.state = GAME_SCHEDULED;
	sim->game.start = sim->game.now = position_initial();
	sim->game.moves = sim->moves;
	expect_int(clock_new(&sim->parameters, zones[0], zones[1], &sim->clock), 0);
	const struct rules_context context = context_of(sim);
	decide_start(&context, &sim->game, sim->now, &decision);
	carry(sim, &decision);
	check(sim);
}

static int64_t random_pause(const struct sim *sim)
{
	if (sim->game.state == GAME_SUSPENDED)
		return (1 + random_below(20)) * DAY / 2;
	if (sim->parameters.system == RULES_MCLINK && chance(90))
		return random_below(3 * 24 * 60) * 60000LL;
	return chance(93)   ? random_below(5 * 24 * 60) * 60000LL
	       : chance(50) ? random_below(15 * 24) * HOUR
			    : random_below(60 * 24) * HOUR;
}

static void act(struct sim *sim)
{
	int choice = random_below(1000);
	enum side side = (enum side)random_below(2);

	if (sim->game.state == GAME_SUSPENDED ? choice < 800 : choice < 25)
		rule(sim);
	else if (sim->game.state == GAME_SUSPENDED ? choice < 830 : choice < 30 && chance(10))
		withdraw(sim, side);
	else if (choice < 60 && sim->game.state == GAME_ACTIVE)
		sim->parameters.system == RULES_MCLINK ? ask_stop(sim, side)
						       : take_leave(sim, side);
	else
		receive(sim);
}

/* The same clock events folded again come to the same state. */
static void check_replay(const struct sim *sim)
{
	struct clock *again;
	struct clock_state one, two;
	struct clock_answer answer;

	expect_int(clock_new(&sim->parameters, zones[0], zones[1], &again), 0);
	for (size_t i = 0; i < sim->n_events; i++)
		expect_int(clock_apply(again, &sim->events[i], &answer), 0);
	clock_advance(again, sim->now);
	clock_state_at(sim->clock, sim->now, &one);
	clock_state_at(again, sim->now, &two);
	expect_int(one.status, two.status);
	expect_int(one.ply, two.ply);
	expect_int(one.result, two.result);
	expect_int(one.turn, two.turn);
	for (int side = 0; side < 2; side++) {
		const struct clock_side *a = &one.side[side], *b = &two.side[side];
		expect_int(a->n_moves, b->n_moves);
		expect_int(memcmp(a->days, b->days, a->n_moves * sizeof(int)), 0);
		expect_int(a->running, b->running);
		expect_int(a->total, b->total);
		expect_int(a->used, b->used);
		expect_int(a->next_move_base, b->next_move_base);
		expect_int(a->residual, b->residual);
	}
	clock_free(again);
}

static uint64_t play(enum rule_system system, uint64_t number)
{
	static struct sim sim;
	const int64_t end = first_instant + (int64_t)YEARS * 365 * DAY;
	struct clock_timer event_end = {.kind = TIMER_EVENT_END, .at = end - 30 * DAY};

	simulation_seed = number * 7919 + (uint64_t)system + 1;
	open_game(&sim, system);
	if (chance(50))
		sim.armed[sim.n_armed++] = event_end;
	while (sim.now < end && sim.game.state != GAME_FINISHED &&
		sim.game.n_moves < PLIES_MAX - 80 && sim.n_events < EVENTS_MAX - 80) {
		work_off(&sim, sim.now + random_pause(&sim));
		act(&sim);
		if (sim.game.state == GAME_FINISHED && chance(60)) {
			work_off(&sim, sim.now + random_pause(&sim));
			reopen(&sim);
		}
	}
	check_replay(&sim);
	clock_free(sim.clock);
	return sim.print;
}

static void play_all(enum rule_system system)
{
	memset(&tally, 0, sizeof(tally));
	for (uint64_t number = 0; number < GAMES; number++) {
		uint64_t print = play(system, number);
		/* The same inputs come to the same decisions. */
		if (number % 20 == 0)
			assert_true(play(system, number) == print);
	}
	for (int i = 1; i <= VERDICT_ACCEPTED_WITH_WARNING; i++)
		if (tally.verdicts[i])
			print_message("%s %zu, ", verdict_name((enum verdict)i), tally.verdicts[i]);
	for (int i = 1; i <= TERMINATION_ANNULLED; i++)
		if (tally.terminations[i])
			print_message("%s %zu, ", termination_name((enum termination)i),
				tally.terminations[i]);
	for (int i = 0; i < CLOCK_TIMER_KINDS; i++)
		if (tally.timers[i])
			print_message("%s %zu, ", clock_timer_name((enum clock_timer_kind)i),
				tally.timers[i]);
	print_message("rulings %zu, refused %zu, replies %zu, accepted %zu, leaves %zu, stops %zu,"
		      " claims %zu, withdrawn %zu, reopened %zu\n",
		tally.rulings, tally.refused_rulings, tally.replies, tally.accepted, tally.leaves,
		tally.stops, tally.claims, tally.withdrawn, tally.reopened);
	assert_true(tally.verdicts[VERDICT_ACCEPTED] > GAMES);
	assert_true(tally.accepted > 0 && tally.rulings > 0 && tally.reopened > 10);
}

static void test_iecc(void **state)
{
	(void)state;
	play_all(RULES_IECC);
	assert_true(tally.replies > GAMES && tally.leaves > 100 && tally.withdrawn > 10);
	assert_true(tally.timers[TIMER_OVERSTEP] > 100 && tally.timers[TIMER_REMIND] > GAMES);
}

static void test_razsh(void **state)
{
	(void)state;
	play_all(RULES_RAZSH);
	assert_true(tally.claims > 100 && tally.leaves > 100 && tally.withdrawn > 10);
	assert_true(tally.timers[TIMER_OVERSTEP] > 100 && tally.timers[TIMER_REPEAT] > 100);
}

static void test_razsh_post(void **state)
{
	(void)state;
	play_all(RULES_RAZSH_POST);
	assert_true(tally.claims > 100 && tally.leaves > 100);
}

static void test_mclink(void **state)
{
	(void)state;
	play_all(RULES_MCLINK);
	assert_true(tally.terminations[TERMINATION_TIME] > 100 && tally.stops > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_iecc),
		cmocka_unit_test(test_razsh),
		cmocka_unit_test(test_razsh_post),
		cmocka_unit_test(test_mclink),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

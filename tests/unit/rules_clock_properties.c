/*
 * What holds of every clock, whatever the events: thousands of games of random events in
 * order of time, from a fixed seed.
 */
#include "tests/unit/test.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "rules/clock.h"

#define HOUR 3600000LL
#define EVENTS_MAX 60
#define GAMES 400

static const struct zone_transition east_transitions[] = {
	{.at = 0, .offset = 7200}, {.at = 1774746000, .offset = 10800}};
static const struct zone_transition west_transitions[] = {
	{.at = 0, .offset = -18000}, {.at = 1772953200, .offset = -14400}};
static const struct zone east = {.name = "East", .transitions = east_transitions, .n = 2};
static const struct zone west = {.name = "West", .transitions = west_transitions, .n = 2};

static uint64_t seed;
static bool charge_last; /* of the clocks that are made */

static int random_below(int n)
{
	seed = seed * 6364136223846793005U + 1442695040888963407U;
	return (int)((seed >> 33) % (uint64_t)n);
}

static int64_t random_step(void)
{
	static const int hours[] = {1, 5, 20, 30, 50, 70, 130, 250};
	int most = hours[random_below((int)ARRAY_SIZE(hours))];

	return random_below(most * 3600) * 1000LL;
}

static const int64_t first_instant = 1767225600000LL; /* 2026-01-01 */

static struct clock *clock_make(enum rule_system system)
{
	struct clock_parameters parameters;
	struct clock *clock;

	parameters_default(system, &parameters);
	parameters.zone = &west;
	parameters.start = first_instant;
	parameters.moves_per_manche = 3;
	parameters.standard_hours = 333;
	parameters.control_moves = 3;
	parameters.charge_last = charge_last;
	expect_int(clock_new(&parameters, &east, &west, &clock), 0);
	return clock;
}

static void random_move(enum rule_system system, struct clock_event *event)
{
	event->kind = CLOCK_MOVE;
	event->delivered = event->at + random_below(40 * 3600) * 1000LL;
	event->accepts = random_below(8) == 0 ? 1 + random_below(3) : 0;
	if (system == RULES_IECC)
		event->illegal_conditional = random_below(12) == 0;
	else if (system == RULES_MCLINK)
		event->bad_format = random_below(3) == 0;
	else
		event->offers = random_below(4);
}

/* An event that fits the state more often than not. */
static struct clock_event random_event(
	enum rule_system system, const struct clock *clock, int64_t at)
{
	struct clock_event event = CLOCK_EVENT_NONE;
	int choice = random_below(10);
	int32_t today = zone_date(&east, at);

	event.at = at;
	event.by = clock_turn(clock);
	if (choice < 6) {
		random_move(system, &event);
	} else if (choice < 8 && system != RULES_MCLINK) {
		event.kind = CLOCK_FAULT;
		event.fault = (enum clock_fault)random_below(6);
		event.query_delivered = at + random_below(7200) * 1000LL;
		event.accepts = random_below(4) == 0 ? 1 + random_below(3) : 0;
	} else if (choice == 8 && system == RULES_MCLINK) {
		event.kind = CLOCK_STOP_REQUEST;
		event.start = at + random_below(60) * HOUR;
		event.end = event.start + (1 + random_below(100)) * HOUR;
	} else if (choice == 8) {
		event.kind = CLOCK_LEAVE;
		event.by = (enum side)random_below(2);
		event.from = today + random_below(6);
		event.to = event.from + random_below(8);
	} else {
		event.kind = CLOCK_EDIT;
		event.action = ACTION_PENALTY;
		event.by = (enum side)random_below(2);
		event.n = 1 + random_below(2);
	}
	if (clock_status(clock) == CLOCK_SUSPENDED) {
		event = CLOCK_EVENT_NONE;
		event.kind = CLOCK_ARBITER;
		event.at = at;
		event.action = ACTION_RESUME;
	}
	return event;
}

/* A game of random events, those that were refused left out. */
static int random_game(enum rule_system system, struct clock_event events[EVENTS_MAX])
{
	struct clock *clock = clock_make(system);
	struct clock_answer answer;
	int64_t at = first_instant;
	int n = 0;

	if (system != RULES_MCLINK) {
		events[n] = CLOCK_EVENT_NONE;
		events[n].at = events[n].delivered = at;
		expect_int(clock_apply(clock, &events[n++], &answer), 0);
	}
	while (n < EVENTS_MAX && clock_status(clock) != CLOCK_OVER) {
		at += random_step();
		clock_advance(clock, at);
		struct clock_event event = random_event(system, clock, at);
		int r = clock_apply(clock, &event, &answer);
		assert_true(r >= 0);
		if (r == 0)
			events[n++] = event;
	}
	clock_free(clock);
	return n;
}

static struct clock *fold(
	enum rule_system system, const struct clock_event *events, int n, bool with_passes)
{
	struct clock *clock = clock_make(system);
	struct clock_answer answer;

	for (int i = 0; i < n; i++) {
		if (with_passes && i > 0) {
			int64_t gap = events[i].at - events[i - 1].at;
			for (int64_t part = 1; part <= 4; part++)
				clock_advance(clock, events[i - 1].at + gap * part / 4);
		}
		expect_int(clock_apply(clock, &events[i], &answer), 0);
	}
	return clock;
}

static void expect_same_side(const struct clock_side *a, const struct clock_side *b)
{
	expect_int(a->n_moves, b->n_moves);
	expect_int(memcmp(a->days, b->days, a->n_moves * sizeof(int)), 0);
	expect_int(memcmp(a->penalties, b->penalties, a->n_moves * sizeof(int)), 0);
	expect_int(a->on_move, b->on_move);
	expect_int(a->arrival, b->arrival);
	expect_int(a->running, b->running);
	expect_int(a->penalty, b->penalty);
	expect_int(a->last_window_sum, b->last_window_sum);
	expect_int(a->next_move_base, b->next_move_base);
	expect_int(a->overstep_at, b->overstep_at);
	expect_int(a->total, b->total);
	expect_int(a->remaining, b->remaining);
	expect_int(a->available, b->available);
	expect_int(a->used, b->used);
	expect_int(a->pending, b->pending);
	expect_int(a->residual, b->residual);
	expect_int(a->faults, b->faults);
}

static void expect_same(const struct clock *a, const struct clock *b, int64_t at)
{
	struct clock_state one, two;

	clock_state_at(a, at, &one);
	clock_state_at(b, at, &two);
	expect_int(one.status, two.status);
	expect_int(one.turn, two.turn);
	expect_int(one.result, two.result);
	expect_int(one.ply, two.ply);
	expect_int(one.deadline, two.deadline);
	expect_int(one.overstep.at, two.overstep.at);
	expect_int(clock_overstep_at(a), clock_overstep_at(b));
	expect_int(clock_overstep(a) == NULL, clock_overstep(b) == NULL);
	if (clock_overstep(a) != NULL)
		expect_int(clock_overstep(a)->at, clock_overstep(b)->at);
	for (int side = 0; side < 2; side++)
		expect_same_side(&one.side[side], &two.side[side]);
}

static const enum rule_system systems[] = {RULES_IECC, RULES_RAZSH, RULES_RAZSH_POST, RULES_MCLINK};

/* Passes in between change nothing, nor does a credit of nothing, which folds all again. */
static void test_folds_agree(void **state)
{
	(void)state;
	struct clock_event events[EVENTS_MAX];
	struct clock_answer answer;

	seed = 1;
	for (int game = 0; game < GAMES; game++) {
		enum rule_system system = systems[game % 4];
		int n = random_game(system, events);
		int64_t at = events[n - 1].at;
		struct clock *plain = fold(system, events, n, false);
		struct clock *passes = fold(system, events, n, true);
		expect_same(plain, passes, at);
		if (clock_status(plain) != CLOCK_OVER && clock_ply(plain) > 0) {
			struct clock_event credit = CLOCK_EVENT_NONE;
			credit.kind = CLOCK_EDIT;
			credit.action = ACTION_CREDIT;
			credit.at = at;
			credit.ply = 1 + random_below(clock_ply(plain));
			expect_int(clock_apply(passes, &credit, &answer), 0);
			expect_same(plain, passes, at);
		}
		clock_free(plain);
		clock_free(passes);
	}
}

/* A copy taken on the way goes on like the clock it was taken from, and leaves that alone. */
static void test_copies_agree(void **state)
{
	(void)state;
	struct clock_event events[EVENTS_MAX];
	struct clock_answer answer;

	seed = 5;
	for (int game = 0; game < GAMES; game++) {
		enum rule_system system = systems[game % 4];
		int n = random_game(system, events), half = 1 + random_below(n);
		struct clock *whole = fold(system, events, n, false);
		struct clock *first = fold(system, events, half, false);
		struct clock *untouched = fold(system, events, half, false);
		struct clock *copy;
		expect_int(clock_clone(first, &copy), 0);
		for (int i = half; i < n; i++)
			expect_int(clock_apply(copy, &events[i], &answer), 0);
		expect_same(whole, copy, events[n - 1].at);
		expect_same(untouched, first, events[half - 1].at);
		clock_free(whole);
		clock_free(first);
		clock_free(untouched);
		clock_free(copy);
	}
}

/* No count is negative, and the charges explain every day and hour. */
static void check_ledger(const struct clock *clock, int64_t at)
{
	struct clock_state now;
	size_t n;
	const struct clock_charge *charges = clock_charges(clock, &n);

	/* In the order of the events that they come of, within one in that of the plies. */
	for (size_t i = 1; i < n; i++)
		assert_true(charges[i - 1].event < charges[i].event ||
			    (charges[i - 1].event == charges[i].event &&
				    charges[i - 1].ply <= charges[i].ply));
	clock_state_at(clock, at, &now);
	for (int side = 0; side < 2; side++) {
		const struct clock_side *half = &now.side[side];
		int days = 0, penalties = 0, of_charges = 0, tenths = 0;
		for (size_t i = 0; i < half->n_moves; i++) {
			assert_true(half->days[i] >= 0 && half->penalties[i] >= 0);
			days += half->days[i];
			penalties += half->penalties[i];
		}
		for (size_t i = 0; i < n; i++) {
			assert_true(charges[i].days >= 0 && charges[i].tenths_penalty >= 0);
			assert_true(charges[i].tenths_sum >= 0);
			if ((int)charges[i].by != side)
				continue;
			of_charges += charges[i].days;
			if (charges[i].move <= (int)half->n_moves)
				tenths += charges[i].tenths_penalty;
		}
		expect_int(days, of_charges);
		assert_true(half->running >= 0 && half->total >= 0 && half->used >= 0);
		assert_true(half->pending >= 0 && half->residual >= 0 && half->served >= 0);
		if (clock_system(clock) == RULES_IECC)
			assert_true(tenths >= TENTHS * penalties);
		if (clock_system(clock) == RULES_RAZSH) {
			int extras = 0;
			for (size_t i = 0; i < half->n_extra; i++)
				extras += half->extra[i].days;
			expect_int(half->total, days + extras);
		}
		if (clock_system(clock) == RULES_MCLINK)
			assert_true(
				half->available <= half->gross && half->served * 5 <= half->gross);
	}
}

static void test_ledger(void **state)
{
	(void)state;
	struct clock_event events[EVENTS_MAX];

	seed = 2;
	for (int game = 0; game < GAMES; game++) {
		enum rule_system system = systems[game % 4];
		charge_last = game / 4 % 2 == 1;
		int n = random_game(system, events);
		struct clock *clock = fold(system, events, n, false);
		check_ledger(clock, events[n - 1].at + random_step());
		clock_free(clock);
	}
	charge_last = false;
}

/* At the instant before the overstep it has not happened, at the instant it has. */
static void test_exact_instant(void **state)
{
	(void)state;
	struct clock_event events[EVENTS_MAX];
	int seen = 0;

	seed = 3;
	for (int game = 0; game < GAMES; game++) {
		enum rule_system system = game % 2 == 0 ? RULES_IECC : RULES_MCLINK;
		int n = random_game(system, events);
		for (int some = 1; some <= n; some++) {
			struct clock *clock = fold(system, events, some, false);
			int64_t over = clock_overstep_at(clock);
			if (over != INSTANT_NONE && over > events[some - 1].at) {
				struct clock_state now;
				clock_advance(clock, over - 1);
				expect_int(clock_status(clock), CLOCK_RUNNING);
				clock_state_at(clock, over - 1, &now);
				if (system == RULES_MCLINK)
					assert_true(now.side[now.turn].tenths_remaining >= 0);
				else /* a penalty that waits can fill the window by itself */
					assert_true(now.side[now.turn].move_left >= 0 &&
						    (now.side[now.turn].window_left >= 0 ||
							    now.side[now.turn].penalty > 0));
				clock_advance(clock, over);
				assert_int_not_equal(clock_status(clock), CLOCK_RUNNING);
				expect_int(clock_overstep(clock)->at, over);
				seen++;
			}
			clock_free(clock);
		}
	}
	assert_true(seen > 1000);
}

/* A ruling that corrects a stamp leaves what the right stamp would have made. */
static void test_correction(void **state)
{
	(void)state;
	struct clock_event events[EVENTS_MAX];
	struct clock_answer answer;
	int seen = 0;

	seed = 4;
	for (int game = 0; game < 4 * GAMES; game++) {
		enum rule_system system = systems[game % 4];
		int n = random_game(system, events), ply = 1, moves = 0, chosen = -1;
		for (int i = 0; i < n; i++) {
			if (events[i].kind == CLOCK_ARBITER || events[i].kind == CLOCK_STOP_REQUEST)
				n = i; /* what depends on the stamps is another matter */
			else if (events[i].kind == CLOCK_MOVE && random_below(++moves) == 0)
				chosen = i;
		}
		struct clock *wrong = fold(system, events, n, false);
		if (chosen < 0 || clock_status(wrong) != CLOCK_RUNNING) {
			clock_free(wrong);
			continue;
		}
		for (int i = 0; i < chosen; i++)
			if (events[i].kind == CLOCK_MOVE)
				ply += 2 * events[i].accepts + 1;
			else if (events[i].kind == CLOCK_FAULT)
				ply += 2 * events[i].accepts;
		struct clock_event edit = CLOCK_EVENT_NONE;
		edit.kind = CLOCK_EDIT;
		edit.action = ACTION_CORRECT;
		edit.at = events[n - 1].at;
		edit.ply = ply;
		edit.delivered = events[chosen].at + random_below(90 * 3600) * 1000LL;
		expect_int(clock_apply(wrong, &edit, &answer), 0);
		events[chosen].delivered = edit.delivered;
		struct clock *right = clock_make(system);
		bool held = false;
		for (int i = 0; i < n; i++) {
			int r = clock_apply(right, &events[i], &answer);
			held = held || r != 0 || answer.held;
		}
		if (!held) {
			expect_same(wrong, right, edit.at);
			seen++;
		}
		clock_free(wrong);
		clock_free(right);
	}
	assert_true(seen > GAMES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_folds_agree),
		cmocka_unit_test(test_copies_agree),
		cmocka_unit_test(test_ledger),
		cmocka_unit_test(test_exact_instant),
		cmocka_unit_test(test_correction),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

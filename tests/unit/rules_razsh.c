/*
 * RAZSh: from when silence is counted after a ruling, and leaves that overlap.
 */
#include "tests/unit/desk.h"

#include "rules/edition.h"
#include "rules/leave.h"

static int64_t timer_at(const struct desk *desk, enum clock_timer_kind kind)
{
	struct clock_timer timers[CLOCK_TIMERS_MAX];
	size_t n = clock_timers(desk->clock, timers);

	for (size_t i = 0; i < n; i++)
		if (timers[i].kind == kind)
			return timers[i].at;
	return INSTANT_NONE;
}

static int64_t day_start(int64_t at, int days)
{
	return zone_date_start(&utc, zone_date(&utc, at) + days);
}

/* 5.1, 5.3: what was sent last is the notice of the ruling; edition 1 counted from the last move.
 */
static void test_silence_after_a_rollback(void **state)
{
	const int64_t ruled = SENT + 10 * DAY_MS, told = SENT + 12 * DAY_MS;

	(void)state;
	for (int edition = EDITION_FIRST; edition <= EDITION_NEWEST; edition++)
		for (size_t plies = 0; plies < 3; plies++) {
			struct desk desk;
			struct decision decision;
			desk_open(&desk, RULES_RAZSH);
			desk.context.edition = edition;
			desk_move(&desk, "e2e4", SENT + HOUR_MS);
			desk_move(&desk, "e7e5", SENT + DAY_MS);
			desk_move(&desk, "g1f3", SENT + 2 * DAY_MS);
			struct ruling ruling = {.kind = RULING_ROLLBACK, .at = ruled, .ply = plies};
			desk_rule(&desk, &ruling, &decision);
			struct clock_event rollback = *find_event(&decision, CLOCK_ROLLBACK);
			rollback.delivered = told;
			apply(&desk, &rollback);
			/* Before the first move there is nothing to repeat. */
			int64_t from =
				edition == EDITION_FIRST ? SENT + (plies == 2) * DAY_MS : told;
			expect_int(timer_at(&desk, TIMER_REPEAT),
				plies == 0 ? INSTANT_NONE : day_start(from, 15));
			expect_int(timer_at(&desk, TIMER_SILENCE),
				plies == 0 ? INSTANT_NONE : day_start(from, 41));
			clock_free(desk.clock);
		}
}

/* A withdrawal that is rejected, an end that is put aside: the same. */
static void test_silence_after_a_rest(void **state)
{
	const int64_t rested = SENT + 2 * DAY_MS, ruled = SENT + 50 * DAY_MS;

	(void)state;
	for (int ended = 0; ended < 2; ended++) {
		struct desk desk;
		struct decision decision;
		desk_open(&desk, RULES_RAZSH);
		desk_move(&desk, "e2e4", SENT + HOUR_MS);
		struct clock_event event =
			event_at(ended ? CLOCK_END : CLOCK_FREEZE, SIDE_WHITE, rested);
		event.delivered = INSTANT_NONE;
		apply(&desk, &event);
		desk.table.game.state = ended ? GAME_FINISHED : GAME_SUSPENDED;
		desk.table.game.termination = ended ? TERMINATION_FORFEIT : TERMINATION_NONE;
		desk.table.game.awaiting = ended ? AWAITING_NONE : AWAITING_WITHDRAWAL;
		struct ruling ruling = {.kind = ended ? RULING_RESUME : RULING_REJECT, .at = ruled};
		desk_rule(&desk, &ruling, &decision);
		event = *find_event(&decision, ended ? CLOCK_REOPEN : CLOCK_THAW);
		apply(&desk, &event);
		expect_int(timer_at(&desk, TIMER_REPEAT), day_start(ruled, 15));
		expect_int(timer_at(&desk, TIMER_SILENCE), day_start(ruled, 41));
		clock_free(desk.clock);
	}
}

/* 7.3: he is back: whatever leave is in force ends, and what comes later stands. */
static void test_end_of_leaves(void **state)
{
	static const struct {
		int leaves[3][2]; /* days after SENT; {0, 0}: none */
		int at;
		int left[3][2]; /* what is left of them, in that order; {0, 0}: it is cancelled */
		int given_back;
	} cases[] = {
		{{{5, 10}}, 7, {{5, 7}}, 3},
		{{{5, 10}, {7, 14}}, 8, {{5, 8}, {7, 8}}, 6},
		{{{7, 14}, {5, 10}}, 8, {{7, 8}, {5, 8}}, 6},
		{{{5, 10}, {6, 9}}, 8, {{5, 8}, {6, 8}}, 2},
		/* Those that overlap or follow each other are one absence; another one is not. */
		{{{5, 10}, {20, 25}}, 8, {{5, 8}, {20, 25}}, 2},
		{{{5, 10}, {9, 14}}, 8, {{5, 8}, {0, 0}}, 6},
		{{{12, 14}, {5, 10}, {11, 11}}, 8, {{0, 0}, {5, 8}, {0, 0}}, 6},
		{{{5, 10}, {12, 14}}, 8, {{5, 8}, {12, 14}}, 2},
		/* None has begun: the next one is cancelled whole (13a). */
		{{{20, 25}, {5, 10}}, 2, {{20, 25}, {0, 0}}, 6},
		{{{5, 10}, {8, 12}, {20, 25}}, 2, {{0, 0}, {0, 0}, {20, 25}}, 8},
	};
	int32_t day = zone_date(&utc, SENT);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct desk desk;
		struct clock_answer answer;
		struct clock_leave leave;
		size_t n = 0, wanted = 0;
		desk_open(&desk, RULES_RAZSH);
		for (size_t j = 0; j < 3 && cases[i].leaves[j][1]; j++) {
			struct clock_event event = event_at(CLOCK_LEAVE, SIDE_WHITE, SENT);
			event.from = day + cases[i].leaves[j][0];
			event.to = day + cases[i].leaves[j][1];
			apply(&desk, &event);
			wanted += cases[i].left[j][1] != 0;
		}
		struct clock_event event =
			event_at(CLOCK_LEAVE_END, SIDE_WHITE, SENT + cases[i].at * DAY_MS);
		event.flag = true;
		expect_int(clock_apply(desk.clock, &event, &answer), 0);
		expect_int(answer.given_back, cases[i].given_back);
		while (clock_leave_at(desk.clock, n, &leave)) {
			bool found = false;
			for (size_t j = 0; j < 3; j++)
				found = found || (leave.from == day + cases[i].left[j][0] &&
							 leave.to == day + cases[i].left[j][1]);
			assert_true(found);
			n++;
		}
		expect_int(n, wanted);
		clock_free(desk.clock);
	}
}

/* The decision asks for it, and did not under edition 1. */
static void test_which_end_is_decided(void **state)
{
	struct clock_parameters parameters;
	const struct leave_taken taken = {
		.from = zone_date(&utc, SENT) - 1, .to = zone_date(&utc, SENT) + 3};

	(void)state;
	parameters_default(RULES_RAZSH, &parameters);
	for (int edition = EDITION_FIRST; edition <= EDITION_NEWEST; edition++) {
		const struct leave_game game = {
			.parameters = &parameters, .zone = &utc, .edition = edition};
		struct leave_outcome outcome;
		enum refusal refusal;
		expect_int(decide_leave_end(SENT, &game, 1, &taken, 1, &outcome, &refusal),
			VERDICT_COMMAND);
		expect_int(outcome.effects[0].event.flag, edition != EDITION_FIRST);
	}
}

/* rules.md, section 0: delivered is after sent; both may be corrected, one after the other. */
static void test_stamps(void **state)
{
	struct desk desk;
	struct decision decision;

	(void)state;
	desk_open(&desk, RULES_RAZSH);
	desk_move(&desk, "e2e4", SENT + DAY_MS);
	struct ruling ruling = {.kind = RULING_CORRECT,
		.at = SENT + 5 * DAY_MS,
		.ply = 1,
		.sent = SENT + 2 * DAY_MS,
		.delivered = INSTANT_NONE};
	desk_rule(&desk, &ruling, &decision);
	expect_int(decision.refusal, REFUSAL_STAMPS);
	ruling.sent = INSTANT_NONE;
	ruling.delivered = SENT;
	desk_rule(&desk, &ruling, &decision);
	expect_int(decision.refusal, REFUSAL_STAMPS);
	ruling.delivered = SENT + 3 * DAY_MS;
	desk_rule(&desk, &ruling, &decision);
	expect_verdict(&decision, VERDICT_COMMAND);
	struct clock_event event = *find_event(&decision, CLOCK_EDIT);
	apply(&desk, &event);
	ruling.sent = SENT + 2 * DAY_MS;
	ruling.delivered = INSTANT_NONE;
	desk_rule(&desk, &ruling, &decision);
	expect_verdict(&decision, VERDICT_COMMAND);
	clock_free(desk.clock);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_silence_after_a_rollback),
		cmocka_unit_test(test_silence_after_a_rest),
		cmocka_unit_test(test_end_of_leaves),
		cmocka_unit_test(test_which_end_is_decided),
		cmocka_unit_test(test_stamps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

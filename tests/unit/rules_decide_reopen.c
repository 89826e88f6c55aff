/*
 * Ends that a ruling puts aside: which of them, what the clocks make of it, what forbids it.
 */
#include "tests/unit/desk.h"

#include "rules/edition.h"

/* A game that ends with this result; the clock hears of it if it runs. */
static void end(struct desk *desk, enum termination termination, int64_t at)
{
	desk->table.game.state = GAME_FINISHED;
	desk->table.game.result = RESULT_WHITE;
	desk->table.game.termination = termination;
	if (clock_status(desk->clock) == CLOCK_OVER)
		return;
	struct clock_event event = event_at(CLOCK_END, SIDE_WHITE, at);
	event.delivered = INSTANT_NONE;
	event.result = RESULT_WHITE;
	apply(desk, &event);
}

static void carry_clock(struct desk *desk, const struct decision *decision, int64_t told)
{
	for (size_t i = 0; i < decision->n_effects; i++) {
		struct clock_event event = decision->effects[i].event;
		if (decision->effects[i].kind != EFFECT_CLOCK)
			continue;
		event.delivered = told;
		apply(desk, &event);
	}
}

static int running(const struct desk *desk, enum side side, int64_t at)
{
	struct clock_state state;

	clock_advance(desk->clock, at);
	clock_state_at(desk->clock, at, &state);
	assert_true(state.side[side].on_move);
	return state.side[side].running;
}

/* Every end but what the board says, with `resume`; with `rollback` that too. */
static void test_which_ends(void **state)
{
	static const struct {
		enum termination termination;
		enum refusal resume;
	} cases[] = {
		{TERMINATION_CHECKMATE, REFUSAL_BOARD},
		{TERMINATION_STALEMATE, REFUSAL_BOARD},
		{TERMINATION_DEAD_POSITION, REFUSAL_BOARD},
		{TERMINATION_THREEFOLD, REFUSAL_BOARD},
		{TERMINATION_FIVEFOLD, REFUSAL_BOARD},
		{TERMINATION_FIFTY_MOVES, REFUSAL_BOARD},
		{TERMINATION_SEVENTYFIVE_MOVES, REFUSAL_BOARD},
		{TERMINATION_AGREEMENT, REFUSAL_NONE},
		{TERMINATION_RESIGNATION, REFUSAL_NONE},
		{TERMINATION_TIME, REFUSAL_NONE},
		{TERMINATION_FORFEIT, REFUSAL_NONE},
		{TERMINATION_ADJUDICATION, REFUSAL_NONE},
		{TERMINATION_ANNULLED, REFUSAL_NONE},
	};

	(void)state;
	for (int system = RULES_IECC; system <= RULES_MCLINK; system++)
		for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
			struct desk desk;
			struct decision decision;
			desk_open(&desk, (enum rule_system)system);
			desk_move(&desk, "e2e4", SENT + HOUR_MS);
			desk_move(&desk, "e7e5", SENT + 2 * HOUR_MS);
			end(&desk, cases[i].termination, SENT + 3 * HOUR_MS);
			struct ruling ruling = {.kind = RULING_RESUME, .at = SENT + DAY_MS};
			desk_rule(&desk, &ruling, &decision);
			expect_int(decision.refusal, cases[i].resume);
			if (cases[i].resume == REFUSAL_NONE) {
				expect_state(&decision, GAME_ACTIVE, RESULT_NONE, TERMINATION_NONE);
				assert_true(decision.reopened);
				const struct effect *mail =
					find_mail(&decision, MAIL_RULING, READER_WHITE);
				expect_int(mail->stamp, STAMP_DELIVERED);
				assert_non_null(find_mail(&decision, MAIL_RULING, READER_ARBITER));
			}
			ruling = (struct ruling){
				.kind = RULING_ROLLBACK, .at = SENT + DAY_MS, .ply = 1};
			desk_rule(&desk, &ruling, &decision);
			expect_verdict(&decision, VERDICT_COMMAND);
			expect_state(&decision, GAME_ACTIVE, RESULT_NONE, TERMINATION_NONE);
			expect_int(find(&decision, EFFECT_ROLLBACK)->plies, 1);
			expect_int(find_mail(&decision, MAIL_RULING, READER_BLACK)->stamp,
				STAMP_DELIVERED);
			/* Nobody could before. */
			desk.context.edition = EDITION_FIRST;
			desk_rule(&desk, &ruling, &decision);
			expect_int(decision.refusal, REFUSAL_GAME_OVER);
			clock_free(desk.clock);
		}
}

/* A result that the arbiter gave to a game that is mate stays one of the board. */
static void test_mate_stands(void **state)
{
	struct desk desk;
	struct decision decision;

	(void)state;
	desk_open(&desk, RULES_IECC);
	desk_move(&desk, "f2f3", SENT + HOUR_MS);
	desk_move(&desk, "e7e5", SENT + 2 * HOUR_MS);
	desk_move(&desk, "g2g4", SENT + 3 * HOUR_MS);
	desk_move(&desk, "d8h4", SENT + 4 * HOUR_MS);
	end(&desk, TERMINATION_ADJUDICATION, SENT + 4 * HOUR_MS);
	struct ruling ruling = {.kind = RULING_RESUME, .at = SENT + DAY_MS};
	desk_rule(&desk, &ruling, &decision);
	expect_int(decision.refusal, REFUSAL_BOARD);
	ruling = (struct ruling){.kind = RULING_ROLLBACK, .at = SENT + DAY_MS, .ply = 4};
	desk_rule(&desk, &ruling, &decision);
	expect_int(decision.refusal, REFUSAL_NOTHING);
	ruling.ply = 3;
	desk_rule(&desk, &ruling, &decision);
	expect_state(&decision, GAME_ACTIVE, RESULT_NONE, TERMINATION_NONE);
	clock_free(desk.clock);
}

/* What was used up to the end stays, the time after it is nobody's until the notice has come. */
static void test_clocks(void **state)
{
	static const struct {
		int days;   /* of the ruling */
		int before; /* used when it ended */
		int then;   /* a day and an hour after the notice */
	} cases[] = {{0, 3, 4}, {2, 3, 3}};
	int64_t ended = SENT + 3 * DAY_MS, ruled = SENT + 40 * DAY_MS, told = ruled + 2 * DAY_MS;

	(void)state;
	for (int system = RULES_IECC; system <= RULES_RAZSH_POST; system++)
		for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
			struct desk desk;
			struct decision decision;
			desk_open(&desk, (enum rule_system)system);
			expect_int(running(&desk, SIDE_WHITE, ended), cases[i].before);
			end(&desk, TERMINATION_FORFEIT, ended);
			struct ruling ruling = {
				.kind = RULING_RESUME, .at = ruled, .days = cases[i].days};
			desk_rule(&desk, &ruling, &decision);
			carry_clock(&desk, &decision, told);
			expect_int(clock_status(desk.clock), CLOCK_RUNNING);
			expect_int(
				running(&desk, SIDE_WHITE, told + DAY_MS + HOUR_MS), cases[i].then);
			/* The ledger tells why, and charges nothing for it. */
			size_t n;
			const struct clock_charge *charges = clock_charges(desk.clock, &n);
			expect_int(n, 1);
			assert_true(charges[0].ended && charges[0].days == 0);
			assert_string_equal(charges[0].article, "ruling");
			assert_true(charges[0].received == ended && charges[0].sent == told);
			/* And so it is when the past is folded again. */
			desk_move(&desk, "e2e4", told + 2 * DAY_MS);
			struct clock_event correct =
				event_at(CLOCK_EDIT, SIDE_WHITE, told + 3 * DAY_MS);
			correct.action = ACTION_CORRECT;
			correct.ply = 1;
			correct.sent = told + DAY_MS;
			correct.delivered = INSTANT_NONE;
			apply(&desk, &correct);
			struct clock_state now;
			clock_state_at(desk.clock, told + 3 * DAY_MS, &now);
			expect_int(now.side[SIDE_WHITE].days[0], cases[i].then);
			expect_int(now.side[SIDE_BLACK].running, 1);
			clock_free(desk.clock);
		}
}

/* An overstep, a claim, a time-out that had come true are put aside with the end. */
static void test_oversteps(void **state)
{
	static const enum rule_system systems[] = {RULES_IECC, RULES_RAZSH, RULES_MCLINK};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(systems); i++) {
		struct desk desk;
		struct decision decision;
		desk_open(&desk, systems[i]);
		int64_t at = desk_overstep(&desk, &decision);
		if (systems[i] == RULES_RAZSH) {
			struct clock_event event = event_at(CLOCK_CLAIM, SIDE_BLACK, at + HOUR_MS);
			event.n = 1;
			event.delivered = INSTANT_NONE;
			apply(&desk, &event);
			event = event_at(CLOCK_RULING, SIDE_WHITE, at + DAY_MS);
			event.flag = true;
			apply(&desk, &event);
		}
		/* MC-link: the Coordinator has confirmed the time-out as a result. */
		end(&desk, TERMINATION_ADJUDICATION, at + DAY_MS);
		int64_t ruled = at + 2 * DAY_MS;
		struct ruling ruling = {.kind = RULING_RESUME, .at = ruled};
		desk_rule(&desk, &ruling, &decision);
		expect_state(&decision, GAME_ACTIVE, RESULT_NONE, TERMINATION_NONE);
		if (systems[i] != RULES_RAZSH)
			expect_int(find(&decision, EFFECT_REARM)->timer.kind, CLOCK_TIMER_KINDS);
		carry_clock(&desk, &decision, ruled);
		expect_int(clock_status(desk.clock), CLOCK_RUNNING);
		/* RAZSh keeps what was used, and its limit stays exceeded: open to a claim. */
		if (systems[i] == RULES_RAZSH)
			assert_true(clock_overstep_at(desk.clock) <= ruled);
		else
			expect_int(running(&desk, SIDE_WHITE, ruled), 0);
		desk_move(&desk, "e2e4", ruled + HOUR_MS);
		expect_int(clock_ply(desk.clock), 1);
		clock_free(desk.clock);
	}
}

static void test_what_forbids_it(void **state)
{
	static const enum ruling_kind kinds[] = {RULING_RESUME, RULING_ROLLBACK, RULING_UNCLEAR};
	static const enum refusal obstacles[] = {REFUSAL_CODE, REFUSAL_FOLLOWED};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(kinds) * ARRAY_SIZE(obstacles); i++) {
		struct desk desk;
		struct decision decision;
		desk_open(&desk, RULES_MCLINK);
		desk_move(&desk, "e2e4", SENT + HOUR_MS);
		end(&desk, TERMINATION_AGREEMENT, SENT + 2 * HOUR_MS);
		desk.context.stays_ended = obstacles[i / ARRAY_SIZE(kinds)];
		struct ruling ruling = {.kind = kinds[i % ARRAY_SIZE(kinds)], .at = SENT + DAY_MS};
		ruling.ply = ruling.kind == RULING_UNCLEAR;
		desk_rule(&desk, &ruling, &decision);
		expect_int(decision.refusal, obstacles[i / ARRAY_SIZE(kinds)]);
		expect_int(decision.n_effects, 0);
		/* Another result does not open it. */
		ruling = (struct ruling){
			.kind = RULING_RESULT, .at = SENT + DAY_MS, .result = RESULT_WHITE};
		desk_rule(&desk, &ruling, &decision);
		expect_verdict(&decision, VERDICT_COMMAND);
		clock_free(desk.clock);
	}
	/* MC-link counts in hours: days cannot be charged. */
	struct desk desk;
	struct decision decision;
	desk_open(&desk, RULES_MCLINK);
	end(&desk, TERMINATION_FORFEIT, SENT + HOUR_MS);
	struct ruling ruling = {.kind = RULING_RESUME, .at = SENT + DAY_MS, .days = 2};
	desk_rule(&desk, &ruling, &decision);
	expect_int(decision.refusal, REFUSAL_OTHER_RULES);
	clock_free(desk.clock);
}

/* A time-out that `credit` or `reject` undoes opens the game too. */
static void test_a_time_out_that_stays(void **state)
{
	struct desk desk;
	struct decision decision;

	(void)state;
	desk_open(&desk, RULES_MCLINK);
	int64_t at = desk_overstep(&desk, &decision);
	desk.context.stays_ended = REFUSAL_CODE;
	struct ruling ruling = {.kind = RULING_CREDIT, .at = at + HOUR_MS, .ply = 1, .n = 24};
	desk_rule(&desk, &ruling, &decision);
	expect_int(decision.refusal, REFUSAL_CODE);
	ruling = (struct ruling){.kind = RULING_REJECT, .at = at + HOUR_MS};
	desk_rule(&desk, &ruling, &decision);
	expect_int(decision.refusal, REFUSAL_CODE);
	desk.context.stays_ended = REFUSAL_NONE;
	desk_rule(&desk, &ruling, &decision);
	expect_state(&decision, GAME_ACTIVE, RESULT_NONE, TERMINATION_NONE);
	clock_free(desk.clock);
}

/* A withdrawal that an end had settled waits again. */
static void test_a_withdrawal_waits_again(void **state)
{
	struct desk desk;
	struct decision decision;
	struct game *game = &desk.table.game;

	(void)state;
	desk_open(&desk, RULES_IECC);
	struct clock_event freeze = event_at(CLOCK_FREEZE, SIDE_BLACK, SENT + DAY_MS);
	freeze.delivered = INSTANT_NONE;
	apply(&desk, &freeze);
	game->state = GAME_SUSPENDED;
	game->awaiting = AWAITING_WITHDRAWAL;
	game->awaiting_by = SIDE_BLACK;
	struct ruling ruling = {.kind = RULING_UPHOLD, .at = SENT + 2 * DAY_MS};
	desk_rule(&desk, &ruling, &decision);
	/* One that the first edition did not note is noted now. */
	expect_int(find(&decision, EFFECT_WITHDREW)->side, SIDE_BLACK);
	game->withdrew[SIDE_BLACK] = find(&decision, EFFECT_WITHDREW)->withdrew;
	assert_true(game->withdrew[SIDE_BLACK] != 0);
	carry_clock(&desk, &decision, INSTANT_NONE);
	end(&desk, TERMINATION_FORFEIT, SENT + 2 * DAY_MS);
	game->awaiting = AWAITING_NONE;
	ruling = (struct ruling){.kind = RULING_RESUME, .at = SENT + 9 * DAY_MS};
	desk_rule(&desk, &ruling, &decision);
	carry_clock(&desk, &decision, INSTANT_NONE);
	game->state = GAME_ACTIVE;
	expect_int(running(&desk, SIDE_WHITE, SENT + 9 * DAY_MS), 1);
	assert_true(decide_withdrawn(&desk.context, game, ruling.at, &decision));
	expect_int(find(&decision, EFFECT_STATE)->awaiting, AWAITING_WITHDRAWAL);
	clock_free(desk.clock);
}

/* A game that was over before it began. */
static void test_not_begun(void **state)
{
	struct desk desk;
	struct decision decision;

	(void)state;
	for (int system = RULES_IECC; system <= RULES_MCLINK; system++) {
		desk_open(&desk, (enum rule_system)system);
		clock_free(desk.clock);
		expect_int(clock_new(&desk.parameters, &utc, &utc, &desk.clock), 0);
		desk.context.clock = desk.clock;
		end(&desk, TERMINATION_ANNULLED, SENT - DAY_MS);
		struct ruling ruling = {.kind = RULING_RESUME, .at = SENT - HOUR_MS};
		desk_rule(&desk, &ruling, &decision);
		expect_state(&decision, GAME_SCHEDULED, RESULT_NONE, TERMINATION_NONE);
		carry_clock(&desk, &decision, INSTANT_NONE);
		struct clock_event start = event_at(CLOCK_START, SIDE_WHITE, SENT);
		apply(&desk, &start);
		expect_int(running(&desk, SIDE_WHITE, SENT + HOUR_MS), system == RULES_MCLINK);
		clock_free(desk.clock);
	}
}

/* IECC 7.8, reading 8: the day for an illegal conditional oversteps; its sender is late, although
 * the other is on the move. */
static void test_late_without_the_move(void **state)
{
	struct desk desk;
	struct decision decision;

	(void)state;
	for (int edition = EDITION_FIRST; edition <= EDITION_NEWEST; edition++) {
		desk_open(&desk, RULES_IECC);
		clock_free(desk.clock);
		desk.parameters.window_days = 5;
		expect_int(clock_new(&desk.parameters, &utc, &utc, &desk.clock), 0);
		desk.context.clock = desk.clock;
		desk.context.edition = edition;
		struct clock_event event = event_at(CLOCK_START, SIDE_WHITE, SENT);
		apply(&desk, &event);
		event = event_at(CLOCK_MOVE, SIDE_WHITE, SENT + 5 * DAY_MS);
		event.illegal_conditional = true;
		table_play(&desk.table, "e2e4");
		apply(&desk, &event);
		expect_int(clock_status(desk.clock), CLOCK_SUSPENDED);
		/* The stored reply to the move comes with it. */
		struct clock_event reply = event_at(CLOCK_AUTO_REPLY, SIDE_BLACK, event.at);
		apply(&desk, &reply);
		expect_int(clock_ply(desk.clock), 2);
		decide_overstep(&desk.context, &desk.table.game, event.at, &decision);
		expect_int(find(&decision, EFFECT_STATE)->awaiting_by,
			edition == EDITION_FIRST ? SIDE_BLACK : SIDE_WHITE);
		clock_free(desk.clock);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_which_ends),
		cmocka_unit_test(test_mate_stands),
		cmocka_unit_test(test_clocks),
		cmocka_unit_test(test_oversteps),
		cmocka_unit_test(test_what_forbids_it),
		cmocka_unit_test(test_a_time_out_that_stays),
		cmocka_unit_test(test_a_withdrawal_waits_again),
		cmocka_unit_test(test_not_begun),
		cmocka_unit_test(test_late_without_the_move),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

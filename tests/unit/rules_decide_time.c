/*
 * What happens by time and by rulings: oversteps, reminders, claims, withdrawals, the end of an
 * event, leave and stops.
 */
#include "tests/unit/desk.h"

#include "rules/edition.h"
#include "rules/leave.h"
#include "rules/lotto.h"

/* IECC 7.10: suspended, and the arbiter decides: he may resume, or give the game. */
static void test_overstep_iecc(void **state)
{
	struct desk desk;
	struct decision decision;

	(void)state;
	desk_open(&desk, RULES_IECC);
	int64_t at = desk_overstep(&desk, &decision);
	expect_state(&decision, GAME_SUSPENDED, RESULT_NONE, TERMINATION_NONE);
	expect_int(find(&decision, EFFECT_STATE)->awaiting, AWAITING_OVERSTEP);
	assert_non_null(find_mail(&decision, MAIL_OVERSTEP, READER_ARBITER));
	assert_true(decision.asks_mate);

	struct ruling ruling = {.kind = RULING_UPHOLD, .at = at + DAY_MS};
	desk_rule(&desk, &ruling, &decision);
	expect_state(&decision, GAME_FINISHED, RESULT_BLACK, TERMINATION_TIME);
	ruling.kind = RULING_RESUME;
	ruling.days = 2;
	desk_rule(&desk, &ruling, &decision);
	expect_state(&decision, GAME_ACTIVE, RESULT_NONE, TERMINATION_NONE);
	expect_int(find_event(&decision, CLOCK_ARBITER)->days, 2);
	expect_int(find(&decision, EFFECT_REARM)->timer.kind, CLOCK_TIMER_KINDS);
	/* An outage that is credited undoes it. */
	ruling = (struct ruling){.kind = RULING_CREDIT, .at = at + DAY_MS, .ply = 1, .n = 3};
	desk_rule(&desk, &ruling, &decision);
	expect_verdict(&decision, VERDICT_COMMAND);
	expect_state(&decision, GAME_ACTIVE, RESULT_NONE, TERMINATION_NONE);
	expect_int(find(&decision, EFFECT_REARM)->timer.kind, TIMER_OVERSTEP);
	clock_free(desk.clock);
}

/* RAZSh 6.1-6.7: an overstep is open to a claim, which interrupts the game. */
static void test_claim_of_time(void **state)
{
	struct desk desk;
	struct decision decision;

	(void)state;
	desk_open(&desk, RULES_RAZSH);
	struct message claim = message_commands(&desk.table.game, SIDE_BLACK, COMMAND_CLAIM_TIME);
	int64_t at = desk_overstep(&desk, &decision);
	assert_null(find(&decision, EFFECT_STATE));
	assert_non_null(find_mail(&decision, MAIL_OVERSTEP, READER_BLACK));
	assert_non_null(find_mail(&decision, MAIL_OVERSTEP, READER_WHITE));

	claim.sent = at + HOUR_MS;
	decide(&desk.context, &desk.table.game, &claim, claim.sent, &decision);
	expect_verdict(&decision, VERDICT_COMMAND);
	expect_state(&decision, GAME_SUSPENDED, RESULT_NONE, TERMINATION_NONE);
	assert_true(decision.claim_borne_out);
	expect_int(decision.claim_limit, 10);
	expect_int(find_event(&decision, CLOCK_CLAIM)->n, 1);
	/* 6.4: fourteen days to object, the last of them included. */
	const struct clock_timer *timer = &find(&decision, EFFECT_TIMER)->timer;
	expect_int(timer->kind, TIMER_OBJECTION);
	expect_int(timer->at, zone_date_start(&utc, zone_date(&utc, claim.sent) + 15));
	apply(&desk, find_event(&decision, CLOCK_CLAIM));
	desk.table.game.state = GAME_SUSPENDED;
	desk.table.game.awaiting = AWAITING_CLAIM;
	desk.table.game.awaiting_by = SIDE_BLACK;
	struct clock_timer due = *timer;
	decide_timer(&desk.context, &desk.table.game, &due, &decision);
	expect_int(decision.matter, MATTER_OBJECTION);

	struct ruling ruling = {.kind = RULING_UPHOLD, .at = at + 20 * DAY_MS};
	desk_rule(&desk, &ruling, &decision);
	expect_state(&decision, GAME_FINISHED, RESULT_BLACK, TERMINATION_TIME);
	assert_non_null(find_mail(&decision, MAIL_RESULT, READER_WHITE));
	ruling.kind = RULING_REJECT;
	ruling.bar = true;
	desk_rule(&desk, &ruling, &decision);
	expect_state(&decision, GAME_ACTIVE, RESULT_NONE, TERMINATION_NONE);
	assert_true(find_event(&decision, CLOCK_RULING)->ban);
	/* 6.7: barred on this control. */
	apply(&desk, find_event(&decision, CLOCK_RULING));
	desk.table.game.state = GAME_ACTIVE;
	desk.table.game.awaiting = AWAITING_NONE;
	claim.sent = at + 21 * DAY_MS;
	decide(&desk.context, &desk.table.game, &claim, claim.sent, &decision);
	expect_verdict(&decision, VERDICT_COMMAND_ERROR);
	expect_int(decision.refusal, REFUSAL_BARRED);
	clock_free(desk.clock);
}

/* 6.1: in time with the answer to the control move, which is held then; in section II the first
 * overstep does not interrupt (6.4, 6.8), and the move counts. Too late after it. */
static void test_claim_with_move(void **state)
{
	struct desk desk;
	struct decision decision;

	(void)state;
	for (int system = RULES_RAZSH; system <= RULES_RAZSH_POST; system++) {
		desk_open(&desk, (enum rule_system)system);
		desk_move(&desk, "e2e4", SENT + HOUR_MS);
		desk_move(&desk, "e7e5", SENT + 2 * HOUR_MS);
		desk_move(&desk, "g1f3", SENT + 12 * DAY_MS);
		struct message message = message_says(&desk.table.game, NULL, "b8c6");
		message.sent = SENT + 12 * DAY_MS + HOUR_MS;
		message_adds(&message, COMMAND_CLAIM_TIME);
		decide(&desk.context, &desk.table.game, &message, message.sent, &decision);
		expect_verdict(&decision, system == RULES_RAZSH ? VERDICT_HELD : VERDICT_ACCEPTED);
		expect_int(decision.made, system == RULES_RAZSH ? 0 : 1);
		expect_int(find(&decision, EFFECT_STATE)->awaiting, AWAITING_CLAIM);
		desk_move(&desk, "b8c6", SENT + 12 * DAY_MS + HOUR_MS);
		message = message_commands(&desk.table.game, SIDE_BLACK, COMMAND_CLAIM_TIME);
		message.sent = SENT + 12 * DAY_MS + 2 * HOUR_MS;
		message.commands[0].n = 1;
		decide(&desk.context, &desk.table.game, &message, message.sent, &decision);
		expect_int(decision.refusal, REFUSAL_TOO_LATE);
		clock_free(desk.clock);
	}
}

/* MC-link 7bis.1: the time-out is declared; the Coordinator may undo it with a credit. */
static void test_timeout_mclink(void **state)
{
	struct desk desk;
	struct decision decision;

	(void)state;
	desk_open(&desk, RULES_MCLINK);
	int64_t at = desk_overstep(&desk, &decision);
	expect_state(&decision, GAME_FINISHED, RESULT_BLACK, TERMINATION_TIME);
	expect_int(count(&decision, EFFECT_CLOCK), 0);
	assert_non_null(find_mail(&decision, MAIL_RESULT, READER_WHITE));
	struct ruling ruling = {.kind = RULING_CREDIT, .at = at + HOUR_MS, .ply = 1, .n = 24};
	desk_rule(&desk, &ruling, &decision);
	expect_state(&decision, GAME_ACTIVE, RESULT_NONE, TERMINATION_NONE);
	ruling = (struct ruling){.kind = RULING_RESULT, .at = at + HOUR_MS, .result = RESULT_DRAW};
	desk_rule(&desk, &ruling, &decision);
	expect_state(&decision, GAME_FINISHED, RESULT_DRAW, TERMINATION_ADJUDICATION);
	clock_free(desk.clock);
}

/* IECC 7.11 to both players; RAZSh 5.1 to the partner and the arbiter; once a ply. */
static void test_reminders(void **state)
{
	struct desk desk;
	struct decision decision;
	struct clock_timer timers[CLOCK_TIMERS_MAX];

	(void)state;
	desk_open(&desk, RULES_IECC);
	size_t n = clock_timers(desk.clock, timers);
	expect_int(n, 2);
	expect_int(timers[0].kind, TIMER_REMIND);
	decide_timer(&desk.context, &desk.table.game, &timers[0], &decision);
	assert_non_null(find_mail(&decision, MAIL_REPEAT, READER_WHITE));
	assert_non_null(find_mail(&decision, MAIL_REPEAT, READER_BLACK));
	desk_move(&desk, "e2e4", SENT + HOUR_MS);
	decide_timer(&desk.context, &desk.table.game, &timers[0], &decision);
	expect_int(decision.n_effects, 0);
	decide_timer(&desk.context, &desk.table.game, &timers[1], &decision);
	expect_int(decision.n_effects, 0);
	clock_free(desk.clock);

	desk_open(&desk, RULES_RAZSH);
	desk_move(&desk, "e2e4", SENT + HOUR_MS);
	n = clock_timers(desk.clock, timers);
	unsigned seen = 0;
	for (size_t i = 0; i < n; i++) {
		seen |= 1U << timers[i].kind;
		decide_timer(&desk.context, &desk.table.game, &timers[i], &decision);
		if (timers[i].kind == TIMER_REPEAT) {
			assert_non_null(find_mail(&decision, MAIL_REPEAT, READER_BLACK));
			assert_non_null(find_mail(&decision, MAIL_REPEAT, READER_ARBITER));
		}
		if (timers[i].kind == TIMER_SILENCE) /* 5.3 */
			expect_int(decision.matter, MATTER_SILENCE);
		if (timers[i].kind == TIMER_COPIES) /* 4.10: five of ten days are left */
			expect_int(timers[i].at, zone_date_start(&utc, zone_date(&utc, SENT) + 5));
	}
	assert_true(seen & 1U << TIMER_REPEAT && seen & 1U << TIMER_SILENCE &&
		    seen & 1U << TIMER_COPIES && seen & 1U << TIMER_OVERSTEP);
	clock_free(desk.clock);
}

/* IECC 3.1, RAZSh 8: frozen until the arbiter has ruled, with what was used; MC-link 11: lost. */
static void test_withdrawal(void **state)
{
	struct desk desk;
	struct decision decision;
	struct clock_state before, after;

	(void)state;
	for (int system = RULES_IECC; system <= RULES_RAZSH; system++) {
		desk_open(&desk, (enum rule_system)system);
		int64_t at = SENT + 4 * DAY_MS;
		decide_withdrawal(&desk.context, &desk.table.game, SIDE_BLACK, at, &decision);
		expect_state(&decision, GAME_SUSPENDED, RESULT_NONE, TERMINATION_NONE);
		assert_non_null(find_mail(&decision, MAIL_CLAIM, READER_ARBITER));
		assert_non_null(find_mail(&decision, MAIL_ANNOUNCEMENT, READER_WHITE));
		clock_state_at(desk.clock, at, &before);
		apply(&desk, find_event(&decision, CLOCK_FREEZE));
		desk.table.game.state = GAME_SUSPENDED;
		desk.table.game.awaiting = AWAITING_WITHDRAWAL;
		desk.table.game.awaiting_by = SIDE_BLACK;
		expect_int(clock_overstep_at(desk.clock), INSTANT_NONE);
		struct ruling ruling = {.kind = RULING_UPHOLD, .at = at + 30 * DAY_MS};
		desk_rule(&desk, &ruling, &decision);
		expect_state(&decision, GAME_FINISHED, RESULT_WHITE, TERMINATION_FORFEIT);
		ruling.kind = RULING_REJECT;
		desk_rule(&desk, &ruling, &decision);
		expect_state(&decision, GAME_ACTIVE, RESULT_NONE, TERMINATION_NONE);
		apply(&desk, find_event(&decision, CLOCK_THAW));
		clock_state_at(desk.clock, ruling.at, &after);
		expect_int(before.side[SIDE_WHITE].running, 4);
		expect_int(after.side[SIDE_WHITE].running, 4);
		clock_free(desk.clock);
	}
	desk_open(&desk, RULES_MCLINK);
	decide_withdrawal(&desk.context, &desk.table.game, SIDE_WHITE, SENT, &decision);
	expect_state(&decision, GAME_FINISHED, RESULT_BLACK, TERMINATION_FORFEIT);
	clock_free(desk.clock);
}

/* Whatever else the game waits for: it is remembered, and comes up when the game goes on. */
static void test_withdrawal_remembered(void **state)
{
	static const struct {
		enum game_state state;
		enum awaiting awaiting;
		int edition;
		bool rests; /* at once */
	} cases[] = {
		{GAME_ACTIVE, AWAITING_NONE, 0, true},
		{GAME_ACTIVE, AWAITING_CLAIM, 0, true}, /* RAZSh section II */
		{GAME_SUSPENDED, AWAITING_OVERSTEP, 0, false},
		{GAME_SUSPENDED, AWAITING_CLAIM, 0, false},
		{GAME_SUSPENDED, AWAITING_WITHDRAWAL, 0, false},
		{GAME_SUSPENDED, AWAITING_ADJUDICATION, 0, false},
		{GAME_SCHEDULED, AWAITING_NONE, 0, false},
		{GAME_SUSPENDED, AWAITING_OVERSTEP, EDITION_FIRST, false},
		{GAME_ACTIVE, AWAITING_CLAIM, EDITION_FIRST, true},
	};
	int64_t at = SENT + 2 * DAY_MS;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct desk desk;
		struct decision decision;
		desk_open(&desk, RULES_RAZSH_POST);
		struct game *game = &desk.table.game;
		game->state = cases[i].state;
		game->awaiting = cases[i].awaiting;
		desk.context.edition = cases[i].edition;
		decide_withdrawal(&desk.context, game, SIDE_BLACK, at, &decision);
		bool first = cases[i].edition == EDITION_FIRST;
		const struct effect *remembered = find(&decision, EFFECT_WITHDREW);
		const struct effect *rests = find(&decision, EFFECT_STATE);
		assert_true((remembered != NULL) == !first);
		assert_true((rests != NULL) == cases[i].rests);
		expect_int(decision.withdrawn, SIDE_BLACK);
		if (rests)
			expect_int(rests->awaiting, cases[i].awaiting == AWAITING_CLAIM && !first
							    ? AWAITING_CLAIM
							    : AWAITING_WITHDRAWAL);
		clock_free(desk.clock);
	}
}

/* The one that came first waits first; one that is rejected waits no more. */
static void test_withdrawals_in_turn(void **state)
{
	struct desk desk;
	struct decision decision;
	struct game *game = &desk.table.game;

	(void)state;
	desk_open(&desk, RULES_IECC);
	assert_false(decide_withdrawn(&desk.context, game, SENT, &decision));
	game->withdrew[SIDE_WHITE] = SENT + 3;
	game->withdrew[SIDE_BLACK] = SENT + 2;
	assert_true(decide_withdrawn(&desk.context, game, SENT + 4, &decision));
	expect_state(&decision, GAME_SUSPENDED, RESULT_NONE, TERMINATION_NONE);
	expect_int(find(&decision, EFFECT_STATE)->awaiting_by, SIDE_BLACK);
	expect_int(decision.withdrawn, SIDE_BLACK);
	assert_non_null(find_mail(&decision, MAIL_CLAIM, READER_ARBITER));
	assert_non_null(find_mail(&decision, MAIL_ANNOUNCEMENT, READER_WHITE));
	struct clock_event freeze = *find_event(&decision, CLOCK_FREEZE);
	apply(&desk, &freeze);
	/* Nothing goes on: nothing comes up. */
	assert_false(decide_withdrawn(&desk.context, game, SENT + 4, &decision));
	game->state = GAME_SUSPENDED;
	game->awaiting = AWAITING_WITHDRAWAL;
	game->awaiting_by = SIDE_BLACK;
	struct ruling ruling = {.kind = RULING_REJECT, .at = SENT + DAY_MS};
	desk_rule(&desk, &ruling, &decision);
	expect_int(count(&decision, EFFECT_WITHDREW), 1);
	expect_int(find(&decision, EFFECT_WITHDREW)->side, SIDE_BLACK);
	expect_int(find(&decision, EFFECT_WITHDREW)->withdrew, 0);
	struct clock_event thaw = *find_event(&decision, CLOCK_THAW);
	apply(&desk, &thaw);
	game->state = GAME_ACTIVE;
	game->awaiting = AWAITING_NONE;
	game->withdrew[SIDE_BLACK] = 0;
	assert_true(decide_withdrawn(&desk.context, game, SENT + DAY_MS, &decision));
	expect_int(decision.withdrawn, SIDE_WHITE);
	clock_free(desk.clock);
}

/* MC-link 9: the Coordinator confirms an agreed draw, or the game goes on where it stood. */
static void test_agreed_draw_mclink(void **state)
{
	struct desk desk;
	struct decision decision;
	struct clock_state now;

	(void)state;
	desk_open(&desk, RULES_MCLINK);
	struct clock_event freeze = event_at(CLOCK_FREEZE, SIDE_WHITE, SENT + 10 * HOUR_MS);
	apply(&desk, &freeze);
	desk.table.game.state = GAME_SUSPENDED;
	desk.table.game.awaiting = AWAITING_AGREEMENT;
	struct ruling ruling = {.kind = RULING_DRAW, .at = SENT + 50 * HOUR_MS};
	desk_rule(&desk, &ruling, &decision);
	expect_state(&decision, GAME_FINISHED, RESULT_DRAW, TERMINATION_AGREEMENT);
	ruling.kind = RULING_REJECT;
	desk_rule(&desk, &ruling, &decision);
	apply(&desk, find_event(&decision, CLOCK_THAW));
	clock_state_at(desk.clock, SENT + 53 * HOUR_MS, &now);
	expect_int(now.side[SIDE_WHITE].running, 13);
	clock_free(desk.clock);
}

/* RAZSh 9.4: at the event's end both are asked for papers, within fourteen days. */
static void test_event_end(void **state)
{
	struct desk desk;
	struct decision decision;
	struct clock_timer end = {.kind = TIMER_EVENT_END, .at = SENT + DAY_MS};

	(void)state;
	desk_open(&desk, RULES_RAZSH);
	decide_timer(&desk.context, &desk.table.game, &end, &decision);
	expect_state(&decision, GAME_SUSPENDED, RESULT_NONE, TERMINATION_NONE);
	expect_int(find(&decision, EFFECT_STATE)->awaiting, AWAITING_ADJUDICATION);
	expect_int(find(&decision, EFFECT_TIMER)->timer.at,
		zone_date_start(&utc, zone_date(&utc, end.at) + 15));
	assert_non_null(find_mail(&decision, MAIL_ANNOUNCEMENT, READER_WHITE));
	apply(&desk, find_event(&decision, CLOCK_FREEZE));
	desk.table.game.state = GAME_SUSPENDED;
	desk.table.game.awaiting = AWAITING_ADJUDICATION;
	struct ruling ruling = {
		.kind = RULING_ADJUDICATE, .at = end.at + DAY_MS, .result = RESULT_WHITE};
	desk_rule(&desk, &ruling, &decision);
	expect_state(&decision, GAME_FINISHED, RESULT_WHITE, TERMINATION_ADJUDICATION);
	clock_free(desk.clock);
	desk_open(&desk, RULES_IECC);
	decide_timer(&desk.context, &desk.table.game, &end, &decision);
	assert_null(find(&decision, EFFECT_STATE));
	assert_non_null(find_mail(&decision, MAIL_ANNOUNCEMENT, READER_ARBITER));
	clock_free(desk.clock);
}

/* IECC 7.9: back to before it, nobody fined; 7.8: an unclear last move costs its maker a day. */
static void test_moves_taken_back(void **state)
{
	struct desk desk;
	struct decision decision;

	(void)state;
	desk_open(&desk, RULES_IECC);
	desk_move(&desk, "e2e4", SENT + HOUR_MS);
	desk_move(&desk, "e7e5", SENT + 2 * HOUR_MS);
	desk.table.game.draw_offer = OFFER_BLACK;
	struct ruling ruling = {.kind = RULING_ROLLBACK, .at = SENT + DAY_MS, .ply = 1};
	desk_rule(&desk, &ruling, &decision);
	expect_int(find(&decision, EFFECT_ROLLBACK)->plies, 1);
	expect_int(find_event(&decision, CLOCK_ROLLBACK)->plies, 1);
	expect_int(find(&decision, EFFECT_OFFER)->offer, OFFER_NONE);
	assert_null(find_event(&decision, CLOCK_EDIT));
	ruling = (struct ruling){.kind = RULING_UNCLEAR, .at = SENT + DAY_MS, .ply = 2};
	desk_rule(&desk, &ruling, &decision);
	expect_int(find(&decision, EFFECT_ROLLBACK)->plies, 1);
	expect_int(find_event(&decision, CLOCK_EDIT)->by, SIDE_BLACK);
	expect_int(find_event(&decision, CLOCK_EDIT)->n, 1);
	ruling.ply = 1;
	desk_rule(&desk, &ruling, &decision);
	assert_null(find_event(&decision, CLOCK_EDIT));
	ruling.ply = 3;
	desk_rule(&desk, &ruling, &decision);
	expect_int(decision.refusal, REFUSAL_NOTHING);
	clock_free(desk.clock);
}

/* A penalty can overstep a window by itself; the ruling knows it (IECC 7.10). */
static void test_rulings_on_time(void **state)
{
	struct desk desk;
	struct decision decision;

	(void)state;
	desk_open(&desk, RULES_IECC);
	struct ruling ruling = {.kind = RULING_PENALTY, .at = SENT + DAY_MS, .n = 31};
	desk_rule(&desk, &ruling, &decision);
	expect_state(&decision, GAME_SUSPENDED, RESULT_NONE, TERMINATION_NONE);
	assert_non_null(find_mail(&decision, MAIL_OVERSTEP, READER_ARBITER));
	ruling.n = 2;
	desk_rule(&desk, &ruling, &decision);
	assert_null(find(&decision, EFFECT_STATE));
	ruling = (struct ruling){.kind = RULING_LIFT, .at = SENT + DAY_MS, .move = 1};
	desk_rule(&desk, &ruling, &decision);
	expect_verdict(&decision, VERDICT_COMMAND_ERROR);
	expect_int(decision.n_effects, 0);
	ruling = (struct ruling){.kind = RULING_UPHOLD, .at = SENT + DAY_MS};
	desk_rule(&desk, &ruling, &decision);
	expect_int(decision.refusal, REFUSAL_NOTHING);
	clock_free(desk.clock);
}

/* ---- Leave ---- */

static int32_t day(int month, unsigned date)
{
	return date_from_civil(2026, (unsigned)month, date);
}

static struct leave_request request_from(int32_t from, int32_t to)
{
	return (struct leave_request){.at = SENT, .announced = SENT, .from = from, .to = to};
}

/* IECC 8.1-8.3: in each event its own thirty days; late notice begins the day after. */
static void test_leave_iecc(void **state)
{
	struct clock_parameters parameters;
	struct leave_outcome outcomes[2];
	enum refusal refusal;

	(void)state;
	parameters_default(RULES_IECC, &parameters);
	const struct leave_game games[] = {{.event = 1, .parameters = &parameters, .zone = &utc},
		{.event = 2, .parameters = &parameters, .zone = &utc, .side = SIDE_BLACK}};
	const struct leave_taken taken[] = {
		{1, day(2, 1), day(2, 20)}, {1, day(2, 15), day(2, 22)}};
	struct leave_request request = request_from(day(3, 1), day(3, 9));
	expect_int(decide_leave(&request, games, 2, taken, 2, outcomes, &refusal), VERDICT_COMMAND);
	/* 22 + 9 = 31 in the first event, none before in the second. */
	assert_false(outcomes[0].granted);
	expect_int(outcomes[0].total, 31);
	assert_string_equal(outcomes[0].reason, "over quota");
	assert_true(outcomes[0].ask_arbiter);
	assert_true(outcomes[1].granted);
	expect_int(outcomes[1].effects[0].event.by, SIDE_BLACK);
	expect_int(outcomes[1].effects[1].to, READER_WHITE);
	request.to = day(3, 8);
	expect_int(decide_leave(&request, games, 1, taken, 2, outcomes, &refusal), VERDICT_COMMAND);
	request.to = day(3, 9);
	expect_int(decide_leave(&request, games, 1, taken, 2, outcomes, &refusal),
		VERDICT_COMMAND_ERROR);
	request.approved = true;
	expect_int(decide_leave(&request, games, 1, taken, 2, outcomes, &refusal), VERDICT_COMMAND);
	request = request_from(day(1, 1), day(1, 4));
	(void)decide_leave(&request, games, 1, taken, 0, outcomes, &refusal);
	assert_true(outcomes[0].late && outcomes[0].granted);
	expect_int(outcomes[0].from, day(1, 2));
	/* 8.2: two players: by agreement, up to six months. */
	parameters.two_player = true;
	request = request_from(day(2, 1), day(7, 31));
	expect_int(decide_leave(&request, games, 1, taken, 0, outcomes, &refusal), VERDICT_COMMAND);
	assert_true(outcomes[0].ask_opponent && !outcomes[0].granted);
	request.agreed = true;
	(void)decide_leave(&request, games, 1, taken, 0, outcomes, &refusal);
	assert_true(outcomes[0].granted);
	request.to = day(8, 1);
	(void)decide_leave(&request, games, 1, taken, 0, outcomes, &refusal);
	assert_true(outcomes[0].may_annul && !outcomes[0].granted);
}

/* RAZSh 7.1-7.3: thirty days a calendar year over all games, announced in advance. */
static void test_leave_razsh(void **state)
{
	struct clock_parameters parameters, mclink;
	struct leave_outcome outcomes[2];
	enum refusal refusal;
	int32_t last = date_from_civil(2027, 1, 10);

	(void)state;
	parameters_default(RULES_RAZSH, &parameters);
	parameters_default(RULES_MCLINK, &mclink);
	const struct leave_game games[] = {{.event = 1, .parameters = &parameters, .zone = &utc},
		{.event = 2, .parameters = &parameters, .zone = &utc}};
	const struct leave_game other = {.parameters = &mclink, .zone = &utc};
	/* New Year: twelve days of 2026 and ten of 2027. */
	struct leave_request request = request_from(day(12, 20), last);
	struct leave_taken taken = {2, day(5, 1), day(5, 18)};
	expect_int(
		decide_leave(&request, games, 2, &taken, 1, outcomes, &refusal), VERDICT_COMMAND);
	expect_int(outcomes[0].n_years, 2);
	expect_int(outcomes[0].years[0].days, 30);
	expect_int(outcomes[0].years[1].days, 10);
	taken.to = day(5, 19);
	expect_int(decide_leave(&request, games, 2, &taken, 1, outcomes, &refusal),
		VERDICT_COMMAND_ERROR);
	assert_string_equal(outcomes[1].reason, "over 30 days in a year");
	request = request_from(day(1, 1), day(1, 2));
	(void)decide_leave(&request, games, 1, &taken, 0, outcomes, &refusal);
	assert_string_equal(outcomes[0].reason, "not announced in advance");
	expect_int(decide_leave(&request, &other, 1, &taken, 0, outcomes, &refusal),
		VERDICT_COMMAND_ERROR);
	expect_int(refusal, REFUSAL_OTHER_RULES);
	/* 7.3: the day of the notice is the last one; what has not begun is cancelled. */
	taken = (struct leave_taken){1, day(1, 1), day(1, 20)};
	expect_int(
		decide_leave_end(SENT, games, 1, &taken, 1, outcomes, &refusal), VERDICT_COMMAND);
	expect_int(outcomes[0].to, day(1, 1));
	taken.from = day(1, 5);
	expect_int(
		decide_leave_end(SENT, games, 1, &taken, 1, outcomes, &refusal), VERDICT_COMMAND);
	expect_int(outcomes[0].to, DATE_NONE);
	expect_int(decide_leave_end(SENT, games, 1, &taken, 0, outcomes, &refusal),
		VERDICT_COMMAND_ERROR);
}

/* MC-link 7ter.5-10: checked in each game, granted where the rules allow it. */
static void test_stops(void **state)
{
	struct desk fresh, spent;
	struct leave_outcome outcomes[2];
	enum refusal refusal;

	(void)state;
	desk_open(&fresh, RULES_MCLINK);
	desk_open(&spent, RULES_MCLINK);
	int64_t at = SENT + 150 * HOUR_MS;
	desk_move(&fresh, "e2e4", SENT + HOUR_MS);
	clock_advance(spent.clock, at);
	const struct leave_game games[] = {
		{.parameters = &fresh.parameters, .zone = &utc, .clock = fresh.clock},
		{.parameters = &spent.parameters, .zone = &utc, .clock = spent.clock}};
	struct stop_request request = {
		.at = at, .start = at + 10 * HOUR_MS, .end = at + 40 * HOUR_MS};
	expect_int(decide_stop(&request, games, 2, outcomes, &refusal), VERDICT_COMMAND);
	assert_true(outcomes[0].granted);
	expect_int(outcomes[0].hours, 30);
	/* 7ter.7: 90 hours left, 120 needed. */
	assert_false(outcomes[1].granted);
	expect_int(outcomes[1].reasons, STOP_TOO_LITTLE_TIME);
	request.other_channel = true; /* 7ter.4 */
	expect_int(decide_stop(&request, games, 2, outcomes, &refusal), VERDICT_COMMAND_ERROR);
	clock_free(fresh.clock);
	clock_free(spent.clock);
}

static struct clock_stop stop_at(const struct desk *desk, size_t index)
{
	struct clock_state state;

	clock_state_at(desk->clock, SENT, &state);
	assert_true(index < state.n_stops);
	return state.stops[index];
}

/* MC-link 7ter.3: a stop changes in each game that has it, and in no other. */
static void test_stop_changes(void **state)
{
	struct desk desks[3];
	struct leave_game games[3];
	struct leave_outcome outcomes[3];
	enum refusal refusal;
	enum verdict verdict;
	int64_t at = SENT + HOUR_MS, from = SENT + 200 * HOUR_MS;

	(void)state;
	for (int i = 0; i < 3; i++) {
		desk_open(&desks[i], RULES_MCLINK);
		games[i] = (struct leave_game){.parameters = &desks[i].parameters,
			.zone = &utc,
			.side = i == 1 ? SIDE_BLACK : SIDE_WHITE,
			.clock = desks[i].clock};
	}
	/* He has it with White and with Black; the third game has one of the opponent. */
	struct stop_change change = {
		.act = STOP_GIVEN, .at = at, .start = from, .end = from + 50 * HOUR_MS};
	expect_int(decide_stop_change(&change, games, 3, outcomes, &verdict, &refusal), 0);
	expect_int(verdict, VERDICT_COMMAND);
	for (int i = 0; i < 3; i++) {
		assert_true(outcomes[i].granted);
		expect_int(outcomes[i].hours, 50);
		expect_int(outcomes[i].n_effects, 5);
		expect_int(outcomes[i].effects[4].to, READER_PUBLIC);
		struct clock_event event = outcomes[i].effects[0].event;
		expect_int(event.by, games[i].side);
		if (i == 2)
			event.by = SIDE_BLACK;
		apply(&desks[i], &event);
	}
	change = (struct stop_change){.act = STOP_WITHDRAWN,
		.at = at,
		.start = INSTANT_NONE,
		.end = INSTANT_NONE,
		.published = true,
		.stop = stop_at(&desks[0], 0)};
	expect_int(decide_stop_change(&change, games, 3, outcomes, &verdict, &refusal), 0);
	expect_int(verdict, VERDICT_COMMAND);
	assert_true(outcomes[0].granted && outcomes[1].granted && !outcomes[2].granted);
	expect_int(outcomes[2].n_effects, 0);
	/* 7ter.18 speaks of vacations alone. */
	change.act = STOP_CHANGED;
	change.end = from + 60 * HOUR_MS;
	expect_int(decide_stop_change(&change, games, 3, outcomes, &verdict, &refusal), 0);
	expect_int(verdict, VERDICT_COMMAND_ERROR);
	expect_int(refusal, REFUSAL_NOT_ALLOWED);
	/* Nothing was done to the clocks themselves. */
	for (int i = 0; i < 3; i++) {
		assert_false(stop_at(&desks[i], 0).removed);
		clock_free(desks[i].clock);
	}
}

/* MC-link 10.12-10.15 */
static void test_after_draw(void **state)
{
	(void)state;
	expect_int(lotto_after_draw(false, false, 1), AFTER_DRAW_SHARED);
	expect_int(lotto_after_draw(true, false, 1), AFTER_DRAW_LOTTO);
	expect_int(lotto_after_draw(true, true, 1), AFTER_DRAW_REVERSED);
	expect_int(lotto_after_draw(true, true, 2), AFTER_DRAW_AGAIN);
	expect_int(lotto_after_draw(true, true, 3), AFTER_DRAW_LOTTO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_overstep_iecc),
		cmocka_unit_test(test_claim_of_time),
		cmocka_unit_test(test_claim_with_move),
		cmocka_unit_test(test_timeout_mclink),
		cmocka_unit_test(test_reminders),
		cmocka_unit_test(test_withdrawal),
		cmocka_unit_test(test_withdrawal_remembered),
		cmocka_unit_test(test_withdrawals_in_turn),
		cmocka_unit_test(test_agreed_draw_mclink),
		cmocka_unit_test(test_event_end),
		cmocka_unit_test(test_moves_taken_back),
		cmocka_unit_test(test_rulings_on_time),
		cmocka_unit_test(test_leave_iecc),
		cmocka_unit_test(test_leave_razsh),
		cmocka_unit_test(test_stops),
		cmocka_unit_test(test_stop_changes),
		cmocka_unit_test(test_after_draw),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * Mails of the three rule systems, of everything that decisions bring about, compared with
 * tests/golden; see compose_golden.c for how to write these anew. And for all of them
 * together: whatever the facts are, no line is too long.
 */
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/compose/filling.h"
#include "tests/unit/compose_compare.h"
#include "tests/unit/compose_facts.h"

static const char *system_name(enum rule_system rules)
{
	return rule_system_name(rules);
}

static void compare_as(struct sample *sample, const char *name, enum rule_system rules)
{
	char full[100];

	(void)snprintf(full, sizeof(full), "%s-%s", system_name(rules), name);
	sample_compare(sample, full);
}

/* A line of the side that is not on the move: one pair of expected move and reply, or two. */
static void offer(struct sample *sample, const char *const *moves, size_t n)
{
	struct conditionals *offered = &sample->game.conditionals;
	struct conditional_line line = {.n = n};
	struct position position = sample->game.now;

	offered->by = side_other((enum side)position.turn);
	for (size_t i = 0; i < n; i++) {
		line.moves[i] = move_from_uci(&position, moves[i], strlen(moves[i]));
		assert_int_not_equal(line.moves[i], MOVE_NONE);
		position_make(&position, line.moves[i]);
	}
	assert_true(conditionals_add(offered, &sample->game.now, &line));
}

static const char *const first_line[] = {"e5f3", "e2f3", "e7g6", "f3f6"};
static const char *const second_line[] = {"e7g6", "f3e5"};

static void moves(void **state)
{
	static const enum rule_system systems[] = {RULES_RAZSH, RULES_RAZSH_POST, RULES_MCLINK};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(systems); i++) {
		struct sample sample;
		sample_init_rules(&sample, systems[i], 19, false);
		sample_decide(&sample, MATTER_NONE, NULL);
		sample.decision.made = 1;
		sample.facts.kind = MAIL_MOVE;
		sample.facts.verdict = VERDICT_ACCEPTED;
		sample.facts.code = "0123";
		offer(&sample, first_line, 4);
		offer(&sample, second_line, 2);
		if (systems[i] == RULES_MCLINK)
			sample.players[0].address = NULL;
		compare_as(&sample, "move", systems[i]);
		sample_reader(&sample, READER_ARBITER);
		sample.facts.kind = MAIL_COPY;
		compare_as(&sample, "copy", systems[i]);
		sample_release(&sample);
	}
}

/* Black has accepted one pair of White's line and answers; or his move was one that White had
 * expected. */
static void series(void **state)
{
	struct sample sample;

	(void)state;
	sample_init(&sample, 18, false);
	sample_message(&sample, 15, "8. d4", NULL);
	sample_decide(&sample, MATTER_NONE, NULL);
	sample.decision.made = 3;
	sample.decision.accepted = 2;
	sample.facts.kind = MAIL_MOVE;
	sample.facts.verdict = VERDICT_ACCEPTED;
	sample_reader(&sample, READER_WHITE);
	compare_as(&sample, "move-accepted", RULES_IECC);
	sample.decision.accepted = 2;
	sample.decision.made = 2;
	sample.facts.verdict = VERDICT_ILLEGAL_MOVE;
	compare_as(&sample, "move-only-accepted", RULES_IECC);
	sample_release(&sample);

	sample_init(&sample, 19, false);
	sample_message(&sample, 17, "9. d5 Ne5", "Ne5");
	sample_decide(&sample, MATTER_NONE, NULL);
	sample.decision.made = 2;
	sample.decision.replies = 1;
	sample.facts.kind = MAIL_MOVE;
	sample.facts.verdict = VERDICT_ACCEPTED;
	sample_reader(&sample, READER_WHITE);
	compare_as(&sample, "move-replied", RULES_IECC);
	sample.game.draw_offer = OFFER_BLACK;
	compare_as(&sample, "move-replied-offer", RULES_IECC);
	sample.game.draw_offer = OFFER_NONE;
	sample_reader(&sample, READER_BLACK);
	compare_as(&sample, "move-reply", RULES_IECC);
	sample.facts.kind = MAIL_RECEIPT;
	compare_as(&sample, "receipt-replied", RULES_IECC);
	sample_release(&sample);
}

static void move_flags(void **state)
{
	struct sample sample;

	(void)state;
	sample_init_rules(&sample, RULES_MCLINK, 19, false);
	sample_decide(&sample, MATTER_DEMAND, NULL);
	sample.decision.registered = true;
	sample.facts.kind = MAIL_MOVE;
	sample.facts.verdict = VERDICT_ACCEPTED;
	compare_as(&sample, "move-registered", RULES_MCLINK);
	sample_reader(&sample, READER_PUBLIC);
	sample.facts.kind = MAIL_PUBLIC;
	compare_as(&sample, "public", RULES_MCLINK);
	sample_release(&sample);
	sample_init(&sample, 19, false);
	sample_decide(&sample, MATTER_CLAIM_REJECTED, NULL);
	sample.game.draw_offer = OFFER_WHITE;
	sample.facts.kind = MAIL_MOVE;
	compare_as(&sample, "move-claim-rejected", RULES_IECC);
	sample_release(&sample);
}

static void repeats(void **state)
{
	static const struct clock_timer timer = {.kind = TIMER_REMIND, .by = SIDE_BLACK};
	static const enum rule_system systems[] = {RULES_IECC, RULES_RAZSH};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(systems); i++) {
		struct sample sample;
		sample_init_rules(&sample, systems[i], 19, true);
		sample_decide(&sample, MATTER_REMINDER, i ? "RAZSh 5.1" : "IECC 7.11");
		sample.facts.kind = MAIL_REPEAT;
		sample.facts.timer = &timer;
		sample.facts.received = INSTANT_NONE;
		sample.facts.now = sample_instant(44, 0);
		sample_reader(&sample, READER_BLACK);
		compare_as(&sample, "repeat", systems[i]);
		sample_reader(&sample, i ? READER_ARBITER : READER_WHITE);
		compare_as(&sample, "repeat-copy", systems[i]);
		sample_release(&sample);
	}
}

static void oversteps(void **state)
{
	static const enum rule_system systems[] = {RULES_RAZSH, RULES_MCLINK};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(systems); i++) {
		struct sample sample;
		sample_init_rules(&sample, systems[i], 5, true);
		sample_decide(&sample, MATTER_OVERSTEP, i ? "MC-link 7bis.1" : "RAZSh 6.1");
		sample.decision.asks_mate = true;
		sample.decision.can_mate = i ? DRAWS_NO : DRAWS_YES;
		sample.facts.kind = MAIL_OVERSTEP;
		sample.facts.received = INSTANT_NONE;
		sample.facts.now = sample_instant(200, 0);
		clock_advance(sample.clock, sample.facts.now);
		if (systems[i] == RULES_MCLINK) {
			sample.game.state = GAME_FINISHED;
			sample.game.result = RESULT_WHITE;
			sample.game.termination = TERMINATION_TIME;
		}
		sample_reader(&sample, READER_ARBITER);
		compare_as(&sample, "overstep-arbiter", systems[i]);
		sample_reader(&sample, READER_BLACK);
		compare_as(&sample, "overstep-late", systems[i]);
		sample_reader(&sample, READER_WHITE);
		compare_as(&sample, "overstep-waiting", systems[i]);
		if (systems[i] == RULES_MCLINK) {
			sample_reader(&sample, READER_PUBLIC);
			compare_as(&sample, "overstep-public", systems[i]);
		}
		sample_release(&sample);
	}
}

static void claims(void **state)
{
	struct sample sample;

	(void)state;
	sample_init_rules(&sample, RULES_RAZSH, 19, true);
	sample_message(&sample, 18, "claim time", NULL);
	sample_decide(&sample, MATTER_TIME_CLAIM, "RAZSh 6.1");
	sample.decision.claim_spent = 66;
	sample.decision.claim_limit = 60;
	sample.decision.claim_borne_out = true;
	sample.facts.kind = MAIL_CLAIM;
	sample.game.state = GAME_SUSPENDED;
	sample.game.awaiting = AWAITING_CLAIM;
	sample.game.awaiting_by = SIDE_WHITE;
	sample_reader(&sample, READER_ARBITER);
	compare_as(&sample, "claim-arbiter", RULES_RAZSH);
	sample_reader(&sample, READER_BLACK);
	compare_as(&sample, "claim", RULES_RAZSH);
	sample_release(&sample);

	sample_init_rules(&sample, RULES_MCLINK, 19, true);
	sample_message(&sample, 19, "accept", NULL);
	sample_decide(&sample, MATTER_AGREEMENT, NULL);
	sample.facts.kind = MAIL_CLAIM;
	sample.game.state = GAME_SUSPENDED;
	sample.game.awaiting = AWAITING_AGREEMENT;
	sample.game.awaiting_by = SIDE_BLACK;
	sample_reader(&sample, READER_ARBITER);
	compare_as(&sample, "agreement-arbiter", RULES_MCLINK);
	sample_reader(&sample, READER_WHITE);
	compare_as(&sample, "agreement", RULES_MCLINK);
	sample_decide(&sample, MATTER_DEMAND, NULL);
	sample.game.state = GAME_ACTIVE;
	sample.game.awaiting = AWAITING_NONE;
	compare_as(&sample, "demand", RULES_MCLINK);
	sample_release(&sample);

	sample_init(&sample, 19, true);
	sample_message(&sample, 19, "decline", NULL);
	sample_decide(&sample, MATTER_OFFER_DECLINED, NULL);
	sample.facts.kind = MAIL_CLAIM;
	sample_reader(&sample, READER_WHITE);
	compare_as(&sample, "declined", RULES_IECC);
	sample_decide(&sample, MATTER_CLAIM_REJECTED, NULL);
	sample.game.draw_offer = OFFER_BLACK;
	compare_as(&sample, "claim-rejected", RULES_IECC);
	sample.message.by = SIDE_WHITE;
	sample_decide(&sample, MATTER_WITHDRAWAL, "IECC 3.1");
	sample.game.draw_offer = OFFER_NONE;
	sample.game.state = GAME_SUSPENDED;
	sample.game.awaiting = AWAITING_WITHDRAWAL;
	sample_reader(&sample, READER_ARBITER);
	compare_as(&sample, "withdrawal-arbiter", RULES_IECC);
	sample.game.awaiting_by = SIDE_BLACK;
	compare_as(&sample, "withdrawal-behind", RULES_IECC);
	sample.game.state = GAME_SCHEDULED;
	sample.game.awaiting = AWAITING_NONE;
	compare_as(&sample, "withdrawal-early", RULES_IECC);
	sample.game.state = GAME_SUSPENDED;
	sample.game.awaiting = AWAITING_WITHDRAWAL;
	sample.game.awaiting_by = SIDE_WHITE;
	sample.facts.kind = MAIL_ANNOUNCEMENT;
	sample_reader(&sample, READER_BLACK);
	compare_as(&sample, "withdrawal", RULES_IECC);
	sample_release(&sample);
}

static void reminders(void **state)
{
	static const struct {
		const char *name, *article;
		enum matter matter;
	} cases[] = {
		{"silence", "RAZSh 5.3", MATTER_SILENCE},
		{"no-moves", "RAZSh II 5.2", MATTER_NO_MOVES},
		{"objection", "RAZSh 6.4", MATTER_OBJECTION},
		{"papers", "RAZSh 9.4", MATTER_PAPERS},
		{"access", "RAZSh 1.6", MATTER_ACCESS},
	};
	static const struct clock_timer timer = {.kind = TIMER_SILENCE, .by = SIDE_BLACK};
	struct sample sample;

	(void)state;
	sample_init_rules(&sample, RULES_RAZSH, 19, true);
	sample.facts.kind = MAIL_REMINDER;
	sample.facts.timer = &timer;
	sample_reader(&sample, READER_ARBITER);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char name[64];
		sample_decide(&sample, cases[i].matter, cases[i].article);
		sample.game.awaiting =
			cases[i].matter == MATTER_OBJECTION ? AWAITING_CLAIM : AWAITING_NONE;
		sample.game.awaiting_by = SIDE_WHITE;
		(void)snprintf(name, sizeof(name), "reminder-%s", cases[i].name);
		compare_as(&sample, name, RULES_RAZSH);
	}
	sample.facts.kind = MAIL_COPY;
	sample_decide(&sample, MATTER_COPIES, "RAZSh 4.10");
	compare_as(&sample, "copies", RULES_RAZSH);
	sample.facts.kind = MAIL_ANNOUNCEMENT;
	sample_decide(&sample, MATTER_EVENT_END, "RAZSh 9.4");
	sample.game.state = GAME_SUSPENDED;
	sample.game.awaiting = AWAITING_ADJUDICATION;
	compare_as(&sample, "event-end-arbiter", RULES_RAZSH);
	sample_reader(&sample, READER_WHITE);
	compare_as(&sample, "event-end", RULES_RAZSH);
	sample_release(&sample);
}

static void rulings(void **state)
{
	static const struct {
		const char *name;
		struct ruling ruling;
		bool reopened;
	} cases[] = {
		{"uphold", {.kind = RULING_UPHOLD}, false},
		{"reject", {.kind = RULING_REJECT, .bar = true}, false},
		{"resume", {.kind = RULING_RESUME, .days = 3}, false},
		{"credit", {.kind = RULING_CREDIT, .n = 2, .ply = 18}, false},
		{"adjudicate", {.kind = RULING_ADJUDICATE, .result = RESULT_WHITE}, false},
		{"penalty", {.kind = RULING_PENALTY, .side = SIDE_BLACK, .n = 2}, false},
		{"lift", {.kind = RULING_LIFT, .side = SIDE_BLACK, .move = 9}, false},
		{"rollback", {.kind = RULING_ROLLBACK, .ply = 19}, false},
		{"unclear", {.kind = RULING_UNCLEAR, .ply = 20}, false},
		{"correct", {.kind = RULING_CORRECT, .ply = 19}, false},
		{"reopened", {.kind = RULING_RESUME}, true},
		{"reopened-back", {.kind = RULING_ROLLBACK, .ply = 19}, true},
	};
	struct sample sample;

	(void)state;
	sample_init_rules(&sample, RULES_RAZSH, 19, true);
	sample_decide(&sample, MATTER_RULING, NULL);
	sample.facts.kind = MAIL_RULING;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct ruling ruling = cases[i].ruling;
		char name[64];
		ruling.at = sample_instant(40, 0);
		ruling.sent = ruling.kind == RULING_CORRECT ? sample_instant(37, 0) : INSTANT_NONE;
		ruling.delivered = INSTANT_NONE;
		sample.facts.ruling = &ruling;
		sample.decision.reopened = cases[i].reopened;
		sample.game.state = ruling.kind == RULING_ADJUDICATE ? GAME_FINISHED : GAME_ACTIVE;
		sample.game.result = ruling.result;
		(void)snprintf(name, sizeof(name), "ruling-%s", cases[i].name);
		compare_as(&sample, name, RULES_RAZSH);
	}
	sample_release(&sample);
}

/* MC-link 7ter.24. */
static void grant_stop(struct sample *sample)
{
	struct clock_event event = CLOCK_EVENT_NONE;
	struct clock_answer answer;

	event.kind = CLOCK_STOP_GRANT;
	event.at = sample->facts.now;
	event.start = sample->facts.now - 3600000;
	event.end = sample->facts.now + 100 * INT64_C(3600000);
	expect_int(clock_apply(sample->clock, &event, &answer), 0);
}

/* Whose time runs when a mail to Black, or to White, could not be delivered: Black is to move. */
static void bounces(void **state)
{
	static const struct {
		const char *name;
		enum rule_system rules;
		bool delivered;
		enum game_state state;
		enum side unreached;
		bool stopped;
	} cases[] = {
		{"waits", RULES_RAZSH, false, GAME_ACTIVE, SIDE_BLACK, false},
		{"runs", RULES_RAZSH, true, GAME_ACTIVE, SIDE_BLACK, false},
		{"other", RULES_IECC, true, GAME_ACTIVE, SIDE_WHITE, false},
		{"rests", RULES_IECC, true, GAME_SUSPENDED, SIDE_BLACK, false},
		{"over", RULES_IECC, true, GAME_FINISHED, SIDE_BLACK, false},
		{"stopped", RULES_MCLINK, true, GAME_ACTIVE, SIDE_BLACK, true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct sample sample;
		char name[64];
		enum side unreached = cases[i].unreached;
		sample_init_rules(&sample, cases[i].rules, 19, cases[i].delivered);
		sample.facts.kind = MAIL_BOUNCE_NOTICE;
		sample.facts.bounced_subject = "[KO-50.2 #1] 10. Qe2";
		sample.facts.bounced_player = sample.players[unreached].name;
		sample.facts.bounced_side = unreached;
		sample.game.state = cases[i].state;
		if (cases[i].stopped)
			grant_stop(&sample);
		(void)snprintf(name, sizeof(name), "bounce-%s", cases[i].name);
		sample_reader(&sample, (enum mail_reader)side_other(unreached));
		compare_as(&sample, name, cases[i].rules);
		(void)snprintf(name, sizeof(name), "bounce-%s-own", cases[i].name);
		sample_reader(&sample, (enum mail_reader)unreached);
		sample.facts.bounced_own = true;
		compare_as(&sample, name, cases[i].rules);
		sample.facts.bounced_own = false;
		(void)snprintf(name, sizeof(name), "bounce-%s-arbiter", cases[i].name);
		sample_reader(&sample, READER_ARBITER);
		compare_as(&sample, name, cases[i].rules);
		sample_release(&sample);
	}
}

static void take_leave(struct sample *sample, enum side by, int32_t from, int32_t to)
{
	struct clock_event event = CLOCK_EVENT_NONE;
	struct clock_answer answer;

	event.kind = CLOCK_LEAVE;
	event.by = by;
	event.at = sample->facts.now;
	event.from = from;
	event.to = to;
	event.approved = true;
	expect_int(clock_apply(sample->clock, &event, &answer), 0);
	assert_true(answer.granted);
}

static void leaves(void **state)
{
	const int32_t leave_from = date_from_civil(2026, 12, 20);
	const int32_t leave_to = date_from_civil(2027, 1, 10);
	struct leave_outcome outcome = {
		.granted = true,
		.from = leave_from,
		.to = leave_to,
		.years = {{2026, 12}, {2027, 10}},
		.n_years = 2,
	};
	struct compose_leave leave = {
		.command = COMMAND_LEAVE,
		.by = SIDE_WHITE,
		.game = "KO-50.2/1",
		.opponent = "Rossi, Bruno",
		.outcome = &outcome,
		.start = INSTANT_NONE,
		.end = INSTANT_NONE,
	};
	static const struct clock_timer back = {.kind = TIMER_LEAVE_END, .by = SIDE_WHITE};
	static const struct clock_timer stop = {.kind = TIMER_STOP_START};
	struct sample sample;

	(void)state;
	sample_init_rules(&sample, RULES_RAZSH, 19, true);
	take_leave(&sample, SIDE_WHITE, leave_from, leave_to);
	take_leave(&sample, SIDE_BLACK, leave_from - 290, leave_from - 280);
	sample_decide(&sample, MATTER_LEAVE, NULL);
	sample.facts.kind = MAIL_LEAVE;
	sample.facts.leaves = &leave;
	sample.facts.n_leaves = 1;
	sample_reader(&sample, READER_BLACK);
	compare_as(&sample, "leave", RULES_RAZSH);
	outcome.granted = false;
	outcome.ask_arbiter = true;
	outcome.reason = "over 30 days in a year";
	sample_reader(&sample, READER_ARBITER);
	compare_as(&sample, "leave-arbiter", RULES_RAZSH);
	leave.command = COMMAND_END_LEAVE;
	outcome = (struct leave_outcome){
		.granted = true, .from = DATE_NONE, .to = date_from_civil(2026, 2, 20)};
	compare_as(&sample, "leave-end", RULES_RAZSH);
	sample.facts.n_leaves = 0;
	sample.facts.timer = &back;
	sample_decide(&sample, MATTER_BACK, "RAZSh 7.4");
	sample_reader(&sample, READER_BLACK);
	compare_as(&sample, "leave-back", RULES_RAZSH);
	sample_release(&sample);

	sample_init(&sample, 19, true);
	sample_decide(&sample, MATTER_LEAVE, NULL);
	outcome = (struct leave_outcome){
		.ask_opponent = true,
		.late = true,
		.reason = "opponent has not agreed",
		.from = date_from_civil(2026, 3, 1),
		.to = date_from_civil(2026, 5, 1),
		.total = 62,
	};
	leave.command = COMMAND_LEAVE;
	sample.facts.kind = MAIL_LEAVE;
	sample.facts.leaves = &leave;
	sample.facts.n_leaves = 1;
	sample_reader(&sample, READER_BLACK);
	compare_as(&sample, "leave-agree", RULES_IECC);
	sample_release(&sample);

	sample_init_rules(&sample, RULES_MCLINK, 19, true);
	sample_decide(&sample, MATTER_STOP, "MC-link 7ter.22");
	sample.facts.kind = MAIL_LEAVE;
	sample.facts.timer = &stop;
	compare_as(&sample, "stop-begins", RULES_MCLINK);
	sample.facts.timer = NULL;
	sample_decide(&sample, MATTER_LEAVE, NULL);
	outcome = (struct leave_outcome){
		.granted = true, .hours = 336, .from = DATE_NONE, .to = DATE_NONE};
	leave.command = COMMAND_VACATION;
	leave.start = sample_instant(170, 0);
	leave.end = sample_instant(184, 0);
	sample.facts.leaves = &leave;
	sample.facts.n_leaves = 1;
	compare_as(&sample, "vacation", RULES_MCLINK);
	/* The answer to the player, over all games and about none. */
	outcome.granted = false;
	outcome.reasons = STOP_NOTICE | STOP_OUTSIDE;
	sample_message(&sample, 19, "vacation 1.7.2026 15.7.2026", NULL);
	sample.message.n_commands = 1;
	sample.message.commands[0] =
		(struct stated_command){.kind = COMMAND_VACATION, .line = {0, 27}};
	sample.decision.refusal = REFUSAL_NOT_ALLOWED;
	sample.facts.verdict = VERDICT_COMMAND_ERROR;
	sample.facts.kind = MAIL_REFUSAL;
	compare_as(&sample, "refusal-vacation", RULES_MCLINK);
	sample_release(&sample);
}

static void receipts(void **state)
{
	static const struct {
		const char *name;
		enum command command;
		enum matter matter;
		enum termination termination;
	} cases[] = {
		{"resign", COMMAND_RESIGN, MATTER_RESIGNATION, TERMINATION_RESIGNATION},
		{"accept", COMMAND_ACCEPT, MATTER_AGREEMENT, TERMINATION_AGREEMENT},
		{"decline", COMMAND_DECLINE, MATTER_OFFER_DECLINED, TERMINATION_NONE},
		{"threefold", COMMAND_CLAIM_THREEFOLD, MATTER_CLAIM_THREEFOLD,
			TERMINATION_THREEFOLD},
		{"fifty", COMMAND_CLAIM_FIFTY, MATTER_CLAIM_FIFTY, TERMINATION_FIFTY_MOVES},
		{"claim-rejected", COMMAND_CLAIM_FIFTY, MATTER_CLAIM_REJECTED, TERMINATION_NONE},
		{"language", COMMAND_LANGUAGE, MATTER_NONE, TERMINATION_NONE},
	};
	struct sample sample;

	(void)state;
	sample_init(&sample, 19, true);
	sample.facts.kind = MAIL_RECEIPT;
	sample.facts.verdict = VERDICT_COMMAND;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		bool over = cases[i].termination != TERMINATION_NONE;
		char name[64];
		sample_message(&sample, 19, "(the command)", NULL);
		sample.message.n_commands = 1;
		sample.message.commands[0] =
			(struct stated_command){.kind = cases[i].command, .line = {0, 13}};
		sample_decide(&sample, cases[i].matter, NULL);
		sample.game.state = over ? GAME_FINISHED : GAME_ACTIVE;
		sample.game.termination = cases[i].termination;
		sample.game.result = !over                                ? RESULT_NONE
				     : cases[i].command == COMMAND_RESIGN ? RESULT_WHITE
									  : RESULT_DRAW;
		(void)snprintf(name, sizeof(name), "receipt-%s", cases[i].name);
		compare_as(&sample, name, RULES_IECC);
	}
	sample_release(&sample);
}

/* The sentences of refusals are not each a file: every one is there, and they differ. */
static void refusals(void **state)
{
	char *texts[REFUSAL_FOLLOWED + 1] = {NULL};
	struct sample sample;

	(void)state;
	sample_init(&sample, 19, true);
	sample.facts.kind = MAIL_REFUSAL;
	sample.facts.verdict = VERDICT_COMMAND_ERROR;
	sample_message(&sample, 19, "claim time", NULL);
	sample_decide(&sample, MATTER_NONE, NULL);
	for (int refusal = REFUSAL_UNPROVEN; refusal <= REFUSAL_FOLLOWED; refusal++) {
		struct mail mail;
		sample.decision.refusal = (enum refusal)refusal;
		expect_int(compose_mail(&sample.facts, &mail), 0);
		sample_lines_short(mail.text);
		texts[refusal] =
			strndup(mail.text, (size_t)(strstr(mail.text, "\n\n") - mail.text));
		assert_true(strlen(texts[refusal]) > 30);
		for (int other = REFUSAL_UNPROVEN; other < refusal; other++)
			assert_string_not_equal(texts[other], texts[refusal]);
		mail_release(&mail);
	}
	for (int refusal = 0; refusal <= REFUSAL_FOLLOWED; refusal++)
		free(texts[refusal]);
	sample_release(&sample);
}

/* ---- Whatever the facts are ---- */

static unsigned next(unsigned *seed, unsigned below)
{
	*seed = *seed * 1103515245U + 12345U;
	return (*seed >> 16) % below;
}

static void no_line_is_too_long(void **state)
{
	static const enum mail_kind kinds[] = {MAIL_MOVE, MAIL_RECEIPT, MAIL_REFUSAL, MAIL_COPY,
		MAIL_PUBLIC, MAIL_REMINDER, MAIL_REPEAT, MAIL_OVERSTEP, MAIL_CLAIM, MAIL_RULING,
		MAIL_RESULT, MAIL_PAIRING, MAIL_LEAVE, MAIL_ANNOUNCEMENT};
	unsigned seed = 7;

	(void)state;
	for (unsigned i = 0; i < 600; i++) {
		struct sample sample;
		struct mail mail;
		struct clock_timer timer = {.kind = (enum clock_timer_kind)next(&seed, 9),
			.by = (enum side)next(&seed, 2)};
		struct ruling ruling = {.kind = (enum ruling_kind)next(&seed, 13),
			.at = INSTANT_NONE,
			.n = 3,
			.ply = next(&seed, 20),
			.sent = INSTANT_NONE,
			.delivered = INSTANT_NONE};
		sample_init_rules(
			&sample, (enum rule_system)next(&seed, 4), next(&seed, 21), next(&seed, 2));
		sample_decide(&sample, (enum matter)next(&seed, MATTER_RULING + 1),
			next(&seed, 2) ? "MC-link 7bis.1" : "RAZSh II 6.1");
		sample.decision.refusal = (enum refusal)next(&seed, REFUSAL_FOLLOWED + 1);
		sample.decision.registered = next(&seed, 2);
		sample.decision.asks_mate = next(&seed, 2);
		sample.decision.can_mate = (enum draws_answer)next(&seed, 3);
		sample.decision.made = next(&seed, (unsigned)sample.game.n_moves + 1);
		sample.decision.accepted = next(&seed, (unsigned)sample.decision.made + 1);
		sample.facts.kind = kinds[next(&seed, ARRAY_SIZE(kinds))];
		sample.facts.verdict = (enum verdict)next(&seed, VERDICT_ACCEPTED_WITH_WARNING + 1);
		sample.facts.timer = next(&seed, 2) ? &timer : NULL;
		sample.facts.ruling = next(&seed, 2) ? &ruling : NULL;
		sample.facts.now = sample_instant((int)next(&seed, 200), 0);
		sample.game.state = (enum game_state)next(&seed, 4);
		sample.game.awaiting = (enum awaiting)next(&seed, 6);
		sample.players[0].name = "Wolfeschlegelsteinhausenbergerdorff, Hubert Blaine "
					 "Adolph Charles David Earl Frederick Gerald";
		clock_advance(sample.clock, sample.facts.now);
		sample_reader(&sample, (enum mail_reader)next(&seed, 4));
		sample_names_known(&sample.facts);
		expect_int(compose_mail(&sample.facts, &mail), 0);
		if (sample.facts.kind != MAIL_RESULT)
			sample_lines_short(mail.text);
		if (strstr(mail.text, "{{"))
			fail_msg("a hole:\n%s", mail.text);
		mail_release(&mail);
		sample_release(&sample);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(moves),
		cmocka_unit_test(series),
		cmocka_unit_test(move_flags),
		cmocka_unit_test(repeats),
		cmocka_unit_test(oversteps),
		cmocka_unit_test(claims),
		cmocka_unit_test(reminders),
		cmocka_unit_test(rulings),
		cmocka_unit_test(bounces),
		cmocka_unit_test(leaves),
		cmocka_unit_test(receipts),
		cmocka_unit_test(refusals),
		cmocka_unit_test(no_line_is_too_long),
		/* The last: what the others have collected. */
		cmocka_unit_test(sample_compare_collections),
	};
	sample_regenerate = argc > 1 ? argv[1] : NULL;
	sample_group = "systems";
	return cmocka_run_group_tests(tests, NULL, NULL);
}

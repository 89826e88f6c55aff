/*
 * Conditional moves: IECC 7.6 and 7.8, RAZSh 3.7-3.9 and 4.6, MC-link 5.
 */
#include "tests/unit/decision.h"

/* After 1.e4 Black to move; White has offered: if 1...e5 2.Nf3, if then 2...Nc6 3.Bb5. */
static void table_waiting(struct table *table)
{
	struct conditional_line line = {.n = 0};

	table_set(table, "e2e4");
	line.n = moves_of(&table->game.now, "e7e5 g1f3 b8c6 f1b5", line.moves);
	table->game.conditionals.by = SIDE_WHITE;
	assert_true(conditionals_add(&table->game.conditionals, &table->game.now, &line));
}

static void offer(
	struct message *message, const struct game *game, const char *line, enum move_result fault)
{
	struct position after = game->now;
	struct stated_conditional *stated = &message->conditionals[message->n_conditionals++];

	position_make(&after, message->own.move);
	*stated = (struct stated_conditional){.fault = fault};
	stated->line.n = moves_of(&after, line, stated->line.moves);
}

static void run(enum rule_system system, const struct game *game, const struct message *message,
	struct decision *decision)
{
	const struct rules_context context = {.system = system};

	decide(&context, game, message, SENT, decision);
}

/* IECC 7.6a: stored, and shown to the opponent at once as part of the message. */
static void test_offer(void **state)
{
	struct table table;
	struct decision decision;

	(void)state;
	table_set(&table, "");
	struct message message = message_says(&table.game, NULL, "e2e4");
	offer(&message, &table.game, "e7e5 g1f3 b8c6 f1b5", MOVE_READ);
	offer(&message, &table.game, "c7c5 c2c3", MOVE_READ);
	run(RULES_IECC, &table.game, &message, &decision);
	expect_verdict(&decision, VERDICT_ACCEPTED);
	expect_int(count(&decision, EFFECT_CONDITIONALS), 1);
	expect_int(decision.conditionals.by, SIDE_WHITE);
	expect_int(decision.conditionals.n_lines, 2);
	expect_int(decision.conditionals.lines[0].n, 4);
	assert_false(find_event(&decision, CLOCK_MOVE)->illegal_conditional);
	expect_int(find_event(&decision, CLOCK_MOVE)->offers, 0);
	/* RAZSh 4.6: the clock must know how far the opponent may go. */
	run(RULES_RAZSH, &table.game, &message, &decision);
	expect_int(find_event(&decision, CLOCK_MOVE)->offers, 2);
}

/* Reading 8: what stands before the illegal move stands; one day for it (7.8). A move that
 * cannot be read costs nothing, nor does what nobody proves. */
static void test_illegal_conditional(void **state)
{
	const struct rules_context open = {.system = RULES_IECC, .unproven = UNPROVEN_ACCEPT};
	struct table table;
	struct decision decision;

	(void)state;
	table_set(&table, "");
	struct message message = message_says(&table.game, NULL, "e2e4");
	offer(&message, &table.game, "e7e5 g1f3 b8c6", MOVE_ILLEGAL);
	run(RULES_IECC, &table.game, &message, &decision);
	expect_verdict(&decision, VERDICT_ACCEPTED_WITH_WARNING);
	assert_true(has_warning(&decision, WARNING_CONDITIONAL));
	assert_true(find_event(&decision, CLOCK_MOVE)->illegal_conditional);
	assert_string_equal(decision.article, "IECC 7.8");
	expect_int(decision.conditionals.lines[0].n, 2);
	message.conditionals[0].fault = MOVE_UNREADABLE;
	run(RULES_IECC, &table.game, &message, &decision);
	assert_true(has_warning(&decision, WARNING_CONDITIONAL));
	assert_false(find_event(&decision, CLOCK_MOVE)->illegal_conditional);
	message.conditionals[0].fault = MOVE_AMBIGUOUS;
	message.trust = TRUST_REGISTERED;
	decide(&open, &table.game, &message, SENT, &decision);
	assert_false(find_event(&decision, CLOCK_MOVE)->illegal_conditional);
	/* No such penalty in RAZSh and MC-link. */
	message.trust = TRUST_TOKEN;
	run(RULES_RAZSH, &table.game, &message, &decision);
	expect_verdict(&decision, VERDICT_ACCEPTED_WITH_WARNING);
	assert_false(find_event(&decision, CLOCK_MOVE)->illegal_conditional);
}

/* Two replies to one expected move: the second line is ambiguous from there on. */
static void test_contradiction(void **state)
{
	struct table table;
	struct decision decision;

	(void)state;
	table_set(&table, "");
	struct message message = message_says(&table.game, NULL, "e2e4");
	offer(&message, &table.game, "e7e5 g1f3 b8c6 f1b5", MOVE_READ);
	offer(&message, &table.game, "e7e5 g1f3 b8c6 f1c4", MOVE_READ);
	offer(&message, &table.game, "e7e5 g1f3 g8f6 f3e5", MOVE_READ);
	run(RULES_IECC, &table.game, &message, &decision);
	assert_true(find_event(&decision, CLOCK_MOVE)->illegal_conditional);
	expect_int(decision.conditionals.n_lines, 3);
	expect_int(decision.conditionals.lines[1].n, 2);
	expect_int(decision.conditionals.lines[2].n, 4);
}

/* IECC 7.6a, reading 6: the expected move alone sets off the stored reply; the opponent's
 * new arrival is its delivery. */
static void test_expected_move_alone(void **state)
{
	struct table table;
	struct decision decision;

	(void)state;
	table_waiting(&table);
	struct message message = message_says(&table.game, NULL, "e7e5");
	run(RULES_IECC, &table.game, &message, &decision);
	expect_verdict(&decision, VERDICT_ACCEPTED);
	expect_int(decision.made, 2);
	expect_int(decision.replies, 1);
	expect_int(find_event(&decision, CLOCK_MOVE)->accepts, 0);
	expect_int(find_event(&decision, CLOCK_AUTO_REPLY)->by, SIDE_WHITE);
	const struct effect *mail = find_mail(&decision, MAIL_MOVE, READER_BLACK);
	assert_non_null(mail);
	expect_int(mail->stamp, STAMP_DELIVERED);
	expect_int(decision.effects[mail->stamped].event.kind, CLOCK_AUTO_REPLY);
	mail = find_mail(&decision, MAIL_MOVE, READER_WHITE);
	expect_int(decision.effects[mail->stamped].event.kind, CLOCK_MOVE);
	/* The rest of the series still waits. */
	expect_int(decision.conditionals.n_lines, 1);
	expect_int(decision.conditionals.lines[0].n, 2);
	/* RAZSh reading 13a, MC-link 5.3: there it is a plain answer, the series lapses. */
	for (int system = RULES_RAZSH; system <= RULES_MCLINK; system++) {
		run((enum rule_system)system, &table.game, &message, &decision);
		expect_int(decision.made, 1);
		expect_int(count(&decision, EFFECT_CONDITIONALS), 1);
		expect_int(decision.conditionals.n_lines, 0);
	}
}

/* A reply to the reply was offered with the very move that sets the first one off. */
static void test_replies_to_replies(void **state)
{
	struct table table;
	struct decision decision;

	(void)state;
	table_waiting(&table);
	struct message message = message_says(&table.game, NULL, "e7e5");
	offer(&message, &table.game, "g1f3 g8f6 f3e5 d7d6", MOVE_READ);
	run(RULES_IECC, &table.game, &message, &decision);
	expect_int(decision.made, 3);
	expect_int(decision.replies, 2);
	/* White is on the move; what Black offered goes on, what White offered is dead. */
	expect_int(decision.conditionals.by, SIDE_BLACK);
	expect_int(decision.conditionals.lines[0].n, 2);
	const struct effect *mail = find_mail(&decision, MAIL_MOVE, READER_WHITE);
	expect_int(decision.effects[mail->stamped].event.by, SIDE_BLACK);
	expect_int(decision.effects[mail->stamped].event.kind, CLOCK_AUTO_REPLY);
}

/* 7.6b: accepted by repetition in part or whole, with an own move after it. */
static void test_accepted(void **state)
{
	struct table table;
	struct decision decision;

	(void)state;
	table_waiting(&table);
	struct message message = message_says(&table.game, "e7e5 g1f3", "g8f6");
	run(RULES_IECC, &table.game, &message, &decision);
	expect_verdict(&decision, VERDICT_ACCEPTED);
	expect_int(decision.made, 3);
	expect_int(find_event(&decision, CLOCK_MOVE)->accepts, 1);
	/* Deviation cancels the rest. */
	expect_int(count(&decision, EFFECT_CONDITIONALS), 1);
	expect_int(decision.conditionals.n_lines, 0);
	message = message_says(&table.game, "e7e5 g1f3 b8c6 f1b5", "a7a6");
	run(RULES_RAZSH, &table.game, &message, &decision);
	expect_int(decision.made, 5);
	expect_int(find_event(&decision, CLOCK_MOVE)->accepts, 2);
	/* IECC: repeated in part, and the next expected move on top of it. */
	message = message_says(&table.game, "e7e5 g1f3", "b8c6");
	run(RULES_IECC, &table.game, &message, &decision);
	expect_int(decision.made, 4);
	expect_int(find_event(&decision, CLOCK_MOVE)->accepts, 1);
	assert_non_null(find_event(&decision, CLOCK_AUTO_REPLY));
}

/* No own move after the series: IECC takes the last expected move as it (no-move costs
 * nothing there); RAZSh 3.9 fines it, and the accepted moves stand. */
static void test_accepted_unanswered(void **state)
{
	struct table table;
	struct decision decision;

	(void)state;
	table_waiting(&table);
	struct message message = message_says(&table.game, "e7e5 g1f3", NULL);
	run(RULES_IECC, &table.game, &message, &decision);
	expect_verdict(&decision, VERDICT_ACCEPTED);
	expect_int(decision.made, 2);
	expect_int(find_event(&decision, CLOCK_MOVE)->accepts, 0);
	run(RULES_RAZSH, &table.game, &message, &decision);
	expect_verdict(&decision, VERDICT_NO_MOVE);
	assert_string_equal(decision.article, "RAZSh 3.9");
	expect_int(decision.made, 2);
	expect_int(find_event(&decision, CLOCK_FAULT)->fault, FAULT_VARIANT_UNANSWERED);
	expect_int(find_event(&decision, CLOCK_FAULT)->accepts, 1);
	expect_int(decision.conditionals.lines[0].n, 2);
	expect_int(find_mail(&decision, MAIL_REFUSAL, READER_BLACK)->stamp, STAMP_QUERY);
	assert_non_null(find_mail(&decision, MAIL_MOVE, READER_WHITE));
}

/* IECC 7.8: an illegal own move after accepted ones: those stand, one day is booked; what
 * nobody proves makes nothing. */
static void test_accepted_then_illegal(void **state)
{
	struct table table;
	struct decision decision;

	(void)state;
	table_waiting(&table);
	struct message message = message_says(&table.game, "e7e5 g1f3", "?");
	run(RULES_IECC, &table.game, &message, &decision);
	expect_verdict(&decision, VERDICT_ILLEGAL_MOVE);
	expect_int(decision.made, 2);
	expect_int(find_event(&decision, CLOCK_FAULT)->accepts, 1);
	message.trust = TRUST_REGISTERED;
	run(RULES_IECC, &table.game, &message, &decision);
	expect_verdict(&decision, VERDICT_ILLEGAL_MOVE);
	expect_int(decision.made, 0);
	message = message_says(&table.game, "e7e5 g1f3 b8c6 f1b5", "?");
	run(RULES_MCLINK, &table.game, &message, &decision);
	expect_verdict(&decision, VERDICT_ILLEGAL_MOVE);
	expect_int(decision.made, 0);
}

/* MC-link 5.3: all or nothing; a part repetition is a fault of form, the regular answer
 * counts. */
static void test_mclink_series(void **state)
{
	struct table table;
	struct decision decision;

	(void)state;
	table_waiting(&table);
	struct message message = message_says(&table.game, "e7e5 g1f3 b8c6 f1b5", "a7a6");
	run(RULES_MCLINK, &table.game, &message, &decision);
	expect_verdict(&decision, VERDICT_ACCEPTED);
	expect_int(decision.made, 5);
	expect_int(find_event(&decision, CLOCK_MOVE)->accepts, 2);
	message = message_says(&table.game, "e7e5 g1f3", "b8c6");
	run(RULES_MCLINK, &table.game, &message, &decision);
	expect_verdict(&decision, VERDICT_ACCEPTED_WITH_WARNING);
	assert_true(has_warning(&decision, WARNING_SERIES));
	expect_int(decision.made, 1);
	assert_true(find_event(&decision, CLOCK_MOVE)->bad_format);
	expect_int(find_event(&decision, CLOCK_MOVE)->accepts, 0);
}

/* A series whose last reply mates needs no answer, under any rules. */
static void test_series_that_mates(void **state)
{
	struct table table;
	struct decision decision;
	struct conditional_line line = {.n = 0};

	(void)state;
	table_set(&table, "f2f3 e7e5");
	line.n = moves_of(&table.game.now, "g2g4 d8h4", line.moves);
	table.game.conditionals.by = SIDE_BLACK;
	assert_true(conditionals_add(&table.game.conditionals, &table.game.now, &line));
	struct message message = message_says(&table.game, "g2g4 d8h4", NULL);
	for (int system = RULES_IECC; system <= RULES_MCLINK; system++) {
		run((enum rule_system)system, &table.game, &message, &decision);
		expect_verdict(&decision, VERDICT_ACCEPTED);
		expect_int(decision.made, 2);
		expect_state(&decision, GAME_FINISHED, RESULT_BLACK, TERMINATION_CHECKMATE);
	}
}

static void test_text(void **state)
{
	struct table table;
	struct conditionals again;
	char text[CONDITIONALS_TEXT_MAX];

	(void)state;
	table_waiting(&table);
	(void)conditionals_write(&table.game.conditionals, text);
	assert_string_equal(text, "e7e5 g1f3 b8c6 f1b5");
	expect_int(
		conditionals_read("c7c5 g1f3; e7e5 d2d4", &table.game.now, SIDE_WHITE, &again), 0);
	expect_int(again.n_lines, 2);
	assert_true(conditionals_read("e7e5", &table.game.now, SIDE_WHITE, &again) < 0);
	assert_true(conditionals_read("e7e5 e7e5", &table.game.now, SIDE_WHITE, &again) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_offer),
		cmocka_unit_test(test_illegal_conditional),
		cmocka_unit_test(test_contradiction),
		cmocka_unit_test(test_expected_move_alone),
		cmocka_unit_test(test_replies_to_replies),
		cmocka_unit_test(test_accepted),
		cmocka_unit_test(test_accepted_unanswered),
		cmocka_unit_test(test_accepted_then_illegal),
		cmocka_unit_test(test_mclink_series),
		cmocka_unit_test(test_series_that_mates),
		cmocka_unit_test(test_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

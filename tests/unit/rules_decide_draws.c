/*
 * Draws and ends: the table of rules.md, section 4, and the commands that go with it.
 */
#include "tests/unit/decision.h"

#include "core/fen.h"

static void run(enum rule_system system, const struct game *game, const struct message *message,
	struct decision *decision)
{
	const struct rules_context context = {.system = system, .fide_2014 = system == RULES_RAZSH};

	decide(&context, game, message, SENT, decision);
}

static void table_from(struct table *table, const char *fen)
{
	size_t at;

	memset(table, 0, sizeof(*table));
	table->game.state = GAME_ACTIVE;
	expect_int(fen_parse(fen, strlen(fen), &table->game.start, &at), FEN_FINE);
	table->game.now = table->game.start;
	table->game.moves = table->moves;
}

/* What ends by itself, and what does not. RESULT_NONE: the game goes on. */
static const struct {
	const char *name;
	const char *fen;
	const char *before; /* moves made */
	const char *own;
	enum rule_system system;
	enum termination termination;
	enum matter notice;
} endings[] = {
	{"stalemate", "7k/8/8/6Q1/8/8/8/K7 w - - 0 1", "", "g5g6", RULES_IECC,
		TERMINATION_STALEMATE, MATTER_NONE},
	{"stalemate", "7k/8/8/6Q1/8/8/8/K7 w - - 0 1", "", "g5g6", RULES_MCLINK,
		TERMINATION_STALEMATE, MATTER_NONE},
	{"no material", "7k/8/8/8/8/8/1p6/K7 w - - 0 1", "", "a1b2", RULES_IECC,
		TERMINATION_DEAD_POSITION, MATTER_NONE},
	{"no material: the Coordinator's", "7k/8/8/8/8/8/1p6/K7 w - - 0 1", "", "a1b2",
		RULES_MCLINK, TERMINATION_NONE, MATTER_DEAD_POSITION},
	{"third repetition, to be claimed", NULL, "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1", "f6g8",
		RULES_IECC, TERMINATION_NONE, MATTER_NONE},
	{"third repetition", NULL, "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1", "f6g8", RULES_RAZSH,
		TERMINATION_NONE, MATTER_NONE},
	{"third repetition, declared", NULL, "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1", "f6g8",
		RULES_MCLINK, TERMINATION_THREEFOLD, MATTER_NONE},
	{"fifth repetition", NULL,
		"g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1",
		"f6g8", RULES_RAZSH, TERMINATION_FIVEFOLD, MATTER_NONE},
	{"fifth repetition, notice only", NULL,
		"g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1",
		"f6g8", RULES_IECC, TERMINATION_NONE, MATTER_FIVEFOLD},
	{"75 moves", "7k/8/8/8/8/8/R7/K7 w - - 149 100", "", "a2b2", RULES_RAZSH,
		TERMINATION_SEVENTYFIVE_MOVES, MATTER_NONE},
	{"75 moves, notice only", "7k/8/8/8/8/8/R7/K7 w - - 149 100", "", "a2b2", RULES_IECC,
		TERMINATION_NONE, MATTER_SEVENTYFIVE},
	{"mate before the 75 moves", "7k/8/7K/8/8/8/R7/8 w - - 149 100", "", "a2a8", RULES_RAZSH,
		TERMINATION_CHECKMATE, MATTER_NONE},
};

static void test_endings(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(endings); i++) {
		struct table table;
		struct decision decision;
		if (endings[i].fen)
			table_from(&table, endings[i].fen);
		else
			table_set(&table, "");
		table_play(&table, endings[i].before);
		struct message message = message_says(&table.game, NULL, endings[i].own);
		run(endings[i].system, &table.game, &message, &decision);
		expect_verdict(&decision, VERDICT_ACCEPTED);
		const struct effect *effect = find(&decision, EFFECT_STATE);
		enum termination got = effect ? effect->termination : TERMINATION_NONE;
		if (got != endings[i].termination || decision.matter != endings[i].notice)
			fail_msg("%s: termination %d, notice %d", endings[i].name, (int)got,
				(int)decision.matter);
		if (effect)
			assert_non_null(find_mail(&decision, MAIL_RESULT, READER_ARBITER));
	}
}

/* A legal move that takes nothing, ends nothing and repeats no position. */
static uint16_t quiet_move(struct table *table)
{
	struct move_list list;

	position_moves(&table->game.now, &list);
	for (size_t i = 0; i < list.n; i++) {
		struct position after = table->game.now;
		position_make(&after, list.moves[i]);
		table->moves[table->game.n_moves] = list.moves[i];
		if (after.halfmove > 0 && position_end(&after) == POSITION_GOES_ON &&
			draws_repetitions(
				&table->game.start, table->moves, table->game.n_moves + 1) == 1)
			return list.moves[i];
	}
	fail_msg("no quiet move");
	return MOVE_NONE;
}

static void walk(struct table *table, size_t plies)
{
	while (table->game.n_moves < plies) {
		uint16_t move = quiet_move(table);
		table->moves[table->game.n_moves++] = move;
		position_make(&table->game.now, move);
	}
}

static bool drawn_after(struct table *table, size_t demanded_at, size_t plies)
{
	struct decision decision;

	table_from(table, "7k/8/8/8/8/8/R7/K7 w - - 0 1");
	walk(table, plies - 1);
	table->game.demanded[SIDE_BLACK] = demanded_at + 1;
	struct message message = message_says(&table->game, NULL, NULL);
	message.has_own = true;
	message.own.move = quiet_move(table);
	run(RULES_MCLINK, &table->game, &message, &decision);
	const struct effect *effect = find(&decision, EFFECT_STATE);
	return effect && effect->termination == TERMINATION_FIFTY_MOVES;
}

/* MC-link 9: a player may demand mate in fifty moves: counted from the demand. */
static void test_demand(void **state)
{
	struct table table;
	struct decision decision;

	(void)state;
	assert_false(drawn_after(&table, 0, 99));
	assert_true(drawn_after(&table, 0, 100));
	assert_false(drawn_after(&table, 20, 119));
	assert_true(drawn_after(&table, 20, 120));

	/* Either player, at any time; the other is told. Elsewhere there is no such thing. */
	table_set(&table, "e2e4");
	struct message message = message_commands(&table.game, SIDE_WHITE, COMMAND_DEMAND_FIFTY);
	run(RULES_MCLINK, &table.game, &message, &decision);
	expect_verdict(&decision, VERDICT_COMMAND);
	expect_int(find(&decision, EFFECT_DEMAND)->demanded[SIDE_WHITE], 2);
	assert_non_null(find_mail(&decision, MAIL_CLAIM, READER_BLACK));
	run(RULES_IECC, &table.game, &message, &decision);
	expect_verdict(&decision, VERDICT_COMMAND_ERROR);
	expect_int(decision.refusal, REFUSAL_OTHER_RULES);
	message = message_says(&table.game, NULL, "e7e5");
	message_adds(&message, COMMAND_DEMAND_FIFTY);
	run(RULES_MCLINK, &table.game, &message, &decision);
	expect_verdict(&decision, VERDICT_ACCEPTED);
	expect_int(find(&decision, EFFECT_DEMAND)->demanded[SIDE_BLACK], 3);
}

/* FIDE 9.1: an offer stands until it is answered; accepting ends the game, and in MC-link waits
 * for the Coordinator (9). */
static void test_agreement(void **state)
{
	struct table table;
	struct decision decision;

	(void)state;
	table_set(&table, "e2e4 e7e5 g1f3");
	struct message accept = message_commands(&table.game, SIDE_BLACK, COMMAND_ACCEPT);
	run(RULES_IECC, &table.game, &accept, &decision);
	expect_verdict(&decision, VERDICT_COMMAND_ERROR);
	expect_int(decision.refusal, REFUSAL_NO_OFFER);
	table.game.draw_offer = OFFER_WHITE;
	run(RULES_IECC, &table.game, &accept, &decision);
	expect_verdict(&decision, VERDICT_COMMAND);
	expect_state(&decision, GAME_FINISHED, RESULT_DRAW, TERMINATION_AGREEMENT);
	expect_int(find_event(&decision, CLOCK_END)->result, RESULT_DRAW);
	assert_non_null(find_mail(&decision, MAIL_RECEIPT, READER_BLACK));
	assert_non_null(find_mail(&decision, MAIL_RESULT, READER_WHITE));

	run(RULES_MCLINK, &table.game, &accept, &decision);
	expect_state(&decision, GAME_SUSPENDED, RESULT_NONE, TERMINATION_NONE);
	expect_int(find(&decision, EFFECT_STATE)->awaiting, AWAITING_AGREEMENT);
	assert_non_null(find_event(&decision, CLOCK_FREEZE));
	assert_non_null(find_mail(&decision, MAIL_CLAIM, READER_ARBITER));

	/* With a move the acceptance counts; without a proof nothing does. */
	struct message both = message_says(&table.game, NULL, "b8c6");
	message_adds(&both, COMMAND_ACCEPT);
	run(RULES_IECC, &table.game, &both, &decision);
	expect_verdict(&decision, VERDICT_COMMAND);
	expect_int(decision.made, 0);
	accept.trust = TRUST_REGISTERED;
	run(RULES_IECC, &table.game, &accept, &decision);
	expect_int(decision.refusal, REFUSAL_UNPROVEN);
	/* His own offer cannot be accepted by himself. */
	table.game.draw_offer = OFFER_BLACK;
	run(RULES_IECC, &table.game, &both, &decision);
	expect_verdict(&decision, VERDICT_ACCEPTED_WITH_WARNING);
	assert_true(has_warning(&decision, WARNING_COMMAND));
}

static void test_decline_and_offer_alone(void **state)
{
	struct table table;
	struct decision decision;

	(void)state;
	table_set(&table, "e2e4 e7e5 g1f3");
	table.game.draw_offer = OFFER_WHITE;
	struct message message = message_commands(&table.game, SIDE_BLACK, COMMAND_DECLINE);
	run(RULES_IECC, &table.game, &message, &decision);
	expect_verdict(&decision, VERDICT_COMMAND);
	expect_int(find(&decision, EFFECT_OFFER)->offer, OFFER_NONE);
	assert_non_null(find_mail(&decision, MAIL_CLAIM, READER_WHITE));
	message = message_commands(&table.game, SIDE_BLACK, COMMAND_DRAW);
	run(RULES_IECC, &table.game, &message, &decision);
	expect_int(decision.refusal, REFUSAL_OFFER_ALONE);
	message_adds(&message, COMMAND_ACCEPT);
	message_adds(&message, COMMAND_DECLINE);
	run(RULES_IECC, &table.game, &message, &decision);
	expect_int(decision.refusal, REFUSAL_CONTRADICTION);
}

/* FIDE 9.2: with the move that makes the third repetition, or when it has just appeared; a
 * claim that does not hold costs nothing and stands as an offer. */
static void test_claims(void **state)
{
	struct table table;
	struct decision decision;

	(void)state;
	table_set(&table, "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1");
	struct message with = message_says(&table.game, NULL, "f6g8");
	message_adds(&with, COMMAND_CLAIM_THREEFOLD);
	run(RULES_IECC, &table.game, &with, &decision);
	expect_verdict(&decision, VERDICT_ACCEPTED);
	expect_state(&decision, GAME_FINISHED, RESULT_DRAW, TERMINATION_THREEFOLD);
	expect_int(decision.made, 1);
	with = message_says(&table.game, NULL, "b8c6");
	message_adds(&with, COMMAND_CLAIM_THREEFOLD);
	run(RULES_IECC, &table.game, &with, &decision);
	expect_verdict(&decision, VERDICT_ACCEPTED_WITH_WARNING);
	assert_true(has_warning(&decision, WARNING_CLAIM));
	expect_int(find(&decision, EFFECT_OFFER)->offer, OFFER_BLACK);
	assert_null(find(&decision, EFFECT_STATE));

	table_play(&table, "f6g8");
	struct message now = message_commands(&table.game, SIDE_WHITE, COMMAND_CLAIM_THREEFOLD);
	run(RULES_RAZSH, &table.game, &now, &decision);
	expect_verdict(&decision, VERDICT_COMMAND);
	expect_state(&decision, GAME_FINISHED, RESULT_DRAW, TERMINATION_THREEFOLD);
	now.by = SIDE_BLACK;
	run(RULES_RAZSH, &table.game, &now, &decision);
	expect_int(decision.refusal, REFUSAL_NOT_YOUR_TURN);
	now = message_commands(&table.game, SIDE_WHITE, COMMAND_CLAIM_FIFTY);
	run(RULES_RAZSH, &table.game, &now, &decision);
	expect_verdict(&decision, VERDICT_COMMAND);
	expect_int(find(&decision, EFFECT_OFFER)->offer, OFFER_WHITE);
	expect_int(decision.matter, MATTER_CLAIM_REJECTED);
	run(RULES_MCLINK, &table.game, &now, &decision);
	expect_int(decision.refusal, REFUSAL_OTHER_RULES);

	table_from(&table, "7k/8/8/8/8/8/R7/K7 w - - 99 100");
	with = message_says(&table.game, NULL, "a2b2");
	message_adds(&with, COMMAND_CLAIM_FIFTY);
	run(RULES_IECC, &table.game, &with, &decision);
	expect_state(&decision, GAME_FINISHED, RESULT_DRAW, TERMINATION_FIFTY_MOVES);
}

/* FIDE 5.1.2: resigning to somebody who cannot mate. RAZSh plays by it (I.3), in IECC the
 * arbiter sees it. Not together with a move. */
static void test_resignation(void **state)
{
	struct table table;
	struct decision decision;

	(void)state;
	table_set(&table, "e2e4");
	struct message message = message_commands(&table.game, SIDE_BLACK, COMMAND_RESIGN);
	run(RULES_IECC, &table.game, &message, &decision);
	expect_verdict(&decision, VERDICT_COMMAND);
	expect_state(&decision, GAME_FINISHED, RESULT_WHITE, TERMINATION_RESIGNATION);
	assert_int_not_equal(decision.can_mate, DRAWS_NO);
	struct message both = message_says(&table.game, NULL, "e7e5");
	message_adds(&both, COMMAND_RESIGN);
	run(RULES_IECC, &table.game, &both, &decision);
	expect_verdict(&decision, VERDICT_COMMAND_ERROR);
	expect_int(decision.refusal, REFUSAL_WITH_MOVE);
	expect_int(decision.n_effects, 1);

	table_from(&table, "7k/8/8/8/8/8/R7/K7 w - - 0 1");
	message = message_commands(&table.game, SIDE_WHITE, COMMAND_RESIGN);
	run(RULES_IECC, &table.game, &message, &decision);
	expect_state(&decision, GAME_FINISHED, RESULT_BLACK, TERMINATION_RESIGNATION);
	expect_int(decision.can_mate, DRAWS_NO);
	assert_true(decision.tell_arbiter);
	run(RULES_RAZSH, &table.game, &message, &decision);
	expect_state(&decision, GAME_FINISHED, RESULT_DRAW, TERMINATION_RESIGNATION);
	table.game.state = GAME_FINISHED;
	run(RULES_IECC, &table.game, &message, &decision);
	expect_int(decision.refusal, REFUSAL_GAME_OVER);
}

/* What the shell carries out: named by its index, and left to it to answer. */
static void test_requests(void **state)
{
	struct table table;
	struct decision decision;

	(void)state;
	table_set(&table, "e2e4");
	struct message message = message_commands(&table.game, SIDE_WHITE, COMMAND_STATUS);
	message.trust = TRUST_REGISTERED;
	run(RULES_IECC, &table.game, &message, &decision);
	expect_verdict(&decision, VERDICT_COMMAND);
	expect_int(decision.request, 0);
	expect_int(decision.n_effects, 0);
	message = message_commands(&table.game, SIDE_WHITE, COMMAND_LEAVE);
	run(RULES_IECC, &table.game, &message, &decision);
	expect_int(decision.refusal, REFUSAL_UNREADABLE);
	message.commands[0].has_period = true;
	run(RULES_IECC, &table.game, &message, &decision);
	expect_int(decision.request, 0);
	run(RULES_MCLINK, &table.game, &message, &decision);
	expect_int(decision.refusal, REFUSAL_OTHER_RULES);
	/* Beside a move it is carried out too. */
	message = message_says(&table.game, NULL, "e7e5");
	message_adds(&message, COMMAND_HELP);
	run(RULES_IECC, &table.game, &message, &decision);
	expect_verdict(&decision, VERDICT_ACCEPTED);
	expect_int(decision.request, 0);
}

/* MC-link 7bis.3, 4.5: faults of form. */
static void test_format(void **state)
{
	struct table table;
	struct decision decision;

	(void)state;
	table_set(&table, "e2e4");
	struct message message = message_says(&table.game, NULL, "e7e5");
	message.format_faults = FORMAT_STATEMENT;
	run(RULES_MCLINK, &table.game, &message, &decision);
	expect_verdict(&decision, VERDICT_ACCEPTED_WITH_WARNING);
	assert_true(find_event(&decision, CLOCK_MOVE)->bad_format);
	message.line_faults = FORMAT_STATEMENT;
	run(RULES_MCLINK, &table.game, &message, &decision);
	expect_verdict(&decision, VERDICT_ACCEPTED);
	assert_false(find_event(&decision, CLOCK_MOVE)->bad_format);
	message.format_faults |= FORMAT_SUBJECT;
	run(RULES_MCLINK, &table.game, &message, &decision);
	expect_verdict(&decision, VERDICT_ACCEPTED_WITH_WARNING);
	message.trust = TRUST_REGISTERED;
	message.format_faults = message.line_faults = 0;
	message.several_own = true;
	run(RULES_MCLINK, &table.game, &message, &decision);
	expect_verdict(&decision, VERDICT_AMBIGUOUS_MOVE);
	assert_false(decision.fault_booked);
	message.trust = TRUST_TOKEN;
	run(RULES_MCLINK, &table.game, &message, &decision);
	expect_verdict(&decision, VERDICT_AMBIGUOUS_MOVE);
	assert_true(find_event(&decision, CLOCK_FAULT)->bad_format);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_endings),
		cmocka_unit_test(test_demand),
		cmocka_unit_test(test_agreement),
		cmocka_unit_test(test_decline_and_offer_alone),
		cmocka_unit_test(test_claims),
		cmocka_unit_test(test_resignation),
		cmocka_unit_test(test_requests),
		cmocka_unit_test(test_format),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

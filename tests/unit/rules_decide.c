/*
 * decide(): what a message does to its game, by the table of verdicts and their costs.
 */
#include "rules/decide.h"
#include "rules/edition.h"

#include <string.h>

#include "core/fen.h"
#include "rules/edition.h"
#include "tests/unit/test.h"

/* A game after 1.e4 e5 unless a case says otherwise; White is to move. */
static struct game game_after(const char *const *moves, size_t n, uint16_t *made)
{
	struct game game = {.state = GAME_ACTIVE};

	game.start = game.now = position_initial();
	for (size_t i = 0; i < n; i++) {
		made[i] = move_from_uci(&game.now, moves[i], strlen(moves[i]));
		assert_int_not_equal(made[i], MOVE_NONE);
		position_make(&game.now, made[i]);
	}
	game.moves = made;
	game.n_moves = n;
	return game;
}

static const char *const two_plies[] = {"e2e4", "e7e5"};

/* What a message says, in few words. */
struct said {
	enum side by;
	int ply; /* -1: of the present position */
	enum repetition repetition;
	const char *own; /* as a player writes it; NULL: no own move */
	bool several;
	enum trust trust;
	enum game_state state;
	bool offer;
};

static struct message message_of(const struct game *game, const struct said *said)
{
	struct message message = {
		.by = said->by,
		.trust = said->trust,
		.sent = 1000,
		.ply = said->ply < 0 ? (unsigned)game->n_moves : (unsigned)said->ply,
		.repetition = said->repetition,
		.has_own = said->own != NULL,
		.several_own = said->several,
		.draw_offer = said->offer,
	};

	if (said->own) {
		unsigned made = (unsigned)game->n_moves;
		struct position position =
			game_position(game, message.ply < made ? message.ply : made);
		move_read(&position, NULL, said->own, strlen(said->own), &message.own);
	}
	return message;
}

static size_t count(const struct decision *decision, enum effect_kind kind)
{
	size_t n = 0;

	for (size_t i = 0; i < decision->n_effects; i++)
		n += decision->effects[i].kind == kind;
	return n;
}

static size_t count_mails(const struct decision *decision, enum mail_kind mail, enum mail_reader to)
{
	size_t n = 0;

	for (size_t i = 0; i < decision->n_effects; i++)
		n += decision->effects[i].kind == EFFECT_MAIL &&
		     decision->effects[i].mail == mail && decision->effects[i].to == to;
	return n;
}

#define W SIDE_WHITE
#define B SIDE_BLACK
#define TOKEN TRUST_TOKEN
#define KNOWN TRUST_REGISTERED
#define ACTIVE GAME_ACTIVE

/* Under IECC, after 1.e4 e5. `fined`: a fault is booked (IECC 7.8). */
static const struct {
	const char *name;
	struct said said;
	enum verdict verdict;
	bool fined;
} iecc_cases[] = {
	{"a move with the right repetition", {W, -1, REPETITION_RIGHT, "Nf3", 0, TOKEN, ACTIVE, 0},
		VERDICT_ACCEPTED, false},
	{"the reply line repeats", {W, -1, REPETITION_LINE, "Nf3", 0, TOKEN, ACTIVE, 0},
		VERDICT_ACCEPTED, false},
	{"no repetition (10.2)", {W, -1, REPETITION_NONE, "Nf3", 0, TOKEN, ACTIVE, 0},
		VERDICT_REPETITION_MISSING, false},
	{"a wrong repetition (10.2)", {W, -1, REPETITION_WRONG, "Nf3", 0, TOKEN, ACTIVE, 0},
		VERDICT_REPETITION_WRONG, false},
	{"the repetition is judged before the move",
		{W, -1, REPETITION_WRONG, "Ke5", 0, TOKEN, ACTIVE, 0}, VERDICT_REPETITION_WRONG,
		false},
	{"an illegal move (7.8)", {W, -1, REPETITION_RIGHT, "Ke3", 0, TOKEN, ACTIVE, 0},
		VERDICT_ILLEGAL_MOVE, true},
	{"an illegal move that nothing proves",
		{W, -1, REPETITION_RIGHT, "Ke3", 0, KNOWN, ACTIVE, 0}, VERDICT_ILLEGAL_MOVE, false},
	{"two different moves", {W, -1, REPETITION_RIGHT, "Nf3", 1, TOKEN, ACTIVE, 0},
		VERDICT_AMBIGUOUS_MOVE, true},
	{"an unreadable move", {W, -1, REPETITION_RIGHT, "Zx9", 0, TOKEN, ACTIVE, 0},
		VERDICT_UNREADABLE_MOVE, false},
	{"a chat", {W, -1, REPETITION_NONE, NULL, 0, TOKEN, ACTIVE, 0}, VERDICT_NO_MOVE, false},
	{"a repetition and no move", {W, -1, REPETITION_RIGHT, NULL, 0, TOKEN, ACTIVE, 0},
		VERDICT_NO_MOVE, false},
	{"the same move again", {W, 0, REPETITION_NONE, "e4", 0, TOKEN, ACTIVE, 0}, VERDICT_REPEAT,
		false},
	{"the same move again when the game is over",
		{W, 0, REPETITION_NONE, "e4", 0, TOKEN, GAME_FINISHED, 0}, VERDICT_REPEAT, false},
	{"another move for a ply that is made", {W, 0, REPETITION_NONE, "d4", 0, TOKEN, ACTIVE, 0},
		VERDICT_STALE_MOVE, false},
	{"the number of a move that is not reached",
		{W, 4, REPETITION_NONE, "Ke3", 0, TOKEN, ACTIVE, 0}, VERDICT_STALE_MOVE, false},
	{"the opponent's turn", {B, -1, REPETITION_RIGHT, "Nf3", 0, TOKEN, ACTIVE, 0},
		VERDICT_NOT_YOUR_TURN, false},
	{"a chat out of turn is a chat", {B, -1, REPETITION_NONE, NULL, 0, TOKEN, ACTIVE, 0},
		VERDICT_NO_MOVE, false},
	{"the game is over", {W, -1, REPETITION_RIGHT, "Nf3", 0, TOKEN, GAME_FINISHED, 0},
		VERDICT_GAME_OVER, false},
	{"the game is suspended", {W, -1, REPETITION_RIGHT, "Nf3", 0, TOKEN, GAME_SUSPENDED, 0},
		VERDICT_HELD, false},
	{"before the start it waits", {W, -1, REPETITION_RIGHT, "Nf3", 0, TOKEN, GAME_SCHEDULED, 0},
		VERDICT_HELD, false},
	{"nothing proves the sender", {W, -1, REPETITION_RIGHT, "Nf3", 0, KNOWN, ACTIVE, 0},
		VERDICT_HELD, false},
	{"his domain proves him",
		{W, -1, REPETITION_RIGHT, "Nf3", 0, TRUST_AUTHENTICATED, ACTIVE, 0},
		VERDICT_ACCEPTED, false},
};

static void test_iecc(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(iecc_cases); i++) {
		const struct rules_context context = {.system = RULES_IECC};
		uint16_t made[2];
		struct game game = game_after(two_plies, 2, made);
		struct decision decision;

		game.state = iecc_cases[i].said.state;
		struct message message = message_of(&game, &iecc_cases[i].said);
		decide(&context, &game, &message, 2000, &decision);
		if (decision.verdict != iecc_cases[i].verdict)
			fail_msg("%s: %s, not %s", iecc_cases[i].name,
				verdict_name(decision.verdict),
				verdict_name(iecc_cases[i].verdict));
		bool accepted = decision.verdict == VERDICT_ACCEPTED;
		if (count(&decision, EFFECT_MOVE) != accepted)
			fail_msg("%s: moves made", iecc_cases[i].name);
		if (decision.fault_booked != iecc_cases[i].fined ||
			count(&decision, EFFECT_CLOCK) !=
				(size_t)accepted + (size_t)iecc_cases[i].fined)
			fail_msg("%s: the clock", iecc_cases[i].name);
		/* Whatever it says, its sender hears of it exactly once. */
		size_t answers = 0;
		for (size_t j = 0; j < decision.n_effects; j++)
			answers +=
				decision.effects[j].kind == EFFECT_MAIL &&
				decision.effects[j].to ==
					(iecc_cases[i].said.by == W ? READER_WHITE : READER_BLACK);
		if (answers != 1)
			fail_msg("%s: %zu answers", iecc_cases[i].name, answers);
	}
}

/* The same faults under the other systems (product, section 3). */
static const struct {
	enum rule_system system;
	struct said said;
	enum verdict verdict;
	bool fined;
} system_cases[] = {
	{RULES_RAZSH, {W, -1, REPETITION_WRONG, "Nf3", 0, TOKEN, ACTIVE, 0},
		VERDICT_REPETITION_WRONG, true},
	{RULES_RAZSH, {W, -1, REPETITION_NONE, "Nf3", 0, TOKEN, ACTIVE, 0},
		VERDICT_REPETITION_MISSING, false},
	{RULES_RAZSH, {W, -1, REPETITION_RIGHT, NULL, 0, TOKEN, ACTIVE, 0}, VERDICT_NO_MOVE, true},
	{RULES_RAZSH, {W, -1, REPETITION_NONE, NULL, 0, TOKEN, ACTIVE, 0}, VERDICT_NO_MOVE, false},
	{RULES_RAZSH_POST, {W, -1, REPETITION_NONE, "Nf3", 0, TOKEN, ACTIVE, 0}, VERDICT_ACCEPTED,
		false},
	{RULES_MCLINK, {W, -1, REPETITION_NONE, "Nf3", 0, TOKEN, ACTIVE, 0}, VERDICT_ACCEPTED,
		false},
	{RULES_RAZSH_POST, {W, 4, REPETITION_NONE, "Nf3", 0, TOKEN, ACTIVE, 0}, VERDICT_STALE_MOVE,
		false},
	{RULES_MCLINK, {W, 4, REPETITION_NONE, "Nf3", 0, TOKEN, ACTIVE, 0}, VERDICT_ACCEPTED,
		false},
	{RULES_MCLINK, {W, -1, REPETITION_WRONG, "Nf3", 0, TOKEN, ACTIVE, 0},
		VERDICT_ACCEPTED_WITH_WARNING, false},
	{RULES_MCLINK, {W, -1, REPETITION_RIGHT, "Ke3", 0, TOKEN, ACTIVE, 0}, VERDICT_ILLEGAL_MOVE,
		false},
};

static void test_systems(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(system_cases); i++) {
		const struct rules_context context = {.system = system_cases[i].system};
		uint16_t made[2];
		struct game game = game_after(two_plies, 2, made);
		struct decision decision;
		struct message message = message_of(&game, &system_cases[i].said);

		decide(&context, &game, &message, 2000, &decision);
		if (decision.verdict != system_cases[i].verdict ||
			decision.fault_booked != system_cases[i].fined)
			fail_msg("case %zu: %s, %s", i, verdict_name(decision.verdict),
				decision.fault_booked ? "fined" : "not fined");
	}
}

static void test_nothing_is_booked_twice(void **state)
{
	const struct said said = {W, -1, REPETITION_RIGHT, "Ke3", 0, TOKEN, ACTIVE, 0};
	struct rules_context context = {.system = RULES_IECC, .fault_seen = true};
	uint16_t made[2];
	struct game game = game_after(two_plies, 2, made);
	struct message message = message_of(&game, &said);
	struct decision decision;

	(void)state;
	decide(&context, &game, &message, 2000, &decision);
	assert_false(decision.fault_booked);
	expect_int(count_mails(&decision, MAIL_REFUSAL, READER_WHITE), 1);

	/* Beyond the daily cap nothing is booked or answered, and the arbiter is told. */
	context.fault_seen = false;
	context.answers_capped = true;
	decide(&context, &game, &message, 2000, &decision);
	assert_false(decision.fault_booked);
	expect_int(count_mails(&decision, MAIL_REFUSAL, READER_WHITE), 0);
	expect_int(count_mails(&decision, MAIL_COPY, READER_ARBITER), 1);
}

static void test_the_reply_line_where_it_must_be_typed(void **state)
{
	const struct said said = {W, -1, REPETITION_LINE, "Nf3", 0, TOKEN, ACTIVE, 0};
	const struct rules_context context = {.system = RULES_IECC, .repetition_typed = true};
	uint16_t made[2];
	struct game game = game_after(two_plies, 2, made);
	struct message message = message_of(&game, &said);
	struct decision decision;

	(void)state;
	decide(&context, &game, &message, 2000, &decision);
	expect_int(decision.verdict, VERDICT_REPETITION_MISSING);
}

static void test_thematic_moves_need_no_repetition(void **state)
{
	const struct said without = {W, -1, REPETITION_NONE, "Nf3", 0, TOKEN, ACTIVE, 0};
	const struct said wrong = {W, -1, REPETITION_WRONG, "Nf3", 0, TOKEN, ACTIVE, 0};
	const struct rules_context context = {.system = RULES_IECC};
	uint16_t made[2];
	struct game game = game_after(two_plies, 2, made);
	struct decision decision;

	(void)state;
	game.n_thematic = 2;
	struct message message = message_of(&game, &without);
	decide(&context, &game, &message, 2000, &decision);
	expect_int(decision.verdict, VERDICT_ACCEPTED_WITH_WARNING);
	expect_int(decision.warnings[0], WARNING_REPETITION_MISSING);
	message = message_of(&game, &wrong);
	decide(&context, &game, &message, 2000, &decision);
	expect_int(decision.verdict, VERDICT_REPETITION_WRONG);
}

static void test_mate_ends_the_game(void **state)
{
	static const char *const moves[] = {"f2f3", "e7e5", "g2g4"};
	const struct said said = {B, -1, REPETITION_RIGHT, "Qh4", 0, TOKEN, ACTIVE, 0};
	const struct rules_context context = {.system = RULES_IECC};
	uint16_t made[3];
	struct game game = game_after(moves, 3, made);
	struct message message = message_of(&game, &said);
	struct decision decision;

	(void)state;
	decide(&context, &game, &message, 2000, &decision);
	expect_int(decision.verdict, VERDICT_ACCEPTED);
	expect_int(count(&decision, EFFECT_STATE), 1);
	for (size_t i = 0; i < decision.n_effects; i++)
		if (decision.effects[i].kind == EFFECT_STATE) {
			expect_int(decision.effects[i].state, GAME_FINISHED);
			expect_int(decision.effects[i].result, RESULT_BLACK);
			expect_int(decision.effects[i].termination, TERMINATION_CHECKMATE);
		}
	/* The move is relayed all the same, and each of the three gets the result. */
	expect_int(count_mails(&decision, MAIL_MOVE, READER_WHITE), 1);
	expect_int(count_mails(&decision, MAIL_RECEIPT, READER_BLACK), 1);
	expect_int(count_mails(&decision, MAIL_COPY, READER_ARBITER), 1);
	expect_int(count_mails(&decision, MAIL_RESULT, READER_WHITE), 1);
	expect_int(count_mails(&decision, MAIL_RESULT, READER_BLACK), 1);
	expect_int(count_mails(&decision, MAIL_RESULT, READER_ARBITER), 1);
}

/* FIDE 5.2.2: no mate can come of the material. MC-link's Coordinator declares it. */
static void test_dead_positions(void **state)
{
	static const struct {
		const char *fen, *own;
		enum rule_system system;
		enum termination termination;
	} cases[] = {
		{"8/8/8/8/8/8/4q3/4K1k1 w - - 0 50", "Kxe2", RULES_IECC, TERMINATION_DEAD_POSITION},
		{"8/8/8/8/8/8/4q3/4K1k1 w - - 0 50", "Kxe2", RULES_MCLINK, TERMINATION_NONE},
		{"8/8/8/8/8/b7/4q3/4K1k1 w - - 0 50", "Kxe2", RULES_RAZSH,
			TERMINATION_DEAD_POSITION},
		{"8/8/8/8/8/r7/4q3/4K1k1 w - - 0 50", "Kxe2", RULES_IECC, TERMINATION_NONE},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct said said = {
			W, -1, REPETITION_LINE, cases[i].own, 0, TOKEN, ACTIVE, 0};
		const struct rules_context context = {.system = cases[i].system};
		struct game game = {.state = GAME_ACTIVE};
		struct decision decision;

		size_t at;

		expect_int(
			fen_parse(cases[i].fen, strlen(cases[i].fen), &game.start, &at), FEN_FINE);
		game.now = game.start;
		struct message message = message_of(&game, &said);
		decide(&context, &game, &message, 2000, &decision);
		enum termination got = TERMINATION_NONE;
		for (size_t k = 0; k < decision.n_effects; k++)
			if (decision.effects[k].kind == EFFECT_STATE)
				got = decision.effects[k].termination;
		expect_int(got, cases[i].termination);
	}
}

static enum draw_offer offer_after_in(int edition, struct game *game, const struct said *said)
{
	const struct rules_context context = {.system = RULES_IECC, .edition = edition};
	struct message message = message_of(game, said);
	struct decision decision;
	enum draw_offer offer = game->draw_offer;

	decide(&context, game, &message, 2000, &decision);
	for (size_t i = 0; i < decision.n_effects; i++)
		if (decision.effects[i].kind == EFFECT_OFFER)
			offer = decision.effects[i].offer;
	return offer;
}

static enum draw_offer offer_after(struct game *game, const struct said *said)
{
	return offer_after_in(0, game, said);
}

/* FIDE 9.1: an offer comes with a move, stands until the opponent moves, and both must have
 * made a move before. */
static void test_draw_offers(void **state)
{
	const struct said with = {W, -1, REPETITION_RIGHT, "Nf3", 0, TOKEN, ACTIVE, 1};
	const struct said without = {W, -1, REPETITION_RIGHT, "Nf3", 0, TOKEN, ACTIVE, 0};
	const struct said first = {W, -1, REPETITION_NONE, "e4", 0, TOKEN, ACTIVE, 1};
	uint16_t made[2];
	struct game game = game_after(two_plies, 2, made);

	(void)state;
	expect_int(offer_after(&game, &with), OFFER_WHITE);
	game.draw_offer = OFFER_BLACK;
	expect_int(offer_after(&game, &without), OFFER_NONE);
	expect_int(offer_after(&game, &with), OFFER_WHITE);
	/* One's own cannot be taken back: the opponent's stored reply has passed it over. */
	game.draw_offer = OFFER_WHITE;
	expect_int(offer_after(&game, &without), OFFER_WHITE);
	expect_int(offer_after_in(EDITION_FIRST, &game, &without), OFFER_NONE);
	game = game_after(two_plies, 0, made);
	expect_int(offer_after(&game, &first), OFFER_NONE);
}

static void test_start_and_overstep(void **state)
{
	const struct rules_context context = {.system = RULES_IECC};
	uint16_t made[2];
	struct game game = game_after(two_plies, 0, made);
	struct decision decision;

	(void)state;
	game.state = GAME_SCHEDULED;
	decide_start(&context, &game, 500, &decision);
	expect_int(count(&decision, EFFECT_CLOCK), 1);
	expect_int(count_mails(&decision, MAIL_PAIRING, READER_WHITE), 1);
	expect_int(count_mails(&decision, MAIL_PAIRING, READER_BLACK), 1);

	/* IECC 7.10: suspended, never lost by itself; arbiter and both players are told. */
	game.state = GAME_ACTIVE;
	decide_overstep(&context, &game, 900, &decision);
	expect_int(decision.effects[0].state, GAME_SUSPENDED);
	expect_int(decision.effects[0].result, RESULT_NONE);
	expect_int(count_mails(&decision, MAIL_OVERSTEP, READER_ARBITER), 1);
	expect_int(count_mails(&decision, MAIL_OVERSTEP, READER_WHITE), 1);
	expect_int(count_mails(&decision, MAIL_OVERSTEP, READER_BLACK), 1);
}

static void test_names(void **state)
{
	(void)state;
	for (int i = VERDICT_NONE + 1; i <= VERDICT_ACCEPTED_WITH_WARNING; i++)
		expect_int(verdict_find(verdict_name((enum verdict)i)), i);
	expect_int(verdict_find("perhaps"), VERDICT_NONE);
	for (int i = 0; i < MAIL_KINDS; i++)
		expect_int(mail_kind_find(mail_kind_name((enum mail_kind)i)), i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_iecc),
		cmocka_unit_test(test_systems),
		cmocka_unit_test(test_nothing_is_booked_twice),
		cmocka_unit_test(test_the_reply_line_where_it_must_be_typed),
		cmocka_unit_test(test_thematic_moves_need_no_repetition),
		cmocka_unit_test(test_mate_ends_the_game),
		cmocka_unit_test(test_dead_positions),
		cmocka_unit_test(test_draw_offers),
		cmocka_unit_test(test_start_and_overstep),
		cmocka_unit_test(test_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

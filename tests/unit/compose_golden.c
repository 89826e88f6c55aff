/*
 * One mail of each kind, compared with tests/golden/en/NAME.eml-text: headers and the body
 * as the reader sees it. After a change that is meant, run this program with the folder
 * tests/golden as its argument: it writes the files anew; then look at the difference.
 */
#include "tests/unit/test.h"

#include <string.h>

#include "tests/unit/compose_compare.h"
#include "tests/unit/compose_facts.h"

static void move_to_black(void **state)
{
	struct sample sample;

	(void)state;
	sample_init(&sample, 19, false);
	sample.facts.kind = MAIL_MOVE;
	sample.facts.verdict = VERDICT_ACCEPTED;
	sample.game.draw_offer = OFFER_WHITE;
	sample.facts.copies = true;
	sample.facts.words = "Hello Bruno,\n\nnice game! Write to me at anna@example.net.\n\n";
	sample.facts.references = "<first@club.example>";
	sample.facts.in_reply_to = "second@club.example";
	sample_compare(&sample, "move");
	/* With another notation, from another address and with a penalty. */
	sample.players[1].notation = "iccf";
	sample.facts.marked_address = "stranger@example.com";
	sample.facts.words = NULL;
	sample_compare(&sample, "move-iccf");
	sample_release(&sample);
}

static void pairings(void **state)
{
	struct sample sample;

	(void)state;
	sample_init(&sample, 0, true);
	sample.facts.kind = MAIL_PAIRING;
	sample.facts.received = INSTANT_NONE;
	sample_compare(&sample, "pairing-white");
	sample_reader(&sample, READER_BLACK);
	sample_compare(&sample, "pairing-black");
	sample_release(&sample);
}

static void receipts(void **state)
{
	static const enum decision_warning warnings[] = {WARNING_FALLBACK, WARNING_NUMBER,
		WARNING_CONTINUATION, WARNING_MARK, WARNING_OTHER_LETTERS,
		WARNING_REPETITION_MISSING, WARNING_COMMAND};
	struct sample sample;

	(void)state;
	sample_init(&sample, 19, false);
	sample_reader(&sample, READER_WHITE);
	sample_message(&sample, 18, "9... Ne5 10. Qe2 draw?", "Qe2");
	sample.facts.kind = MAIL_RECEIPT;
	sample.facts.verdict = VERDICT_ACCEPTED;
	sample.facts.answered_message_id = "abc@example.net";
	sample_compare(&sample, "receipt");
	sample.facts.verdict = VERDICT_ACCEPTED_WITH_WARNING;
	sample.facts.warnings = warnings;
	sample.facts.n_warnings = ARRAY_SIZE(warnings);
	sample_compare(&sample, "receipt-warnings");
	sample.facts.verdict = VERDICT_REPEAT;
	sample.facts.n_warnings = 0;
	sample_compare(&sample, "receipt-repeat");
	sample.facts.verdict = VERDICT_HELD;
	sample.game.state = GAME_SUSPENDED;
	sample_compare(&sample, "receipt-held");
	sample_release(&sample);
}

static void copy_to_arbiter(void **state)
{
	struct sample sample;

	(void)state;
	sample_init(&sample, 19, false);
	sample_reader(&sample, READER_ARBITER);
	sample.facts.kind = MAIL_COPY;
	sample.facts.verdict = VERDICT_ACCEPTED;
	sample_compare(&sample, "copy");
	sample_message(&sample, 19, "10. Qe2 Nzz", "Nzz");
	sample.facts.verdict = VERDICT_UNREADABLE_MOVE;
	sample_compare(&sample, "copy-unreadable");
	sample_release(&sample);
}

static void refusals(void **state)
{
	static const struct {
		const char *name, *text, *move, *article;
		enum verdict verdict;
		int penalty;
	} cases[] = {
		{"illegal", "10. Qe2 Nc5", "Nc5", "IECC 7.8", VERDICT_ILLEGAL_MOVE, 1},
		{"ambiguous", "10. Qe2 Ng6", "Ng6", "IECC 7.8", VERDICT_AMBIGUOUS_MOVE, 1},
		{"unreadable", "10. Qe2 Nzz", "Nzz", "IECC 10.1", VERDICT_UNREADABLE_MOVE, 0},
		{"no-move", "How are you?", NULL, NULL, VERDICT_NO_MOVE, 0},
		{"repetition-missing", "N7g6", "N7g6", "IECC 10.2", VERDICT_REPETITION_MISSING, 0},
		{"repetition-wrong", "10. Qe1 N7g6", "N7g6", "IECC 10.2", VERDICT_REPETITION_WRONG,
			0},
		{"not-your-turn", "10. Qe2", NULL, NULL, VERDICT_NOT_YOUR_TURN, 0},
		{"stale-move", "3. Bc4 b6", NULL, NULL, VERDICT_STALE_MOVE, 0},
		{"game-over", "10. Qe2 N7g6", NULL, NULL, VERDICT_GAME_OVER, 0},
		{"command-error", "resign", NULL, NULL, VERDICT_COMMAND_ERROR, 0},
	};
	struct sample sample;

	(void)state;
	sample_init(&sample, 19, true);
	sample.facts.kind = MAIL_REFUSAL;
	sample.facts.now = sample_instant(40, 0);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char name[64];
		sample_message(&sample, 19, cases[i].text, cases[i].move);
		if (cases[i].verdict == VERDICT_REPETITION_WRONG) {
			sample.message.repetition = REPETITION_WRONG;
			sample.message.repetition_text = (struct excerpt){0, 7};
		}
		sample.game.state = GAME_ACTIVE;
		if (cases[i].verdict == VERDICT_GAME_OVER) {
			sample.game.state = GAME_FINISHED;
			sample.game.result = RESULT_WHITE;
		}
		sample_reader(&sample,
			cases[i].verdict == VERDICT_NOT_YOUR_TURN ? READER_WHITE : READER_BLACK);
		sample.facts.verdict = cases[i].verdict;
		sample.facts.article = cases[i].article;
		sample.facts.penalty_days = cases[i].penalty;
		sample.facts.words = cases[i].verdict == VERDICT_NO_MOVE ? cases[i].text : NULL;
		(void)snprintf(name, sizeof(name), "refusal-%s", cases[i].name);
		sample_compare(&sample, name);
	}
	/* About no game: nothing of any game is said. */
	sample.facts.event = NULL;
	sample.facts.game = NULL;
	sample.facts.clock = NULL;
	sample.facts.token = NULL;
	sample.facts.players[0] = sample.facts.players[1] = NULL;
	sample.facts.verdict = VERDICT_UNKNOWN_GAME;
	sample_compare(&sample, "refusal-unknown-game");
	sample.facts.verdict = VERDICT_AMBIGUOUS_GAME;
	sample_compare(&sample, "refusal-ambiguous-game");
	sample_release(&sample);
}

static void result(void **state)
{
	struct sample sample;

	(void)state;
	sample_init(&sample, 20, false);
	sample.facts.kind = MAIL_RESULT;
	sample.game.state = GAME_FINISHED;
	sample.game.result = RESULT_WHITE;
	sample.game.termination = TERMINATION_CHECKMATE;
	sample_compare(&sample, "result");
	sample_release(&sample);
}

static void confirm(void **state)
{
	struct sample sample;

	(void)state;
	sample_init(&sample, 19, true);
	sample_message(&sample, 19, "10. Qe2 N7g6", "N7g6");
	sample.facts.kind = MAIL_CONFIRM;
	sample.facts.verdict = VERDICT_HELD;
	sample_compare(&sample, "confirm");
	sample_release(&sample);
}

static void oversteps(void **state)
{
	struct sample sample;

	(void)state;
	sample_init(&sample, 19, true);
	sample.facts.kind = MAIL_OVERSTEP;
	sample.facts.received = INSTANT_NONE;
	sample.facts.now = sample_instant(49, 0);
	sample.facts.reminded = sample_instant(44, 0);
	clock_advance(sample.clock, sample.facts.now);
	assert_non_null(clock_overstep(sample.clock));
	sample.game.state = GAME_SUSPENDED;
	sample_reader(&sample, READER_ARBITER);
	sample_compare(&sample, "overstep-arbiter");
	sample_reader(&sample, READER_BLACK);
	sample_compare(&sample, "overstep-late");
	sample_reader(&sample, READER_WHITE);
	sample_compare(&sample, "overstep-waiting");
	sample_release(&sample);
}

static void bounce_notices(void **state)
{
	struct sample sample;

	(void)state;
	sample_init(&sample, 19, false);
	sample_reader(&sample, READER_WHITE);
	sample.facts.kind = MAIL_BOUNCE_NOTICE;
	sample.facts.bounced_subject = "[KO-50.2 #1] 10. Qe2";
	sample.facts.bounced_reason = "550 5.1.1 <bruno@example.org>: no such user\nin this domain";
	sample.facts.bounced_player = "Rossi, Bruno";
	sample.facts.bounced_side = SIDE_BLACK;
	sample_compare(&sample, "bounce-notice");
	sample_reader(&sample, READER_ARBITER);
	sample_compare(&sample, "bounce-notice-arbiter");
	sample_release(&sample);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(move_to_black),
		cmocka_unit_test(pairings),
		cmocka_unit_test(receipts),
		cmocka_unit_test(copy_to_arbiter),
		cmocka_unit_test(refusals),
		cmocka_unit_test(result),
		cmocka_unit_test(confirm),
		cmocka_unit_test(oversteps),
		cmocka_unit_test(bounce_notices),
		/* The last: what the others have collected. */
		cmocka_unit_test(sample_compare_collections),
	};
	sample_regenerate = argc > 1 ? argv[1] : NULL;
	sample_group = "basic";
	return cmocka_run_group_tests(tests, NULL, NULL);
}

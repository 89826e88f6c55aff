/*
 * The kinds of mail that are about no single move: status, help, bulletin, announcements,
 * changes of address, the lotto, orders of the arbiter, alerts; and what reports hold beside
 * the game. Compared with tests/golden; see compose_golden.c.
 */
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/compose_compare.h"
#include "tests/unit/compose_facts.h"

/* The mail is about no game. */
static void forget_game(struct sample *sample)
{
	struct compose_facts *facts = &sample->facts;

	facts->to = sample->players[1].address;
	facts->to_name = sample->players[1].name;
	facts->language = "en";
	facts->zone = sample->players[1].zone;
	facts->token = NULL;
	facts->event = NULL;
	facts->players[0] = facts->players[1] = NULL;
	facts->game = NULL;
	facts->clock = NULL;
	facts->received = INSTANT_NONE;
}

static struct compose_game game_of(const struct sample *sample, enum mail_reader reader)
{
	return (struct compose_game){.event = &sample->event,
		.players = {&sample->players[0], &sample->players[1]},
		.number = 7,
		.game = &sample->game,
		.clock = sample->clock,
		.reader = reader,
		.deadline = clock_overstep_at(sample->clock)};
}

static void status(void **state)
{
	struct sample iecc, razsh, mclink, over, next;

	(void)state;
	sample_init(&iecc, 19, true);
	sample_init_rules(&razsh, RULES_RAZSH, 4, true);
	sample_init_rules(&mclink, RULES_MCLINK, 5, true);
	sample_init(&over, 20, true);
	over.game.state = GAME_FINISHED;
	over.game.result = RESULT_DRAW;
	over.game.termination = TERMINATION_AGREEMENT;
	sample_init(&next, 0, false);
	next.game.state = GAME_SCHEDULED;
	iecc.game.draw_offer = OFFER_WHITE;
	const struct compose_game games[] = {
		game_of(&iecc, READER_BLACK),
		game_of(&razsh, READER_BLACK),
		game_of(&mclink, READER_BLACK),
		game_of(&over, READER_WHITE),
		game_of(&next, READER_WHITE),
	};
	forget_game(&iecc);
	iecc.facts.kind = MAIL_STATUS;
	iecc.facts.verdict = VERDICT_COMMAND;
	iecc.facts.games = games;
	iecc.facts.n_games = ARRAY_SIZE(games);
	sample_compare(&iecc, "status");
	iecc.facts.n_games = 0;
	sample_compare(&iecc, "status-none");
	iecc.facts.kind = MAIL_HELP;
	sample_compare(&iecc, "help");
	sample_release(&iecc);
	sample_release(&razsh);
	sample_release(&mclink);
	sample_release(&over);
	sample_release(&next);
}

static void break_form(struct sample *sample, int days)
{
	struct clock_event event = CLOCK_EVENT_NONE;
	struct clock_answer answer;

	event.kind = CLOCK_FAULT;
	event.by = SIDE_BLACK;
	event.at = sample_instant(days, 120);
	event.fault = FAULT_AMBIGUOUS;
	event.bad_format = true;
	expect_int(clock_apply(sample->clock, &event, &answer), 0);
}

static void bulletins(void **state)
{
	struct leave_outcome granted = {
		.granted = true, .hours = 240, .from = DATE_NONE, .to = DATE_NONE};
	struct leave_outcome refused = {.reasons = STOP_TOO_LITTLE_TIME | STOP_INTERVAL,
		.from = DATE_NONE,
		.to = DATE_NONE};
	const struct compose_leave leaves[] = {
		{.command = COMMAND_STOP,
			.game = "KO-50.2/7",
			.player = "Virtanen, \xc3\x84nna",
			.outcome = &granted,
			.start = sample_instant(20, 0),
			.end = sample_instant(30, 0)},
		{.command = COMMAND_STOP,
			.game = "KO-50.2/8",
			.player = "Rossi, Bruno",
			.outcome = &refused,
			.start = sample_instant(20, 0),
			.end = sample_instant(30, 0),
			.reason = "Illness is no ground here: the manche ends tomorrow."},
	};
	const struct compose_note notes[] = {{.game = "KO-50.2/8",
		.at = sample_instant(11, 0),
		.text = "The time-out is put aside; the game goes on."}};
	struct sample running, ended;
	struct compose_bulletin bulletin = {
		.number = 3, .from = sample_instant(7, 0), .next = sample_instant(21, 0)};

	(void)state;
	sample_init_rules(&running, RULES_MCLINK, 5, true);
	for (int day = 11; day < 14; day++)
		break_form(&running, day);
	sample_init_rules(&ended, RULES_MCLINK, 8, true);
	ended.game.state = GAME_FINISHED;
	ended.game.result = RESULT_WHITE;
	ended.game.termination = TERMINATION_TIME;
	struct compose_game games[] = {
		game_of(&running, READER_PUBLIC), game_of(&ended, READER_PUBLIC)};
	games[0].since = 3;
	games[1].since = 8;
	games[1].number = 8;
	games[1].ended = true;
	games[1].code = "00A8";
	games[1].deadline = INSTANT_NONE;
	forget_game(&running);
	running.facts.event = &running.event;
	sample_reader(&running, READER_PUBLIC);
	running.facts.now = sample_instant(14, 0);
	running.facts.kind = MAIL_BULLETIN;
	running.facts.bulletin = &bulletin;
	running.facts.games = games;
	running.facts.n_games = 2;
	running.facts.leaves = leaves;
	running.facts.n_leaves = 2;
	running.facts.notes = notes;
	running.facts.n_notes = 1;
	sample_compare(&running, "mclink-bulletin");
	/* The first one, of an event in which nothing has happened. */
	bulletin =
		(struct compose_bulletin){.number = 1, .from = INSTANT_NONE, .next = INSTANT_NONE};
	running.facts.n_games = running.facts.n_leaves = running.facts.n_notes = 0;
	sample_compare(&running, "mclink-bulletin-first");
	sample_release(&running);
	sample_release(&ended);
}

/* Of other rules: leave that was granted, begins, ends, was taken back. */
static void bulletin_of_leave(void **state)
{
	struct leave_outcome outcomes[4];
	struct compose_leave leaves[4];
	struct compose_bulletin bulletin = {
		.number = 2, .from = sample_instant(7, 0), .next = INSTANT_NONE};
	struct sample sample;

	(void)state;
	for (int i = 0; i < 4; i++) {
		outcomes[i] = (struct leave_outcome){.granted = true,
			.from = date_from_civil(2026, 1, (unsigned)(10 + 3 * i)),
			.to = i < 3 ? date_from_civil(2026, 1, (unsigned)(12 + 3 * i)) : DATE_NONE};
		leaves[i] = (struct compose_leave){
			.command = i < 3 ? COMMAND_LEAVE : COMMAND_END_LEAVE,
			.player = i % 2 ? "Rossi, Bruno" : "Virtanen, \xc3\x84nna",
			.outcome = &outcomes[i],
			.start = INSTANT_NONE,
			.end = INSTANT_NONE,
			.begun = i < 2,
			.over = i < 1,
		};
	}
	sample_init_rules(&sample, RULES_RAZSH, 5, true);
	const struct compose_game games[] = {game_of(&sample, READER_PUBLIC)};
	forget_game(&sample);
	sample.facts.event = &sample.event;
	sample.facts.now = sample_instant(14, 0);
	sample.facts.kind = MAIL_BULLETIN;
	sample.facts.bulletin = &bulletin;
	sample.facts.games = games;
	sample.facts.n_games = 1;
	sample.facts.leaves = leaves;
	sample.facts.n_leaves = 4;
	sample_compare(&sample, "razsh-bulletin");
	sample_release(&sample);
}

static void command(struct sample *sample, enum command kind)
{
	sample_message(sample, sample->game.n_moves, "(the command)", NULL);
	sample->message.n_commands = 1;
	sample->message.commands[0] = (struct stated_command){.kind = kind, .line = {0, 13}};
}

static void addresses(void **state)
{
	struct sample sample;

	(void)state;
	sample_init(&sample, 19, true);
	sample.facts.new_address = "bruno@new.example";
	sample.facts.old_address = "bruno@example.org";
	sample.facts.address_of = SIDE_BLACK;
	sample.facts.verdict = VERDICT_COMMAND;
	sample.facts.kind = MAIL_RECEIPT;
	command(&sample, COMMAND_ADDRESS);
	sample_decide(&sample, MATTER_NONE, NULL);
	sample_compare(&sample, "address-asked");
	sample.facts.address_done = true;
	sample_compare(&sample, "address-changed");
	sample.facts.address_done = false;
	sample.facts.verdict = VERDICT_HELD;
	sample.facts.kind = MAIL_CONFIRM;
	sample_compare(&sample, "address-confirm-old");
	sample.facts.to_new_address = true;
	sample_compare(&sample, "address-confirm-new");

	/* IECC 3.5: an opponent is not shown it, the arbiter is. */
	sample.facts.kind = MAIL_ANNOUNCEMENT;
	sample.facts.verdict = VERDICT_NONE;
	sample_reader(&sample, READER_WHITE);
	sample_compare(&sample, "address-opponent");
	sample_reader(&sample, READER_ARBITER);
	sample_compare(&sample, "address-arbiter");
	sample_reader(&sample, READER_BLACK);
	sample.facts.kind = MAIL_RULING;
	sample.facts.order = ORDER_ACCEPT_ADDRESS;
	sample.facts.order_side = SIDE_BLACK;
	sample_compare(&sample, "address-accepted");
	sample_release(&sample);
	/* RAZSh 1.2: partners write to each other. */
	sample_init_rules(&sample, RULES_RAZSH, 19, true);
	sample.facts.new_address = "bruno@new.example";
	sample.facts.old_address = "bruno@example.org";
	sample.facts.address_of = SIDE_BLACK;
	sample.facts.kind = MAIL_ANNOUNCEMENT;
	sample_reader(&sample, READER_WHITE);
	sample_compare(&sample, "razsh-address-opponent");
	sample_release(&sample);
}

static void services(void **state)
{
	struct sample sample;

	(void)state;
	sample_init(&sample, 19, true);
	sample.facts.kind = MAIL_RECEIPT;
	sample.facts.verdict = VERDICT_COMMAND;
	sample_decide(&sample, MATTER_NONE, NULL);
	command(&sample, COMMAND_LANGUAGE);
	sample.facts.service_value = "suomi";
	sample_compare(&sample, "service-language");
	command(&sample, COMMAND_NOTATION);
	sample.facts.service_value = "san-fi";
	sample_compare(&sample, "service-notation");
	command(&sample, COMMAND_RESEND);
	sample_compare(&sample, "service-resend");
	sample_release(&sample);
}

static void consents(void **state)
{
	static const struct {
		const char *name;
		enum compose_consent consent;
		bool granted;
	} cases[] = {
		{"consent-agreed", CONSENT_AGREED, true},
		{"consent-refused", CONSENT_REFUSED, false},
		{"consent-approved", CONSENT_APPROVED, true},
		{"consent-denied", CONSENT_DENIED, false},
	};
	struct sample sample;

	(void)state;
	sample_init(&sample, 19, true);
	sample.facts.kind = MAIL_LEAVE;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct leave_outcome outcome = {.granted = cases[i].granted,
			.reason = cases[i].granted ? NULL : "opponent has not agreed",
			.from = date_from_civil(2026, 3, 1),
			.to = date_from_civil(2026, 5, 1),
			.total = 62};
		const struct compose_leave leave = {.command = COMMAND_LEAVE,
			.by = SIDE_BLACK,
			.game = "KO-50.2/1",
			.outcome = &outcome,
			.start = INSTANT_NONE,
			.end = INSTANT_NONE};
		sample_decide(&sample, MATTER_LEAVE, NULL);
		sample.facts.consent = cases[i].consent;
		sample.facts.leaves = &leave;
		sample.facts.n_leaves = 1;
		sample_compare(&sample, cases[i].name);
	}
	sample_release(&sample);
}

static void entered(void **state)
{
	static const char *const addresses[] = {"bruno@new.example", "rossi@work.example"};
	static const char *const gone[] = {"bruno@example.org"};
	const struct leave_outcome outcomes[] = {
		{.granted = true,
			.from = date_from_civil(2026, 3, 1),
			.to = date_from_civil(2026, 3, 14),
			.total = 14},
		{.reasons = STOP_NOTICE, .from = DATE_NONE, .to = DATE_NONE},
	};
	const struct compose_leave leaves[] = {
		{.command = COMMAND_LEAVE,
			.game = "KO-50.2/7",
			.player = "Rossi, Bruno",
			.outcome = &outcomes[0],
			.start = INSTANT_NONE,
			.end = INSTANT_NONE},
		{.command = COMMAND_STOP,
			.game = "ML-1/3",
			.player = "Rossi, Bruno",
			.outcome = &outcomes[1],
			.start = sample_instant(20, 0),
			.end = sample_instant(30, 0)},
	};
	const struct compose_change change = {
		.addresses = addresses,
		.n_addresses = ARRAY_SIZE(addresses),
		.gone = gone,
		.n_gone = ARRAY_SIZE(gone),
		.timezone = "America/Havana",
		.language = "it",
		.notation = "san-it",
	};
	struct sample running, over;

	(void)state;
	sample_init(&running, 19, true);
	sample_init(&over, 20, true);
	over.game.state = GAME_FINISHED;
	over.game.result = RESULT_WHITE;
	over.game.termination = TERMINATION_FORFEIT;
	const struct compose_game games[] = {
		game_of(&running, READER_BLACK), game_of(&over, READER_WHITE)};
	forget_game(&running);
	running.facts.kind = MAIL_LEAVE;
	running.facts.entered = ENTERED_LEAVE;
	running.facts.leaves = leaves;
	running.facts.n_leaves = ARRAY_SIZE(leaves);
	running.facts.games = games;
	running.facts.n_games = 1;
	sample_compare(&running, "entered-leave");
	running.facts.kind = MAIL_ANNOUNCEMENT;
	running.facts.entered = ENTERED_WITHDRAWAL;
	running.facts.n_leaves = 0;
	running.facts.n_games = ARRAY_SIZE(games);
	sample_compare(&running, "entered-withdrawal");
	running.facts.entered = ENTERED_CHANGE;
	running.facts.n_games = 0;
	running.facts.change = &change;
	sample_compare(&running, "entered-change");
	sample_release(&running);
	sample_release(&over);
}

static void orders(void **state)
{
	static const struct {
		const char *name;
		enum compose_order order;
	} cases[] = {
		{"order-move", ORDER_MOVE},
		{"order-mobile-on", ORDER_MOBILE_ON},
		{"order-mobile-off", ORDER_MOBILE_OFF},
		{"order-corrected", ORDER_CORRECTED},
	};
	struct sample sample;

	(void)state;
	sample_init(&sample, 19, true);
	sample.facts.kind = MAIL_RULING;
	sample.facts.author = "Director, Tarmo";
	sample.facts.reason = "The mail was sent in time; see my letter of 1 March.\n\n"
			      "Write to td@club.example if you object.";
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		sample.facts.order = cases[i].order;
		sample.facts.order_side = SIDE_WHITE;
		sample_compare(&sample, cases[i].name);
	}
	sample_release(&sample);
}

static void announcements(void **state)
{
	static const struct {
		const char *name;
		enum after_draw after;
		int drawn;
	} cases[] = {
		{"mclink-lotto", AFTER_DRAW_LOTTO, 0},
		{"mclink-lotto-drawn", AFTER_DRAW_LOTTO, 52},
		{"mclink-lotto-reversed", AFTER_DRAW_REVERSED, 0},
		{"mclink-lotto-again", AFTER_DRAW_AGAIN, 0},
		{"mclink-lotto-shared", AFTER_DRAW_SHARED, 0},
	};
	struct sample sample;

	(void)state;
	sample_init_rules(&sample, RULES_MCLINK, 19, true);
	sample.facts.kind = MAIL_ANNOUNCEMENT;
	sample.game.state = GAME_FINISHED;
	sample.game.result = RESULT_DRAW;
	sample.game.termination = TERMINATION_AGREEMENT;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct compose_lotto lotto = {.after = cases[i].after,
			.drawn = cases[i].drawn,
			.lotto = lotto_draw(1, 0, cases[i].drawn ? cases[i].drawn : 1),
			.before = {1, 0}};
		sample.facts.lotto = &lotto;
		sample_compare(&sample, cases[i].name);
	}
	sample_release(&sample);

	/* To all players of an event, about no game. */
	sample_init(&sample, 19, true);
	forget_game(&sample);
	sample.facts.event = &sample.event;
	sample.facts.kind = MAIL_ANNOUNCEMENT;
	sample.facts.author = "Director, Tarmo";
	sample.facts.announcement = "The next round begins on 1 May.\n\nHappy Easter!";
	sample_compare(&sample, "announcement");
	sample_release(&sample);
}

static void alerts(void **state)
{
	static const char *const names[] = {
		[ALERT_UNPARSABLE] = "unparsable",
		[ALERT_MAILBOX] = "mailbox",
		[ALERT_MAILBOX_BACK] = "mailbox-back",
		[ALERT_DELIVERY] = "delivery",
		[ALERT_DELIVERY_BACK] = "delivery-back",
		[ALERT_GAVE_UP] = "gave-up",
		[ALERT_ANSWERS] = "answers",
		[ALERT_ADDRESS] = "address",
		[ALERT_WORKER] = "worker",
		[ALERT_STORE] = "store",
		[ALERT_CLOCK] = "clock",
		[ALERT_OTHER] = "other",
	};
	static const char *const abouts[] = {
		[ALERT_UNPARSABLE] = "12",
		[ALERT_MAILBOX] = "moves",
		[ALERT_MAILBOX_BACK] = "moves",
		[ALERT_GAVE_UP] = "[KO-50.2 #1] 10. Qe2",
		[ALERT_ANSWERS] = "31",
		[ALERT_ADDRESS] = "Rossi, Bruno",
		[ALERT_WORKER] = "reader",
		[ALERT_OTHER] = "A notice.",
	};
	struct sample sample;

	(void)state;
	sample_init(&sample, 0, true);
	forget_game(&sample);
	sample.facts.kind = MAIL_ADMIN;
	sample.facts.reader = READER_ARBITER;
	sample.facts.to = "postmaster@club.example";
	sample.facts.to_name = NULL;
	for (int alert = ALERT_UNPARSABLE; alert <= ALERT_OTHER; alert++) {
		char name[64];
		bool address = alert == ALERT_ADDRESS;
		sample.facts.alert = (enum compose_alert)alert;
		sample.facts.alert_about = abouts[alert];
		sample.facts.alert_since = alert % 2 ? sample_instant(1, 0) : INSTANT_NONE;
		sample.facts.alert_text = alert == ALERT_MAILBOX ? "Connection refused" : NULL;
		sample.facts.new_address = address ? "bruno@new.example" : NULL;
		sample.facts.old_address = address ? "bruno@example.org" : NULL;
		sample.facts.address_done = address;
		(void)snprintf(name, sizeof(name), "admin-%s", names[alert]);
		sample_compare(&sample, name);
	}
	sample.facts.alert = ALERT_ADDRESS;
	sample.facts.alert_about = abouts[ALERT_ADDRESS];
	sample.facts.old_address = "bruno@example.org";
	sample.facts.alert_text = "550 5.1.1 No such user";
	sample_compare(&sample, "admin-address-lost");
	sample.facts.new_address = "bruno@new.example";
	sample.facts.alert_since = sample_instant(1, 0);
	sample.facts.alert_text = NULL;
	sample_compare(&sample, "admin-address-open");
	sample_release(&sample);
}

/* Held messages, outages and the running move in reports; the other form of appendix 3. */
static void reports(void **state)
{
	static const bool outages[] = {false, true, false};
	struct sample sample;
	const struct compose_held held[] = {
		{.id = 12, .by = SIDE_BLACK, .at = sample_instant(48, 0)}};

	(void)state;
	sample_init(&sample, 19, true);
	sample.facts.kind = MAIL_OVERSTEP;
	sample.facts.received = INSTANT_NONE;
	sample.facts.now = sample_instant(49, 0);
	sample.facts.running_since = sample_instant(38, 95);
	sample.facts.held = held;
	sample.facts.n_held = ARRAY_SIZE(held);
	clock_advance(sample.clock, sample.facts.now);
	sample.game.state = GAME_SUSPENDED;
	sample_reader(&sample, READER_ARBITER);
	sample_compare(&sample, "iecc-overstep-held");
	sample_release(&sample);

	sample_init_rules(&sample, RULES_RAZSH, 5, true);
	sample_decide(&sample, MATTER_OVERSTEP, "RAZSh 6.1");
	sample.facts.kind = MAIL_OVERSTEP;
	sample.facts.received = INSTANT_NONE;
	sample.facts.now = sample_instant(200, 0);
	sample.facts.held = held;
	sample.facts.n_held = ARRAY_SIZE(held);
	sample.facts.outages = outages;
	sample.facts.n_outages = ARRAY_SIZE(outages);
	clock_advance(sample.clock, sample.facts.now);
	sample_reader(&sample, READER_ARBITER);
	sample_compare(&sample, "razsh-overstep-held");
	sample_release(&sample);

	sample_init_rules(&sample, RULES_RAZSH, 19, false);
	sample_decide(&sample, MATTER_NONE, NULL);
	sample.facts.kind = MAIL_MOVE;
	sample.facts.verdict = VERDICT_ACCEPTED;
	sample.players[1].notation = "san-fi";
	sample_compare(&sample, "razsh-move-other-form");
	sample_release(&sample);
}

static void schedules(void **state)
{
	struct sample sample;
	struct clock_event event = CLOCK_EVENT_NONE;
	struct clock_answer answer;
	const char *language;

	(void)state;
	sample_init_rules(&sample, RULES_RAZSH, 6, true);
	event.kind = CLOCK_FAULT;
	event.by = SIDE_WHITE;
	event.at = sample_instant(13, 0);
	event.query_delivered = event.at + 60000;
	expect_int(clock_apply(sample.clock, &event, &answer), 0);
	event.kind = CLOCK_MOVE;
	event.at = sample_instant(14, 0);
	event.delivered = event.at;
	event.query_delivered = INSTANT_NONE;
	expect_int(clock_apply(sample.clock, &event, &answer), 0);
	sample.moves[6] = move_from_uci(&sample.game.now, "d2d4", 4);
	position_make(&sample.game.now, sample.moves[6]);
	sample.game.n_moves = 7;
	for (size_t i = 0; (language = templates_language(sample.templates, i)); i++) {
		char *text, name[64];
		sample.facts.language = language;
		expect_int(compose_schedule(&sample.facts, &text), 0);
		sample_lines_short(text);
		(void)snprintf(name, sizeof(name), "%s/schedule.txt", language);
		sample_compare_text(text, name);
		free(text);
	}
	sample_release(&sample);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(status),
		cmocka_unit_test(bulletins),
		cmocka_unit_test(bulletin_of_leave),
		cmocka_unit_test(addresses),
		cmocka_unit_test(services),
		cmocka_unit_test(consents),
		cmocka_unit_test(entered),
		cmocka_unit_test(orders),
		cmocka_unit_test(announcements),
		cmocka_unit_test(alerts),
		cmocka_unit_test(reports),
		cmocka_unit_test(schedules),
		/* The last: what the others have collected. */
		cmocka_unit_test(sample_compare_collections),
	};
	sample_regenerate = argc > 1 ? argv[1] : NULL;
	sample_group = "kinds";
	return cmocka_run_group_tests(tests, NULL, NULL);
}

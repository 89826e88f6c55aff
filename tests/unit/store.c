/*
 * The store: what is durable, what is unique, what cannot be changed.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/store/events.h"
#include "daemon/store/games.h"
#include "daemon/store/inbox.h"
#include "daemon/store/internal.h"
#include "daemon/store/ledger.h"
#include "daemon/store/outbox.h"
#include "daemon/store/people.h"
#include "daemon/store/sql.h"
#include "daemon/store/store.h"
#include "daemon/store/timers.h"
#include "daemon/store/tokens.h"
#include "tests/unit/test.h"

struct fixture {
	char directory[64];
	struct store *store;
	int64_t game;
};

static void put_people(struct store *store)
{
	static const char *const addresses[] = {"anna@example.net"};
	const struct tournament_row tournament = {
		.code = "KO",
		.name = "Knockout",
		.rules = "iecc",
		.start = 1000,
		.end = INSTANT_NONE,
		.copies = "all",
		.stage = "league",
		.repetition = "line",
		.parameters = "",
	};
	struct player_row player = {
		.id = "anna",
		.name = "Virtanen, Anna",
		.timezone = "Europe/Helsinki",
		.language = "fi",
		.notation = "san",
		.addresses = addresses,
		.n_addresses = 1,
	};

	assert_int_equal(people_put_tournament(store, &tournament), 0);
	assert_int_equal(people_put_player(store, &player, addresses), 0);
	player.id = "bruno";
	player.n_addresses = 0;
	assert_int_equal(people_put_player(store, &player, NULL), 0);
}

static int set_up(void **state)
{
	static uint16_t moves[] = {0x0102, 0xfedc};
	struct fixture *fixture = calloc(1, sizeof(*fixture));
	const struct game_row game = {
		.tournament = "KO",
		.number = 1,
		.code = "0001",
		.players = {"anna", "bruno"},
		.zones = {"Europe/Helsinki", "Europe/Rome"},
		.state = GAME_ACTIVE,
		.start_fen = "start",
		.fen = "now",
		.moves = moves,
		.n_moves = 2,
	};

	snprintf(fixture->directory, sizeof(fixture->directory), P_tmpdir "/zugpost-store-XXXXXX");
	assert_non_null(mkdtemp(fixture->directory));
	assert_int_equal(store_open(fixture->directory, STORE_WRITE, &fixture->store), 0);
	put_people(fixture->store);
	assert_int_equal(games_insert(fixture->store, &game, &fixture->game), 0);
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;
	char command[128];

	store_close(fixture->store);
	snprintf(command, sizeof(command), "rm -rf %s", fixture->directory);
	assert_int_equal(system(command), 0);
	free(fixture);
	return 0;
}

static void test_one_writer(void **state)
{
	struct fixture *fixture = *state;
	struct store *second = NULL, *reader = NULL;

	assert_int_equal(store_open(fixture->directory, STORE_WRITE, &second), -EBUSY);
	assert_null(second);
	assert_int_equal(store_open(fixture->directory, STORE_READ, &reader), 0);
	/* A reader sees the same secret and cannot write. */
	assert_memory_equal(store_secret(reader), store_secret(fixture->store), STORE_SECRET_SIZE);
	assert_true(store_set_fact(reader, "x", 1) < 0);
	store_close(reader);
	assert_int_equal(
		store_open(P_tmpdir "/zugpost-no-such-store", STORE_READ, &reader), -ENOENT);
}

static void test_a_rollback_leaves_nothing(void **state)
{
	struct fixture *fixture = *state;
	int64_t value = 7;

	assert_int_equal(store_begin(fixture->store), 0);
	assert_int_equal(store_set_fact(fixture->store, "x", 1), 0);
	store_rollback(fixture->store);
	assert_int_equal(store_fact(fixture->store, "x", &value), 0);
	expect_int(value, 7);
	store_rollback(fixture->store); /* harmless */
	assert_int_equal(store_begin(fixture->store), 0);
	assert_int_equal(store_set_fact(fixture->store, "x", 1), 0);
	assert_int_equal(store_commit(fixture->store), 0);
	assert_int_equal(store_fact(fixture->store, "x", &value), 0);
	expect_int(value, 1);
}

static size_t told;
static int64_t told_version;

static void tell(int64_t version)
{
	told++;
	told_version = version;
}

/* Somebody who waits for a store that is brought up to date hears of it all the while. */
static void test_who_waits_is_told(void **state)
{
	struct fixture *fixture = *state;
	int64_t n;
	static const char work[] = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
				   " WHERE i < 1000000) SELECT count(*) FROM n";

	told = 0;
	schema_tell(fixture->store, tell, 7);
	expect_int(told, 1);
	assert_int_equal(sql_number(fixture->store, &n, work, ""), 1);
	assert_true(told > 3);
	expect_int(told_version, 7);
	schema_tell(fixture->store, NULL, 7);
	told = 0;
	assert_int_equal(sql_number(fixture->store, &n, work, ""), 1);
	expect_int(told, 0);
}

static void test_game_comes_back_as_it_went(void **state)
{
	struct fixture *fixture = *state;
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	struct game_row row;
	uint16_t moves[] = {0x0102, 0xfedc, 0x8001};

	assert_int_equal(games_load(fixture->store, &arena, fixture->game, &row), 1);
	expect_int(row.n_moves, 2);
	expect_int(row.moves[1], 0xfedc);
	assert_string_equal(row.zones[SIDE_BLACK], "Europe/Rome");
	row.moves = moves;
	row.n_moves = 3;
	row.state = GAME_FINISHED;
	row.result = RESULT_DRAW;
	row.termination = TERMINATION_STALEMATE;
	row.draw_offer = OFFER_BLACK;
	row.withdrew[SIDE_BLACK] = 4000;
	assert_int_equal(games_update(fixture->store, &row), 0);
	assert_int_equal(games_load(fixture->store, &arena, fixture->game, &row), 1);
	expect_int(row.n_moves, 3);
	expect_int(row.moves[2], 0x8001);
	expect_int(row.state, GAME_FINISHED);
	expect_int(row.result, RESULT_DRAW);
	expect_int(row.termination, TERMINATION_STALEMATE);
	expect_int(row.draw_offer, OFFER_BLACK);
	expect_int(row.withdrew[SIDE_WHITE], 0);
	expect_int(row.withdrew[SIDE_BLACK], 4000);
	/* Its code is free again. */
	int64_t id;
	assert_int_equal(games_find_code(fixture->store, "0001", &id), 0);
}

static void test_ledger(void **state)
{
	struct fixture *fixture = *state;
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	struct ledger_row row = {.event = CLOCK_EVENT_NONE, .ply = 1}, *rows;
	int64_t seq;
	size_t n;

	row.event.kind = CLOCK_MOVE;
	row.event.by = SIDE_BLACK;
	row.event.at = 5000;
	assert_int_equal(ledger_append(fixture->store, fixture->game, &row, &seq), 0);
	row.event.kind = CLOCK_FAULT;
	row.event.fault = FAULT_AMBIGUOUS;
	assert_int_equal(ledger_append(fixture->store, fixture->game, &row, &seq), 0);
	expect_int(seq, 2);
	assert_int_equal(ledger_delivered(fixture->store, fixture->game, 1, 6000), 0);
	/* A stamp is proven once. */
	assert_int_equal(ledger_delivered(fixture->store, fixture->game, 1, 9000), 0);
	assert_int_equal(ledger_load(fixture->store, &arena, fixture->game, &rows, &n), 0);
	expect_int(n, 2);
	expect_int(rows[0].event.kind, CLOCK_MOVE);
	expect_int(rows[0].event.by, SIDE_BLACK);
	expect_int(rows[0].event.delivered, 6000);
	expect_int(rows[1].event.fault, FAULT_AMBIGUOUS);
	assert_true(rows[1].event.delivered == INSTANT_NONE);
}

static int64_t take(struct store *store, const char *mailbox, const char *place, int64_t arrival,
	const char *raw, int wanted)
{
	const struct inbox_new message = {
		.mailbox = mailbox,
		.place = place,
		.arrival = arrival,
		.raw = raw,
		.raw_size = strlen(raw),
		.size = (int64_t)strlen(raw),
	};
	int64_t id = 0;

	expect_int(inbox_store(store, &message, &id), wanted);
	return id;
}

static void decide_as(struct store *store, int64_t id, const char *verdict)
{
	const struct inbox_outcome outcome = {.verdict = verdict, .ply = -1, .decided = 1};
	assert_int_equal(inbox_decide(store, id, &outcome), 0);
}

static void test_a_message_is_taken_once(void **state)
{
	struct fixture *fixture = *state;
	struct store *store = fixture->store;
	int64_t first = take(store, "in", "1.a", 1000, "raw", 1);

	/* We were stopped before it could be moved: it is the same message. */
	expect_int(take(store, "in", "1.a", 1000, "raw", 0), first);
	/* Other bytes under its name are another message. */
	assert_true(take(store, "in", "1.a", 1000, "other", 1) != first);
	/* Once it was moved, whatever comes to that place again is new, and a duplicate. */
	assert_int_equal(inbox_moved(store, "in", "1.a"), 0);
	decide_as(store, first, "accepted");
	int64_t again = take(store, "in", "1.a", 1000, "raw", 1);
	assert_true(again != first);
	expect_int(inbox_seen_raw(store, again), 1);
	expect_int(inbox_seen_raw(store, first), 0);
}

static void test_order_of_work(void **state)
{
	struct fixture *fixture = *state;
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	struct store *store = fixture->store;
	struct inbox_order order = {.arrival = INSTANT_NONE, .place = ""};
	static const char *const wanted[] = {"c", "b", "B", "a"};
	int64_t id;

	/* By instant, then mailbox, then the bytes of the name. */
	const struct inbox_new messages[] = {
		{.mailbox = "second",
			.rank = 1,
			.place = "B",
			.arrival = 2000,
			.raw = "1",
			.raw_size = 1},
		{.mailbox = "first",
			.rank = 0,
			.place = "b",
			.arrival = 2000,
			.raw = "2",
			.raw_size = 1},
		{.mailbox = "first",
			.rank = 0,
			.place = "a",
			.arrival = 3000,
			.raw = "3",
			.raw_size = 1},
		{.mailbox = "second",
			.rank = 1,
			.place = "c",
			.arrival = 1000,
			.raw = "4",
			.raw_size = 1},
	};
	for (size_t i = 0; i < ARRAY_SIZE(messages); i++)
		expect_int(inbox_store(store, &messages[i], &id), 1);
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		expect_int(inbox_next_undecided(store, &arena, &order, &order, &id), 1);
		assert_string_equal(order.place, wanted[i]);
	}
	expect_int(inbox_next_undecided(store, &arena, &order, &order, &id), 0);
}

static void test_a_timer_fires_once(void **state)
{
	struct fixture *fixture = *state;
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	struct store *store = fixture->store;
	struct timer_row timer = {.game = fixture->game, .kind = "overstep", .ply = 3, .at = 500};
	struct timer_row found;

	assert_int_equal(timers_arm(store, &timer), 0);
	assert_int_equal(timers_disarm(store, fixture->game, "overstep"), 0);
	timer.at = 700;
	assert_int_equal(timers_arm(store, &timer), 0);
	expect_int(timers_next(store, &arena, &found), 1);
	expect_int(found.at, 700);
	expect_int(timers_due(store, fixture->game, 699), 0);
	expect_int(timers_due(store, fixture->game, 700), 1);
	assert_int_equal(timers_fired(store, &timer, 701), 0);
	expect_int(timers_next(store, &arena, &found), 0);
	/* Armed again it stays fired; another instant of that ply is another timer, unless it
	 * is to come once only. */
	assert_int_equal(timers_arm(store, &timer), 0);
	expect_int(timers_next(store, &arena, &found), 0);
	timer.at = 900;
	assert_int_equal(timers_arm_once(store, &timer), 0);
	expect_int(timers_next(store, &arena, &found), 0);
	assert_int_equal(timers_arm(store, &timer), 0);
	expect_int(timers_next(store, &arena, &found), 1);
}

static void test_tokens(void **state)
{
	struct fixture *fixture = *state;
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	struct store *store = fixture->store;
	char anna[TOKEN_LENGTH + 1], bruno[TOKEN_LENGTH + 1], again[TOKEN_LENGTH + 1];
	struct token_row row;

	assert_int_equal(tokens_reply(store, fixture->game, "anna", 0, anna), 0);
	assert_int_equal(tokens_reply(store, fixture->game, "anna", 0, again), 0);
	assert_int_equal(tokens_reply(store, fixture->game, "bruno", 0, bruno), 0);
	assert_string_equal(anna, again);
	assert_string_not_equal(anna, bruno);
	expect_int(strspn(anna, "abcdefghijklmnopqrstuvwxyz234567"), TOKEN_LENGTH);
	expect_int(tokens_find(store, &arena, anna, &row), 1);
	assert_string_equal(row.player, "anna");
	assert_true(row.current);
	anna[3] = anna[3] == 'a' ? 'b' : 'a';
	expect_int(tokens_find(store, &arena, anna, &row), 0);
	/* A new generation: the old token only names its game. */
	assert_int_equal(people_renew_tokens(store, "anna"), 0);
	expect_int(tokens_find(store, &arena, again, &row), 1);
	assert_false(row.current);
}

static void test_the_log_is_chained(void **state)
{
	struct fixture *fixture = *state;
	int64_t broken = 0;

	assert_int_equal(events_append(fixture->store, 1, "import", "{}"), 0);
	assert_int_equal(events_append(fixture->store, 2, "message", "{\"message\":1}"), 0);
	expect_int(events_verify(fixture->store, &broken), 1);
}

static void test_a_mail_is_written_once(void **state)
{
	struct fixture *fixture = *state;
	const struct outbox_row row = {
		.message_id = "move.1@club.example",
		.kind = "move",
		.game = fixture->game,
		.ply = 1,
		.recipient = "anna@example.net",
		.envelope_from = "",
		.subject = "s",
		.text = "t",
		.raw = "r",
		.raw_size = 1,
		.created = 100,
		.next_attempt = 100,
	};
	int64_t id, second, due;

	assert_int_equal(outbox_insert(fixture->store, &row, &id), 0);
	assert_int_equal(outbox_insert(fixture->store, &row, &second), -EEXIST);
	expect_int(outbox_next_due(fixture->store, 0, 99, &due), 0);
	expect_int(outbox_next_due(fixture->store, 0, 100, &due), 1);
	assert_int_equal(outbox_put_off(fixture->store, id, 100, 900, "4.3.2 busy"), 0);
	expect_int(outbox_next_due(fixture->store, 0, 899, &due), 0);
	assert_int_equal(outbox_delivered(fixture->store, id, 950), 0);
	expect_int(outbox_next_due(fixture->store, 0, 9999, &due), 0);
}

static int64_t put_mail(struct fixture *fixture, const char *id, int64_t game, const char *player,
	const char *recipient)
{
	const struct outbox_row row = {
		.message_id = id,
		.kind = "move",
		.game = game,
		.ply = 1,
		.player = player,
		.recipient = recipient,
		.envelope_from = "moves+token@club.example",
		.subject = "s",
		.text = "t",
		.raw = "r",
		.raw_size = 1,
		.created = 100,
		.next_attempt = 100,
	};
	int64_t row_id = 0;

	assert_int_equal(outbox_insert(fixture->store, &row, &row_id), 0);
	return row_id;
}

/* One reader's mails of one game go out one after the other, all others freely. */
static void test_order_of_mails(void **state)
{
	struct fixture *fixture = *state;
	struct store *store = fixture->store;
	int64_t first = put_mail(fixture, "1@x", fixture->game, "anna", "a@x"),
		second = put_mail(fixture, "2@x", fixture->game, "anna", "new@x"),
		other = put_mail(fixture, "3@x", fixture->game, "bruno", "b@x"),
		arbiter = put_mail(fixture, "4@x", fixture->game, NULL, "td@x"),
		free_one = put_mail(fixture, "5@x", 0, NULL, "td@x"),
		free_two = put_mail(fixture, "6@x", 0, NULL, "td@x");
	int64_t due[8], at = 0, id, wanted[] = {first, other, arbiter, free_one, free_two};
	size_t n = 0;

	while (n < 8 && outbox_next_due(store, at, 100, &id) > 0)
		due[n++] = at = id;
	assert_int_equal(n, ARRAY_SIZE(wanted));
	assert_memory_equal(due, wanted, sizeof(wanted));
	expect_int(outbox_ahead(store, second, &id), 1);
	assert_int_equal(id, first);
	expect_int(outbox_ahead(store, first, &id), 0);
	expect_int(outbox_ahead(store, free_two, &id), 0);
	expect_int(outbox_next_behind(store, first, &id), 1);
	assert_int_equal(id, second);
	expect_int(outbox_next_behind(store, free_one, &id), 0);
	/* A failure sets it free as a delivery does. */
	assert_int_equal(outbox_put_off(store, first, 100, 500, "busy"), 0);
	expect_int(outbox_next_due(store, 0, 400, &id), 1);
	assert_int_equal(id, other);
	assert_int_equal(outbox_failed(store, first, "gone"), 0);
	expect_int(outbox_next_due(store, 0, 400, &id), 1);
	assert_int_equal(id, second);
	at = 0;
	assert_int_equal(outbox_next_attempt(store, 100, &at), 0);
	assert_int_equal(at, 0);
	assert_int_equal(outbox_put_off(store, second, 100, 500, "busy"), 0);
	assert_int_equal(outbox_next_attempt(store, 100, &at), 0);
	assert_int_equal(at, 500);
}

static void test_a_mail_comes_back(void **state)
{
	struct fixture *fixture = *state;
	struct store *store = fixture->store;
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	int64_t id = put_mail(fixture, "1@x", fixture->game, "anna", "a@x"), found, *failed;
	struct outbox_row row;
	size_t n;

	expect_int(outbox_last_from(store, "moves+token@club.example", &found), 0);
	assert_int_equal(outbox_delivered(store, id, 200), 0);
	expect_int(outbox_delivered_since(store, 200), 1);
	expect_int(outbox_delivered_since(store, 201), 0);
	expect_int(outbox_last_from(store, "MOVES+Token@club.example", &found), 1);
	assert_int_equal(found, id);
	assert_int_equal(outbox_returned(store, id, 300, "no such user"), 0);
	assert_int_equal(outbox_failed_of(store, &arena, "anna", &failed, &n), 0);
	assert_int_equal(n, 1);
	assert_int_equal(failed[0], id);
	expect_int(outbox_load(store, &arena, id, &row), 1);
	assert_string_equal(row.state, "failed");
	assert_int_equal(row.returned, 300);
	expect_int(outbox_has_failed(store, &row), 0);
	int64_t second = put_mail(fixture, "2@x", fixture->game, "anna", "a@x");
	expect_int(outbox_load(store, &arena, second, &row), 1);
	expect_int(outbox_has_failed(store, &row), 1);
	assert_int_equal(outbox_again(store, id, "new@x", "m@x", "raw", 3, 100), 0);
	expect_int(outbox_load(store, &arena, id, &row), 1);
	assert_string_equal(row.recipient, "new@x");
	assert_string_equal(row.state, "waiting");
	assert_true(row.returned == INSTANT_NONE && row.put_off == INSTANT_NONE &&
		    row.delivered == INSTANT_NONE && row.attempts == 0);
}

/* Killed in the middle of a transaction, nothing of it stands; killed behind a commit, all
 * of it does. */
static void test_kill(void **state)
{
	struct fixture *fixture = *state;
	static const struct {
		const char *variable;
		int64_t wanted;
	} cases[] = {
		{"ZUGPOST_TEST_KILL_BEFORE_COMMIT", 0},
		{"ZUGPOST_TEST_KILL_AT_COMMIT", 5},
	};

	store_close(fixture->store);
	fixture->store = NULL;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int64_t value = 0;
		pid_t child = fork();
		if (child == 0) {
			struct store *store = NULL;
			setenv(cases[i].variable, "1", 1);
			if (store_open(fixture->directory, STORE_WRITE, &store) == 0 &&
				store_begin(store) == 0 && store_set_fact(store, "killed", 5) == 0)
				_exit(store_commit(store) == 0 ? 10 : 11);
			_exit(12);
		}
		int status;
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFSIGNALED(status));
		assert_int_equal(store_open(fixture->directory, STORE_WRITE, &fixture->store), 0);
		assert_int_equal(store_fact(fixture->store, "killed", &value), 0);
		expect_int(value, cases[i].wanted);
		store_close(fixture->store);
		fixture->store = NULL;
	}
	assert_int_equal(store_open(fixture->directory, STORE_WRITE, &fixture->store), 0);
}

int main(void)
{
#define WITH_STORE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		WITH_STORE(test_one_writer),
		WITH_STORE(test_a_rollback_leaves_nothing),
		WITH_STORE(test_who_waits_is_told),
		WITH_STORE(test_game_comes_back_as_it_went),
		WITH_STORE(test_ledger),
		WITH_STORE(test_a_message_is_taken_once),
		WITH_STORE(test_order_of_work),
		WITH_STORE(test_a_timer_fires_once),
		WITH_STORE(test_tokens),
		WITH_STORE(test_the_log_is_chained),
		WITH_STORE(test_a_mail_is_written_once),
		WITH_STORE(test_order_of_mails),
		WITH_STORE(test_a_mail_comes_back),
		WITH_STORE(test_kill),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

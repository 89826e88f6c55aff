/*
 * Workers: real processes of this test program, that answer, crash, hang, and lie.
 */
#include "daemon/net/worker.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "daemon/net/channel.h"
#include "daemon/net/requests.h"
#include "tests/unit/test.h"

#define FRAME_LIMIT (1u << 20)

enum request_type {
	REQUEST_ECHO = FRAME_FIRST_OWN, /* i64 id, blob: comes back */
	REQUEST_CRASH,
	REQUEST_HANG,
	REQUEST_HUGE,      /* answers with a frame over the limit */
	REQUEST_WRONG_ID,  /* answers to another request */
	REQUEST_GARBAGE,   /* answers with an empty frame */
	REQUEST_EXIT,      /* i64 id: exits with code 3 */
	REQUEST_INHERITED, /* answers with what it has inherited */
};

/* ---- the worker's side ---- */

/* Open descriptors but for the one that counts them, size of the environment, blocked
 * signals, how it handles SIGTERM. */
static void put_inherited(struct frame_writer *writer)
{
	DIR *folder = opendir("/proc/self/fd");
	const struct dirent *item;
	sigset_t blocked;
	int64_t descriptors = 0, variables = 0, signals = 0;

	while (folder && (item = readdir(folder)))
		descriptors += item->d_name[0] != '.' && atol(item->d_name) != dirfd(folder);
	if (folder)
		(void)closedir(folder);
	for (char **variable = environ; *variable; variable++)
		variables += strncmp(*variable, "NET_WORKER_", 11) == 0;
	(void)sigprocmask(SIG_SETMASK, NULL, &blocked);
	for (int sig = 1; sig < NSIG; sig++)
		signals += sigismember(&blocked, sig) == 1;
	frame_put_i64(writer, descriptors);
	frame_put_i64(writer, variables);
	frame_put_i64(writer, signals);
}

static int answer(struct channel *channel, const struct frame *frame)
{
	struct frame_writer writer;
	struct frame_fields fields;
	const void *blob;
	size_t size;
	int64_t id;
	int r;

	frame_fields_begin(&fields, frame);
	id = frame_get_i64(&fields);
	blob = frame_get_blob(&fields, &size);
	frame_writer_init(&writer, (size_t)4 * FRAME_LIMIT);
	frame_begin(&writer, frame->type);
	switch ((enum request_type)frame->type) {
	case REQUEST_CRASH:
		(void)raise(SIGSEGV);
		abort();
	case REQUEST_HANG:
		for (;;)
			(void)pause();
	case REQUEST_EXIT:
		_exit(3);
	case REQUEST_ECHO:
		frame_put_i64(&writer, id);
		frame_put_blob(&writer, blob, size);
		break;
	case REQUEST_HUGE:
		frame_put_i64(&writer, id);
		for (size_t i = 0; i < 2 * FRAME_LIMIT / 8; i++)
			frame_put_i64(&writer, 0);
		break;
	case REQUEST_WRONG_ID:
		frame_put_i64(&writer, id + 1);
		break;
	case REQUEST_GARBAGE:
		break;
	case REQUEST_INHERITED:
		frame_put_i64(&writer, id);
		put_inherited(&writer);
		break;
	}
	r = frame_end(&writer);
	if (r == 0)
		r = channel_send(channel, &writer);
	frame_writer_clear(&writer);
	return r;
}

static int test_worker(int fd)
{
	struct channel channel;
	struct frame_fields fields;
	struct frame frame;
	int64_t wanted_config;
	int r;

	channel_init(&channel, fd, (size_t)4 * FRAME_LIMIT);
	r = channel_config(&channel, &fields);
	wanted_config = r == 0 ? frame_get_i64(&fields) : 0;
	if (wanted_config == 99) /* told not to become ready */
		_exit(7);
	if (r == 0 && wanted_config == 4711)
		r = channel_ready(&channel);
	while (r == 0 && (r = channel_receive(&channel, &frame)) > 0)
		r = answer(&channel, &frame);
	channel_clear(&channel);
	return r == 0 ? 0 : 1;
}

static const struct worker_kind kinds[] = {{"test", test_worker}};

/* ---- main's side ---- */

struct outcome {
	int64_t id;
	char what; /* a: answered, l: lost */
	enum worker_fate fate;
	int code;
};

struct fixture {
	sd_event *event;
	struct requests *requests;
	struct outcome outcomes[512];
	size_t n;
	size_t deaths;
	struct worker_death last_death;
	size_t answered_bytes;
	int64_t inherited[3];
	bool resend_lost; /* as crash, once */
};

static int on_answer(void *userdata, int64_t id, const struct frame *frame)
{
	struct fixture *fixture = userdata;
	struct frame_fields fields;
	size_t size;

	frame_fields_begin(&fields, frame);
	(void)frame_get_i64(&fields);
	if (frame->type == REQUEST_INHERITED) {
		for (size_t i = 0; i < 3; i++)
			fixture->inherited[i] = frame_get_i64(&fields);
	} else {
		(void)frame_get_blob(&fields, &size);
		fixture->answered_bytes += size;
	}
	if (frame_fields_end(&fields) < 0)
		return -EBADMSG;
	fixture->outcomes[fixture->n++] = (struct outcome){.id = id, .what = 'a'};
	return 0;
}

static void send_request(struct fixture *fixture, uint8_t type, int64_t id, size_t size);

static void on_lost(void *userdata, int64_t id, const struct worker_death *death)
{
	struct fixture *fixture = userdata;

	fixture->outcomes[fixture->n++] =
		(struct outcome){.id = id, .what = 'l', .fate = death->fate, .code = death->code};
	if (fixture->resend_lost) {
		fixture->resend_lost = false;
		send_request(fixture, REQUEST_CRASH, id, 0);
	}
}

static void on_death(void *userdata, const struct worker_death *death)
{
	struct fixture *fixture = userdata;

	fixture->deaths++;
	fixture->last_death = *death;
	assert_non_null(strstr(death->text, "worker test ("));
}

static const struct requests_handlers handlers = {
	.on_answer = on_answer, .on_lost = on_lost, .on_death = on_death};

static void fixture_open(struct fixture *fixture, int64_t config, bool lost_unready)
{
	const struct requests_options options = {.window = 256,
		.window_bytes = 64u << 20,
		.limit_ms = 1500,
		.start_ms = 20000,
		.lost_unready = lost_unready};
	struct worker_options worker = {
		.kind = "test", .frame_limit = FRAME_LIMIT, .restart_max_ms = 800};
	struct frame_writer writer;

	*fixture = (struct fixture){0};
	frame_writer_init(&writer, 64);
	frame_put_i64(&writer, config);
	worker.config = writer.bytes;
	worker.config_size = writer.size;
	assert_true(sd_event_new(&fixture->event) >= 0);
	expect_int(requests_new(&fixture->requests, fixture->event, &worker, &options, &handlers,
			   fixture),
		0);
	frame_writer_clear(&writer);
}

static void fixture_close(struct fixture *fixture)
{
	requests_free(fixture->requests);
	sd_event_unref(fixture->event);
	/* Nobody is left behind. */
	expect_int(waitpid(-1, NULL, WNOHANG), -1);
	expect_int(errno, ECHILD);
}

static void send_request(struct fixture *fixture, uint8_t type, int64_t id, size_t size)
{
	static uint8_t bytes[FRAME_LIMIT / 2];
	struct frame_writer *writer = requests_begin(fixture->requests, type, id);

	frame_put_blob(writer, bytes, size);
	expect_int(requests_send(fixture->requests), 0);
}

/* Runs until so many outcomes are there. */
static void run_until(struct fixture *fixture, size_t n)
{
	for (unsigned turns = 0; fixture->n < n; turns++) {
		assert_true(turns < 10000);
		assert_true(sd_event_run(fixture->event, 10000000) > 0);
	}
}

static void expect_outcomes(struct fixture *fixture, const char *wanted)
{
	run_until(fixture, strlen(wanted));
	expect_int(fixture->n, strlen(wanted));
	for (size_t i = 0; i < fixture->n; i++) {
		expect_int(fixture->outcomes[i].id, i);
		expect_int(fixture->outcomes[i].what, wanted[i]);
	}
}

static void test_answers_in_order(void **state)
{
	struct fixture fixture;

	(void)state;
	fixture_open(&fixture, 4711, false);
	/* More than any socket buffer holds, before the worker is even there. */
	for (int i = 0; i < 64; i++)
		send_request(&fixture, REQUEST_ECHO, i, FRAME_LIMIT / 2);
	run_until(&fixture, 64);
	for (int i = 0; i < 64; i++)
		expect_int(fixture.outcomes[i].id, i);
	expect_int(fixture.answered_bytes, 64u * (FRAME_LIMIT / 2));
	expect_int(requests_waiting(fixture.requests), 0);
	expect_int(fixture.deaths, 0);
	fixture_close(&fixture);
}

static void test_each_death_costs_one_request(void **state)
{
	static const struct {
		uint8_t type;
		enum worker_fate fate;
		int code;
	} deadly[] = {
		{REQUEST_CRASH, WORKER_KILLED, SIGSEGV},
		{REQUEST_EXIT, WORKER_EXITED, 3},
		{REQUEST_HANG, WORKER_OVERDUE, 0},
		{REQUEST_HUGE, WORKER_MISSPOKE, -EMSGSIZE},
		{REQUEST_WRONG_ID, WORKER_MISSPOKE, -EBADMSG},
		{REQUEST_GARBAGE, WORKER_MISSPOKE, -EBADMSG},
	};
	struct fixture fixture;

	(void)state;
	fixture_open(&fixture, 4711, false);
	for (size_t i = 0; i < ARRAY_SIZE(deadly); i++) {
		send_request(&fixture, REQUEST_ECHO, (int64_t)(3 * i), 10);
		send_request(&fixture, deadly[i].type, (int64_t)(3 * i + 1), 0);
		send_request(&fixture, REQUEST_ECHO, (int64_t)(3 * i + 2), 10);
	}
	expect_outcomes(&fixture, "alaalaalaalaalaala");
	for (size_t i = 0; i < ARRAY_SIZE(deadly); i++) {
		const struct outcome *outcome = &fixture.outcomes[3 * i + 1];

#ifdef ZUGPOST_SANITIZED
		/* The sanitizer turns the signal into an exit. */
		if (deadly[i].type == REQUEST_CRASH)
			continue;
#endif
		expect_int(outcome->fate, deadly[i].fate);
		expect_int(outcome->code, deadly[i].code);
	}
	expect_int(fixture.deaths, ARRAY_SIZE(deadly));
	fixture_close(&fixture);
}

static void test_delay_grows_and_falls_back(void **state)
{
	static const uint64_t delays[] = {100, 200, 400, 800, 800};
	struct fixture fixture;

	(void)state;
	fixture_open(&fixture, 4711, false);
	for (size_t i = 0; i < ARRAY_SIZE(delays); i++) {
		send_request(&fixture, REQUEST_EXIT, 0, 0);
		run_until(&fixture, i + 1);
		expect_int(fixture.last_death.restart_ms, delays[i]);
		expect_int(fixture.last_death.in_a_row, i + 1);
		expect_int(requests_pid(fixture.requests), 0);
	}
	send_request(&fixture, REQUEST_ECHO, 1, 0);
	send_request(&fixture, REQUEST_EXIT, 2, 0);
	run_until(&fixture, ARRAY_SIZE(delays) + 2);
	expect_int(fixture.last_death.restart_ms, 100);
	fixture_close(&fixture);
}

static void test_lost_request_may_be_sent_again(void **state)
{
	struct fixture fixture;

	(void)state;
	fixture_open(&fixture, 4711, false);
	fixture.resend_lost = true;
	send_request(&fixture, REQUEST_CRASH, 0, 0);
	send_request(&fixture, REQUEST_ECHO, 1, 0);
	/* The others come first: nobody waits behind a message that kills. */
	run_until(&fixture, 3);
	expect_int(fixture.outcomes[0].what, 'l');
	expect_int(fixture.outcomes[1].what, 'a');
	expect_int(fixture.outcomes[2].what, 'l');
	expect_int(fixture.outcomes[2].id, 0);
	fixture_close(&fixture);
}

/* A worker that never gets ready has read nothing: requests wait, or all are given
 * back, as the owner wishes. */
static void test_death_before_ready(void **state)
{
	struct fixture fixture;

	(void)state;
	fixture_open(&fixture, 99, false);
	send_request(&fixture, REQUEST_ECHO, 0, 0);
	while (fixture.deaths < 3)
		assert_true(sd_event_run(fixture.event, 10000000) > 0);
	expect_int(fixture.n, 0);
	assert_false(fixture.last_death.was_ready);
	expect_int(fixture.last_death.code, 7);
	fixture_close(&fixture);

	fixture_open(&fixture, 99, true);
	send_request(&fixture, REQUEST_ECHO, 0, 0);
	send_request(&fixture, REQUEST_ECHO, 1, 0);
	expect_outcomes(&fixture, "ll");
	expect_int(fixture.deaths, 1);
	fixture_close(&fixture);
}

static void test_kill_from_outside(void **state)
{
	struct fixture fixture;

	(void)state;
	fixture_open(&fixture, 4711, false);
	send_request(&fixture, REQUEST_ECHO, 0, 0);
	run_until(&fixture, 1);
	/* Idle: nothing is lost. SIGTERM is main's alone. */
	expect_int(kill(requests_pid(fixture.requests), SIGTERM), 0);
	expect_int(kill(requests_pid(fixture.requests), SIGINT), 0);
	send_request(&fixture, REQUEST_ECHO, 1, 0);
	run_until(&fixture, 2);
	expect_int(fixture.deaths, 0);
	expect_int(kill(requests_pid(fixture.requests), SIGKILL), 0);
	while (fixture.deaths < 1)
		assert_true(sd_event_run(fixture.event, 10000000) > 0);
	expect_int(fixture.last_death.code, SIGKILL);
	send_request(&fixture, REQUEST_ECHO, 2, 0);
	expect_outcomes(&fixture, "aaa");
	fixture_close(&fixture);
}

static void test_window(void **state)
{
	struct fixture fixture;
	int64_t id = 0;

	(void)state;
	fixture_open(&fixture, 4711, false);
	for (;;) {
		struct frame_writer *writer = requests_begin(fixture.requests, REQUEST_ECHO, id);
		int r;

		frame_put_blob(writer, "", 0);
		r = requests_send(fixture.requests);
		if (r == -EAGAIN)
			break;
		expect_int(r, 0);
		id++;
	}
	expect_int(id, 256);
	run_until(&fixture, 256);
	send_request(&fixture, REQUEST_ECHO, 256, 0);
	run_until(&fixture, 257);
	fixture_close(&fixture);
}

static void test_inherits_nothing(void **state)
{
	struct fixture fixture;
	int open_one = dup(STDERR_FILENO);
	sigset_t some, before;

	(void)state;
	assert_int_equal(setenv("NET_WORKER_SECRET", "x", 1), 0);
	sigemptyset(&some);
	sigaddset(&some, SIGCHLD);
	sigaddset(&some, SIGTERM);
	assert_int_equal(sigprocmask(SIG_BLOCK, &some, &before), 0);
	fixture_open(&fixture, 4711, false);
	send_request(&fixture, REQUEST_INHERITED, 0, 0);
	/* has no blob */
	run_until(&fixture, 1);
	expect_int(fixture.inherited[0], 4);
	expect_int(fixture.inherited[1], 0);
	expect_int(fixture.inherited[2], 0);
	fixture_close(&fixture);
	assert_int_equal(sigprocmask(SIG_SETMASK, &before, NULL), 0);
	(void)close(open_one);
}

/* A main that is killed takes its workers along. */
static void test_dies_with_main(void **state)
{
	int pipe_ends[2];
	pid_t main_pid, worker_pid = 0;

	(void)state;
	assert_int_equal(pipe(pipe_ends), 0);
	/* The orphan comes to this process. */
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	main_pid = fork();
	if (main_pid == 0) {
		struct fixture fixture;

		fixture_open(&fixture, 4711, false);
		send_request(&fixture, REQUEST_ECHO, 0, 0);
		run_until(&fixture, 1);
		send_request(&fixture, REQUEST_HANG, 1, 0);
		worker_pid = requests_pid(fixture.requests);
		(void)!write(pipe_ends[1], &worker_pid, sizeof(worker_pid));
		(void)raise(SIGKILL);
	}
	expect_int(read(pipe_ends[0], &worker_pid, sizeof(worker_pid)), sizeof(worker_pid));
	expect_int(waitpid(main_pid, NULL, 0), main_pid);
	expect_int(waitpid(worker_pid, NULL, 0), worker_pid);
	(void)close(pipe_ends[0]);
	(void)close(pipe_ends[1]);
}

static void test_free_while_it_hangs(void **state)
{
	struct fixture fixture;

	(void)state;
	fixture_open(&fixture, 4711, false);
	send_request(&fixture, REQUEST_ECHO, 0, 0);
	run_until(&fixture, 1);
	send_request(&fixture, REQUEST_HANG, 1, 0);
	fixture_close(&fixture);

	/* and before it was ever started */
	fixture_open(&fixture, 4711, false);
	fixture_close(&fixture);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_answers_in_order),
		cmocka_unit_test(test_each_death_costs_one_request),
		cmocka_unit_test(test_delay_grows_and_falls_back),
		cmocka_unit_test(test_lost_request_may_be_sent_again),
		cmocka_unit_test(test_death_before_ready),
		cmocka_unit_test(test_kill_from_outside),
		cmocka_unit_test(test_window),
		cmocka_unit_test(test_inherits_nothing),
		cmocka_unit_test(test_dies_with_main),
		cmocka_unit_test(test_free_while_it_hangs),
	};
	int r = worker_main(argc, argv, kinds, ARRAY_SIZE(kinds));

	return r >= 0 ? r : cmocka_run_group_tests(tests, NULL, NULL);
}

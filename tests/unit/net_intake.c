/*
 * Maildir intake through the real worker process.
 */
#include "daemon/intake/intake.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/intake/maildir.h"
#include "tests/unit/test.h"

#define MESSAGE_SIZE 1000
#define NOW INT64_C(1700000000000)

static const struct worker_kind kinds[] = {{"intake", intake_worker}};

struct message {
	char place[1024];
	int64_t arrival, size_full;
	size_t size;
	char raw[MESSAGE_SIZE + 1];
};

struct fixture {
	char path[64];
	sd_event *event;
	struct intake *intake;
	struct message messages[64]; /* the first ones */
	size_t n, batches, notices, handled, changes, deaths;
	char notice[1024];
	int scan_error; /* 1 while a scan is running, then 0 or its -errno */
	char scan_text[512];
	bool store;  /* call intake_stored() at once */
	bool handle; /* call intake_handled() at once */
};

static void on_message(void *userdata, const struct intake_message *message)
{
	struct fixture *fixture = userdata;

	if (fixture->n < ARRAY_SIZE(fixture->messages)) {
		struct message *copy = &fixture->messages[fixture->n];

		(void)snprintf(copy->place, sizeof(copy->place), "%s", message->place);
		copy->arrival = message->arrival;
		copy->size_full = message->size_full;
		copy->size = message->size;
		assert_true(message->size <= MESSAGE_SIZE);
		memcpy(copy->raw, message->raw, message->size);
		copy->raw[message->size] = '\0';
	}
	fixture->n++;
	if (fixture->store)
		expect_int(intake_stored(fixture->intake, message->place), 0);
	if (fixture->handle)
		expect_int(intake_handled(fixture->intake, message->place, INTAKE_ARCHIVE), 0);
}

static void on_batch(void *userdata)
{
	((struct fixture *)userdata)->batches++;
}

static void on_scan_done(void *userdata, int64_t round)
{
	struct fixture *fixture = userdata;

	expect_int(round, 42);
	fixture->scan_error = 0;
}

static void on_scan_failed(void *userdata, int64_t round, int error, const char *text)
{
	struct fixture *fixture = userdata;

	expect_int(round, 42);
	assert_true(error < 0);
	fixture->scan_error = error;
	(void)snprintf(fixture->scan_text, sizeof(fixture->scan_text), "%s", text);
}

static void on_handled(void *userdata, const char *place)
{
	assert_non_null(place);
	((struct fixture *)userdata)->handled++;
}

static void on_changed(void *userdata)
{
	((struct fixture *)userdata)->changes++;
}

static void on_notice(void *userdata, const char *text)
{
	struct fixture *fixture = userdata;

	fixture->notices++;
	(void)snprintf(fixture->notice, sizeof(fixture->notice), "%s", text);
}

static void on_death(void *userdata, const struct worker_death *death)
{
	assert_non_null(death->text);
	((struct fixture *)userdata)->deaths++;
}

static const struct intake_handlers handlers = {
	.on_message = on_message,
	.on_batch = on_batch,
	.on_scan_done = on_scan_done,
	.on_scan_failed = on_scan_failed,
	.on_handled = on_handled,
	.on_changed = on_changed,
	.on_notice = on_notice,
	.on_death = on_death,
};

static void fixture_path(const struct fixture *fixture, const char *name, char path[static 512])
{
	(void)snprintf(path, 512, "%s/%s", fixture->path, name);
}

static void fixture_open(struct fixture *fixture)
{
	static const char *const folders[] = {"new", "cur", "tmp"};
	struct intake_config config = {.message_size = MESSAGE_SIZE};
	char path[512];

	*fixture = (struct fixture){.path = P_tmpdir "/net_intake.XXXXXX", .store = true};
	assert_non_null(mkdtemp(fixture->path));
	for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
		fixture_path(fixture, folders[i], path);
		expect_int(mkdir(path, 0700), 0);
	}
	config.maildir = fixture->path;
	assert_true(sd_event_new(&fixture->event) >= 0);
	expect_int(intake_open(&fixture->intake, fixture->event, &config, &handlers, fixture), 0);
}

static void fixture_close(struct fixture *fixture)
{
	char command[128];

	intake_close(fixture->intake);
	sd_event_unref(fixture->event);
	(void)snprintf(command, sizeof(command), "rm -rf %s", fixture->path);
	expect_int(system(command), 0);
}

static void put(const struct fixture *fixture, const char *name, const char *text)
{
	char path[512];
	int fd;

	fixture_path(fixture, name, path);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	expect_int(write(fd, text, strlen(text)), strlen(text));
	expect_int(close(fd), 0);
}

static bool there(const struct fixture *fixture, const char *name)
{
	struct stat status;
	char path[512];

	fixture_path(fixture, name, path);
	return lstat(path, &status) == 0;
}

static size_t count(const struct fixture *fixture, const char *name)
{
	const struct dirent *item;
	char path[512];
	size_t n = 0;
	DIR *folder;

	fixture_path(fixture, name, path);
	folder = opendir(path);
	assert_non_null(folder);
	while ((item = readdir(folder)))
		n += item->d_name[0] != '.';
	(void)closedir(folder);
	return n;
}

static void turn(struct fixture *fixture)
{
	assert_true(sd_event_run(fixture->event, 20000000) > 0);
}

static void scan(struct fixture *fixture, int64_t now)
{
	fixture->n = 0;
	fixture->scan_error = 1;
	expect_int(intake_scan(fixture->intake, 42, now), 0);
	while (fixture->scan_error == 1)
		turn(fixture);
	assert_false(intake_scanning(fixture->intake));
}

static void handle(struct fixture *fixture, const char *place, enum intake_where where)
{
	size_t before = fixture->handled;

	expect_int(intake_handled(fixture->intake, place, where), 0);
	while (fixture->handled == before)
		turn(fixture);
}

static void test_order_and_arrival(void **state)
{
	static const struct {
		const char *file;
		const char *place; /* NULL: not handed over */
		int64_t arrival;
	} files[] = {
		/* in the order in which they must come */
		{"0.zero", "0.zero", 0},
		{"9.late by bytes", "9.late%20by%20bytes", 9000},
		{"10.early by bytes", "10.early%20by%20bytes", 10000},
		{"1000.M1P2.host", "1000.M1P2.host", 1000000},
		{"1000.M1P2.host.b:1,x", "1000.M1P2.host.b:1,x", 1000000},
		{"1000.a\x01\xff\n%:2,FS", "1000.a%01%FF%0A%25", 1000000},
		{"1000.b:2,", "1000.b", 1000000},
		/* by the file's own time: no number, no dot, or none that is a date */
		{"12345", "12345", 1600000000000},
		{"99999999999999999999.x", "99999999999999999999.x", 1600000000000},
		{"a.b", "a.b", 1600000000000},
		{"1700000000.now", "1700000000.now", NOW},
		{"1700000001.later", NULL, 0},
		{".hidden", NULL, 0},
	};
	struct fixture fixture;
	size_t wanted = 0;

	(void)state;
	fixture_open(&fixture);
	for (size_t i = ARRAY_SIZE(files); i-- > 0;) {
		struct timespec times[2] = {{.tv_sec = 1600000000, .tv_nsec = 999999999},
			{.tv_sec = 1600000000, .tv_nsec = 999999999}};
		char name[128], path[512];

		(void)snprintf(name, sizeof(name), "new/%s", files[i].file);
		put(&fixture, name, files[i].file);
		fixture_path(&fixture, name, path);
		expect_int(utimensat(AT_FDCWD, path, times, 0), 0);
	}
	scan(&fixture, NOW);
	expect_int(fixture.scan_error, 0);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		if (!files[i].place)
			continue;
		assert_string_equal(fixture.messages[wanted].place, files[i].place);
		expect_int(fixture.messages[wanted].arrival, files[i].arrival);
		assert_string_equal(fixture.messages[wanted].raw, files[i].file);
		wanted++;
	}
	expect_int(fixture.n, wanted);
	assert_true(fixture.batches >= 1);
	expect_int(fixture.notices, 0);

	/* Stored ones do not come again, later ones do come. */
	scan(&fixture, NOW + 1000);
	expect_int(fixture.n, 1);
	assert_string_equal(fixture.messages[0].place, "1700000001.later");
	expect_int(count(&fixture, "new"), 12);

	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		if (files[i].place)
			handle(&fixture, files[i].place, i % 2 ? INTAKE_ARCHIVE : INTAKE_JUNK);
	expect_int(count(&fixture, "new"), 1);
	expect_int(count(&fixture, "cur"), 11);
	assert_true(there(&fixture, "cur/1000.b:2,S"));
	assert_true(there(&fixture, "cur/1000.a\x01\xff\n%:2,S"));
	assert_true(there(&fixture, "cur/a.b:2,S"));
	fixture_close(&fixture);
}

static void test_cut(void **state)
{
	struct fixture fixture;
	char text[3 * MESSAGE_SIZE];

	(void)state;
	fixture_open(&fixture);
	memset(text, 'x', sizeof(text));
	text[MESSAGE_SIZE + 1] = '\0';
	put(&fixture, "new/2.long", text);
	text[MESSAGE_SIZE] = '\0';
	put(&fixture, "new/1.full", text);
	put(&fixture, "new/3.empty", "");
	scan(&fixture, NOW);
	expect_int(fixture.n, 3);
	expect_int(fixture.messages[0].size, MESSAGE_SIZE);
	expect_int(fixture.messages[0].size_full, MESSAGE_SIZE);
	expect_int(fixture.messages[1].size, MESSAGE_SIZE);
	expect_int(fixture.messages[1].size_full, MESSAGE_SIZE + 1);
	expect_int(fixture.messages[2].size, 0);
	fixture_close(&fixture);
}

static void test_hostile_folder(void **state)
{
	struct fixture fixture;
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char path[512], long_name[256 + 4];

	(void)state;
	fixture_open(&fixture);
	fixture_path(&fixture, "new/1.link", path);
	expect_int(symlink("/etc/passwd", path), 0);
	fixture_path(&fixture, "new/2.dangling", path);
	expect_int(symlink("nowhere", path), 0);
	fixture_path(&fixture, "new/3.fifo", path);
	expect_int(mkfifo(path, 0600), 0);
	fixture_path(&fixture, "new/4.folder", path);
	expect_int(mkdir(path, 0700), 0);
	fixture_path(&fixture, "new/5.\n<3>socket", path);
	assert_true(strlen(path) < sizeof(address.sun_path));
	memcpy(address.sun_path, path, strlen(path) + 1);
	expect_int(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	put(&fixture, "new/6.twin", "one");
	put(&fixture, "new/6.twin:2,S", "other");
	put(&fixture, "new/7.mail", "mail");
	memset(long_name, 'n', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = '\0';
	memcpy(long_name, "new/8.", 6);
	put(&fixture, long_name, "long");
	scan(&fixture, NOW);
	expect_int(fixture.scan_error, 0);
	expect_int(fixture.n, 3);
	assert_string_equal(fixture.messages[0].raw, "one");
	assert_string_equal(fixture.messages[1].raw, "mail");
	assert_string_equal(fixture.messages[2].raw, "long");
	expect_int(fixture.notices, 6);
	/* Each is told once, and one that turns into a mail is taken. */
	fixture_path(&fixture, "new/1.link", path);
	expect_int(unlink(path), 0);
	put(&fixture, "new/1.link", "turned");
	scan(&fixture, NOW);
	expect_int(fixture.n, 1);
	assert_string_equal(fixture.messages[0].raw, "turned");
	expect_int(fixture.notices, 6);
	/* The twin has its turn when the first is gone; nothing is overwritten. */
	handle(&fixture, "6.twin", INTAKE_ARCHIVE);
	scan(&fixture, NOW);
	expect_int(fixture.n, 1);
	assert_string_equal(fixture.messages[0].raw, "other");
	handle(&fixture, "6.twin", INTAKE_ARCHIVE);
	assert_true(there(&fixture, "cur/6.twin:2,S"));
	assert_true(there(&fixture, "cur/6.twin_1:2,S"));
	/* a name that leaves no room for the flags */
	expect_int(intake_handled(fixture.intake, long_name + 4, INTAKE_ARCHIVE), 0);
	while (intake_waiting(fixture.intake) > 0)
		turn(&fixture);
	expect_int(count(&fixture, "cur"), 3);
	(void)close(fd);
	fixture_close(&fixture);
}

static void test_notice_is_printable(void **state)
{
	struct fixture fixture;
	char path[512];

	(void)state;
	fixture_open(&fixture);
	fixture_path(&fixture, "new/5.\n<3>\\\x80", path);
	expect_int(mkfifo(path, 0600), 0);
	scan(&fixture, NOW);
	assert_string_equal(fixture.notice, "5.\\x0a<3>\\x5c\\x80: not a regular file, ignored");
	fixture_close(&fixture);
}

/* Files that vanish, and places that never were: no error. Places that are no names
 * are refused. */
static void test_vanished(void **state)
{
	static const char *const bad[] = {
		"../cur/x", ".", "a%2Fb", "a%00", "a%41", "a%", "a%4", ""};
	struct fixture fixture;
	char path[512];

	(void)state;
	fixture_open(&fixture);
	put(&fixture, "new/1.a", "a");
	scan(&fixture, NOW);
	fixture_path(&fixture, "new/1.a", path);
	expect_int(unlink(path), 0);
	handle(&fixture, "1.a", INTAKE_ARCHIVE);
	handle(&fixture, "1.never", INTAKE_JUNK);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		size_t before = fixture.notices;

		expect_int(intake_handled(fixture.intake, bad[i], INTAKE_ARCHIVE), 0);
		while (intake_waiting(fixture.intake) > 0)
			turn(&fixture);
		expect_int(fixture.notices, before + 1);
	}
	expect_int(fixture.deaths, 0);
	fixture_close(&fixture);
}

static void test_keep(void **state)
{
	struct fixture fixture;

	(void)state;
	fixture_open(&fixture);
	fixture.store = false;
	put(&fixture, "new/1.a", "a");
	scan(&fixture, NOW);
	expect_int(fixture.n, 1);
	handle(&fixture, "1.a", INTAKE_KEEP);
	scan(&fixture, NOW);
	expect_int(fixture.n, 0);
	assert_true(there(&fixture, "new/1.a"));
	fixture_close(&fixture);
}

/* Without a single intake_stored() the worker stops at the window; each one that is
 * stored lets one more through. */
static void test_flow_control(void **state)
{
	enum {
		MANY = INTAKE_WINDOW_MESSAGES + 300
	};
	struct fixture fixture;
	char name[64];

	(void)state;
	fixture_open(&fixture);
	fixture.store = false;
	for (int i = 0; i < MANY; i++) {
		(void)snprintf(name, sizeof(name), "new/%d.x", 1000 + i);
		put(&fixture, name, "x");
	}
	fixture.scan_error = 1;
	expect_int(intake_scan(fixture.intake, 42, NOW), 0);
	expect_int(intake_scan(fixture.intake, 43, NOW), -EBUSY);
	while (fixture.n < INTAKE_WINDOW_MESSAGES)
		turn(&fixture);
	while (sd_event_run(fixture.event, 300000) > 0)
		;
	expect_int(fixture.n, INTAKE_WINDOW_MESSAGES);
	expect_int(fixture.scan_error, 1);
	expect_int(intake_stored(fixture.intake, "1000.x"), 0);
	while (sd_event_run(fixture.event, 300000) > 0)
		;
	expect_int(fixture.n, INTAKE_WINDOW_MESSAGES + 1);
	fixture.store = true;
	for (int i = 1; i <= INTAKE_WINDOW_MESSAGES; i++) {
		(void)snprintf(name, sizeof(name), "%d.x", 1000 + i);
		expect_int(intake_stored(fixture.intake, name), 0);
	}
	while (fixture.scan_error == 1)
		turn(&fixture);
	expect_int(fixture.n, MANY);
	expect_int(fixture.deaths, 0);
	fixture_close(&fixture);
}

static void test_unreadable_mailbox(void **state)
{
	struct fixture fixture;
	char path[512], away[512];

	(void)state;
	fixture_open(&fixture);
	put(&fixture, "new/1.a", "a");
	fixture_path(&fixture, "new", path);
	fixture_path(&fixture, "away", away);
	expect_int(rename(path, away), 0);
	scan(&fixture, NOW);
	expect_int(fixture.scan_error, -ENOENT);
	assert_non_null(strstr(fixture.scan_text, fixture.path));
	expect_int(rename(away, path), 0);
	scan(&fixture, NOW);
	expect_int(fixture.scan_error, 0);
	expect_int(fixture.n, 1);
	fixture_close(&fixture);
}

static void expect_change(struct fixture *fixture)
{
	size_t before = fixture->changes;

	while (fixture->changes == before)
		turn(fixture);
	/* once only, until the next scan */
	while (sd_event_run(fixture->event, 200000) > 0)
		;
	expect_int(fixture->changes, before + 1);
}

static void test_changed(void **state)
{
	struct fixture fixture;
	char from[512], to[512];

	(void)state;
	fixture_open(&fixture);
	scan(&fixture, NOW);
	expect_int(fixture.changes, 0);
	put(&fixture, "new/1.a", "written in place");
	put(&fixture, "new/2.b", "written in place");
	expect_change(&fixture);
	scan(&fixture, NOW);
	expect_int(fixture.n, 2);
	put(&fixture, "tmp/3.c", "moved in");
	fixture_path(&fixture, "tmp/3.c", from);
	fixture_path(&fixture, "new/3.c", to);
	expect_int(rename(from, to), 0);
	expect_change(&fixture);
	scan(&fixture, NOW);
	expect_int(fixture.n, 1);
	/* Its own moves are nothing new. */
	handle(&fixture, "3.c", INTAKE_ARCHIVE);
	while (sd_event_run(fixture.event, 200000) > 0)
		;
	expect_int(fixture.changes, 2);
	fixture_close(&fixture);
}

/* The worker is killed in five scans, each of which has more to hand over than the window
 * lets through; what came before is decided while there is no worker. In the end every
 * message has been moved, and none came that had been moved before. */
static void test_killed_often(void **state)
{
	enum {
		MANY = INTAKE_WINDOW_MESSAGES + 400,
		A_ROUND = 40,
		ROUNDS = 5
	};
	struct fixture fixture;
	char name[64];

	(void)state;
	fixture_open(&fixture);
	fixture.store = false;
	for (int i = 0; i < MANY; i++) {
		(void)snprintf(name, sizeof(name), "new/%d.x", 1000 + i);
		put(&fixture, name, "x");
	}
	for (size_t round = 0; round < ROUNDS; round++) {
		fixture.n = 0;
		fixture.scan_error = 1;
		expect_int(intake_scan(fixture.intake, 42, NOW), 0);
		while (fixture.n < A_ROUND + round)
			turn(&fixture);
		expect_int(kill(intake_pid(fixture.intake), SIGKILL), 0);
		while (fixture.scan_error == 1)
			turn(&fixture);
		expect_int(fixture.scan_error, -EIO);
		assert_non_null(strstr(fixture.scan_text, "SIGKILL"));
		expect_int(fixture.deaths, round + 1);
		for (int i = 0; i < A_ROUND; i++) {
			(void)snprintf(name, sizeof(name), "%d.x", 1000 + (int)round * A_ROUND + i);
			assert_string_equal(fixture.messages[i].place, name);
			expect_int(intake_handled(fixture.intake, name, INTAKE_ARCHIVE), 0);
		}
		expect_int(intake_waiting(fixture.intake), A_ROUND);
	}
	fixture.handle = true;
	scan(&fixture, NOW);
	expect_int(fixture.scan_error, 0);
	expect_int(fixture.n, MANY - ROUNDS * A_ROUND);
	while (intake_waiting(fixture.intake) > 0)
		turn(&fixture);
	expect_int(fixture.handled, MANY);
	expect_int(count(&fixture, "new"), 0);
	expect_int(count(&fixture, "cur"), MANY);
	fixture_close(&fixture);
}

/* ---- maildir_move() killed at every system call ---- */

static void move_and_exit(const char *path)
{
	struct maildir maildir;
	int r;

	(void)ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	(void)raise(SIGSTOP);
	r = maildir_init(&maildir, path);
	if (r == 0)
		r = maildir_list(&maildir);
	if (r == 0)
		r = maildir_move(&maildir, "1.a");
	if (r == 0)
		r = maildir_sync(&maildir);
	_exit(r == 0 ? 0 : 1);
}

/* Kills the child at its stop number n; false when it ended before. */
static bool run_traced(const char *path, unsigned n)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		move_and_exit(path);
	expect_int(waitpid(pid, &status, 0), pid);
	for (unsigned i = 0; i < n && WIFSTOPPED(status); i++) {
		expect_int(ptrace(PTRACE_SYSCALL, pid, NULL, NULL), 0);
		expect_int(waitpid(pid, &status, 0), pid);
	}
	if (!WIFSTOPPED(status)) {
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
		return false;
	}
	expect_int(kill(pid, SIGKILL), 0);
	expect_int(waitpid(pid, &status, 0), pid);
	return true;
}

static void test_move_killed_anywhere(void **state)
{
	struct fixture fixture;
	unsigned n = 0;
	bool killed;

	(void)state;
	fixture_open(&fixture);
	do {
		char path[512];

		put(&fixture, "new/1.a", "a");
		killed = run_traced(fixture.path, n++);
		expect_int(count(&fixture, "new") + count(&fixture, "cur"), 1);
		(void)run_traced(fixture.path, UINT32_MAX);
		assert_true(there(&fixture, "cur/1.a:2,S"));
		expect_int(count(&fixture, "new"), 0);
		fixture_path(&fixture, "cur/1.a:2,S", path);
		expect_int(unlink(path), 0);
	} while (killed);
	assert_true(n > 10);
	fixture_close(&fixture);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order_and_arrival),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_hostile_folder),
		cmocka_unit_test(test_notice_is_printable),
		cmocka_unit_test(test_vanished),
		cmocka_unit_test(test_keep),
		cmocka_unit_test(test_flow_control),
		cmocka_unit_test(test_unreadable_mailbox),
		cmocka_unit_test(test_changed),
		cmocka_unit_test(test_killed_often),
		cmocka_unit_test(test_move_killed_anywhere),
	};
	int r = worker_main(argc, argv, kinds, ARRAY_SIZE(kinds));

	return r >= 0 ? r : cmocka_run_group_tests(tests, NULL, NULL);
}

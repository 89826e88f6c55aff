/*
 * Maildir delivery through the real worker process, and the target alone, killed at
 * every system call.
 */
#include "daemon/delivery/delivery.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/delivery/maildir_target.h"
#include "daemon/delivery/target.h"
#include "tests/unit/test.h"

#define NOW INT64_C(1700000000123)

static const struct worker_kind kinds[] = {{"delivery", delivery_worker}};

struct fixture {
	char path[64];
	sd_event *event;
	struct delivery *delivery;
	size_t n, deaths;
	size_t by_status[DELIVERY_LOST + 1];
	uint8_t results[2000]; /* how many for each id */
	struct delivery_result last;
	char text[DELIVERY_TEXT_MAX];
	uint8_t again[2000]; /* ids to be sent again */
};

static void on_result(void *userdata, const struct delivery_result *result)
{
	struct fixture *fixture = userdata;

	assert_true(result->id >= 0 && result->id < 2000);
	fixture->n++;
	fixture->results[result->id]++;
	fixture->by_status[result->status]++;
	fixture->again[result->id] = result->status != DELIVERY_DELIVERED;
	fixture->last = *result;
	(void)snprintf(fixture->text, sizeof(fixture->text), "%s", result->text);
}

static void on_death(void *userdata, const struct worker_death *death)
{
	assert_non_null(death->text);
	((struct fixture *)userdata)->deaths++;
}

static const struct delivery_handlers handlers = {.on_result = on_result, .on_death = on_death};

static void fixture_start(struct fixture *fixture)
{
	struct delivery_config config = {.maildir = fixture->path};

	expect_int(
		delivery_open(&fixture->delivery, fixture->event, &config, &handlers, fixture), 0);
}

static void fixture_open(struct fixture *fixture)
{
	*fixture = (struct fixture){.path = P_tmpdir "/net_delivery.XXXXXX"};
	assert_non_null(mkdtemp(fixture->path));
	assert_true(sd_event_new(&fixture->event) >= 0);
	fixture_start(fixture);
}

static void fixture_close(struct fixture *fixture)
{
	char command[128];

	delivery_close(fixture->delivery);
	sd_event_unref(fixture->event);
	(void)snprintf(command, sizeof(command), "rm -rf %s", fixture->path);
	expect_int(system(command), 0);
}

static void turn(struct fixture *fixture)
{
	assert_true(sd_event_run(fixture->event, 20000000) > 0);
}

/* Sends one mail and waits for its result. */
static void deliver(struct fixture *fixture, const struct delivery_mail *mail)
{
	size_t before = fixture->n;

	expect_int(delivery_send(fixture->delivery, mail), 0);
	while (fixture->n == before)
		turn(fixture);
	expect_int(fixture->last.id, mail->id);
}

static struct delivery_mail make_mail(int64_t id, const char *key, const char *raw)
{
	return (struct delivery_mail){.id = id,
		.now = NOW,
		.key = key,
		.from = "moves+token@club.example",
		.recipient = "anna@example.net",
		.raw = raw,
		.size = strlen(raw)};
}

/* The number of files in a folder, and the name of the last one. */
static size_t list(const char *path, const char *folder_name, char name[static 256])
{
	const struct dirent *item;
	char folder_path[512];
	size_t n = 0;
	DIR *folder;

	(void)snprintf(folder_path, sizeof(folder_path), "%s/%s", path, folder_name);
	folder = opendir(folder_path);
	if (!folder)
		return 0;
	while ((item = readdir(folder))) {
		if (item->d_name[0] == '.')
			continue;
		n++;
		(void)snprintf(name, 256, "%s", item->d_name);
	}
	(void)closedir(folder);
	return n;
}

static void expect_file(const char *path, const char *name, const char *wanted)
{
	char whole[1024], text[4096];
	ssize_t n;
	int fd;

	(void)snprintf(whole, sizeof(whole), "%s/new/%s", path, name);
	fd = open(whole, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	n = read(fd, text, sizeof(text) - 1);
	assert_true(n >= 0);
	text[n] = '\0';
	(void)close(fd);
	assert_string_equal(text, wanted);
}

static void test_file(void **state)
{
	struct fixture fixture;
	struct delivery_mail mail =
		make_mail(1, "KO-50.2/1.4@club", "Subject: x\r\n\r\na\nb\rc\r\r\nd\r\n");
	struct stat status;
	char name[256];

	(void)state;
	fixture_open(&fixture);
	deliver(&fixture, &mail);
	expect_int(fixture.last.status, DELIVERY_DELIVERED);
	expect_int(fixture.last.code, 250);
	expect_int(list(fixture.path, "new", name), 1);
	expect_int(strncmp(name, "1700000000.KO-50_2_1_4@club-", 28), 0);
	assert_string_equal(name + strlen(name) - 8, ".zugpost");
	assert_non_null(strstr(fixture.text, name));
	expect_file(fixture.path, name,
		"Return-Path: <moves+token@club.example>\nDelivered-To: anna@example.net\n"
		"Subject: x\n\na\nb\rc\r\nd\n");
	expect_int(list(fixture.path, "tmp", name), 0);
	expect_int(stat(fixture.path, &status), 0);
	expect_int(status.st_mode & 0777, 0700);

	/* the null sender, and an empty mail */
	mail = make_mail(2, "other", "");
	mail.from = "";
	deliver(&fixture, &mail);
	expect_int(list(fixture.path, "new", name), 2);
	fixture_close(&fixture);
}

static void test_once_only(void **state)
{
	struct fixture fixture;
	struct delivery_mail mail = make_mail(1, "key", "a\n");
	char name[256], from[512], to[512];

	(void)state;
	fixture_open(&fixture);
	deliver(&fixture, &mail);
	/* again, at another instant */
	mail.now += 100000;
	deliver(&fixture, &mail);
	expect_int(fixture.last.status, DELIVERY_DELIVERED);
	expect_int(list(fixture.path, "new", name), 1);

	/* again, by another worker, after it was read */
	delivery_close(fixture.delivery);
	(void)snprintf(from, sizeof(from), "%s/new/%s", fixture.path, name);
	(void)snprintf(to, sizeof(to), "%s/cur/%s:2,RS", fixture.path, name);
	expect_int(rename(from, to), 0);
	fixture_start(&fixture);
	deliver(&fixture, &mail);
	expect_int(fixture.last.status, DELIVERY_DELIVERED);
	expect_int(list(fixture.path, "new", name), 0);

	/* another recipient, another key */
	mail.recipient = "bruno@example.net";
	deliver(&fixture, &mail);
	mail.key = "key2";
	deliver(&fixture, &mail);
	expect_int(list(fixture.path, "new", name), 2);
	fixture_close(&fixture);
}

static void test_unique_names(void **state)
{
	static const struct {
		const char *key, *recipient;
	} rows[] = {
		{"a", "b"},
		{"ab", ""},
		{"", "ab"},
		{"a.", "b"},
		{"a/", "b"},
		{"a", "B"},
		{"../../etc/x", "b"},
		{"a:2,S", "b"},
		{"\n", "b"},
	};
	char seen[ARRAY_SIZE(rows)][MAILDIR_UNIQUE_MAX], long_key[1000], other[MAILDIR_UNIQUE_MAX];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		maildir_unique(rows[i].key, rows[i].recipient, seen[i]);
		expect_int(strcspn(seen[i], "/:\n"), strlen(seen[i]));
		assert_string_equal(strchr(seen[i], '.'), ".zugpost");
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(seen[i], seen[j]);
	}
	memset(long_key, 'k', sizeof(long_key) - 1);
	long_key[sizeof(long_key) - 1] = '\0';
	maildir_unique(long_key, "b", other);
	long_key[sizeof(long_key) - 2] = 'l';
	maildir_unique(long_key, "b", seen[0]);
	assert_string_not_equal(other, seen[0]);
	assert_string_equal(other + strlen(other) - 8, ".zugpost");
}

static void test_bad_addresses(void **state)
{
	static const struct {
		const char *from, *recipient;
	} rows[] = {
		{"a@b\nBcc: x", "a@b"},
		{"a@b> <c@d", "a@b"},
		{"a@b", "a@b\r\nX: y"},
		{"a@b", ""},
		{"a@b", "a\x7f@b"},
	};
	struct fixture fixture;
	char name[256];

	(void)state;
	fixture_open(&fixture);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct delivery_mail mail = make_mail((int64_t)i, "key", "x\n");

		mail.from = rows[i].from;
		mail.recipient = rows[i].recipient;
		deliver(&fixture, &mail);
		expect_int(fixture.last.status, DELIVERY_PERMANENT);
		expect_int(fixture.last.code, 553);
	}
	expect_int(list(fixture.path, "new", name), 0);
	fixture_close(&fixture);
}

static void test_unreachable(void **state)
{
	struct fixture fixture;
	struct delivery_mail mail = make_mail(1, "key", "x\n");
	char name[256], command[256];
	int fd;

	(void)state;
	fixture_open(&fixture);
	/* A file stands where the folder should be. */
	expect_int(rmdir(fixture.path), 0);
	fd = open(fixture.path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	(void)close(fd);
	deliver(&fixture, &mail);
	expect_int(fixture.last.status, DELIVERY_UNREACHABLE);
	expect_int(unlink(fixture.path), 0);
	expect_int(mkdir(fixture.path, 0700), 0);
	deliver(&fixture, &mail);
	expect_int(fixture.last.status, DELIVERY_DELIVERED);
	/* The folder is taken away under the worker, perhaps with its disk: it is waited for. */
	(void)snprintf(command, sizeof(command), "rm -rf %s", fixture.path);
	expect_int(system(command), 0);
	deliver(&fixture, &mail);
	expect_int(fixture.last.status, DELIVERY_UNREACHABLE);
	expect_int(mkdir(fixture.path, 0700), 0);
	deliver(&fixture, &mail);
	expect_int(fixture.last.status, DELIVERY_DELIVERED);
	expect_int(list(fixture.path, "new", name), 1);
	expect_int(fixture.deaths, 0);
	fixture_close(&fixture);
}

static void test_too_large(void **state)
{
	static char raw[DELIVERY_MAIL_MAX + 1];
	static char key[20000];
	struct fixture fixture;
	struct delivery_mail mail = make_mail(1, "key", "");

	(void)state;
	fixture_open(&fixture);
	mail.raw = raw;
	mail.size = sizeof(raw);
	expect_int(delivery_send(fixture.delivery, &mail), -EMSGSIZE);
	mail.size = sizeof(raw) - 1;
	deliver(&fixture, &mail);
	expect_int(fixture.last.status, DELIVERY_DELIVERED);
	memset(key, 'k', sizeof(key) - 1);
	mail.key = key;
	expect_int(delivery_send(fixture.delivery, &mail), -EMSGSIZE);
	fixture_close(&fixture);
}

/* 2000 mails while the worker is killed again and again: each mail that was taken gets
 * one result a try, and in the end there is one file for each. */
static void test_killed_often(void **state)
{
	enum {
		MANY = 2000
	};
	struct fixture fixture;
	size_t sent = 0, tries = 0, kills = 0;
	char name[256], key[64];

	(void)state;
	fixture_open(&fixture);
	memset(fixture.again, 1, MANY);
	while (fixture.by_status[DELIVERY_DELIVERED] < MANY) {
		for (; sent < MANY; sent++) {
			struct delivery_mail mail;
			int r;

			if (!fixture.again[sent])
				continue;
			(void)snprintf(key, sizeof(key), "mail-%zu", sent);
			mail = make_mail((int64_t)sent, key, "x\r\n");
			r = delivery_send(fixture.delivery, &mail);
			if (r == -EAGAIN)
				break;
			expect_int(r, 0);
			fixture.again[sent] = 0;
			tries++;
		}
		if (sent == MANY && delivery_waiting(fixture.delivery) == 0)
			sent = 0;
		if (delivery_waiting(fixture.delivery) > 0)
			turn(&fixture);
		if (kills < 12 && fixture.n > kills * 150 && delivery_pid(fixture.delivery) > 0)
			kills += kill(delivery_pid(fixture.delivery), SIGKILL) == 0;
	}
	expect_int(tries, fixture.n);
	assert_true(fixture.deaths >= 6);
	assert_true(fixture.by_status[DELIVERY_LOST] > 0);
	/* A death costs no mail but the one at hand. */
	assert_true(fixture.by_status[DELIVERY_LOST] <= fixture.deaths);
	expect_int(list(fixture.path, "new", name), MANY);
	expect_int(list(fixture.path, "tmp", name), 0);
	fixture_close(&fixture);
}

/* ---- the target killed at every system call ---- */

static void deliver_and_exit(const char *path, int64_t now)
{
	struct attempt attempt = {.mail = make_mail(1, "key", "text\r\n")};
	struct target *target;
	int r;

	(void)ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	(void)raise(SIGSTOP);
	attempt.mail.now = now;
	r = maildir_target.open(&target, &(struct target_config){.address = path});
	if (r == 0)
		r = maildir_target.deliver(target, &attempt);
	_exit(r == 0 && attempt.status == DELIVERY_DELIVERED ? 0 : 1);
}

/* Kills the child at its stop number n; false when it ended before. */
static bool run_traced(const char *path, int64_t now, unsigned n)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		deliver_and_exit(path, now);
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

static void test_killed_anywhere(void **state)
{
	static const char wanted[] =
		"Return-Path: <moves+token@club.example>\nDelivered-To: anna@example.net\ntext\n";
	char path[] = P_tmpdir "/net_delivery.XXXXXX", command[128], name[256];
	unsigned n = 0;
	bool killed;

	(void)state;
	assert_non_null(mkdtemp(path));
	(void)snprintf(command, sizeof(command), "rm -rf %s", path);
	do {
		expect_int(system(command), 0);
		expect_int(mkdir(path, 0700), 0);
		killed = run_traced(path, NOW, n++);
		/* What can be seen is complete. */
		if (list(path, "new", name) > 0)
			expect_file(path, name, wanted);
		(void)run_traced(path, NOW + (n % 2 ? 5000 : 0), UINT32_MAX);
		expect_int(list(path, "new", name), 1);
		expect_file(path, name, wanted);
	} while (killed);
	assert_true(n > 20);
	expect_int(system(command), 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_file),
		cmocka_unit_test(test_once_only),
		cmocka_unit_test(test_unique_names),
		cmocka_unit_test(test_bad_addresses),
		cmocka_unit_test(test_unreachable),
		cmocka_unit_test(test_too_large),
		cmocka_unit_test(test_killed_often),
		cmocka_unit_test(test_killed_anywhere),
	};
	int r = worker_main(argc, argv, kinds, ARRAY_SIZE(kinds));

	return r >= 0 ? r : cmocka_run_group_tests(tests, NULL, NULL);
}

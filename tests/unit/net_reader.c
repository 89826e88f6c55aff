/*
 * The reader: shut in, it must read every mail as it would outside.
 */
#include "daemon/reading/reader.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/reading/letter_json.h"
#include "tests/unit/test.h"

static const struct worker_kind kinds[] = {{"reader", reader_worker}};

struct fixture {
	sd_event *event;
	struct reader *reader;
	size_t n, deaths;
	int64_t id;
	bool lost;
	char *json;
	size_t size;
};

static void on_letter(void *userdata, int64_t id, const char *json, size_t size)
{
	struct fixture *fixture = userdata;

	fixture->n++;
	fixture->id = id;
	fixture->lost = false;
	free(fixture->json);
	fixture->json = malloc(size + 1);
	assert_non_null(fixture->json);
	memcpy(fixture->json, json, size);
	fixture->json[size] = '\0';
	fixture->size = size;
}

static void on_lost(void *userdata, int64_t id, const struct worker_death *death)
{
	struct fixture *fixture = userdata;

	assert_true(death->was_ready);
	fixture->n++;
	fixture->id = id;
	fixture->lost = true;
}

static void on_death(void *userdata, const struct worker_death *death)
{
	assert_non_null(death->text);
	((struct fixture *)userdata)->deaths++;
}

static const struct reader_handlers handlers = {
	.on_letter = on_letter, .on_lost = on_lost, .on_death = on_death};

static void fixture_open(struct fixture *fixture)
{
	*fixture = (struct fixture){0};
	assert_true(sd_event_new(&fixture->event) >= 0);
	expect_int(reader_open(&fixture->reader, fixture->event, &handlers, fixture), 0);
}

static void fixture_close(struct fixture *fixture)
{
	reader_close(fixture->reader);
	sd_event_unref(fixture->event);
	free(fixture->json);
}

static void run_until(struct fixture *fixture, size_t n)
{
	while (fixture->n < n)
		assert_true(sd_event_run(fixture->event, 30000000) > 0);
}

/* What the worker says is what the same function says here. */
static void expect_same(struct fixture *fixture, int64_t id, const char *raw, size_t size)
{
	char *json;
	size_t json_size;

	expect_int(letter_read_json(
			   raw, size < LETTER_RAW_MAX ? size : LETTER_RAW_MAX, &json, &json_size),
		0);
	expect_int(reader_read(fixture->reader, id, raw, size), 0);
	run_until(fixture, fixture->n + 1);
	expect_int(fixture->id, id);
	assert_false(fixture->lost);
	assert_string_equal(fixture->json, json);
	expect_int(fixture->size, json_size);
	free(json);
}

#define HEAD "From: Anna <anna@example.net>\r\nTo: moves@club.example\r\nSubject: x\r\n"

static const char *const mails[] = {
	HEAD "\r\n12... Nf6 13. Bg5\r\n",
	HEAD "Content-Type: text/plain; charset=koi8-r\r\n\r\n\xeb\xc6\x33\r\n",
	HEAD "Content-Type: text/plain; charset=windows-1251\r\n\r\n\xca\xf4\x33\r\n",
	HEAD "Content-Type: text/plain; charset=iso-8859-15\r\n\r\n\xa4 Sf3\r\n",
	HEAD "Content-Type: text/plain; charset=iso-2022-jp\r\n\r\n\x1b$B4{\x1b(B e4\r\n",
	HEAD "Content-Type: text/plain; charset=gb2312\r\n\r\n\xc6\xe5 e4\r\n",
	HEAD "Content-Type: text/plain; charset=big5\r\n\r\n\xb4\xd1 e4\r\n",
	HEAD "Content-Type: text/plain; charset=euc-kr\r\n\r\n\xc0\xe5 e4\r\n",
	HEAD "Content-Type: text/plain; charset=shift_jis\r\n\r\n\x8a\xfb e4\r\n",
	HEAD "Content-Type: text/plain; charset=no-such\r\n\r\n\xff\xfe\xe4\r\n",
	HEAD "Content-Type: text/plain; charset=utf-16\r\n\r\ne\0004\0\r\n",
	HEAD "Content-Type: text/plain\r\n\r\n\xeb\xcf\xce\xd8 \xc6\x33 \xd0\xd2\xc9\xd7\xc5\xd4 "
	     "\xcd\xcf\xca \xc4\xd2\xd5\xc7\r\n",
	HEAD "Content-Type: text/html; charset=utf-8\r\n\r\n"
	     "<html><body><p>13. Bg5</p><blockquote type=cite>12. Nf3</blockquote></body></html>",
	HEAD "Content-Type: multipart/alternative; boundary=b\r\n\r\n--b\r\n\r\n1. e4\r\n--b\r\n"
	     "Content-Type: text/html\r\n\r\n<b>1. e4</b>\r\n--b--\r\n",
	HEAD "Content-Transfer-Encoding: base64\r\n\r\nMS4gZTQ=\r\n",
	"From: =?koi8-r?Q?=E1=CE=CE=C1?= <anna@b\xc3\xbc"
	"cher.example>\r\n\r\n1. e4\r\n",
	HEAD "Content-Type: multipart/mixed; boundary=\"\\\"\"\r\n\r\nx\r\n",
	"",
	"\n",
};

static void test_same_inside(void **state)
{
	struct fixture fixture;

	(void)state;
	fixture_open(&fixture);
	for (size_t i = 0; i < ARRAY_SIZE(mails); i++)
		expect_same(&fixture, (int64_t)i, mails[i], strlen(mails[i]));
	expect_int(fixture.deaths, 0);
	fixture_close(&fixture);
}

static char *read_file(const char *folder, const char *name, size_t *ret_size)
{
	char path[1024];
	struct stat status;
	char *text;
	int fd;

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	expect_int(fstat(fd, &status), 0);
	text = malloc((size_t)status.st_size + 1);
	assert_non_null(text);
	expect_int(read(fd, text, (size_t)status.st_size), status.st_size);
	(void)close(fd);
	*ret_size = (size_t)status.st_size;
	return text;
}

static void test_files(void **state)
{
	const char *folder_path = getenv("READER_MAILS");
	DIR *folder = opendir(folder_path ? folder_path : TEST_DATA "/mail");
	const struct dirent *item;
	struct fixture fixture;
	int64_t id = 0;

	(void)state;
	if (!folder) {
		skip();
		return;
	}
	fixture_open(&fixture);
	while ((item = readdir(folder))) {
		char *text;
		size_t size;

		if (item->d_type != DT_REG)
			continue;
		text = read_file(
			folder_path ? folder_path : TEST_DATA "/mail", item->d_name, &size);
		expect_same(&fixture, id++, text, size);
		free(text);
	}
	(void)closedir(folder);
	expect_int(fixture.deaths, 0);
	fixture_close(&fixture);
}

/* A kill in the middle costs the message at hand and no other. */
static void test_lost(void **state)
{
	struct fixture fixture;
	size_t size = LETTER_RAW_MAX;
	char *raw = malloc(size);
	bool lost = false;

	(void)state;
	assert_non_null(raw);
	memset(raw, 'x', size);
	memcpy(raw, HEAD "\r\n", strlen(HEAD) + 2);
	fixture_open(&fixture);
	expect_same(&fixture, 0, mails[0], strlen(mails[0]));
	while (!lost) {
		size_t before = fixture.n;

		expect_int(reader_read(fixture.reader, 7, raw, size), 0);
		expect_int(reader_read(fixture.reader, 8, mails[0], strlen(mails[0])), 0);
		(void)sd_event_run(fixture.event, 0);
		expect_int(kill(reader_pid(fixture.reader), SIGKILL), 0);
		run_until(&fixture, before + 1);
		expect_int(fixture.id, 7);
		lost = fixture.lost;
		run_until(&fixture, before + 2);
		expect_int(fixture.id, 8);
		assert_false(fixture.lost);
	}
	fixture_close(&fixture);
	free(raw);
}

static void test_window(void **state)
{
	struct fixture fixture;
	int64_t id = 0;

	(void)state;
	fixture_open(&fixture);
	while (reader_read(fixture.reader, id, mails[0], strlen(mails[0])) == 0)
		id++;
	expect_int(id, READER_WINDOW);
	expect_int(reader_read(fixture.reader, id, "", 0), -EAGAIN);
	expect_int(reader_waiting(fixture.reader), READER_WINDOW);
	run_until(&fixture, READER_WINDOW);
	expect_int(fixture.id, READER_WINDOW - 1);
	expect_int(reader_read(fixture.reader, id, "", 0), 0);
	run_until(&fixture, READER_WINDOW + 1);
	fixture_close(&fixture);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_inside),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_lost),
		cmocka_unit_test(test_window),
	};
	int r = worker_main(argc, argv, kinds, ARRAY_SIZE(kinds));

	return r >= 0 ? r : cmocka_run_group_tests(tests, NULL, NULL);
}

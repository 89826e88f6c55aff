/*
 * What the IMAP session knows of a folder, without a server: names, places, order; and how
 * passwords are read.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/intake/imap_box.h"
#include "daemon/intake/imap_name.h"
#include "daemon/net/credential.h"
#include "tests/unit/test.h"

static void test_names(void **state)
{
	static const struct {
		const char *utf8, *name;
	} rows[] = {
		{"INBOX", "INBOX"},
		{"", ""},
		{"A&B", "A&-B"},
		{"&", "&-"},
		{"&-", "&--"},
		{"Entwürfe", "Entw&APw-rfe"},
		/* RFC 3501, 5.1.3 */
		{"~peter/mail/台北/日本語", "~peter/mail/&U,BTFw-/&ZeVnLIqe-"},
		{"ü", "&APw-"},
		{"üü", "&APwA,A-"},
		{"üüü", "&APwA,AD8-"},
		{"♔", "&JlQ-"},
		{"\xf0\x9d\x84\x9e", "&2DTdHg-"},
		{"a\xf0\x9d\x84\x9e&z", "a&2DTdHg-&-z"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *name = NULL;

		expect_int(imap_name_encode(rows[i].utf8, &name), 0);
		assert_string_equal(name, rows[i].name);
		free(name);
	}
}

static void test_places(void **state)
{
	static const char *const wrong[] = {"", "1.2", "0000000001.000000002",
		"0000000001,0000000002", "0000000001.00000000020", "4294967296.0000000001",
		"0000000001.4294967296", "000000000a.0000000001", "-000000001.0000000001"};
	static const uint32_t numbers[] = {0, 1, 9, 10, 99999, 4294967294u, UINT32_MAX};
	uint32_t validity, uid;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		expect_int(imap_place_read(wrong[i], &validity, &uid), -EINVAL);
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		char place[IMAP_PLACE_SIZE], next[IMAP_PLACE_SIZE];

		imap_place(numbers[i], numbers[ARRAY_SIZE(numbers) - 1 - i], place);
		expect_int(imap_place_read(place, &validity, &uid), 0);
		expect_int(validity, numbers[i]);
		expect_int(uid, numbers[ARRAY_SIZE(numbers) - 1 - i]);
		/* The store orders places by bytes. */
		if (i + 1 < ARRAY_SIZE(numbers)) {
			imap_place(7, numbers[i], place);
			imap_place(7, numbers[i + 1], next);
			assert_true(strcmp(place, next) < 0);
		}
	}
}

static void learn(struct imap_box *box, uint32_t uid, int64_t arrival)
{
	struct imap_entry *entry = imap_box_find(box, uid);

	assert_non_null(entry);
	expect_int(entry->state, IMAP_NEW);
	entry->arrival = arrival;
	entry->state = IMAP_WAITING;
}

static void expect_order(struct imap_box *box, int64_t since, const uint32_t *uids, size_t n)
{
	expect_int(imap_box_order(box, since), 0);
	expect_int(box->n_order, n);
	for (size_t i = 0; i < n; i++)
		expect_int(box->entries[box->order[i]].uid, uids[i]);
}

static void test_box(void **state)
{
	struct imap_box box = {0};

	(void)state;
	assert_null(imap_box_find(&box, 1));
	expect_int(imap_box_set(&box, (const uint32_t[]){2, 5, 7, 8}, 4), 0);
	learn(&box, 2, 300);
	learn(&box, 5, 100);
	learn(&box, 7, 100);
	learn(&box, 8, 200);
	expect_order(&box, INT64_MIN, (const uint32_t[]){5, 7, 8, 2}, 4);
	expect_order(&box, 200, (const uint32_t[]){8, 2}, 2);

	/* 5 is on its way to main, 7 is stored: both are gone from the folder, 9 is new. */
	imap_box_find(&box, 5)->state = IMAP_SENT;
	imap_box_find(&box, 7)->state = IMAP_STORED;
	expect_int(imap_box_set(&box, (const uint32_t[]){2, 8, 9}, 3), 0);
	expect_int(imap_box_find(&box, 5)->state, IMAP_SENT);
	assert_null(imap_box_find(&box, 7));
	learn(&box, 9, 50);
	expect_order(&box, INT64_MIN, (const uint32_t[]){9, 8, 2}, 3);

	/* What the server would not move waits again when it is told to. */
	imap_box_find(&box, 8)->state = IMAP_STORED;
	imap_box_find(&box, 8)->refused = true;
	imap_box_find(&box, 2)->state = IMAP_STORED;
	expect_order(&box, INT64_MIN, (const uint32_t[]){9}, 1);
	imap_box_retry(&box);
	expect_order(&box, INT64_MIN, (const uint32_t[]){9, 8}, 2);
	imap_box_clear(&box);
}

/* ---- Credentials ---- */

static void put(const char *folder, const char *name, const char *text, size_t size)
{
	char path[256];
	int fd;

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	expect_int(write(fd, text, size), size);
	expect_int(close(fd), 0);
}

static void test_credentials(void **state)
{
	static const struct {
		const char *text;
		size_t size;
		const char *wanted; /* NULL: refused */
	} rows[] = {
		{"secret", 6, "secret"},
		{"secret\n", 7, "secret"},
		{"secret\r\n", 8, "secret"},
		{" with blanks \n", 14, " with blanks "},
		{"p\xc3\xa4ss", 5, "p\xc3\xa4ss"},
		{"", 0, NULL},
		{"\n", 1, NULL},
		{"two\nlines\n", 10, NULL},
		{"secret\n\n", 8, NULL},
		{"nul\0inside", 10, NULL},
		{"tab\tinside", 10, NULL},
	};
	char folder[] = P_tmpdir "/net_imap.XXXXXX", path[64], text[256], command[96];
	struct secret file = {.kind = SECRET_FILE, .name = path};
	struct secret credential = {.kind = SECRET_CREDENTIAL, .name = (char[]){"imap"}};
	char *password = NULL, *big = calloc(1, CREDENTIAL_MAX + 2);

	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_non_null(big);
	(void)snprintf(path, sizeof(path), "%s/imap", folder);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		put(folder, "imap", rows[i].text, rows[i].size);
		text[0] = '\0';
		if (rows[i].wanted) {
			expect_int(credential_read(&file, &password, text, sizeof(text)), 0);
			assert_string_equal(password, rows[i].wanted);
			credential_free(password);
			continue;
		}
		expect_int(credential_read(&file, &password, text, sizeof(text)), -EINVAL);
		assert_non_null(strstr(text, path));
		/* The reason does not tell the content. */
		assert_null(strstr(text, "secret"));
	}
	memset(big, 'x', CREDENTIAL_MAX + 1);
	put(folder, "imap", big, CREDENTIAL_MAX + 1);
	expect_int(credential_read(&file, &password, text, sizeof(text)), -EINVAL);
	put(folder, "imap", big, CREDENTIAL_MAX);
	expect_int(unsetenv("CREDENTIALS_DIRECTORY"), 0);
	expect_int(credential_read(&credential, &password, text, sizeof(text)), -ENOENT);
	assert_non_null(strstr(text, "CREDENTIALS_DIRECTORY"));
	expect_int(setenv("CREDENTIALS_DIRECTORY", folder, 1), 0);
	expect_int(credential_read(&credential, &password, text, sizeof(text)), 0);
	expect_int(strlen(password), CREDENTIAL_MAX);
	credential_free(password);
	expect_int(unlink(path), 0);
	expect_int(mkdir(path, 0700), 0);
	expect_int(credential_read(&file, &password, text, sizeof(text)), -EINVAL);
	(void)snprintf(command, sizeof(command), "rm -rf %s", folder);
	expect_int(system(command), 0);
	free(big);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_box),
		cmocka_unit_test(test_credentials),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

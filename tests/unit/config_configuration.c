/*
 * The configuration: the sample file, and every fault that must be found.
 */
#include "tests/unit/test.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "config/configuration.h"

static bool zone_known(const char *name)
{
	return strcmp(name, "Europe/Rome") == 0 || strcmp(name, "Europe/Helsinki") == 0;
}

#define CLUB "[club]\nname=C\naddress=m@c.example\n"
#define STORE "[store]\ndirectory=/s\n"
#define BOX "[mailbox a]\nsource=maildir:/in\n"
#define OUT "[delivery]\ntarget=maildir:/out\n"

/* All faults of a text, one a line. */
static char *faults_of(const char *text, struct configuration **ret_configuration)
{
	struct fault_list faults = {0};
	char *out = NULL;
	size_t size;
	FILE *stream = open_memstream(&out, &size);

	int r = configuration_parse(
		"f", text, strlen(text), zone_known, &faults, ret_configuration);
	expect_int(r, faults.n > 0 ? FILE_FAULTY : 0);
	fault_list_print(&faults, stream);
	fault_list_release(&faults);
	(void)fclose(stream);
	return out;
}

static void reads_the_sample(void **state)
{
	struct fault_list faults = {0};
	struct configuration *c = NULL;

	(void)state;
	int r = configuration_read(SAMPLE, zone_known, &faults, &c);
	fault_list_print(&faults, stderr);
	expect_int(r, 0);
	assert_string_equal(c->club.name, "Demo Chess Club");
	assert_string_equal(c->club.address, "moves@club.example");
	assert_int_equal(c->club.separator, '+');
	assert_null(c->club.overrides);
	expect_int(c->n_mailboxes, 1);
	const struct configured_mailbox *box = &c->mailboxes[0];
	assert_string_equal(box->name, "moves");
	expect_int(box->account.url.scheme, URL_IMAPS);
	assert_string_equal(box->account.url.user, "moves");
	assert_string_equal(box->account.url.host, "mail.club.example");
	expect_int(box->account.url.port, 993);
	assert_string_equal(box->account.url.folder, "INBOX");
	expect_int(box->account.password.kind, SECRET_CREDENTIAL);
	assert_string_equal(box->account.password.name, "imap");
	expect_int(c->delivery.url.port, 465);
	expect_int(c->trust.authserv_ids.n, 1);
	assert_false(c->trust.topmost);
	expect_int(c->trust.otherwise, OTHERWISE_CONFIRM);
	expect_int(c->trust.confirm_within, 72LL * 3600000);
	expect_int(c->limits.message_size, 256 * 1024);
	expect_int(c->limits.answers_per_day, 20);
	configuration_free(c);
}

/* The sample explains every key: each stands in its section, if only as a comment. */
static void sample_names_every_key(void **state)
{
	FILE *stream = fopen(SAMPLE, "r");
	char line[256], section[32] = "";
	bool seen[64] = {false};

	(void)state;
	assert_non_null(stream);
	while (fgets(line, sizeof(line), stream)) {
		char key[64];
		const char *at = line + (*line == ';');
		(void)sscanf(at, "[%31[a-z]", section);
		if (sscanf(at, "%62[a-z-] =", key) != 1)
			continue;
		for (size_t i = 0; configuration_key(i); i++) {
			const char *name = configuration_key(i);
			if (strncmp(name, section, strlen(section)) == 0 &&
				strcmp(name + strlen(section) + 1, key) == 0)
				seen[i] = true;
		}
	}
	(void)fclose(stream);
	for (size_t i = 0; configuration_key(i); i++)
		if (!seen[i])
			fail_msg("the sample does not name %s", configuration_key(i));
}

static void has_defaults(void **state)
{
	struct configuration *c = NULL;
	char *faults = faults_of(CLUB STORE BOX OUT, &c);

	(void)state;
	assert_string_equal(faults, "");
	free(faults);
	assert_string_equal(c->club.timezone, "UTC");
	assert_string_equal(c->club.language, "en");
	expect_int(c->club.separator, '+');
	expect_int(c->trust.confirm_within, 72LL * 3600000);
	expect_int(c->limits.message_size, 256 * 1024);
	assert_string_equal(c->delivery.url.path, "/out");
	configuration_free(c);
}

#define NOT_ACCOUNT(line)                                                                        \
	"f:" line ": an account needs the name that the machine knows it by, up to 64 letters, " \
	"digits, '.', '_', '-' or '@': [account NAME]\n"
#define CODES "codes of tournaments separated by commas, where a * at the end stands for any rest"

static const struct {
	const char *text, *faults;
} cases[] = {
	{"", "f:0: [club] lacks name\nf:0: [club] lacks address\nf:0: [store] lacks directory\n"
	     "f:0: there is no [mailbox NAME]\nf:0: there is no [delivery]\n"},
	{CLUB "admn=x\n" STORE BOX OUT "[extra]\nx=1\n[club x]\n",
		"f:4: unknown key \"admn\" in [club]\nf:11: unknown section [extra]\n"
		"f:13: section [club] takes no name\n"},
	{CLUB "timezone=Europe/Atlantis\nlanguage=xx\nseparator=++\narbiter=a@b@c\n" STORE BOX OUT,
		"f:4: timezone: \"Europe/Atlantis\" is refused: wanted is a name of the system's "
		"list of time zones\n"
		"f:6: separator: \"++\" is refused: wanted is one of + - = _ . ~ #\n"
		"f:7: arbiter: \"a@b@c\" is refused: wanted is one mailbox: an address or "
		"\"Name <address>\"\n"
		"f:5: language: \"xx\" is refused: wanted is a language that mails can be written "
		"in\n"},
	{"[club]\nname=C\naddress=m@c.example\n x\n" STORE BOX OUT,
		"f:3: address: \"m@c.example x\" is refused: wanted is a plain address, "
		"local@domain, "
		"with at most 42 characters before the @\n"},
	{CLUB STORE "[mailbox a]\nsource=smtp://x@h\npassword=secret\n" OUT,
		"f:7: source: \"smtp://x@h\" is refused: a mailbox is read from imaps://, imap:// "
		"or "
		"maildir:/PATH\n"
		"f:8: password: \"...\" is refused: wanted is credential:NAME or file:/PATH; "
		"the "
		"password itself has no place here\n"},
	{CLUB STORE "[mailbox a]\nsource=imaps://u:secret@h\npassword=file:/p\n" OUT,
		"f:7: source: \"...\" is refused: a password has no place in a URL; an '@' or ':' "
		"of the user is written %40 or %3A\n"},
	{CLUB STORE "[mailbox a]\nsource=imaps://u@h\npassword=secret\n[mailbox b]\n" OUT,
		"f:8: password: \"...\" is refused: wanted is credential:NAME or file:/PATH; "
		"the "
		"password itself has no place here\nf:9: [mailbox] lacks source\n"},
	{CLUB STORE "[mailbox]\nsource=imap://u@h\ntls=none\npassword=file:/p\n" OUT,
		"f:6: a mailbox needs a name of up to 32 letters, digits, '.', '_' or '-': "
		"[mailbox NAME]\n"
		"f:8: tls = none in [mailbox] is for imap:// or smtp:// on the loopback host "
		"only\n"},
	{CLUB STORE "[mailbox a]\nsource=imap://u@127.0.0.1:1143\ntls=none\npassword=file:/p\n" OUT,
		""},
	{CLUB STORE "[mailbox a]\nsource=imaps://h\n[mailbox b]\nsource=imaps://u@h\n"
		    "[delivery]\ntarget=smtp://[::1]:25\ntls=none\n",
		"f:7: the source of [mailbox] names no user (imaps://USER@HOST/FOLDER)\n"
		"f:8: [mailbox] lacks password\n"},
	{CLUB STORE BOX OUT "[trust]\nauthserv-id=a, topmost,\notherwise=maybe\n"
			    "confirm-within=72\n[limits]\nmessage-size=1K\nanswers-per-day=-1\n",
		"f:11: authserv-id: \"a, topmost,\" is refused: wanted is host names separated by "
		"commas, or topmost\n"
		"f:12: otherwise: \"maybe\" is refused: wanted is confirm, accept or reject\n"
		"f:13: confirm-within: \"72\" is refused: wanted is a duration from 1min to 366d, "
		"such "
		"as 72h\n"
		"f:15: message-size: \"1K\" is refused: wanted is a size from 4K to 64M\n"
		"f:16: answers-per-day: \"-1\" is refused: wanted is a number up to 100000\n"},
	{CLUB STORE BOX OUT "[account alice]\nrole=admin\n[account t.o_b-y9@x.example]\n"
			    "role = arbiter\nevents = KO-50.2, CUP-*, *\n[account pc$]\n"
			    "role=admin\n",
		""},
	{CLUB STORE BOX OUT "[account]\nrole=admin\n[account -x]\n[account 1000]\n"
			    "[account a b]\n[account a$b]\n[account a:b]\n",
		NOT_ACCOUNT("10") NOT_ACCOUNT("12") NOT_ACCOUNT("13") NOT_ACCOUNT("14")
			NOT_ACCOUNT("15") NOT_ACCOUNT("16")},
	{CLUB STORE BOX OUT "[account a]\n[account b]\nrole=boss\n[account c]\nrole=arbiter\n"
			    "[account d]\nrole=admin\nevents=X\n[account e]\nrole=arbiter\n"
			    "events=A*B\n[account f]\nrole=arbiter\nevents=A,,B\n[account a]\n",
		"f:12: role: \"boss\" is refused: wanted is admin or arbiter\n"
		"f:20: events: \"A*B\" is refused: wanted is " CODES "\n"
		"f:23: events: \"A,,B\" is refused: wanted is " CODES "\n"
		"f:24: section [account a] comes twice\n"
		"f:10: [account a] lacks role\n"
		"f:13: [account c] lacks events\n"
		"f:17: [account d] is an admin's: events are named for arbiters\n"},
};

static void finds_every_fault(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct configuration *c = NULL;
		char *faults = faults_of(cases[i].text, &c);
		assert_string_equal(faults, cases[i].faults);
		free(faults);
		configuration_free(c);
	}
}

static void covers_events(void **state)
{
	static const struct {
		const char *events, *code;
		bool covers;
	} rows[] = {
		{"KO-50.2", "KO-50.2", true},
		{"KO-50.2", "KO-50.21", false},
		{"KO-50.2", "KO-50.", false},
		{"KO-50.2", "ko-50.2", false},
		{"CUP-*", "CUP-", true},
		{"CUP-*", "CUP-2026", true},
		{"CUP-*", "CUP", false},
		{"CUP-*", "XCUP-1", false},
		{"A, B*", "B7", true},
		{"A, B*", "A7", false},
		{"*", "anything", true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct configured_account account = {.role = ROLE_ARBITER};
		expect_int(account_take_events(&account, rows[i].events, 1), 0);
		if (account_covers(&account, rows[i].code) != rows[i].covers)
			fail_msg("%s and %s", rows[i].events, rows[i].code);
		account.role = ROLE_NONE;
		assert_false(account_covers(&account, rows[i].code));
		account.role = ROLE_ADMIN;
		assert_true(account_covers(&account, rows[i].code));
		account_release(&account);
	}
}

static void missing_file_is_one_fault(void **state)
{
	struct fault_list faults = {0};
	struct configuration *c = NULL;

	(void)state;
	expect_int(configuration_read("/nonexistent/x", zone_known, &faults, &c), FILE_FAULTY);
	expect_int(faults.n, 1);
	fault_list_release(&faults);
}

/* scheme user host port folder path loopback, or NULL if the URL is refused */
static const struct {
	const char *text, *wanted;
} urls[] = {
	{"imaps://moves%40club.example@mail.club.example:1993/In%20box",
		"2 moves@club.example mail.club.example 1993 In box - 0"},
	{"imap://u@localhost", "1 u localhost 143 INBOX - 1"},
	{"imaps://u@[::1]:7/a/b", "2 u ::1 7 a/b - 1"},
	{"imaps://u@127.9.9.9/", "2 u 127.9.9.9 993 INBOX - 1"},
	{"smtps://h", "4 - h 465 - - 0"},
	{"SMTP://u@h/", "3 u h 587 - - 0"},
	{"maildir:/var/mail x", "0 - - 0 - /var/mail x 0"},
	{"maildir:///var", "0 - - 0 - /var 0"},
	{"maildir:var", NULL},
	{"maildir:/", NULL},
	{"imaps://u:p@h", NULL},
	{"imaps://u@x@h", NULL},
	{"imaps://@h", NULL},
	{"imaps://u@", NULL},
	{"imaps://u@h:0", NULL},
	{"imaps://u@h:65536", NULL},
	{"imaps://u@h:", NULL},
	{"imaps://u@h:99x", NULL},
	{"imaps://u@[::1", NULL},
	{"imaps://u@[h]", NULL},
	{"imaps://u%0d%0aX@h", NULL},
	{"imaps://u%00@h", NULL},
	{"imaps://u%4@h", NULL},
	{"imaps://u%4", NULL},
	{"imaps://u@h/%", NULL},
	{"imaps://u@h/a?b", NULL},
	{"smtp://h/folder", NULL},
	{"pop3://h", NULL},
	{"imaps://u@h h", NULL},
	{"", NULL},
};

static void reads_urls(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(urls); i++) {
		struct mail_url url;
		const char *why = NULL;
		char text[300];
		int r = value_url(urls[i].text, &url, &why);
		if (r < 0) {
			if (urls[i].wanted)
				fail_msg("%s: %s", urls[i].text, why);
			assert_non_null(why);
			continue;
		}
		(void)snprintf(text, sizeof(text), "%d %s %s %u %s %s %d", (int)url.scheme,
			url.user ? url.user : "-", url.host ? url.host : "-", url.port,
			url.folder ? url.folder : "-", url.path ? url.path : "-", url.loopback);
		mail_url_release(&url);
		if (!urls[i].wanted)
			fail_msg("%s was taken for %s", urls[i].text, text);
		assert_string_equal(text, urls[i].wanted);
	}
}

static void knows_addresses(void **state)
{
	static const char *const good[] = {"a@b", "a.b+c=d@x-y.example", "o'neill@x.example",
		"j\xc3\xa4rvi@b", "a@\xc3\xa4.example"};
	static const char *const bad[] = {"", "a", "@b", "a@", "a@b@c", "a b@c", "a@b\n",
		"a@b\r\nX", "a..b@c", ".a@c", "a.@c", "a@.c", "a@c.", "\"a b\"@c", "a@[1.2.3.4]",
		"a,b@c", "a@b,c", "<a@b>", "a@b> BODY=8BITMIME", "\xc3@b", "a@\xff", "a\x7f@b",
		"a\xe2\x80\xae@b"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		if (!value_is_address(good[i]))
			fail_msg("\"%s\" is an address", good[i]);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		if (value_is_address(bad[i]))
			fail_msg("\"%s\" is no address", bad[i]);
}

static void reads_times(void **state)
{
	static const struct {
		const char *text;
		int64_t instant;
	} instants[] = {
		{"1970-01-01T00:00:00Z", 0},
		{"2026-01-10T09:00:00+02:00", 1768028400000},
		{"2026-01-10T07:00:00.25Z", 1768028400250},
		{"2024-02-29T23:59:59-00:30", 1709252999000},
		{"2026-01-10T09:00:00", INSTANT_NONE},
		{"2026-01-10 09:00:00Z", INSTANT_NONE},
		{"2026-02-29T00:00:00Z", INSTANT_NONE},
		{"2026-01-10T24:00:00Z", INSTANT_NONE},
		{"2026-01-10T09:00:00Zx", INSTANT_NONE},
		{"2026-01-10T09:00:00.Z", INSTANT_NONE},
		{"2026-1-10T09:00:00Z", INSTANT_NONE},
	};
	int64_t value;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(instants); i++) {
		value = INSTANT_NONE;
		int r = value_instant(instants[i].text, &value);
		expect_int(value, instants[i].instant);
		expect_int(r == 0, value != INSTANT_NONE);
	}
	expect_int(value_duration("90s", &value), 0);
	expect_int(value, 90000);
	expect_int(value_duration("15min", &value), 0);
	expect_int(value, 900000);
	expect_int(value_duration("5d", &value), 0);
	expect_int(value, 432000000);
	expect_int(value_duration("5", &value) < 0, 1);
	expect_int(value_duration("5 d", &value) < 0, 1);
	expect_int(value_duration("99999999999d", &value) < 0, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_the_sample),
		cmocka_unit_test(sample_names_every_key),
		cmocka_unit_test(has_defaults),
		cmocka_unit_test(finds_every_fault),
		cmocka_unit_test(covers_events),
		cmocka_unit_test(missing_file_is_one_fault),
		cmocka_unit_test(reads_urls),
		cmocka_unit_test(knows_addresses),
		cmocka_unit_test(reads_times),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * Replies of mail servers, what is made of them, and envelope addresses.
 */
#include "daemon/delivery/smtp_reply.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/delivery/smtp_address.h"
#include "tests/unit/test.h"

/* Feeds a copy without a NUL behind it, in pieces of so many bytes: the first result that is
 * not "more". */
static int feed(struct smtp_reply *reply, const char *bytes, size_t size, size_t piece)
{
	char *copy = malloc(size ? size : 1);
	int r = 0;

	assert_non_null(copy);
	memcpy(copy, bytes, size);
	smtp_reply_begin(reply);
	for (size_t at = 0; r == 0 && at < size;) {
		size_t used = 0, n = size - at < piece ? size - at : piece;
		r = smtp_reply_push(reply, copy + at, n, &used);
		if (r >= 0 && used == 0)
			fail_msg("nothing was used");
		at += used;
		/* What comes behind a reply is not touched. */
		if (r == 1)
			expect_int(at, size);
	}
	free(copy);
	return r;
}

static const struct {
	const char *bytes;
	int result, code, enhanced;
	const char *text;
} replies[] = {
	{"250 Ok\r\n", 1, 250, 0, "250 Ok"},
	{"250\r\n", 1, 250, 0, "250"},
	{"250 \n", 1, 250, 0, "250"},
	{"250-a\r\n250-2.1.0 b\r\n250 c\r\n", 1, 250, 0, "250 a 2.1.0 b c"},
	{"550 5.1.1 No such user\r\n", 1, 550, 511, "550 5.1.1 No such user"},
	{"550-5.1.1 No such\r\n550 5.1.1 user\r\n", 1, 550, 511, "550 5.1.1 No such user"},
	{"450 4.2.2\r\n", 1, 450, 422, "450 4.2.2"},
	/* Of another class, or no such code at all. */
	{"550 4.1.1 x\r\n", 1, 550, 0, "550 4.1.1 x"},
	{"550 5.1 x\r\n", 1, 550, 0, "550 5.1 x"},
	{"550 5.1.1x\r\n", 1, 550, 0, "550 5.1.1x"},
	{"550 <a@b.test>: no, moves+aaaaaaaaaaaaaaaaaaaa@c.test\r\n", 1, 550, 0,
		"550 [...] no, [...]"},
	{"550 \x1b[2J \xc3\xa4\r\n", 1, 550, 0, "550 ?[2J ??"},
	{"250-only more\r\n", 0, 0, 0, NULL},
	{"250 no end", 0, 0, 0, NULL},
	{"\r\n", -EBADMSG, 0, 0, NULL},
	{"25 x\r\n", -EBADMSG, 0, 0, NULL},
	{"150 x\r\n", -EBADMSG, 0, 0, NULL},
	{"650 x\r\n", -EBADMSG, 0, 0, NULL},
	{"2500 x\r\n", -EBADMSG, 0, 0, NULL},
	{"250:x\r\n", -EBADMSG, 0, 0, NULL},
	{"HTTP/1.1 400 Bad Request\r\n", -EBADMSG, 0, 0, NULL},
	{"250-a\r\n251 b\r\n", -EBADMSG, 0, 0, NULL},
};

static void test_replies(void **state)
{
	struct smtp_reply reply;
	char text[SMTP_TEXT_MAX];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(replies); i++)
		for (size_t piece = 1; piece < 40; piece += 7) {
			const char *bytes = replies[i].bytes;
			int r = feed(&reply, bytes, strlen(bytes), piece);
			if (r != replies[i].result)
				fail_msg("%s: %d", bytes, r);
			if (r <= 0)
				continue;
			smtp_reply_text(&reply, text);
			expect_int(reply.code, replies[i].code);
			expect_int(reply.enhanced[0] * 100 + reply.enhanced[1] * 10 +
					   reply.enhanced[2],
				replies[i].enhanced);
			assert_string_equal(text, replies[i].text);
		}
}

static void test_a_nul_is_no_text(void **state)
{
	struct smtp_reply reply;

	(void)state;
	expect_int(feed(&reply, "250 a\0b\r\n", 9, 3), -EBADMSG);
}

static void put(char *to, const char *text)
{
	while (*text)
		*to++ = *text++;
}

/* Whatever comes, it is refused at the caps; up to them it is taken. */
static void test_caps(void **state)
{
	static char bytes[SMTP_REPLY_MAX * 4];
	struct smtp_reply reply;
	char text[SMTP_TEXT_MAX];
	size_t size = 0;

	(void)state;
	memset(bytes, 'x', sizeof(bytes));
	put(bytes, "250 ");
	bytes[SMTP_LINE_MAX] = '\n';
	expect_int(feed(&reply, bytes, SMTP_LINE_MAX + 1, 1000), 1);
	smtp_reply_text(&reply, text);
	assert_true(strlen(text) < SMTP_TEXT_MAX);
	bytes[SMTP_LINE_MAX] = 'x';
	bytes[SMTP_LINE_MAX + 1] = '\n';
	expect_int(feed(&reply, bytes, SMTP_LINE_MAX + 2, 1000), -EMSGSIZE);
	for (int i = 0; i <= SMTP_LINES_MAX; i++, size += 7)
		put(bytes + size, "250-a\r\n");
	expect_int(feed(&reply, bytes, size, 4096), -EMSGSIZE);
	for (size = 0; size < SMTP_REPLY_MAX + 1000; size += 1000) {
		memset(bytes + size, 'y', 1000);
		put(bytes + size, "250-");
		bytes[size + 999] = '\n';
	}
	expect_int(feed(&reply, bytes, size, 4096), -EMSGSIZE);
}

static const struct {
	enum smtp_step step;
	const char *reply;
	enum delivery_status status;
	bool slow_down;
} judgements[] = {
	{SMTP_RCPT, "550 5.1.1 x\n", DELIVERY_PERMANENT, false},
	{SMTP_RCPT, "550 x\n", DELIVERY_PERMANENT, false},
	{SMTP_RCPT, "551 x\n", DELIVERY_PERMANENT, false},
	{SMTP_RCPT, "553 5.1.3 x\n", DELIVERY_PERMANENT, false},
	{SMTP_RCPT, "501 5.1.3 x\n", DELIVERY_PERMANENT, false},
	{SMTP_RCPT, "550 5.4.4 x\n", DELIVERY_PERMANENT, false},
	{SMTP_RCPT, "550 5.2.1 x\n", DELIVERY_PERMANENT, false},
	{SMTP_RCPT, "552 5.2.2 x\n", DELIVERY_TEMPORARY, false},
	{SMTP_RCPT, "452 4.2.2 x\n", DELIVERY_TEMPORARY, false},
	{SMTP_RCPT, "450 4.7.1 greylisted\n", DELIVERY_TEMPORARY, false},
	{SMTP_RCPT, "421 4.7.0 x\n", DELIVERY_TEMPORARY, true},
	{SMTP_RCPT, "452 4.5.3 x\n", DELIVERY_TEMPORARY, true},
	{SMTP_RCPT, "452 x\n", DELIVERY_TEMPORARY, true},
	{SMTP_MAIL, "452 4.3.1 x\n", DELIVERY_TEMPORARY, true},
	{SMTP_MAIL, "451 4.4.5 x\n", DELIVERY_TEMPORARY, true},
	{SMTP_RCPT, "554 5.7.1 relay access denied\n", DELIVERY_POLICY, false},
	{SMTP_MAIL, "550 5.7.1 x\n", DELIVERY_POLICY, false},
	{SMTP_MAIL, "550 5.1.8 x\n", DELIVERY_POLICY, false},
	{SMTP_MAIL, "501 x\n", DELIVERY_POLICY, false},
	{SMTP_RCPT, "503 5.5.1 x\n", DELIVERY_POLICY, false},
	{SMTP_MAIL, "552 5.3.4 x\n", DELIVERY_PERMANENT, false},
	{SMTP_MAIL, "552 x\n", DELIVERY_PERMANENT, false},
	{SMTP_MAIL, "530 5.7.0 x\n", DELIVERY_UNREACHABLE, false},
	{SMTP_RCPT, "535 5.7.8 x\n", DELIVERY_UNREACHABLE, false},
	{SMTP_END, "554 5.7.1 spam\n", DELIVERY_POLICY, false},
	{SMTP_END, "554 5.6.0 x\n", DELIVERY_PERMANENT, false},
	{SMTP_END, "554 x\n", DELIVERY_PERMANENT, false},
	{SMTP_END, "451 4.3.0 x\n", DELIVERY_TEMPORARY, false},
	{SMTP_DATA, "250 x\n", DELIVERY_LOST, false},
	{SMTP_MAIL, "354 x\n", DELIVERY_LOST, false},
};

static void test_judgements(void **state)
{
	struct smtp_reply reply;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(judgements); i++) {
		const char *bytes = judgements[i].reply;
		expect_int(feed(&reply, bytes, strlen(bytes), 100), 1);
		struct smtp_judgement judgement = smtp_judge(judgements[i].step, &reply);
		if (judgement.status != judgements[i].status ||
			judgement.slow_down != judgements[i].slow_down)
			fail_msg("%d %s: %d %d", (int)judgements[i].step, bytes,
				(int)judgement.status, judgement.slow_down);
	}
}

#define LONG_64 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

static const struct {
	const char *address;
	int result;
	const char *out;
} addresses[] = {
	{"anna@example.net", 0, "anna@example.net"},
	{"moves+abc=x@club.example", 0, "moves+abc=x@club.example"},
	{"a.b!#$%&'*/?^_`{|}~@x.y", 0, "a.b!#$%&'*/?^_`{|}~@x.y"},
	{"a..b@docomo.example", 0, "\"a..b\"@docomo.example"},
	{"ab.@docomo.example", 0, "\"ab.\"@docomo.example"},
	{"a@[192.0.2.1]", 0, "a@[192.0.2.1]"},
	{"a@[IPv6:2001:db8::1]", 0, "a@[IPv6:2001:db8::1]"},
	{"anna@b\xc3\xbc"
	 "cher.example",
		0, "anna@xn--bcher-kva.example"},
	{"\xc3\xa4nna@example.net", 1, "\xc3\xa4nna@example.net"},
	{LONG_64 "@example.net", 0, LONG_64 "@example.net"},
	{LONG_64 "a@example.net", -EINVAL, NULL},
	{"", -EINVAL, NULL},
	{"anna", -EINVAL, NULL},
	{"@example.net", -EINVAL, NULL},
	{"anna@", -EINVAL, NULL},
	{"anna@.example", -EINVAL, NULL},
	{"anna@example..net", -EINVAL, NULL},
	{"anna@example.net.", -EINVAL, NULL},
	{"anna@-x.example", -EINVAL, NULL},
	{"anna@x_y.example", -EINVAL, NULL},
	{"anna@example.net> BODY=8BITMIME", -EINVAL, NULL},
	{"a@b> SIZE=1@example.net", -EINVAL, NULL},
	{"a b@example.net", -EINVAL, NULL},
	{"a<b@example.net", -EINVAL, NULL},
	{"a\r\nRCPT TO:<x@y>@example.net", -EINVAL, NULL},
	{"a\"b@example.net", -EINVAL, NULL},
	{"a@[x> y]", -EINVAL, NULL},
	{"a@exa\xffmple.net", -EINVAL, NULL},
	{"a\xc2\x85@example.net", -EINVAL, NULL},
};

static void test_addresses(void **state)
{
	char out[SMTP_ADDRESS_MAX];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(addresses); i++) {
		int r = smtp_address(addresses[i].address, out);
		if (r != addresses[i].result)
			fail_msg("%s: %d", addresses[i].address, r);
		if (r >= 0)
			assert_string_equal(out, addresses[i].out);
	}
}

static void test_xtext(void **state)
{
	char out[16];

	(void)state;
	expect_int(smtp_xtext("a+b=c@d", out, 12), 0);
	assert_string_equal(out, "a+2Bb+3Dc@d");
	expect_int(smtp_xtext("a+b=c@d", out, 10), -EMSGSIZE);
	expect_int(smtp_xtext("a b", out, 15), -EINVAL);
	expect_int(smtp_xtext("\xc3\xa4", out, 15), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_replies),
		cmocka_unit_test(test_a_nul_is_no_text),
		cmocka_unit_test(test_caps),
		cmocka_unit_test(test_judgements),
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_xtext),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

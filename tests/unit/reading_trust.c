/*
 * Whom to believe, whom to answer: addresses, Authentication-Results and sorting.
 */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/reading/sort.h"
#include "daemon/reading/trust.h"

static const char *const ids[] = {"mx.club.example", "mxb.club.example"};
static const char *const topmost[] = {"mx.club.example", "topmost"};

static void test_authentication(void **state)
{
	(void)state;
	static const struct {
		const char *field;
		enum auth plain, with_topmost;
	} cases[] = {
		{NULL, AUTH_NONE, AUTH_NONE},
		{"", AUTH_NONE, AUTH_NONE},
		{"mx.club.example; dmarc=pass header.from=mail.test", AUTH_PASS, AUTH_PASS},
		{"MX.Club.Example; DMARC=PASS header.from=MAIL.test", AUTH_PASS, AUTH_PASS},
		{"mx.club.example 1; dmarc=pass header.from=mail.test", AUTH_PASS, AUTH_PASS},
		{"mx.club.example (c) ; dkim=pass header.d=mail.test; dmarc=pass (p=none) "
		 "header.from=mail.test",
			AUTH_PASS, AUTH_PASS},
		{"mxb.club.example; dmarc=pass header.from=mail.test", AUTH_PASS, AUTH_NONE},
		{"mx.club.example; dmarc=fail (p=reject) header.from=mail.test", AUTH_FAIL,
			AUTH_FAIL},
		{"mx.club.example; dmarc=fail (was dmarc=pass) header.from=mail.test", AUTH_FAIL,
			AUTH_FAIL},
		{"mx.club.example; dmarc=fail header.from=other.test", AUTH_FAIL, AUTH_FAIL},
		{"mx.club.example; dmarc=pass header.from=mail.test; dmarc=fail "
		 "header.from=mail.test",
			AUTH_FAIL, AUTH_FAIL},
		{"mx.club.example; dmarc=pass", AUTH_NONE, AUTH_NONE},
		{"mx.club.example; dmarc=pass header.from=other.test", AUTH_NONE, AUTH_NONE},
		{"mx.club.example; dmarc=pass header.from=sub.mail.test", AUTH_NONE, AUTH_NONE},
		{"mx.club.example; dmarc=pass header.from=mail.test header.from=other.test",
			AUTH_NONE, AUTH_NONE},
		{"mx.club.example; dmarc=none header.from=mail.test", AUTH_NONE, AUTH_NONE},
		{"mx.club.example; dkim=pass header.d=mail.test", AUTH_NONE, AUTH_NONE},
		{"mx.club.example; none", AUTH_NONE, AUTH_NONE},
		{"mx.club.example", AUTH_NONE, AUTH_NONE},
		{"mx.club.example; x-dmarc=pass header.from=mail.test", AUTH_NONE, AUTH_NONE},
		{"mx.club.example; spf=pass smtp.mailfrom=\"a; dmarc=pass header.from=mail.test\"",
			AUTH_NONE, AUTH_NONE},
		{"mx.club.example; spf=pass (a; dmarc=pass header.from=mail.test)", AUTH_NONE,
			AUTH_NONE},
		{"mx.club.example; spf=pass (a \\) dmarc=pass); dmarc=fail header.from=mail.test",
			AUTH_FAIL, AUTH_FAIL},
		{"mx.club.example; spf=pass (open; dmarc=pass header.from=mail.test", AUTH_NONE,
			AUTH_NONE},
		{"mx.club.example.attacker.test; dmarc=pass header.from=mail.test", AUTH_NONE,
			AUTH_NONE},
		{"attacker.test mx.club.example; dmarc=pass header.from=mail.test", AUTH_NONE,
			AUTH_NONE},
		{"topmost; dmarc=pass header.from=mail.test", AUTH_NONE, AUTH_NONE},
		{"spf=pass smtp.mailfrom=x; dmarc=pass action=none "
		 "header.from=mail.test;compauth=pass",
			AUTH_NONE, AUTH_PASS},
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct letter letter = {
			.from_address = "anna@mail.test", .authentication = cases[i].field};
		enum auth plain = trust_authentication(&letter, ids, ARRAY_SIZE(ids));
		enum auth with = trust_authentication(&letter, topmost, ARRAY_SIZE(topmost));
		if (plain != cases[i].plain || with != cases[i].with_topmost)
			fail_msg("[%s]: %d and %d", cases[i].field, (int)plain, (int)with);
	}
	struct letter nobody = {
		.authentication = "mx.club.example; dmarc=pass header.from=mail.test"};
	expect_int(trust_authentication(&nobody, ids, ARRAY_SIZE(ids)), AUTH_NONE);
	struct letter idn = {.from_address = "a@b\xc3\xbc"
					     "cher.test",
		.authentication = "mx.club.example; dmarc=pass header.from=xn--bcher-kva.test"};
	expect_int(trust_authentication(&idn, ids, ARRAY_SIZE(ids)), AUTH_PASS);
}

static void test_addresses(void **state)
{
	(void)state;
	static const struct {
		const char *address, *key; /* NULL: no address */
	} cases[] = {
		{"anna@mail.test", "anna@mail.test"},
		{"Anna@MAIL.Test", "anna@mail.test"},
		{"\"anna\"@mail.test", "anna@mail.test"},
		{"\"an\\na\"@mail.test", "anna@mail.test"},
		{"anna@mail.test.", "anna@mail.test"},
		{"posta@perch\xc3\xa9.example", "posta@xn--perch-fsa.example"},
		{"posta@xn--perch-fsa.example", "posta@xn--perch-fsa.example"},
		{"anna+chess@mail.test", "anna+chess@mail.test"},
		{"\"a@b\"@mail.test", "a@b@mail.test"},
		{"anna@my_host.test", "anna@my_host.test"},
		{"anna", NULL},
		{"@mail.test", NULL},
		{"anna@", NULL},
		{"anna@mail test", NULL},
		{"an\nna@mail.test", NULL},
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *key = NULL;
		int r = address_key(cases[i].address, &key);
		if ((r == 0) != (cases[i].key != NULL) || (key && strcmp(key, cases[i].key) != 0))
			fail_msg("[%s] is [%s], %d", cases[i].address, key ? key : "", r);
		free(key);
	}
	assert_true(address_same("Anna@x.test", "anna@X.TEST"));
	assert_false(address_same("anna@x.test", "anna@x.test.example"));
	assert_false(address_same("anna", "anna"));
}

static void test_sorting(void **state)
{
	(void)state;
	static const char *const ours[] = {"moves@club.example"};
	const struct {
		const char *what;
		struct letter letter;
		enum letter_sort sort;
		bool answer;
	} cases[] = {
		{"plain", {.subject = "Re: x"}, SORT_PERSON, true},
		{"no", {.subject = "", .auto_submitted = "no"}, SORT_PERSON, true},
		{"auto", {.subject = "", .auto_submitted = "auto-replied"}, SORT_AUTO, false},
		{"extension", {.subject = "", .auto_submitted = "x-vendor"}, SORT_AUTO, false},
		{"null path", {.subject = "", .null_return_path = true}, SORT_AUTO, false},
		{"auto_reply", {.subject = "", .precedence = "auto_reply"}, SORT_AUTO, false},
		{"autoreply", {.subject = "", .autoreply = true}, SORT_AUTO, false},
		{"challenge", {.subject = "", .challenge = true}, SORT_AUTO, false},
		{"receipt", {.subject = "", .report = REPORT_DISPOSITION}, SORT_AUTO, false},
		{"bulk alone", {.subject = "", .precedence = "bulk"}, SORT_PERSON, true},
		{"list alone", {.subject = "", .list = true}, SORT_PERSON, false},
		{"bulk list", {.subject = "", .precedence = "list", .list = true}, SORT_BULK,
			false},
		{"spam", {.subject = "", .spam = true}, SORT_BULK, false},
		{"abuse", {.subject = "", .report = REPORT_ABUSE}, SORT_BULK, false},
		{"bounce",
			{.subject = "",
				.null_return_path = true,
				.report = REPORT_DELIVERY,
				.zugpost_kind = "move"},
			SORT_BOUNCE, false},
		{"prose", {.subject = "", .report = REPORT_FREE_TEXT}, SORT_BOUNCE, false},
		{"kind", {.subject = "", .zugpost_kind = "move"}, SORT_LOOP, false},
		{"x-loop", {.subject = "", .x_loop = "a@b moves@club.example"}, SORT_LOOP, false},
		{"x-loop of others", {.subject = "", .x_loop = "a@b"}, SORT_PERSON, true},
		{"our id",
			{.subject = "",
				.message_id = "move.41d4362dacba99a46097f188968aae93@CLUB.example"},
			SORT_LOOP, false},
		{"id of our server", {.subject = "", .message_id = "1@club.example"}, SORT_PERSON,
			true},
		{"our From", {.subject = "", .from_address = "Moves@club.example"}, SORT_LOOP,
			false},
		{"subject", {.subject = "Out of Office AutoReply: x"}, SORT_PERSON, false},
		{"no From", {.subject = "", .from = FROM_SEVERAL}, SORT_PERSON, false},
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		enum letter_sort sort =
			sort_letter(&cases[i].letter, "club.example", ours, ARRAY_SIZE(ours));
		bool answer = sort_may_answer(&cases[i].letter, sort);
		if (sort != cases[i].sort || answer != cases[i].answer)
			fail_msg("%s: %d, answer %d", cases[i].what, (int)sort, answer);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_authentication),
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_sorting),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * Raw mails to letters: headers, charsets, transfer encodings, structure, reports; and the wire
 * format between worker and main process.
 */
#include "test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/reading/clean.h"
#include "daemon/reading/letter_json.h"

static struct letter *read_raw(const char *raw, size_t size)
{
	/* No final NUL behind the raw bytes. */
	char *copy = malloc(size ? size : 1), *json;
	size_t json_size;
	struct letter *letter = NULL;
	assert_non_null(copy);
	memcpy(copy, raw, size);
	expect_int(letter_read_json(copy, size, &json, &json_size), 0);
	free(copy);
	expect_int(letter_from_json(json, json_size, &letter), 0);
	free(json);
	return letter;
}

static struct letter *read_text(const char *raw)
{
	return read_raw(raw, strlen(raw));
}

static void test_clean(void **state)
{
	(void)state;
	static const struct {
		const char *text, *clean;
	} cases[] = {
		{"e4", "e4"},
		{"f\xe2\x80\x8b"
		 "4",
			"f4"},                                   /* zero-width space */
		{"7.\xc2\xa0Qg4", "7. Qg4"},                     /* no-break space */
		{"O\xe2\x80\x93O", "O-O"},                       /* en dash */
		{"O\xe2\x80\x91O", "O-O"},                       /* non-breaking hyphen */
		{"12\xe2\x80\xa6 Qg6", "12... Qg6"},             /* ellipsis */
		{"\xef\xbc\x91\xef\xbc\x99\xef\xbc\x8e", "19."}, /* full width */
		{"\xe2\x80\x9cx\xe2\x80\x9d \xe2\x80\x98y\xe2\x80\x99", "\"x\" 'y'"},
		{"\xef\xbb\xbf"
		 "1.\xe2\x80\x8e"
		 "e4",
			"1.e4"}, /* BOM, LRM */
		{"a\xcd\x8f"
		 "b\xc2\xad"
		 "c",
			"abc"}, /* grapheme joiner, soft hyphen */
		{"a\r\nb\rc\n", "a\nb\nc\n"}, {"\x1b[31mred\x1b[0m", "red"},
		{"a\x01\x7f"
		 "b",
			"ab"},
		{"\xff\xc3", "\xef\xbf\xbd\xef\xbf\xbd"},
		{"\xed\xa0\x80x", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdx"}, /* lone surrogate */
		{"\xc2\xbd", "1/2"}, {"re\xcc\x81sume\xcc\x81", "r\xc3\xa9sum\xc3\xa9"},
		{"\xe2\x99\x98xc6", "\xe2\x99\x98xc6"}, /* a figurine stays */
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *text;
		size_t size;
		expect_int(clean_text(cases[i].text, strlen(cases[i].text), &text, &size), 0);
		if (strcmp(text, cases[i].clean) != 0 || size != strlen(text))
			fail_msg("[%s] became [%s]", cases[i].text, text);
		free(text);
	}
	char *line;
	size_t size;
	expect_int(clean_line("a\0b\nc\td", 7, &line, &size), 0);
	assert_string_equal(line, "ab c d");
	free(line);
}

static void test_subjects(void **state)
{
	(void)state;
	static const struct {
		const char *field, *subject;
	} cases[] = {
		{"Re: 1000- 40n", "Re: 1000- 40n"},
		{"=?utf-8?B?UmU6IFBlw7Fh?=", "Re: Pe\xc3\xb1"
					     "a"},
		{"=?utf-8?Q?Re=3A_Pe=C3=B1a?=", "Re: Pe\xc3\xb1"
						"a"},
		{"=?iso-8859-1?q?Forl=EC?=", "Forl\xc3\xac"},
		{"=?koi8-r?B?8MXU0s/X?=", "\xd0\x9f\xd0\xb5\xd1\x82\xd1\x80\xd0\xbe\xd0\xb2"},
		/* A character split over two words. */
		{"=?utf-8?B?UGXD?= =?utf-8?B?sWE=?=", "Pe\xc3\xb1"
						      "a"},
		{"=?utf-8?Q?Pe=C3?=\r\n =?utf-8?Q?=B1a?=", "Pe\xc3\xb1"
							   "a"},
		/* Blanks between words go, others stay. */
		{"=?utf-8?Q?a?= =?utf-8?Q?b?= c =?utf-8?Q?d?=", "ab c d"},
		{"x=?utf-8?Q?b?=y", "xby"},
		{"=?utf-8?Q?a b?=", "a b"},
		{"=?x-unknown?Q?caf=E9?=", "caf\xc3\xa9"},
		{"=?utf-8?X?abc?=", "=?utf-8?X?abc?="},
		{"=?utf-8?Q?open", "=?utf-8?Q?open"},
		{"per\xf2", "per\xc3\xb2"},
		{"per\xc3\xb2", "per\xc3\xb2"},
		{"a\r\n\tb", "a b"},
		{"a =?utf-8?Q?=1B[31m=0A=00b?= c", "a  b c"},
		{"", ""},
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char raw[512];
		snprintf(raw, sizeof(raw), "Subject: %s\r\nFrom: a@b.test\r\n\r\nx\r\n",
			cases[i].field);
		struct letter *letter = read_text(raw);
		if (strcmp(letter->subject, cases[i].subject) != 0)
			fail_msg("[%s] became [%s]", cases[i].field, letter->subject);
		letter_free(letter);
	}
}

static void test_from(void **state)
{
	(void)state;
	static const struct {
		const char *fields;
		enum letter_from from;
		const char *address, *name;
	} cases[] = {
		{"From: a@b.test\r\n", FROM_USABLE, "a@b.test", ""},
		{"From: Anna <a@b.test>\r\n", FROM_USABLE, "a@b.test", "Anna"},
		{"From: =?utf-8?Q?Pe=C3=B1a?= <a@b.test>\r\n", FROM_USABLE, "a@b.test",
			"Pe\xc3\xb1"
			"a"},
		{"From: \"c@d.test\" <a@b.test>\r\n", FROM_USABLE, "a@b.test", "c@d.test"},
		{"From: (c@d.test) a@b.test\r\n", FROM_USABLE, "a@b.test", ""},
		{"From: \"c@d.test\"@b.test\r\n", FROM_USABLE, "c@d.test@b.test", ""},
		{"From: \r\n\t(home) < a@b.test >\r\n", FROM_USABLE, "a@b.test", ""},
		{"From: <@x.test,@y.test:a@b.test>\r\n", FROM_USABLE, "a@b.test", ""},
		{"From : a@b.test\r\n", FROM_USABLE, "a@b.test", ""},
		{"", FROM_MISSING, NULL, ""},
		{"From: \r\n", FROM_MISSING, NULL, ""},
		{"From: a@b.test\r\nFrom: a@b.test\r\n", FROM_SEVERAL, NULL, ""},
		{"From: a@b.test, c@d.test\r\n", FROM_SEVERAL, NULL, ""},
		{"From: a@b.test,\r\n c@d.test\r\n", FROM_SEVERAL, NULL, ""},
		{"From: players: a@b.test;\r\n", FROM_GROUP, NULL, ""},
		{"From: c@d.test <a@b.test>\r\n", FROM_INVALID, NULL, ""},
		{"From: Anna <c@d.test> <a@b.test>\r\n", FROM_INVALID, NULL, ""},
		{"From: Anna\r\n", FROM_INVALID, NULL, ""},
		{"From: =?utf-8?Q?c=40d.test=00?=@b.test\r\n", FROM_INVALID, NULL, ""},
		{"From: =?utf-8?Q?c=0A?= <a@b.test>\r\n", FROM_INVALID, NULL, ""},
		{"From: Anna <a@b.test\r\n", FROM_INVALID, NULL, ""},
		{"From: (open a@b.test\r\n", FROM_INVALID, NULL, ""},
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char raw[512];
		snprintf(raw, sizeof(raw), "Subject: x\r\n%s\r\nx\r\n", cases[i].fields);
		struct letter *letter = read_text(raw);
		const char *address = letter->from_address ? letter->from_address : "(none)";
		if (letter->from != cases[i].from ||
			strcmp(address, cases[i].address ? cases[i].address : "(none)") != 0 ||
			strcmp(letter->from_name, cases[i].name) != 0)
			fail_msg("[%s]: %d [%s] [%s]", cases[i].fields, (int)letter->from, address,
				letter->from_name);
		letter_free(letter);
	}
}

static void test_fields(void **state)
{
	(void)state;
	struct letter *letter =
		read_text("From x Mon Jan  1 00:00:00 2024\r\n"
			  "Return-Path: <>\r\n"
			  "Delivered-To: moves+abc@club.test\r\n"
			  "Authentication-Results: mx;\r\n\tdmarc=pass header.from=b.test\r\n"
			  "Authentication-Results: forged\r\n"
			  "From: a@b.test\r\n"
			  "To: Club <moves+def@club.test>, other@b.test\r\n"
			  "Cc: third@b.test\r\n"
			  "Reply-To: r@b.test\r\n"
			  "Message-ID: <1@b.test>\r\n"
			  "In-Reply-To: your mail <2@club.test> of today\r\n"
			  "References: <0@club.test>\r\n <1@club.test> <2@club.test>\r\n"
			  "Auto-Submitted: No (really)\r\n"
			  "Precedence: Bulk\r\n"
			  "List-Id: <l.test>\r\n"
			  "X-Loop: m@club.test\r\n"
			  "X-Spam-Flag: YES\r\n"
			  "Zugpost-Kind: move\r\n"
			  "\r\n"
			  "Hi\r\n");
	expect_int(letter->n_recipients, 4);
	assert_string_equal(letter->recipients[0], "moves+abc@club.test");
	assert_string_equal(letter->recipients[1], "moves+def@club.test");
	assert_string_equal(letter->recipients[3], "third@b.test");
	assert_string_equal(letter->reply_to, "r@b.test");
	assert_string_equal(letter->message_id, "1@b.test");
	assert_string_equal(letter->in_reply_to, "2@club.test");
	expect_int(letter->n_references, 3);
	assert_string_equal(letter->references[2], "2@club.test");
	assert_string_equal(letter->auto_submitted, "no");
	assert_string_equal(letter->precedence, "bulk");
	assert_string_equal(letter->x_loop, "m@club.test");
	assert_string_equal(letter->zugpost_kind, "move");
	assert_string_equal(letter->authentication, "mx; dmarc=pass header.from=b.test");
	assert_true(letter->null_return_path && letter->list && letter->spam);
	assert_string_equal(letter->text, "Hi\n");
	letter_free(letter);
}

/* One body in many wrappings. */
static void test_bodies(void **state)
{
	(void)state;
	static const struct {
		const char *header, *body, *text;
	} cases[] = {
		{"", "caf\xe9 e4\r\n", "caf\xc3\xa9 e4\n"},
		{"Content-Type: text/plain; charset=us-ascii\r\n", "caf\xc3\xa9\r\n",
			"caf\xc3\xa9\n"},
		{"Content-Type: text/plain; charset=utf-8\r\n",
			"a\x80\x80\x80"
			"e\xe9\r\n",
			"a\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac"
			"e\xc3\xa9\n"},
		{"Content-Type: text/plain; charset=\"iso-8859-1\"\r\n", "\x93x\x94\r\n",
			"\"x\"\n"},
		{"Content-Type: text/plain; charset=utf-8//IGNORE\r\n", "caf\xe9\r\n",
			"caf\xc3\xa9\n"},
		{"Content-Type: text/plain; charset=\r\n", "caf\xe9\r\n", "caf\xc3\xa9\n"},
		{"Content-Type: text/plain; charset=iso-8859-8-i\r\n", "\xf9\xec\xe5\xed\r\n",
			"\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d\n"},
		{"Content-Transfer-Encoding: quoted-printable\r\n",
			"caf=E9 e8=3DQ e8=Q 1=2. =\r\nNf3 =  \r\nx=\r\n",
			"caf\xc3\xa9 e8=Q e8=Q 1=2. Nf3 x\n"},
		{"Content-Transfer-Encoding: quoted-printable\r\n", "a=0D=0Ab=0D\r\nc\r\n",
			"a\nb\nc\n"},
		{"Content-Transfer-Encoding: base64\r\n",
			"MTIuIE5m\r\nMyBkNQ==\r\n-- \r\nAdded by X.\r\n",
			"12. Nf3 d5\n-- \nAdded by X.\n"},
		{"Content-Transfer-Encoding: base64\r\n", "MTIuIE4=ZjMgZDU=", "12. Nf3 d5\n"},
		{"Content-Transfer-Encoding: 8-bit\r\n", "e4\r\n", "e4\n"},
		{"Content-Transfer-Encoding: QUOTED-PRINTABLE (yes)\r\n", "e8=3DQ\r\n", "e8=Q\n"},
		{"Content-Type: text\r\n", "e4\r\n", "e4\n"},
		{"Content-Type: text/plain; format=flowed\r\n",
			"12... Nf6 \r\n13. Bg5\r\n> a \r\n> b\r\n>> c\r\n-- \r\nx\r\n",
			"12... Nf6 13. Bg5\n> a b\n>> c\n-- \nx\n"},
		{"Content-Type: text/plain; format=flowed; delsp=yes\r\n", "13. B \r\ng5\r\n",
			"13. Bg5\n"},
		{"Content-Type: text/html\r\n", "<p>12... Nf6</p><p>13.&nbsp;B<b>g</b>5<br>Hi</p>",
			"12... Nf6\n13. Bg5\nHi\n"},
		{"Content-Type: text/html\r\n", "<meta charset=\"koi8-r\"><p>\xf0\xc5\xd4",
			"\xd0\x9f\xd0\xb5\xd1\x82\n"},
		{"Content-Type: text/html\r\n", "<table><tr><td>12.</td><td>Nf3</td></tr></table>",
			"12. Nf3\n"},
		{"Content-Type: text/html\r\n",
			"<div>e4<span style='display : NONE !important'>d4</span><i hidden>c4</i>"
			"<p style=\"font-size:0px\">b4</p><s>a4</s><template>g4</template></div>",
			"e4\n"},
		{"Content-Type: text/html\r\n",
			"<style>.x{color:red}.q, p.z{display:none}</style><p class=x>e4<p "
			"class=\"a q\">d4<p "
			"class=z>c4",
			"e4\n"},
		{"Content-Type: text/html\r\n",
			"e4<blockquote type=cite>old<blockquote "
			"type=cite>older</blockquote></blockquote>d4",
			"e4\n> old\n> > older\nd4\n"},
		{"Content-Type: text/html\r\n",
			"<blockquote>mine</blockquote>He wrote:<blockquote>his</blockquote>",
			"mine\nHe wrote:\n> his\n"},
		{"Content-Type: text/html\r\n", "<html><body>e4</body></html><p>d4", "e4\nd4\n"},
		{"Content-Type: text/html\r\n",
			"<![if !mso]>e4<![endif]><!--[if mso]>d4<![endif]-->", "e4\n"},
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char raw[1024];
		snprintf(raw, sizeof(raw), "From: a@b.test\r\n%s\r\n%s", cases[i].header,
			cases[i].body);
		struct letter *letter = read_text(raw);
		if (strcmp(letter->text, cases[i].text) != 0)
			fail_msg("%s%s\nbecame [%s]", cases[i].header, cases[i].body, letter->text);
		letter_free(letter);
	}
	/* NUL bytes do not end anything. */
	static const char nul[] = "From: a@b.test\r\n\r\n12. N\0f3\0 d5\r\n";
	struct letter *letter = read_raw(nul, sizeof(nul) - 1);
	assert_string_equal(letter->text, "12. Nf3 d5\n");
	letter_free(letter);
}

#define MULTI(kind) "From: a@b.test\nContent-Type: multipart/" kind "; boundary=b\n\n"
#define PART(type, body) "--b\nContent-Type: " type "\n\n" body "\n"

static void test_structure(void **state)
{
	(void)state;
	static const struct {
		const char *raw, *text, *other;
		const char *facts; /* letters: see below */
	} cases[] = {
		{MULTI("alternative") PART("text/plain", "e4")
				PART("text/html", "<p>e4 </p>") "--b--\n",
			"e4\n", "e4\n", ""},
		{MULTI("alternative") PART("text/html", "<p>d4</p>")
				PART("text/plain", "e4") "--b--\n",
			"e4\n", "d4\n", ""},
		{MULTI("alternative") PART("text/plain", " \n")
				PART("text/html", "<p>e4</p>") "--b--\n",
			"e4\n", "", "h"},
		{MULTI("mixed") PART("text/plain", "Hi") PART("image/png", "x")
				PART("text/plain", "e4") "--b--\n",
			"Hi\ne4\n", "", "a"},
		{MULTI("mixed") PART("text/plain", "e4")
				PART("text/plain; name=x.txt", "d4") "--b--\n",
			"e4\n", "", "a"},
		{MULTI("mixed") PART("text/plain", "e4")
				PART("text/plain\nContent-Disposition: attachment", "d4") "--b--\n",
			"e4\n", "", "a"},
		{MULTI("mixed") PART("text/plain", "e4")
				PART("message/rfc822", "Subject: x\n\nd4") "--b--\n",
			"e4\n", "", "m"},
		{MULTI("signed") PART("text/plain", "e4")
				PART("application/pgp-signature", "x") "--b--\n",
			"e4\n", "", "s"},
		{MULTI("encrypted") PART("application/pgp-encrypted", "Version: 1")
				PART("application/octet-stream", "x") "--b--\n",
			"", "", "ae"},
		{MULTI("mixed") PART("application/ms-tnef; name=winmail.dat", "x") "--b--\n", "",
			"", "at"},
		{MULTI("digest") "--b\n\nSubject: x\n\ne4\n--b--\n", "", "", "m"},
		{"From: a@b.test\nContent-Type: message/rfc822\n\nSubject: x\n\ne4\n", "", "", "m"},
		{"From: a@b.test\nContent-Type: message/partial; id=x; number=1\n\ne4\n", "", "",
			"p"},
		{"From: a@b.test\nContent-Type: application/zip\n\nPK\n", "", "", "a"},
		{MULTI("mixed") PART("text/plain", "e4"), "e4\n", "", ""}, /* no last delimiter */
		{MULTI("mixed") "e4\n", "e4\n", "", ""},                   /* no delimiter at all */
		{"From: a@b.test\nContent-Type: multipart/mixed\n\n" PART(
			 "text/plain", "e4") "--b--\n",
			"e4\n", "", ""}, /* no boundary named */
		{MULTI("mixed") "--b\n\ne4\n--b--\n", "e4\n", "", ""},
		{"From: a@b.test\nContent-Type: multipart/mixed; "
		 "boundary==_b:?\n\n--=_b:?\n\ne4\n--=_b:?--\n",
			"e4\n", "", ""},
		{"From: a@b.test\n\n", "", "", ""},
		{"From: a@b.test", "", "", ""},
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct letter *letter = read_text(cases[i].raw);
		char facts[10] = "";
		size_t n = 0;
		if (letter->attachments)
			facts[n++] = 'a';
		if (letter->encrypted)
			facts[n++] = 'e';
		if (letter->from_html)
			facts[n++] = 'h';
		if (letter->attached_message)
			facts[n++] = 'm';
		if (letter->partial)
			facts[n++] = 'p';
		if (letter->is_signed)
			facts[n++] = 's';
		if (letter->tnef_only)
			facts[n++] = 't';
		if (strcmp(letter->text, cases[i].text) != 0 ||
			strcmp(letter->other_text, cases[i].other) != 0 ||
			strcmp(facts, cases[i].facts) != 0)
			fail_msg("%s\nbecame [%s] [%s] [%s]", cases[i].raw, letter->text,
				letter->other_text, facts);
		letter_free(letter);
	}
}

static void test_reports(void **state)
{
	(void)state;
	struct letter *letter = read_text(
		"Return-Path: <>\nFrom: MAILER-DAEMON@x.test\n"
		"Content-Type: multipart/report; report-type=delivery-status; boundary=b\n\n"
		"--b\n\nSorry.\n"
		"--b\nContent-Type: message/delivery-status\n\n"
		"Reporting-MTA: dns; x.test\n\n"
		"Final-Recipient: rfc822; other@x.test\nOriginal-Recipient: rfc822; a@b.test\n"
		"Action: Failed\nStatus: 5.1.1 (none)\n\n"
		"Final-Recipient: c@d.test\nAction: delayed\nStatus: five\n"
		"--b\nContent-Type: message/rfc822\n\n"
		"From: Club <moves@club.test>\nMessage-ID: <7@club.test>\n\nbody\n--b--\n");
	expect_int(letter->report, REPORT_DELIVERY);
	expect_int(letter->n_report_recipients, 2);
	assert_string_equal(letter->report_recipients[0].recipient, "a@b.test");
	assert_string_equal(letter->report_recipients[0].action, "failed");
	assert_string_equal(letter->report_recipients[0].status, "5.1.1");
	assert_string_equal(letter->report_recipients[1].recipient, "c@d.test");
	assert_string_equal(letter->report_recipients[1].action, "delayed");
	assert_null(letter->report_recipients[1].status);
	assert_string_equal(letter->report_message_id, "7@club.test");
	assert_string_equal(letter->report_from, "moves@club.test");
	letter_free(letter);

	letter =
		read_text("Return-Path: <>\nFrom: MAILER-DAEMON@x.test\nSubject: failure notice\n\n"
			  "Hi. This is the qmail-send program at x.test.\n\n<a@b.test>:\n"
			  "Sorry, no mailbox here by that name. (#5.1.1)\n\n"
			  "--- Below this line is a copy of the message.\n\n"
			  "Return-Path: <t@club.test>\nFrom: moves@club.test\n"
			  "Message-ID: <8@club.test>\n\nbody\n");
	expect_int(letter->report, REPORT_FREE_TEXT);
	assert_string_equal(letter->report_recipients[0].recipient, "a@b.test");
	assert_string_equal(letter->report_message_id, "8@club.test");
	letter_free(letter);

	/* A person who speaks of a bounce is none. */
	letter = read_text("Return-Path: <a@b.test>\nFrom: a@b.test\n\nMy mail could not be "
			   "delivered.\n<c@d.test>:\n");
	expect_int(letter->report, REPORT_NONE);
	letter_free(letter);
}

static void test_limits(void **state)
{
	(void)state;
	static const struct {
		const char *head;
		char fill;
		size_t n;
		const char *unparsable; /* NULL: it is read */
	} cases[] = {
		{"From: a@b.test\nSubject: ", '(', 100000, "header-size"},
		{"From: ", '(', 51, "comment-depth"},
		{"From: a@b.test\nContent-Type: text/plain ", '(', 51, "comment-depth"},
		{"Subject: ", '(', 51, NULL},
		{"Content-Type: multipart/mixed; boundary=", 'b', 257, "boundary"},
		{"Content-Type: multipart/mixed; boundary=", 'b', 256, NULL},
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t head = strlen(cases[i].head);
		char *raw = malloc(head + cases[i].n + 10);
		assert_non_null(raw);
		memcpy(raw, cases[i].head, head);
		memset(raw + head, cases[i].fill, cases[i].n);
		memcpy(raw + head + cases[i].n, "\n\ne4\n", 6);
		struct letter *letter = read_text(raw);
		const char *found = letter->unparsable ? letter->unparsable : "";
		if (strcmp(found, cases[i].unparsable ? cases[i].unparsable : "") != 0)
			fail_msg("%s%c: [%s]", cases[i].head, cases[i].fill, found);
		letter_free(letter);
		free(raw);
	}
	static const char *const bad[] = {"\"\\\"\"", "\"\"", "", "\"a\\b\"", "\"\x01\""};
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		char raw[200];
		snprintf(raw, sizeof(raw),
			"From: a@b.test\nContent-Type: multipart/mixed; boundary=%s\n\n"
			"--\"\n\ne4\n",
			bad[i]);
		struct letter *letter = read_text(raw);
		if (!letter->unparsable || strcmp(letter->unparsable, "boundary") != 0)
			fail_msg("boundary=%s was let through", bad[i]);
		letter_free(letter);
	}
	struct letter *empty = read_raw("", 0);
	assert_string_equal(empty->unparsable, "empty");
	letter_free(empty);
}

/* The main process does not trust what the worker says. */
static void test_wire(void **state)
{
	(void)state;
	static const char raw[] = "From: a@b.test\nSubject: x\nTo: c@d.test\n\ne4\n";
	char *json;
	size_t size;
	struct letter *letter = NULL;
	expect_int(letter_read_json(raw, sizeof(raw) - 1, &json, &size), 0);
	expect_int(letter_from_json(json, size, &letter), 0);
	letter_free(letter);
	/* Cut short anywhere. */
	for (size_t n = 0; n < size; n += 7)
		expect_int(letter_from_json(json, n, &letter), -EBADMSG);
	static const struct {
		const char *from, *to;
	} changes[] = {
		{"\"subject\":\"x\"", "\"subject\":\"x\\ny\""},
		{"\"subject\":\"x\"", "\"subject\":null"},
		{"\"subject\":\"x\"", "\"subject\":7"},
		{"\"subject\":\"x\"", "\"subject\":\"x\\u0000\""},
		{"\"subject\":\"x\"", "\"subject\":\"x\",\"subject\":\"y\""},
		{"\"subject\":\"x\"", "\"subject\":\"x\",\"more\":\"y\""},
		{"\"subject\":\"x\"", "\"subiect\":\"x\""},
		{"\"from\":0", "\"from\":9"},
		{"\"from\":0", "\"from\":1"},
		{"\"from\":0", "\"from\":-1"},
		{"\"spam\":false", "\"spam\":0"},
		{"\"text\":\"e4\\n\"", "\"text\":\"e4\\u001b[m\""},
		{"[\"c@d.test\"]", "[7]"},
		{"[\"c@d.test\"]", "\"c@d.test\""},
		{"\"report_recipients\":[]", "\"report_recipients\":[[\"a\"]]"},
	};
	for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
		char *at = strstr(json, changes[i].from);
		if (!at)
			fail_msg("%s is not in %s", changes[i].from, json);
		char *bad = NULL;
		expect_int(asprintf(&bad, "%.*s%s%s", (int)(at - json), json, changes[i].to,
				   at + strlen(changes[i].from)) > 0,
			1);
		int r = letter_from_json(bad, strlen(bad), &letter);
		if (r != -EBADMSG)
			fail_msg("%s became %s: %d", changes[i].from, changes[i].to, r);
		free(bad);
	}
	free(json);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_clean),
		cmocka_unit_test(test_subjects),
		cmocka_unit_test(test_from),
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_bodies),
		cmocka_unit_test(test_structure),
		cmocka_unit_test(test_reports),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_wire),
	};
	expect_int(letter_prepare(), 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

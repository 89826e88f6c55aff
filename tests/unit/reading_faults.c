/*
 * Faults that other programs have had with exactly these mails (public bug reports), and
 * answers to a mail of ours in the HTML of several programs.
 */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/reading/letter_json.h"
#include "daemon/reading/newtext.h"
#include "daemon/reading/sort.h"

static struct letter *read_raw(const char *raw)
{
	char *json;
	size_t json_size;
	struct letter *letter = NULL;
	expect_int(letter_read_json(raw, strlen(raw), &json, &json_size), 0);
	expect_int(letter_from_json(json, json_size, &letter), 0);
	free(json);
	return letter;
}

static void expect_new(const char *raw, const char *sent, const char *line, const char *wanted)
{
	struct letter *letter = read_raw(raw);
	struct newtext found;
	expect_int(newtext_find(letter, &sent, sent != NULL, line, &found), 0);
	if (strcmp(found.text, wanted) != 0)
		fail_msg("%s\nnew: [%s]\nwanted: [%s]", raw, found.text, wanted);
	newtext_release(&found);
	letter_free(letter);
}

#define PLAIN "From: a@b.test\nContent-Type: text/plain; charset=utf-8\n\n"
#define HTML "From: a@b.test\nContent-Type: text/html; charset=utf-8\n\n"
#define MIXED "From: a@b.test\nContent-Type: multipart/mixed; boundary=b\n\n"

static void test_faults(void **state)
{
	(void)state;
	static const struct {
		const char *report, *raw, *wanted;
	} cases[] = {
		{"github/email_reply_parser#23",
			PLAIN "On my board it looks well.\n13. Bg5\n\nHe wrote:\nso be it\n",
			"On my board it looks well.\n13. Bg5\n\nHe wrote:\nso be it"},
		{"github/email_reply_parser#47",
			PLAIN "13. Bg5\n\nOn Mon, 1 Jan 2024, X\n<x@y.test> wrote:\n> On Sun, Y "
			      "wrote:\n> > z\n",
			"13. Bg5"},
		{"zapier/email-reply-parser#4",
			PLAIN "13. Bg5\n\nOn Mon, 1 Jan 2024 at 10:00 Mister X <\nx@y.test> "
			      "wrote:\n\n> z\n",
			"13. Bg5"},
		{"discourse/email_reply_trimmer#8",
			PLAIN "13. Bg5\n\n2017-02-05 13:29 GMT+02:00 Name <\nx@y.test>:\n\n> z\n",
			"13. Bg5"},
		{"zapier/email-reply-parser#15",
			PLAIN "13. Bg5\n\n2014-12-11 23:51 GMT+02:00 X <x@y.test>:\n> z\n",
			"13. Bg5"},
		{"alfonsrv/mail-parser-reply#31",
			PLAIN "13. Bg5\n\nDen m\xc3\xa5n 1 jan. 2024 kl 10:00 skrev X "
			      "<\nx@y.test>:\n> z\n",
			"13. Bg5"},
		{"willdurand/EmailReplyParser#73",
			PLAIN "13. Bg5\n\nLe lun. 1 janv. 2024 \xc3\xa0 10:00, X a \xc3\xa9"
			      "crit\xc2\xa0:\n> z\n",
			"13. Bg5"},
		{"humanmade/Falcon#37",
			PLAIN "13. Bg5\n\nOn 1 Jan 2024 at 10:00, X (x@y.test) wrote:\n\n\n> z\n",
			"13. Bg5"},
		{"twentyhq/twenty#25561",
			PLAIN
			"13. Bg5\n\nFra: X\nSendt: 1. januar 2024 10:00\nTil: Y\nEmne: Z\n\nold\n",
			"13. Bg5"},
		{"chatmail/core#2496",
			PLAIN "13. Bg5\n\n-----Original Message-----\nFrom: X\n\nold\n", "13. Bg5"},
		{"chatmail/core#2958",
			PLAIN "13. Bg5\n\nOn Monday, the first of January in the year of 2024 at "
			      "ten o'clock in "
			      "the morning, Mister Somebody With A Long Name <somebody@y.test> "
			      "wrote:\n> z\n",
			"13. Bg5"},
		{"mailgun/talon#48",
			HTML "<div>13. Bg5<br><div class=gmail_attr>On 1 Jan 2024 X "
			     "&lt;x@y.test&gt; wrote:</div>"
			     "<blockquote class=gmail_quote>old</blockquote></div>",
			"13. Bg5"},
		{"mailgun/talon#252",
			HTML "<div class='gmail_quote gmail_quote_container'>13. Bg5</div>",
			"13. Bg5"},
		{"mailgun/talon#50", HTML "<blockquote style='margin:0 40px'>13. Bg5</blockquote>",
			"13. Bg5"},
		{"mailgun/talon#101", PLAIN "> only a quote\n", ""},
		{"github/email_reply_parser#17", PLAIN "a -- b\n-w\n13. Bg5\n",
			"a -- b\n-w\n13. Bg5"},
		{"crisp-oss/email-reply-parser#41", PLAIN "Hi\n_____\n13. Bg5\n---\nbye\n",
			"Hi\n_____\n13. Bg5\n---\nbye"},
		{"github/email_reply_parser#46", PLAIN "13. Bg5\n-- \nX\n", "13. Bg5"},
		{"willdurand/EmailReplyParser#40", PLAIN "13. Bg5\n*-- *\n*X*\n", "13. Bg5"},
		{"Foundry376/Mailspring#919",
			PLAIN
			"13. Bg5\n\nOn 1 Jan 2024 X wrote:\n> z\n\nThis mail is confidential.\n",
			"13. Bg5\n\nThis mail is confidential."},
		{"zulip/zulip#22585", PLAIN "From: the start\n13. Bg5\n",
			"From: the start\n13. Bg5"},
		{"mikel/mail#493",
			"From: a@b.test\nContent-Transfer-Encoding: quoted-printable\n\nHi=0D\n13. "
			"Bg5=0D\n",
			"Hi\n13. Bg5"},
		{"staktrace/quoted-printable#26",
			"From: a@b.test\nContent-Transfer-Encoding: quoted-printable\n\n13. B=\ng5 "
			"=X",
			"13. Bg5 =X"},
		{"golang/go#10616",
			MIXED "--b\nContent-Type: multipart/mixed; boundary=bb\n\n--bb\n\n13. "
			      "Bg5\n--bb--\n--b--\n",
			"13. Bg5"},
		{"emersion/go-message#164", MIXED "--b\n\n13. Bg5\n--b--\nepilogue d4\n",
			"13. Bg5"},
		{"dinhvh/libetpan#122", MIXED "--b\n\n13. Bg5\n", "13. Bg5"},
		{"ciudadanointeligente/write-it#573",
			"From: a@b.test\nContent-Type: multipart/alternative; boundary=b\n\n--b\n"
			"Content-Type: text/plain\n\n \n--b\nContent-Type: text/html\n\n<p>13. "
			"Bg5</p>\n--b--\n",
			"13. Bg5"},
		{"jugglerchris/rust-html2text#134",
			HTML "<div>13.&#847;&zwnj;&nbsp;B&shy;g5&#8203;</div>", "13. Bg5"},
		{"nodemailer/mailparser#370",
			"From: a@b.test\nContent-Type: text/html\n\n<meta "
			"charset=iso-8859-1><p>13. Bg5 \xe9",
			"13. Bg5 \xc3\xa9"},
		{"dinhvh/libetpan#173",
			"From: a@b.test\nSubject: =?utf-8?B?UGXD?= =?utf-8?B?sWE=?=\n\n13. Bg5\n",
			"13. Bg5"},
		{"NousResearch/hermes-agent#55383",
			"From: a@b.test\nContent-Type: text/plain; charset=x-no-such\n\n13. Bg5\n",
			"13. Bg5"},
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		expect_new(cases[i].raw, NULL, NULL, cases[i].wanted);
}

/* An answer with a robot's request beside it is a person's all the same. */
static void test_no_robot(void **state)
{
	(void)state;
	struct letter *letter =
		read_raw("Return-Path: <a@b.test>\nFrom: a@b.test\n"
			 "X-Auto-Response-Suppress: All\nAuto-Submitted: no\n\n13. Bg5\n");
	expect_int(sort_letter(letter, "club.test", NULL, 0), SORT_PERSON);
	letter_free(letter);
}

static const char sent[] =
	"Rossi has played:\n\n    12... Nf6\n\n"
	"1.e4 e5 2.Nf3 Nc6 3.Bb5 a6 4.Ba4 Nf6 5.O-O Be7\n\n"
	"8 | r . b q k . . r\n7 | . . p . b p p p\n\n"
	"To answer, reply to this mail and type your move behind its last line.\n\n"
	"12... Nf6 13. \n";

#define OURS_BR                                                                                    \
	"Rossi has played:<br><br>&nbsp; &nbsp; 12... Nf6<br><br>1.e4 e5 2.Nf3 Nc6 3.Bb5 a6 "      \
	"4.Ba4 "                                                                                   \
	"Nf6 5.O-O Be7<br><br>8 | r . b q k . . r<br>7 | . . p . b p p p<br><br>To answer, reply " \
	"to this mail and type your move behind its last line.<br><br>12... Nf6 13. "
#define P(text) "<p class=MsoNormal>" text "<o:p></o:p></p>"
/* clang-format 14 never comes to rest over this one. */
/* clang-format off */
#define OURS_P                                                                                    \
	P("Rossi has played:")                                                                    \
	P("&nbsp;")                                                                               \
	P("&nbsp;&nbsp;&nbsp; 12... Nf6")                                                         \
	P("&nbsp;")                                                                               \
	P("1.e4 e5 2.Nf3 Nc6 3.Bb5 a6 4.Ba4 Nf6 5.O-O Be7")                                       \
	P("8 | r . b q k . . r")                                                                  \
	P("7 | . . p . b p p p") P("To answer, reply to this mail and type your move behind its " \
				   "last line.")
/* clang-format on */
#define BLOCK                                                             \
	"<div style='border-top:solid'>" P(                               \
		"<b>From:</b> Club<br><b>Sent:</b> Monday<br><b>To:</b> " \
		"A<br><b>Subject:</b> x") "</div>"

static void test_html_answers(void **state)
{
	(void)state;
	static const struct {
		const char *raw, *wanted;
	} cases[] = {
		/* Gmail */
		{HTML "<div>13. Bg5</div><div class=gmail_quote><div class=gmail_attr>On Sat, Jan "
		      "10, 2026 "
		      "at 11:00 Club &lt;m@c.test&gt; wrote:<br></div><blockquote "
		      "class=gmail_quote>" OURS_BR "</blockquote></div>",
			"13. Bg5"},
		{HTML "<div class=gmail_quote><blockquote class=gmail_quote>" OURS_BR
		      "Bg5</blockquote></div>",
			"Bg5"},
		/* Outlook: nothing marks the original but a block of fields */
		{HTML P("13. Bg5") P("&nbsp;") BLOCK OURS_P P("12... Nf6 13. "), "13. Bg5"},
		{HTML BLOCK OURS_P P("12... Nf6 13. <span style='color:red'>Bg5</span>"), "Bg5"},
		{HTML BLOCK OURS_P P("12... Nf6 13. ") P("&nbsp;") P("Bg5"), "Bg5"},
		/* Yahoo, Apple, plain text in <pre> */
		{HTML "<div>13. Bg5</div><div class=yahoo_quoted><div>On Saturday, January 10, "
		      "2026 at "
		      "11:00:51 AM, Club &lt;m@c.test&gt; wrote:</div><div>" OURS_BR "</div></div>",
			"13. Bg5"},
		{HTML "13. Bg5<br><blockquote type=cite><div>On 10 Jan 2026, Club &lt;m@c.test&gt; "
		      "wrote:</div><div>" OURS_BR "</div></blockquote>",
			"13. Bg5"},
		{HTML "<pre>13. Bg5\n\n&gt; 12... Nf6 13.\n</pre>", "13. Bg5"},
		{HTML "<blockquote type=cite>" OURS_BR "</blockquote>", ""},
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		expect_new(cases[i].raw, sent, "12... Nf6 13. ", cases[i].wanted);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_no_robot),
		cmocka_unit_test(test_html_answers),
	};
	expect_int(letter_prepare(), 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

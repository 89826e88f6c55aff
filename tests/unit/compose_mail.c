/*
 * Mails as bytes: nothing that a person wrote gets into a header by itself, and everything
 * that was written parses back.
 */
#include "tests/unit/test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <libetpan/libetpan.h>

#include "config/template.h"
#include "core/fen.h"
#include "daemon/compose/mask.h"
#include "tests/unit/compose_facts.h"

static struct mail_parts good_parts(void)
{
	return (struct mail_parts){.message_id = "move.1@club.example",
		.envelope_from = "moves+t@club.example",
		.from_name = "Anna via Club",
		.from_address = "moves@club.example",
		.to_name = "Bruno",
		.to_address = "bruno@example.org",
		.reply_to = "moves+t@club.example",
		.in_reply_to = "a@b",
		.references = "<a@b>",
		.date = 1768028400000,
		.subject = "S",
		.text = "T\n",
		.auto_submitted = "auto-generated",
		.kind = MAIL_MOVE,
		.game = "KO/1",
		.ply = 3,
		.verdict = "accepted"};
}

/* Every way to break out of a header, in every field. */
static void refuses_injection(void **state)
{
	static const char *const poison[] = {"x\r\nBcc: evil@example.com", "x\nBcc: y@z", "x\ry",
		"x\n y", "x\x01y", "x\x7fy", "x\xff", "x\xc2\x85y", "x\xe2\x80\xa8y",
		"x\xe2\x80\xaey"};
	struct mail mail;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(poison); i++) {
		struct mail_parts base = good_parts();
		const char **fields[] = {&base.message_id, &base.envelope_from, &base.from_name,
			&base.from_address, &base.to_name, &base.to_address, &base.reply_to,
			&base.in_reply_to, &base.references, &base.subject, &base.game,
			&base.verdict, &base.auto_submitted};
		for (size_t j = 0; j < ARRAY_SIZE(fields); j++) {
			base = good_parts();
			*fields[j] = poison[i];
			expect_int(mail_write(&base, &mail), -EINVAL);
		}
	}
	static const char *const bad_addresses[] = {"", "a", "a@b> BODY=x", "a@b,c@d", "<a@b>"};
	for (size_t i = 0; i < ARRAY_SIZE(bad_addresses); i++) {
		struct mail_parts parts = good_parts();
		parts.to_address = bad_addresses[i];
		expect_int(mail_write(&parts, &mail), -EINVAL);
		parts = good_parts();
		parts.reply_to = bad_addresses[i];
		expect_int(mail_write(&parts, &mail), -EINVAL);
	}
	static const char *const bad_ids[] = {"", "a", "@", "a@", "@b", "<a@b>", "a b@c", "a@b@c"};
	for (size_t i = 0; i < ARRAY_SIZE(bad_ids); i++) {
		struct mail_parts parts = good_parts();
		parts.message_id = bad_ids[i];
		expect_int(mail_write(&parts, &mail), -EINVAL);
		parts = good_parts();
		parts.in_reply_to = bad_ids[i];
		expect_int(mail_write(&parts, &mail), -EINVAL);
	}
}

/* A name from a file that got past its checks must not reach a header through compose. */
static void composing_refuses_injection(void **state)
{
	struct sample sample;
	struct mail mail;

	(void)state;
	sample_init(&sample, 19, false);
	sample.facts.kind = MAIL_MOVE;
	sample.players[0].name = "Anna\r\nBcc: evil@example.com";
	expect_int(compose_mail(&sample.facts, &mail), -EINVAL);
	sample.players[0].name = "Anna";
	sample.event.code = "KO\n";
	expect_int(compose_mail(&sample.facts, &mail), -EINVAL);
	sample.event.code = "KO";
	/* What other people's mails are called does not stop an answer. */
	sample.facts.answered_message_id = "x\r\nBcc: y@z";
	expect_int(compose_mail(&sample.facts, &mail), 0);
	assert_null(strstr(mail.raw, "In-Reply-To"));
	assert_null(strstr(mail.raw, "Bcc"));
	mail_release(&mail);
	sample.facts.to = "bruno@example.org\r\nX: y";
	expect_int(compose_mail(&sample.facts, &mail), -EINVAL);
	sample_release(&sample);
}

/* The decoded text of a header's encoded words. */
static char *decoded(const char *value)
{
	size_t index = 0;
	char *text = NULL;

	assert_int_equal(mailmime_encoded_phrase_parse(
				 "us-ascii", value, strlen(value), &index, "utf-8", &text),
		MAILIMF_NO_ERROR);
	return text;
}

static void encodes_words(void **state)
{
	static const char *const texts[] = {"plain", "0123-  9b Rossi-Bianchi",
		"Virtanen, \xc3\x84nna", "=?utf-8?Q?x?=",
		"\xd0\x98\xd0\xb2\xd0\xb0\xd0\xbd\xd0\xbe\xd0\xb2 "
		"\xd0\x9f\xd1\x91\xd1\x82\xd1\x80, "
		"\xd0\xbe\xd1\x87\xd0\xb5\xd0\xbd\xd1\x8c "
		"\xd0\xb4\xd0\xbb\xd0\xb8\xd0\xbd\xd0\xbd\xd0"
		"\xbe\xd0\xb5 \xd0\xb8\xd0\xbc\xd1\x8f",
		"\xe2\x99\x9e\xe2\x99\x9e\xe2\x99\x9e\xe2\x99\x9e\xe2\x99\x9e\xe2\x99\x9e\xe2\x99"
		"\x9e"
		"\xe2\x99\x9e\xf0\x9f\x98\x80",
		"a_b \"quoted\" (\xc3\xa9) <x@y> ;"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		char *words = NULL;
		expect_int(mail_encode_words(texts[i], &words), 0);
		for (const char *at = words; *at;) {
			size_t size = strcspn(at, " ");
			assert_in_range(size, 1, 75);
			for (size_t j = 0; j < size; j++)
				assert_in_range(at[j], 0x21, 0x7e);
			at += size + strspn(at + size, " ");
		}
		char *back = decoded(words);
		assert_string_equal(back, texts[i]);
		free(back);
		free(words);
	}
	char *words = NULL;
	expect_int(mail_encode_words("a\nb", &words), -EINVAL);
}

static char *without_cr(const char *text)
{
	char *out = strdup(text), *end = out;

	for (const char *at = out; *at; at++)
		if (*at != '\r')
			*end++ = *at;
	*end = '\0';
	return out;
}

/* What a reader's mail program makes of the mail. */
static void expect_parses_back(const struct mail *mail, const char *from_name)
{
	struct mailimf_fields *fields = NULL;
	struct mailimf_single_fields single;
	size_t index = 0, part = 0;
	char *body = NULL, *text;
	size_t body_size;

	const char *end = strstr(mail->raw, "\r\n\r\n");
	assert_non_null(end);
	for (const char *at = mail->raw; at < end; at++)
		if ((unsigned char)*at >= 0x80)
			fail_msg("a header is not seven-bit");
	for (const char *at = mail->raw; *at;) {
		size_t size = strcspn(at, "\r\n");
		if (size > 78 && strncmp(at, "Message-ID:", 11) != 0)
			fail_msg("too long: %.*s", (int)size, at);
		assert_true(at[size] == '\0' || strncmp(at + size, "\r\n", 2) == 0);
		at += size + (at[size] ? 2 : 0);
	}

	assert_int_equal(
		mailimf_fields_parse(mail->raw, mail->raw_size, &index, &fields), MAILIMF_NO_ERROR);
	mailimf_single_fields_init(&single, fields);
	assert_string_equal(single.fld_message_id->mid_value, mail->message_id);
	clist *from = single.fld_from->frm_mb_list->mb_list;
	expect_int(clist_count(from), 1);
	struct mailimf_mailbox *mailbox = clist_content(clist_begin(from));
	assert_string_equal(mailbox->mb_addr_spec, "moves@club.example");
	text = decoded(mailbox->mb_display_name);
	assert_string_equal(text, from_name);
	free(text);
	expect_int(clist_count(single.fld_to->to_addr_list->ad_list), 1);
	text = decoded(single.fld_subject->sbj_value);
	assert_string_equal(text, mail->subject);
	free(text);
	mailimf_fields_free(fields);

	int mechanism = strstr(mail->raw, "quoted-printable") ? MAILMIME_MECHANISM_QUOTED_PRINTABLE
							      : MAILMIME_MECHANISM_7BIT;
	size_t offset = (size_t)(end + 4 - mail->raw);
	assert_int_equal(mailmime_part_parse(mail->raw + offset, mail->raw_size - offset, &part,
				 mechanism, &body, &body_size),
		MAILIMF_NO_ERROR);
	text = without_cr(body);
	assert_string_equal(text, mail->text);
	free(text);
	mmap_string_unref(body);
}

static const char *const syllables[] = {"a", "Be", " ", ",", "\"", "\\", "=", "?", "_", "@", ".",
	"\xc3\xa4", "\xd0\x96", "\xe2\x99\x9e", "\xf0\x9f\x98\x80", "e\xcc\x81", "<", ">", "(", ";",
	"=?", "?=", "-", "long", "From"};
static const char *const breaks[] = {"\n", "\t", "\r", "\x01", "\n\n", "    ", "{{x}}", "From ",
	"\n.\n", "\xe2\x80\xae",
	"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"};

/* A small generator: the same run every time. */
static unsigned next(unsigned *seed, unsigned below)
{
	*seed = *seed * 1103515245U + 12345U;
	return (*seed >> 16) % below;
}

static void make_text(unsigned *seed, bool lines, unsigned parts, char *out)
{
	*out = '\0';
	for (unsigned i = 0; i < parts; i++) {
		if (lines && next(seed, 4) == 0)
			out = stpcpy(out, breaks[next(seed, ARRAY_SIZE(breaks))]);
		else
			out = stpcpy(out, syllables[next(seed, ARRAY_SIZE(syllables))]);
	}
}

static void whatever_people_write_parses_back(void **state)
{
	static const enum mail_kind kinds[] = {MAIL_MOVE, MAIL_RECEIPT, MAIL_REFUSAL, MAIL_COPY,
		MAIL_PAIRING, MAIL_RESULT, MAIL_CONFIRM, MAIL_BOUNCE_NOTICE};
	char name[600], other[600], words[20000], from_name[700];
	struct sample sample;
	unsigned seed = 1;

	(void)state;
	for (unsigned i = 0; i < 300; i++) {
		struct mail mail;
		sample_init(&sample, 19, i % 2);
		(void)stpcpy(name, "N");
		make_text(&seed, false, 1 + next(&seed, 60), name + 1);
		(void)stpcpy(other, "O");
		make_text(&seed, false, 1 + next(&seed, 60), other + 1);
		make_text(&seed, true, next(&seed, 900), words);
		(void)stpcpy(name + strlen(name), "x"); /* blanks at the end are not kept */
		sample.players[0].name = name;
		sample.players[1].name = other;
		sample.facts.words = words;
		sample.facts.bounced_reason = words;
		sample.facts.kind = kinds[i % ARRAY_SIZE(kinds)];
		if (sample.facts.kind == MAIL_RESULT)
			sample.game.state = GAME_FINISHED;
		sample_reader(&sample, (enum mail_reader)next(&seed, 3));
		sample_message(&sample, 19, words, NULL);
		sample.message.own_line = (struct excerpt){0, strlen(words)};
		sample.message.own_text = (struct excerpt){strlen(words) / 2, strlen(words)};
		expect_int(compose_mail(&sample.facts, &mail), 0);
		bool relayed = sample.facts.kind == MAIL_MOVE || sample.facts.kind == MAIL_COPY;
		bool of_white =
			sample.facts.kind == MAIL_MOVE && sample.facts.reader == READER_BLACK;
		(void)snprintf(from_name, sizeof(from_name), "%s%sDemo Chess Club",
			!relayed   ? ""
			: of_white ? name
				   : other,
			relayed ? " via " : "");
		expect_parses_back(&mail, from_name);
		for (const char *at = mail.text; *at;) {
			size_t size = strcspn(at, "\n");
			bool tag = *at == '[' && sample.facts.kind == MAIL_RESULT;
			if (!tag && text_columns(at, size) > TEMPLATE_COLUMNS)
				fail_msg("too long: %.*s", (int)size, at);
			at += size + (at[size] == '\n');
		}
		mail_release(&mail);
		sample_release(&sample);
	}
}

static void masks_words(void **state)
{
	static const struct {
		const char *text, *wanted;
	} cases[] = {
		{"hello", "hello"},
		{"", ""},
		{"\n\n", ""},
		{"a\n\nb\n", "a\n\nb"},
		{"mail me at Anna.V+x@example.net, please", "mail me at [...], please"},
		{"a@b@c <x@y>", "[...] <[...]>"},
		{"moves+tokentokentokentoken@club.example", "[...]"},
		{"\xc3\xa4@b.fi x", "[...] x"},
		{"a@ b", "[...] b"},
		{"tab\tbell\x07 rlo\xe2\x80\xae\xff.", "tab bell rlo."},
		{"one two three four five", "one two three\nfour five"},
	};
	char *text, lines[400], *end = lines;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		unsigned columns = i == ARRAY_SIZE(cases) - 1 ? 14 : 70;
		expect_int(mask_words(cases[i].text, columns, &text), 0);
		assert_string_equal(text, cases[i].wanted);
		free(text);
	}
	for (unsigned i = 0; i < WORDS_LINES_MAX + 1; i++)
		end = stpcpy(end, "x\n");
	expect_int(mask_words(lines, 70, &text), 0);
	expect_int(strlen(text), 2 * (WORDS_LINES_MAX - 1) + 5);
	assert_string_equal(text + strlen(text) - 7, "x\n[...]");
	free(text);
	lines[(size_t)2 * WORDS_LINES_MAX] = '\0';
	expect_int(mask_words(lines, 70, &text), 0);
	expect_int(strlen(text), 2 * WORDS_LINES_MAX - 1);
	free(text);
	expect_int(mask_line("a\nb\x01 cccccccccccccccccc", 23, 10, &text), 0);
	assert_string_equal(text, "a b...");
	free(text);
}

/* The id hangs on everything that tells mails apart, and on nothing else. */
static void message_ids_are_deterministic(void **state)
{
	struct sample sample;
	char *first, *second;

	(void)state;
	sample_init(&sample, 19, false);
	sample.facts.kind = MAIL_MOVE;
	expect_int(compose_message_id(&sample.facts, &first), 0);
	for (unsigned i = 0; i < 7; i++) {
		struct compose_facts facts = sample.facts;
		struct game game = sample.game;
		facts.game = &game;
		if (i == 0)
			facts.now += 5;
		if (i == 1)
			facts.kind = MAIL_COPY;
		if (i == 2)
			game.n_moves--;
		if (i == 3)
			facts.to = "x@y";
		if (i == 4)
			facts.sequence = 1;
		if (i == 5)
			facts.cause_digest = "00fe";
		if (i == 6)
			facts.number = 2;
		expect_int(compose_message_id(&facts, &second), 0);
		expect_int(strcmp(first, second) == 0, i == 0);
		free(second);
	}
	free(first);
	sample_release(&sample);
}

static void reply_lines(void **state)
{
	struct sample sample;
	char line[REPLY_LINE_MAX];
	size_t at;

	(void)state;
	sample_init(&sample, 20, false);
	static const struct {
		enum rule_system system;
		size_t ply;
		enum side side;
		const char *wanted;
	} cases[] = {
		{RULES_IECC, 0, SIDE_WHITE, "1. "},
		{RULES_IECC, 0, SIDE_BLACK, ""},
		{RULES_IECC, 1, SIDE_BLACK, "1. e4 "},
		{RULES_IECC, 2, SIDE_WHITE, "1... e5 2. "},
		{RULES_IECC, 2, SIDE_BLACK, ""},
		{RULES_IECC, 12, SIDE_WHITE, "6... O-O-O 7. "},
		{RULES_IECC, 19, SIDE_BLACK, "10. Qe2 "},
		{RULES_RAZSH, 0, SIDE_WHITE, "1. "},
		{RULES_RAZSH, 19, SIDE_BLACK, "10. 4152 "},
		{RULES_RAZSH_POST, 12, SIDE_WHITE, "6... 5838 7. "},
		{RULES_RAZSH, 12, SIDE_BLACK, ""},
		{RULES_MCLINK, 0, SIDE_WHITE, "1b "},
		{RULES_MCLINK, 1, SIDE_BLACK, "1b e2-e4  1b e2-e4  1n "},
		{RULES_MCLINK, 12, SIDE_WHITE, "6n O-O-O  6n O-O-O  7b "},
		{RULES_MCLINK, 20, SIDE_WHITE, "10n Ce7-g6  10n Ce7-g6  11b "},
		{RULES_MCLINK, 20, SIDE_BLACK, ""},
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t size = compose_reply_line(
			cases[i].system, &sample.game, cases[i].ply, cases[i].side, line);
		assert_string_equal(line, cases[i].wanted);
		expect_int(size, strlen(line));
	}
	struct game game = {.moves = sample.moves};
	static const char fen[] = "8/8/8/4k3/8/8/4K3/R7 b - - 0 40";
	expect_int(fen_parse(fen, strlen(fen), &game.start, &at), FEN_FINE);
	game.now = game.start;
	compose_reply_line(RULES_IECC, &game, 0, SIDE_BLACK, line);
	assert_string_equal(line, "40... ");
	sample_release(&sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refuses_injection),
		cmocka_unit_test(composing_refuses_injection),
		cmocka_unit_test(encodes_words),
		cmocka_unit_test(whatever_people_write_parses_back),
		cmocka_unit_test(masks_words),
		cmocka_unit_test(message_ids_are_deterministic),
		cmocka_unit_test(reply_lines),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * Mails that were made to kill a reader: each is read in a child of its own with little time
 * and memory, and must come out as a letter, refused or right.
 */
#include "test.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base.h"
#include "daemon/reading/letter_json.h"
#include "daemon/reading/newtext.h"

#ifdef ZUGPOST_SANITIZED
#define SECONDS_MAX 8
#else
#define SECONDS_MAX 2
#endif
#define MEMORY_MAX ((rlim_t)64 << 20)

struct mail {
	char *bytes;
	size_t size, room;
};

static void add(struct mail *mail, const char *text, size_t times)
{
	size_t n = strlen(text);
	if (mail->size + n * times + 1 > mail->room) {
		mail->room = 2 * (mail->size + n * times + 1);
		mail->bytes = realloc(mail->bytes, mail->room);
		assert_non_null(mail->bytes);
	}
	for (size_t i = 0; i < times; i++) {
		memcpy(mail->bytes + mail->size, text, n);
		mail->size += n;
	}
}

#define MOVE "12. Nf3 d5\r\n"
#define HTML "From: a@b.test\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"

static void comment_in_from(struct mail *mail)
{
	add(mail, "From: ", 1);
	add(mail, "(", 150000);
	add(mail, ")", 150000);
	add(mail, " a@b.test\r\n\r\n" MOVE, 1);
}

static void comment_in_type(struct mail *mail)
{
	add(mail, "From: a@b.test\r\nContent-Type: text/plain ", 1);
	add(mail, "(", 150000);
	add(mail, ")", 150000);
	add(mail, "\r\n\r\n" MOVE, 1);
}

/* Short enough for the limit on headers. */
static void comment_in_short_header(struct mail *mail)
{
	add(mail, "From: a@b.test\r\nContent-Type: text/plain;\r\n ", 1);
	add(mail, "(", 60000);
	add(mail, "\r\n\r\n" MOVE, 1);
}

static void comments_in_part(struct mail *mail)
{
	add(mail,
		"From: a@b.test\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n"
		"Content-Type: text/plain ",
		1);
	add(mail, "(", 150000);
	add(mail, "\r\n\r\n" MOVE "--b--\r\n", 1);
}

static void nested_messages(struct mail *mail)
{
	add(mail, "From: a@b.test\r\n", 1);
	add(mail, "Content-Type: message/rfc822\r\n\r\n", 30000);
	add(mail, MOVE, 1);
}

static void nested_multiparts(struct mail *mail)
{
	add(mail, "From: a@b.test\r\n", 1);
	char text[100];
	for (int i = 0; i < 5000; i++) {
		snprintf(text, sizeof(text),
			"Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n", i, i);
		add(mail, text, 1);
	}
	add(mail, "\r\n" MOVE, 1);
}

static void nested_digests(struct mail *mail)
{
	add(mail, "From: a@b.test\r\nContent-Type: multipart/digest; boundary=b\r\n\r\n", 1);
	add(mail, "--b\r\n\r\nContent-Type: multipart/digest; boundary=b\r\n\r\n", 5000);
	add(mail, MOVE, 1);
}

static void many_parts(struct mail *mail)
{
	add(mail, "From: a@b.test\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n", 1);
	add(mail, "--b\r\n\r\n\r\n", 50000);
	add(mail, "--b\r\n\r\n" MOVE "--b--\r\n", 1);
}

static void one_quote_boundary(struct mail *mail)
{
	add(mail,
		"From: a@b.test\r\nContent-Type: multipart/mixed; boundary=\"\\\"\"\r\n\r\n"
		"--\"\r\n\r\n" MOVE,
		1);
}

static void nested_tags(struct mail *mail)
{
	add(mail, HTML, 1);
	add(mail, "<b>", 200000);
	add(mail, MOVE, 1);
}

static void nested_formats(struct mail *mail)
{
	add(mail, HTML, 1);
	add(mail, "<a><b><i><p>", 20000);
	add(mail, MOVE, 1);
}

static void nested_tables(struct mail *mail)
{
	add(mail, HTML, 1);
	add(mail, "<table><tr><td>", 50000);
	add(mail, MOVE, 1);
}

static void nested_quotes(struct mail *mail)
{
	add(mail, HTML MOVE, 1);
	add(mail, "<blockquote type=cite>x", 20000);
}

static void many_attributes(struct mail *mail)
{
	add(mail, HTML "<div ", 1);
	char text[20];
	for (int i = 0; i < 60000; i++) {
		snprintf(text, sizeof(text), "a%d=1 ", i);
		add(mail, text, 1);
	}
	add(mail, ">" MOVE "</div>", 1);
}

static void many_entities(struct mail *mail)
{
	add(mail, HTML, 1);
	add(mail, "&amp;&lt;&#x41;&unknown;", 40000);
	add(mail, "<p>" MOVE, 1);
}

static void many_styles(struct mail *mail)
{
	add(mail, HTML "<style>", 1);
	add(mail, ".a,.b{display:none}", 5000);
	add(mail, "</style>", 1);
	add(mail, "<p class='c d e f g' style='color:red;color:blue'>x</p>", 10000);
	add(mail, MOVE, 1);
}

static void open_words(struct mail *mail)
{
	add(mail, "From: a@b.test\r\nSubject: ", 1);
	add(mail, "=?utf-8?Q?", 6000);
	add(mail, "\r\n\r\n" MOVE, 1);
}

static void many_addresses(struct mail *mail)
{
	add(mail, "From: a@b.test\r\nTo: ", 1);
	add(mail, "a@b.test,", 7000);
	add(mail, "\r\n\r\n" MOVE, 1);
}

static void many_references(struct mail *mail)
{
	add(mail, "From: a@b.test\r\nReferences: ", 1);
	add(mail, "<a> ", 16000);
	add(mail, "\r\n\r\n" MOVE, 1);
}

static void many_fields(struct mail *mail)
{
	add(mail, "From: a@b.test\r\n", 1);
	add(mail, "X:\r\n", 16000);
	add(mail, "\r\n" MOVE, 1);
}

static void long_attribution(struct mail *mail)
{
	add(mail, "From: a@b.test\r\n\r\n" MOVE, 1);
	add(mail, "On 1/1/2024 a@b.test ", 40000);
	add(mail, "\r\n", 1);
	add(mail, "On 1/1/2024 a@b.test wrote\r\n", 5000);
}

static void many_lines(struct mail *mail)
{
	add(mail, "From: a@b.test\r\n\r\n" MOVE, 1);
	add(mail, "z\r\n", 300000);
}

static void many_bars(struct mail *mail)
{
	add(mail, "From: a@b.test\r\n\r\n" MOVE, 1);
	add(mail, "--- a ---\r\nFrom: x\r\n\r\n\r\n\r\n", 30000);
}

static void many_quote_marks(struct mail *mail)
{
	add(mail, "From: a@b.test\r\n\r\n" MOVE, 1);
	add(mail, "> ", 400000);
	add(mail, "\r\n", 1);
	add(mail, ">\r\n", 100000);
}

static void many_signatures(struct mail *mail)
{
	add(mail, "From: a@b.test\r\n\r\n" MOVE, 1);
	add(mail, "--\r\n", 200000);
}

static const struct attack {
	const char *name;
	void (*make)(struct mail *mail);
	bool read; /* harmless in the end: the move must come out */
} attacks[] = {
	{"comment-in-from", comment_in_from, false},
	{"comment-in-type", comment_in_type, false},
	{"comment-in-short-header", comment_in_short_header, false},
	{"comments-in-part", comments_in_part, false},
	{"nested-messages", nested_messages, false},
	{"nested-multiparts", nested_multiparts, false},
	{"nested-digests", nested_digests, false},
	{"many-parts", many_parts, false},
	{"one-quote-boundary", one_quote_boundary, false},
	{"nested-tags", nested_tags, true},
	{"nested-formats", nested_formats, true},
	{"nested-tables", nested_tables, true},
	{"nested-quotes", nested_quotes, true},
	{"many-attributes", many_attributes, true},
	{"many-entities", many_entities, true},
	{"many-styles", many_styles, true},
	{"open-words", open_words, true},
	{"many-addresses", many_addresses, true},
	{"many-references", many_references, true},
	{"many-fields", many_fields, true},
	{"long-attribution", long_attribution, true},
	{"many-lines", many_lines, true},
	{"many-bars", many_bars, true},
	{"many-quote-marks", many_quote_marks, true},
	{"many-signatures", many_signatures, true},
};

static void set_limit(__rlimit_resource_t what, rlim_t value)
{
	const struct rlimit limit = {value, value};
	if (setrlimit(what, &limit) < 0)
		_exit(90);
}

/* What the worker and then the main process do with it. Exit code 0: refused; 1: read with the
 * move; others: faults. */
static int child(const struct mail *mail)
{
	char *json;
	size_t size;
	struct letter *letter;
	struct newtext found;
	set_limit(RLIMIT_CPU, SECONDS_MAX);
	set_limit(RLIMIT_CORE, 0);
#ifndef ZUGPOST_SANITIZED
	set_limit(RLIMIT_AS, MEMORY_MAX + ((rlim_t)64 << 20));
#endif
	if (letter_read_json(mail->bytes, mail->size, &json, &size) != 0)
		return 91;
	if (letter_from_json(json, size, &letter) != 0)
		return 92;
	if (letter->unparsable)
		return 0;
	const char *const sent[] = {"z a b\nOn 1/1/2024 x > z\n--\nz\nz\n12. Nf3\n"};
	if (newtext_find(letter, sent, ARRAY_SIZE(sent), "12. Nf3", &found) != 0)
		return 93;
	return strstr(found.text, "12. Nf3 d5") ? 1 : 94;
}

static void test_attacks(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(attacks); i++) {
		struct mail mail = {.size = 0};
		attacks[i].make(&mail);
		pid_t pid = fork();
		assert_true(pid >= 0);
		if (pid == 0)
			_exit(child(&mail));
		int status;
		expect_int(waitpid(pid, &status, 0), pid);
		int code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
		if (code != (attacks[i].read ? 1 : 0))
			fail_msg("%s: %d", attacks[i].name, code);
		free(mail.bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_attacks),
	};
	expect_int(letter_prepare(), 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * What a mail server answers, from hostile bytes: the same replies come out however the bytes
 * are cut, each is small, and of what it says nothing reaches a log that might do harm there.
 */
#include "daemon/delivery/smtp_reply.h"

#include <string.h>

#include "require.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Printable ASCII that begins with the code and holds no address, and so no token. */
static void check_text(const struct smtp_reply *reply)
{
	char text[SMTP_TEXT_MAX];

	memset(text, 0x7f, sizeof(text));
	smtp_reply_text(reply, text);
	size_t size = strnlen(text, sizeof(text));
	require(size >= 3 && size < sizeof(text));
	require(strtol(text, NULL, 10) == reply->code && !strchr(text, '@'));
	for (size_t i = 0; i < size; i++)
		require(text[i] >= ' ' && text[i] < 0x7f);
}

static void check_judgement(const struct smtp_reply *reply)
{
	for (int step = SMTP_MAIL; step <= SMTP_END; step++) {
		struct smtp_judgement judgement = smtp_judge((enum smtp_step)step, reply);

		require(judgement.status != DELIVERY_DELIVERED);
		require((reply->code < 400) == (judgement.status == DELIVERY_LOST));
		/* A mail is given up, or the target called broken, for no 4xx. */
		if (reply->code / 100 == 4)
			require(judgement.status == DELIVERY_TEMPORARY);
		else
			require(!judgement.slow_down);
		/* A code of five digits is believed within its class only. */
		if (judgement.status == DELIVERY_PERMANENT)
			require(reply->code / 100 == 5);
	}
}

/* Written down again, a reply reads as it did. */
static void check_again(const struct smtp_reply *reply)
{
	static char bytes[SMTP_REPLY_MAX + SMTP_LINES_MAX * 8];
	static struct smtp_reply again;
	size_t size = 0, used = 0;
	const char *line = NULL;

	for (unsigned i = 0; i < reply->n_lines; i++) {
		line = smtp_reply_line(reply, line);
		require(line && !strchr(line, '\n'));
		size_t n = strlen(line);
		bytes[size++] = (char)('0' + reply->code / 100);
		bytes[size++] = (char)('0' + reply->code / 10 % 10);
		bytes[size++] = (char)('0' + reply->code % 10);
		bytes[size++] = i + 1 < reply->n_lines ? '-' : ' ';
		for (size_t j = 0; j < n; j++)
			bytes[size++] = line[j];
		/* The one CR that a line end may have. */
		if (n > 0 && line[n - 1] == '\r')
			bytes[size++] = '\r';
		bytes[size++] = '\n';
	}
	require(!smtp_reply_line(reply, line));
	smtp_reply_begin(&again);
	require(smtp_reply_push(&again, bytes, size, &used) == 1 && used == size);
	require(again.code == reply->code && again.n_lines == reply->n_lines &&
		again.size == reply->size && memcmp(again.lines, reply->lines, reply->size) == 0);
	require(memcmp(again.enhanced, reply->enhanced, sizeof(again.enhanced)) == 0);
}

static void check(const struct smtp_reply *reply)
{
	require(reply->code >= 200 && reply->code <= 599);
	require(reply->n_lines >= 1 && reply->n_lines <= SMTP_LINES_MAX);
	require(reply->size <= SMTP_REPLY_MAX);
	require(reply->enhanced[0] == 0 || reply->enhanced[0] == reply->code / 100);
	check_text(reply);
	check_judgement(reply);
	check_again(reply);
}

static uint64_t add(uint64_t sum, const struct smtp_reply *reply)
{
	sum = sum * 31 + (uint64_t)reply->code;
	for (int i = 0; i < 3; i++)
		sum = sum * 31 + (uint64_t)reply->enhanced[i];
	for (size_t i = 0; i < reply->size; i++)
		sum = sum * 31 + (unsigned char)reply->lines[i];
	return sum;
}

/* One reply behind the other, until one is none; *ret_end is what the parser says at last. */
static uint64_t parse_in_pieces(const uint8_t *data, size_t size, size_t piece, int *ret_end)
{
	static struct smtp_reply reply;
	uint64_t sum = 1;
	int r = 0;

	smtp_reply_begin(&reply);
	for (size_t at = 0; at < size && r >= 0;) {
		size_t n = size - at < piece ? size - at : piece, used = 0;

		r = smtp_reply_push(&reply, (const char *)data + at, n, &used);
		require(r < 0 || (used > 0 && used <= n && (r > 0 || used == n)));
		at += used;
		if (r <= 0)
			continue;
		check(&reply);
		sum = add(sum, &reply);
		smtp_reply_begin(&reply);
	}
	*ret_end = r;
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int whole_end, cut_end;

	if (size < 1)
		return 0;
	uint64_t whole = parse_in_pieces(data + 1, size - 1, size, &whole_end);
	uint64_t cut = parse_in_pieces(data + 1, size - 1, (size_t)data[0] % 64 + 1, &cut_end);
	require(whole == cut && whole_end == cut_end);
	return 0;
}

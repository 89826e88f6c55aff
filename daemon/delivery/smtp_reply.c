#include "daemon/delivery/smtp_reply.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

void smtp_reply_begin(struct smtp_reply *reply)
{
	reply->code = 0;
	memset(reply->enhanced, 0, sizeof(reply->enhanced));
	reply->size = reply->line_size = 0;
	reply->n_lines = 0;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* 5.1.1, at most three digits each; the class must be that of the code. */
static void read_enhanced(struct smtp_reply *reply, const char *text)
{
	int numbers[3] = {0};

	for (int i = 0; i < 3; i++) {
		int digits = 0;
		while (is_digit(*text) && digits < 3) {
			numbers[i] = numbers[i] * 10 + (*text++ - '0');
			digits++;
		}
		if (digits == 0 || (i < 2 && *text++ != '.'))
			return;
	}
	if ((*text == '\0' || *text == ' ') && numbers[0] == reply->code / 100)
		memcpy(reply->enhanced, numbers, sizeof(numbers));
}

/* 1 for the last line of the reply. */
static int take_line(struct smtp_reply *reply)
{
	char *line = reply->line;
	size_t size = reply->line_size;
	int code;

	if (size > 0 && line[size - 1] == '\r')
		size--;
	if (size < 3 || line[0] < '2' || line[0] > '5' || !is_digit(line[1]) || !is_digit(line[2]))
		return -EBADMSG;
	code = (line[0] - '0') * 100 + (line[1] - '0') * 10 + line[2] - '0';
	if ((size > 3 && line[3] != ' ' && line[3] != '-') || memchr(line, '\0', size) ||
		(reply->n_lines > 0 && code != reply->code))
		return -EBADMSG;
	size_t text = size > 4 ? size - 4 : 0;
	if (reply->n_lines == SMTP_LINES_MAX || reply->size + text + 1 > sizeof(reply->lines))
		return -EMSGSIZE;
	reply->code = code;
	char *kept = reply->lines + reply->size;
	memcpy(kept, line + size - text, text);
	kept[text] = '\0';
	reply->size += text + 1;
	if (reply->n_lines++ == 0)
		read_enhanced(reply, kept);
	return size == 3 || line[3] == ' ';
}

int smtp_reply_push(struct smtp_reply *reply, const char *bytes, size_t size, size_t *ret_used)
{
	for (size_t i = 0; i < size; i++) {
		if (bytes[i] != '\n') {
			if (reply->line_size == sizeof(reply->line))
				return -EMSGSIZE;
			reply->line[reply->line_size++] = bytes[i];
			continue;
		}
		int r = take_line(reply);
		if (r < 0)
			return r;
		reply->line_size = 0;
		if (r > 0) {
			*ret_used = i + 1;
			return 1;
		}
	}
	*ret_used = size;
	return 0;
}

const char *smtp_reply_line(const struct smtp_reply *reply, const char *previous)
{
	const char *next = previous ? previous + strlen(previous) + 1 : reply->lines;

	return next < reply->lines + reply->size ? next : NULL;
}

/* Copies a line word by word: what holds an @ is left out, an enhanced code too. */
static void add_words(char *text, size_t *size, const char *line, bool skip_first)
{
	while (*line) {
		size_t blanks = strspn(line, " \t");
		line += blanks;
		size_t word = strcspn(line, " \t");
		if (word == 0)
			break;
		const char *from = memchr(line, '@', word) ? "[...]" : line;
		size_t n = from == line ? word : 5;
		if (!skip_first && *size + n + 2 < SMTP_TEXT_MAX) {
			text[(*size)++] = ' ';
			for (size_t i = 0; i < n; i++)
				text[(*size)++] = from[i] > ' ' && from[i] < 0x7f ? from[i] : '?';
		}
		skip_first = false;
		line += word;
	}
}

static bool begins_with_enhanced(const char *line)
{
	size_t n = strspn(line, "0123456789.");

	return n >= 5 && (line[n] == ' ' || line[n] == '\0') && line[1] == '.';
}

void smtp_reply_text(const struct smtp_reply *reply, char text[static SMTP_TEXT_MAX])
{
	const int *enhanced = reply->enhanced;
	int n = enhanced[0] ? snprintf(text, SMTP_TEXT_MAX, "%d %d.%d.%d", reply->code, enhanced[0],
				      enhanced[1], enhanced[2])
			    : snprintf(text, SMTP_TEXT_MAX, "%d", reply->code);
	size_t size = n > 0 ? (size_t)n : 0;

	for (const char *line = NULL; (line = smtp_reply_line(reply, line));)
		add_words(text, &size, line, enhanced[0] && begins_with_enhanced(line));
	text[size] = '\0';
}

/* ---- Judgement ---- */

static bool is(const struct smtp_reply *reply, int subject, int detail)
{
	return reply->enhanced[0] && reply->enhanced[1] == subject && reply->enhanced[2] == detail;
}

/* Of the server, not of this mail: full, going down, congested, too much at once. */
static bool wants_pause(const struct smtp_reply *reply)
{
	return reply->code == 421 || is(reply, 3, 1) || is(reply, 3, 2) || is(reply, 4, 5) ||
	       is(reply, 5, 3) || (reply->code == 452 && !reply->enhanced[0]);
}

static enum delivery_status judge_for_good(enum smtp_step step, const struct smtp_reply *reply)
{
	int code = reply->code;

	/* We are not logged in (any more): nothing will be taken. */
	if (code == 530 || code == 535 || code == 538)
		return DELIVERY_UNREACHABLE;
	if (is(reply, 2, 2)) /* a full mailbox can be emptied */
		return DELIVERY_TEMPORARY;
	if (is(reply, 3, 4) || is(reply, 2, 3) || reply->enhanced[1] == 6)
		return DELIVERY_PERMANENT; /* too big, or what cannot be converted */
	if (reply->enhanced[1] == 7)
		return DELIVERY_POLICY;
	/* What is said of our own address, or of a command, is not said of the reader. */
	if (step == SMTP_MAIL)
		return code == 552 ? DELIVERY_PERMANENT : DELIVERY_POLICY;
	if (code >= 500 && code <= 504 && reply->enhanced[1] != 1)
		return DELIVERY_POLICY;
	return DELIVERY_PERMANENT;
}

struct smtp_judgement smtp_judge(enum smtp_step step, const struct smtp_reply *reply)
{
	struct smtp_judgement judgement = {.status = DELIVERY_TEMPORARY};

	switch (reply->code / 100) {
	case 4:
		judgement.slow_down = wants_pause(reply);
		break;
	case 5:
		judgement.status = judge_for_good(step, reply);
		break;
	default:
		/* A yes where none was asked for: the dialogue is out of step. */
		judgement.status = DELIVERY_LOST;
		break;
	}
	return judgement;
}

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "daemon/delivery/smtp_address.h"
#include "daemon/delivery/smtp_internal.h"

#define CODE_BAD_ADDRESS 553
#define CODE_TOO_BIG 552
#define ENVID_MAX 100

/* A body may take this many steps, the answer to its end that many: servers look into the
 * mail then (RFC 5321, section 4.5.3.2.6). */
#define BODY_STEPS 2
#define END_STEPS 5

#define COMMAND_MAX (2 * SMTP_ADDRESS_MAX + SMTP_XTEXT_MAX + 200)

/* One mail on its way. */
struct passage {
	struct smtp *smtp;
	struct attempt *attempt;
	char mail[COMMAND_MAX], rcpt[COMMAND_MAX];
	bool heard; /* the server has answered something to it */
};

/* ---- Commands ---- */

static bool has_eight_bit(const char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if ((unsigned char)bytes[i] >= 0x80)
			return true;
	return false;
}

static size_t header_size(const char *raw, size_t size)
{
	const char *crlf = memmem(raw, size, "\r\n\r\n", 4), *lf = memmem(raw, size, "\n\n", 2);
	const char *end = crlf && (!lf || crlf < lf) ? crlf : lf;

	return end ? (size_t)(end - raw) : size;
}

static void add(char *command, const char *text)
{
	size_t size = strlen(command);

	(void)snprintf(command + size, COMMAND_MAX - size, "%s", text);
}

/* A failure is reported to the envelope's sender; where that is nobody, to nobody. */
static void add_dsn(struct passage *passage, const char *recipient, bool utf8)
{
	const struct delivery_mail *mail = &passage->attempt->mail;
	char xtext[SMTP_XTEXT_MAX + 1];

	if (*mail->from == '\0') {
		add(passage->rcpt, " NOTIFY=NEVER");
		return;
	}
	add(passage->mail, " RET=HDRS");
	if (smtp_xtext(mail->key, xtext, ENVID_MAX) == 0) {
		add(passage->mail, " ENVID=");
		add(passage->mail, xtext);
	}
	add(passage->rcpt, " NOTIFY=FAILURE,DELAY");
	if (!utf8 && smtp_xtext(recipient, xtext, SMTP_XTEXT_MAX) == 0) {
		add(passage->rcpt, " ORCPT=rfc822;");
		add(passage->rcpt, xtext);
	}
}

static bool refuse(struct passage *passage, int code, const char *text)
{
	attempt_result(passage->attempt, DELIVERY_PERMANENT, code, "%s", text);
	return false;
}

/* Envelope and parameters. False: the mail cannot go this way, and the result says why. */
static bool prepare(struct passage *passage)
{
	const struct smtp *smtp = passage->smtp;
	const struct delivery_mail *mail = &passage->attempt->mail;
	char from[SMTP_ADDRESS_MAX] = "", to[SMTP_ADDRESS_MAX], size[32];
	int from_utf8 = *mail->from ? smtp_address(mail->from, from) : 0;
	int to_utf8 = smtp_address(mail->recipient, to);

	if (from_utf8 < 0 || to_utf8 < 0)
		return refuse(passage, CODE_BAD_ADDRESS,
			to_utf8 < 0 ? "the recipient is no mail address"
				    : "the sender is no mail address");
	bool eight_bit = has_eight_bit(mail->raw, mail->size);
	bool utf8 = from_utf8 > 0 || to_utf8 > 0 ||
		    (eight_bit && has_eight_bit(mail->raw, header_size(mail->raw, mail->size)));
	if (utf8 && !smtp->utf8)
		return refuse(passage, CODE_BAD_ADDRESS,
			"the address has other letters than ASCII, and the mail server does "
			"not offer SMTPUTF8");
	if (smtp->size_max > 0 && mail->size > smtp->size_max)
		return refuse(passage, CODE_TOO_BIG, "the mail is larger than the server takes");
	(void)snprintf(passage->mail, COMMAND_MAX, "MAIL FROM:<%s>", from);
	(void)snprintf(passage->rcpt, COMMAND_MAX, "RCPT TO:<%s>", to);
	if (smtp->size_max > 0) {
		(void)snprintf(size, sizeof(size), " SIZE=%zu", mail->size);
		add(passage->mail, size);
	}
	if (eight_bit && smtp->eight_bit)
		add(passage->mail, " BODY=8BITMIME");
	if (utf8)
		add(passage->mail, " SMTPUTF8");
	if (smtp->dsn)
		add_dsn(passage, to, to_utf8 > 0);
	add(passage->mail, "\r\n");
	add(passage->rcpt, "\r\n");
	return true;
}

/* ---- Outcomes ---- */

static const char *const step_names[] = {
	[SMTP_MAIL] = "MAIL", [SMTP_RCPT] = "RCPT", [SMTP_DATA] = "DATA", [SMTP_END] = "the mail"};

/* The connection is gone. */
static void lost(struct passage *passage, const char *where)
{
	struct smtp *smtp = passage->smtp;

	attempt_result(passage->attempt, DELIVERY_LOST, 0, "%s (%s)", smtp->error, where);
	smtp_drop(smtp);
}

/* The reply that stands in SMTP is not the one that was hoped for. */
static void refused(struct passage *passage, enum smtp_step step)
{
	const struct smtp *smtp = passage->smtp;
	struct smtp_judgement judgement = smtp_judge(step, &smtp->reply);
	char text[SMTP_TEXT_MAX];

	smtp_say(smtp, text);
	attempt_result(passage->attempt, judgement.status, smtp->reply.code, "%s: %s",
		step_names[step], text);
	passage->attempt->slow_down = judgement.slow_down;
}

static int hear(struct passage *passage)
{
	int r = smtp_read(passage->smtp);

	if (r == 0)
		passage->heard = true;
	return r;
}

/* ---- The body ---- */

/* Lines end in CRLF whatever they ended in, and a leading dot is doubled. */
static int write_body(mailstream *stream, const char *raw, size_t size)
{
	for (size_t at = 0; at < size;) {
		const char *line = raw + at, *lf = memchr(line, '\n', size - at);
		size_t whole = lf ? (size_t)(lf - line) + 1 : size - at, n = whole;
		while (n > 0 && (line[n - 1] == '\n' || line[n - 1] == '\r'))
			n--;
		if (n > 0 && *line == '.' && mailstream_write(stream, ".", 1) < 0)
			return -ECONNRESET;
		if ((n > 0 && mailstream_write(stream, line, n) < 0) ||
			mailstream_write(stream, "\r\n", 2) < 0)
			return -ECONNRESET;
		at += whole;
	}
	return 0;
}

/* From the consent to the answer at the end. */
static void send_body(struct passage *passage)
{
	struct smtp *smtp = passage->smtp;
	const struct delivery_mail *mail = &passage->attempt->mail;
	uint64_t step = smtp->config.timeout_ms;
	int r;

	tls_stream_limit(smtp->stream, BODY_STEPS * step, SMTP_REPLY_BYTES);
	r = write_body(smtp->stream, mail->raw, mail->size);
	if (r == 0 && mailstream_flush(smtp->stream) < 0)
		r = -ECONNRESET;
	if (r < 0) {
		(void)smtp_fail_stream(smtp, r);
		lost(passage, "in the middle of the mail");
		return;
	}
	r = smtp_write(smtp, ".\r\n");
	if (r == 0)
		r = smtp_flush(smtp, END_STEPS * step);
	if (r < 0)
		(void)smtp_fail_stream(smtp, r);
	else
		r = hear(passage);
	if (r < 0) {
		lost(passage, "behind the mail's end: it may have been taken, and goes out again "
			      "under the same Message-ID");
		return;
	}
	if (smtp->reply.code / 100 != 2) {
		refused(passage, SMTP_END);
		if (smtp->reply.code == 421)
			smtp_drop(smtp);
		return;
	}
	char text[SMTP_TEXT_MAX];
	smtp_say(smtp, text);
	attempt_result(passage->attempt, DELIVERY_DELIVERED, smtp->reply.code, "%s", text);
}

/* ---- The envelope ---- */

/* Something was refused: back to where a mail may begin. A server that goes, or that
 * agreed to DATA all the same and takes an empty mail amiss, is left. */
static void recover(struct smtp *smtp, bool gone, bool in_data)
{
	int r = gone ? -ECONNRESET : 0;

	if (r == 0 && in_data) {
		r = smtp_write(smtp, ".\r\n");
		if (r == 0)
			r = smtp_flush(smtp, smtp->config.timeout_ms);
		if (r == 0)
			r = smtp_read(smtp);
	}
	if (r == 0)
		r = smtp_write(smtp, "RSET\r\n");
	if (r == 0)
		r = smtp_flush(smtp, smtp->config.timeout_ms);
	if (r == 0)
		r = smtp_read(smtp);
	if (r < 0 || smtp->reply.code != 250)
		smtp_drop(smtp);
}

static bool is_yes(enum smtp_step step, int code)
{
	return step == SMTP_DATA ? code == 354 : code / 100 == 2;
}

/* MAIL, RCPT and DATA; with PIPELINING in one go, and all three are answered. */
static void send_envelope(struct passage *passage)
{
	struct smtp *smtp = passage->smtp;
	const char *commands[] = {
		[SMTP_MAIL] = passage->mail, [SMTP_RCPT] = passage->rcpt, [SMTP_DATA] = "DATA\r\n"};
	bool ok = true, gone = false, in_data = false;
	int r = 0;

	for (int step = SMTP_MAIL; r == 0 && smtp->pipelining && step <= SMTP_DATA; step++)
		r = smtp_write(smtp, commands[step]);
	for (enum smtp_step step = SMTP_MAIL; r == 0 && !gone && step <= SMTP_DATA; step++) {
		if (!smtp->pipelining && !ok)
			break;
		if (!smtp->pipelining)
			r = smtp_write(smtp, commands[step]);
		if (r == 0 && (step == SMTP_MAIL || !smtp->pipelining))
			r = smtp_flush(smtp, smtp->config.timeout_ms);
		if (r < 0) {
			(void)smtp_fail_stream(smtp, r);
			break;
		}
		r = hear(passage);
		if (r < 0)
			break;
		in_data = step == SMTP_DATA && smtp->reply.code == 354;
		gone = smtp->reply.code == 421;
		if (ok && !is_yes(step, smtp->reply.code)) {
			refused(passage, step);
			ok = false;
		}
	}
	if (r == 0 && ok)
		send_body(passage);
	else if (r == 0)
		recover(smtp, gone, in_data);
	else if (ok)
		lost(passage, "before the mail");
	else
		smtp_drop(smtp); /* the mail was refused before: that stands */
}

void smtp_deliver(struct smtp *smtp, struct attempt *attempt)
{
	struct passage passage = {.smtp = smtp, .attempt = attempt};
	bool used = smtp->used;

	if (!prepare(&passage))
		return;
	smtp->used = true;
	send_envelope(&passage);
	/* A connection that has been used may be closed at any time between two mails, or have
	 * had its number of mails: a new one is no second attempt. */
	bool closed = attempt->status == DELIVERY_LOST && !passage.heard;
	bool enough = attempt->code == 421 && !smtp->stream;
	if (!used || !(closed || enough))
		return;
	if (smtp_login(smtp) < 0) {
		attempt_result(attempt, DELIVERY_UNREACHABLE, smtp_error_code(smtp), "%s",
			smtp_error(smtp));
		return;
	}
	smtp->used = true;
	if (prepare(&passage))
		send_envelope(&passage);
}

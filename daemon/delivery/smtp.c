#include "daemon/delivery/smtp.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "daemon/delivery/smtp_internal.h"
#include "daemon/net/sasl.h"

/* A longer initial response goes out behind a challenge: a command is a line of 512. */
#define INITIAL_MAX 400
#define CHALLENGES_MAX 8
#define GOODBYE_MS 2000

/* ---- Life ---- */

static int copy(const char **ret_copy, const char *text)
{
	*ret_copy = text ? strdup(text) : NULL;
	return text && !*ret_copy ? -ENOMEM : 0;
}

static int config_copy(struct target_config *to, const struct target_config *from)
{
	*to = *from;
	to->address = NULL;
	to->host = to->ca_file = to->user = to->password = to->hello = NULL;
	int r = copy(&to->host, from->host);
	if (r == 0)
		r = copy(&to->user, from->user);
	if (r == 0)
		r = copy(&to->password, from->password);
	return r < 0 ? r : copy(&to->hello, from->hello);
}

int smtp_new(struct smtp **ret_smtp, const struct target_config *config)
{
	const struct tls_address address = {
		.host = config->host,
		.port = config->port,
		.mode = config->tls,
		.ca_file = config->ca_file,
		.abort_fd = config->abort_fd,
	};
	struct smtp *smtp = calloc(1, sizeof(*smtp));
	int r;

	if (!smtp)
		return -ENOMEM;
	r = config_copy(&smtp->config, config);
	if (r == 0)
		r = tls_peer_new(&smtp->peer, &address);
	if (r < 0) {
		smtp_free(smtp);
		return r;
	}
	*ret_smtp = smtp;
	return 0;
}

void smtp_free(struct smtp *smtp)
{
	char *password = (char *)smtp->config.password;

	smtp_drop(smtp);
	if (smtp->peer)
		tls_peer_free(smtp->peer);
	if (password)
		explicit_bzero(password, strlen(password));
	free(password);
	free((char *)smtp->config.host);
	free((char *)smtp->config.user);
	free((char *)smtp->config.hello);
	free(smtp);
}

const char *smtp_error(const struct smtp *smtp)
{
	return smtp->error;
}

int smtp_error_code(const struct smtp *smtp)
{
	return smtp->code;
}

int smtp_fail(struct smtp *smtp, int error, const char *format, ...)
{
	va_list args;
	int n = snprintf(smtp->error, sizeof(smtp->error), "%s:%u: ", smtp->config.host,
		(unsigned)smtp->config.port);

	va_start(args, format);
	if (n > 0 && (size_t)n < sizeof(smtp->error))
		(void)vsnprintf(smtp->error + n, sizeof(smtp->error) - (size_t)n, format, args);
	va_end(args);
	return error;
}

int smtp_fail_stream(struct smtp *smtp, int error)
{
	const char *text = tls_peer_error(smtp->peer);

	if (*text == '\0')
		return smtp_fail(smtp, error, "%s", strerror(-error));
	(void)snprintf(smtp->error, sizeof(smtp->error), "%s", text);
	return error;
}

void smtp_say(const struct smtp *smtp, char text[static SMTP_TEXT_MAX])
{
	const char *password = smtp->config.password;

	smtp_reply_text(&smtp->reply, text);
	if (password && *password && strstr(text, password))
		(void)snprintf(text, SMTP_TEXT_MAX, "%d", smtp->reply.code);
}

/* ---- Bytes ---- */

void smtp_drop(struct smtp *smtp)
{
	if (smtp->stream)
		mailstream_close(smtp->stream);
	smtp->stream = NULL;
}

int smtp_write(struct smtp *smtp, const char *text)
{
	size_t size = strlen(text);

	return mailstream_write(smtp->stream, text, size) == (ssize_t)size ? 0 : -ECONNRESET;
}

int smtp_flush(struct smtp *smtp, uint64_t ms)
{
	tls_stream_limit(smtp->stream, ms, SMTP_REPLY_BYTES);
	return mailstream_flush(smtp->stream) < 0 ? -ECONNRESET : 0;
}

/* Takes bytes out of the stream's buffer that have been looked at. */
static int take(mailstream *stream, size_t size)
{
	char bytes[1024];

	while (size > 0) {
		size_t part = size < sizeof(bytes) ? size : sizeof(bytes);
		ssize_t n = mailstream_read(stream, bytes, part);
		if (n <= 0)
			return -ECONNRESET;
		size -= (size_t)n;
	}
	return 0;
}

int smtp_read(struct smtp *smtp)
{
	mailstream *stream = smtp->stream;
	int complete, r;

	smtp_reply_begin(&smtp->reply);
	do {
		size_t used = 0;
		if (stream->read_buffer_len == 0 && mailstream_feed_read_buffer(stream) <= 0)
			return smtp_fail_stream(smtp, -ECONNRESET);
		complete = smtp_reply_push(
			&smtp->reply, stream->read_buffer, stream->read_buffer_len, &used);
		if (complete < 0)
			return smtp_fail(smtp, complete, "%s",
				complete == -EMSGSIZE ? "the server's reply is too long"
						      : "what the server says is no reply");
		r = take(stream, used);
	} while (r == 0 && !complete);
	return r;
}

/* Sends a line and reads the reply: its code, or -errno. */
static int ask(struct smtp *smtp, const char *line)
{
	int r = smtp_write(smtp, line);

	if (r == 0)
		r = smtp_write(smtp, "\r\n");
	if (r == 0)
		r = smtp_flush(smtp, smtp->config.timeout_ms);
	if (r < 0)
		return smtp_fail_stream(smtp, r);
	r = smtp_read(smtp);
	return r < 0 ? r : smtp->reply.code;
}

/* ---- Login ---- */

/* The reply is not the one that was hoped for. */
static int refused(struct smtp *smtp, const char *what)
{
	char text[SMTP_TEXT_MAX];

	smtp->code = smtp->reply.code;
	smtp_say(smtp, text);
	return smtp_fail(smtp, -EACCES, "%s: %s", what, text);
}

static bool keyword(const char *line, const char *name, const char **ret_rest)
{
	size_t size = strlen(name);

	if (strncasecmp(line, name, size) != 0 || !strchr(" =", line[size]))
		return false;
	*ret_rest = line + size;
	return true;
}

static void read_offers(struct smtp *smtp)
{
	const char *line = smtp_reply_line(&smtp->reply, NULL), *rest;

	smtp->starttls = smtp->pipelining = smtp->eight_bit = smtp->utf8 = smtp->dsn = false;
	smtp->size_max = 0;
	smtp->auth[0] = '\0';
	while (line && (line = smtp_reply_line(&smtp->reply, line))) {
		if (keyword(line, "STARTTLS", &rest))
			smtp->starttls = true;
		else if (keyword(line, "PIPELINING", &rest))
			smtp->pipelining = true;
		else if (keyword(line, "8BITMIME", &rest))
			smtp->eight_bit = true;
		else if (keyword(line, "SMTPUTF8", &rest))
			smtp->utf8 = true;
		else if (keyword(line, "DSN", &rest))
			smtp->dsn = true;
		else if (keyword(line, "SIZE", &rest))
			smtp->size_max = strtoull(rest, NULL, 10);
		else if (keyword(line, "AUTH", &rest) && *rest)
			(void)snprintf(smtp->auth, sizeof(smtp->auth), " %s ", rest + 1);
	}
}

static int hello(struct smtp *smtp)
{
	char line[300];

	(void)snprintf(line, sizeof(line), "EHLO %.255s", smtp->config.hello);
	int code = ask(smtp, line);
	if (code < 0)
		return code;
	if (code != 250)
		return refused(smtp, "EHLO");
	read_offers(smtp);
	return 0;
}

/* Asked for and verified, or no connection: never a fall back to plain text. */
static int start_tls(struct smtp *smtp)
{
	if (!smtp->starttls)
		return smtp_fail(smtp, -EPROTO, "the server does not offer STARTTLS");
	int code = ask(smtp, "STARTTLS");
	if (code < 0)
		return code;
	if (code != 220)
		return refused(smtp, "STARTTLS");
	int r = tls_stream_upgrade(smtp->stream, smtp->config.timeout_ms);
	if (r < 0)
		return smtp_fail_stream(smtp, r);
	return hello(smtp);
}

static bool offers(const struct smtp *smtp, const char *mechanism)
{
	size_t size = strlen(mechanism);

	for (const char *at = smtp->auth; (at = strcasestr(at, mechanism)); at += size)
		if (at[-1] == ' ' && at[size] == ' ')
			return true;
	return false;
}

/* What the server is told first; it goes with the command if it is short. */
static int begin_login(struct smtp *smtp, const char *name, const char **first)
{
	char line[INITIAL_MAX + 40];
	bool with = *first && strlen(*first) <= INITIAL_MAX;

	(void)snprintf(line, sizeof(line), "AUTH %s%s%s", name, with ? " " : "",
		!with     ? ""
		: **first ? *first
			  : "=");
	int code = ask(smtp, line);
	explicit_bzero(line, sizeof(line));
	if (with)
		*first = NULL;
	return code;
}

/* Challenges and responses until the server has decided: its code. What it says then may
 * hold what it was told, so only the codes are passed on. */
static int exchange(struct smtp *smtp, struct sasl *sasl)
{
	const char *response = sasl_first(sasl);
	int code = begin_login(smtp, sasl_name(sasl), &response);

	for (unsigned n = 0; code == 334 && n < CHALLENGES_MAX; n++) {
		int r = 0;
		if (!response)
			r = sasl_step(sasl, smtp_reply_line(&smtp->reply, NULL), &response);
		if (r < 0) {
			(void)ask(smtp, "*");
			return smtp_fail(smtp, r, "AUTH %s: %s", sasl_name(sasl),
				r == -EACCES ? "the server does not know the password"
					     : "the server does not follow the mechanism");
		}
		code = ask(smtp, response);
		response = NULL;
	}
	return code;
}

static int login_by(struct smtp *smtp, struct sasl *sasl)
{
	const int *enhanced = smtp->reply.enhanced;
	int code;

	if (!offers(smtp, sasl_name(sasl)))
		return smtp_fail(smtp, -EPROTO, "the server does not offer AUTH %s%s%s",
			sasl_name(sasl), smtp->auth[0] ? " but" : "", smtp->auth);
	code = exchange(smtp, sasl);
	if (code < 0)
		return code;
	if (code == 235 && sasl_done(sasl))
		return 0;
	smtp->code = code;
	return smtp_fail(smtp, -EACCES, "AUTH %s: the login is refused: %d %d.%d.%d",
		sasl_name(sasl), code, enhanced[0], enhanced[1], enhanced[2]);
}

static int login(struct smtp *smtp)
{
	const struct target_config *config = &smtp->config;
	struct sasl *sasl __attribute__((cleanup(sasl_freep))) = NULL;
	enum mail_auth auth = config->auth;

	if (auth == MAIL_AUTH_NONE)
		return 0;
	/* The two tell the server the same. */
	if (auth == MAIL_AUTH_LOGIN && !offers(smtp, "LOGIN") && offers(smtp, "PLAIN"))
		auth = MAIL_AUTH_PLAIN;
	int r = sasl_new(&sasl, auth, config->user, config->password);
	return r < 0 ? smtp_fail(smtp, r, "%s", strerror(-r)) : login_by(smtp, sasl);
}

static int greet(struct smtp *smtp)
{
	tls_stream_limit(smtp->stream, smtp->config.timeout_ms, SMTP_REPLY_BYTES);
	int r = smtp_read(smtp);
	if (r < 0)
		return r;
	return smtp->reply.code == 220 ? hello(smtp) : refused(smtp, "greeting");
}

static int connect_and_login(struct smtp *smtp)
{
	int r = tls_stream_open(&smtp->stream, smtp->peer, smtp->config.timeout_ms);

	if (r < 0) {
		smtp->stream = NULL;
		return smtp_fail_stream(smtp, r);
	}
	r = greet(smtp);
	if (r == 0 && smtp->config.tls == TLS_LATER)
		r = start_tls(smtp);
	return r < 0 ? r : login(smtp);
}

int smtp_login(struct smtp *smtp)
{
	/* Nobody has asked anything: it is a goodbye. */
	if (smtp->stream && tls_stream_buffered(smtp->stream))
		smtp_drop(smtp);
	if (smtp->stream)
		return 0;
	smtp->code = 0;
	smtp->used = false;
	int r = connect_and_login(smtp);
	if (r < 0)
		smtp_drop(smtp);
	return r;
}

void smtp_quit(struct smtp *smtp)
{
	int r = smtp->stream ? smtp_write(smtp, "QUIT\r\n") : -ENOTCONN;

	if (r == 0)
		r = smtp_flush(smtp, GOODBYE_MS);
	if (r == 0)
		r = smtp_read(smtp);
	(void)r; /* whatever it says */
	smtp_drop(smtp);
}

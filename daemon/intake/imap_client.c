#include "daemon/intake/imap_client.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/intake/imap_internal.h"
#include "daemon/net/credential.h"
#include "daemon/net/sasl.h"

#define LOGOUT_MS 2000
/* So much of what a server says is passed on. */
#define IMAP_SAID_MAX 300

static const char bye[] = "* BYE";

/* ---- What went wrong ---- */

static void mask(char *text, const char *secret)
{
	size_t size = secret ? strlen(secret) : 0;

	while (size > 0 && (text = strstr(text, secret))) {
		memset(text, '*', size);
		text += size;
	}
}

/* A server that sends the password back must not get it into our log. */
static void text_mask(struct imap_client *client)
{
	for (size_t i = 0; i < ARRAY_SIZE(client->hidden); i++)
		mask(client->text, client->hidden[i]);
	for (char *c = client->text; *c; c++)
		if ((unsigned char)*c < ' ' || (unsigned char)*c >= 0x7f)
			*c = '?';
}

int imap_fail(struct imap_client *client, int error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	(void)vsnprintf(client->text, sizeof(client->text), format, args);
	va_end(args);
	text_mask(client);
	return error;
}

void imap_drop(struct imap_client *client)
{
	if (client->stream)
		(void)mailstream_close(client->stream);
	client->stream = NULL;
	if (client->imap) {
		/* Otherwise it would say LOGOUT to a stream that is gone. */
		client->imap->imap_stream = NULL;
		mailimap_free(client->imap);
	}
	client->imap = NULL;
	client->idling = false;
	for (size_t i = 0; i < ARRAY_SIZE(client->hidden); i++) {
		credential_free(client->hidden[i]);
		client->hidden[i] = NULL;
	}
}

static int said_bye(struct imap_client *client, const char *what, const char *text, size_t size)
{
	while (size > 0 && *text == ' ') {
		text++;
		size--;
	}
	imap_fail(client, 0, "%s: the server ended the connection (BYE): %.*s", what,
		(int)(size < IMAP_SAID_MAX ? size : IMAP_SAID_MAX), text);
	imap_drop(client);
	return -ECONNRESET;
}

static bool is_bye(const char *line, size_t size)
{
	return size >= sizeof(bye) - 1 && strncasecmp(line, bye, sizeof(bye) - 1) == 0;
}

/* A server may say why it goes in the middle of its answer, which libetpan then knows for no
 * answer alone: the lines of it that have come, among which the mails' own are not. */
static bool find_bye(const struct imap_client *client, const char **ret_text, size_t *ret_size)
{
	const MMAPString *lines = client->imap ? client->imap->imap_stream_buffer : NULL;
	const char *line = lines ? lines->str : NULL, *end = lines ? line + lines->len : NULL;
	bool found = false;

	while (line < end) {
		const char *eol = memchr(line, '\n', (size_t)(end - line));
		size_t size = eol ? (size_t)(eol - line) : 0;

		if (!eol)
			break;
		if (is_bye(line, size)) {
			*ret_text = line + sizeof(bye) - 1;
			*ret_size = size - (sizeof(bye) - 1) - (eol[-1] == '\r');
			found = true;
		}
		line = eol + 1;
	}
	return found;
}

int imap_stream_failed(struct imap_client *client, const char *what)
{
	const char *reason = tls_peer_error(client->peer);

	imap_fail(client, 0, "%s: %s", what, *reason ? reason : "the connection broke");
	imap_drop(client);
	return -ECONNRESET;
}

/* libetpan has come to no end with the answer. */
static int no_answer(struct imap_client *client, bool stream, const char *what)
{
	const char *text;
	size_t size;

	if (find_bye(client, &text, &size))
		return said_bye(client, what, text, size);
	/* The driver's reason is the better one, if it has one. */
	if (stream || *tls_peer_error(client->peer))
		return imap_stream_failed(client, what);
	imap_fail(client, 0, "%s: the server's answer is not IMAP, or too long", what);
	imap_drop(client);
	return -EPROTO;
}

/* The server's words, or "". */
static const char *server_text(const struct imap_client *client)
{
	const char *text = client->imap->imap_response;

	return text ? text : "";
}

/* A server says once that there are more messages, in the answer to whatever command runs. */
static void count_messages(struct imap_client *client)
{
	const struct mailimap_selection_info *folder = client->imap->imap_selection_info;
	const struct mailimap_response_info *answer = client->imap->imap_response_info;
	uint32_t gone = answer ? (uint32_t)clist_count(answer->rsp_expunged) : 0;

	if (!folder)
		return;
	client->known -= gone < client->known ? gone : client->known;
	if (folder->sel_exists > client->known)
		client->news = true;
	client->known = folder->sel_exists;
}

int imap_result(struct imap_client *client, int result, const char *what)
{
	count_messages(client);
	switch (result) {
	case MAILIMAP_NO_ERROR:
	case MAILIMAP_NO_ERROR_AUTHENTICATED:
	case MAILIMAP_NO_ERROR_NON_AUTHENTICATED:
		return 0;
	case MAILIMAP_ERROR_STREAM:
		return no_answer(client, true, what);
	case MAILIMAP_ERROR_DONT_ACCEPT_CONNECTION:
		return said_bye(client, what, server_text(client), strlen(server_text(client)));
	case MAILIMAP_ERROR_PARSE:
	case MAILIMAP_ERROR_PROTOCOL:
	case MAILIMAP_ERROR_MEMORY:
	case MAILIMAP_ERROR_FATAL:
	case MAILIMAP_ERROR_BAD_STATE:
	case MAILIMAP_ERROR_NEEDS_MORE_DATA:
	case MAILIMAP_ERROR_INVAL:
		return no_answer(client, false, what);
	default:
		return imap_fail(client, -EREMOTEIO, "%s: refused: %.*s", what, IMAP_SAID_MAX,
			server_text(client));
	}
}

/* ---- Speaking ---- */

void imap_begin(struct imap_client *client, size_t bytes)
{
	const struct imap_settings *settings = client->settings;

	settings->on_busy(settings->userdata, settings->timeout_ms + IMAP_MARGIN_MS);
	if (client->stream)
		tls_stream_limit(client->stream, settings->timeout_ms, bytes);
}

int imap_say(struct imap_client *client, const char *what, ...)
{
	const char *part;
	va_list args;
	bool good = true;

	va_start(args, what);
	while (good && (part = va_arg(args, const char *)))
		good = mailstream_write(client->stream, part, strlen(part)) >= 0;
	va_end(args);
	if (good && mailstream_write(client->stream, "\r\n", 2) >= 0 &&
		mailstream_flush(client->stream) >= 0)
		return 0;
	return imap_stream_failed(client, what);
}

int imap_hear(struct imap_client *client, MMAPString *line, const char *what)
{
	(void)mmap_string_truncate(line, 0);
	if (!mailstream_read_line_remove_eol(client->stream, line))
		return imap_stream_failed(client, what);
	return is_bye(line->str, line->len) ? said_bye(client, what, line->str + sizeof(bye) - 1,
						      line->len - (sizeof(bye) - 1))
					    : 0;
}

/* ---- Life ---- */

int imap_client_new(struct imap_client **ret_client, const struct imap_settings *settings)
{
	struct imap_client *client = calloc(1, sizeof(*client));
	int r;

	if (!client)
		return -ENOMEM;
	client->settings = settings;
	r = tls_peer_new(&client->peer, &settings->address);
	if (r < 0) {
		free(client);
		return r;
	}
	*ret_client = client;
	return 0;
}

void imap_client_free(struct imap_client *client)
{
	if (!client)
		return;
	imap_client_close(client);
	tls_peer_free(client->peer);
	free(client);
}

static int open_folder(struct imap_client *client)
{
	const struct imap_settings *settings = client->settings;
	const struct mailimap_selection_info *info;
	char what[300];
	int r;

	(void)snprintf(what, sizeof(what), "folder %.250s", settings->folder);
	imap_begin(client, IMAP_ANSWER_MAX);
	r = settings->look_only ? mailimap_examine(client->imap, settings->folder)
				: mailimap_select(client->imap, settings->folder);
	r = imap_result(client, r, what);
	if (r < 0)
		return r;
	info = client->imap->imap_selection_info;
	if (!info || info->sel_uidvalidity == 0)
		return imap_fail(client, -EPROTO,
			"%s: the server numbers mails for no longer than "
			"a session (no UIDVALIDITY)",
			what);
	client->validity = info->sel_uidvalidity;
	client->next = info->sel_uidnext;
	return 0;
}

/* One form in which a mechanism sends the password: its last response. */
static int hide(struct imap_client *client, size_t slot, enum mail_auth auth, const char *password)
{
	struct sasl *sasl __attribute__((cleanup(sasl_freep))) = NULL;
	const char *response = NULL;
	int r = sasl_new(&sasl, auth, client->settings->user, password);

	if (r == 0)
		response = sasl_first(sasl);
	for (unsigned i = 0; r == 0 && auth == MAIL_AUTH_LOGIN && i < 2; i++)
		r = sasl_step(sasl, "", &response);
	if (r != 0 || !response)
		return r < 0 ? r : -EINVAL;
	client->hidden[slot] = strdup(response);
	return client->hidden[slot] ? 0 : -ENOMEM;
}

static int hide_all(struct imap_client *client, const char *password)
{
	static const enum mail_auth forms[] = {MAIL_AUTH_LOGIN, MAIL_AUTH_PLAIN, MAIL_AUTH_XOAUTH2};
	int r = 0;

	static_assert(ARRAY_SIZE(forms) + 1 == ARRAY_SIZE(client->hidden), "one more for itself");
	client->hidden[0] = strdup(password);
	if (!client->hidden[0])
		return -ENOMEM;
	for (size_t i = 0; i < ARRAY_SIZE(forms) && r == 0; i++)
		r = hide(client, i + 1, forms[i], password);
	return r;
}

int imap_client_open(struct imap_client *client, const char *password)
{
	int r;

	imap_drop(client);
	imap_begin(client, 0);
	r = tls_stream_open(&client->stream, client->peer, client->settings->timeout_ms);
	if (r < 0) {
		client->stream = NULL;
		return imap_fail(client, r, "%s", tls_peer_error(client->peer));
	}
	client->imap = mailimap_new(0, NULL);
	r = client->imap ? hide_all(client, password) : -ENOMEM;
	if (r < 0) {
		imap_drop(client);
		return imap_fail(client, r, "login: %s", strerrordesc_np(-r));
	}
	r = imap_greet(client, password);
	if (r == 0)
		r = open_folder(client);
	if (r < 0)
		imap_drop(client);
	return r;
}

void imap_client_close(struct imap_client *client)
{
	if (client->imap && !client->idling) {
		tls_stream_limit(client->stream, LOGOUT_MS, IMAP_ANSWER_MAX);
		(void)mailimap_logout(client->imap);
		/* It closes the stream, or does not. */
		client->stream = client->imap->imap_stream;
	}
	imap_drop(client);
}

void imap_client_reject(struct imap_client *client, const char *why)
{
	imap_fail(client, 0, "%s", why);
	imap_drop(client);
}

bool imap_client_is_open(const struct imap_client *client)
{
	return client->imap != NULL;
}

const char *imap_client_text(const struct imap_client *client)
{
	return client->text;
}

int64_t imap_client_age(const struct imap_client *client)
{
	return tls_peer_age(client->peer);
}

uint32_t imap_client_validity(const struct imap_client *client)
{
	return client->validity;
}

uint32_t imap_client_next(const struct imap_client *client)
{
	return client->next;
}

bool imap_client_news(struct imap_client *client)
{
	bool news = client->news;

	client->news = false;
	return news;
}

int imap_client_wait(struct imap_client *client, int other_fd, int64_t ms)
{
	return tls_stream_wait(client->stream, other_fd, ms);
}

/* ---- IDLE ---- */

/* "* 23 EXISTS" is true; "* 4 EXPUNGE" is counted. */
static bool line_is_exists(struct imap_client *client, const char *line)
{
	struct mailimap_selection_info *folder = client->imap->imap_selection_info;
	char *end;

	if (strncmp(line, "* ", 2) != 0 || strspn(line + 2, "0123456789") == 0 || !folder)
		return false;
	uint32_t number = (uint32_t)strtoul(line + 2, &end, 10);
	bool exists = strncasecmp(end, " EXISTS", 7) == 0;
	if (exists)
		folder->sel_exists = number;
	else if (strncasecmp(end, " EXPUNGE", 8) == 0 && folder->sel_exists > 0)
		folder->sel_exists--;
	client->known = folder->sel_exists;
	return exists;
}

/* The text behind the tag of the running command, or NULL. */
static const char *line_of_tag(const char *line, const char *tag)
{
	size_t size = strlen(tag);

	return strncmp(line, tag, size) == 0 && line[size] == ' ' ? line + size + 1 : NULL;
}

/* Reads up to the `+` or the end of the IDLE command: 1 `+`, 0 OK, -EREMOTEIO otherwise. */
static int idle_read(struct imap_client *client, bool *ret_changed)
{
	MMAPString *line = mmap_string_sized_new(256);
	const char *end = NULL;
	char tag[16];
	int r = line ? 0 : -ENOMEM;

	(void)snprintf(tag, sizeof(tag), "i%u", client->tag);
	while (r == 0 && !end) {
		r = imap_hear(client, line, "IDLE");
		if (r < 0)
			break;
		if (line_is_exists(client, line->str))
			*ret_changed = true;
		if (line->str[0] == '+')
			r = 1;
		end = line_of_tag(line->str, tag);
	}
	if (r == 0 && end && strncasecmp(end, "OK", 2) != 0)
		r = imap_fail(client, -EREMOTEIO, "IDLE: refused: %.300s", end);
	if (line)
		mmap_string_free(line);
	return r;
}

int imap_client_idle(struct imap_client *client, bool *ret_changed)
{
	char tag[16];
	int r;

	if (!client->has_idle)
		return -EOPNOTSUPP;
	(void)snprintf(tag, sizeof(tag), "i%u", ++client->tag);
	imap_begin(client, IMAP_ANSWER_MAX);
	r = imap_say(client, "IDLE", tag, " IDLE", NULL);
	if (r == 0)
		r = idle_read(client, ret_changed);
	if (r == 1) {
		client->idling = true;
		return 0;
	}
	if (r < 0 && r != -EREMOTEIO)
		return r;
	client->has_idle = false;
	return -EOPNOTSUPP;
}

int imap_client_idle_take(struct imap_client *client, bool *ret_changed)
{
	MMAPString *line = mmap_string_sized_new(256);
	int r = line ? 0 : -ENOMEM;

	imap_begin(client, IMAP_ANSWER_MAX);
	do {
		r = r < 0 ? r : imap_hear(client, line, "IDLE");
		if (r == 0 && line_is_exists(client, line->str))
			*ret_changed = true;
	} while (r == 0 && tls_stream_buffered(client->stream));
	if (line)
		mmap_string_free(line);
	return r;
}

int imap_client_idle_end(struct imap_client *client, bool *ret_changed)
{
	int r;

	if (!client->idling)
		return 0;
	imap_begin(client, IMAP_ANSWER_MAX);
	client->idling = false;
	r = imap_say(client, "IDLE", "DONE", NULL);
	if (r == 0)
		r = idle_read(client, ret_changed);
	if (r == 1) {
		imap_fail(client, 0, "IDLE: the server's answer is not IMAP");
		imap_drop(client);
		return -EPROTO;
	}
	/* Refused behind its time: it is over all the same. */
	return r == -EREMOTEIO ? 0 : r;
}

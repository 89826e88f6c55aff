#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/intake/imap_internal.h"
#include "daemon/net/sasl.h"

/* Challenges and responses of one exchange. */
#define EXCHANGES_MAX 8

static int ask_capabilities(struct imap_client *client)
{
	struct mailimap_capability_data *data = NULL;
	int r;

	imap_begin(client, IMAP_ANSWER_MAX);
	r = imap_result(client, mailimap_capability(client->imap, &data), "CAPABILITY");
	if (data)
		mailimap_capability_data_free(data);
	return r;
}

static bool has(const struct imap_client *client, const char *capability)
{
	return mailimap_has_extension(client->imap, capability) != 0;
}

static int start_tls(struct imap_client *client)
{
	int r = ask_capabilities(client);

	if (r < 0)
		return r;
	if (!has(client, "STARTTLS"))
		return imap_fail(client, -EPROTO,
			"the server offers no STARTTLS; nothing is sent in plain text");
	imap_begin(client, IMAP_ANSWER_MAX);
	r = mailimap_starttls(client->imap);
	/* libetpan refuses what is left over, without a word; the driver says it. */
	if (r == MAILIMAP_ERROR_STARTTLS && client->stream->read_buffer_len > 0)
		r = MAILIMAP_NO_ERROR;
	r = imap_result(client, r, "STARTTLS");
	if (r < 0)
		return r;
	client->settings->on_busy(
		client->settings->userdata, client->settings->timeout_ms + IMAP_MARGIN_MS);
	r = tls_stream_upgrade(client->stream, client->settings->timeout_ms);
	return r < 0 ? imap_fail(client, r, "%s", tls_peer_error(client->peer)) : 0;
}

/* ---- Login ---- */

static int log_in(struct imap_client *client, const char *password)
{
	int r;

	if (has(client, "LOGINDISABLED"))
		return imap_fail(client, -EACCES,
			"login: the server allows none by LOGIN; choose another `auth`");
	imap_begin(client, IMAP_ANSWER_MAX);
	r = mailimap_login(client->imap, client->settings->user, password);
	return imap_result(client, r, "login");
}

/* One line of the exchange: 1 with a challenge, 0 at its end. */
static int hear_challenge(
	struct imap_client *client, MMAPString *line, const char *tag, const char **ret_challenge)
{
	size_t size = strlen(tag);
	int r;

	do
		r = imap_hear(client, line, "login");
	while (r == 0 && strncmp(line->str, "* ", 2) == 0);
	if (r < 0)
		return r;
	if (line->str[0] == '+') {
		*ret_challenge = line->str + strcspn(line->str, " ");
		*ret_challenge += **ret_challenge == ' ';
		return 1;
	}
	if (strncmp(line->str, tag, size) != 0 || line->str[size] != ' ')
		return imap_fail(client, -EPROTO, "login: the server's answer is not IMAP");
	if (strncasecmp(line->str + size + 1, "OK", 2) == 0)
		return 0;
	return imap_fail(client, -EREMOTEIO, "login: refused: %.300s", line->str + size + 1);
}

/* Challenges are answered until the server has said yes or no. */
static int exchange(struct imap_client *client, struct sasl *sasl, MMAPString *line,
	const char *tag, bool first)
{
	const char *challenge = "", *response = sasl_first(sasl);
	int r;

	for (unsigned i = 0; i < EXCHANGES_MAX; i++) {
		r = hear_challenge(client, line, tag, &challenge);
		if (r < 0)
			return r;
		if (r == 0)
			return sasl_done(sasl) ? 0
					       : imap_fail(client, -EACCES,
							 "login: the server did not prove that it "
							 "knows the password");
		/* Without SASL-IR the first response answers an empty challenge. */
		if (!first || !response) {
			r = sasl_step(sasl, challenge, &response);
			if (r < 0)
				return imap_fail(client, r,
					r == -EACCES
						? "login: the server does not know the password"
						: "login: the server does not follow %s",
					sasl_name(sasl));
		}
		first = false;
		r = imap_say(client, "login", response, NULL);
		if (r < 0)
			return r;
	}
	return imap_fail(client, -EPROTO, "login: the server never comes to an end");
}

static int authenticate(struct imap_client *client, const char *password)
{
	struct sasl *sasl __attribute__((cleanup(sasl_freep))) = NULL;
	MMAPString *line;
	char tag[16];
	int r = sasl_new(&sasl, client->settings->auth, client->settings->user, password);
	bool at_once;

	if (r < 0)
		return imap_fail(client, r, "login: %s", strerrordesc_np(-r));
	(void)snprintf(tag, sizeof(tag), "a%u", ++client->tag);
	imap_begin(client, IMAP_ANSWER_MAX);
	at_once = sasl_first(sasl) && has(client, "SASL-IR");
	r = imap_say(client, "login", tag, " AUTHENTICATE ", sasl_name(sasl), at_once ? " " : NULL,
		at_once ? sasl_first(sasl) : NULL, NULL);
	if (r < 0)
		return r;
	line = mmap_string_sized_new(1024);
	if (!line)
		return imap_fail(client, -ENOMEM, "out of memory");
	r = exchange(client, sasl, line, tag, !at_once);
	mmap_string_free(line);
	/* libetpan did not see it. */
	if (r == 0)
		client->imap->imap_state = MAILIMAP_STATE_AUTHENTICATED;
	return r;
}

int imap_greet(struct imap_client *client, const char *password)
{
	enum tls_mode mode = client->settings->address.mode;
	bool known;
	int r;

	imap_begin(client, IMAP_ANSWER_MAX);
	r = mailimap_connect(client->imap, client->stream);
	known = r == MAILIMAP_NO_ERROR_AUTHENTICATED;
	r = imap_result(client, r, "greeting");
	if (r < 0)
		return r;
	if (mode == TLS_LATER) {
		if (known)
			return imap_fail(client, -EPROTO,
				"the server's greeting leaves no room for STARTTLS (PREAUTH)");
		r = start_tls(client);
	}
	if (r == 0)
		r = ask_capabilities(client);
	if (r == 0 && !known) {
		r = client->settings->auth == MAIL_AUTH_LOGIN ? log_in(client, password)
							      : authenticate(client, password);
		if (r == 0)
			r = ask_capabilities(client);
	}
	if (r < 0)
		return r;
	client->has_idle = has(client, "IDLE");
	client->has_move = has(client, "MOVE");
	client->has_uidplus = has(client, "UIDPLUS");
	return 0;
}

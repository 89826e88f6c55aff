#include "daemon/net/sasl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/net/sasl_internal.h"

#define MD5_SIZE 16

void sasl_wipe(char *text)
{
	if (!text)
		return;
	explicit_bzero(text, strlen(text));
	free(text);
}

int sasl_respond(struct sasl *sasl, const void *data, size_t size)
{
	static const char alphabet[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *bytes = data;
	char *text = malloc(4 * ((size + 2) / 3) + 1), *out = text;

	if (!text)
		return -ENOMEM;
	for (size_t i = 0; i < size; i += 3) {
		unsigned b = (unsigned)bytes[i] << 16;

		b |= i + 1 < size ? (unsigned)bytes[i + 1] << 8 : 0;
		b |= i + 2 < size ? bytes[i + 2] : 0;
		*out++ = alphabet[b >> 18];
		*out++ = alphabet[b >> 12 & 63];
		*out++ = i + 1 < size ? alphabet[b >> 6 & 63] : '=';
		*out++ = i + 2 < size ? alphabet[b & 63] : '=';
	}
	*out = '\0';
	sasl_wipe(sasl->response);
	sasl->response = text;
	return 0;
}

int sasl_decode(const char *text, char **ret_data, size_t *ret_size)
{
	const gnutls_datum_t in = {.data = (unsigned char *)text, .size = (unsigned)strlen(text)};
	gnutls_datum_t out = {0};
	char *data;

	if (in.size > SASL_CHALLENGE_MAX * 4 / 3)
		return -EBADMSG;
	if (in.size > 0 && gnutls_base64_decode2(&in, &out) < 0)
		return -EBADMSG;
	data = calloc(1, (size_t)out.size + 1);
	if (data && out.size > 0)
		memcpy(data, out.data, out.size);
	gnutls_free(out.data);
	if (!data)
		return -ENOMEM;
	*ret_data = data;
	*ret_size = out.size;
	return 0;
}

static int respond_text(struct sasl *sasl, char *text, int size)
{
	int r = size < 0 ? -ENOMEM : sasl_respond(sasl, text, (size_t)size);

	if (size >= 0) {
		explicit_bzero(text, (size_t)size);
		free(text);
	}
	return r;
}

static int cram_respond(struct sasl *sasl, const char *challenge, size_t size)
{
	unsigned char digest[MD5_SIZE];
	char hex[2 * MD5_SIZE + 1], *text = NULL;

	if (gnutls_hmac_fast(GNUTLS_MAC_MD5, sasl->password, strlen(sasl->password), challenge,
		    size, digest) < 0)
		return -ENOTSUP;
	for (size_t i = 0; i < MD5_SIZE; i++)
		(void)snprintf(hex + 2 * i, 3, "%02x", digest[i]);
	int n = asprintf(&text, "%s %s", sasl->user, hex);
	return respond_text(sasl, text, n);
}

static int sasl_begin(struct sasl *sasl)
{
	char *text = NULL;
	int n;

	switch (sasl->auth) {
	case MAIL_AUTH_PLAIN:
		n = asprintf(&text, "%c%s%c%s", 0, sasl->user, 0, sasl->password);
		sasl->done = true;
		return respond_text(sasl, text, n);
	case MAIL_AUTH_XOAUTH2:
		n = asprintf(&text,
			"user=%s\x01"
			"auth=Bearer %s\x01\x01",
			sasl->user, sasl->password);
		sasl->done = true;
		return respond_text(sasl, text, n);
	case MAIL_AUTH_SCRAM_SHA_1:
	case MAIL_AUTH_SCRAM_SHA_256:
		return scram_begin(sasl);
	case MAIL_AUTH_LOGIN:
	case MAIL_AUTH_CRAM_MD5:
		return 0;
	case MAIL_AUTH_NONE:
		break;
	}
	return -EINVAL;
}

int sasl_new(struct sasl **ret_sasl, enum mail_auth auth, const char *user, const char *password)
{
	struct sasl *sasl = calloc(1, sizeof(*sasl));
	int r = -ENOMEM;

	if (!sasl)
		return r;
	sasl->auth = auth;
	sasl->user = strdup(user);
	sasl->password = strdup(password);
	if (sasl->user && sasl->password)
		r = sasl_begin(sasl);
	if (r < 0) {
		sasl_free(sasl);
		return r;
	}
	*ret_sasl = sasl;
	return 0;
}

void sasl_free(struct sasl *sasl)
{
	if (!sasl)
		return;
	scram_clear(&sasl->scram);
	sasl_wipe(sasl->password);
	sasl_wipe(sasl->response);
	free(sasl->user);
	free(sasl);
}

const char *sasl_name(const struct sasl *sasl)
{
	static const char *const names[] = {[MAIL_AUTH_LOGIN] = "LOGIN",
		[MAIL_AUTH_PLAIN] = "PLAIN",
		[MAIL_AUTH_CRAM_MD5] = "CRAM-MD5",
		[MAIL_AUTH_SCRAM_SHA_1] = "SCRAM-SHA-1",
		[MAIL_AUTH_SCRAM_SHA_256] = "SCRAM-SHA-256",
		[MAIL_AUTH_XOAUTH2] = "XOAUTH2"};

	return names[sasl->auth];
}

const char *sasl_first(struct sasl *sasl)
{
	return sasl->response;
}

static int sasl_answer(struct sasl *sasl, const char *challenge, size_t size)
{
	bool first = sasl->step++ == 0;

	switch (sasl->auth) {
	case MAIL_AUTH_LOGIN:
		/* The prompts are free text. */
		if (sasl->step > 2)
			return -EBADMSG;
		sasl->done = sasl->step == 2;
		return first ? sasl_respond(sasl, sasl->user, strlen(sasl->user))
			     : sasl_respond(sasl, sasl->password, strlen(sasl->password));
	case MAIL_AUTH_CRAM_MD5:
		if (!first || size == 0)
			return -EBADMSG;
		sasl->done = true;
		return cram_respond(sasl, challenge, size);
	case MAIL_AUTH_SCRAM_SHA_1:
	case MAIL_AUTH_SCRAM_SHA_256:
		if (strlen(challenge) != size)
			return -EBADMSG;
		return scram_step(sasl, challenge);
	case MAIL_AUTH_XOAUTH2:
		/* The reason of a refusal; an empty answer brings the refusal itself. */
		sasl->done = false;
		return first ? sasl_respond(sasl, "", 0) : -EBADMSG;
	case MAIL_AUTH_PLAIN:
	case MAIL_AUTH_NONE:
		break;
	}
	return -EBADMSG;
}

int sasl_step(struct sasl *sasl, const char *challenge, const char **ret_response)
{
	char *data = NULL;
	size_t size;
	int r = sasl_decode(challenge, &data, &size);

	if (r < 0)
		return r;
	r = sasl_answer(sasl, data, size);
	free(data);
	if (r < 0)
		return r;
	*ret_response = sasl->response;
	return 0;
}

bool sasl_done(const struct sasl *sasl)
{
	return sasl->done;
}

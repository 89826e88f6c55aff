#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/net/sasl_internal.h"

/* RFC 7677 asks for 4096 at least; a server may not make us count for ever. */
#define ITERATIONS_MAX 500000
#define NONCE_BYTES 16
/* "n,," in base64: no channel binding. */
#define GS2_HEADER "n,,"
#define BINDING "c=biws"

/* RFC 5802, 5.1: ',' and '=' are written otherwise in a name. */
static char *escape_name(const char *name)
{
	char *escaped = malloc(3 * strlen(name) + 1), *out = escaped;

	if (!escaped)
		return NULL;
	for (; *name; name++) {
		if (*name == ',' || *name == '=') {
			memcpy(out, *name == ',' ? "=2C" : "=3D", 3);
			out += 3;
		} else {
			*out++ = *name;
		}
	}
	*out = '\0';
	return escaped;
}

int scram_begin(struct sasl *sasl)
{
	struct scram *scram = &sasl->scram;
	unsigned char bytes[NONCE_BYTES];
	char *name, *text = NULL;
	int r = -ENOMEM;

	scram->mac = sasl->auth == MAIL_AUTH_SCRAM_SHA_1 ? GNUTLS_MAC_SHA1 : GNUTLS_MAC_SHA256;
	scram->digest = sasl->auth == MAIL_AUTH_SCRAM_SHA_1 ? GNUTLS_DIG_SHA1 : GNUTLS_DIG_SHA256;
	scram->size = gnutls_hash_get_len(scram->digest);
	if (gnutls_rnd(GNUTLS_RND_NONCE, bytes, sizeof(bytes)) < 0)
		return -EIO;
	for (size_t i = 0; i < NONCE_BYTES; i++)
		(void)snprintf(scram->nonce + 2 * i, 3, "%02x", bytes[i]);
	name = escape_name(sasl->user);
	if (name && asprintf(&scram->first_bare, "n=%s,r=%s", name, scram->nonce) < 0)
		scram->first_bare = NULL;
	free(name);
	if (scram->first_bare && asprintf(&text, GS2_HEADER "%s", scram->first_bare) >= 0) {
		r = sasl_respond(sasl, text, strlen(text));
		free(text);
	}
	return r;
}

void scram_clear(struct scram *scram)
{
	free(scram->first_bare);
	explicit_bzero(scram->signature, sizeof(scram->signature));
}

/* server-first-message: r=NONCE,s=SALT,i=COUNT and extensions; the parts lead into text,
 * which is cut up. */
static int read_first(char *text, char **ret_nonce, char **ret_salt, unsigned *ret_count)
{
	char *rest = text, *parts[3], *end;
	static const char names[] = "rsi";
	unsigned long count;

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		parts[i] = strsep(&rest, ",");
		if (!parts[i] || parts[i][0] != names[i] || parts[i][1] != '=')
			return -EBADMSG;
		parts[i] += 2;
	}
	if (parts[2][0] < '0' || parts[2][0] > '9')
		return -EBADMSG;
	errno = 0;
	count = strtoul(parts[2], &end, 10);
	if (errno != 0 || *end || count == 0 || count > ITERATIONS_MAX)
		return -EBADMSG;
	*ret_nonce = parts[0];
	*ret_salt = parts[1];
	*ret_count = (unsigned)count;
	return 0;
}

static int hmac(
	const struct scram *scram, const unsigned char *key, const char *text, unsigned char *out)
{
	return gnutls_hmac_fast(scram->mac, key, scram->size, text, strlen(text), out);
}

/* RFC 5802, 3: the proof for the server, and the signature that it must answer with. */
static int make_proof(struct sasl *sasl, const char *salt, size_t salt_size, unsigned count,
	const char *auth_message, unsigned char *proof)
{
	struct scram *scram = &sasl->scram;
	const gnutls_datum_t password = {
		.data = (unsigned char *)sasl->password, .size = (unsigned)strlen(sasl->password)};
	const gnutls_datum_t salted = {.data = (unsigned char *)salt, .size = (unsigned)salt_size};
	unsigned char base[SCRAM_DIGEST_MAX], key[SCRAM_DIGEST_MAX] = {0}, stored[SCRAM_DIGEST_MAX];
	int r;

	r = gnutls_pbkdf2(scram->mac, &password, &salted, count, base, scram->size);
	if (r == 0)
		r = hmac(scram, base, "Server Key", key);
	if (r == 0)
		r = hmac(scram, key, auth_message, scram->signature);
	if (r == 0)
		r = hmac(scram, base, "Client Key", key);
	if (r == 0)
		r = gnutls_hash_fast(scram->digest, key, scram->size, stored);
	if (r == 0)
		r = hmac(scram, stored, auth_message, proof);
	for (size_t i = 0; i < scram->size; i++)
		proof[i] ^= key[i];
	explicit_bzero(base, sizeof(base));
	explicit_bzero(key, sizeof(key));
	return r < 0 ? -ENOTSUP : 0;
}

static int send_proof(struct sasl *sasl, const char *nonce, const unsigned char *proof)
{
	char *text = NULL;
	int r = sasl_respond(sasl, proof, sasl->scram.size);

	if (r < 0)
		return r;
	if (asprintf(&text, BINDING ",r=%s,p=%s", nonce, sasl->response) < 0)
		return -ENOMEM;
	r = sasl_respond(sasl, text, strlen(text));
	free(text);
	return r;
}

static int answer_first(struct sasl *sasl, const char *challenge, char *parts)
{
	struct scram *scram = &sasl->scram;
	unsigned char proof[SCRAM_DIGEST_MAX] = {0};
	char *nonce, *salt_text, *salt = NULL, *message = NULL;
	size_t salt_size, own = strlen(scram->nonce);
	unsigned count;
	int r = read_first(parts, &nonce, &salt_text, &count);

	if (r < 0)
		return r;
	if (strncmp(nonce, scram->nonce, own) != 0 || !nonce[own])
		return -EBADMSG;
	r = sasl_decode(salt_text, &salt, &salt_size);
	if (r < 0)
		return r;
	if (asprintf(&message, "%s,%s," BINDING ",r=%s", scram->first_bare, challenge, nonce) < 0) {
		message = NULL;
		r = -ENOMEM;
	}
	if (r == 0)
		r = make_proof(sasl, salt, salt_size, count, message, proof);
	if (r == 0)
		r = send_proof(sasl, nonce, proof);
	free(message);
	free(salt);
	return r;
}

static int check_final(struct sasl *sasl, const char *challenge)
{
	char *signature = NULL;
	size_t size;
	int r;

	/* "e=...": the refusal itself follows. */
	if (strncmp(challenge, "v=", 2) != 0)
		return -EACCES;
	r = sasl_decode(challenge + 2, &signature, &size);
	if (r < 0)
		return r;
	if (size != sasl->scram.size || gnutls_memcmp(signature, sasl->scram.signature, size) != 0)
		r = -EACCES;
	free(signature);
	if (r < 0)
		return r;
	sasl->done = true;
	return sasl_respond(sasl, "", 0);
}

int scram_step(struct sasl *sasl, const char *challenge)
{
	char *parts;
	int r;

	if (sasl->step == 2)
		return check_final(sasl, challenge);
	if (sasl->step > 2)
		return -EBADMSG;
	parts = strdup(challenge);
	if (!parts)
		return -ENOMEM;
	r = answer_first(sasl, challenge, parts);
	free(parts);
	return r;
}

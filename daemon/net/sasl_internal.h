/*
 * What sasl.c and sasl_scram.c know of an exchange.
 */
#pragma once

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <stddef.h>

#include "daemon/net/sasl.h"

/* Challenges, decoded. */
#define SASL_CHALLENGE_MAX 8192
#define SCRAM_DIGEST_MAX 32

struct scram {
	gnutls_mac_algorithm_t mac;
	gnutls_digest_algorithm_t digest;
	size_t size; /* of the digest */
	char nonce[33];
	char *first_bare;                          /* client-first-message-bare */
	unsigned char signature[SCRAM_DIGEST_MAX]; /* that the server must send */
};

struct sasl {
	enum mail_auth auth;
	char *user, *password;
	char *response; /* what was said last, base64 */
	unsigned step;
	bool done;
	struct scram scram;
};

/* Sets the response to the base64 form of these bytes. */
int sasl_respond(struct sasl *sasl, const void *data, size_t size) MUST_CHECK;
/* base64 text to bytes; the caller wipes and frees. Always ends with a NUL. */
int sasl_decode(const char *text, char **ret_data, size_t *ret_size) MUST_CHECK;
void sasl_wipe(char *text);

int scram_begin(struct sasl *sasl) MUST_CHECK;
/* Steps 1 (server-first-message) and 2 (server-final-message). */
int scram_step(struct sasl *sasl, const char *challenge) MUST_CHECK;
void scram_clear(struct scram *scram);

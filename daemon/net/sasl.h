/*
 * SASL mechanisms, the client's side: challenge in, response out, no I/O and no plug-ins.
 * PLAIN (RFC 4616), LOGIN, CRAM-MD5 (RFC 2195), SCRAM-SHA-1 and SCRAM-SHA-256 without
 * channel binding (RFC 5802, 7677), XOAUTH2. Challenges and responses are as they go over
 * the wire: base64. Used by IMAP's AUTHENTICATE and SMTP's AUTH.
 *
 * sasl_first() gives the initial response, or NULL when the server speaks first (LOGIN,
 * CRAM-MD5); then each challenge goes to sasl_step(), and its response to the server, until
 * the server says yes or no. Only a yes with sasl_done() counts: SCRAM's server must have
 * proved that it knows the password too.
 */
#pragma once

#include <stdbool.h>

#include "config/configuration.h"
#include "core/base.h"

struct sasl;

/* user and password are copied, and wiped by sasl_free(). auth: any but MAIL_AUTH_NONE.
 * For XOAUTH2 the password is the token. */
int sasl_new(struct sasl **ret_sasl, enum mail_auth auth, const char *user,
	const char *password) MUST_CHECK;
void sasl_free(struct sasl *sasl);
static inline void sasl_freep(struct sasl **sasl)
{
	sasl_free(*sasl);
}

/* "PLAIN", "SCRAM-SHA-256", ... */
const char *sasl_name(const struct sasl *sasl);
/* The responses belong to SASL and are valid until its next call; "" is an empty one. They
 * hold secrets: never log them. */
const char *sasl_first(struct sasl *sasl);
/* challenge: base64 without line end. -EBADMSG: the server does not follow the mechanism,
 * -EACCES: it does not know the password. Then cancel (`*`) and close. */
int sasl_step(struct sasl *sasl, const char *challenge, const char **ret_response) MUST_CHECK;
bool sasl_done(const struct sasl *sasl);

/*
 * A connection to a mail server that takes our mail (RFC 5321, 6409): kept open and used
 * again, one envelope a mail. Nothing goes over it before TLS has been verified (unless
 * the configuration says tls = none), and no mail before the login.
 *
 * Replies are read by smtp_reply.h: libetpan's own reader has no bounds.
 */
#pragma once

#include "daemon/delivery/smtp_reply.h"
#include "daemon/delivery/target.h"

struct smtp;

/* Looks up the server's address and reads the CAs; connects nowhere. Copies the config. */
int smtp_new(struct smtp **ret_smtp, const struct target_config *config) MUST_CHECK;
void smtp_free(struct smtp *smtp);

/* Connects and logs in, unless that has been done already. -errno: the reason, in one
 * line without secrets, is smtp_error(). */
int smtp_login(struct smtp *smtp) MUST_CHECK;
const char *smtp_error(const struct smtp *smtp);
/* The code of the reply that smtp_login() failed on, 0 if there was none. */
int smtp_error_code(const struct smtp *smtp);

/* One mail, by the login that there is; fills in the outcome. */
void smtp_deliver(struct smtp *smtp, struct attempt *attempt);
/* Says goodbye. */
void smtp_quit(struct smtp *smtp);

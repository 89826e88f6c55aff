/*
 * The worker's side of delivery: where mails go. Each kind of target has its own
 * functions; worker.c chooses by the scheme.
 */
#pragma once

#include <stdarg.h>

#include "daemon/delivery/delivery.h"
#include "daemon/delivery/protocol.h"
#include "daemon/net/tls_stream.h"

struct target;

/* Where mails go, as main has said; valid during open(). */
struct target_config {
	const char *address; /* the URL behind the scheme */
	const char *host;
	uint16_t port;
	enum tls_mode tls;
	const char *ca_file; /* NULL: the system's */
	enum mail_auth auth;
	const char *user, *password;
	const char *hello;
	uint64_t timeout_ms;
	int abort_fd; /* main's socket */
};

/* One attempt. Untouched by callers once target_result() has filled it. */
struct attempt {
	struct delivery_mail mail;
	enum delivery_status status;
	int code;
	bool slow_down;
	char text[DELIVERY_TEXT_MAX];
};

/* Fills in the outcome; whatever is not printable ASCII becomes '?'. */
void attempt_result(struct attempt *attempt, enum delivery_status status, int code,
	const char *format, ...) PRINTF_LIKE(4, 5);

struct target_kind {
	const char *scheme; /* with its colon */
	/* Before the worker shuts itself in. */
	int (*open)(struct target **ret_target, const struct target_config *config);
	int (*shut_in)(void);
	/* -errno only if the worker cannot go on. */
	int (*deliver)(struct target *target, struct attempt *attempt);
	/* Fills in whether it can be reached; NULL: it always can. */
	int (*check)(struct target *target, struct attempt *attempt);
	/* There has been nothing to do for a while. May be NULL. */
	void (*rest)(struct target *target);
	void (*close)(struct target *target);
};

extern const struct target_kind maildir_target;
extern const struct target_kind smtp_target;
extern const struct target_kind smtps_target;

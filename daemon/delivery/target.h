/*
 * The worker's side of delivery: where mails go. Each kind of target has its own
 * functions; worker.c chooses by the scheme.
 */
#pragma once

#include <stdarg.h>

#include "daemon/delivery/delivery.h"
#include "daemon/delivery/protocol.h"

struct target;

/* One attempt. Untouched by callers once target_result() has filled it. */
struct attempt {
	struct delivery_mail mail;
	enum delivery_status status;
	int code;
	char text[DELIVERY_TEXT_MAX];
};

/* Fills in the outcome; whatever is not printable ASCII becomes '?'. */
void attempt_result(struct attempt *attempt, enum delivery_status status, int code,
	const char *format, ...) PRINTF_LIKE(4, 5);

struct target_kind {
	const char *scheme; /* with its colon */
	/* address: the URL behind the scheme. Touches nothing outside yet. */
	int (*open)(struct target **ret_target, const char *address);
	int (*shut_in)(void);
	/* -errno only if the worker cannot go on. */
	int (*deliver)(struct target *target, struct attempt *attempt);
	void (*close)(struct target *target);
};

extern const struct target_kind maildir_target;

/*
 * Delivery to a mail server, for target.h.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "daemon/delivery/smtp.h"
#include "daemon/net/sandbox.h"

/* So many connections in a row were lost over a mail: the target is not well. */
#define LOST_MAX 3

struct target {
	struct smtp *smtp;
	int64_t timeout_ms;
	unsigned lost; /* in a row */
	/* It could not be reached: what is in hand gets the same answer. Main opens a new
	 * worker before it tries again. */
	bool down;
	int code;
	char why[DELIVERY_TEXT_MAX];
};

static int smtp_target_open(struct target **ret_target, const struct target_config *config)
{
	struct target *target = calloc(1, sizeof(*target));
	int r;

	if (!target)
		return -ENOMEM;
	target->timeout_ms = (int64_t)config->timeout_ms;
	r = smtp_new(&target->smtp, config);
	if (r < 0) {
		free(target);
		return r;
	}
	*ret_target = target;
	return 0;
}

static int smtp_target_shut_in(void)
{
	return sandbox_enter(SANDBOX_CLIENT);
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void take_down(struct target *target, int code, const char *why)
{
	target->down = true;
	target->code = code;
	(void)snprintf(target->why, sizeof(target->why), "%s", why);
}

static bool reach(struct target *target, struct attempt *attempt)
{
	if (!target->down && smtp_login(target->smtp) < 0)
		take_down(target, smtp_error_code(target->smtp), smtp_error(target->smtp));
	if (target->down)
		attempt_result(attempt, DELIVERY_UNREACHABLE, target->code, "%s", target->why);
	return !target->down;
}

static int smtp_target_deliver(struct target *target, struct attempt *attempt)
{
	int64_t begin = now_ms();

	if (!reach(target, attempt))
		return 0;
	smtp_deliver(target->smtp, attempt);
	target->lost = attempt->status == DELIVERY_LOST ? target->lost + 1 : 0;
	/* A server that keeps us waiting would do so for every mail. */
	bool slow = attempt->status == DELIVERY_LOST && now_ms() - begin >= target->timeout_ms;
	if (attempt->status == DELIVERY_UNREACHABLE || slow || target->lost >= LOST_MAX)
		take_down(target, attempt->code, attempt->text);
	return 0;
}

static int smtp_target_check(struct target *target, struct attempt *attempt)
{
	if (reach(target, attempt))
		smtp_quit(target->smtp);
	return 0;
}

static void smtp_target_rest(struct target *target)
{
	smtp_quit(target->smtp);
}

static void smtp_target_close(struct target *target)
{
	smtp_quit(target->smtp);
	smtp_free(target->smtp);
	free(target);
}

#define SMTP_TARGET(name)                                                                   \
	{                                                                                   \
		.scheme = (name), .open = smtp_target_open, .shut_in = smtp_target_shut_in, \
		.deliver = smtp_target_deliver, .check = smtp_target_check,                 \
		.rest = smtp_target_rest, .close = smtp_target_close,                       \
	}

const struct target_kind smtp_target = SMTP_TARGET("smtp:");
const struct target_kind smtps_target = SMTP_TARGET("smtps:");

/*
 * The sections [account NAME] of a club's configuration: who of the machine's accounts may ask
 * the daemon, and for what. Whether such an account is there is not looked at here.
 */
#pragma once

#include <stdbool.h>

#include "config/fault.h"
#include "config/value.h"
#include "core/base.h"

#define ACCOUNT_NAME_MAX 64

enum account_role {
	ROLE_NONE = 0,
	ROLE_ADMIN,
	ROLE_ARBITER, /* of some events */
};

struct configured_account {
	char *name;
	enum account_role role;
	bool role_given; /* known or not */
	/* Of an arbiter: codes of tournaments; a `*` at the end stands for any rest. */
	struct value_list events;
	unsigned line, events_line; /* 0 if there are none */
};

/* A name that a machine may know an account by: letters, digits, '.', '_', '-', '@', a '$' at
 * the end; it begins with a letter, a digit or '_', and is no number. */
bool account_is_name(const char *text);

/* One more in the list; NULL: out of memory. */
struct configured_account *account_add(
	struct configured_account **list, size_t *n, const char *name, unsigned line);
/* Take the value of a key: 0, -EINVAL, -ENOMEM. */
MUST_CHECK int account_take_role(struct configured_account *account, const char *value);
MUST_CHECK int account_take_events(
	struct configured_account *account, const char *value, unsigned line);
/* What holds between name and keys. */
void account_check(
	const struct configured_account *account, const char *file, struct fault_list *faults);

/* Is the event that has this code one of those of the account? All are an admin's. */
bool account_covers(const struct configured_account *account, const char *code);

void account_release(struct configured_account *account);

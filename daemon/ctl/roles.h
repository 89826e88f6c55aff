/*
 * Which of the machine's accounts have which role: the sections [account NAME] of the
 * configuration, by uid.
 *
 * Name services may block, so names are looked up when the table is made, and never while a
 * request is served.
 */
#pragma once

#include <sys/types.h>

#include "config/configuration.h"

struct roles;

/* The table of CONFIGURATION, which must outlive it. What is unknown to the machine is a warning
 * in the journal. */
MUST_CHECK int roles_new(const struct configuration *configuration, struct roles **ret_roles);
void roles_free(struct roles *roles);

/* The section for the account with this uid; the first one if two names are the same account.
 * NULL: there is none. */
const struct configured_account *roles_find(const struct roles *roles, uid_t uid);

/* Does the machine know all accounts? FILE_FAULTY with the faults added if not. */
MUST_CHECK int roles_check(const struct configuration *configuration, struct fault_list *faults);

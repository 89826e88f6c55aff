/*
 * Whether a command is written as it must be: what can be told without a configuration and a store.
 */
#pragma once

#include "daemon/ctl/ctl.h"

/* CTL_DONE, or CTL_USAGE with one line: operands of another number or form, an option without its
 * value, or a value that is none of an option's words. */
int usage_check(struct ctl *ctl, const struct ctl_command *command, int argc, char **argv);

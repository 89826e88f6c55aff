/*
 * How a command gets to the store: a running daemon does it, or it takes the lock itself.
 *
 * While a daemon ends or begins, neither may be there for some seconds: then it is tried again, as
 * long as nothing of the command can have been done.
 */
#pragma once

#include "daemon/ctl/ctl.h"

/* Runs the command on the store of ctl->club; the exit code. */
int reach_run(struct ctl *ctl, const struct ctl_command *command, int argc, char **argv);

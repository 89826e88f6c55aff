/*
 * zugpostctl's end of the control socket.
 */
#pragma once

#include "daemon/ctl/ctl.h"

/* Lets the daemon of the club's store do the command. Its exit code; -ENOENT or -ECONNREFUSED
 * when no daemon runs; another -errno when talking to it failed. */
MUST_CHECK int remote_run(struct ctl *ctl, bool has_now, int argc, char **argv);

/*
 * zugpostctl's end of the control socket.
 */
#pragma once

#include "config/configuration.h"
#include "daemon/ctl/ctl.h"

/* Connects to the daemon of the club's store: 0. -ENOENT: there is none; -ECONNREFUSED: there is
 * none, but the socket of one that has died or is being started; -EAGAIN: it has no time; -EACCES:
 * not for us. */
MUST_CHECK int remote_connect(const struct configuration *configuration, int *ret_fd);

/* Lets the daemon at the other end do the command; it is to say a word first. The exit code;
 * -EAGAIN: nothing can have been done, it has ended, hung up or had no room before it had the
 * whole request, or the command only looks. Other errors have been told. */
MUST_CHECK int remote_ask(struct ctl *ctl, int fd, enum ctl_need need, int argc, char **argv);

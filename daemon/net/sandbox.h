/*
 * How a worker shuts itself in: no new privileges, resource limits, and a list
 * of the system calls that it may make. What is not on the list fails with
 * EPERM; what no library does by accident (exec, sockets, ptrace, and the like)
 * kills the process.
 *
 * Builds with sanitizers (ZUGPOST_SANITIZED) keep the address space unlimited
 * and allow in addition what the sanitizers' own runtime does: reading files,
 * threads and ptrace for the leak check at exit.
 */
#pragma once

#include "core/base.h"

enum sandbox_level {
	SANDBOX_READER,  /* memory and the descriptors that are open: nothing else */
	SANDBOX_MAILDIR, /* files, inotify; no network, no other programs */
	SANDBOX_CLIENT,  /* TCP connections to anywhere; no files, no local sockets */
};

/* For good, for the whole process. Open what must be open before. */
int sandbox_enter(enum sandbox_level level) MUST_CHECK;

/*
 * Starting this program again as a worker: fork, exec, and what the new process
 * may inherit. Used by worker.c alone.
 */
#pragma once

#include <sys/types.h>

#include "core/base.h"

#define CHILD_SOCKET 3

struct child {
	pid_t pid;
	int pidfd;
	int socket; /* main's end, non-blocking */
};

int child_start(const char *kind, struct child *ret_child) MUST_CHECK;

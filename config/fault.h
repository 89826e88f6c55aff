/*
 * Faults in files that people write, each with its file and line. Everything that reads
 * such a file goes on after a fault, so that one run names all of them.
 */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "core/base.h"

#define FAULTS_MAX 500 /* what comes after is counted, not kept */

struct fault {
	char *file;
	unsigned line; /* from 1; 0: the file as a whole */
	char *message; /* one line, without a full stop */
};

/* Starts zeroed (`struct fault_list faults = {0}`); the caller releases it. */
struct fault_list {
	struct fault *faults;
	size_t n;
	size_t left_out;
};

/* Returned by readers of such files when they found at least one fault. */
enum {
	FILE_FAULTY = 1,
};

void fault_add(struct fault_list *list, const char *file, unsigned line, const char *format, ...)
	PRINTF_LIKE(4, 5);
/* Faults found so far, those that were left out included. */
size_t fault_list_total(const struct fault_list *list);
/* `FILE:LINE: message`, one a line. */
void fault_list_print(const struct fault_list *list, FILE *stream);
void fault_list_release(struct fault_list *list);

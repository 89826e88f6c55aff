/*
 * Log lines: to the journal with fields, or to stderr with <N> prefixes where there is
 * none. Never message bodies, tokens or passwords; addresses only at debug.
 */
#pragma once

#include <stdint.h>
#include <syslog.h>

#include "core/base.h"

/* The fields of one line; what is NULL, 0 or negative is left out. */
struct log_fields {
	const char *event;   /* ZUGPOST_EVENT: a word */
	const char *game;    /* ZUGPOST_GAME: CODE/NUMBER */
	int64_t ply;         /* ZUGPOST_PLY, from 1 */
	const char *player;  /* ZUGPOST_PLAYER */
	int64_t message;     /* ZUGPOST_MESSAGE: inbox row */
	const char *verdict; /* ZUGPOST_VERDICT */
};

void log_line(int priority, const char *format, ...) PRINTF_LIKE(2, 3);
void log_with(int priority, const struct log_fields *fields, const char *format, ...)
	PRINTF_LIKE(3, 4);

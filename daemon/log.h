/*
 * Log lines: to the journal with fields, or to stderr where there is none, with <N> prefixes
 * unless a person reads it on a terminal. Never message bodies, tokens or passwords; addresses
 * only at debug.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <syslog.h>

#include "core/base.h"

/* The fields of one line; what is NULL, 0 or negative is left out. */
struct log_fields {
	const char *event;   /* ZUGPOST_EVENT: a word of daemon/log_events.h */
	const char *game;    /* ZUGPOST_GAME: CODE/NUMBER */
	int64_t ply;         /* ZUGPOST_PLY, from 1 */
	const char *player;  /* ZUGPOST_PLAYER */
	int64_t message;     /* ZUGPOST_MESSAGE: inbox row */
	const char *verdict; /* ZUGPOST_VERDICT */
};

/* Is stderr the journal itself? */
bool log_has_journal(void);
/* The MESSAGE_ID of an event's word; NULL if it has none. */
const char *log_event_id(const char *event);

/* While muted nothing but errors is said: a dry run tries what does not happen. */
void log_mute(bool mute);

void log_line(int priority, const char *format, ...) PRINTF_LIKE(2, 3);
void log_with(int priority, const struct log_fields *fields, const char *format, ...)
	PRINTF_LIKE(3, 4);

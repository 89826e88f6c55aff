/*
 * What the administrator is told by mail, and how often. What handlers see is kept until the
 * engine is at rest between two pieces of work; nothing here fails them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base.h"
#include "daemon/relay/alert.h"

struct engine;

#define ALERTS_PENDING_MAX 16
#define ALERTS_WORKERS_MAX 16
#define ALERTS_DEATHS 5 /* so many within an hour, and a worker fails again and again */

struct alerts {
	struct alert_pending {
		enum compose_alert kind;
		char about[80], text[512], outage[80];
		int64_t since;
	} pending[ALERTS_PENDING_MAX];
	size_t n_pending;
	struct alert_worker {
		char name[48];
		int64_t deaths[ALERTS_DEATHS];
		size_t n;
	} workers[ALERTS_WORKERS_MAX];
	size_t n_workers;
	bool look;            /* an outage has begun or ended, or a round has: look at what lasts */
	int64_t clock_offset; /* wall clock less the time since the machine started; 0: unknown */
	uint64_t sent;
};

/* ABOUT and TEXT may be NULL. */
void alerts_raise(struct engine *engine, enum compose_alert kind, const char *about, int64_t since,
	const char *text);
/* A worker died, and not by its own wish. */
void alerts_death(struct engine *engine, const char *name, const char *text);
/* The store was last written at that instant, before this process. */
void alerts_begin(struct engine *engine, int64_t last);
/* Writes the mails. */
MUST_CHECK int alerts_go_on(struct engine *engine);

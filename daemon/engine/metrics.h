/*
 * Metrics in the text format of Prometheus, for the textfile collector of its node_exporter. The
 * file is replaced as a whole, about once a second when something
 * changes and at least every 15 seconds.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base.h"

struct engine;

/* Counted since the process started. */
struct metrics {
	uint64_t decided, delivered, put_off, given_up, deaths;
	int64_t took;       /* ms, the last writing */
	int64_t written_at; /* monotonic ms; 0: never */
	bool failed;        /* that has been logged */
};

MUST_CHECK int metrics_open(struct engine *engine);
/* Something may have changed: the file is written soon. */
void metrics_touch(struct engine *engine);
/* The daemon ends: the file says so. */
void metrics_close(struct engine *engine);

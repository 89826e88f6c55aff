/*
 * What both programs can be started as besides themselves (daemon/net/worker.h).
 */
#pragma once

#include <stddef.h>

#include "daemon/net/worker.h"

extern const struct worker_kind workers[];
extern const size_t n_workers;

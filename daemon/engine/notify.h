/*
 * What the service manager is told: sd_notify(3). Without one all of it does nothing.
 */
#pragma once

#include <stdint.h>

#include "core/base.h"

struct engine;

/* The store is about to be opened, which may take long when it is brought up to date. */
void notify_opening(void);
/* ... and this is why it does: told again and again until it is done. */
void notify_migrating(int64_t schema);
void notify_ready(void);
/* A reload begins; it ends with notify_ready(), however it went. */
void notify_reloading(void);
void notify_stopping(void);

/* The line of `systemctl status`: queues, the next deadline, what cannot be reached. It is sent
 * when it has changed, and not more often than every few seconds: sd_notify waits when nobody
 * takes its messages away. */
void notify_status(struct engine *engine);
MUST_CHECK int notify_open(struct engine *engine);
void notify_close(struct engine *engine);

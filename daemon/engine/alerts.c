#include "daemon/engine/alerts.h"

#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>

#include "daemon/engine/engine_internal.h"
#include "daemon/log.h"
#include "daemon/store/outages.h"

#define SECOND_MS INT64_C(1000)
#define HOUR_MS (3600 * SECOND_MS)
#define CLOCK_STEP_MS (10 * SECOND_MS)

static const char mailbox_prefix[] = "mailbox ";

/* ---- What is kept until the engine rests ---- */

static void keep(struct engine *engine, const struct alert *alert)
{
	struct alerts *alerts = &engine->alerts;
	const char *about = alert->about ? alert->about : "";

	for (size_t i = 0; i < alerts->n_pending; i++)
		if (alerts->pending[i].kind == alert->kind &&
			strcmp(alerts->pending[i].about, about) == 0)
			return;
	if (alerts->n_pending == ALERTS_PENDING_MAX)
		return;
	struct alert_pending *pending = &alerts->pending[alerts->n_pending++];
	*pending = (struct alert_pending){.kind = alert->kind, .since = alert->since};
	(void)snprintf(pending->about, sizeof(pending->about), "%s", about);
	(void)snprintf(pending->text, sizeof(pending->text), "%s", alert->text ? alert->text : "");
	(void)snprintf(
		pending->outage, sizeof(pending->outage), "%s", alert->outage ? alert->outage : "");
	engine_wake(engine);
}

void alerts_raise(struct engine *engine, enum compose_alert kind, const char *about, int64_t since,
	const char *text)
{
	keep(engine, &(struct alert){.kind = kind, .about = about, .since = since, .text = text});
}

void alerts_death(struct engine *engine, const char *name, const char *text)
{
	struct alerts *alerts = &engine->alerts;
	struct alert_worker *worker = NULL;
	int64_t now = engine_now(engine);

	engine->metrics.deaths++;
	for (size_t i = 0; i < alerts->n_workers && !worker; i++)
		if (strncmp(alerts->workers[i].name, name, sizeof(worker->name) - 1) == 0)
			worker = &alerts->workers[i];
	if (!worker) {
		if (alerts->n_workers == ALERTS_WORKERS_MAX)
			return;
		worker = &alerts->workers[alerts->n_workers++];
		*worker = (struct alert_worker){.n = 0};
		(void)snprintf(worker->name, sizeof(worker->name), "%s", name);
	}
	if (worker->n == ALERTS_DEATHS)
		memmove(worker->deaths, worker->deaths + 1, --worker->n * sizeof(*worker->deaths));
	worker->deaths[worker->n++] = now;
	if (worker->n < ALERTS_DEATHS || now - worker->deaths[0] > HOUR_MS)
		return;
	alerts_raise(engine, ALERT_WORKER, worker->name, worker->deaths[0], text);
	worker->n = 0;
}

/* ---- What lasts ---- */

/* An outage that has lasted for so long is told of; so is its end then. */
static int look_at(struct engine *engine, const char *outage, int64_t since, const char *reason)
{
	bool mailbox = strncmp(outage, mailbox_prefix, sizeof(mailbox_prefix) - 1) == 0;
	int64_t now = engine_now(engine), told = INSTANT_NONE;
	struct alert alert = {
		.about = mailbox ? outage + sizeof(mailbox_prefix) - 1 : NULL,
		.outage = outage,
		.since = since,
		.text = reason,
	};
	int r = alert_told(engine->club, outage, &told);

	if (r < 0)
		return r;
	if (since != INSTANT_NONE && told == INSTANT_NONE &&
		now - since >= engine->club->configuration->limits.alert_after) {
		alert.kind = mailbox ? ALERT_MAILBOX : ALERT_DELIVERY;
		keep(engine, &alert);
	} else if (since == INSTANT_NONE && told != INSTANT_NONE) {
		alert.kind = mailbox ? ALERT_MAILBOX_BACK : ALERT_DELIVERY_BACK;
		alert.since = told;
		keep(engine, &alert);
	}
	return 0;
}

static int look_at_outages(struct engine *engine)
{
	int64_t since = INSTANT_NONE;
	int r = outages_since(engine->club->store, "delivery", &since);

	/* It lasts if the last try has failed, not if there was none since. */
	if (r >= 0 && (since == INSTANT_NONE || engine->target.down))
		r = look_at(engine, "delivery", since, engine->target.reason);
	for (size_t i = 0; r >= 0 && i < engine->n_mailboxes; i++) {
		char what[80];
		(void)snprintf(what, sizeof(what), "%s%s", mailbox_prefix,
			engine->mailboxes[i].configured->name);
		r = outages_since(engine->club->store, what, &since);
		if (r == 0)
			since = INSTANT_NONE;
		if (r >= 0)
			r = look_at(engine, what, since, engine->mailboxes[i].reason);
	}
	return r;
}

static void look_at_disk(struct engine *engine)
{
	const struct configuration *configuration = engine->club->configuration;
	struct statvfs status;
	char text[256];

	if (statvfs(configuration->store.directory, &status) < 0)
		return;
	uint64_t free = (uint64_t)status.f_bavail * status.f_frsize;
	if (free >= configuration->store.free_space)
		return;
	(void)snprintf(text, sizeof(text), "%llu MB are free where the store is",
		(unsigned long long)(free >> 20));
	alerts_raise(engine, ALERT_STORE, NULL, INSTANT_NONE, text);
}

static void tell_clock(struct engine *engine, int64_t step)
{
	char text[128];

	(void)snprintf(text, sizeof(text), "it was set %s by %lld s", step < 0 ? "back" : "forward",
		(long long)((step < 0 ? -step : step) / SECOND_MS));
	alerts_raise(engine, ALERT_CLOCK, NULL, INSTANT_NONE, text);
}

/* Sleep and slow corrections are no steps. */
static void look_at_clock(struct engine *engine)
{
	struct timespec wall, since_start;

	clock_gettime(CLOCK_REALTIME, &wall);
	clock_gettime(CLOCK_BOOTTIME, &since_start);
	int64_t offset = (int64_t)(wall.tv_sec - since_start.tv_sec) * 1000 +
			 (wall.tv_nsec - since_start.tv_nsec) / 1000000;
	int64_t step = engine->alerts.clock_offset ? offset - engine->alerts.clock_offset : 0;
	engine->alerts.clock_offset = offset;
	if (step <= -CLOCK_STEP_MS || step >= CLOCK_STEP_MS)
		tell_clock(engine, step);
}

void alerts_begin(struct engine *engine, int64_t last)
{
	int64_t now = engine_now(engine);

	if (last != INSTANT_NONE && now <= last - CLOCK_STEP_MS)
		tell_clock(engine, now - last);
	engine->alerts.look = true;
}

/* ---- Writing ---- */

static const char *event_of(enum compose_alert kind)
{
	return kind == ALERT_STORE ? "disk-full" : kind == ALERT_CLOCK ? "clock-back" : "alert";
}

/* Full disks and clocks are told of once a day: they last. */
static int64_t cap_of(const struct engine *engine, enum compose_alert kind)
{
	int64_t cap = engine->club->configuration->limits.alerts_per_day;

	return cap > 1 && (kind == ALERT_STORE || kind == ALERT_CLOCK) ? 1 : cap;
}

static int write_one(struct engine *engine, const struct alert_pending *pending)
{
	const struct alert alert = {
		.kind = pending->kind,
		.about = *pending->about ? pending->about : NULL,
		.since = pending->since,
		.text = *pending->text ? pending->text : NULL,
		.outage = *pending->outage ? pending->outage : NULL,
	};
	int64_t now = engine_now(engine), count = 0;
	int r = alert_count(engine->club, pending->kind, now, &count);

	if (r < 0 || count >= cap_of(engine, pending->kind))
		return r;
	log_with(LOG_WARNING, &(struct log_fields){.event = event_of(pending->kind)},
		"the administrator gets a mail: %s%s%s%s%s", alert_name(pending->kind),
		alert.about ? " " : "", pending->about, alert.text ? ": " : "", pending->text);
	engine->alerts.sent++;
	return alert_write(engine->club, &alert, now);
}

int alerts_go_on(struct engine *engine)
{
	struct alerts *alerts = &engine->alerts;
	int r = 0;

	if (!engine->club->configuration->club.admin) {
		alerts->n_pending = 0;
		return 0;
	}
	if (alerts->look) {
		alerts->look = false;
		r = look_at_outages(engine);
		look_at_disk(engine);
		if (!engine->options.once)
			look_at_clock(engine);
	}
	for (size_t i = 0; r >= 0 && i < alerts->n_pending; i++)
		r = write_one(engine, &alerts->pending[i]);
	alerts->n_pending = 0;
	return r;
}

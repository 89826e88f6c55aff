#include "daemon/engine/engine_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "daemon/engine/notify.h"
#include "daemon/log.h"
#include "daemon/relay/input_log.h"
#include "daemon/relay/work.h"
#include "daemon/store/inbox.h"
#include "daemon/store/outbox.h"

#define SECOND_MS INT64_C(1000)
#define WORK_SLICE_MS 50 /* then the loop gets its turn */
#define POLL_EVERY_MS (300 * SECOND_MS)
#define RETRY_ROUND_MS (30 * SECOND_MS) /* after a mailbox could not be reached */
#define STOP_WITHIN_MS (20 * SECOND_MS)

static int64_t present(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int64_t engine_now(const struct engine *engine)
{
	return engine->options.now == INSTANT_NONE ? present() : engine->options.now;
}

struct club *engine_club(struct engine *engine)
{
	return engine->club;
}

void engine_fail(struct engine *engine, const char *what, int error)
{
	log_with(LOG_CRIT, &(struct log_fields){.event = "store-failed"}, "%s: %s (%s)", what,
		strerror(-error), store_error(engine->club->store));
	sd_event_exit(engine->event, error == -EBUSY ? ENGINE_UNREACHABLE : ENGINE_FAILED);
}

void engine_wake(struct engine *engine)
{
	sd_event_source_set_enabled(engine->work, SD_EVENT_ONESHOT);
}
void engine_kick(struct engine *engine)
{
	if (engine->options.once)
		return;
	engine->round_wanted = true;
	engine_wake(engine);
}
/* ---- Work ---- */

/* Works for a slice of time. 1 if there may be more, 0 if nothing is due. */
static int work_slice(struct engine *engine)
{
	int64_t end = present() + WORK_SLICE_MS;
	const struct work_limits limits = {
		.until = engine->until,
		.scanned_until = engine->scanned_until,
		.now = engine_now(engine),
	};

	while (present() < end) {
		struct work_done done;
		int r = work_step(engine->club, &limits, &done);
		if (r <= 0)
			return r;
		engine->metrics.decided += done.message != 0;
		if (done.message)
			r = incoming_move(engine, done.message);
		if (r < 0)
			return r;
	}
	return 1;
}
static int set_alarm(struct engine *engine)
{
	int64_t now = engine_now(engine), timer = INT64_MAX, attempt = INT64_MAX;
	int64_t next = now + (engine->complete ? POLL_EVERY_MS : RETRY_ROUND_MS);
	int r = work_next_timer(engine->club, &timer);

	if (r >= 0)
		r = outgoing_next(engine, &attempt);
	if (r < 0)
		return r;
	/* What is due already waits for a mailbox or for the delivery in hand. */
	if (timer > engine->until && timer < next)
		next = timer;
	if (attempt > now && attempt < next)
		next = attempt;
	/* A pause that ends by itself. */
	int64_t until;
	r = work_paused(engine->club, now, &until);
	if (r < 0)
		return r;
	if (r > 0 && until < next)
		next = until;
	r = sd_event_source_set_time(engine->alarm, (uint64_t)next * 1000);
	return r < 0 ? r : sd_event_source_set_enabled(engine->alarm, SD_EVENT_ONESHOT);
}

static int on_alarm(sd_event_source *source, uint64_t usec, void *userdata)
{
	(void)source;
	(void)usec;
	engine_kick(userdata);
	return 0;
}

/* Exchanges the configuration while nothing is on its way. */
static int exchange(struct engine *engine)
{
	struct club *old = engine->club;

	incoming_close(engine);
	outgoing_close(engine);
	engine->club = engine->fresh;
	engine->fresh = NULL;
	engine->club->store = old->store;
	engine->club->notices = old->notices;
	old->store = NULL;
	club_free(old);
	int r = input_log_configuration(engine->club, engine_now(engine));
	if (r >= 0)
		r = incoming_open(engine);
	if (r >= 0)
		r = outgoing_open(engine);
	engine->target.next_try = INSTANT_NONE;
	engine->round_wanted = true;
	if (engine->changed)
		engine->changed(engine->changed_userdata);
	return r;
}

/* What the engine does next: read, decide, deliver, rest. -errno or 0. */
static int go_on(struct engine *engine)
{
	if (engine->stopping)
		return outgoing_waiting(engine) > 0 ? 0 : sd_event_exit(engine->event, ENGINE_DONE);
	int r = alerts_go_on(engine);
	if (r < 0)
		return r;
	if (engine->round_running)
		return 0;
	r = readings_feed(engine);
	if (r != 0)
		return r < 0 ? r : 0;
	if (!engine->drained) {
		r = work_slice(engine);
		if (r < 0)
			return r;
		engine->drained = r == 0;
		if (!engine->drained)
			engine_wake(engine);
		if (engine->options.once && !engine->drained)
			return 0;
	}
	bool exchanging = engine->fresh != NULL;
	r = exchanging ? outgoing_waiting(engine) > 0 : outgoing_pump(engine);
	if (r < 0)
		return r;
	if (engine->options.once) {
		if (r == 0 && incoming_moves_done(engine))
			sd_event_exit(engine->event,
				engine->unreachable ? ENGINE_UNREACHABLE : ENGINE_DONE);
		return 0;
	}
	if (exchanging && r == 0) {
		r = exchange(engine);
		if (r < 0)
			return r;
	}
	if (engine->round_wanted)
		incoming_scan(engine);
	notify_status(engine);
	metrics_touch(engine);
	return set_alarm(engine);
}

static int on_work(sd_event_source *source, void *userdata)
{
	struct engine *engine = userdata;
	int r = go_on(engine);

	(void)source;
	if (r < 0)
		engine_fail(engine, "working", r);
	return 0;
}

/* ---- Life ---- */
static int open_sources(struct engine *engine)
{
	int r = sd_event_add_defer(engine->event, &engine->work, on_work, engine);

	if (r >= 0)
		r = sd_event_source_set_enabled(engine->work, SD_EVENT_OFF);
	if (r >= 0)
		r = sd_event_add_time(
			engine->event, &engine->alarm, CLOCK_REALTIME, 0, 0, on_alarm, engine);
	return r < 0 ? r : sd_event_source_set_enabled(engine->alarm, SD_EVENT_OFF);
}

int engine_new(struct engine **ret_engine, sd_event *event, struct club *club,
	const struct engine_options *options)
{
	struct engine *engine __attribute__((cleanup(engine_freep))) = calloc(1, sizeof(*engine));

	if (!engine)
		return -ENOMEM;
	engine->options = *options;
	engine->event = sd_event_ref(event);
	engine->club = club;
	engine->until = engine->scanned_until = INSTANT_NONE;
	int r = open_sources(engine);
	if (r >= 0)
		r = notify_open(engine);
	if (r >= 0)
		r = metrics_open(engine);
	if (r >= 0)
		r = watch_begin(engine);
	if (r >= 0)
		r = readings_open(engine);
	if (r >= 0)
		r = incoming_open(engine);
	if (r >= 0)
		r = outgoing_begin(engine);
	if (r < 0) {
		engine->club = NULL;
		return r;
	}
	incoming_scan(engine);
	*ret_engine = engine;
	engine = NULL;
	return 0;
}

void engine_free(struct engine *engine)
{
	metrics_close(engine);
	if (engine->club)
		watch_end(engine);
	incoming_close(engine);
	if (engine->delivery)
		outgoing_close(engine);
	if (engine->reader)
		reader_close(engine->reader);
	sd_event_source_disable_unref(engine->work);
	sd_event_source_disable_unref(engine->alarm);
	notify_close(engine);
	sd_event_unref(engine->event);
	if (engine->fresh)
		club_free(engine->fresh);
	if (engine->club)
		club_free(engine->club);
	free(engine);
}

void engine_reload(struct engine *engine, struct club *fresh)
{
	if (engine->fresh)
		club_free(engine->fresh);
	engine->fresh = fresh;
	engine_wake(engine);
}

void engine_on_exchange(struct engine *engine, void (*changed)(void *userdata), void *userdata)
{
	engine->changed = changed;
	engine->changed_userdata = userdata;
}

static int on_patience_over(sd_event_source *source, uint64_t usec, void *userdata)
{
	const struct engine *engine = userdata;

	(void)source;
	(void)usec;
	log_line(LOG_WARNING, "%zu mails are still in hand", outgoing_waiting(engine));
	return sd_event_exit(engine->event, ENGINE_DONE);
}

void engine_stop(struct engine *engine)
{
	int r = engine->options.once || engine->stopping
			? -EALREADY
			: sd_event_add_time_relative(engine->event, NULL, CLOCK_MONOTONIC,
				  STOP_WITHIN_MS * 1000, 0, on_patience_over, engine);

	if (r < 0)
		sd_event_exit(engine->event, ENGINE_DONE);
	engine->stopping = true;
	engine_wake(engine);
}

const char *engine_mailbox_reason(const struct engine *engine, const char *name)
{
	for (size_t i = 0; i < engine->n_mailboxes; i++)
		if (strcmp(engine->mailboxes[i].configured->name, name) == 0)
			return engine->mailboxes[i].reason;
	return "";
}

int engine_status(struct engine *engine, struct engine_status *ret_status)
{
	struct engine_status status = {
		.next_timer = INSTANT_NONE,
		.complete = engine->complete,
		.last_round = engine->until,
		.target_down_since = engine->target.since,
		.target_next_try = engine->target.next_try,
		.target_reason = engine->target.reason,
	};
	int r = inbox_count_waiting(engine->club->store, &status.waiting_messages);

	if (r >= 0)
		r = outbox_count(engine->club->store, "waiting", &status.waiting_mails);
	if (r >= 0)
		r = work_next_timer(engine->club, &status.next_timer);
	if (r < 0)
		return r;
	*ret_status = status;
	return 0;
}

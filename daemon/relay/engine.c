#include "daemon/relay/engine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-daemon.h>
#include <time.h>

#include "daemon/delivery/delivery.h"
#include "daemon/intake/intake.h"
#include "daemon/log.h"
#include "daemon/reading/reader.h"
#include "daemon/relay/work.h"
#include "daemon/store/inbox.h"
#include "daemon/store/outbox.h"

#define SECOND_MS INT64_C(1000)
#define WORK_SLICE_MS 50 /* then the loop gets its turn */
#define POLL_EVERY_MS (300 * SECOND_MS)
#define RETRY_ROUND_MS (30 * SECOND_MS) /* after a mailbox could not be reached */
#define ANNOUNCE_EVERY_MS (5 * SECOND_MS)
#define BACKOFF_FIRST_MS (60 * SECOND_MS)
#define BACKOFF_MAX_MS (3600 * SECOND_MS)

/* A reading is noted before it begins, so that a message that takes us down with the reader
 * does not do so for ever; our own restarts count too, hence some more than the two. */
#define READS_MAX 5

/* A message of the batch that is being stored. */
struct taken {
	char *place;
	int64_t id;
};

struct mailbox_state {
	struct engine *engine;
	const struct configured_mailbox *configured;
	int64_t rank;
	struct intake *intake;
	bool answered, failed; /* in the running round */
	struct taken *batch;
	size_t n_batch, batch_room;
	bool in_transaction;
};

struct engine {
	struct club *club, *fresh;
	struct engine_options options;
	sd_event *event;
	sd_event_source *work;  /* deferred: goes on with what is due */
	sd_event_source *alarm; /* the next instant at which something is due */
	struct mailbox_state *mailboxes;
	size_t n_mailboxes;
	struct reader *reader;
	struct delivery *delivery;

	int64_t round, round_now;
	bool round_running, round_wanted;
	bool complete;
	int64_t until, scanned_until;

	int64_t reading[READER_WINDOW];
	size_t n_reading;
	int64_t sent_until; /* outbox rows up to here were handed out */
	bool drained;       /* nothing was due when the work last looked */
	bool unreachable;
	char announced[160]; /* the last STATUS= */
	int64_t announced_at;
};

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

/* The store is gone or broken: nothing sensible can be done any more. */
static void fail(struct engine *engine, const char *what, int error)
{
	log_line(LOG_CRIT, "%s: %s (%s)", what, strerror(-error), store_error(engine->club->store));
	sd_event_exit(engine->event, ENGINE_FAILED);
}

static void wake(struct engine *engine)
{
	sd_event_source_set_enabled(engine->work, SD_EVENT_ONESHOT);
}

/* ---- Intake ---- */

static int take(struct mailbox_state *mailbox, const struct intake_message *message)
{
	struct store *store = mailbox->engine->club->store;
	int64_t id;
	int r = 0;

	if (!mailbox->in_transaction) {
		r = store_begin(store);
		if (r < 0)
			return r;
		mailbox->in_transaction = true;
	}
	const struct inbox_new row = {
		.mailbox = mailbox->configured->name,
		.rank = mailbox->rank,
		.place = message->place,
		.arrival = message->arrival,
		.taken = engine_now(mailbox->engine),
		.size = message->size_full,
		.raw = message->raw,
		.raw_size = message->size,
	};
	r = inbox_store(store, &row, &id);
	if (r < 0)
		return r;
	if (mailbox->n_batch == mailbox->batch_room) {
		size_t room = mailbox->batch_room ? 2 * mailbox->batch_room : 16;
		struct taken *batch = reallocarray(mailbox->batch, room, sizeof(*batch));
		if (!batch)
			return -ENOMEM;
		mailbox->batch = batch;
		mailbox->batch_room = room;
	}
	char *place = strdup(message->place);
	if (!place)
		return -ENOMEM;
	mailbox->batch[mailbox->n_batch++] = (struct taken){place, id};
	return 0;
}

static void on_message(void *userdata, const struct intake_message *message)
{
	struct mailbox_state *mailbox = userdata;
	int r = take(mailbox, message);

	if (r < 0)
		fail(mailbox->engine, "storing a message", r);
}

/* Handled mail goes to the archive, ignored mail to the junk folder. */
static enum intake_where place_for(const char *verdict)
{
	static const char *const ignored[] = {"unparsable-mail", "ignored-loop", "ignored-auto",
		"ignored-bulk", "unknown-sender"};

	for (size_t i = 0; i < ARRAY_SIZE(ignored); i++)
		if (strcmp(verdict, ignored[i]) == 0)
			return INTAKE_JUNK;
	return INTAKE_ARCHIVE;
}

/* A message that was decided before it could be moved (we were stopped in between). */
static int move_if_decided(struct mailbox_state *mailbox, const struct taken *taken)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	struct inbox_row row;
	int r = inbox_load(mailbox->engine->club->store, &arena, taken->id, &row);

	if (r > 0 && row.verdict)
		r = intake_handled(mailbox->intake, taken->place, place_for(row.verdict));
	else if (r > 0)
		r = intake_stored(mailbox->intake, taken->place);
	return r < 0 ? r : 0;
}

static void on_batch(void *userdata)
{
	struct mailbox_state *mailbox = userdata;
	int r = 0;

	if (mailbox->in_transaction) {
		mailbox->in_transaction = false;
		r = store_commit(mailbox->engine->club->store);
	}
	for (size_t i = 0; i < mailbox->n_batch; i++) {
		if (r >= 0)
			r = move_if_decided(mailbox, &mailbox->batch[i]);
		free(mailbox->batch[i].place);
	}
	mailbox->n_batch = 0;
	if (r < 0)
		fail(mailbox->engine, "storing messages", r);
}

static void end_round(struct engine *engine)
{
	bool all = true;

	for (size_t i = 0; i < engine->n_mailboxes; i++) {
		if (!engine->mailboxes[i].answered)
			return;
		all = all && !engine->mailboxes[i].failed;
	}
	engine->round_running = false;
	engine->complete = all;
	engine->until = engine->round_now;
	if (all)
		engine->scanned_until = engine->round_now;
	else
		engine->unreachable = true;
	engine->drained = false;
	wake(engine);
}

static void on_scan_done(void *userdata, int64_t round)
{
	struct mailbox_state *mailbox = userdata;

	if (round != mailbox->engine->round)
		return;
	mailbox->answered = true;
	end_round(mailbox->engine);
}

static void on_scan_failed(void *userdata, int64_t round, int error, const char *text)
{
	struct mailbox_state *mailbox = userdata;

	log_line(LOG_WARNING, "mailbox %s: %s: %s", mailbox->configured->name, text,
		strerror(-error));
	if (round != mailbox->engine->round)
		return;
	mailbox->answered = true;
	mailbox->failed = true;
	end_round(mailbox->engine);
}

static void on_handled(void *userdata, const char *place)
{
	struct mailbox_state *mailbox = userdata;
	struct engine *engine = mailbox->engine;
	int r = inbox_moved(engine->club->store, mailbox->configured->name, place);

	if (r < 0)
		fail(engine, "noting a moved message", r);
	wake(engine);
}

static void start_round(struct engine *engine);

static void on_changed(void *userdata)
{
	struct mailbox_state *mailbox = userdata;
	engine_kick(mailbox->engine);
}

static void on_notice(void *userdata, const char *text)
{
	const struct mailbox_state *mailbox = userdata;
	log_line(LOG_NOTICE, "mailbox %s: %s", mailbox->configured->name, text);
}

static void on_intake_death(void *userdata, const struct worker_death *death)
{
	const struct mailbox_state *mailbox = userdata;
	log_line(LOG_ERR, "mailbox %s: %s", mailbox->configured->name, death->text);
}

static const struct intake_handlers intake_handlers = {
	.on_message = on_message,
	.on_batch = on_batch,
	.on_scan_done = on_scan_done,
	.on_scan_failed = on_scan_failed,
	.on_handled = on_handled,
	.on_changed = on_changed,
	.on_notice = on_notice,
	.on_death = on_intake_death,
};

static void start_round(struct engine *engine)
{
	engine->round++;
	engine->round_now = engine_now(engine);
	engine->round_running = true;
	engine->round_wanted = false;
	for (size_t i = 0; i < engine->n_mailboxes; i++) {
		struct mailbox_state *mailbox = &engine->mailboxes[i];
		mailbox->answered = false;
		mailbox->failed = false;
	}
	for (size_t i = 0; i < engine->n_mailboxes; i++) {
		struct mailbox_state *mailbox = &engine->mailboxes[i];
		int r = intake_scan(mailbox->intake, engine->round, engine->round_now);
		if (r < 0)
			on_scan_failed(mailbox, engine->round, r, "cannot be scanned");
	}
	if (engine->n_mailboxes == 0)
		end_round(engine);
}

void engine_kick(struct engine *engine)
{
	if (engine->options.once)
		return;
	engine->round_wanted = true;
	wake(engine);
}

/* ---- Reading ---- */

static bool is_being_read(const struct engine *engine, int64_t id)
{
	for (size_t i = 0; i < engine->n_reading; i++)
		if (engine->reading[i] == id)
			return true;
	return false;
}

static void forget_reading(struct engine *engine, int64_t id)
{
	for (size_t i = 0; i < engine->n_reading; i++)
		if (engine->reading[i] == id) {
			engine->reading[i] = engine->reading[--engine->n_reading];
			return;
		}
}

/* Notes that the reader gets the message before it does, so that a crash leaves a trace. */
static int feed_one(struct engine *engine, int64_t id)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	struct store *store = engine->club->store;
	struct inbox_row row;
	int r = inbox_load(store, &arena, id, &row);

	if (r <= 0)
		return r < 0 ? r : -ENOENT;
	if (row.reads >= 2)
		return work_set_aside(engine->club, id, "the reader did not survive it, twice",
			engine_now(engine));
	r = store_begin(store);
	if (r >= 0)
		r = inbox_reading(store, id);
	if (r >= 0)
		r = store_commit(store);
	if (r < 0)
		return r;
	r = reader_read(engine->reader, id, row.raw, row.raw_size);
	if (r == -EMSGSIZE)
		return work_set_aside(engine->club, id, "it is too long", engine_now(engine));
	if (r < 0)
		return r;
	engine->reading[engine->n_reading++] = id;
	return 0;
}

/* Gives the reader what is stored and not read. 1 while something is being read. */
static int feed_reader(struct engine *engine)
{
	int64_t id = 0;
	int r;

	while (engine->n_reading < READER_WINDOW &&
		(r = inbox_next_unread(engine->club->store, id, &id)) != 0) {
		if (r < 0)
			return r;
		if (is_being_read(engine, id))
			continue;
		r = feed_one(engine, id);
		if (r == -EAGAIN)
			break;
		if (r < 0)
			return r;
	}
	return engine->n_reading > 0;
}

static void on_letter(void *userdata, int64_t id, const char *json, size_t size)
{
	struct engine *engine = userdata;
	char *copy = strndup(json, size);
	int r = copy ? inbox_read(engine->club->store, id, copy) : -ENOMEM;

	free(copy);
	forget_reading(engine, id);
	if (r < 0)
		fail(engine, "storing a letter", r);
	wake(engine);
}

/* The second time that it kills the reader the message is set aside. */
static int lose(struct engine *engine, int64_t id, const char *reason)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	struct inbox_row row;
	int r = inbox_load(engine->club->store, &arena, id, &row);

	if (r <= 0 || row.reads < 2)
		return r < 0 ? r : 0;
	return work_set_aside(engine->club, id, reason, engine_now(engine));
}

static void on_lost(void *userdata, int64_t id, const struct worker_death *death)
{
	struct engine *engine = userdata;
	int r;

	log_with(LOG_ERR, &(struct log_fields){.event = "reader-lost", .message = id},
		"message %lld: %s", (long long)id, death->text);
	forget_reading(engine, id);
	r = lose(engine, id, death->text);
	if (r < 0)
		fail(engine, "setting a message aside", r);
	wake(engine);
}

static const struct reader_handlers reader_handlers = {
	.on_letter = on_letter,
	.on_lost = on_lost,
};

/* ---- Delivery ---- */

static int64_t backoff(int64_t attempts)
{
	int64_t delay = BACKOFF_FIRST_MS;

	while (attempts-- > 0 && delay < BACKOFF_MAX_MS)
		delay *= 2;
	return delay < BACKOFF_MAX_MS ? delay : BACKOFF_MAX_MS;
}

static int put_off(struct engine *engine, const struct delivery_result *result)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	struct outbox_row row;
	int r = outbox_load(engine->club->store, &arena, result->id, &row);

	if (r <= 0)
		return r < 0 ? r : -ENOENT;
	log_with(LOG_WARNING, &(struct log_fields){.event = "put-off"}, "mail %lld waits: %s",
		(long long)result->id, result->text);
	return outbox_put_off(engine->club->store, result->id,
		engine_now(engine) + backoff(row.attempts), result->text);
}

static void on_result(void *userdata, const struct delivery_result *result)
{
	struct engine *engine = userdata;
	int r = -EINVAL;

	switch (result->status) {
	case DELIVERY_DELIVERED:
		r = work_delivered(engine->club, result->id, engine_now(engine));
		break;
	case DELIVERY_PERMANENT:
		log_with(LOG_WARNING, &(struct log_fields){.event = "undeliverable"},
			"mail %lld cannot be delivered: %s", (long long)result->id, result->text);
		r = work_undeliverable(engine->club, result->id, result->text, engine_now(engine));
		break;
	case DELIVERY_UNREACHABLE:
		engine->unreachable = true;
		r = put_off(engine, result);
		break;
	case DELIVERY_TEMPORARY:
		r = put_off(engine, result);
		break;
	}
	if (r < 0)
		fail(engine, "noting a delivery", r);
	wake(engine);
}

static void on_delivery_death(void *userdata, const struct worker_death *death)
{
	(void)userdata;
	log_line(LOG_ERR, "delivery: %s", death->text);
}

static const struct delivery_handlers delivery_handlers = {
	.on_result = on_result,
	.on_death = on_delivery_death,
};

static int send_one(struct engine *engine, int64_t id)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	struct outbox_row row;
	int r = outbox_load(engine->club->store, &arena, id, &row);

	if (r <= 0)
		return r < 0 ? r : -ENOENT;
	const struct delivery_mail mail = {
		.id = id,
		.now = engine_now(engine),
		.key = row.message_id,
		.from = row.envelope_from,
		.recipient = row.recipient,
		.raw = row.raw,
		.size = row.raw_size,
	};
	return delivery_send(engine->delivery, &mail);
}

/* Hands out what is due. 1 while something is on its way. */
static int pump(struct engine *engine)
{
	/* In one pass each row is tried once, whenever it is due. */
	int64_t due = engine->options.once ? INT64_MAX : engine_now(engine);
	int64_t id;
	int r;

	if (!engine->options.once && delivery_waiting(engine->delivery) == 0)
		engine->sent_until = 0;
	while ((r = outbox_next_due(engine->club->store, engine->sent_until, due, &id)) > 0) {
		r = send_one(engine, id);
		if (r == -EAGAIN)
			return 1;
		if (r < 0)
			return r;
		engine->sent_until = id;
	}
	return r < 0 ? r : delivery_waiting(engine->delivery) > 0;
}

/* ---- Work ---- */

static int move_decided(struct engine *engine, int64_t id)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	struct inbox_row row;
	int r = inbox_load(engine->club->store, &arena, id, &row);

	if (r <= 0 || row.moved || !row.verdict)
		return r < 0 ? r : 0;
	for (size_t i = 0; i < engine->n_mailboxes; i++)
		if (strcmp(engine->mailboxes[i].configured->name, row.mailbox) == 0)
			return intake_handled(
				engine->mailboxes[i].intake, row.place, place_for(row.verdict));
	return 0;
}

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
		if (done.message)
			r = move_decided(engine, done.message);
		if (r < 0)
			return r;
	}
	return 1;
}

static bool moves_are_done(const struct engine *engine)
{
	for (size_t i = 0; i < engine->n_mailboxes; i++)
		if (!engine->mailboxes[i].failed && intake_waiting(engine->mailboxes[i].intake) > 0)
			return false;
	return true;
}

static int set_alarm(struct engine *engine)
{
	int64_t now = engine_now(engine), timer = INT64_MAX, attempt = INT64_MAX;
	int64_t next = now + (engine->complete ? POLL_EVERY_MS : RETRY_ROUND_MS);
	int r = work_next_timer(engine->club, &timer);

	if (r >= 0)
		r = outbox_next_attempt(engine->club->store, &attempt);
	if (r < 0)
		return r;
	/* What is due already waits for a mailbox or for the delivery in hand. */
	if (timer > engine->until && timer < next)
		next = timer;
	if (attempt > now && attempt < next)
		next = attempt;
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

/* The line of `systemctl status`. It is sent when it has changed, and not more often than
 * every few seconds: sd_notify waits when nobody takes its messages away. */
static void announce(struct engine *engine)
{
	struct engine_status status;
	char line[sizeof(engine->announced)], deadline[32] = "none";
	int64_t now = engine_now(engine);

	if (engine->options.once || now - engine->announced_at < ANNOUNCE_EVERY_MS ||
		engine_status(engine, &status) < 0)
		return;
	if (status.next_timer != INSTANT_NONE) {
		struct tm tm;
		time_t seconds = (time_t)(status.next_timer / 1000);
		if (gmtime_r(&seconds, &tm))
			strftime(deadline, sizeof(deadline), "%Y-%m-%d %H:%M UTC", &tm);
	}
	snprintf(line, sizeof(line), "%lld messages and %lld mails wait, next deadline %s%s",
		(long long)status.waiting_messages, (long long)status.waiting_mails, deadline,
		status.complete ? "" : "; a mailbox cannot be reached");
	if (strcmp(line, engine->announced) == 0)
		return;
	memcpy(engine->announced, line, sizeof(line));
	engine->announced_at = now;
	sd_notifyf(0, "STATUS=%s", line);
}

static int open_mailboxes(struct engine *engine);
static void close_mailboxes(struct engine *engine);
static int open_delivery(struct engine *engine);

/* Exchanges the configuration while nothing is on its way. */
static int exchange(struct engine *engine)
{
	struct club *old = engine->club;

	close_mailboxes(engine);
	delivery_close(engine->delivery);
	engine->delivery = NULL;
	engine->club = engine->fresh;
	engine->fresh = NULL;
	engine->club->store = old->store;
	old->store = NULL;
	club_free(old);
	int r = open_mailboxes(engine);
	if (r >= 0)
		r = open_delivery(engine);
	engine->round_wanted = true;
	return r;
}

/* What the engine does next: read, decide, deliver, rest. -errno or 0. */
static int go_on(struct engine *engine)
{
	if (engine->round_running)
		return 0;
	int r = feed_reader(engine);
	if (r != 0)
		return r < 0 ? r : 0;
	if (!engine->drained) {
		r = work_slice(engine);
		if (r < 0)
			return r;
		engine->drained = r == 0;
		if (!engine->drained)
			wake(engine);
		if (engine->options.once && !engine->drained)
			return 0;
	}
	bool exchanging = engine->fresh != NULL;
	r = exchanging ? delivery_waiting(engine->delivery) > 0 : pump(engine);
	if (r < 0)
		return r;
	if (engine->options.once) {
		if (r == 0 && moves_are_done(engine))
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
		start_round(engine);
	announce(engine);
	return set_alarm(engine);
}

static int on_work(sd_event_source *source, void *userdata)
{
	struct engine *engine = userdata;
	int r = go_on(engine);

	(void)source;
	if (r < 0)
		fail(engine, "working", r);
	return 0;
}

/* ---- Life ---- */

static int open_mailbox(struct engine *engine, size_t i)
{
	struct mailbox_state *mailbox = &engine->mailboxes[i];
	const struct configured_mailbox *configured = &engine->club->configuration->mailboxes[i];

	*mailbox = (struct mailbox_state){
		.engine = engine,
		.configured = configured,
		.rank = (int64_t)i,
	};
	const struct intake_config config = {
		.maildir = configured->account.url.path,
		.message_size = engine->club->configuration->limits.message_size,
	};
	return intake_open(&mailbox->intake, engine->event, &config, &intake_handlers, mailbox);
}

static int open_mailboxes(struct engine *engine)
{
	size_t n = engine->club->configuration->n_mailboxes;
	int r = 0;

	engine->mailboxes = calloc(n + 1, sizeof(*engine->mailboxes));
	if (!engine->mailboxes)
		return -ENOMEM;
	for (size_t i = 0; r >= 0 && i < n; i++) {
		r = open_mailbox(engine, i);
		if (r >= 0)
			engine->n_mailboxes++;
	}
	return r;
}

static void close_mailboxes(struct engine *engine)
{
	for (size_t i = 0; i < engine->n_mailboxes; i++) {
		struct mailbox_state *mailbox = &engine->mailboxes[i];
		intake_close(mailbox->intake);
		for (size_t j = 0; j < mailbox->n_batch; j++)
			free(mailbox->batch[j].place);
		free(mailbox->batch);
	}
	free(engine->mailboxes);
	engine->mailboxes = NULL;
	engine->n_mailboxes = 0;
}

static int open_delivery(struct engine *engine)
{
	const struct delivery_config config = {
		.maildir = engine->club->configuration->delivery.url.path,
	};
	return delivery_open(&engine->delivery, engine->event, &config, &delivery_handlers, engine);
}

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
		r = reader_open(&engine->reader, event, &reader_handlers, engine);
	if (r >= 0)
		r = open_mailboxes(engine);
	if (r >= 0)
		r = open_delivery(engine);
	if (r < 0) {
		engine->club = NULL;
		return r;
	}
	start_round(engine);
	*ret_engine = engine;
	engine = NULL;
	return 0;
}

void engine_free(struct engine *engine)
{
	close_mailboxes(engine);
	if (engine->delivery)
		delivery_close(engine->delivery);
	if (engine->reader)
		reader_close(engine->reader);
	sd_event_source_disable_unref(engine->work);
	sd_event_source_disable_unref(engine->alarm);
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
	wake(engine);
}

int engine_status(struct engine *engine, struct engine_status *ret_status)
{
	struct engine_status status = {
		.next_timer = INSTANT_NONE,
		.complete = engine->complete,
		.last_round = engine->until,
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

#include "daemon/engine/engine_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/log.h"
#include "daemon/relay/input_log.h"
#include "daemon/relay/work.h"
#include "daemon/store/inbox.h"

#define FACT_MAX 64

/* ---- Mails that the server has numbered anew ---- */

static struct taken *find_renumbered(const struct mailbox_state *mailbox, int64_t id)
{
	for (size_t i = 0; i < mailbox->n_renumbered; i++)
		if (mailbox->renumbered[i].id == id)
			return &mailbox->renumbered[i];
	return NULL;
}

/* The row keeps the place of its first coming; the mail is moved by the new one. */
static int note_renumbered(struct mailbox_state *mailbox, int64_t id, const char *place)
{
	struct taken *known = find_renumbered(mailbox, id), *grown;
	char *copy = strdup(place);

	if (!copy)
		return -ENOMEM;
	if (known) {
		free(known->place);
		known->place = copy;
		return 0;
	}
	grown = reallocarray(mailbox->renumbered, mailbox->n_renumbered + 1, sizeof(*grown));
	if (!grown) {
		free(copy);
		return -ENOMEM;
	}
	mailbox->renumbered = grown;
	grown[mailbox->n_renumbered++] = (struct taken){copy, id};
	return 0;
}

/* The place under which the row of a moved mail was stored. */
static int note_moved(struct mailbox_state *mailbox, const char *place)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	struct store *store = mailbox->engine->club->store;
	struct inbox_row row;

	for (size_t i = 0; i < mailbox->n_renumbered; i++) {
		if (strcmp(mailbox->renumbered[i].place, place) != 0)
			continue;
		int r = inbox_load(store, &arena, mailbox->renumbered[i].id, &row);
		if (r < 0)
			return r;
		if (r > 0)
			place = row.place;
		break;
	}
	return inbox_moved(store, mailbox->configured->name, place);
}

static int store_message(
	struct mailbox_state *mailbox, const struct inbox_new *row, int64_t *ret_id)
{
	struct store *store = mailbox->engine->club->store;
	int r = 0;

	if (!mailbox->configured->account.url.path)
		r = inbox_renumbered(store, row, ret_id);
	if (r < 0)
		return r;
	if (r > 0)
		return note_renumbered(mailbox, *ret_id, row->place);
	r = inbox_store(store, row, ret_id);
	return r > 0 ? input_log_mail(mailbox->engine->club, *ret_id, row) : r;
}

/* ---- Taking in ---- */

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
	r = store_message(mailbox, &row, &id);
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
		engine_fail(mailbox->engine, "storing a message", r);
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
		engine_fail(mailbox->engine, "storing messages", r);
}

/* A pass is an input even if nothing is due; a running daemon's rounds are only if it is. */
static void note_round(struct engine *engine)
{
	const struct work_limits limits = {
		.until = engine->until,
		.scanned_until = engine->scanned_until,
		.now = engine->round_now,
	};
	int r = watch_round(engine);

	engine->alerts.look = true;

	if (r >= 0 && engine->options.once)
		r = work_scanned(engine->club, &limits);
	if (r < 0)
		engine_fail(engine, "noting a round", r);
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
	note_round(engine);
	engine_wake(engine);
}

static void on_scan_done(void *userdata, int64_t round)
{
	struct mailbox_state *mailbox = userdata;

	if (round != mailbox->engine->round)
		return;
	mailbox->answered = true;
	end_round(mailbox->engine);
}

/* A mailbox that stays down for the same reason is one line in the log. */
static void say_down(struct mailbox_state *mailbox, const char *text)
{
	if (strncmp(mailbox->reason, text, sizeof(mailbox->reason) - 1) == 0)
		return;
	(void)snprintf(mailbox->reason, sizeof(mailbox->reason), "%s", text);
	log_with(LOG_WARNING, &(struct log_fields){.event = "mailbox-down"}, "mailbox %s: %s",
		mailbox->configured->name, text);
}

static void on_unreachable(void *userdata, const struct intake_outage *outage)
{
	struct mailbox_state *mailbox = userdata;
	struct engine *engine = mailbox->engine;

	mailbox->down_since =
		engine->options.now == INSTANT_NONE ? outage->since : engine->options.now;
	say_down(mailbox, outage->text);
	if (!engine->options.once)
		return;
	/* What it still has to move is moved in a later pass. */
	mailbox->failed = true;
	engine->unreachable = true;
	engine_wake(engine);
}

static void on_reachable(void *userdata, const struct intake_outage *outage)
{
	struct mailbox_state *mailbox = userdata;

	(void)outage;
	mailbox->down_since = INSTANT_NONE;
	mailbox->reason[0] = '\0';
	log_with(LOG_NOTICE, &(struct log_fields){.event = "mailbox-up"},
		"mailbox %s can be reached again", mailbox->configured->name);
}

/* Where `since = first-connection` begins is known for good once it is stored. */
static const char *mark_fact(
	const struct mailbox_state *mailbox, const char *what, char name[static FACT_MAX])
{
	(void)snprintf(name, FACT_MAX, "%s.%s", what, mailbox->configured->name);
	return name;
}

static int store_mark(struct mailbox_state *mailbox, const struct intake_mark *mark)
{
	struct club *club = mailbox->engine->club;
	int64_t now = engine_now(mailbox->engine);
	char name[FACT_MAX];
	bool inside = mailbox->in_transaction;
	int r = inside ? 0 : store_begin(club->store);

	if (r >= 0)
		r = input_log_fact(
			club, now, mark_fact(mailbox, "since_validity", name), mark->validity);
	if (r >= 0)
		r = input_log_fact(club, now, mark_fact(mailbox, "since_uid", name), mark->next);
	if (r >= 0)
		r = input_log_fact(
			club, now, mark_fact(mailbox, "since_instant", name), mark->instant);
	return r < 0 || inside ? r : store_commit(club->store);
}

static int load_mark(struct mailbox_state *mailbox, struct intake_mark *mark)
{
	struct store *store = mailbox->engine->club->store;
	int64_t validity = 0, next = 0, instant = 0;
	char name[FACT_MAX];
	int r = store_fact(store, mark_fact(mailbox, "since_validity", name), &validity);

	if (r >= 0)
		r = store_fact(store, mark_fact(mailbox, "since_uid", name), &next);
	if (r >= 0)
		r = store_fact(store, mark_fact(mailbox, "since_instant", name), &instant);
	if (r < 0)
		return r;
	*mark = (struct intake_mark){(uint32_t)validity, (uint32_t)next, instant};
	return 0;
}

static void on_mark(void *userdata, const struct intake_mark *mark)
{
	struct mailbox_state *mailbox = userdata;
	int r = store_mark(mailbox, mark);

	if (r < 0)
		engine_fail(mailbox->engine, "storing where a mailbox begins", r);
}

static void on_scan_failed(void *userdata, int64_t round, int error, const char *text)
{
	struct mailbox_state *mailbox = userdata;

	(void)error;
	say_down(mailbox, text);
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
	int r = note_moved(mailbox, place);

	if (r < 0)
		engine_fail(engine, "noting a moved message", r);
	engine_wake(engine);
}

/* It stays, and comes again: nobody waits for it now. */
static void on_not_handled(void *userdata, const char *place)
{
	const struct mailbox_state *mailbox = userdata;

	(void)place;
	engine_wake(mailbox->engine);
}

static void on_changed(void *userdata)
{
	struct mailbox_state *mailbox = userdata;
	engine_kick(mailbox->engine);
}

static void on_notice(void *userdata, const char *text)
{
	const struct mailbox_state *mailbox = userdata;
	log_with(LOG_NOTICE, &(struct log_fields){.event = "mailbox-notice"}, "mailbox %s: %s",
		mailbox->configured->name, text);
}

static void on_intake_death(void *userdata, const struct worker_death *death)
{
	const struct mailbox_state *mailbox = userdata;
	/* One that ends by itself wants to look up its server again. */
	bool fault = death->fate != WORKER_EXITED || death->code != 0;

	log_with(fault ? LOG_ERR : LOG_DEBUG, &(struct log_fields){.event = "worker-failed"},
		"mailbox %s: %s", mailbox->configured->name, death->text);
	if (fault)
		alerts_death(mailbox->engine, mailbox->configured->name, death->text);
	/* The next one looks at the mailbox when it is told to, and watches it from then on. */
	engine_kick(mailbox->engine);
}

static const struct intake_handlers intake_handlers = {
	.on_message = on_message,
	.on_batch = on_batch,
	.on_scan_done = on_scan_done,
	.on_scan_failed = on_scan_failed,
	.on_handled = on_handled,
	.on_not_handled = on_not_handled,
	.on_changed = on_changed,
	.on_notice = on_notice,
	.on_mark = on_mark,
	.on_unreachable = on_unreachable,
	.on_reachable = on_reachable,
	.on_death = on_intake_death,
};
void incoming_scan(struct engine *engine)
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

/* It could not be read: the administrator is told. */
static void tell_unparsable(struct engine *engine, int64_t id, const char *reason)
{
	char number[32];

	(void)snprintf(number, sizeof(number), "%lld", (long long)id);
	alerts_raise(engine, ALERT_UNPARSABLE, number, INSTANT_NONE, reason);
}

int incoming_move(struct engine *engine, int64_t id)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	struct inbox_row row;
	int r = inbox_load(engine->club->store, &arena, id, &row);

	if (r <= 0 || !row.verdict)
		return r < 0 ? r : 0;
	if (strcmp(row.verdict, "unparsable-mail") == 0)
		tell_unparsable(engine, id, row.notes);
	if (row.moved)
		return 0;
	for (size_t i = 0; i < engine->n_mailboxes; i++) {
		const struct mailbox_state *mailbox = &engine->mailboxes[i];
		const struct taken *renumbered = find_renumbered(mailbox, id);

		if (strcmp(mailbox->configured->name, row.mailbox) == 0)
			return intake_handled(mailbox->intake,
				renumbered ? renumbered->place : row.place, place_for(row.verdict));
	}
	return 0;
}
bool incoming_moves_done(const struct engine *engine)
{
	for (size_t i = 0; i < engine->n_mailboxes; i++)
		if (!engine->mailboxes[i].failed && intake_waiting(engine->mailboxes[i].intake) > 0)
			return false;
	return true;
}
#ifdef ENGINE_TIMING_HOOK
/* Tests do not wait for minutes: "IDLE POLL RETRY RETRY_MAX" in milliseconds. */
static struct intake_timing mail_timing(void)
{
	const char *text = getenv("ZUGPOST_TEST_MAIL_TIMING");
	struct intake_timing timing = {0};
	uint32_t *values[] = {&timing.idle, &timing.poll, &timing.retry, &timing.retry_max};
	char *end;

	for (size_t i = 0; text && i < ARRAY_SIZE(values); i++, text = end)
		*values[i] = (uint32_t)strtoul(text, &end, 10);
	return timing;
}
#else
static struct intake_timing mail_timing(void)
{
	return (struct intake_timing){0};
}
#endif

static int open_mailbox(struct engine *engine, size_t i)
{
	struct mailbox_state *mailbox = &engine->mailboxes[i];
	const struct configured_mailbox *configured = &engine->club->configuration->mailboxes[i];

	*mailbox = (struct mailbox_state){
		.engine = engine,
		.configured = configured,
		.rank = (int64_t)i,
		.down_since = INSTANT_NONE,
	};
	struct intake_config config = {
		.maildir = configured->account.url.path,
		.message_size = engine->club->configuration->limits.message_size,
		.mailbox = configured,
		.timing = mail_timing(),
	};
	int r = load_mark(mailbox, &config.mark);

	if (r < 0)
		return r;
	return intake_open(&mailbox->intake, engine->event, &config, &intake_handlers, mailbox);
}

int incoming_open(struct engine *engine)
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

void incoming_close(struct engine *engine)
{
	for (size_t i = 0; i < engine->n_mailboxes; i++) {
		struct mailbox_state *mailbox = &engine->mailboxes[i];
		intake_close(mailbox->intake);
		for (size_t j = 0; j < mailbox->n_batch; j++)
			free(mailbox->batch[j].place);
		free(mailbox->batch);
		for (size_t j = 0; j < mailbox->n_renumbered; j++)
			free(mailbox->renumbered[j].place);
		free(mailbox->renumbered);
	}
	free(engine->mailboxes);
	engine->mailboxes = NULL;
	engine->n_mailboxes = 0;
}

#include "daemon/engine/engine_internal.h"

#include <errno.h>
#include <sys/stat.h>

#include "daemon/log.h"
#include "daemon/relay/work.h"
#include "daemon/store/outbox.h"

#define BACKOFF_FIRST_MS INT64_C(60000)
#define BACKOFF_MAX_MS INT64_C(3600000)

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
	return work_put_off(engine->club, result->id, engine_now(engine) + backoff(row.attempts),
		result->text, engine_now(engine));
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
		engine_fail(engine, "noting a delivery", r);
	engine_wake(engine);
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
int outgoing_pump(struct engine *engine)
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
/* A new club's Maildir is made. One that has taken mail and is gone will come back, and what
 * was put in its place would be lost then. */
static int make_maildir(const struct engine *engine, const char *path)
{
	int r = outbox_has_delivered(engine->club->store);

	/* If it cannot be made, the first delivery says why. */
	if (r == 0)
		(void)mkdir(path, 0700);
	return r < 0 ? r : 0;
}

int outgoing_open(struct engine *engine)
{
	const struct delivery_config config = {
		.maildir = engine->club->configuration->delivery.url.path,
	};
	int r = make_maildir(engine, config.maildir);

	if (r < 0)
		return r;
	return delivery_open(&engine->delivery, engine->event, &config, &delivery_handlers, engine);
}

void outgoing_close(struct engine *engine)
{
	delivery_close(engine->delivery);
	engine->delivery = NULL;
}

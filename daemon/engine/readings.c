#include "daemon/engine/engine_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/log.h"
#include "daemon/relay/work.h"
#include "daemon/store/inbox.h"

/* A reading is noted before it begins, so that a message that takes us down with the reader
 * does not do so for ever. Restarts of ours that have nothing to do with it count too, hence
 * many. */
#define READS_MAX 20

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

static int set_aside(struct engine *engine, int64_t id, const char *reason)
{
	int r = work_set_aside(engine->club, id, reason, engine_now(engine));

	return r < 0 ? r : incoming_move(engine, id);
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
	if (row.reads >= READS_MAX)
		return set_aside(engine, id, "its reading never came to an end");
	r = store_begin(store);
	if (r >= 0)
		r = inbox_reading(store, id);
	if (r >= 0)
		r = store_commit(store);
	if (r < 0)
		return r;
	r = reader_read(engine->reader, id, row.raw, row.raw_size);
	if (r == -EMSGSIZE)
		return set_aside(engine, id, "it is too long");
	if (r < 0) {
		/* It was not given to the reader after all. */
		int undone = r == -EAGAIN ? inbox_not_read(store, id) : 0;
		return undone < 0 ? undone : r;
	}
	engine->reading[engine->n_reading++] = id;
	return 0;
}

/* Gives the reader what is stored and not read. 1 while something is being read. */
int readings_feed(struct engine *engine)
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
		engine_fail(engine, "storing a letter", r);
	engine_wake(engine);
}

/* The second time that it kills the reader the message is set aside. */
static int lose(struct engine *engine, int64_t id, const char *reason)
{
	for (size_t i = 0; i < engine->n_lost && i < READER_WINDOW; i++)
		if (engine->lost[i] == id)
			return set_aside(engine, id, reason);
	engine->lost[engine->n_lost++ % READER_WINDOW] = id;
	return 0;
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
		engine_fail(engine, "setting a message aside", r);
	engine_wake(engine);
}

static void on_reader_death(void *userdata, const struct worker_death *death)
{
	log_with(LOG_ERR, &(struct log_fields){.event = "worker-failed"}, "%s", death->text);
	alerts_death(userdata, "reader", death->text);
}

static const struct reader_handlers reader_handlers = {
	.on_letter = on_letter,
	.on_lost = on_lost,
	.on_death = on_reader_death,
};

int readings_open(struct engine *engine)
{
	return reader_open(&engine->reader, engine->event, &reader_handlers, engine);
}

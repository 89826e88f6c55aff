#include "daemon/engine/engine_internal.h"

#include <stdio.h>
#include <string.h>

#include "daemon/log.h"
#include "daemon/relay/outages.h"
#include "daemon/store/outages.h"

/* A running daemon looks at its mailboxes at least this often; so long mail may wait for it. */
#define ROUND_MS INT64_C(300000)
#define ALIVE_EVERY_MS INT64_C(60000)

static const char *const alive_fact = "alive";

static int note_mailbox(struct engine *engine, const struct mailbox_state *mailbox)
{
	char what[128];
	int64_t now = engine->round_now, since = mailbox->down_since;

	(void)snprintf(what, sizeof(what), "mailbox %s", mailbox->configured->name);
	if (since == INSTANT_NONE || since > now)
		since = now;
	return mailbox->failed ? outages_note(engine->club, what, since, INSTANT_NONE, now)
			       : outages_note(engine->club, what, INSTANT_NONE, now, now);
}

static bool is_configured(const struct engine *engine, const char *what)
{
	static const char prefix[] = "mailbox ";

	if (strncmp(what, prefix, sizeof(prefix) - 1) != 0)
		return true;
	for (size_t i = 0; i < engine->n_mailboxes; i++)
		if (strcmp(what + sizeof(prefix) - 1, engine->mailboxes[i].configured->name) == 0)
			return true;
	return false;
}

/* A mailbox that has gone from the configuration is missed no longer. */
static int forget_mailboxes(struct engine *engine)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	struct outage_row *rows;
	int64_t now = engine->round_now;
	size_t n;
	int r = outages_load(engine->club->store, &arena, INT64_MAX, &rows, &n);

	for (size_t i = 0; r >= 0 && i < n; i++)
		if (!is_configured(engine, rows[i].what))
			r = outages_note(engine->club, rows[i].what, INSTANT_NONE, now, now);
	return r;
}

static int note_alive(struct engine *engine, int64_t now)
{
	if (engine->options.once || (engine->alive != INSTANT_NONE && now >= engine->alive &&
					    now - engine->alive < ALIVE_EVERY_MS))
		return 0;
	engine->alive = now;
	return store_set_fact(engine->club->store, alive_fact, now);
}

int watch_round(struct engine *engine)
{
	int r = forget_mailboxes(engine);

	for (size_t i = 0; r >= 0 && i < engine->n_mailboxes; i++)
		r = note_mailbox(engine, &engine->mailboxes[i]);
	return r < 0 ? r : note_alive(engine, engine->round_now);
}

int watch_target(struct engine *engine, bool down)
{
	int64_t now = engine_now(engine);

	return down ? outages_note(engine->club, "delivery", now, INSTANT_NONE, now)
		    : outages_note(engine->club, "delivery", INSTANT_NONE, now, now);
}

/* Passes of their own are no daemon that should have run in between. */
int watch_begin(struct engine *engine)
{
	int64_t now = engine_now(engine), alive = INSTANT_NONE;
	int64_t pass = INSTANT_NONE;
	int r = engine->options.once ? 0 : store_fact(engine->club->store, alive_fact, &alive);

	if (r >= 0 && !engine->options.once)
		r = store_fact(engine->club->store, "last_pass", &pass);
	alerts_begin(engine, alive > pass ? alive : pass);

	engine->alive = INSTANT_NONE;
	if (r < 0 || alive == INSTANT_NONE || now - alive < 2 * ROUND_MS)
		return r < 0 ? r : note_alive(engine, now);
	log_with(LOG_WARNING, &(struct log_fields){.event = "was-down"},
		"the daemon did not run for %lld minutes: charges of that time are marked",
		(long long)((now - alive) / 60000));
	r = outages_note(engine->club, "daemon", alive, now, now);
	return r < 0 ? r : note_alive(engine, now);
}

void watch_end(struct engine *engine)
{
	int64_t now = engine_now(engine);

	engine->alive = INSTANT_NONE;
	if (note_alive(engine, now) < 0)
		log_line(LOG_WARNING, "the end of the daemon cannot be noted");
}

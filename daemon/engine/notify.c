#include "daemon/engine/notify.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <systemd/sd-daemon.h>
#include <time.h>

#include "daemon/engine/engine_internal.h"
#include "daemon/log.h"
#include "daemon/relay/work.h"
#include "daemon/store/outages.h"

#define REASON_MAX 200 /* of what a server says */
#define ANNOUNCE_EVERY_MS INT64_C(5000)
#define OPENING_MAX_US "1800000000"
#define MIGRATING_EVERY_S 10

void notify_opening(void)
{
	sd_notify(0, "STATUS=opening the store\nEXTEND_TIMEOUT_USEC=" OPENING_MAX_US);
}

void notify_migrating(int64_t schema)
{
	static int64_t said;
	static time_t due;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (schema == said && now.tv_sec < due)
		return;
	if (schema != said)
		log_with(LOG_NOTICE, &(struct log_fields){.event = "migrating"},
			"the store is brought up to date: schema %lld", (long long)schema);
	said = schema;
	due = now.tv_sec + MIGRATING_EVERY_S;
	sd_notifyf(0, "STATUS=bringing the store up to date: schema %lld\nEXTEND_TIMEOUT_USEC=%s",
		(long long)schema, OPENING_MAX_US);
}

void notify_ready(void)
{
	sd_notify(0, "READY=1");
}

void notify_reloading(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%lld",
		(long long)now.tv_sec * 1000000 + now.tv_nsec / 1000);
}

void notify_stopping(void)
{
	sd_notify(0, "STOPPING=1\nSTATUS=finishing what is in hand");
}

static const char *write_deadline(int64_t at, char out[static 32])
{
	time_t seconds = (time_t)(at / 1000);
	struct tm tm;

	if (at == INSTANT_NONE || !gmtime_r(&seconds, &tm) ||
		strftime(out, 32, "%Y-%m-%d %H:%M UTC", &tm) == 0)
		return "none";
	return out;
}

/* The line as it grows; what does not fit is left out. */
struct line {
	char *text;
	size_t size, n;
};

static void PRINTF_LIKE(2, 3) add(struct line *line, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	int n = vsnprintf(line->text + line->n, line->size - line->n, format, args);
	va_end(args);
	if (n < 0)
		return;
	line->n += (size_t)n;
	if (line->n >= line->size)
		line->n = line->size - 1;
}

/* Words of a server: nothing of them may be a line of its own. */
static void add_reason(struct line *line, const char *reason)
{
	size_t begin = line->n;

	add(line, "%s%.*s; ", *reason ? ": " : "", REASON_MAX, reason);
	for (size_t i = begin; i < line->n; i++)
		if ((unsigned char)line->text[i] < ' ')
			line->text[i] = ' ';
}

static int add_mailboxes(struct line *line, struct engine *engine)
{
	for (size_t i = 0; i < engine->n_mailboxes; i++) {
		const struct mailbox_state *mailbox = &engine->mailboxes[i];
		int64_t since = INSTANT_NONE;
		char what[96], from[32];
		if (!mailbox->failed)
			continue;
		(void)snprintf(what, sizeof(what), "mailbox %s", mailbox->configured->name);
		int r = outages_since(engine->club->store, what, &since);
		if (r < 0)
			return r;
		add(line, "%s OUT OF REACH since %s", what, write_deadline(since, from));
		add_reason(line, mailbox->reason);
	}
	return 0;
}

/* What is wrong comes first. */
static int add_troubles(struct line *line, struct engine *engine)
{
	const struct target_state *target = &engine->target;
	char at[32];
	int64_t until;
	int r = work_paused(engine->club, engine_now(engine), &until);

	if (r < 0)
		return r;
	if (r > 0)
		add(line, "PAUSED until %s; ",
			until == WORK_PAUSED ? "'resume'" : write_deadline(until, at));
	r = add_mailboxes(line, engine);
	if (r >= 0 && target->since != INSTANT_NONE) {
		add(line, "mail cannot be delivered since %s", write_deadline(target->since, at));
		add_reason(line, target->reason);
	}
	return r;
}

static int write_line(struct engine *engine, char *text, size_t size)
{
	struct line line = {.text = text, .size = size};
	struct engine_status status;
	char deadline[32];
	int r = engine_status(engine, &status);

	if (r >= 0)
		r = add_troubles(&line, engine);
	if (r >= 0)
		add(&line, "%lld messages and %lld mails wait, next deadline %s",
			(long long)status.waiting_messages, (long long)status.waiting_mails,
			write_deadline(status.next_timer, deadline));
	return r;
}

void notify_status(struct engine *engine)
{
	char line[sizeof(engine->announced)];
	int64_t now = engine_now(engine), due = engine->announced_at + ANNOUNCE_EVERY_MS;

	if (engine->options.once || write_line(engine, line, sizeof(line)) < 0 ||
		strcmp(line, engine->announced) == 0)
		return;
	/* A clock that went back must not silence us. */
	if (now >= engine->announced_at && now < due) {
		sd_event_source_set_time(engine->announce, (uint64_t)due * 1000);
		sd_event_source_set_enabled(engine->announce, SD_EVENT_ONESHOT);
		return;
	}
	memcpy(engine->announced, line, sizeof(line));
	engine->announced_at = now;
	sd_notifyf(0, "STATUS=%s", line);
}

static int on_announce(sd_event_source *source, uint64_t usec, void *userdata)
{
	(void)source;
	(void)usec;
	notify_status(userdata);
	return 0;
}

int notify_open(struct engine *engine)
{
	int r = sd_event_add_time(
		engine->event, &engine->announce, CLOCK_REALTIME, 0, 0, on_announce, engine);

	return r < 0 ? r : sd_event_source_set_enabled(engine->announce, SD_EVENT_OFF);
}

void notify_close(struct engine *engine)
{
	engine->announce = sd_event_source_disable_unref(engine->announce);
}

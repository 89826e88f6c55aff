#include "daemon/engine/metrics.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "daemon/engine/engine_internal.h"
#include "daemon/log.h"
#include "daemon/relay/work.h"
#include "daemon/store/games.h"
#include "daemon/store/outbox.h"

#define WRITE_EVERY_MS INT64_C(15000)
#define WRITE_AGAIN_MS INT64_C(1000)
#define SHARE 20 /* of the time at most one part in so many */

static int64_t monotonic(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- The text ---- */

struct text {
	FILE *out;
	const char *club;
};

static void head(const struct text *text, const char *name, const char *type, const char *help)
{
	fprintf(text->out, "# HELP zugpost_%s %s\n# TYPE zugpost_%s %s\n", name, help, name, type);
}

/* Between quotes; names of clubs may hold anything but control characters. */
static void put_label(FILE *out, const char *value)
{
	for (; *value; value++) {
		if (*value == '"' || *value == '\\')
			fputc('\\', out);
		fputc(*value, out);
	}
}

/* The collector puts the files of all clubs together, and refuses a series that comes twice. */
static void put(const struct text *text, const char *name, const char *label, const char *value,
	double number)
{
	fprintf(text->out, "zugpost_%s{club=\"", name);
	put_label(text->out, text->club);
	if (label) {
		fprintf(text->out, "\",%s=\"", label);
		put_label(text->out, value);
	}
	fprintf(text->out, "\"} %.15g\n", number);
}

static void one(const struct text *text, const char *name, const char *type, const char *help,
	double number)
{
	head(text, name, type, help);
	put(text, name, NULL, NULL, number);
}

static double seconds(int64_t instant)
{
	return instant == INSTANT_NONE ? 0 : (double)instant / 1000;
}

static void put_mailboxes(const struct text *text, const struct engine *engine)
{
	head(text, "mailbox_up", "gauge", "Whether the mailbox could be read in the last round.");
	for (size_t i = 0; i < engine->n_mailboxes; i++)
		put(text, "mailbox_up", "mailbox", engine->mailboxes[i].configured->name,
			!engine->mailboxes[i].failed);
}

static int put_games(const struct text *text, struct engine *engine)
{
	head(text, "games", "gauge", "Games by state.");
	for (int state = 0; state <= GAME_FINISHED; state++) {
		int64_t count = 0;
		int r = games_count_state(engine->club->store, (enum game_state)state, &count);
		if (r < 0)
			return r;
		put(text, "games", "state", game_state_name((enum game_state)state), (double)count);
	}
	return 0;
}

static int put_queues(const struct text *text, struct engine *engine)
{
	struct engine_status status;
	int64_t failed = 0, until;
	int r = engine_status(engine, &status);

	if (r >= 0)
		r = outbox_count(engine->club->store, "failed", &failed);
	int paused = r < 0 ? r : work_paused(engine->club, engine_now(engine), &until);
	if (paused < 0)
		return paused;
	one(text, "messages_waiting", "gauge", "Messages that are not decided.",
		(double)status.waiting_messages);
	one(text, "mails_waiting", "gauge", "Mails that are not delivered.",
		(double)status.waiting_mails);
	one(text, "mails_failed", "gauge", "Mails that were given up.", (double)failed);
	one(text, "next_deadline_timestamp_seconds", "gauge", "The next deadline, 0 without one.",
		seconds(status.next_timer));
	one(text, "last_round_timestamp_seconds", "gauge", "When the mailboxes were last read.",
		seconds(status.last_round));
	one(text, "paused", "gauge", "Whether the work is paused.", paused);
	one(text, "delivery_up", "gauge", "Whether mail can be delivered.",
		status.target_down_since == INSTANT_NONE);
	return 0;
}

static void put_counters(const struct text *text, const struct engine *engine)
{
	const struct metrics *metrics = &engine->metrics;

	one(text, "messages_decided_total", "counter", "Messages decided.",
		(double)metrics->decided);
	one(text, "mails_delivered_total", "counter", "Mails delivered.",
		(double)metrics->delivered);
	one(text, "mails_put_off_total", "counter", "Times that a mail was put off.",
		(double)metrics->put_off);
	one(text, "mails_given_up_total", "counter", "Mails given up.", (double)metrics->given_up);
	one(text, "worker_deaths_total", "counter", "Worker processes that failed.",
		(double)metrics->deaths);
	one(text, "alerts_total", "counter", "Mails to the administrator.",
		(double)(engine->alerts.sent + engine->club->notices));
}

static void put_disk(const struct text *text, const struct engine *engine)
{
	struct statvfs status;

	if (statvfs(engine->club->configuration->store.directory, &status) == 0)
		one(text, "store_free_bytes", "gauge", "Room that is left where the store is.",
			(double)status.f_bavail * (double)status.f_frsize);
}

static int write_text(FILE *out, struct engine *engine, bool up)
{
	const struct text text = {.out = out, .club = engine->club->configuration->club.name};
	int r = 0;

	one(&text, "up", "gauge", "Whether the daemon runs.", up);
	head(&text, "build_info", "gauge", "The version.");
	put(&text, "build_info", "version", ZUGPOST_VERSION, 1);
	if (!up)
		return 0;
	r = put_queues(&text, engine);
	if (r >= 0)
		r = put_games(&text, engine);
	if (r < 0)
		return r;
	put_mailboxes(&text, engine);
	put_counters(&text, engine);
	put_disk(&text, engine);
	return ferror(out) ? -EIO : 0;
}

/* ---- The file ---- */

/* The collector runs under another account. */
static int replace(const char *path, const char *text, size_t size)
{
	char temporary[4096];
	int n = snprintf(temporary, sizeof(temporary), "%s.new", path);

	if (n < 0 || (size_t)n >= sizeof(temporary))
		return -ENAMETOOLONG;
	int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (fd < 0)
		return -errno;
	int r = fchmod(fd, 0644) < 0 ? -errno : 0;
	ssize_t written = r < 0 ? 0 : write(fd, text, size);
	if (r >= 0 && written != (ssize_t)size)
		r = written < 0 ? -errno : -ENOSPC;
	if (close(fd) < 0 && r >= 0)
		r = -errno;
	if (r >= 0 && rename(temporary, path) < 0)
		r = -errno;
	if (r < 0)
		(void)unlink(temporary);
	return r;
}

static void write_file(struct engine *engine, bool up)
{
	const char *path = engine->club->configuration->store.metrics;
	char *text = NULL;
	size_t size = 0;

	int64_t begun = monotonic();

	engine->metrics.written_at = begun;
	FILE *out = path ? open_memstream(&text, &size) : NULL;
	if (!out)
		return;
	int r = write_text(out, engine, up);
	if (fclose(out) != 0 && r >= 0)
		r = -ENOMEM;
	if (r >= 0)
		r = replace(path, text, size);
	free(text);
	engine->metrics.written_at = monotonic();
	engine->metrics.took = engine->metrics.written_at - begun;
	/* Once, and again only after it has worked. */
	if (r < 0 && !engine->metrics.failed)
		log_line(LOG_WARNING, "metrics %s: %s", path, strerror(-r));
	engine->metrics.failed = r < 0;
}

/* ---- When ---- */

static void arm(struct engine *engine, int64_t in)
{
	sd_event_source_set_time_relative(engine->measure, (uint64_t)in * 1000);
	sd_event_source_set_enabled(engine->measure, SD_EVENT_ONESHOT);
}

static int on_measure(sd_event_source *source, uint64_t usec, void *userdata)
{
	(void)source;
	(void)usec;
	write_file(userdata, true);
	arm(userdata, WRITE_EVERY_MS);
	return 0;
}

int metrics_open(struct engine *engine)
{
	return engine->options.once ? 0
				    : sd_event_add_time_relative(engine->event, &engine->measure,
					      CLOCK_MONOTONIC, 0, 0, on_measure, engine);
}

void metrics_touch(struct engine *engine)
{
	int64_t since = monotonic() - engine->metrics.written_at;
	/* Counting a million games must not be what the daemon does. */
	int64_t pause = WRITE_AGAIN_MS + SHARE * engine->metrics.took;

	if (engine->measure && engine->club->configuration->store.metrics)
		arm(engine, since >= pause ? 0 : pause - since);
}

void metrics_close(struct engine *engine)
{
	if (engine->measure && engine->club)
		write_file(engine, false);
	engine->measure = sd_event_source_disable_unref(engine->measure);
}

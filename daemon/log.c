#include "daemon/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define SD_JOURNAL_SUPPRESS_LOCATION
#include <systemd/sd-journal.h>

#include "daemon/log_events.h"

#define FIELDS_MAX 9
#define FIELD_SIZE 160

/* systemd says so when stderr is the journal's own stream; only then is the journal there
 * for certain (sd_journal_sendv succeeds even where nobody listens). */
bool log_has_journal(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	unsigned long long device, inode;
	struct stat status;

	if (!stream || sscanf(stream, "%llu:%llu", &device, &inode) != 2 ||
		fstat(STDERR_FILENO, &status) < 0)
		return false;
	return status.st_dev == (dev_t)device && status.st_ino == (ino_t)inode;
}

const char *log_event_id(const char *event)
{
#define EVENT(word, id) {word, id},
	static const struct {
		const char *word, *id;
	} events[] = {LOG_EVENTS(EVENT)};
#undef EVENT

	for (size_t i = 0; i < ARRAY_SIZE(events); i++)
		if (strcmp(events[i].word, event) == 0)
			return events[i].id;
	return NULL;
}

struct fields {
	struct iovec vectors[FIELDS_MAX];
	char texts[FIELDS_MAX][FIELD_SIZE];
	int n;
};

static void PRINTF_LIKE(2, 3) add(struct fields *fields, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	int size = vsnprintf(fields->texts[fields->n], FIELD_SIZE, format, args);
	va_end(args);
	if (size < 0)
		return;
	fields->vectors[fields->n].iov_base = fields->texts[fields->n];
	fields->vectors[fields->n].iov_len =
		(size_t)size < FIELD_SIZE ? (size_t)size : FIELD_SIZE - 1;
	fields->n++;
}

static void send(int priority, const struct log_fields *given, char *message)
{
	struct fields fields = {.n = 0};
	char text[1100];
	int size = snprintf(text, sizeof(text), "MESSAGE=%s", message);

	const char *id = given && given->event ? log_event_id(given->event) : NULL;
	add(&fields, "PRIORITY=%d", priority);
	if (id)
		add(&fields, "MESSAGE_ID=%s", id);
	if (given && given->event)
		add(&fields, "ZUGPOST_EVENT=%s", given->event);
	if (given && given->game)
		add(&fields, "ZUGPOST_GAME=%s", given->game);
	if (given && given->ply > 0)
		add(&fields, "ZUGPOST_PLY=%lld", (long long)given->ply);
	if (given && given->player)
		add(&fields, "ZUGPOST_PLAYER=%s", given->player);
	if (given && given->message > 0)
		add(&fields, "ZUGPOST_MESSAGE=%lld", (long long)given->message);
	if (given && given->verdict)
		add(&fields, "ZUGPOST_VERDICT=%s", given->verdict);
	fields.vectors[fields.n++] =
		(struct iovec){.iov_base = text, .iov_len = size < 0 ? 0 : (size_t)size};
	sd_journal_sendv(fields.vectors, fields.n);
}

static bool muted;

void log_mute(bool mute)
{
	muted = mute;
}

PRINTF_LIKE(3, 0)
static void vlog(int priority, const struct log_fields *fields, const char *format, va_list args)
{
	char message[1024];

	if (muted && priority > LOG_ERR)
		return;
	vsnprintf(message, sizeof(message), format, args);
	if (log_has_journal())
		send(priority, fields, message);
	else if (isatty(STDERR_FILENO))
		fprintf(stderr, "%s\n", message);
	else
		fprintf(stderr, "<%d>%s\n", priority, message);
}

void log_line(int priority, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vlog(priority, NULL, format, args);
	va_end(args);
}

void log_with(int priority, const struct log_fields *fields, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vlog(priority, fields, format, args);
	va_end(args);
}

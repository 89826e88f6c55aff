#include "daemon/reading/read_now.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/reading/reader.h"

struct read_now {
	sd_event *event;
	struct reader *reader;
	char *json;
	bool done, lost;
};

static void on_letter(void *userdata, int64_t id, const char *json, size_t size)
{
	struct read_now *reading = userdata;

	(void)id;
	reading->json = strndup(json, size);
	reading->done = true;
}

static void on_lost(void *userdata, int64_t id, const struct worker_death *death)
{
	struct read_now *reading = userdata;

	(void)id;
	(void)death;
	reading->done = reading->lost = true;
}

static const struct reader_handlers handlers = {
	.on_letter = on_letter,
	.on_lost = on_lost,
};

int read_now_open(struct read_now **ret_reading)
{
	struct read_now *reading __attribute__((cleanup(read_now_closep))) =
		calloc(1, sizeof(*reading));

	if (!reading)
		return -ENOMEM;
	int r = sd_event_new(&reading->event);
	if (r >= 0)
		r = reader_open(&reading->reader, reading->event, &handlers, reading);
	if (r < 0)
		return r;
	*ret_reading = reading;
	reading = NULL;
	return 0;
}

void read_now_close(struct read_now *reading)
{
	reader_close(reading->reader);
	sd_event_unref(reading->event);
	free(reading->json);
	free(reading);
}

int read_now(struct read_now *reading, const void *raw, size_t size, char **ret_json)
{
	free(reading->json);
	reading->json = NULL;
	reading->done = reading->lost = false;
	int r = reader_read(reading->reader, 1, raw, size);
	while (r >= 0 && !reading->done)
		r = sd_event_run(reading->event, UINT64_MAX);
	if (r >= 0 && !reading->lost && !reading->json)
		r = -ENOMEM;
	if (r < 0)
		return r;
	*ret_json = reading->json;
	reading->json = NULL;
	return 0;
}

#include "daemon/relay/input_log.h"

#include <errno.h>
#include <stdlib.h>

#include "daemon/store/events.h"

int input_log(struct club *club, int64_t at, const char *kind, json_t *data)
{
	char *text = data ? json_dumps(data, JSON_COMPACT | JSON_SORT_KEYS) : NULL;

	json_decref(data);
	if (!text)
		return -ENOMEM;
	int r = events_append(club->store, at, kind, text);
	free(text);
	return r;
}

#include "daemon/relay/caps.h"

#include <inttypes.h>
#include <stdio.h>

#include "daemon/relay/alert.h"
#include "daemon/store/arena.h"
#include "daemon/store/outbox.h"

#define DAY_MS INT64_C(86400000)

int caps_reached(struct club *club, const char *address, int64_t at)
{
	int64_t sent = 0;
	int r = outbox_count_refusals(club->store, address, at - DAY_MS, &sent);

	return r < 0 ? r : sent >= club->configuration->limits.answers_per_day;
}

int caps_left_out(struct club *club, const char *address, int64_t inbox, int64_t at, int64_t now)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	const char *name = arena_format(&arena, "capped:%s", address);
	int64_t told = INSTANT_NONE;
	char number[32];
	int r = store_fact(club->store, name, &told);

	if (r < 0 || (told != INSTANT_NONE && at - told < DAY_MS))
		return r < 0 ? r : 1;
	r = store_set_fact(club->store, name, at);
	if (r < 0)
		return r;
	(void)snprintf(number, sizeof(number), "%" PRId64, inbox);
	return alert_tell(club,
		&(struct alert){.kind = ALERT_ANSWERS, .about = number, .since = INSTANT_NONE},
		now);
}

#include "daemon/relay/announce.h"

#include "daemon/relay/broadcast.h"
#include "daemon/relay/input_log.h"

int announce(struct club *club, const struct tournament_row *tournament, const char *text,
	const char *author, int64_t now)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	const struct compose_facts facts = {
		.kind = MAIL_ANNOUNCEMENT,
		.announcement = text,
		.author = author,
		/* The same words may be said again, later. */
		.cause_digest = arena_format(&arena, "%lld %s", (long long)now, text),
		.now = now,
	};
	int r = broadcast(club, tournament, &facts, now);

	return r < 0 ? r
		     : input_log(club, now, "announcement",
			       json_pack(
				       "{s:s, s:s}", "tournament", tournament->code, "text", text));
}

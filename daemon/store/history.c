#include "daemon/store/history.h"

#include "daemon/store/internal.h"
#include "daemon/store/sql.h"

/* Who entered what comes of a command: it stands in front of it, with no message between. */
#define ENTERED_BY                                                                               \
	"(SELECT json_extract(input.data, '$.by') FROM event AS input WHERE input.id < event.id" \
	" AND input.kind IN ('command', 'message') ORDER BY input.id DESC LIMIT 1)"

int history_load(struct store *store, struct arena *arena, int64_t game, const char *name,
	struct history_row **ret_rows, size_t *ret_n)
{
	sqlite3_stmt *query CLEANUP_QUERY = NULL;
	struct history_row *rows = NULL;
	size_t n = 0;
	/* The second column is enum history_source. */
	int r = sql_query(store, &query,
		"SELECT *, count(*) OVER () FROM ("
		"SELECT arrival AS at, 0 AS source, id, verdict, player, notes"
		" FROM inbox WHERE game = ?1 AND state = 'decided'"
		" UNION ALL SELECT at, 1, id, kind, " ENTERED_BY ", data FROM event"
		" WHERE " EVENT_IS_TOLD " AND kind NOT IN ('request', 'failed')"
		" AND json_extract(data, '$.game') = ?2"
		/* Leave, a stop or a withdrawal of one of the two, which has touched the game. */
		" UNION ALL SELECT at, 1, id, kind, " ENTERED_BY ", data FROM event"
		" WHERE " EVENT_IS_TOLD
		" AND kind = 'request' AND json_extract(data, '$.player') IN"
		" (SELECT white FROM game WHERE id = ?1 UNION SELECT black FROM game WHERE id = ?1)"
		" AND EXISTS (SELECT 1 FROM ledger WHERE game = ?1 AND ledger.at = event.at)"
		" UNION ALL SELECT at, 2, ply, kind, NULL, NULL FROM timer"
		" WHERE game = ?1 AND fired IS NOT NULL"
		" UNION ALL SELECT created, 3, id, kind, coalesce(player, recipient), verdict"
		" FROM outbox WHERE game = ?1"
		" UNION ALL SELECT delivered, 4, id, kind, coalesce(player, recipient), verdict"
		" FROM outbox WHERE game = ?1 AND delivered IS NOT NULL"
		" UNION ALL SELECT event.at, 5, outbox.id, outbox.kind, coalesce(player, "
		"recipient),"
		" error FROM outbox JOIN event ON " EVENT_IS_TOLD " AND event.kind = 'failed'"
		" AND json_extract(event.data, '$.message_id') = outbox.message_id"
		" WHERE game = ?1 AND state = 'failed'"
		") ORDER BY at, source, id",
		"it", game, name);

	if (r < 0)
		return r;
	while ((r = sql_step(store, query)) > 0) {
		if (!rows)
			rows = arena_alloc(arena, (size_t)sql_int(query, 6) * sizeof(*rows));
		rows[n++] = (struct history_row){
			.at = sql_int(query, 0),
			.source = (enum history_source)sql_int(query, 1),
			.id = sql_int(query, 2),
			.name = sql_text(query, 3, arena),
			.who = sql_text(query, 4, arena),
			.text = sql_text(query, 5, arena),
		};
	}
	*ret_rows = rows;
	*ret_n = n;
	return r;
}

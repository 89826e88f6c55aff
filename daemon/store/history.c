#include "daemon/store/history.h"

#include "daemon/store/sql.h"

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
		" UNION ALL SELECT at, 1, id, kind, NULL, data FROM event"
		" WHERE kind IN ('ruling', 'stop', 'lotto', 'order')"
		" AND json_extract(data, '$.game') = ?2"
		" UNION ALL SELECT at, 2, ply, kind, NULL, NULL FROM timer"
		" WHERE game = ?1 AND fired IS NOT NULL"
		" UNION ALL SELECT created, 3, id, kind, coalesce(player, recipient), verdict"
		" FROM outbox WHERE game = ?1"
		" UNION ALL SELECT delivered, 4, id, kind, coalesce(player, recipient), verdict"
		" FROM outbox WHERE game = ?1 AND delivered IS NOT NULL"
		" UNION ALL SELECT event.at, 5, outbox.id, outbox.kind, coalesce(player, "
		"recipient),"
		" error FROM outbox JOIN event ON event.kind = 'failed'"
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

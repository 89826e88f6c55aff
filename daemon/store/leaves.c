#include "daemon/store/leaves.h"

#include "daemon/store/sql.h"

int leaves_insert(struct store *store, const char *player, const struct leave_row *row)
{
	return sql_run(store,
		"INSERT INTO leave (player, tournament, first, last) VALUES (?, ?, ?, ?)", "ttii",
		player, row->tournament, (int64_t)row->first, (int64_t)row->last);
}

int leaves_load(struct store *store, struct arena *arena, const char *player,
	struct leave_row **ret_rows, size_t *ret_n)
{
	sqlite3_stmt *query CLEANUP_QUERY = NULL;
	int r = sql_query(store, &query,
		"SELECT id, tournament, first, last, count(*) OVER () FROM leave"
		" WHERE player = ? ORDER BY id",
		"t", player);
	struct leave_row *rows = NULL;
	size_t n = 0;

	if (r < 0)
		return r;
	while ((r = sql_step(store, query)) > 0) {
		if (!rows)
			rows = arena_alloc(arena, (size_t)sql_int(query, 4) * sizeof(*rows));
		rows[n++] = (struct leave_row){
			.id = sql_int(query, 0),
			.tournament = sql_text(query, 1, arena),
			.first = (int32_t)sql_int(query, 2),
			.last = (int32_t)sql_int(query, 3),
		};
	}
	*ret_rows = rows;
	*ret_n = n;
	return r;
}

int leaves_cut(struct store *store, const char *player, const char *tournament, int32_t last)
{
	int r = sql_run(store,
		"DELETE FROM leave WHERE player = ? AND tournament = ? AND first > ?", "tti",
		player, tournament, (int64_t)last);

	if (r < 0)
		return r;
	return sql_run(store,
		"UPDATE leave SET last = ?3 WHERE player = ?1 AND tournament = ?2 AND last > ?3",
		"tti", player, tournament, (int64_t)last);
}

int leaves_end(struct store *store, const char *player, const char *tournament, int32_t last,
	int32_t until)
{
	int r = sql_run(store,
		"DELETE FROM leave WHERE player = ? AND tournament = ? AND first > ?"
		" AND first <= ?",
		"ttii", player, tournament, (int64_t)last, (int64_t)until);

	if (r < 0)
		return r;
	return sql_run(store,
		"UPDATE leave SET last = ?3 WHERE player = ?1 AND tournament = ?2 AND first <= ?3"
		" AND last > ?3",
		"tti", player, tournament, (int64_t)last);
}

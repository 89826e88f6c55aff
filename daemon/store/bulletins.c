#include "daemon/store/bulletins.h"

#include <string.h>

#include "daemon/store/sql.h"

static const char *const acts[] = {
	[STOP_ASKED] = "asked",
	[STOP_CHANGED] = "changed",
	[STOP_WITHDRAWN] = "withdrawn",
	[STOP_GIVEN] = "given",
};

static enum stop_act find_act(const char *name)
{
	size_t i = 0;

	while (i + 1 < ARRAY_SIZE(acts) && strcmp(acts[i], name) != 0)
		i++;
	return (enum stop_act)i;
}

int bulletins_add_stop(struct store *store, const struct stop_row *row)
{
	return sql_run(store,
		"INSERT INTO stop (game, side, at, act, vacation, start, end, granted, reasons,"
		" reason) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		"ititiIIiit", row->game, row->side == SIDE_WHITE ? "white" : "black", row->at,
		acts[row->act], (int64_t)row->vacation, row->start, row->end, (int64_t)row->granted,
		(int64_t)row->reasons, row->reason);
}

static struct stop_row read_stop(sqlite3_stmt *query, struct arena *arena)
{
	return (struct stop_row){
		.game = sql_int(query, 0),
		.side = strcmp(sql_text(query, 1, arena), "white") == 0 ? SIDE_WHITE : SIDE_BLACK,
		.at = sql_int(query, 2),
		.act = find_act(sql_text(query, 3, arena)),
		.vacation = sql_int(query, 4) != 0,
		.start = sql_instant(query, 5),
		.end = sql_instant(query, 6),
		.granted = sql_int(query, 7) != 0,
		.reasons = (unsigned)sql_int(query, 8),
		.reason = sql_text(query, 9, arena),
	};
}

int bulletins_stops(struct store *store, struct arena *arena, int64_t game, int64_t since,
	int64_t until, struct stop_row **ret_rows, size_t *ret_n)
{
	sqlite3_stmt *query CLEANUP_QUERY = NULL;
	struct stop_row *rows = NULL;
	size_t n = 0;
	int r = sql_query(store, &query,
		"SELECT game, side, at, act, vacation, start, end, granted, reasons, reason,"
		" count(*) OVER () FROM stop"
		" WHERE game = ?1 AND (?2 IS NULL OR at > ?2) AND at <= ?3 ORDER BY at, id",
		"iIi", game, since, until);

	if (r < 0)
		return r;
	while ((r = sql_step(store, query)) > 0) {
		if (!rows)
			rows = arena_alloc(arena, (size_t)sql_int(query, 10) * sizeof(*rows));
		rows[n++] = read_stop(query, arena);
	}
	*ret_rows = rows;
	*ret_n = n;
	return r;
}

int bulletins_add(struct store *store, const char *tournament, int64_t number, int64_t at)
{
	return sql_run(store, "INSERT INTO bulletin (tournament, number, at) VALUES (?, ?, ?)",
		"tii", tournament, number, at);
}

int bulletins_last(
	struct store *store, const char *tournament, int64_t *ret_number, int64_t *ret_at)
{
	sqlite3_stmt *query CLEANUP_QUERY = NULL;
	int r = sql_query(store, &query,
		"SELECT number, at FROM bulletin WHERE tournament = ? ORDER BY number DESC LIMIT 1",
		"t", tournament);

	if (r < 0)
		return r;
	r = sql_step(store, query);
	if (r > 0) {
		*ret_number = sql_int(query, 0);
		*ret_at = sql_int(query, 1);
	}
	return r;
}

#include "daemon/store/bulletins.h"

#include <string.h>

#include "daemon/store/internal.h"
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
		"INSERT INTO stop (game, side, at, act, vacation, start, end, granted, hours,"
		" reasons, reason) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		"ititiIIiiit", row->game, row->side == SIDE_WHITE ? "white" : "black", row->at,
		acts[row->act], (int64_t)row->vacation, row->start, row->end, (int64_t)row->granted,
		(int64_t)row->hours, (int64_t)row->reasons, row->reason);
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
		.hours = (int)sql_int(query, 8),
		.reasons = (unsigned)sql_int(query, 9),
		.reason = sql_text(query, 10, arena),
	};
}

int bulletins_stops(struct store *store, struct arena *arena, const char *tournament, int64_t since,
	struct stop_row **ret_rows, size_t *ret_n)
{
	sqlite3_stmt *query CLEANUP_QUERY = NULL;
	struct stop_row *rows = NULL;
	size_t n = 0;
	int r = sql_query(store, &query,
		"SELECT stop.game, side, at, act, vacation, stop.start, end, granted, hours,"
		" reasons, reason, count(*) OVER () FROM stop JOIN game ON game.id = stop.game"
		" WHERE game.tournament = ? AND stop.id > ? ORDER BY stop.id",
		"ti", tournament, since);

	if (r < 0)
		return r;
	while ((r = sql_step(store, query)) > 0) {
		if (!rows)
			rows = arena_alloc(arena, (size_t)sql_int(query, 11) * sizeof(*rows));
		rows[n++] = read_stop(query, arena);
	}
	*ret_rows = rows;
	*ret_n = n;
	return r;
}

int bulletins_decisions(struct store *store, struct arena *arena, const char *tournament,
	int64_t since, struct decision_row **ret_rows, size_t *ret_n)
{
	sqlite3_stmt *query CLEANUP_QUERY = NULL;
	struct decision_row *rows = NULL;
	size_t n = 0;
	int r = sql_query(store, &query,
		"SELECT json_extract(data, '$.game'), event.at, event.kind, data, count(*) OVER ()"
		" FROM event WHERE " EVENT_IS_TOLD " AND kind IN ('ruling', 'lotto')"
		" AND substr(json_extract(data, '$.game'), 1, length(?1) + 1) = ?1 || '/'"
		" AND event.id > ?2 ORDER BY event.id",
		"ti", tournament, since);

	if (r < 0)
		return r;
	while ((r = sql_step(store, query)) > 0) {
		if (!rows)
			rows = arena_alloc(arena, (size_t)sql_int(query, 4) * sizeof(*rows));
		rows[n++] = (struct decision_row){
			.game = sql_text(query, 0, arena),
			.at = sql_int(query, 1),
			.kind = sql_text(query, 2, arena),
			.data = sql_text(query, 3, arena),
		};
	}
	*ret_rows = rows;
	*ret_n = n;
	return r;
}

int bulletins_add(struct store *store, const char *tournament, int64_t at)
{
	return sql_run(store,
		"INSERT INTO bulletin (tournament, number, at, last_stop, last_event) VALUES (?1,"
		" (SELECT count(*) + 1 FROM bulletin WHERE tournament = ?1), ?2,"
		" (SELECT coalesce(max(id), 0) FROM stop),"
		" (SELECT coalesce(max(id), 0) FROM event))",
		"ti", tournament, at);
}

int bulletins_last(struct store *store, const char *tournament, struct bulletin_row *ret_row)
{
	sqlite3_stmt *query CLEANUP_QUERY = NULL;
	int r = sql_query(store, &query,
		"SELECT number, at, last_stop, last_event FROM bulletin WHERE tournament = ?"
		" ORDER BY number DESC LIMIT 1",
		"t", tournament);

	*ret_row = (struct bulletin_row){.number = 0};
	if (r < 0)
		return r;
	r = sql_step(store, query);
	if (r > 0)
		*ret_row = (struct bulletin_row){
			.number = sql_int(query, 0),
			.at = sql_int(query, 1),
			.last_stop = sql_int(query, 2),
			.last_event = sql_int(query, 3),
		};
	return r;
}

int bulletins_armed(struct store *store, const char *tournament, const char *kind,
	int64_t *ret_game, int64_t *ret_ply, int64_t *ret_at)
{
	sqlite3_stmt *query CLEANUP_QUERY = NULL;
	int r = sql_query(store, &query,
		"SELECT timer.game, ply, at FROM timer JOIN game ON game.id = timer.game"
		" WHERE game.tournament = ? AND kind = ? AND fired IS NULL ORDER BY at LIMIT 1",
		"tt", tournament, kind);

	if (r < 0)
		return r;
	r = sql_step(store, query);
	if (r > 0) {
		*ret_game = sql_int(query, 0);
		*ret_ply = sql_int(query, 1);
		*ret_at = sql_int(query, 2);
	}
	return r;
}

int bulletins_activity(struct store *store, const char *tournament, int64_t *ret_at)
{
	return sql_number(store, ret_at,
		"SELECT max(at) FROM ledger JOIN game ON game.id = ledger.game"
		" WHERE game.tournament = ?",
		"t", tournament);
}

int bulletins_game(struct store *store, int64_t game, size_t *ret_plies, bool *ret_finished)
{
	sqlite3_stmt *query CLEANUP_QUERY = NULL;
	int r = sql_query(store, &query, "SELECT plies, finished FROM bulletin_game WHERE game = ?",
		"i", game);

	if (r < 0)
		return r;
	r = sql_step(store, query);
	if (r > 0) {
		*ret_plies = (size_t)sql_int(query, 0);
		*ret_finished = sql_int(query, 1) != 0;
	}
	return r;
}

int bulletins_put_game(struct store *store, int64_t game, size_t plies, bool finished)
{
	return sql_run(store,
		"INSERT INTO bulletin_game (game, plies, finished) VALUES (?, ?, ?)"
		" ON CONFLICT (game) DO UPDATE SET plies = excluded.plies,"
		" finished = excluded.finished",
		"iii", game, (int64_t)plies, (int64_t)finished);
}

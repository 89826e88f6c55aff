#include "daemon/store/timers.h"

#include <errno.h>

#include "daemon/store/sql.h"

int timers_arm(struct store *store, const struct timer_row *timer)
{
	return sql_run(store,
		"INSERT INTO timer (game, kind, ply, at) VALUES (?, ?, ?, ?) ON CONFLICT DO "
		"NOTHING",
		"itii", timer->game, timer->kind, timer->ply, timer->at);
}

int timers_arm_once(struct store *store, const struct timer_row *timer)
{
	return sql_run(store,
		"INSERT INTO timer (game, kind, ply, at) SELECT ?1, ?2, ?3, ?4"
		" WHERE NOT EXISTS (SELECT 1 FROM timer WHERE game = ?1 AND kind = ?2"
		" AND ply = ?3 AND fired IS NOT NULL) ON CONFLICT DO NOTHING",
		"itii", timer->game, timer->kind, timer->ply, timer->at);
}

int timers_disarm(struct store *store, int64_t game, const char *kind)
{
	return sql_run(store, "DELETE FROM timer WHERE game = ? AND fired IS NULL AND kind = ?",
		"it", game, kind);
}

int timers_lapse(struct store *store, int64_t game, const char *kind, int64_t at)
{
	return sql_run(store,
		"UPDATE timer SET fired = ? WHERE game = ? AND kind = ? AND fired IS NULL", "iit",
		at, game, kind);
}

int timers_fired(struct store *store, const struct timer_row *timer, int64_t at)
{
	return sql_run(store,
		"UPDATE timer SET fired = ? WHERE game = ? AND kind = ? AND ply = ? AND at = ?",
		"iitii", at, timer->game, timer->kind, timer->ply, timer->at);
}

int timers_settle(struct store *store, const struct timer_row *timer, int64_t at)
{
	return sql_run(store,
		"UPDATE timer SET fired = ? WHERE game = ? AND kind = ? AND ply = ? AND fired IS "
		"NULL",
		"iiti", at, timer->game, timer->kind, timer->ply);
}

int timers_forget(struct store *store, int64_t game, const char *kind, int64_t ply)
{
	return sql_run(store,
		"DELETE FROM timer WHERE game = ?1 AND (?2 IS NULL OR kind = ?2)"
		" AND kind NOT IN ('start', 'confirm', 'address') AND ply >= ?3 AND fired IS NOT "
		"NULL",
		"iti", game, kind, ply);
}

static int first(
	sqlite3_stmt *query, struct store *store, struct arena *arena, struct timer_row *ret_timer)
{
	int r = sql_step(store, query);

	if (r <= 0)
		return r;
	*ret_timer = (struct timer_row){
		.game = sql_int(query, 0),
		.kind = sql_text(query, 1, arena),
		.ply = sql_int(query, 2),
		.at = sql_int(query, 3),
	};
	return 1;
}

int timers_next(struct store *store, struct arena *arena, struct timer_row *ret_timer)
{
	sqlite3_stmt *query CLEANUP_QUERY = NULL;
	int r = sql_query(store, &query,
		"SELECT game, kind, ply, at FROM timer WHERE fired IS NULL"
		" ORDER BY at, game, kind, ply LIMIT 1",
		"");

	return r < 0 ? r : first(query, store, arena, ret_timer);
}

int timers_next_of(
	struct store *store, struct arena *arena, int64_t game, struct timer_row *ret_timer)
{
	sqlite3_stmt *query CLEANUP_QUERY = NULL;
	int r = sql_query(store, &query,
		"SELECT game, kind, ply, at FROM timer WHERE fired IS NULL AND game = ?"
		" ORDER BY at, kind, ply LIMIT 1",
		"i", game);

	return r < 0 ? r : first(query, store, arena, ret_timer);
}

int timers_due(struct store *store, int64_t game, int64_t at)
{
	int64_t found;

	return sql_number(store, &found,
		"SELECT min(at) FROM timer WHERE game = ? AND fired IS NULL AND at <= ?", "ii",
		game, at);
}

int timers_armed(struct store *store, int64_t game, const char *kind)
{
	int64_t found;

	return sql_number(store, &found,
		"SELECT min(at) FROM timer WHERE game = ? AND fired IS NULL AND kind = ?", "it",
		game, kind);
}

int timers_count(
	struct store *store, const char *kind, int64_t game, int64_t *ret_count, int64_t *ret_first)
{
	static const char of_all[] = "SELECT count(*), min(at) FROM timer"
				     " WHERE fired IS NULL AND kind = ?1 AND ?2 = 0";
	static const char of_game[] = "SELECT count(*), min(at) FROM timer"
				      " WHERE fired IS NULL AND kind = ?1 AND game = ?2";
	sqlite3_stmt *query CLEANUP_QUERY = NULL;
	int r = sql_query(store, &query, game ? of_game : of_all, "ti", kind, game);

	if (r >= 0)
		r = sql_step(store, query);
	if (r <= 0)
		return r < 0 ? r : -EIO;
	*ret_count = sql_int(query, 0);
	*ret_first = sql_instant(query, 1);
	return 0;
}

int timers_is_armed(struct store *store, const struct timer_row *timer)
{
	int64_t found;

	return sql_number(store, &found,
		"SELECT min(at) FROM timer WHERE game = ? AND kind = ? AND ply = ? AND fired IS "
		"NULL",
		"iti", timer->game, timer->kind, timer->ply);
}

int timers_last_fired(struct store *store, const struct timer_row *timer, int64_t *ret_fired)
{
	return sql_number(store, ret_fired,
		"SELECT max(fired) FROM timer WHERE game = ? AND kind = ? AND ply = ?", "iti",
		timer->game, timer->kind, timer->ply);
}

#include "daemon/store/pending.h"

#include "daemon/store/sql.h"

/* ---- Leaves ---- */

int pending_leave_insert(struct store *store, const struct pending_leave *leave)
{
	return sql_run(store,
		"INSERT INTO pending_leave (game, player, first, last, announced, arbiter)"
		" VALUES (?, ?, ?, ?, ?, ?)",
		"itiiii", leave->game, leave->player, (int64_t)leave->first, (int64_t)leave->last,
		leave->announced, (int64_t)leave->arbiter);
}

int pending_leave_find(struct store *store, struct arena *arena, int64_t game, bool arbiter,
	const char *not_by, struct pending_leave *ret_leave)
{
	sqlite3_stmt *query CLEANUP_QUERY = NULL;
	int r = sql_query(store, &query,
		"SELECT id, game, player, first, last, announced, arbiter FROM pending_leave"
		" WHERE game = ? AND arbiter = ? AND player IS NOT ? ORDER BY id DESC LIMIT 1",
		"iit", game, (int64_t)arbiter, not_by);

	if (r < 0)
		return r;
	r = sql_step(store, query);
	if (r <= 0)
		return r;
	*ret_leave = (struct pending_leave){
		.id = sql_int(query, 0),
		.game = sql_int(query, 1),
		.player = sql_text(query, 2, arena),
		.first = (int32_t)sql_int(query, 3),
		.last = (int32_t)sql_int(query, 4),
		.announced = sql_int(query, 5),
		.arbiter = sql_int(query, 6) != 0,
	};
	return 1;
}

int pending_leave_count(struct store *store, int64_t game, int64_t *ret_count)
{
	static const char of_all[] =
		"SELECT count(*) FROM pending_leave WHERE arbiter = 1 AND ?1 = 0";
	static const char of_game[] =
		"SELECT count(*) FROM pending_leave WHERE arbiter = 1 AND game = ?1";
	int r = sql_number(store, ret_count, game ? of_game : of_all, "i", game);

	return r < 0 ? r : 0;
}

int pending_leave_settle(struct store *store, const struct pending_leave *leave)
{
	return sql_run(store,
		"DELETE FROM pending_leave WHERE player = ? AND first = ? AND last = ? AND game IN"
		" (SELECT other.id FROM game JOIN game AS other USING (tournament)"
		" WHERE game.id = ?)",
		"tiii", leave->player, (int64_t)leave->first, (int64_t)leave->last, leave->game);
}

/* ---- Addresses ---- */

int pending_address_insert(struct store *store, const struct pending_address *address)
{
	int r = sql_run(
		store, "DELETE FROM pending_address WHERE player = ?", "t", address->player);

	if (r < 0)
		return r;
	return sql_run(store,
		"INSERT INTO pending_address (inbox, player, old, new, asked) VALUES (?, ?, ?, ?, "
		"?)",
		"ittti", address->inbox, address->player, address->old, address->new,
		address->asked);
}

int pending_address_load(struct store *store, struct arena *arena, int64_t inbox,
	struct pending_address *ret_address)
{
	sqlite3_stmt *query CLEANUP_QUERY = NULL;
	int r = sql_query(store, &query,
		"SELECT inbox, player, old, new, asked, old_confirmed, new_confirmed"
		" FROM pending_address WHERE inbox = ?",
		"i", inbox);

	if (r < 0)
		return r;
	r = sql_step(store, query);
	if (r <= 0)
		return r;
	*ret_address = (struct pending_address){
		.inbox = sql_int(query, 0),
		.player = sql_text(query, 1, arena),
		.old = sql_text(query, 2, arena),
		.new = sql_text(query, 3, arena),
		.asked = sql_int(query, 4),
		.old_confirmed = sql_int(query, 5) != 0,
		.new_confirmed = sql_int(query, 6) != 0,
	};
	return 1;
}

int pending_address_confirm(struct store *store, int64_t inbox, bool new)
{
	return sql_run(store,
		new ? "UPDATE pending_address SET new_confirmed = 1 WHERE inbox = ?"
		    : "UPDATE pending_address SET old_confirmed = 1 WHERE inbox = ?",
		"i", inbox);
}

int pending_address_drop(struct store *store, int64_t inbox)
{
	return sql_run(store, "DELETE FROM pending_address WHERE inbox = ?", "i", inbox);
}

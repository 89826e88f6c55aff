#include "daemon/store/people.h"

#include "daemon/store/sql.h"

#define TOURNAMENT_COLUMNS                                                                      \
	"code, name, rules, start, end, arbiter_name, arbiter_address, deputy, copies, public," \
	" site, rated, stage, repetition, fide_2014, bulletin_every, parameters"
#define PLAYER_COLUMNS "id, name, timezone, language, notation, country, elo, generation"

static void read_tournament(sqlite3_stmt *query, struct arena *arena, struct tournament_row *row)
{
	*row = (struct tournament_row){
		.code = sql_text(query, 0, arena),
		.name = sql_text(query, 1, arena),
		.rules = sql_text(query, 2, arena),
		.start = sql_int(query, 3),
		.end = sql_instant(query, 4),
		.arbiter_name = sql_text(query, 5, arena),
		.arbiter_address = sql_text(query, 6, arena),
		.deputy = sql_text(query, 7, arena),
		.copies = sql_text(query, 8, arena),
		.public_area = sql_text(query, 9, arena),
		.site = sql_text(query, 10, arena),
		.rated = sql_int(query, 11) != 0,
		.stage = sql_text(query, 12, arena),
		.repetition = sql_text(query, 13, arena),
		.fide_2014 = sql_int(query, 14) != 0,
		.bulletin_every = sql_int(query, 15),
		.parameters = sql_text(query, 16, arena),
	};
}

static int read_addresses(struct store *store, struct arena *arena, struct player_row *row)
{
	int64_t n = 0;
	int r = sql_number(
		store, &n, "SELECT count(*) FROM address WHERE player = ?", "t", row->id);
	if (r < 0)
		return r;

	const char **addresses = arena_alloc(arena, (size_t)n * sizeof(*addresses) + 1);
	sqlite3_stmt *query CLEANUP_QUERY = NULL;
	r = sql_query(store, &query, "SELECT address FROM address WHERE player = ? ORDER BY rank",
		"t", row->id);
	if (r < 0)
		return r;
	size_t at = 0;
	while ((r = sql_step(store, query)) > 0 && at < (size_t)n)
		addresses[at++] = sql_text(query, 0, arena);
	if (r < 0)
		return r;
	row->addresses = addresses;
	row->n_addresses = at;
	return 0;
}

static int read_player(
	struct store *store, sqlite3_stmt *query, struct arena *arena, struct player_row *row)
{
	*row = (struct player_row){
		.id = sql_text(query, 0, arena),
		.name = sql_text(query, 1, arena),
		.timezone = sql_text(query, 2, arena),
		.language = sql_text(query, 3, arena),
		.notation = sql_text(query, 4, arena),
		.country = sql_text(query, 5, arena),
		.elo = sql_int(query, 6),
		.generation = sql_int(query, 7),
	};
	return read_addresses(store, arena, row);
}

int people_tournament(
	struct store *store, struct arena *arena, const char *code, struct tournament_row *ret_row)
{
	sqlite3_stmt *query CLEANUP_QUERY = NULL;
	int r = sql_query(store, &query,
		"SELECT " TOURNAMENT_COLUMNS " FROM tournament WHERE code = ?", "t", code);

	if (r < 0)
		return r;
	r = sql_step(store, query);
	if (r > 0)
		read_tournament(query, arena, ret_row);
	return r;
}

int people_player(
	struct store *store, struct arena *arena, const char *id, struct player_row *ret_row)
{
	sqlite3_stmt *query CLEANUP_QUERY = NULL;
	int r = sql_query(
		store, &query, "SELECT " PLAYER_COLUMNS " FROM player WHERE id = ?", "t", id);

	if (r < 0)
		return r;
	r = sql_step(store, query);
	if (r <= 0)
		return r;
	r = read_player(store, query, arena, ret_row);
	return r < 0 ? r : 1;
}

int people_by_address(
	struct store *store, struct arena *arena, const char *key, const char **ret_player)
{
	sqlite3_stmt *query CLEANUP_QUERY = NULL;
	int r = sql_query(store, &query, "SELECT player FROM address WHERE key = ?", "t", key);

	if (r < 0)
		return r;
	r = sql_step(store, query);
	if (r > 0)
		*ret_player = sql_text(query, 0, arena);
	return r;
}

int people_put_tournament(struct store *store, const struct tournament_row *row)
{
	return sql_run(store,
		"INSERT INTO tournament (" TOURNAMENT_COLUMNS ")"
		" VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
		" ON CONFLICT (code) DO UPDATE SET name = excluded.name, rules = excluded.rules,"
		" start = excluded.start, end = excluded.end,"
		" arbiter_name = excluded.arbiter_name,"
		" arbiter_address = excluded.arbiter_address, deputy = excluded.deputy,"
		" copies = excluded.copies, public = excluded.public, site = excluded.site,"
		" rated = excluded.rated, stage = excluded.stage,"
		" repetition = excluded.repetition, fide_2014 = excluded.fide_2014,"
		" bulletin_every = excluded.bulletin_every, parameters = excluded.parameters",
		"tttiIttttttittiit", row->code, row->name, row->rules, row->start, row->end,
		row->arbiter_name, row->arbiter_address, row->deputy, row->copies, row->public_area,
		row->site, (int64_t)row->rated, row->stage, row->repetition,
		(int64_t)row->fide_2014, row->bulletin_every, row->parameters);
}

int people_put_player(struct store *store, const struct player_row *row, const char *const *keys)
{
	int r = sql_run(store,
		"INSERT INTO player (id, name, timezone, language, notation, country, elo)"
		" VALUES (?, ?, ?, ?, ?, ?, ?)"
		" ON CONFLICT (id) DO UPDATE SET name = excluded.name,"
		" timezone = excluded.timezone, language = excluded.language,"
		" notation = excluded.notation, country = excluded.country, elo = excluded.elo",
		"ttttttI", row->id, row->name, row->timezone, row->language, row->notation,
		row->country, row->elo ? row->elo : INSTANT_NONE);

	if (r >= 0)
		r = sql_run(store, "DELETE FROM address WHERE player = ?", "t", row->id);
	for (size_t i = 0; r >= 0 && i < row->n_addresses; i++)
		r = sql_run(store,
			"INSERT INTO address (key, player, rank, address) VALUES (?, ?, ?, ?)",
			"ttit", keys[i], row->id, (int64_t)i, row->addresses[i]);
	return r;
}

int people_renew_tokens(struct store *store, const char *player)
{
	return sql_run(
		store, "UPDATE player SET generation = generation + 1 WHERE id = ?", "t", player);
}

int people_each_player(struct store *store,
	int (*each)(const struct player_row *row, void *userdata), void *userdata)
{
	sqlite3_stmt *query CLEANUP_QUERY = NULL;
	int r = sql_query(store, &query, "SELECT " PLAYER_COLUMNS " FROM player ORDER BY id", "");

	if (r < 0)
		return r;
	while ((r = sql_step(store, query)) > 0) {
		struct arena arena CLEANUP_ARENA = ARENA_INIT;
		struct player_row row;
		r = read_player(store, query, &arena, &row);
		if (r < 0)
			return r;
		r = each(&row, userdata);
		if (r != 0)
			return r;
	}
	return r;
}

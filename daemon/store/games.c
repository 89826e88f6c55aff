#include "daemon/store/games.h"

#include <errno.h>
#include <string.h>

#include "daemon/store/sql.h"

#define GAME_COLUMNS                                                                          \
	"id, tournament, number, code, white, black, state, result, termination, draw_offer," \
	" start_fen, fen, thematic, moves, white_zone, black_zone, awaiting, awaiting_by,"    \
	" demanded_white, demanded_black, conditionals, start, mobile, withdrew_white,"       \
	" withdrew_black"

static const char *const result_names[] = {
	[RESULT_NONE] = "*",
	[RESULT_WHITE] = "1-0",
	[RESULT_BLACK] = "0-1",
	[RESULT_DRAW] = "1/2-1/2",
};

/* The index of NAME in a table of names, or FALLBACK. */
static unsigned find(const char *const *names, size_t n, const char *name, unsigned fallback)
{
	for (size_t i = 0; name && i < n; i++)
		if (strcmp(names[i], name) == 0)
			return (unsigned)i;
	return fallback;
}

static const char *side_name(enum side side)
{
	return side == SIDE_WHITE ? "white" : "black";
}

static const char *offer_name(enum draw_offer offer)
{
	return offer == OFFER_WHITE ? "white" : offer == OFFER_BLACK ? "black" : NULL;
}

static enum draw_offer offer_find(const char *name)
{
	if (!name)
		return OFFER_NONE;
	return strcmp(name, "white") == 0 ? OFFER_WHITE : OFFER_BLACK;
}

static enum termination termination_find(const char *name)
{
	for (int i = TERMINATION_NONE + 1; name && i <= TERMINATION_ANNULLED; i++)
		if (strcmp(termination_name((enum termination)i), name) == 0)
			return (enum termination)i;
	return TERMINATION_NONE;
}

/* Moves as they are stored: two bytes a ply, least significant first. */
static unsigned char *pack_moves(struct arena *arena, const uint16_t *moves, size_t n)
{
	unsigned char *bytes = arena_alloc(arena, 2 * n + 1);

	for (size_t i = 0; i < n; i++) {
		bytes[2 * i] = (unsigned char)(moves[i] & 0xff);
		bytes[2 * i + 1] = (unsigned char)(moves[i] >> 8);
	}
	return bytes;
}

static uint16_t *unpack_moves(struct arena *arena, const unsigned char *bytes, size_t n)
{
	uint16_t *moves = arena_alloc(arena, n * sizeof(*moves) + 1);

	for (size_t i = 0; i < n; i++)
		moves[i] = (uint16_t)(bytes[2 * i] | bytes[2 * i + 1] << 8);
	return moves;
}

static int64_t instant_or_none(int64_t instant)
{
	return instant ? instant : INSTANT_NONE;
}

int games_insert(struct store *store, const struct game_row *row, int64_t *ret_id)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	int r = sql_run(store,
		"INSERT INTO game (tournament, number, code, white, black, state, result,"
		" start_fen, fen, thematic, moves, white_zone, black_zone, start)"
		" VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		"titttttttibttI", row->tournament, row->number, row->code, row->players[SIDE_WHITE],
		row->players[SIDE_BLACK], game_state_name(row->state), result_name(row->result),
		row->start_fen, row->fen, (int64_t)row->n_thematic,
		(const void *)pack_moves(&arena, row->moves, row->n_moves), 2 * row->n_moves,
		row->zones[SIDE_WHITE], row->zones[SIDE_BLACK], instant_or_none(row->start));

	if (r < 0)
		return r;
	*ret_id = sql_last_id(store);
	return 0;
}

int games_load(struct store *store, struct arena *arena, int64_t id, struct game_row *ret_row)
{
	sqlite3_stmt *query CLEANUP_QUERY = NULL;
	int r = sql_query(store, &query, "SELECT " GAME_COLUMNS " FROM game WHERE id = ?", "i", id);

	if (r < 0)
		return r;
	r = sql_step(store, query);
	if (r <= 0)
		return r;
	size_t size;
	const unsigned char *bytes = sql_blob(query, 13, arena, &size);
	*ret_row = (struct game_row){
		.id = sql_int(query, 0),
		.tournament = sql_text(query, 1, arena),
		.number = sql_int(query, 2),
		.code = sql_text(query, 3, arena),
		.players = {sql_text(query, 4, arena), sql_text(query, 5, arena)},
		.state = game_state_find(sql_text(query, 6, arena)),
		.result = (enum clock_result)find(result_names, ARRAY_SIZE(result_names),
			sql_text(query, 7, arena), RESULT_NONE),
		.termination = termination_find(sql_text(query, 8, arena)),
		.draw_offer = offer_find(sql_text(query, 9, arena)),
		.start_fen = sql_text(query, 10, arena),
		.fen = sql_text(query, 11, arena),
		.n_thematic = (size_t)sql_int(query, 12),
		.moves = unpack_moves(arena, bytes, size / 2),
		.n_moves = size / 2,
		.zones = {sql_text(query, 14, arena), sql_text(query, 15, arena)},
		.demanded = {(size_t)sql_int(query, 18), (size_t)sql_int(query, 19)},
		.conditionals = sql_text(query, 20, arena),
		.start = sql_int(query, 21),
		.mobile = sql_int(query, 22) != 0,
		.withdrew = {sql_int(query, 23), sql_int(query, 24)},
	};
	const char *awaiting = sql_text(query, 16, arena), *by = sql_text(query, 17, arena);
	ret_row->awaiting = awaiting ? awaiting_find(awaiting) : AWAITING_NONE;
	ret_row->awaiting_by = by && strcmp(by, "black") == 0 ? SIDE_BLACK : SIDE_WHITE;
	return 1;
}

int games_find(struct store *store, const char *tournament, int64_t number, int64_t *ret_id)
{
	return sql_number(store, ret_id, "SELECT id FROM game WHERE tournament = ? AND number = ?",
		"ti", tournament, number);
}

int games_find_code(struct store *store, const char *code, int64_t *ret_id)
{
	return sql_number(store, ret_id,
		"SELECT id FROM game WHERE code = ? AND state <> 'finished'", "t", code);
}

int games_update(struct store *store, const struct game_row *row)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;

	return sql_run(store,
		"UPDATE game SET state = ?, result = ?, termination = ?, draw_offer = ?,"
		" awaiting = ?, awaiting_by = ?, demanded_white = ?, demanded_black = ?,"
		" conditionals = ?, moves = ?, fen = ?, withdrew_white = ?, withdrew_black = ?"
		" WHERE id = ?",
		"ttttttiitbtIIi", game_state_name(row->state), result_name(row->result),
		termination_name(row->termination), offer_name(row->draw_offer),
		awaiting_name(row->awaiting),
		row->awaiting == AWAITING_NONE ? NULL : side_name(row->awaiting_by),
		(int64_t)row->demanded[SIDE_WHITE], (int64_t)row->demanded[SIDE_BLACK],
		row->conditionals ? row->conditionals : "",
		(const void *)pack_moves(&arena, row->moves, row->n_moves), 2 * row->n_moves,
		row->fen, instant_or_none(row->withdrew[SIDE_WHITE]),
		instant_or_none(row->withdrew[SIDE_BLACK]), row->id);
}

int games_withdrew(struct store *store, const char *player, const char *rules, int64_t *ret_at)
{
	return sql_number(store, ret_at,
		"SELECT withdrew FROM (SELECT CASE WHEN g.white = ?1 THEN g.withdrew_white"
		" ELSE g.withdrew_black END AS withdrew FROM game g JOIN tournament t"
		" ON t.code = g.tournament WHERE t.rules = ?2 AND (g.white = ?1 OR g.black = ?1))"
		" WHERE withdrew IS NOT NULL ORDER BY withdrew DESC LIMIT 1",
		"tt", player, rules);
}

int games_has_player(struct store *store, const char *tournament, const char *player)
{
	int64_t id;

	return sql_number(store, &id,
		"SELECT id FROM game WHERE tournament = ?1 AND (white = ?2 OR black = ?2) LIMIT 1",
		"tt", tournament, player);
}

int games_set_zone(struct store *store, int64_t id, enum side side, const char *zone)
{
	return side == SIDE_WHITE ? sql_run(store, "UPDATE game SET white_zone = ? WHERE id = ?",
					    "ti", zone, id)
				  : sql_run(store, "UPDATE game SET black_zone = ? WHERE id = ?",
					    "ti", zone, id);
}

int games_set_code(struct store *store, int64_t id, const char *code)
{
	return sql_run(store, "UPDATE game SET code = ? WHERE id = ?", "ti", code, id);
}

int games_set_mobile(struct store *store, int64_t id, bool mobile)
{
	return sql_run(store, "UPDATE game SET mobile = ? WHERE id = ?", "ii", (int64_t)mobile, id);
}

int games_list(struct store *store, struct arena *arena, const struct games_filter *filter,
	int64_t **ret_ids, size_t *ret_n)
{
#define FILTERED                               \
	" AND (?3 IS NULL OR state = ?3)"      \
	" AND (?4 = 0 OR state <> 'finished')" \
	" ORDER BY tournament, number"
	/* Each by an index of its own. */
	static const char of_player[] =
		"SELECT id FROM game WHERE id IN (SELECT id FROM game WHERE white = ?2"
		" UNION ALL SELECT id FROM game WHERE black = ?2)"
		" AND (?1 IS NULL OR tournament = ?1)" FILTERED;
	static const char of_event[] =
		"SELECT id FROM game WHERE tournament = ?1 AND ?2 IS NULL" FILTERED;
	static const char of_all[] = "SELECT id FROM game WHERE ?1 IS NULL AND ?2 IS NULL" FILTERED;
	sqlite3_stmt *query CLEANUP_QUERY = NULL;
	const char *sql = filter->player ? of_player : filter->tournament ? of_event : of_all;
	int r = sql_query(store, &query, sql, "ttti", filter->tournament, filter->player,
		filter->state, (int64_t)filter->unfinished);

	return r < 0 ? r : sql_ids(store, query, arena, ret_ids, ret_n);
}

int games_count_state(struct store *store, enum game_state state, int64_t *ret_count)
{
	int r = sql_number(store, ret_count, "SELECT count(*) FROM game WHERE state = ?", "t",
		game_state_name(state));
	return r < 0 ? r : 0;
}

#include "daemon/store/lottos.h"

#include <string.h>

#include "daemon/store/sql.h"

int lottos_insert(struct store *store, const struct lotto_row *row)
{
	return sql_run(store,
		"INSERT INTO lotto (game, drawn, at, white, black, white_counter, black_counter,"
		" winner) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
		"iiittiit", row->game, (int64_t)row->drawn, row->at, row->players[SIDE_WHITE],
		row->players[SIDE_BLACK], (int64_t)row->counters[SIDE_WHITE],
		(int64_t)row->counters[SIDE_BLACK], row->winner == SIDE_WHITE ? "white" : "black");
}

int lottos_load(struct store *store, int64_t game, struct lotto_row *ret_row)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	sqlite3_stmt *query CLEANUP_QUERY = NULL;
	int r = sql_query(store, &query,
		"SELECT drawn, at, white_counter, black_counter, winner FROM lotto WHERE game = ?",
		"i", game);

	if (r < 0)
		return r;
	r = sql_step(store, query);
	if (r <= 0)
		return r;
	bool white = strcmp(sql_text(query, 4, &arena), "white") == 0;
	*ret_row = (struct lotto_row){
		.game = game,
		.drawn = (int)sql_int(query, 0),
		.at = sql_int(query, 1),
		.counters = {(int)sql_int(query, 2), (int)sql_int(query, 3)},
		.winner = white ? SIDE_WHITE : SIDE_BLACK,
	};
	return 1;
}

int lottos_counter(struct store *store, const char *player, int64_t until, int *ret_counter)
{
	int64_t counter = 0;
	int r = sql_number(store, &counter,
		"SELECT total(CASE WHEN winner = 'white' THEN -1 ELSE 1 END * (white = ?1) +"
		" CASE WHEN winner = 'black' THEN -1 ELSE 1 END * (black = ?1))"
		" FROM lotto WHERE (white = ?1 OR black = ?1) AND at <= ?2"
		" AND EXISTS (SELECT 1 FROM game WHERE id = lotto.game AND result = '1/2-1/2')",
		"ti", player, until);

	*ret_counter = (int)counter;
	return r < 0 ? r : 0;
}

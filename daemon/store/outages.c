#include "daemon/store/outages.h"

#include <string.h>

#include "daemon/store/sql.h"

int outages_since(struct store *store, const char *what, int64_t *ret_from)
{
	return sql_number(store, ret_from,
		"SELECT max(began) FROM outage WHERE what = ? AND ended IS NULL", "t", what);
}

int outages_begin(struct store *store, const char *what, int64_t from)
{
	int64_t since;
	int r = outages_since(store, what, &since);

	if (r != 0)
		return r < 0 ? r : 0;
	r = sql_run(store, "INSERT INTO outage (what, began) VALUES (?, ?)", "ti", what, from);
	return r < 0 ? r : 1;
}

int outages_end(struct store *store, const char *what, int64_t to)
{
	int64_t since;
	int r = outages_since(store, what, &since);

	if (r <= 0)
		return r;
	r = sql_run(store, "UPDATE outage SET ended = ? WHERE what = ? AND ended IS NULL", "it",
		to < since ? since : to, what);
	return r < 0 ? r : 1;
}

int outages_load(struct store *store, struct arena *arena, int64_t after,
	struct outage_row **ret_rows, size_t *ret_n)
{
	sqlite3_stmt *query CLEANUP_QUERY = NULL;
	size_t n = 0, room = 8;
	struct outage_row *rows = arena_alloc(arena, room * sizeof(*rows));
	int r = sql_query(store, &query,
		"SELECT what, began, ended FROM outage WHERE ended IS NULL OR ended > ?"
		" ORDER BY began, id",
		"i", after);

	if (r < 0)
		return r;
	while ((r = sql_step(store, query)) > 0) {
		if (n == room) {
			struct outage_row *more = arena_alloc(arena, 2 * room * sizeof(*rows));
			memcpy(more, rows, n * sizeof(*rows));
			rows = more;
			room *= 2;
		}
		rows[n++] = (struct outage_row){
			.what = sql_text(query, 0, arena),
			.from = sql_int(query, 1),
			.to = sql_instant(query, 2),
		};
	}
	if (r < 0)
		return r;
	*ret_rows = rows;
	*ret_n = n;
	return 0;
}

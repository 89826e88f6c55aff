#include "daemon/store/outbox.h"

#include <string.h>

#include "daemon/store/sql.h"

#define LIST_COLUMNS                                                                           \
	"id, message_id, kind, game, ply, player, recipient, envelope_from, verdict, subject," \
	" cause, clock_seq, created, state, attempts, next_attempt, error, delivered, "        \
	"clock_query,"                                                                         \
	" put_off, returned"
#define LIST_N 21

static void read_row(sqlite3_stmt *query, struct arena *arena, struct outbox_row *row)
{
	int64_t ply = sql_instant(query, 4);

	*row = (struct outbox_row){
		.id = sql_int(query, 0),
		.message_id = sql_text(query, 1, arena),
		.kind = sql_text(query, 2, arena),
		.game = sql_int(query, 3),
		.ply = ply == INSTANT_NONE ? -1 : ply,
		.player = sql_text(query, 5, arena),
		.recipient = sql_text(query, 6, arena),
		.envelope_from = sql_text(query, 7, arena),
		.verdict = sql_text(query, 8, arena),
		.subject = sql_text(query, 9, arena),
		.cause = sql_int(query, 10),
		.clock_seq = sql_int(query, 11),
		.created = sql_int(query, 12),
		.state = sql_text(query, 13, arena),
		.attempts = sql_int(query, 14),
		.next_attempt = sql_int(query, 15),
		.error = sql_text(query, 16, arena),
		.delivered = sql_instant(query, 17),
		.clock_query = sql_int(query, 18) != 0,
		.put_off = sql_instant(query, 19),
		.returned = sql_instant(query, 20),
	};
}

int outbox_insert(struct store *store, const struct outbox_row *row, int64_t *ret_id)
{
	int r = sql_run(store,
		"INSERT INTO outbox (message_id, kind, game, ply, player, recipient,"
		" envelope_from, verdict, subject, text, raw, cause, clock_seq, created,"
		" next_attempt, clock_query)"
		" VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		"ttIIttttttbIIiii", row->message_id, row->kind,
		row->game ? row->game : INSTANT_NONE, row->ply < 0 ? INSTANT_NONE : row->ply,
		row->player, row->recipient, row->envelope_from, row->verdict, row->subject,
		row->text, row->raw, row->raw_size, row->cause ? row->cause : INSTANT_NONE,
		row->clock_seq ? row->clock_seq : INSTANT_NONE, row->created, row->next_attempt,
		(int64_t)row->clock_query);

	if (r < 0)
		return r;
	*ret_id = sql_last_id(store);
	return 0;
}

int outbox_load(struct store *store, struct arena *arena, int64_t id, struct outbox_row *ret_row)
{
	sqlite3_stmt *query CLEANUP_QUERY = NULL;
	int r = sql_query(store, &query,
		"SELECT " LIST_COLUMNS ", text, raw FROM outbox WHERE id = ?", "i", id);

	if (r < 0)
		return r;
	r = sql_step(store, query);
	if (r <= 0)
		return r;
	read_row(query, arena, ret_row);
	ret_row->text = sql_text(query, LIST_N, arena);
	ret_row->raw = sql_blob(query, LIST_N + 1, arena, &ret_row->raw_size);
	return 1;
}

int outbox_last(struct store *store, int64_t *ret_id)
{
	int r = sql_number(store, ret_id, "SELECT coalesce(max(id), 0) FROM outbox", "");
	return r < 0 ? r : 0;
}

int outbox_rewrite(struct store *store, const struct outbox_row *row)
{
	return sql_run(store, "UPDATE outbox SET subject = ?, text = ?, raw = ? WHERE id = ?",
		"ttbi", row->subject, row->text, row->raw, row->raw_size, row->id);
}

int outbox_find(struct store *store, const char *message_id, int64_t *ret_id)
{
	return sql_number(
		store, ret_id, "SELECT id FROM outbox WHERE message_id = ?", "t", message_id);
}

int outbox_next_due(struct store *store, int64_t after, int64_t now, int64_t *ret_id)
{
	return sql_number(store, ret_id,
		"SELECT id FROM outbox INDEXED BY outbox_queue WHERE state = 'waiting' AND id > ?"
		" AND next_attempt <= ? AND NOT EXISTS (SELECT 1 FROM outbox AS before"
		" WHERE before.state = 'waiting' AND before.game = outbox.game"
		" AND coalesce(before.player, before.recipient) ="
		" coalesce(outbox.player, outbox.recipient) AND before.id < outbox.id)"
		" ORDER BY id LIMIT 1",
		"ii", after, now);
}

int outbox_next_behind(struct store *store, int64_t id, int64_t *ret_id)
{
	return sql_number(store, ret_id,
		"SELECT min(behind.id) FROM outbox JOIN outbox AS behind"
		" ON behind.state = 'waiting' AND behind.game = outbox.game"
		" AND coalesce(behind.player, behind.recipient) ="
		" coalesce(outbox.player, outbox.recipient) AND behind.id > outbox.id"
		" WHERE outbox.id = ?",
		"i", id);
}

int outbox_ahead(struct store *store, int64_t id, int64_t *ret_id)
{
	return sql_number(store, ret_id,
		"SELECT min(ahead.id) FROM outbox JOIN outbox AS ahead"
		" ON ahead.state = 'waiting' AND ahead.game = outbox.game"
		" AND coalesce(ahead.player, ahead.recipient) ="
		" coalesce(outbox.player, outbox.recipient) AND ahead.id < outbox.id"
		" WHERE outbox.id = ?",
		"i", id);
}

int outbox_next_attempt(struct store *store, int64_t now, int64_t *ret_at)
{
	int r = sql_number(store, ret_at,
		"SELECT min(next_attempt) FROM outbox WHERE state = 'waiting' AND next_attempt > ?",
		"i", now);
	return r < 0 ? r : 0;
}

int outbox_delivered(struct store *store, int64_t id, int64_t at)
{
	return sql_run(store,
		"UPDATE outbox SET state = 'delivered', attempts = attempts + 1, delivered = ?,"
		" error = NULL WHERE id = ?",
		"ii", at, id);
}

int outbox_failed(struct store *store, int64_t id, const char *error)
{
	return sql_run(store,
		"UPDATE outbox SET state = 'failed', attempts = attempts + 1, error = ?"
		" WHERE id = ?",
		"ti", error, id);
}

int outbox_put_off(
	struct store *store, int64_t id, int64_t now, int64_t next_attempt, const char *error)
{
	return sql_run(store,
		"UPDATE outbox SET attempts = attempts + 1, next_attempt = ?, error = ?,"
		" put_off = coalesce(put_off, ?) WHERE id = ?",
		"itii", next_attempt, error, now, id);
}

int outbox_untried(struct store *store, int64_t id, const char *error)
{
	return sql_run(store, "UPDATE outbox SET error = ? WHERE id = ?", "ti", error, id);
}

int outbox_returned(struct store *store, int64_t id, int64_t at, const char *error)
{
	return sql_run(store,
		"UPDATE outbox SET state = 'failed', returned = ?, error = ? WHERE id = ?", "iti",
		at, error, id);
}

int outbox_again(struct store *store, int64_t id, const char *recipient, const char *envelope_from,
	const void *raw, size_t raw_size, int64_t now)
{
	return sql_run(store,
		"UPDATE outbox SET state = 'waiting', attempts = 0, next_attempt = ?,"
		" put_off = NULL, delivered = NULL, returned = NULL, recipient = ?,"
		" envelope_from = ?, raw = ? WHERE id = ?",
		"ittbi", now, recipient, envelope_from, raw, raw_size, id);
}

int outbox_delivered_since(struct store *store, int64_t since)
{
	int64_t id;

	return sql_number(
		store, &id, "SELECT id FROM outbox WHERE delivered >= ? LIMIT 1", "i", since);
}

int outbox_lost(struct store *store, int64_t game, int64_t clock_seq)
{
	int64_t lost = 0;
	int r = sql_number(store, &lost,
		"SELECT count(*) > 0 AND total(state <> 'failed') = 0 FROM outbox"
		" WHERE game = ? AND clock_seq = ? AND clock_query = 0",
		"ii", game, clock_seq);

	return r < 0 ? r : lost != 0;
}

int outbox_has_failed(struct store *store, const struct outbox_row *but)
{
	int64_t id;

	return sql_number(store, &id,
		"SELECT id FROM outbox WHERE state = 'failed' AND player = ? AND game = ?"
		" AND ply IS ? AND id <> ? LIMIT 1",
		"tiIi", but->player, but->game, but->ply < 0 ? INSTANT_NONE : but->ply, but->id);
}

int outbox_last_from(struct store *store, const char *envelope_from, int64_t *ret_id)
{
	return sql_number(store, ret_id,
		"SELECT max(id) FROM outbox WHERE envelope_from = ? COLLATE NOCASE"
		" AND envelope_from <> '' AND state = 'delivered'",
		"t", envelope_from);
}

int outbox_failed_of(struct store *store, struct arena *arena, const char *player,
	int64_t **ret_ids, size_t *ret_n)
{
	sqlite3_stmt *query CLEANUP_QUERY = NULL;
	int r = sql_query(store, &query,
		"SELECT id FROM outbox WHERE state = 'failed' AND player = ? ORDER BY id", "t",
		player);

	return r < 0 ? r : sql_ids(store, query, arena, ret_ids, ret_n);
}

/* Collects the only column of a query, at most MAX rows of it. */
static int collect(struct store *store, sqlite3_stmt *query, struct arena *arena, size_t max,
	const char ***ret_texts, size_t *ret_n)
{
	const char **texts = arena_alloc(arena, (max + 1) * sizeof(*texts));
	size_t n = 0;
	int r;

	while ((r = sql_step(store, query)) > 0) {
		if (n < max)
			texts[n++] = sql_text(query, 0, arena);
	}
	if (r < 0)
		return r;
	*ret_texts = texts;
	*ret_n = n;
	return 0;
}

int outbox_texts(struct store *store, struct arena *arena, int64_t game, const char *player,
	size_t max, const char ***ret_texts, size_t *ret_n)
{
	sqlite3_stmt *query CLEANUP_QUERY = NULL;
	int r = sql_query(store, &query,
		"SELECT text FROM outbox WHERE game = ? AND player = ? ORDER BY id DESC LIMIT ?",
		"iti", game, player, (int64_t)max);

	return r < 0 ? r : collect(store, query, arena, max, ret_texts, ret_n);
}

int outbox_thread(struct store *store, struct arena *arena, int64_t game, const char *recipient,
	size_t max, const char ***ret_ids, size_t *ret_n)
{
	sqlite3_stmt *query CLEANUP_QUERY = NULL;
	int r = sql_query(store, &query,
		"SELECT message_id FROM (SELECT message_id, id FROM outbox"
		" WHERE game = ? AND recipient = ? ORDER BY id DESC LIMIT ?) ORDER BY id",
		"iti", game, recipient, (int64_t)max);

	return r < 0 ? r : collect(store, query, arena, max, ret_ids, ret_n);
}

int outbox_last_receipt(struct store *store, int64_t game, const char *player, int64_t *ret_id)
{
	return sql_number(store, ret_id,
		"SELECT max(id) FROM outbox WHERE game = ? AND player = ? AND kind = 'receipt'",
		"it", game, player);
}

int outbox_count_refusals(
	struct store *store, const char *recipient, int64_t since, int64_t *ret_count)
{
	int r = sql_number(store, ret_count,
		"SELECT count(*) FROM outbox WHERE recipient = ? AND kind IN ('refusal', 'confirm')"
		" AND created > ?",
		"ti", recipient, since);
	return r < 0 ? r : 0;
}

int outbox_cap_told(struct store *store, int64_t game, const char *player, int64_t since)
{
	int64_t found;

	return sql_number(store, &found,
		"SELECT inbox.id FROM inbox JOIN outbox ON outbox.cause = inbox.id"
		" WHERE inbox.game = ? AND inbox.decided > ? AND inbox.player = ?"
		" AND outbox.kind = 'copy' AND NOT EXISTS"
		" (SELECT 1 FROM outbox AS answer WHERE answer.cause = inbox.id"
		" AND answer.kind IN ('refusal', 'confirm', 'receipt')) LIMIT 1",
		"iit", game, since, player);
}

int outbox_count_caused(struct store *store, int64_t cause, const char *kind, const char *recipient,
	int64_t *ret_count)
{
	int r = sql_number(store, ret_count,
		"SELECT count(*) FROM outbox WHERE cause = ? AND kind = ? AND recipient = ?", "itt",
		cause, kind, recipient);
	return r < 0 ? r : 0;
}

int outbox_each_undelivered(struct store *store,
	int (*each)(const struct outbox_row *row, void *userdata), void *userdata)
{
	sqlite3_stmt *query CLEANUP_QUERY = NULL;
	int r = sql_query(store, &query,
		"SELECT " LIST_COLUMNS " FROM outbox WHERE state = 'waiting'"
		" UNION ALL SELECT " LIST_COLUMNS " FROM outbox INDEXED BY outbox_failed"
		" WHERE state = 'failed' ORDER BY id",
		"");

	if (r < 0)
		return r;
	while ((r = sql_step(store, query)) > 0) {
		struct arena arena CLEANUP_ARENA = ARENA_INIT;
		struct outbox_row row;
		read_row(query, &arena, &row);
		int stop = each(&row, userdata);
		if (stop != 0)
			return stop;
	}
	return r;
}

int outbox_oldest(struct store *store, struct arena *arena, struct outbox_row *ret_row)
{
	sqlite3_stmt *query CLEANUP_QUERY = NULL;
	int r = sql_query(store, &query,
		"SELECT " LIST_COLUMNS " FROM outbox INDEXED BY outbox_queue"
		" WHERE state = 'waiting' ORDER BY id LIMIT 1",
		"");

	if (r >= 0)
		r = sql_step(store, query);
	if (r > 0)
		read_row(query, arena, ret_row);
	return r;
}

int outbox_has_delivered(struct store *store)
{
	int64_t id;

	return sql_number(
		store, &id, "SELECT id FROM outbox WHERE state = 'delivered' LIMIT 1", "");
}

int outbox_count(struct store *store, const char *state, int64_t *ret_count)
{
	/* Each has an index of its own. */
	static const char waiting[] = "SELECT count(*) FROM outbox WHERE state = 'waiting'";
	static const char failed[] = "SELECT count(*) FROM outbox WHERE state = 'failed'";
	int r = sql_number(store, ret_count, strcmp(state, "failed") == 0 ? failed : waiting, "");

	return r < 0 ? r : 0;
}

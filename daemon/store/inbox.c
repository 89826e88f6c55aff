#include "daemon/store/inbox.h"

#include <glib.h>
#include <string.h>

#include "daemon/store/sql.h"

/* The small columns first, so that a list need not read a message's bytes. */
#define LIST_COLUMNS                                                                           \
	"id, mailbox, place, arrival, size, digest, moved, reads, state, message_id, verdict," \
	" game, ply, player, trust, new_text, notes, decided"
#define LIST_N 18

void inbox_digest(const void *bytes, size_t size, unsigned char out[DIGEST_SIZE])
{
	GChecksum *checksum = g_checksum_new(G_CHECKSUM_SHA256);
	gsize written = DIGEST_SIZE;

	g_checksum_update(checksum, bytes, (gssize)size);
	g_checksum_get_digest(checksum, out, &written);
	g_checksum_free(checksum);
}

void inbox_digest_text(const unsigned char digest[DIGEST_SIZE], char out[2 * DIGEST_SIZE + 1])
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < DIGEST_SIZE; i++) {
		out[2 * i] = digits[digest[i] >> 4];
		out[2 * i + 1] = digits[digest[i] & 15];
	}
	out[(size_t)2 * DIGEST_SIZE] = '\0';
}

static void read_row(sqlite3_stmt *query, struct arena *arena, struct inbox_row *row)
{
	size_t digest_size;
	int64_t ply = sql_instant(query, 12);

	*row = (struct inbox_row){
		.id = sql_int(query, 0),
		.mailbox = sql_text(query, 1, arena),
		.place = sql_text(query, 2, arena),
		.arrival = sql_int(query, 3),
		.size = sql_int(query, 4),
		.digest = sql_blob(query, 5, arena, &digest_size),
		.moved = sql_int(query, 6) != 0,
		.reads = sql_int(query, 7),
		.state = sql_text(query, 8, arena),
		.message_id = sql_text(query, 9, arena),
		.verdict = sql_text(query, 10, arena),
		.game = sql_int(query, 11),
		.ply = ply == INSTANT_NONE ? -1 : ply,
		.player = sql_text(query, 13, arena),
		.trust = sql_text(query, 14, arena),
		.new_text = sql_text(query, 15, arena),
		.notes = sql_text(query, 16, arena),
		.decided = sql_instant(query, 17),
	};
}

int inbox_store(struct store *store, const struct inbox_new *message, int64_t *ret_id)
{
	unsigned char digest[DIGEST_SIZE];

	inbox_digest(message->raw, message->raw_size, digest);
	int r = sql_number(store, ret_id,
		"SELECT id FROM inbox WHERE mailbox = ? AND place = ? AND digest = ? AND moved = 0",
		"ttb", message->mailbox, message->place, (const void *)digest, sizeof(digest));
	if (r != 0)
		return r < 0 ? r : 0;
	r = sql_run(store,
		"INSERT INTO inbox (mailbox, rank, place, arrival, taken, size, digest, raw)"
		" VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
		"titiiibb", message->mailbox, message->rank, message->place, message->arrival,
		message->taken, message->size, (const void *)digest, sizeof(digest), message->raw,
		message->raw_size);
	if (r < 0)
		return r;
	*ret_id = sql_last_id(store);
	return 1;
}

int inbox_renumbered(struct store *store, const struct inbox_new *message, int64_t *ret_id)
{
	unsigned char digest[DIGEST_SIZE];

	inbox_digest(message->raw, message->raw_size, digest);
	return sql_number(store, ret_id,
		"SELECT id FROM inbox WHERE digest = ? AND mailbox = ? AND arrival = ? AND moved = "
		"0"
		" AND length(place) = length(?) AND substr(place, 1, 11) <> substr(?, 1, 11)"
		" ORDER BY id LIMIT 1",
		"btitt", (const void *)digest, sizeof(digest), message->mailbox, message->arrival,
		message->place, message->place);
}

int inbox_moved(struct store *store, const char *mailbox, const char *place)
{
	return sql_run(store,
		"UPDATE inbox SET moved = 1 WHERE mailbox = ? AND place = ? AND moved = 0", "tt",
		mailbox, place);
}

int inbox_load(struct store *store, struct arena *arena, int64_t id, struct inbox_row *ret_row)
{
	sqlite3_stmt *query CLEANUP_QUERY = NULL;
	int r = sql_query(store, &query,
		"SELECT " LIST_COLUMNS ", raw, letter FROM inbox WHERE id = ?", "i", id);

	if (r < 0)
		return r;
	r = sql_step(store, query);
	if (r <= 0)
		return r;
	read_row(query, arena, ret_row);
	ret_row->raw = sql_blob(query, LIST_N, arena, &ret_row->raw_size);
	ret_row->letter = sql_text(query, LIST_N + 1, arena);
	return 1;
}

int inbox_next_unread(struct store *store, int64_t after, int64_t *ret_id)
{
	return sql_number(store, ret_id,
		"SELECT id FROM inbox INDEXED BY inbox_unread WHERE state = 'stored' AND id > ?"
		" ORDER BY id LIMIT 1",
		"i", after);
}

int inbox_reading(struct store *store, int64_t id)
{
	return sql_run(store, "UPDATE inbox SET reads = reads + 1 WHERE id = ?", "i", id);
}

int inbox_not_read(struct store *store, int64_t id)
{
	return sql_run(store, "UPDATE inbox SET reads = reads - 1 WHERE id = ?", "i", id);
}

int inbox_read(struct store *store, int64_t id, const char *letter)
{
	return sql_run(store,
		"UPDATE inbox SET letter = ?, state = 'read' WHERE id = ? AND state = 'stored'",
		"ti", letter, id);
}

int inbox_next_undecided(struct store *store, struct arena *arena, const struct inbox_order *after,
	struct inbox_order *ret_order, int64_t *ret_id)
{
	sqlite3_stmt *query CLEANUP_QUERY = NULL;
	int r = sql_query(store, &query,
		"SELECT arrival, rank, place, id FROM inbox WHERE state <> 'decided'"
		" AND (arrival, rank, place) > (?, ?, ?)"
		" ORDER BY arrival, rank, place LIMIT 1",
		"iit", after->arrival, after->rank, after->place);

	if (r < 0)
		return r;
	r = sql_step(store, query);
	if (r <= 0)
		return r;
	*ret_order = (struct inbox_order){
		.arrival = sql_int(query, 0),
		.rank = sql_int(query, 1),
		.place = sql_text(query, 2, arena),
	};
	*ret_id = sql_int(query, 3);
	return 1;
}

int inbox_decide(struct store *store, int64_t id, const struct inbox_outcome *outcome)
{
	return sql_run(store,
		"UPDATE inbox SET state = 'decided', verdict = ?, game = ?, ply = ?, player = ?,"
		" trust = ?, message_id = ?, new_text = ?, notes = ?,"
		" new_digest = CASE WHEN ? THEN ? END, decided = ? WHERE id = ?",
		"tIItttttibii", outcome->verdict, outcome->game ? outcome->game : INSTANT_NONE,
		outcome->ply < 0 ? INSTANT_NONE : outcome->ply, outcome->player, outcome->trust,
		outcome->message_id, outcome->new_text, outcome->notes,
		(int64_t)(outcome->new_digest != NULL), (const void *)outcome->new_digest,
		(size_t)DIGEST_SIZE * (outcome->new_digest != NULL), outcome->decided, id);
}

int inbox_reopen(struct store *store, int64_t id)
{
	return sql_run(store,
		"UPDATE inbox SET state = CASE WHEN letter IS NULL THEN 'stored' ELSE 'read' END,"
		" reads = 0, verdict = NULL, decided = NULL WHERE id = ?",
		"i", id);
}

int inbox_seen_raw(struct store *store, int64_t id)
{
	int64_t earlier;

	return sql_number(store, &earlier,
		"SELECT min(other.id) FROM inbox AS mine JOIN inbox AS other"
		" ON other.digest = mine.digest AND other.id <> mine.id"
		" AND other.state = 'decided' AND other.verdict <> 'ignored-duplicate'"
		" WHERE mine.id = ?",
		"i", id);
}

int inbox_seen_text(struct store *store, int64_t id, const char *message_id,
	const unsigned char new_digest[DIGEST_SIZE], const char *player, const char *trust)
{
	int64_t earlier;

	return sql_number(store, &earlier,
		"SELECT min(id) FROM inbox WHERE message_id = ? AND new_digest = ? AND id <> ?"
		" AND state = 'decided' AND verdict <> 'ignored-duplicate' AND player IS ?"
		" AND (trust = ? OR trust IN ('token', 'authenticated'))",
		"tbitt", message_id, (const void *)new_digest, (size_t)DIGEST_SIZE, id, player,
		trust);
}

int inbox_seen_fault(struct store *store, int64_t game, int64_t ply, const char *player,
	const unsigned char new_digest[DIGEST_SIZE])
{
	int64_t earlier;

	return sql_number(store, &earlier,
		"SELECT min(id) FROM inbox WHERE game = ? AND ply = ? AND player = ?"
		" AND new_digest = ? AND state = 'decided'"
		" AND verdict IN ('illegal-move', 'ambiguous-move', 'no-move', 'repetition-wrong')",
		"iitb", game, ply, player, (const void *)new_digest, (size_t)DIGEST_SIZE);
}

int inbox_each(struct store *store, const char *verdict,
	int (*each)(const struct inbox_row *row, void *userdata), void *userdata)
{
	sqlite3_stmt *query CLEANUP_QUERY = NULL;
	int r = sql_query(store, &query,
		"SELECT " LIST_COLUMNS " FROM inbox WHERE ?1 IS NULL OR verdict = ?1 ORDER BY id",
		"t", verdict);

	if (r < 0)
		return r;
	while ((r = sql_step(store, query)) > 0) {
		struct arena arena CLEANUP_ARENA = ARENA_INIT;
		struct inbox_row row;
		read_row(query, &arena, &row);
		int stop = each(&row, userdata);
		if (stop != 0)
			return stop;
	}
	return r;
}

int inbox_held(
	struct store *store, struct arena *arena, int64_t game, int64_t **ret_ids, size_t *ret_n)
{
	sqlite3_stmt *query CLEANUP_QUERY = NULL;
	int r = sql_query(store, &query,
		"SELECT id FROM inbox WHERE game = ? AND verdict = 'held' AND NOT EXISTS"
		" (SELECT 1 FROM timer WHERE timer.game = inbox.game AND kind = 'confirm'"
		" AND timer.ply = inbox.id AND fired IS NOT NULL) ORDER BY arrival, rank, place",
		"i", game);

	return r < 0 ? r : sql_ids(store, query, arena, ret_ids, ret_n);
}

int inbox_count_waiting(struct store *store, int64_t *ret_count)
{
	int r = sql_number(
		store, ret_count, "SELECT count(*) FROM inbox WHERE state <> 'decided'", "");
	return r < 0 ? r : 0;
}

#include "daemon/store/events.h"

#include <errno.h>
#include <string.h>

#include "daemon/store/internal.h"
#include "daemon/store/sql.h"

#define HASH_SIZE 32

static void hash_event(const unsigned char *before, int64_t at, const char *kind, const char *data,
	unsigned char out[HASH_SIZE])
{
	GChecksum *checksum = g_checksum_new(G_CHECKSUM_SHA256);
	gsize size = HASH_SIZE;
	char stamp[32];

	sqlite3_snprintf(sizeof(stamp), stamp, "%lld", (long long)at);
	g_checksum_update(checksum, before, HASH_SIZE);
	/* With their NULs, so that no two events share a preimage. */
	g_checksum_update(checksum, (const guchar *)stamp, (gssize)strlen(stamp) + 1);
	g_checksum_update(checksum, (const guchar *)kind, (gssize)strlen(kind) + 1);
	g_checksum_update(checksum, (const guchar *)data, (gssize)strlen(data) + 1);
	g_checksum_get_digest(checksum, out, &size);
	g_checksum_free(checksum);
}

static int last_hash(struct store *store, unsigned char out[HASH_SIZE])
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	sqlite3_stmt *query CLEANUP_QUERY = NULL;
	int r = sql_query(store, &query, "SELECT hash FROM event ORDER BY id DESC LIMIT 1", "");

	if (r < 0)
		return r;
	memset(out, 0, HASH_SIZE);
	r = sql_step(store, query);
	if (r <= 0)
		return r;
	size_t size;
	const void *bytes = sql_blob(query, 0, &arena, &size);
	if (size != HASH_SIZE)
		return -EBADMSG;
	memcpy(out, bytes, HASH_SIZE);
	return 0;
}

int events_append(struct store *store, int64_t at, const char *kind, const char *data)
{
	unsigned char before[HASH_SIZE], hash[HASH_SIZE];
	int r = last_hash(store, before);

	if (r < 0)
		return r;
	hash_event(before, at, kind, data, hash);
	return sql_run(store, "INSERT INTO event (at, kind, data, hash) VALUES (?, ?, ?, ?)",
		"ittb", at, kind, data, (const void *)hash, sizeof(hash));
}

int events_walk(struct store *store, int64_t from,
	int (*each)(const struct event *event, void *userdata), void *userdata)
{
	sqlite3_stmt *query CLEANUP_QUERY = NULL;
	int r = sql_query(store, &query,
		"SELECT id, at, kind, data FROM event WHERE id >= ? ORDER BY id", "i", from);

	if (r < 0)
		return r;
	while ((r = sql_step(store, query)) > 0) {
		struct arena arena CLEANUP_ARENA = ARENA_INIT;
		struct event event = {
			.id = sql_int(query, 0),
			.at = sql_int(query, 1),
			.kind = sql_text(query, 2, &arena),
			.data = sql_text(query, 3, &arena),
		};
		int stop = each(&event, userdata);
		if (stop != 0)
			return stop;
	}
	return r;
}

int events_verify(struct store *store, int64_t *ret_broken)
{
	unsigned char hash[HASH_SIZE] = {0};
	sqlite3_stmt *query CLEANUP_QUERY = NULL;
	int r = sql_query(
		store, &query, "SELECT id, at, kind, data, hash FROM event ORDER BY id", "");

	if (r < 0)
		return r;
	while ((r = sql_step(store, query)) > 0) {
		struct arena arena CLEANUP_ARENA = ARENA_INIT;
		size_t size;
		const char *kind = sql_text(query, 2, &arena);
		const char *data = sql_text(query, 3, &arena);
		const void *stored = sql_blob(query, 4, &arena, &size);
		hash_event(hash, sql_int(query, 1), kind, data, hash);
		if (size != HASH_SIZE || memcmp(stored, hash, HASH_SIZE) != 0) {
			*ret_broken = sql_int(query, 0);
			return 0;
		}
	}
	return r < 0 ? r : 1;
}

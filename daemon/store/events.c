#include "daemon/store/events.h"

#include <errno.h>
#include <string.h>

#include "daemon/store/internal.h"
#include "daemon/store/sql.h"

void events_hash(const unsigned char before[EVENT_HASH_SIZE], const struct event *event,
	unsigned char out[EVENT_HASH_SIZE])
{
	GChecksum *checksum = g_checksum_new(G_CHECKSUM_SHA256);
	gsize size = EVENT_HASH_SIZE;
	char stamp[32];

	sqlite3_snprintf(sizeof(stamp), stamp, "%lld", (long long)event->at);
	g_checksum_update(checksum, before, EVENT_HASH_SIZE);
	/* With their NULs, so that no two events share a preimage. */
	g_checksum_update(checksum, (const guchar *)stamp, (gssize)strlen(stamp) + 1);
	g_checksum_update(checksum, (const guchar *)event->kind, (gssize)strlen(event->kind) + 1);
	g_checksum_update(checksum, (const guchar *)event->data, (gssize)strlen(event->data) + 1);
	g_checksum_get_digest(checksum, out, &size);
	g_checksum_free(checksum);
}

static int last_hash(struct store *store, unsigned char out[EVENT_HASH_SIZE])
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	sqlite3_stmt *query CLEANUP_QUERY = NULL;
	int r = sql_query(store, &query, "SELECT hash FROM event ORDER BY id DESC LIMIT 1", "");

	if (r < 0)
		return r;
	memset(out, 0, EVENT_HASH_SIZE);
	r = sql_step(store, query);
	if (r <= 0)
		return r;
	size_t size;
	const void *bytes = sql_blob(query, 0, &arena, &size);
	if (size != EVENT_HASH_SIZE)
		return -EBADMSG;
	memcpy(out, bytes, EVENT_HASH_SIZE);
	return 0;
}

int events_append(struct store *store, int64_t at, const char *kind, const char *data)
{
	unsigned char before[EVENT_HASH_SIZE], hash[EVENT_HASH_SIZE];
	int r = last_hash(store, before);

	if (r < 0)
		return r;
	const struct event event = {.at = at, .kind = kind, .data = data};
	events_hash(before, &event, hash);
	return sql_run(store, "INSERT INTO event (at, kind, data, hash) VALUES (?, ?, ?, ?)",
		"ittb", at, kind, data, (const void *)hash, sizeof(hash));
}

/* id, at, kind, data, hash */
static int read_event(sqlite3_stmt *query, struct arena *arena, struct event *event)
{
	size_t size;

	*event = (struct event){
		.id = sql_int(query, 0),
		.at = sql_int(query, 1),
		.kind = sql_text(query, 2, arena),
		.data = sql_text(query, 3, arena),
		.hash = sql_blob(query, 4, arena, &size),
	};
	return size == EVENT_HASH_SIZE ? 1 : -EBADMSG;
}

int events_load(struct store *store, struct arena *arena, int64_t id, struct event *ret_event)
{
	sqlite3_stmt *query CLEANUP_QUERY = NULL;
	int r = sql_query(
		store, &query, "SELECT id, at, kind, data, hash FROM event WHERE id = ?", "i", id);

	if (r >= 0)
		r = sql_step(store, query);
	return r <= 0 ? r : read_event(query, arena, ret_event);
}

int events_last(struct store *store, int64_t *ret_id)
{
	*ret_id = 0;
	int r = sql_number(store, ret_id, "SELECT max(id) FROM event", "");
	return r < 0 ? r : 0;
}

int events_walk(struct store *store, int64_t from,
	int (*each)(const struct event *event, void *userdata), void *userdata)
{
	sqlite3_stmt *query CLEANUP_QUERY = NULL;
	int r = sql_query(store, &query,
		"SELECT id, at, kind, data, hash FROM event WHERE id >= ? ORDER BY id", "i", from);

	if (r < 0)
		return r;
	while ((r = sql_step(store, query)) > 0) {
		struct arena arena CLEANUP_ARENA = ARENA_INIT;
		struct event event;
		r = read_event(query, &arena, &event);
		if (r < 0)
			return r;
		int stop = each(&event, userdata);
		if (stop != 0)
			return stop;
	}
	return r;
}

int events_verify(struct store *store, int64_t *ret_broken)
{
	unsigned char hash[EVENT_HASH_SIZE] = {0};
	sqlite3_stmt *query CLEANUP_QUERY = NULL;
	int r = sql_query(
		store, &query, "SELECT id, at, kind, data, hash FROM event ORDER BY id", "");

	if (r < 0)
		return r;
	while ((r = sql_step(store, query)) > 0) {
		struct arena arena CLEANUP_ARENA = ARENA_INIT;
		struct event event;
		r = read_event(query, &arena, &event);
		if (r >= 0)
			events_hash(hash, &event, hash);
		if (r < 0 || memcmp(event.hash, hash, EVENT_HASH_SIZE) != 0) {
			*ret_broken = event.id;
			return 0;
		}
	}
	return r < 0 ? r : 1;
}

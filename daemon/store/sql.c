#include "daemon/store/sql.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "daemon/store/internal.h"

static int fault(struct store *store, int code)
{
	switch (code & 0xff) {
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return -EBUSY;
	case SQLITE_CONSTRAINT:
		return -EEXIST;
	case SQLITE_FULL:
		return -ENOSPC;
	case SQLITE_NOMEM:
		return -ENOMEM;
	default:
		store_note_error(store, sqlite3_errmsg(store->database));
		return -EIO;
	}
}

static int prepare(struct store *store, const char *sql, sqlite3_stmt **ret_statement)
{
	/* Keyed by the text's address: every statement is a string literal. */
	sqlite3_stmt *statement = g_hash_table_lookup(store->statements, sql);

	if (!statement) {
		int r = sqlite3_prepare_v3(
			store->database, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL);
		if (r != SQLITE_OK)
			return fault(store, r);
		g_hash_table_insert(store->statements, (void *)sql, statement);
	}
	*ret_statement = statement;
	return 0;
}

static int bind(struct store *store, sqlite3_stmt *statement, const char *types, va_list args)
{
	for (int at = 1; *types; at++, types++) {
		int r = SQLITE_OK;
		if (*types == 'i' || *types == 'I') {
			int64_t number = va_arg(args, int64_t);
			r = *types == 'I' && number == INSTANT_NONE
				    ? sqlite3_bind_null(statement, at)
				    : sqlite3_bind_int64(statement, at, number);
		} else if (*types == 't') {
			r = sqlite3_bind_text(
				statement, at, va_arg(args, const char *), -1, SQLITE_STATIC);
		} else if (*types == 'b') {
			const void *bytes = va_arg(args, const void *);
			size_t size = va_arg(args, size_t);
			/* A null pointer would bind null; an empty blob is not null. */
			r = sqlite3_bind_blob64(
				statement, at, bytes ? bytes : "", size, SQLITE_STATIC);
		} else {
			r = sqlite3_bind_null(statement, at);
		}
		if (r != SQLITE_OK)
			return fault(store, r);
	}
	return 0;
}

static int start(struct store *store, sqlite3_stmt **ret_statement, const char *sql,
	const char *types, va_list args)
{
	sqlite3_stmt *statement;
	int r = prepare(store, sql, &statement);

	if (r < 0)
		return r;
	sqlite3_reset(statement);
	sqlite3_clear_bindings(statement);
	r = bind(store, statement, types, args);
	if (r < 0)
		return r;
	*ret_statement = statement;
	return 0;
}

int sql_run(struct store *store, const char *sql, const char *types, ...)
{
	sqlite3_stmt *statement;
	va_list args;

	va_start(args, types);
	int r = start(store, &statement, sql, types, args);
	va_end(args);
	if (r < 0)
		return r;
	r = sqlite3_step(statement);
	int result = r == SQLITE_DONE || r == SQLITE_ROW ? 0 : fault(store, r);
	sqlite3_reset(statement);
	return result;
}

int sql_query(
	struct store *store, sqlite3_stmt **ret_query, const char *sql, const char *types, ...)
{
	va_list args;

	va_start(args, types);
	int r = start(store, ret_query, sql, types, args);
	va_end(args);
	return r;
}

int sql_step(struct store *store, sqlite3_stmt *query)
{
	int r = sqlite3_step(query);

	if (r == SQLITE_ROW)
		return 1;
	int result = r == SQLITE_DONE ? 0 : fault(store, r);
	sqlite3_reset(query);
	return result;
}

void sql_end(sqlite3_stmt **query)
{
	if (*query)
		sqlite3_reset(*query);
	*query = NULL;
}

int sql_number(struct store *store, int64_t *ret_number, const char *sql, const char *types, ...)
{
	sqlite3_stmt *statement;
	va_list args;

	va_start(args, types);
	int r = start(store, &statement, sql, types, args);
	va_end(args);
	if (r < 0)
		return r;
	r = sql_step(store, statement);
	if (r > 0) {
		r = sqlite3_column_type(statement, 0) != SQLITE_NULL;
		if (r)
			*ret_number = sqlite3_column_int64(statement, 0);
		sqlite3_reset(statement);
	}
	return r;
}

int sql_ids(struct store *store, sqlite3_stmt *query, struct arena *arena, int64_t **ret_ids,
	size_t *ret_n)
{
	size_t n = 0, room = 16;
	int64_t *ids = arena_alloc(arena, room * sizeof(*ids));
	int r;

	while ((r = sql_step(store, query)) > 0) {
		if (n == room) {
			int64_t *more = arena_alloc(arena, 2 * room * sizeof(*ids));
			memcpy(more, ids, n * sizeof(*ids));
			ids = more;
			room *= 2;
		}
		ids[n++] = sqlite3_column_int64(query, 0);
	}
	if (r < 0)
		return r;
	*ret_ids = ids;
	*ret_n = n;
	return 0;
}

int64_t sql_int(sqlite3_stmt *query, int column)
{
	return sqlite3_column_int64(query, column);
}

int64_t sql_instant(sqlite3_stmt *query, int column)
{
	return sqlite3_column_type(query, column) == SQLITE_NULL
		       ? INSTANT_NONE
		       : sqlite3_column_int64(query, column);
}

char *sql_text(sqlite3_stmt *query, int column, struct arena *arena)
{
	const unsigned char *text = sqlite3_column_text(query, column);
	return arena_copy(arena, text, (size_t)sqlite3_column_bytes(query, column));
}

void *sql_blob(sqlite3_stmt *query, int column, struct arena *arena, size_t *ret_size)
{
	const void *bytes = sqlite3_column_blob(query, column);
	*ret_size = (size_t)sqlite3_column_bytes(query, column);
	return arena_copy(arena, bytes, *ret_size);
}

int64_t sql_last_id(struct store *store)
{
	return sqlite3_last_insert_rowid(store->database);
}

int64_t sql_changes(struct store *store)
{
	return sqlite3_changes64(store->database);
}

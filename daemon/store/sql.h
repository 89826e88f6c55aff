/*
 * Prepared statements of the store's own files. Nothing outside daemon/store uses this.
 *
 * A statement is prepared once per store and found again by its text, which is a string
 * literal. Arguments follow a string of types: i int64_t, t const char * (NULL becomes
 * null), b const void * and size_t, n nothing (null), I int64_t where INSTANT_NONE
 * becomes null.
 */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base.h"
#include "daemon/store/arena.h"
#include "daemon/store/store.h"

/* Runs a statement that returns no rows. 0 or -errno. */
MUST_CHECK int sql_run(struct store *store, const char *sql, const char *types, ...);

/* Starts a query; step it to its end or call sql_end. */
MUST_CHECK int sql_query(
	struct store *store, sqlite3_stmt **ret_query, const char *sql, const char *types, ...);
/* 1 a row is there, 0 no more rows (the query has ended), -errno. */
MUST_CHECK int sql_step(struct store *store, sqlite3_stmt *query);
void sql_end(sqlite3_stmt **query);
#define CLEANUP_QUERY __attribute__((cleanup(sql_end)))

/* One number of the only row: 1 found, 0 no row (or null), -errno. */
MUST_CHECK int sql_number(
	struct store *store, int64_t *ret_number, const char *sql, const char *types, ...);

/* The first column of every row; the query must have started. */
MUST_CHECK int sql_ids(struct store *store, sqlite3_stmt *query, struct arena *arena,
	int64_t **ret_ids, size_t *ret_n);

int64_t sql_int(sqlite3_stmt *query, int column);
int64_t sql_instant(sqlite3_stmt *query, int column); /* null becomes INSTANT_NONE */
char *sql_text(sqlite3_stmt *query, int column, struct arena *arena);
void *sql_blob(sqlite3_stmt *query, int column, struct arena *arena, size_t *ret_size);
int64_t sql_last_id(struct store *store);
int64_t sql_changes(struct store *store);

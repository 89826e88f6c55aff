#include "daemon/store/compare.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "daemon/store/internal.h"
#include "daemon/store/sql.h"

#define COLUMNS_MAX 48
#define LINE_MAX_BYTES 1024
#define TEXT_SHOWN 80

struct column {
	char name[48];
	int key; /* its place in the primary key, from 1; 0: not of it */
};

struct table {
	char name[48];
	struct column columns[COLUMNS_MAX];
	int n;
};

struct comparison {
	struct store *found, *wanted;
	const struct table *table;
	sqlite3_stmt *rows[2];
	void (*each)(void *userdata, const char *line);
	void *userdata;
};

enum which {
	FOUND = 0,
	WANTED,
};

/* ---- What is left out, and what is not shown ---- */

static bool follows_from_inputs(const char *table, const char *column)
{
	static const char *const others[][2] = {
		{"inbox", "moved"},
		{"inbox", "reads"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (strcmp(table, others[i][0]) == 0 && strcmp(column, others[i][1]) == 0)
			return false;
	return true;
}

static bool is_shown(const char *table, const char *column)
{
	static const char *const hidden[] = {"raw", "text", "letter", "new_text", "token",
		"recipient", "envelope_from", "address", "key", "data"};

	(void)table;
	for (size_t i = 0; i < ARRAY_SIZE(hidden); i++)
		if (strcmp(column, hidden[i]) == 0)
			return false;
	return true;
}

/* Facts that are not of the games. */
static const char left_out[] =
	" WHERE name NOT IN ('secret', 'last_pass', 'alive', 'target_down_since') ";

/* ---- Tables ---- */

static int fault(struct store *store)
{
	store_note_error(store, sqlite3_errmsg(store->database));
	return -EIO;
}

static void copy(char *out, size_t size, const unsigned char *text)
{
	snprintf(out, size, "%s", text ? (const char *)text : "");
}

static int load_columns(struct store *store, struct table *table)
{
	sqlite3_stmt *query CLEANUP_QUERY = NULL;
	int r = sql_query(store, &query, "SELECT name, pk FROM pragma_table_info(?) ORDER BY cid",
		"t", table->name);

	table->n = 0;
	while (r >= 0 && (r = sql_step(store, query)) > 0) {
		struct column *column = &table->columns[table->n];
		copy(column->name, sizeof(column->name), sqlite3_column_text(query, 0));
		column->key = (int)sql_int(query, 1);
		if (follows_from_inputs(table->name, column->name) && ++table->n == COLUMNS_MAX)
			return -EOVERFLOW;
	}
	return r;
}

/* SELECT all columns in the order of the key. */
static void write_select(const struct table *table, char *out, size_t size)
{
	size_t n = (size_t)snprintf(out, size, "SELECT ");

	for (int i = 0; i < table->n && n < size; i++)
		n += (size_t)snprintf(
			out + n, size - n, "%s\"%s\"", i ? ", " : "", table->columns[i].name);
	if (n < size)
		n += (size_t)snprintf(out + n, size - n, " FROM \"%s\"%s ORDER BY ", table->name,
			strcmp(table->name, "fact") == 0 ? left_out : "");
	for (int key = 1; key <= table->n; key++)
		for (int i = 0; i < table->n && n < size; i++)
			if (table->columns[i].key == key)
				n += (size_t)snprintf(out + n, size - n, "%s\"%s\"",
					key > 1 ? ", " : "", table->columns[i].name);
}

/* ---- Values ---- */

static int rank_of(int type)
{
	return type == SQLITE_NULL                              ? 0
	       : type == SQLITE_INTEGER || type == SQLITE_FLOAT ? 1
	       : type == SQLITE_TEXT                            ? 2
								: 3;
}

static int compare_numbers(double a, double b)
{
	return a < b ? -1 : a > b;
}

/* As SQLite orders them. */
static int compare_values(sqlite3_stmt *const rows[2], int column)
{
	int types[2], rank;

	for (int i = 0; i < 2; i++)
		types[i] = sqlite3_column_type(rows[i], column);
	rank = rank_of(types[0]);
	if (rank != rank_of(types[1]))
		return rank < rank_of(types[1]) ? -1 : 1;
	if (rank == 0)
		return 0;
	if (types[0] == SQLITE_INTEGER && types[1] == SQLITE_INTEGER) {
		int64_t a = sqlite3_column_int64(rows[0], column);
		int64_t b = sqlite3_column_int64(rows[1], column);
		return a < b ? -1 : a > b;
	}
	if (rank == 1)
		return compare_numbers(sqlite3_column_double(rows[0], column),
			sqlite3_column_double(rows[1], column));
	const void *bytes[2];
	int sizes[2];
	for (int i = 0; i < 2; i++) {
		bytes[i] = sqlite3_column_blob(rows[i], column);
		sizes[i] = sqlite3_column_bytes(rows[i], column);
	}
	int shorter = sizes[0] < sizes[1] ? sizes[0] : sizes[1];
	int r = shorter ? memcmp(bytes[0], bytes[1], (size_t)shorter) : 0;
	return r ? r : sizes[0] - sizes[1];
}

static void write_instant(int64_t instant, char *out, size_t size)
{
	struct tm tm;
	time_t seconds = (time_t)(instant / 1000);

	/* What is as large as an instant is one. */
	if (instant > INT64_C(100000000000) && instant < INT64_C(10000000000000) &&
		gmtime_r(&seconds, &tm))
		strftime(out, size, "%Y-%m-%dT%H:%M:%SZ", &tm);
	else
		snprintf(out, size, "%" PRId64, instant);
}

static void write_value(sqlite3_stmt *row, int column, char *out, size_t size)
{
	int type = sqlite3_column_type(row, column);

	if (type == SQLITE_NULL)
		snprintf(out, size, "nothing");
	else if (type == SQLITE_INTEGER)
		write_instant(sqlite3_column_int64(row, column), out, size);
	else if (type == SQLITE_TEXT)
		snprintf(out, size, "'%.*s'", TEXT_SHOWN,
			(const char *)sqlite3_column_text(row, column));
	else
		snprintf(out, size, "%d bytes", sqlite3_column_bytes(row, column));
}

/* "ledger (game 1, seq 3)" */
static void write_row(const struct table *table, sqlite3_stmt *row, char *out, size_t size)
{
	size_t n = (size_t)snprintf(out, size, "%s (", table->name);
	const char *comma = "";

	for (int i = 0; i < table->n && n < size; i++) {
		char value[TEXT_SHOWN + 8] = "...";
		if (!table->columns[i].key)
			continue;
		if (is_shown(table->name, table->columns[i].name))
			write_value(row, i, value, sizeof(value));
		n += (size_t)snprintf(
			out + n, size - n, "%s%s %s", comma, table->columns[i].name, value);
		comma = ", ";
	}
	if (n < size)
		snprintf(out + n, size - n, ")");
}

/* ---- Rows ---- */

static void tell_column(const struct comparison *comparison, int column)
{
	const struct table *table = comparison->table;
	char row[256], found[TEXT_SHOWN + 8], wanted[TEXT_SHOWN + 8], line[LINE_MAX_BYTES];
	const char *name = table->columns[column].name;

	write_row(table, comparison->rows[WANTED], row, sizeof(row));
	write_value(comparison->rows[FOUND], column, found, sizeof(found));
	write_value(comparison->rows[WANTED], column, wanted, sizeof(wanted));
	if (!is_shown(table->name, name) || strcmp(found, wanted) == 0)
		snprintf(line, sizeof(line), "%s: its %s is not what follows from the inputs", row,
			name);
	else
		snprintf(line, sizeof(line), "%s: its %s is %s, from the inputs follows %s", row,
			name, found, wanted);
	comparison->each(comparison->userdata, line);
}

static void tell_row(const struct comparison *comparison, enum which which)
{
	char row[256], line[LINE_MAX_BYTES];

	write_row(comparison->table, comparison->rows[which], row, sizeof(row));
	snprintf(line, sizeof(line), which == FOUND ? "%s follows from no input" : "%s is missing",
		row);
	comparison->each(comparison->userdata, line);
}

/* Are both rows of that table in the state (or, with IS false, neither of them)? */
static bool has_state(
	const struct comparison *comparison, const char *name, const char *wanted, bool is)
{
	const struct table *table = comparison->table;

	if (strcmp(table->name, name) != 0)
		return false;
	for (int i = 0; i < table->n; i++) {
		if (strcmp(table->columns[i].name, "state") != 0)
			continue;
		for (int which = 0; which < 2; which++) {
			const unsigned char *state =
				sqlite3_column_text(comparison->rows[which], i);
			if (!state || (strcmp((const char *)state, wanted) == 0) != is)
				return false;
		}
		return true;
	}
	return false;
}

/* When a message is read before its turn comes is nothing that follows from inputs. */
static bool is_undecided(const struct comparison *comparison)
{
	return has_state(comparison, "inbox", "decided", false);
}

/* Why a mail has not left yet is of the moment. */
static bool is_waiting(const struct comparison *comparison)
{
	return has_state(comparison, "outbox", "waiting", true);
}

static void compare_columns(const struct comparison *comparison)
{
	const struct table *table = comparison->table;
	bool undecided = is_undecided(comparison), waiting = is_waiting(comparison);

	for (int i = 0; i < table->n; i++) {
		const char *name = table->columns[i].name;
		if (undecided && (strcmp(name, "state") == 0 || strcmp(name, "letter") == 0))
			continue;
		if (waiting && strcmp(name, "error") == 0)
			continue;
		if (compare_values(comparison->rows, i) != 0)
			tell_column(comparison, i);
	}
}

static int compare_keys(const struct comparison *comparison)
{
	const struct table *table = comparison->table;

	for (int key = 1; key <= table->n; key++)
		for (int i = 0; i < table->n; i++) {
			if (table->columns[i].key != key)
				continue;
			int r = compare_values(comparison->rows, i);
			if (r)
				return r;
		}
	return 0;
}

static int step(struct store *store, sqlite3_stmt *row, bool *ret_there)
{
	int r = sqlite3_step(row);

	*ret_there = r == SQLITE_ROW;
	return r == SQLITE_ROW || r == SQLITE_DONE ? 0 : fault(store);
}

/* Both come in the order of their keys. */
static int walk(struct comparison *comparison)
{
	struct store *stores[2] = {comparison->found, comparison->wanted};
	bool there[2], next[2] = {true, true};

	for (;;) {
		for (int i = 0; i < 2; i++) {
			int r = next[i] ? step(stores[i], comparison->rows[i], &there[i]) : 0;
			if (r < 0)
				return r;
		}
		if (!there[FOUND] && !there[WANTED])
			return 0;
		int order = !there[FOUND] ? 1 : !there[WANTED] ? -1 : compare_keys(comparison);
		next[FOUND] = order <= 0;
		next[WANTED] = order >= 0;
		if (order < 0)
			tell_row(comparison, FOUND);
		else if (order > 0)
			tell_row(comparison, WANTED);
		else
			compare_columns(comparison);
	}
}

static int compare_table(struct comparison *comparison, struct table *table)
{
	struct store *stores[2] = {comparison->found, comparison->wanted};
	char sql[4096];
	int r = load_columns(comparison->wanted, table);

	if (r < 0)
		return r;
	write_select(table, sql, sizeof(sql));
	comparison->table = table;
	for (int i = 0; r >= 0 && i < 2; i++)
		if (sqlite3_prepare_v2(stores[i]->database, sql, -1, &comparison->rows[i], NULL) !=
			SQLITE_OK)
			r = fault(stores[i]);
	if (r >= 0)
		r = walk(comparison);
	for (int i = 0; i < 2; i++) {
		sqlite3_finalize(comparison->rows[i]);
		comparison->rows[i] = NULL;
	}
	return r;
}

int compare_stores(struct store *found, struct store *wanted,
	void (*each)(void *userdata, const char *line), void *userdata)
{
	struct comparison comparison = {
		.found = found,
		.wanted = wanted,
		.each = each,
		.userdata = userdata,
	};
	sqlite3_stmt *query CLEANUP_QUERY = NULL;
	int r = sql_query(wanted, &query,
		"SELECT name FROM sqlite_master WHERE type = 'table'"
		" AND name NOT LIKE 'sqlite_%' ORDER BY rowid",
		"");

	while (r >= 0 && (r = sql_step(wanted, query)) > 0) {
		struct table table;
		copy(table.name, sizeof(table.name), sqlite3_column_text(query, 0));
		r = compare_table(&comparison, &table);
	}
	return r;
}

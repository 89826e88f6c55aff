#include "daemon/store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/store/events.h"
#include "daemon/store/internal.h"
#include "daemon/store/sql.h"

void store_note_error(struct store *store, const char *text)
{
	snprintf(store->error, sizeof(store->error), "%s", text ? text : "unknown fault");
}

const char *store_error(const struct store *store)
{
	return store->error;
}

static int join(char *out, size_t size, const char *directory, const char *name)
{
	int n = snprintf(out, size, "%s/%s", directory, name);
	return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : 0;
}

/* The lock is a file beside the database: SQLite drops its own locks between
 * transactions, ours must hold for as long as the store is open. */
static int take_lock(struct store *store, const char *directory)
{
	char path[4096];
	int r = join(path, sizeof(path), directory, "zugpost.lock");

	if (r < 0)
		return r;
	store->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (store->lock < 0)
		return -errno;
	if (flock(store->lock, LOCK_EX | LOCK_NB) < 0)
		return errno == EWOULDBLOCK ? -EBUSY : -errno;
	return 0;
}

static int make_directory(const char *path)
{
	char copy[4096];
	int r = join(copy, sizeof(copy), path, "");

	if (r < 0)
		return r;
	for (char *at = copy + 1; *at; at++) {
		if (*at != '/')
			continue;
		*at = '\0';
		if (mkdir(copy, 0700) < 0 && errno != EEXIST)
			return -errno;
		*at = '/';
	}
	return 0;
}

static int open_database(struct store *store, const char *directory)
{
	char path[4096];
	int r = join(path, sizeof(path), directory, "zugpost.db");
	int flags = store->mode == STORE_READ ? SQLITE_OPEN_READONLY
					      : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;

	if (r < 0)
		return r;
	if (store->mode == STORE_READ && access(path, R_OK) < 0)
		return -errno;
	/* The secret and the tokens are nobody else's; SQLite's other files follow this one. */
	mode_t mask = umask(0077);
	int opened = sqlite3_open_v2(path, &store->database, flags, NULL);
	umask(mask);
	if (opened != SQLITE_OK) {
		store_note_error(store, sqlite3_errmsg(store->database));
		return -EIO;
	}
	sqlite3_extended_result_codes(store->database, 1);
	sqlite3_busy_timeout(store->database, 10000);
	static const char *const pragmas[] = {
		[STORE_WRITE] = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
				"PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF",
		[STORE_REBUILD] = "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF;"
				  "PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF",
		/* Opened read-only; a backup may be made of it. */
		[STORE_READ] = "PRAGMA trusted_schema = OFF",
	};
	if (sqlite3_exec(store->database, pragmas[store->mode], NULL, NULL, NULL) != SQLITE_OK) {
		store_note_error(store, sqlite3_errmsg(store->database));
		return -EIO;
	}
	return 0;
}

static int read_secret(struct store *store)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	sqlite3_stmt *query CLEANUP_QUERY = NULL;
	int r = sql_query(store, &query, "SELECT value FROM fact WHERE name = 'secret'", "");

	if (r < 0)
		return r;
	r = sql_step(store, query);
	if (r <= 0)
		return r;
	size_t size;
	const void *bytes = sql_blob(query, 0, &arena, &size);
	if (size != sizeof(store->secret))
		return -EBADMSG;
	memcpy(store->secret, bytes, size);
	return 1;
}

static int ensure_secret(struct store *store, const unsigned char *given)
{
	int r = read_secret(store);

	if (r != 0)
		return r < 0 ? r : given ? -EEXIST : 0;
	if (store->mode == STORE_READ)
		return -ENOENT;
	if (given)
		memcpy(store->secret, given, sizeof(store->secret));
	else if (getrandom(store->secret, sizeof(store->secret), 0) != sizeof(store->secret))
		return -EIO;
	r = store_begin(store);
	if (r < 0)
		return r;
	r = sql_run(store, "INSERT INTO fact VALUES ('secret', ?)", "b",
		(const void *)store->secret, sizeof(store->secret));
	if (r < 0) {
		store_rollback(store);
		return r;
	}
	return store_commit(store);
}

static int prepare_schema(struct store *store, void (*tell)(int64_t version))
{
	if (store->mode != STORE_READ)
		return schema_migrate(store, tell);

	int64_t version = 0;
	int r = schema_version(store, &version);
	if (r < 0)
		return r;
	return version == schema_newest ? 0 : -ESTALE;
}

static void finalize(void *statement)
{
	sqlite3_finalize(statement);
}

static int open_store(const char *directory, enum store_mode mode, const unsigned char *secret,
	void (*tell)(int64_t version), struct store **ret_store)
{
	struct store *store __attribute__((cleanup(store_closep))) = calloc(1, sizeof(*store));

	if (!store)
		return -ENOMEM;
	store->mode = mode;
	store->lock = -1;
	store->statements = g_hash_table_new_full(NULL, NULL, NULL, finalize);
	int r = 0;
	if (mode != STORE_READ) {
		r = make_directory(directory);
		if (r >= 0)
			r = take_lock(store, directory);
	}
	if (r >= 0)
		r = open_database(store, directory);
	if (r >= 0)
		r = prepare_schema(store, tell);
	if (r >= 0)
		r = ensure_secret(store, secret);
	if (r < 0)
		return r;
	*ret_store = store;
	store = NULL;
	return 0;
}

int store_open(const char *directory, enum store_mode mode, struct store **ret_store)
{
	return open_store(directory, mode, NULL, NULL, ret_store);
}

int store_open_telling(const char *directory, enum store_mode mode, void (*tell)(int64_t version),
	struct store **ret_store)
{
	return open_store(directory, mode, NULL, tell, ret_store);
}

int store_rebuild(const char *directory, const unsigned char secret[STORE_SECRET_SIZE],
	struct store **ret_store)
{
	return open_store(directory, STORE_REBUILD, secret, NULL, ret_store);
}

int store_sync(const char *file)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	int r = fsync(fd) < 0 ? -errno : 0;
	close(fd);
	return r;
}

int store_settle(struct store *store)
{
	return store_sync(sqlite3_db_filename(store->database, "main"));
}

static void drop_expected(struct store *store)
{
	free(store->expected.kind);
	free(store->expected.data);
	store->expected.kind = store->expected.data = NULL;
}

void store_close(struct store *store)
{
	if (!store)
		return;
	g_hash_table_destroy(store->statements);
	sqlite3_close(store->database);
	if (store->lock >= 0)
		close(store->lock);
	drop_expected(store);
	explicit_bzero(store->secret, sizeof(store->secret));
	free(store);
}

#ifdef STORE_CRASH_HOOK
/* The crash tests name the commit at which the process dies, before or after it. */
static void crash_hook(const struct store *store, const char *variable)
{
	const char *wanted = getenv(variable);

	if (wanted && strtoul(wanted, NULL, 10) == store->commits)
		raise(SIGKILL);
}
#else
static void crash_hook(const struct store *store, const char *variable)
{
	(void)store;
	(void)variable;
}
#endif

int store_expect(struct store *store, int64_t at, const char *kind, const char *data)
{
	drop_expected(store);
	if (!kind)
		return 0;
	store->expected.at = at;
	store->expected.kind = strdup(kind);
	store->expected.data = strdup(data);
	return store->expected.kind && store->expected.data ? 0 : -ENOMEM;
}

int store_begin(struct store *store)
{
	int r = sql_run(store, store->mode == STORE_READ ? "BEGIN" : "BEGIN IMMEDIATE", "");

	if (r < 0 || !store->expected.kind)
		return r;
	r = events_append(store, store->expected.at, store->expected.kind, store->expected.data);
	store->expected.changes = sqlite3_total_changes(store->database);
	if (r < 0)
		store_rollback(store);
	return r;
}

int store_commit(struct store *store)
{
	store->commits++;
	crash_hook(store, "ZUGPOST_TEST_KILL_BEFORE_COMMIT");
	/* What was expected has not come if nothing else has changed. */
	bool idle = store->expected.kind &&
		    store->expected.changes == sqlite3_total_changes(store->database);
	int r = sql_run(store, idle ? "ROLLBACK" : "COMMIT", "");
	if (r < 0)
		store_rollback(store);
	else if (!idle)
		drop_expected(store);
	crash_hook(store, "ZUGPOST_TEST_KILL_AT_COMMIT");
	return r;
}

void store_rollback(struct store *store)
{
	if (sqlite3_get_autocommit(store->database))
		return;
	int r = sql_run(store, "ROLLBACK", "");
	(void)r; /* a failed rollback leaves no transaction behind either */
}

const unsigned char *store_secret(const struct store *store)
{
	return store->secret;
}

int store_fact(struct store *store, const char *name, int64_t *ret_value)
{
	int r = sql_number(store, ret_value, "SELECT value FROM fact WHERE name = ?", "t", name);
	return r < 0 ? r : 0;
}

int store_set_fact(struct store *store, const char *name, int64_t value)
{
	return sql_run(store,
		"INSERT INTO fact VALUES (?, ?)"
		" ON CONFLICT (name) DO UPDATE SET value = excluded.value",
		"ti", name, value);
}

int store_backup(struct store *store, const char *file)
{
	mode_t mask = umask(0077);
	int r = sql_run(store, "VACUUM INTO ?", "t", file);

	umask(mask);
	return r;
}

bool store_is_file(const struct store *store, const char *file)
{
	struct stat mine, other;

	return stat(sqlite3_db_filename(store->database, "main"), &mine) == 0 &&
	       stat(file, &other) == 0 && mine.st_dev == other.st_dev &&
	       mine.st_ino == other.st_ino;
}

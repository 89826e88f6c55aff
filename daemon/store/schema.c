#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "daemon/log.h"
#include "daemon/store/internal.h"
#include "daemon/store/sql.h"

/*
 * One list of statements a version. What has been released is never changed; a new
 * version is a new list. Instants are UTC milliseconds, moves two bytes a ply, least significant
 * first.
 */
static const char *const version_1[] = {
	"CREATE TABLE fact ("
	" name TEXT PRIMARY KEY,"
	" value ANY NOT NULL"
	") STRICT, WITHOUT ROWID;",

	/* The inputs, append-only, each chained to the one before by its hash. */
	"CREATE TABLE event ("
	" id INTEGER PRIMARY KEY,"
	" at INTEGER NOT NULL,"
	" kind TEXT NOT NULL,"
	" data TEXT NOT NULL,"
	" hash BLOB NOT NULL"
	") STRICT;",
	"CREATE TRIGGER event_stays BEFORE UPDATE ON event"
	" BEGIN SELECT RAISE(ABORT, 'the event log is append-only'); END;",
	"CREATE TRIGGER event_is_kept BEFORE DELETE ON event"
	" BEGIN SELECT RAISE(ABORT, 'the event log is append-only'); END;",

	"CREATE TABLE tournament ("
	" code TEXT PRIMARY KEY,"
	" name TEXT NOT NULL,"
	" rules TEXT NOT NULL,"
	" start INTEGER NOT NULL,"
	" end INTEGER,"
	" arbiter_name TEXT,"
	" arbiter_address TEXT,"
	" deputy TEXT,"
	" copies TEXT NOT NULL,"
	" public TEXT,"
	" site TEXT,"
	" rated INTEGER NOT NULL,"
	" stage TEXT NOT NULL,"
	" repetition TEXT NOT NULL,"
	" fide_2014 INTEGER NOT NULL,"
	" bulletin_every INTEGER,"
	" parameters TEXT NOT NULL" /* 'name = value' lines, as in the tournament file */
	") STRICT;",

	"CREATE TABLE player ("
	" id TEXT PRIMARY KEY,"
	" name TEXT NOT NULL,"
	" timezone TEXT NOT NULL,"
	" language TEXT NOT NULL,"
	" notation TEXT NOT NULL,"
	" country TEXT,"
	" elo INTEGER,"
	" generation INTEGER NOT NULL DEFAULT 0" /* of the tokens */
	") STRICT;",

	"CREATE TABLE address ("
	" key TEXT PRIMARY KEY," /* for comparison: lower case, A-labels */
	" player TEXT NOT NULL REFERENCES player(id),"
	" rank INTEGER NOT NULL," /* 0 is written to */
	" address TEXT NOT NULL"
	") STRICT;",
	"CREATE INDEX address_player ON address(player, rank);",

	"CREATE TABLE game ("
	" id INTEGER PRIMARY KEY,"
	" tournament TEXT NOT NULL REFERENCES tournament(code),"
	" number INTEGER NOT NULL,"
	" code TEXT NOT NULL,"
	" white TEXT NOT NULL REFERENCES player(id),"
	" black TEXT NOT NULL REFERENCES player(id),"
	" white_zone TEXT NOT NULL," /* when the clock starts; later ones are in the ledger */
	" black_zone TEXT NOT NULL,"
	" state TEXT NOT NULL CHECK (state IN ('scheduled', 'active', 'suspended', 'finished')),"
	" result TEXT NOT NULL CHECK (result IN ('*', '1-0', '0-1', '1/2-1/2')),"
	" termination TEXT,"
	" draw_offer TEXT CHECK (draw_offer IN ('white', 'black')),"
	" awaiting TEXT," /* what a suspended game waits for */
	" awaiting_by TEXT CHECK (awaiting_by IN ('white', 'black')),"
	" demanded_white INTEGER NOT NULL DEFAULT 0," /* MC-link 9: plies made then, plus one */
	" demanded_black INTEGER NOT NULL DEFAULT 0,"
	" conditionals TEXT NOT NULL DEFAULT ''," /* that wait for the side to move */
	" start_fen TEXT NOT NULL,"
	" thematic INTEGER NOT NULL," /* plies that the event has set */
	" moves BLOB NOT NULL,"
	" fen TEXT NOT NULL,"
	" start INTEGER," /* of a game that began of itself; null: the event's */
	" mobile INTEGER NOT NULL DEFAULT 0," /* IECC 10.4 */
	" UNIQUE (tournament, number)"
	") STRICT;",
	"CREATE INDEX game_white ON game(white, state);",
	"CREATE INDEX game_black ON game(black, state);",
	"CREATE UNIQUE INDEX game_code ON game(code) WHERE state <> 'finished';",

	/* Leaves that were granted (IECC 8, RAZSh 7); dates are days since 1970-01-01. */
	"CREATE TABLE leave ("
	" id INTEGER PRIMARY KEY,"
	" player TEXT NOT NULL REFERENCES player(id),"
	" tournament TEXT NOT NULL REFERENCES tournament(code),"
	" first INTEGER NOT NULL,"
	" last INTEGER NOT NULL" /* cut short where it was broken off */
	") STRICT;",
	"CREATE INDEX leave_player ON leave(player, tournament);",
	"CREATE TABLE pending_leave (" /* asked for, and not answered */
	" id INTEGER PRIMARY KEY,"
	" game INTEGER NOT NULL REFERENCES game(id),"
	" player TEXT NOT NULL REFERENCES player(id),"
	" first INTEGER NOT NULL,"
	" last INTEGER NOT NULL,"
	" announced INTEGER NOT NULL,"
	" arbiter INTEGER NOT NULL" /* he was asked; else the opponent */
	") STRICT;",
	"CREATE INDEX pending_leave_game ON pending_leave(game);",

	/* Changes of address that wait for a word from the old one and the new one. */
	"CREATE TABLE pending_address ("
	" inbox INTEGER PRIMARY KEY REFERENCES inbox(id)," /* the message that tells of it */
	" player TEXT NOT NULL REFERENCES player(id),"
	" old TEXT NOT NULL,"
	" new TEXT NOT NULL,"
	" asked INTEGER NOT NULL,"
	" old_confirmed INTEGER NOT NULL DEFAULT 0,"
	" new_confirmed INTEGER NOT NULL DEFAULT 0"
	") STRICT;",

	/* What was decided on stops in each game (MC-link 7ter), for the bulletins. */
	"CREATE TABLE stop ("
	" id INTEGER PRIMARY KEY,"
	" game INTEGER NOT NULL REFERENCES game(id),"
	" side TEXT NOT NULL CHECK (side IN ('white', 'black')),"
	" at INTEGER NOT NULL,"
	" act TEXT NOT NULL CHECK (act IN ('asked', 'changed', 'withdrawn', 'given')),"
	" vacation INTEGER NOT NULL,"
	" start INTEGER,"
	" end INTEGER,"
	" granted INTEGER NOT NULL,"
	" hours INTEGER NOT NULL,"
	" reasons INTEGER NOT NULL," /* bits of enum stop_reason */
	" reason TEXT"               /* of the Coordinator */
	") STRICT;",
	"CREATE INDEX stop_game ON stop(game, at);",

	/* Lots drawn for drawn games (MC-link 10); counters as when the draw was declared. */
	"CREATE TABLE lotto ("
	" game INTEGER PRIMARY KEY REFERENCES game(id),"
	" drawn INTEGER NOT NULL CHECK (drawn BETWEEN 1 AND 90),"
	" at INTEGER NOT NULL,"
	" white TEXT NOT NULL REFERENCES player(id),"
	" black TEXT NOT NULL REFERENCES player(id),"
	" white_counter INTEGER NOT NULL,"
	" black_counter INTEGER NOT NULL,"
	" winner TEXT NOT NULL CHECK (winner IN ('white', 'black'))"
	") STRICT;",
	"CREATE INDEX lotto_white ON lotto(white, at);",
	"CREATE INDEX lotto_black ON lotto(black, at);",

	"CREATE TABLE bulletin ("
	" tournament TEXT NOT NULL REFERENCES tournament(code),"
	" number INTEGER NOT NULL," /* from 1 */
	" at INTEGER NOT NULL,"
	" last_stop INTEGER NOT NULL," /* what it has told of: ids */
	" last_event INTEGER NOT NULL,"
	" PRIMARY KEY (tournament, number)"
	") STRICT, WITHOUT ROWID;",
	/* Where each game stood in the last bulletin of its event. */
	"CREATE TABLE bulletin_game ("
	" game INTEGER PRIMARY KEY REFERENCES game(id),"
	" plies INTEGER NOT NULL,"
	" finished INTEGER NOT NULL"
	") STRICT;",

	/* What was out of reach, and when; ended is null while it is. */
	"CREATE TABLE outage ("
	" id INTEGER PRIMARY KEY,"
	" what TEXT NOT NULL," /* mailbox NAME, delivery, daemon */
	" began INTEGER NOT NULL,"
	" ended INTEGER"
	") STRICT;",

	/* The clock's events, from which its state is folded. */
	"CREATE TABLE ledger ("
	" game INTEGER NOT NULL REFERENCES game(id),"
	" seq INTEGER NOT NULL,"
	" kind TEXT NOT NULL,"
	" side TEXT NOT NULL CHECK (side IN ('white', 'black')),"
	" at INTEGER,"
	" delivered INTEGER,"
	" query_delivered INTEGER,"
	" ply INTEGER NOT NULL," /* plies made when it happened */
	" detail TEXT NOT NULL," /* 'name=value' words: what else the kind has */
	" zone TEXT,"
	" inbox INTEGER REFERENCES inbox(id),"
	" PRIMARY KEY (game, seq)"
	") STRICT, WITHOUT ROWID;",

	"CREATE TABLE inbox ("
	" id INTEGER PRIMARY KEY,"
	" mailbox TEXT NOT NULL,"
	" rank INTEGER NOT NULL," /* of the mailbox in the configuration */
	" place TEXT NOT NULL,"
	" arrival INTEGER NOT NULL,"
	" taken INTEGER NOT NULL,"
	" size INTEGER NOT NULL," /* the whole message, raw may be cut */
	" digest BLOB NOT NULL,"
	" raw BLOB NOT NULL,"
	" moved INTEGER NOT NULL DEFAULT 0," /* it has left the mailbox's inbox */
	" reads INTEGER NOT NULL DEFAULT 0," /* times the reader was given it */
	" letter TEXT,"
	" state TEXT NOT NULL DEFAULT 'stored' CHECK (state IN ('stored', 'read', 'decided')),"
	" message_id TEXT,"
	" new_digest BLOB," /* of the new text */
	" verdict TEXT,"
	" game INTEGER REFERENCES game(id),"
	" ply INTEGER,"
	" player TEXT,"
	" trust TEXT,"
	" new_text TEXT,"
	" notes TEXT,"
	" decided INTEGER"
	") STRICT;",
	"CREATE UNIQUE INDEX inbox_place ON inbox(mailbox, place, digest) WHERE moved = 0;",
	"CREATE INDEX inbox_waiting ON inbox(arrival, rank, place) WHERE state <> 'decided';",
	"CREATE INDEX inbox_digest ON inbox(digest);",
	"CREATE INDEX inbox_message_id ON inbox(message_id);",
	"CREATE INDEX inbox_game ON inbox(game, decided);",
	"CREATE INDEX inbox_unmoved ON inbox(mailbox) WHERE moved = 0;",
	"CREATE INDEX inbox_unread ON inbox(id) WHERE state = 'stored';",

	"CREATE TABLE outbox ("
	" id INTEGER PRIMARY KEY,"
	" message_id TEXT NOT NULL UNIQUE,"
	" kind TEXT NOT NULL,"
	" game INTEGER REFERENCES game(id),"
	" ply INTEGER,"
	" player TEXT,"
	" recipient TEXT NOT NULL,"
	" envelope_from TEXT NOT NULL,"
	" verdict TEXT,"
	" subject TEXT NOT NULL,"
	" text TEXT NOT NULL,"
	" raw BLOB NOT NULL,"
	" cause INTEGER REFERENCES inbox(id),"
	" clock_seq INTEGER,"                      /* the ledger row that its delivery stamps */
	" clock_query INTEGER NOT NULL DEFAULT 0," /* ... as delivery of a query */
	" created INTEGER NOT NULL,"
	" state TEXT NOT NULL DEFAULT 'waiting'"
	"  CHECK (state IN ('waiting', 'delivered', 'failed')),"
	" attempts INTEGER NOT NULL DEFAULT 0,"
	" next_attempt INTEGER NOT NULL,"
	" put_off INTEGER," /* when the target first put it off */
	" error TEXT,"      /* of the last attempt, or of its return */
	" delivered INTEGER,"
	" returned INTEGER" /* when a report of its failure came in */
	") STRICT;",
	"CREATE INDEX outbox_waiting ON outbox(next_attempt, id) WHERE state = 'waiting';",
	"CREATE INDEX outbox_queue ON outbox(id) WHERE state = 'waiting';",
	/* One reader's mails of one game go out in their order. */
	"CREATE INDEX outbox_lane ON outbox(game, coalesce(player, recipient), id)"
	" WHERE state = 'waiting';",
	"CREATE INDEX outbox_failed ON outbox(player) WHERE state = 'failed';",
	"CREATE INDEX outbox_from ON outbox(envelope_from COLLATE NOCASE, id)"
	" WHERE envelope_from <> '';",
	"CREATE INDEX outbox_game ON outbox(game, player);",
	"CREATE INDEX outbox_thread ON outbox(game, recipient, id);",
	"CREATE INDEX outbox_cause ON outbox(cause);",
	"CREATE INDEX outbox_recipient ON outbox(recipient, created);",

	"CREATE TABLE token ("
	" token TEXT PRIMARY KEY,"
	" purpose TEXT NOT NULL"
	"  CHECK (purpose IN ('reply', 'confirm', 'address-old', 'address-new')),"
	" game INTEGER NOT NULL REFERENCES game(id),"
	" player TEXT NOT NULL,"
	" generation INTEGER NOT NULL,"
	" inbox INTEGER REFERENCES inbox(id)," /* the held message, with confirm */
	" used INTEGER NOT NULL DEFAULT 0"
	") STRICT, WITHOUT ROWID;",

	"CREATE TABLE timer ("
	" game INTEGER NOT NULL REFERENCES game(id),"
	" kind TEXT NOT NULL,"
	" ply INTEGER NOT NULL," /* or the inbox row, with confirm */
	" at INTEGER NOT NULL,"
	" fired INTEGER," /* when; null while armed */
	" PRIMARY KEY (game, kind, ply, at)"
	") STRICT, WITHOUT ROWID;",
	"CREATE INDEX timer_armed ON timer(at, game) WHERE fired IS NULL;",
	NULL,
};

/* As EVENT_IS_TOLD says. */
static const char event_told[] =
	"CREATE INDEX event_told ON event(kind)"
	" WHERE kind IN ('ruling', 'stop', 'lotto', 'order', 'request', 'failed');";

static const char *const version_2[] = {
	/* When a player withdrew from the event, as long as that has not been ruled on. */
	"ALTER TABLE game ADD COLUMN withdrew_white INTEGER;",
	"ALTER TABLE game ADD COLUMN withdrew_black INTEGER;",

	/* What is asked with each message, mail or round must not cost more in a club that has
	 * played for years. */
	"CREATE INDEX game_state ON game(state);",
	event_told,
	"CREATE INDEX outage_open ON outage(what) WHERE ended IS NULL;",
	"CREATE INDEX outage_ended ON outage(ended);",
	"CREATE INDEX outbox_delivered ON outbox(delivered) WHERE delivered IS NOT NULL;",
	"CREATE INDEX timer_kind ON timer(kind, at) WHERE fired IS NULL;",
	NULL,
};

static const char *const *const migrations[] = {version_1, version_2};

const int64_t schema_newest = (int64_t)ARRAY_SIZE(migrations);

int schema_version(struct store *store, int64_t *ret_version)
{
	int r = sql_number(store, ret_version, "PRAGMA user_version", "");
	return r < 0 ? r : 0;
}

static int run(struct store *store, const char *sql)
{
	if (sqlite3_exec(store->database, sql, NULL, NULL, NULL) == SQLITE_OK)
		return 0;
	store_note_error(store, sqlite3_errmsg(store->database));
	return -EIO;
}

static int migrate_one(struct store *store, int64_t version)
{
	char pragma[48];
	int r = store_begin(store);

	if (r < 0)
		return r;
	sqlite3_snprintf(sizeof(pragma), pragma, "PRAGMA user_version = %lld", (long long)version);
	for (const char *const *sql = migrations[version - 1]; r >= 0 && *sql; sql++)
		r = run(store, *sql);
	if (r >= 0)
		r = run(store, pragma);
	if (r < 0) {
		store_rollback(store);
		return r;
	}
	return store_commit(store);
}

/* Somebody may wait for it, and must not take it for dead. */
#define TELL_EVERY 1000000 /* instructions of SQLite: some tenths of a second */

static int still_at_it(void *userdata)
{
	const struct store *store = userdata;

	store->tell(store->telling);
	return 0;
}

void schema_tell(struct store *store, void (*tell)(int64_t version), int64_t version)
{
	store->tell = tell;
	store->telling = version;
	sqlite3_progress_handler(
		store->database, tell ? TELL_EVERY : 0, tell ? still_at_it : NULL, store);
	if (tell)
		tell(version);
}

static int write_copy(struct store *store, const char *copy, const char *temporary)
{
	(void)unlink(temporary);
	int r = store_backup(store, temporary);

	if (r >= 0)
		r = store_sync(temporary);
	if (r >= 0 && rename(temporary, copy) < 0)
		r = -errno;
	if (r < 0) {
		(void)unlink(temporary);
		return r;
	}
	char *folder = g_path_get_dirname(copy);
	r = store_sync(folder);
	g_free(folder);
	return r;
}

/* There is no other way back to the program that knows it. A disk that is too full for a copy is no
 * reason to stay down. */
static void keep_copy(struct store *store, int64_t version)
{
	static const struct log_fields fields = {.event = "migrating"};
	char copy[4096], temporary[sizeof(copy) + 4];
	int n = snprintf(copy, sizeof(copy), "%s.schema-%" PRId64,
		sqlite3_db_filename(store->database, "main"), version);
	int r = n < 0 || (size_t)n >= sizeof(copy) ? -ENAMETOOLONG : 0;

	snprintf(temporary, sizeof(temporary), "%s.new", copy);
	if (r >= 0)
		r = write_copy(store, copy, temporary);
	if (r < 0)
		log_with(LOG_WARNING, &fields,
			"the store is brought up to date from schema %" PRId64
			"; it could not be kept as %s: %s",
			version, copy, r == -EIO ? store_error(store) : strerror(-r));
	else
		log_with(LOG_NOTICE, &fields,
			"the store is brought up to date from schema %" PRId64 "; kept as %s",
			version, copy);
}

int schema_migrate(struct store *store, void (*tell)(int64_t version))
{
	int64_t version = 0;
	int r = schema_version(store, &version);

	if (r >= 0 && version > schema_newest)
		return -ESTALE;
	/* A new store has nothing to wait for, and nothing to keep. */
	if (version == 0)
		tell = NULL;
	if (r >= 0 && version > 0 && version < schema_newest) {
		schema_tell(store, tell, version + 1);
		keep_copy(store, version);
	}
	while (r >= 0 && version < schema_newest) {
		schema_tell(store, tell, ++version);
		r = migrate_one(store, version);
	}
	schema_tell(store, NULL, version);
	return r;
}

#include "daemon/store/ledger.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/store/sql.h"

static const char *const kinds[] = {
	[CLOCK_START] = "start",
	[CLOCK_MOVE] = "move",
	[CLOCK_AUTO_REPLY] = "auto-reply",
	[CLOCK_FAULT] = "fault",
	[CLOCK_QUERY] = "query",
	[CLOCK_REPEAT] = "repeat",
	[CLOCK_LEAVE] = "leave",
	[CLOCK_LEAVE_END] = "leave-end",
	[CLOCK_CLAIM] = "claim",
	[CLOCK_RULING] = "ruling",
	[CLOCK_ROLLBACK] = "rollback",
	[CLOCK_ARBITER] = "arbiter",
	[CLOCK_GAMES] = "games",
	[CLOCK_STOP_REQUEST] = "stop-request",
	[CLOCK_STOP_GRANT] = "stop-grant",
	[CLOCK_STOP_WITHDRAW] = "stop-withdraw",
	[CLOCK_VACATION_CHANGE] = "vacation-change",
	[CLOCK_EDIT] = "edit",
	[CLOCK_END] = "end",
	[CLOCK_ZONE] = "zone",
	[CLOCK_FREEZE] = "freeze",
	[CLOCK_THAW] = "thaw",
	[CLOCK_REOPEN] = "reopen",
};

static const char *const faults[] = {
	[FAULT_ILLEGAL] = "illegal",
	[FAULT_AMBIGUOUS] = "ambiguous",
	[FAULT_ILLEGIBLE] = "illegible",
	[FAULT_EMPTY] = "empty",
	[FAULT_BAD_REPETITION] = "bad-repetition",
	[FAULT_VARIANT_UNANSWERED] = "variant-unanswered",
};

static const char *const actions[] = {
	[ACTION_RESUME] = "resume",
	[ACTION_RESULT] = "result",
	[ACTION_PENALTY] = "penalty",
	[ACTION_LIFT] = "lift",
	[ACTION_CORRECT] = "correct",
	[ACTION_CREDIT] = "credit",
};

static const char *const results[] = {
	[RESULT_NONE] = "*",
	[RESULT_WHITE] = "1-0",
	[RESULT_BLACK] = "0-1",
	[RESULT_DRAW] = "1/2-1/2",
};

/* ---- What else an event has, as words 'name=value' ---- */

/* One field of struct clock_event as a number, or as a word of a table. */
struct field {
	const char *name;
	int64_t (*get)(const struct clock_event *event);
	void (*set)(struct clock_event *event, int64_t value);
	int64_t none; /* the value that is not written */
	const char *const *words;
	size_t n_words;
};

#define FIELD(member, type)                                                \
	static int64_t get_##member(const struct clock_event *event)       \
	{                                                                  \
		return (int64_t)event->member;                             \
	}                                                                  \
	static void set_##member(struct clock_event *event, int64_t value) \
	{                                                                  \
		event->member = (type)value;                               \
	}

FIELD(fault, enum clock_fault)
FIELD(action, enum clock_action)
FIELD(result, enum clock_result)
FIELD(accepts, int)
FIELD(offers, int)
FIELD(illegal_conditional, bool)
FIELD(bad_format, bool)
FIELD(date, int32_t)
FIELD(from, int32_t)
FIELD(to, int32_t)
FIELD(agreed, bool)
FIELD(approved, bool)
FIELD(plies, int)
FIELD(n, int)
FIELD(ply, int)
FIELD(move, int)
FIELD(days, int)
FIELD(sent, int64_t)
FIELD(start, int64_t)
FIELD(end, int64_t)
FIELD(vacation, bool)
FIELD(ban, bool)
FIELD(flag, bool)

#define NUMBER(member, none)                                       \
	{                                                          \
#member, get_##member, set_##member, none, NULL, 0 \
	}
#define WORD(member, table)                                                      \
	{                                                                        \
#member, get_##member, set_##member, 0, table, ARRAY_SIZE(table) \
	}

static const struct field fields[] = {
	WORD(fault, faults),
	WORD(action, actions),
	WORD(result, results),
	NUMBER(accepts, 0),
	NUMBER(offers, 0),
	NUMBER(illegal_conditional, 0),
	NUMBER(bad_format, 0),
	NUMBER(date, DATE_NONE),
	NUMBER(from, DATE_NONE),
	NUMBER(to, DATE_NONE),
	NUMBER(agreed, 0),
	NUMBER(approved, 0),
	NUMBER(plies, 0),
	NUMBER(n, 0),
	NUMBER(ply, 0),
	NUMBER(move, 0),
	NUMBER(days, 0),
	NUMBER(sent, INSTANT_NONE),
	NUMBER(start, INSTANT_NONE),
	NUMBER(end, INSTANT_NONE),
	NUMBER(vacation, 0),
	NUMBER(ban, 0),
	NUMBER(flag, 0),
};

static const char *write_detail(struct arena *arena, const struct clock_event *event)
{
	const char *detail = "";

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		const struct field *field = &fields[i];
		int64_t value = field->get(event);
		if (value == field->none)
			continue;
		const char *space = *detail ? " " : "";
		detail = field->words ? arena_format(arena, "%s%s%s=%s", detail, space, field->name,
						field->words[value])
				      : arena_format(arena, "%s%s%s=%" PRId64, detail, space,
						field->name, value);
	}
	return detail;
}

/* The index of a word in a table; -1 if it is not there. */
static int find_word(const char *const *words, size_t n, const char *word, size_t size)
{
	for (size_t i = 0; i < n; i++)
		if (strlen(words[i]) == size && memcmp(words[i], word, size) == 0)
			return (int)i;
	return -1;
}

static int read_field(struct clock_event *event, const char *word, size_t size)
{
	const char *equals = memchr(word, '=', size);
	size_t name = equals ? (size_t)(equals - word) : 0;

	for (size_t i = 0; equals && i < ARRAY_SIZE(fields); i++) {
		const struct field *field = &fields[i];
		if (strlen(field->name) != name || memcmp(field->name, word, name) != 0)
			continue;
		int64_t value = field->words ? find_word(field->words, field->n_words, equals + 1,
						       size - name - 1)
					     : strtoll(equals + 1, NULL, 10);
		if (field->words && value < 0)
			return -EBADMSG;
		field->set(event, value);
		return 0;
	}
	return -EBADMSG;
}

static int read_detail(struct clock_event *event, const char *detail)
{
	int r = 0;

	while (r >= 0 && *detail) {
		size_t size = strcspn(detail, " ");
		r = read_field(event, detail, size);
		detail += size + (detail[size] == ' ');
	}
	return r;
}

/* ---- Rows ---- */

int ledger_append(struct store *store, int64_t game, const struct ledger_row *row, int64_t *ret_seq)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	const struct clock_event *event = &row->event;
	int64_t seq = 0;
	int r = sql_number(store, &seq, "SELECT max(seq) FROM ledger WHERE game = ?", "i", game);

	if (r < 0)
		return r;
	seq++;
	r = sql_run(store,
		"INSERT INTO ledger (game, seq, kind, side, at, delivered, query_delivered, ply,"
		" detail, zone, inbox) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		"iittIIIittI", game, seq, kinds[event->kind],
		event->by == SIDE_WHITE ? "white" : "black", event->at, event->delivered,
		event->query_delivered, (int64_t)row->ply, write_detail(&arena, event),
		row->zone_name, row->inbox ? row->inbox : INSTANT_NONE);
	if (r < 0)
		return r;
	*ret_seq = seq;
	return 0;
}

static int read_row(sqlite3_stmt *query, struct arena *arena, struct ledger_row *row)
{
	const char *kind = sql_text(query, 1, arena);
	int index = find_word(kinds, ARRAY_SIZE(kinds), kind, strlen(kind));

	if (index < 0)
		return -EBADMSG;
	*row = (struct ledger_row){
		.event = CLOCK_EVENT_NONE,
		.seq = sql_int(query, 0),
		.ply = (size_t)sql_int(query, 6),
		.zone_name = sql_text(query, 8, arena),
		.inbox = sql_int(query, 9),
	};
	row->event.kind = (enum clock_event_kind)index;
	row->event.by = strcmp(sql_text(query, 2, arena), "white") == 0 ? SIDE_WHITE : SIDE_BLACK;
	row->event.at = sql_instant(query, 3);
	row->event.delivered = sql_instant(query, 4);
	row->event.query_delivered = sql_instant(query, 5);
	return read_detail(&row->event, sql_text(query, 7, arena));
}

int ledger_load(struct store *store, struct arena *arena, int64_t game,
	struct ledger_row **ret_rows, size_t *ret_n)
{
	sqlite3_stmt *query CLEANUP_QUERY = NULL;
	int r = sql_query(store, &query,
		"SELECT seq, kind, side, at, delivered, query_delivered, ply, detail, zone, inbox,"
		" count(*) OVER () FROM ledger WHERE game = ? ORDER BY seq",
		"i", game);
	struct ledger_row *rows = NULL;
	size_t n = 0;

	if (r < 0)
		return r;
	while ((r = sql_step(store, query)) > 0) {
		if (!rows)
			rows = arena_alloc(arena, (size_t)sql_int(query, 10) * sizeof(*rows));
		r = read_row(query, arena, &rows[n++]);
		if (r < 0)
			return r;
	}
	if (r < 0)
		return r;
	*ret_rows = rows;
	*ret_n = n;
	return 0;
}

int ledger_delivered(struct store *store, int64_t game, int64_t seq, int64_t at)
{
	return sql_run(store,
		"UPDATE ledger SET delivered = ? WHERE game = ? AND seq = ? AND delivered IS NULL",
		"iii", at, game, seq);
}

int ledger_queried(struct store *store, int64_t game, int64_t seq, int64_t at)
{
	return sql_run(store,
		"UPDATE ledger SET query_delivered = ? WHERE game = ? AND seq = ?"
		" AND query_delivered IS NULL",
		"iii", at, game, seq);
}

int ledger_returned(struct store *store, int64_t game, int64_t seq, bool query)
{
	return query ? sql_run(store,
			       "UPDATE ledger SET query_delivered = NULL WHERE game = ? AND seq = "
			       "?",
			       "ii", game, seq)
		     : sql_run(store,
			       "UPDATE ledger SET delivered = NULL WHERE game = ? AND seq = ?",
			       "ii", game, seq);
}

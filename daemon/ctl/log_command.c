/*
 * log GAME: what happened in a game, in words: messages and their verdicts, the clock's events,
 * rulings, timers, mails and their deliveries.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/notation.h"
#include "daemon/ctl/clock_words.h"
#include "daemon/ctl/print.h"
#include "daemon/ctl/scope.h"
#include "daemon/ctl/store_commands.h"
#include "daemon/relay/match.h"
#include "daemon/store/history.h"

struct entry {
	int64_t at;
	int rank; /* among entries of one instant */
	size_t order;
	const char *kind;
	int64_t id; /* of the message or mail; 0: neither */
	const char *text;
	const char *by; /* the account that entered it, or NULL */
};

struct record {
	struct arena arena;
	struct entry *entries;
	size_t n;
};

static void add(struct record *record, struct entry entry)
{
	entry.order = record->n;
	record->entries[record->n++] = entry;
}

/* ---- The clock's events ---- */

static const char *const clock_words[] = {
	[CLOCK_START] = "the game begins",
	[CLOCK_MOVE] = "move",
	[CLOCK_AUTO_REPLY] = "conditional reply",
	[CLOCK_FAULT] = "fault",
	[CLOCK_QUERY] = "query",
	[CLOCK_REPEAT] = "the last message once more",
	[CLOCK_LEAVE] = "leave",
	[CLOCK_LEAVE_END] = "the leave is ended",
	[CLOCK_CLAIM] = "claim of time",
	[CLOCK_RULING] = "ruling on a claim",
	[CLOCK_ROLLBACK] = "the game goes back",
	[CLOCK_ARBITER] = "the arbiter's word",
	[CLOCK_GAMES] = "unfinished games",
	[CLOCK_STOP_REQUEST] = "stop",
	[CLOCK_STOP_GRANT] = "stop by the Coordinator",
	[CLOCK_STOP_WITHDRAW] = "a stop is withdrawn",
	[CLOCK_VACATION_CHANGE] = "a vacation is changed",
	[CLOCK_EDIT] = "the times are edited",
	[CLOCK_END] = "the game ends",
	[CLOCK_ZONE] = "time zone",
	[CLOCK_FREEZE] = "the clocks rest",
	[CLOCK_THAW] = "the clocks run on",
	[CLOCK_REOPEN] = "the end is put aside",
};

static const char *date_text(struct arena *arena, int32_t date)
{
	unsigned month, day;
	int year;

	date_to_civil(date, &year, &month, &day);
	return arena_format(arena, "%04d-%02u-%02u", year, month, day);
}

/* "12... Nf6" for the move that made PLY, if it still stands. */
static const char *move_text(struct arena *arena, const struct match *match, size_t ply)
{
	const struct game *game = &match->game;
	char san[NOTATION_MAX];

	if (ply == 0 || ply > game->n_moves)
		return "a move that was taken back";
	struct position before = game_position(game, ply - 1);
	move_write(&before, game->moves[ply - 1], NOTATION_SAN, NULL, san);
	return arena_format(
		arena, "%u%s %s", before.fullmove, before.turn == SIDE_WHITE ? "." : "...", san);
}

static const char *action_text(struct arena *arena, const struct clock_event *event)
{
	switch (event->action) {
	case ACTION_RESUME:
		return "the game is resumed";
	case ACTION_RESULT:
		return arena_format(arena, "result %s", result_name(event->result));
	case ACTION_PENALTY:
		return arena_format(arena, "penalty of %d for %s", event->n, side_word(event->by));
	case ACTION_LIFT:
		return arena_format(arena, "a penalty of %s on move %d is lifted",
			side_word(event->by), event->move);
	case ACTION_CORRECT:
		return arena_format(arena, "the stamps of ply %d are corrected", event->ply);
	case ACTION_CREDIT:
		return arena_format(arena, "%d credited at ply %d", event->n, event->ply);
	}
	return "";
}

static const char *stop_text(struct arena *arena, const struct clock_event *event)
{
	const char *by = side_word(event->by);
	const char *from = event->start == INSTANT_NONE ? "as before" : print_instant(event->start);

	if (event->kind == CLOCK_STOP_WITHDRAW)
		return arena_format(arena, "stop %d of %s is withdrawn", event->n, by);
	if (event->kind == CLOCK_VACATION_CHANGE)
		return arena_format(arena, "stop %d of %s is changed: %s to %s", event->n, by, from,
			print_instant(event->end));
	return arena_format(arena, "%s of %s: %s to %s", clock_words[event->kind], by, from,
		print_instant(event->end));
}

static const char *ledger_text(
	struct arena *arena, const struct match *match, const struct ledger_row *row)
{
	const struct clock_event *event = &row->event;
	const char *by = side_word(event->by), *word = clock_words[event->kind];

	switch (event->kind) {
	case CLOCK_MOVE:
	case CLOCK_AUTO_REPLY:
		return arena_format(
			arena, "%s of %s: %s", word, by, move_text(arena, match, row->ply));
	case CLOCK_LEAVE:
		return arena_format(arena, "%s of %s: %s to %s", word, by,
			date_text(arena, event->from), date_text(arena, event->to));
	case CLOCK_STOP_REQUEST:
	case CLOCK_STOP_GRANT:
	case CLOCK_STOP_WITHDRAW:
	case CLOCK_VACATION_CHANGE:
		return stop_text(arena, event);
	case CLOCK_ARBITER:
	case CLOCK_EDIT:
		return arena_format(arena, "%s: %s", word, action_text(arena, event));
	case CLOCK_RULING:
		return arena_format(arena, "%s: %s", word, event->flag ? "upheld" : "rejected");
	case CLOCK_END:
		return arena_format(arena, "%s: %s", word, result_name(event->result));
	case CLOCK_ZONE:
		return arena_format(arena, "%s of %s: %s", word, by, row->zone_name);
	case CLOCK_GAMES:
		return arena_format(arena, "%s of %s: %d", word, by, event->n);
	case CLOCK_ROLLBACK:
		return arena_format(arena, "%s to %zu plies", word, row->ply);
	case CLOCK_START:
	case CLOCK_FREEZE:
	case CLOCK_THAW:
	case CLOCK_REOPEN:
		return word;
	case CLOCK_FAULT:
	case CLOCK_QUERY:
	case CLOCK_REPEAT:
	case CLOCK_LEAVE_END:
	case CLOCK_CLAIM:
		break;
	}
	return arena_format(arena, "%s of %s", word, by);
}

static void add_ledger(struct record *record, const struct match *match)
{
	for (size_t i = 0; i < match->n_ledger; i++)
		add(record, (struct entry){
				    .at = match->ledger[i].event.at,
				    .rank = 2,
				    .kind = "clock",
				    .text = ledger_text(&record->arena, match, &match->ledger[i]),
			    });
}

/* ---- The rest ---- */

static int64_t number_of(const json_t *data, const char *name)
{
	return json_integer_value(json_object_get(data, name));
}

static const char *text_of(const json_t *data, const char *name)
{
	return json_string_value(json_object_get(data, name));
}

static const char *request_text(struct arena *arena, const json_t *data)
{
	enum command kind = (enum command)number_of(data, "kind");
	const char *player = text_of(data, "player");

	if (kind == COMMAND_WITHDRAW)
		return arena_format(arena, "%s withdraws", player);
	if (kind == COMMAND_LEAVE)
		return arena_format(arena, "leave of %s: %s to %s", player,
			date_text(arena, (int32_t)number_of(data, "from")),
			date_text(arena, (int32_t)number_of(data, "to")));
	return arena_format(arena, "stop asked for by %s: %s to %s", player,
		print_instant(number_of(data, "start")), print_instant(number_of(data, "end")));
}

/* Of an input: what it was given as. */
static const char *event_text(struct arena *arena, const struct history_row *row)
{
	json_t *data = json_loads(row->text, 0, NULL);
	const char *words = text_of(data, "ruling"), *author = text_of(data, "author");
	const char *reason = text_of(data, "reason"), *act = text_of(data, "act");
	const char *side = text_of(data, "side"), *text;

	if (words)
		text = arena_format(arena, "%s%s%s: %s%s%s%s", row->name, author ? " of " : "",
			author ? author : "", words, reason ? " (" : "", reason ? reason : "",
			reason ? ")" : "");
	else if (act)
		text = arena_format(arena, "order to %s a stop of %s", act, side ? side : "-");
	else if (strcmp(row->name, "request") == 0)
		text = request_text(arena, data);
	else
		text = arena_format(
			arena, "%s: %" PRId64 " is drawn", row->name, number_of(data, "drawn"));
	json_decref(data);
	return row->who ? arena_format(arena, "%s; entered by %s", text, row->who) : text;
}

static struct entry history_entry(struct arena *arena, const struct history_row *row)
{
	static const char *const mails[] = {
		[HISTORY_MAIL] = "is written",
		[HISTORY_DELIVERED] = "is delivered",
		[HISTORY_FAILED] = "cannot be delivered",
	};
	struct entry entry = {.at = row->at, .rank = 1};

	switch (row->source) {
	case HISTORY_MESSAGE:
		entry.kind = "message";
		entry.id = row->id;
		entry.text = arena_format(arena, "message %" PRId64 " of %s: %s", row->id,
			row->who ? row->who : "somebody", row->name);
		return entry;
	case HISTORY_EVENT:
		entry.kind = row->name;
		entry.text = event_text(arena, row);
		entry.by = row->who;
		return entry;
	case HISTORY_TIMER:
		entry.rank = 0;
		entry.kind = "timer";
		entry.text = arena_format(arena, "timer: %s", row->name);
		return entry;
	case HISTORY_MAIL:
	case HISTORY_DELIVERED:
	case HISTORY_FAILED:
		break;
	}
	entry.kind = row->source == HISTORY_MAIL        ? "mail"
		     : row->source == HISTORY_DELIVERED ? "delivered"
							: "failed";
	entry.rank = row->source == HISTORY_MAIL ? 3 : 4;
	entry.id = row->id;
	entry.text = arena_format(arena, "mail %" PRId64 " (%s) to %s %s%s%s", row->id, row->name,
		row->who, mails[row->source],
		row->text && row->source == HISTORY_FAILED ? ": " : "",
		row->text && row->source == HISTORY_FAILED ? row->text : "");
	return entry;
}

static int in_order(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;

	if (a->at != b->at)
		return a->at < b->at ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static int gather(const struct match *match, struct record *record)
{
	struct history_row *rows;
	size_t n;
	int r = history_load(
		match->club->store, &record->arena, match->row.id, match->id, &rows, &n);

	if (r < 0)
		return r;
	record->entries =
		arena_alloc(&record->arena, (n + match->n_ledger + 1) * sizeof(*record->entries));
	add_ledger(record, match);
	for (size_t i = 0; i < n; i++)
		if (rows[i].source != HISTORY_TIMER || strcmp(rows[i].name, "start") != 0)
			add(record, history_entry(&record->arena, &rows[i]));
	qsort(record->entries, record->n, sizeof(*record->entries), in_order);
	return 0;
}

static int print_record(struct ctl *ctl, const struct record *record)
{
	json_t *array = ctl->json ? json_array() : NULL;

	for (size_t i = 0; i < record->n; i++) {
		const struct entry *entry = &record->entries[i];
		if (array)
			json_array_append_new(
				array, json_pack("{s:o, s:s, s:o, s:s, s:o}", "at",
					       json_instant(entry->at), "kind", entry->kind, "id",
					       entry->id ? json_integer(entry->id) : json_null(),
					       "text", entry->text, "by", print_string(entry->by)));
		else
			print_line(ctl->out, print_instant(entry->at), entry->text);
	}
	return array ? print_json(ctl, array) : CTL_DONE;
}

int log_command(struct ctl *ctl, int argc, char **argv)
{
	struct match *match CLEANUP_MATCH = NULL;
	struct record record = {.arena = ARENA_INIT};
	int64_t id;

	if (argc != 2)
		return ctl_usage(ctl, "log");
	int code = scope_find_game(ctl, argv[1], &id);
	if (code != CTL_DONE)
		return code;
	int r = match_open(ctl->club, id, &match);
	if (r >= 0)
		r = gather(match, &record);
	code = r < 0 ? ctl_fail(ctl, r) : print_record(ctl, &record);
	arena_clear(&record.arena);
	return code;
}

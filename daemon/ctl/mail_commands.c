#include <errno.h>
#include <glib.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "config/value.h"
#include "daemon/ctl/clock_words.h"
#include "daemon/ctl/print.h"
#include "daemon/ctl/scope.h"
#include "daemon/ctl/store_commands.h"
#include "daemon/engine/engine.h"
#include "daemon/relay/bounce.h"
#include "daemon/relay/receive.h"
#include "daemon/store/inbox.h"
#include "daemon/store/outbox.h"

/* ---- messages ---- */

struct listing {
	struct ctl *ctl;
	json_t *array; /* NULL: text */
};

/* The name of a game, or NULL. */
static const char *game_name(struct ctl *ctl, struct arena *arena, int64_t game)
{
	struct game_row row;

	if (!game || games_load(ctl->club->store, arena, game, &row) <= 0)
		return NULL;
	return arena_format(arena, "%s/%" PRId64, row.tournament, row.number);
}

static json_t *notes_json(const char *notes)
{
	json_t *array = json_array();

	for (const char *line = notes; line && *line;) {
		size_t size = strcspn(line, "\n");
		json_array_append_new(array, json_stringn(line, size));
		line += size + (line[size] == '\n');
	}
	return array;
}

static json_t *message_json(struct ctl *ctl, const struct inbox_row *row)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	json_t *json = json_pack("{s:I, s:s, s:s, s:o, s:I, s:s, s:o, s:o, s:o, s:o, s:o}", "id",
		(json_int_t)row->id, "mailbox", row->mailbox, "place", row->place, "arrival",
		json_instant(row->arrival), "size", (json_int_t)row->size, "state", row->state,
		"verdict", print_string(row->verdict), "game",
		print_string(game_name(ctl, &arena, row->game)), "player",
		print_string(row->player), "trust", print_string(row->trust), "message_id",
		print_string(row->message_id));
	if (!json)
		return NULL;
	json_object_set_new(json, "ply", row->ply < 0 ? json_null() : json_integer(row->ply));
	json_object_set_new(json, "new_text", print_string(row->new_text));
	json_object_set_new(json, "notes", notes_json(row->notes));
	json_object_set_new(json, "decided", json_instant(row->decided));
	return json;
}

static void print_message(struct ctl *ctl, const struct inbox_row *row)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	const char *game = game_name(ctl, &arena, row->game);

	fprintf(ctl->out, "%-6" PRId64 " %s  %-22s %-16s %s\n", row->id,
		print_instant(row->arrival), row->verdict ? row->verdict : row->state,
		game ? game : "-", row->player ? row->player : "-");
}

static int list_message(const struct inbox_row *row, void *userdata)
{
	struct listing *listing = userdata;
	struct ctl *ctl = listing->ctl;
	int r = scope_game(ctl, row->game);

	if (r <= 0)
		return r < 0 ? r : ctl_go_on(ctl);
	if (listing->array)
		return print_item(ctl, listing->array, message_json(ctl, row));
	print_message(ctl, row);
	return ctl_go_on(ctl);
}

static int finish_list(struct listing *listing, int r)
{
	if (r < 0) {
		json_decref(listing->array);
		return ctl_fail(listing->ctl, r);
	}
	return listing->array ? print_json(listing->ctl, listing->array) : CTL_DONE;
}

int messages_command(struct ctl *ctl, int argc, char **argv)
{
	struct listing listing = {.ctl = ctl};
	const char *verdict = NULL;

	if (ctl_option(&argc, argv, "--verdict", &verdict) < 0 || argc != 1)
		return ctl_usage(ctl, "messages");
	if (verdict && verdict_find(verdict) == VERDICT_NONE)
		return ctl_refuse(ctl, "there is no verdict %s", verdict);
	listing.array = ctl->json ? json_array() : NULL;
	return finish_list(&listing, inbox_each(ctl->club->store, verdict, list_message, &listing));
}

/* ---- message ---- */

/* A message that was accepted has done its work; any other may be judged again. One that
 * was never read goes back to the reader. */
static int retry(struct ctl *ctl, const struct inbox_row *row, int64_t as_game)
{
	const struct judge_input how = {.again = true, .as_game = as_game};
	struct store *store = ctl->club->store;

	if (row->verdict && strncmp(row->verdict, "accepted", 8) == 0)
		return ctl_refuse(ctl, "message %" PRId64 " was accepted", row->id);
	if (!row->verdict)
		return ctl_refuse(ctl, "message %" PRId64 " has not been decided yet", row->id);
	int r = store_begin(store);
	if (r >= 0)
		r = row->letter ? receive_row(ctl->club, row, &how, ctl->now)
				: inbox_reopen(store, row->id);
	if (r < 0) {
		store_rollback(store);
		return ctl_fail(ctl, r);
	}
	r = store_commit(store);
	if (r < 0)
		return ctl_fail(ctl, r);
	if (ctl->engine)
		engine_kick(ctl->engine);
	return CTL_DONE;
}

static int show_message(struct ctl *ctl, const struct inbox_row *row)
{
	if (ctl->json)
		return print_json(ctl, message_json(ctl, row));
	print_message(ctl, row);
	fprintf(ctl->out, "mailbox %s, place %s\n", row->mailbox, row->place);
	if (row->trust)
		fprintf(ctl->out, "trust: %s\n", row->trust);
	if (row->notes)
		fprintf(ctl->out, "%s\n", row->notes);
	if (row->new_text)
		fprintf(ctl->out, "\n%s\n", row->new_text);
	return CTL_DONE;
}

/* As it came. JSON has no bytes: there it is base64. */
static int show_raw(struct ctl *ctl, const struct inbox_row *row)
{
	if (!ctl->json) {
		fwrite(row->raw, 1, row->raw_size, ctl->out);
		return CTL_DONE;
	}
	json_t *json = message_json(ctl, row);
	gchar *text = g_base64_encode((const guchar *)row->raw, row->raw_size);
	json_object_set_new(json, "raw", json_string(text));
	g_free(text);
	return print_json(ctl, json);
}

int message_command(struct ctl *ctl, int argc, char **argv)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	const char *as = NULL;
	int64_t as_game = 0;
	struct inbox_row row;
	char *end;

	bool raw = ctl_option(&argc, argv, "--raw", NULL) > 0;
	bool again = ctl_option(&argc, argv, "--retry", NULL) > 0;
	if (ctl_option(&argc, argv, "--as", &as) < 0 || argc != 2)
		return ctl_usage(ctl, "message");
	errno = 0;
	long long id = strtoll(argv[1], &end, 10);
	if (*end || errno || id <= 0)
		return ctl_usage(ctl, "message");
	int r = inbox_load(ctl->club->store, &arena, id, &row);
	if (r > 0)
		r = scope_game(ctl, row.game);
	if (r == 0)
		return ctl_refuse(ctl, "there is no message %lld", id);
	if (r > 0 && as) {
		r = match_find(ctl->club, as, &as_game);
		if (r == 0)
			return ctl_refuse(ctl, "there is no game %s", as);
	}
	if (r < 0)
		return ctl_fail(ctl, r);
	if (raw)
		return show_raw(ctl, &row);
	if (again || as) {
		r = retry(ctl, &row, as_game);
		if (r != CTL_DONE)
			return r;
		if (inbox_load(ctl->club->store, &arena, id, &row) <= 0)
			return ctl_fail(ctl, -EIO);
	}
	return show_message(ctl, &row);
}

/* ---- outbox ---- */

static json_t *mail_json(
	const struct outbox_row *row, const char *game, const char *state, int64_t ahead)
{
	bool waits = strcmp(row->state, "waiting") == 0;
	json_t *json = json_pack("{s:I, s:s, s:s, s:o, s:o, s:s, s:s, s:o, s:I, s:o, s:o}", "id",
		(json_int_t)row->id, "message_id", row->message_id, "kind", row->kind, "game",
		print_string(game), "ply", row->ply < 0 ? json_null() : json_integer(row->ply),
		"recipient", row->recipient, "state", row->state, "created",
		json_instant(row->created), "attempts", (json_int_t)row->attempts, "next_attempt",
		waits ? json_instant(row->next_attempt) : json_null(), "error",
		print_string(row->error));
	if (!json)
		return NULL;
	json_object_set_new(json, "why", json_string(state));
	json_object_set_new(json, "put_off", json_instant(row->put_off));
	json_object_set_new(json, "returned", json_instant(row->returned));
	json_object_set_new(json, "behind", ahead ? json_integer(ahead) : json_null());
	return json;
}

/* What it waits for, or what became of it, in words. */
static const char *mail_state(struct ctl *ctl, struct arena *arena, const struct outbox_row *row,
	int64_t down_since, int64_t ahead)
{
	if (strcmp(row->state, "waiting") != 0)
		return row->returned != INSTANT_NONE
			       ? arena_format(arena, "returned %s", print_instant(row->returned))
			       : "refused for good";
	if (ahead)
		return arena_format(arena, "waits behind mail %" PRId64, ahead);
	if (row->attempts == 0 && down_since > 0)
		return arena_format(
			arena, "the target cannot be reached since %s", print_instant(down_since));
	if (row->attempts == 0)
		return "not tried yet";
	return arena_format(arena, "put off %" PRId64 " time%s, %s%s", row->attempts,
		row->attempts == 1 ? "" : "s",
		row->next_attempt > ctl->now ? "again at " : "now due again",
		row->next_attempt > ctl->now ? print_instant(row->next_attempt) : "");
}

static int list_mail(const struct outbox_row *row, void *userdata)
{
	struct listing *listing = userdata;
	struct ctl *ctl = listing->ctl;
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	const char *game = game_name(ctl, &arena, row->game);
	int64_t down_since = 0, ahead = 0;
	int r = scope_game(ctl, row->game);

	if (r <= 0)
		return r < 0 ? r : ctl_go_on(ctl);
	if (strcmp(row->state, "waiting") == 0)
		r = outbox_ahead(ctl->club->store, row->id, &ahead);
	if (r >= 0)
		r = store_fact(ctl->club->store, "target_down_since", &down_since);
	if (r < 0)
		return r;
	const char *state = mail_state(ctl, &arena, row, down_since, ahead);
	if (!listing->array) {
		fprintf(ctl->out, "%-6" PRId64 " %-8s %-12s %-16s %s  %s%s%s\n", row->id,
			row->state, row->kind, game ? game : "-", row->recipient, state,
			row->error ? ": " : "", row->error ? row->error : "");
		return ctl_go_on(ctl);
	}
	return print_item(ctl, listing->array, mail_json(row, game, state, ahead));
}

int outbox_command(struct ctl *ctl, int argc, char **argv)
{
	struct listing listing = {.ctl = ctl};

	(void)argv;
	if (argc != 1)
		return ctl_usage(ctl, "outbox");
	listing.array = ctl->json ? json_array() : NULL;
	return finish_list(
		&listing, outbox_each_undelivered(ctl->club->store, list_mail, &listing));
}

/* ---- retry ---- */

static int try_again(struct ctl *ctl, int64_t id)
{
	struct store *store = ctl->club->store;
	int r = store_begin(store);

	if (r < 0)
		return r;
	r = bounce_retry(ctl->club, id);
	if (r <= 0) {
		store_rollback(store);
		return r;
	}
	r = store_commit(store);
	return r < 0 ? r : 1;
}

int retry_command(struct ctl *ctl, int argc, char **argv)
{
	int64_t id;

	if (argc != 2 || value_number(argv[1], INT64_MAX, &id) < 0)
		return ctl_usage(ctl, "retry");
	int r = try_again(ctl, id);
	if (r == 0)
		return ctl_refuse(ctl, "there is no mail %" PRId64, id);
	if (r == -EALREADY)
		return ctl_refuse(ctl, "mail %" PRId64 " was delivered", id);
	if (r < 0)
		return ctl_fail(ctl, r);
	if (ctl->engine)
		engine_try_target(ctl->engine);
	return CTL_DONE;
}

#include <inttypes.h>
#include <string.h>

#include "daemon/ctl/clock_words.h"
#include "daemon/ctl/print.h"
#include "daemon/ctl/scope.h"
#include "daemon/ctl/store_commands.h"
#include "daemon/engine/engine.h"
#include "daemon/relay/work.h"
#include "daemon/store/games.h"
#include "daemon/store/inbox.h"
#include "daemon/store/outages.h"
#include "daemon/store/outbox.h"
#include "daemon/store/timers.h"

/* All that is told. */
struct picture {
	struct arena arena;
	struct engine_status engine;
	int64_t failed_mails;
	int64_t paused_until; /* INSTANT_NONE: it is not */
	struct timer_row timer;
	const char *game; /* of that timer, or NULL */
	struct outage_row *outages;
	size_t n_outages; /* that last */
	int64_t games[GAME_FINISHED + 1];
};

static int look_at_engine(struct ctl *ctl, struct picture *picture)
{
	struct engine_status *status = &picture->engine;
	struct store *store = ctl->club->store;

	if (ctl->engine)
		return engine_status(ctl->engine, status);
	*status = (struct engine_status){
		.next_timer = INSTANT_NONE,
		.last_round = INSTANT_NONE,
		.target_down_since = INSTANT_NONE,
		.target_next_try = INSTANT_NONE,
		.target_reason = "",
	};
	int r = inbox_count_waiting(store, &status->waiting_messages);
	if (r >= 0)
		r = outbox_count(store, "waiting", &status->waiting_mails);
	return r < 0 ? r : store_fact(store, "last_pass", &status->last_round);
}

static int look_at_timer(struct ctl *ctl, struct picture *picture)
{
	struct store *store = ctl->club->store;
	struct game_row row;

	picture->timer.at = INSTANT_NONE;
	int r = timers_next(store, &picture->arena, &picture->timer);
	if (r > 0)
		r = games_load(store, &picture->arena, picture->timer.game, &row);
	if (r > 0)
		picture->game =
			arena_format(&picture->arena, "%s/%" PRId64, row.tournament, row.number);
	return r < 0 ? r : 0;
}

static int look_at_club(struct ctl *ctl, struct picture *picture)
{
	int r = look_at_timer(ctl, picture);

	for (int state = 0; r >= 0 && state <= GAME_FINISHED; state++)
		r = games_count_state(
			ctl->club->store, (enum game_state)state, &picture->games[state]);
	return r;
}

/* An arbiter's games and the next deadline among them. */
static int look_at_events(struct ctl *ctl, struct picture *picture)
{
	const struct games_filter filter = {0};
	struct store *store = ctl->club->store;
	int64_t *ids;
	size_t n;
	int r = games_list(store, &picture->arena, &filter, &ids, &n);

	picture->timer.at = INSTANT_NONE;
	if (r >= 0)
		r = scope_filter(ctl, ids, &n);
	for (size_t i = 0; r >= 0 && i < n; i++) {
		struct timer_row timer;
		struct game_row row;
		r = games_load(store, &picture->arena, ids[i], &row);
		if (r > 0) {
			picture->games[row.state]++;
			r = timers_next_of(store, &picture->arena, ids[i], &timer);
		}
		if (r <= 0 || (picture->timer.at != INSTANT_NONE && picture->timer.at <= timer.at))
			continue;
		picture->timer = timer;
		picture->game =
			arena_format(&picture->arena, "%s/%" PRId64, row.tournament, row.number);
	}
	return r;
}

static int look(struct ctl *ctl, struct picture *picture)
{
	struct store *store = ctl->club->store;
	int r = look_at_engine(ctl, picture);

	if (r >= 0)
		r = outbox_count(store, "failed", &picture->failed_mails);
	if (r >= 0)
		r = scope_is_all(ctl) ? look_at_club(ctl, picture) : look_at_events(ctl, picture);
	if (r >= 0)
		r = outages_load(
			store, &picture->arena, INT64_MAX, &picture->outages, &picture->n_outages);
	picture->paused_until = INSTANT_NONE;
	if (r >= 0)
		r = work_paused(ctl->club, ctl->now, &picture->paused_until);
	return r < 0 ? r : 0;
}

/* Since when it is out of reach; INSTANT_NONE: it is not, as far as is known. */
static int64_t down_since(const struct picture *picture, const char *what)
{
	for (size_t i = 0; i < picture->n_outages; i++)
		if (strcmp(picture->outages[i].what, what) == 0)
			return picture->outages[i].from;
	return INSTANT_NONE;
}

static const char *mailbox_name(struct picture *picture, const struct configured_mailbox *mailbox)
{
	return arena_format(&picture->arena, "mailbox %s", mailbox->name);
}

/* ---- JSON ---- */

static json_t *mailboxes_json(struct ctl *ctl, struct picture *picture)
{
	const struct configuration *configuration = ctl->club->configuration;
	json_t *array = json_array();

	for (size_t i = 0; i < configuration->n_mailboxes; i++) {
		const struct configured_mailbox *mailbox = &configuration->mailboxes[i];
		int64_t since = down_since(picture, mailbox_name(picture, mailbox));
		json_array_append_new(
			array, json_pack("{s:s, s:b, s:o}", "name", mailbox->name, "reached",
				       since == INSTANT_NONE, "down_since", json_instant(since)));
	}
	return array;
}

static json_t *next_json(const struct picture *picture)
{
	return picture->timer.at == INSTANT_NONE
		       ? json_null()
		       : json_pack("{s:o, s:s, s:o}", "at", json_instant(picture->timer.at), "kind",
				 picture->timer.kind, "game", print_string(picture->game));
}

static json_t *games_json(const struct picture *picture)
{
	json_t *games = json_object();

	for (int state = 0; state <= GAME_FINISHED; state++)
		json_object_set_new(games, game_state_name((enum game_state)state),
			json_integer(picture->games[state]));
	return games;
}

static json_t *picture_json(struct ctl *ctl, struct picture *picture)
{
	const struct engine_status *status = &picture->engine;
	int64_t down = down_since(picture, "delivery"), until = picture->paused_until;

	return json_pack("{s:s, s:b, s:b, s:o, s:b, s:o, s:o, s:I, s:I, s:I, s:o, s:o, s:o, s:o}",
		"club", ctl->club->configuration->club.name, "running", ctl->engine != NULL,
		"paused", until != INSTANT_NONE, "paused_until",
		until == WORK_PAUSED ? json_null() : json_instant(until), "mailboxes_reached",
		ctl->engine && status->complete, "mailboxes", mailboxes_json(ctl, picture),
		"delivery",
		json_pack("{s:b, s:o, s:o, s:o}", "reached", down == INSTANT_NONE, "down_since",
			json_instant(down), "reason",
			print_string(*status->target_reason ? status->target_reason : NULL),
			"next_try", json_instant(status->target_next_try)),
		"waiting_messages", (json_int_t)status->waiting_messages, "waiting_mails",
		(json_int_t)status->waiting_mails, "failed_mails",
		(json_int_t)picture->failed_mails, "next_deadline", json_instant(picture->timer.at),
		"next", next_json(picture), "last_pass", json_instant(status->last_round), "games",
		games_json(picture));
}

/* ---- At a glance ---- */

static void print_reach(FILE *out, const char *name, int64_t since, const char *reason)
{
	if (since == INSTANT_NONE)
		fprintf(out, "%-18s ok\n", name);
	else
		fprintf(out, "%-18s OUT OF REACH since %s%s%s\n", name, print_instant(since),
			*reason ? ": " : "", reason);
}

static void print_head(struct ctl *ctl, const struct picture *picture)
{
	int64_t until = picture->paused_until;

	fprintf(ctl->out, "%s\n%-18s %s\n", ctl->club->configuration->club.name, "daemon",
		ctl->engine ? "running" : "not running");
	if (until == WORK_PAUSED)
		fprintf(ctl->out, "%-18s PAUSED until 'resume': nothing is decided\n", "work");
	else if (until != INSTANT_NONE)
		fprintf(ctl->out, "%-18s PAUSED until %s: nothing is decided\n", "work",
			print_instant(until));
	fprintf(ctl->out, "%-18s %s%s\n", "last pass", print_instant(picture->engine.last_round),
		ctl->engine && !picture->engine.complete ? ", not complete: deadlines wait" : "");
}

static void print_picture(struct ctl *ctl, struct picture *picture)
{
	const struct configuration *configuration = ctl->club->configuration;
	const struct engine_status *status = &picture->engine;
	FILE *out = ctl->out;

	print_head(ctl, picture);
	for (size_t i = 0; i < configuration->n_mailboxes; i++) {
		const char *name = mailbox_name(picture, &configuration->mailboxes[i]);
		print_reach(out, name, down_since(picture, name), "");
	}
	print_reach(out, "delivery", down_since(picture, "delivery"), status->target_reason);
	fprintf(out,
		"%-18s %" PRId64 " messages to decide, %" PRId64 " mails to deliver, %" PRId64
		" failed\n",
		"queues", status->waiting_messages, status->waiting_mails, picture->failed_mails);
	fprintf(out, "%-18s %s", "next deadline", print_instant(picture->timer.at));
	if (picture->game)
		fprintf(out, ", %s in %s", picture->timer.kind, picture->game);
	fprintf(out, "\n%-18s", "games");
	for (int state = 0; state <= GAME_FINISHED; state++)
		fprintf(out, "%s %" PRId64 " %s", state ? "," : "", picture->games[state],
			game_state_name((enum game_state)state));
	fputc('\n', out);
}

int status_command(struct ctl *ctl, int argc, char **argv)
{
	struct picture picture = {.arena = ARENA_INIT};
	int code = CTL_DONE;

	(void)argv;
	if (argc != 1)
		return ctl_usage(ctl, "status");
	int r = look(ctl, &picture);
	if (r < 0)
		code = ctl_fail(ctl, r);
	else if (ctl->json)
		code = print_json(ctl, picture_json(ctl, &picture));
	else
		print_picture(ctl, &picture);
	arena_clear(&picture.arena);
	return code;
}

#include <inttypes.h>
#include <string.h>

#include "daemon/ctl/clock_words.h"
#include "daemon/ctl/files.h"
#include "daemon/ctl/print.h"
#include "daemon/ctl/scope.h"
#include "daemon/ctl/store_commands.h"
#include "daemon/engine/engine.h"
#include "daemon/relay/carry.h"
#include "daemon/relay/work.h"
#include "daemon/store/games.h"
#include "daemon/store/inbox.h"
#include "daemon/store/outages.h"
#include "daemon/store/outbox.h"
#include "daemon/store/pending.h"
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
	int64_t confirmations, first_end;       /* held messages, and when the first one lapses */
	int64_t leaves;                         /* that wait for the arbiter's word */
	int64_t oldest_message, oldest_arrival; /* 0: none waits */
	struct outbox_row oldest_mail;          /* id 0: none waits */
	const char *mail_game;
	int64_t backup;
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

static const char *name_game(struct picture *picture, const struct game_row *row)
{
	return arena_format(&picture->arena, "%s/%" PRId64, row->tournament, row->number);
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
		picture->game = name_game(picture, &row);
	return r < 0 ? r : 0;
}

/* Who is waited for, in a game or (0) in all. */
static int look_at_people(struct ctl *ctl, struct picture *picture, int64_t game)
{
	struct store *store = ctl->club->store;
	int64_t held = 0, first = INSTANT_NONE, leaves = 0;
	int r = timers_count(store, CONFIRM_TIMER, game, &held, &first);

	if (r >= 0)
		r = pending_leave_count(store, game, &leaves);
	if (r < 0)
		return r;
	if (held > 0 && (picture->confirmations == 0 || first < picture->first_end))
		picture->first_end = first;
	picture->confirmations += held;
	picture->leaves += leaves;
	return 0;
}

/* What has waited longest. */
static int look_at_queues(struct ctl *ctl, struct picture *picture)
{
	struct inbox_order order = {.arrival = INSTANT_NONE, .place = ""};
	struct store *store = ctl->club->store;
	struct game_row row;
	int r = inbox_next_undecided(
		store, &picture->arena, &order, &order, &picture->oldest_message);

	picture->oldest_arrival = order.arrival;
	if (r >= 0)
		r = outbox_oldest(store, &picture->arena, &picture->oldest_mail);
	if (r > 0 && picture->oldest_mail.game)
		r = games_load(store, &picture->arena, picture->oldest_mail.game, &row);
	if (r > 0 && picture->oldest_mail.game)
		picture->mail_game = name_game(picture, &row);
	return r < 0 ? r : 0;
}

static int look_at_club(struct ctl *ctl, struct picture *picture)
{
	int r = look_at_timer(ctl, picture);

	if (r >= 0)
		r = look_at_people(ctl, picture, 0);
	if (r >= 0)
		r = look_at_queues(ctl, picture);
	for (int state = 0; r >= 0 && state <= GAME_FINISHED; state++)
		r = games_count_state(
			ctl->club->store, (enum game_state)state, &picture->games[state]);
	return r;
}

static int look_at_game(struct ctl *ctl, struct picture *picture, int64_t id)
{
	struct store *store = ctl->club->store;
	struct timer_row timer;
	struct game_row row;
	int r = games_load(store, &picture->arena, id, &row);

	if (r <= 0)
		return r;
	picture->games[row.state]++;
	r = look_at_people(ctl, picture, id);
	if (r >= 0)
		r = timers_next_of(store, &picture->arena, id, &timer);
	if (r <= 0 || (picture->timer.at != INSTANT_NONE && picture->timer.at <= timer.at))
		return r;
	picture->timer = timer;
	picture->game = name_game(picture, &row);
	return 0;
}

/* An arbiter's games and the next deadline among them. */
static int look_at_events(struct ctl *ctl, struct picture *picture)
{
	const struct games_filter filter = {0};
	int64_t *ids;
	size_t n;
	int r = games_list(ctl->club->store, &picture->arena, &filter, &ids, &n);

	picture->timer.at = INSTANT_NONE;
	if (r >= 0)
		r = scope_filter(ctl, ids, &n);
	for (size_t i = 0; r >= 0 && i < n; i++)
		r = look_at_game(ctl, picture, ids[i]);
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
	picture->backup = files_marked(ctl->club->configuration->store.directory, BACKUP_MARK);
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

static const char *mailbox_reason(const struct ctl *ctl, const struct configured_mailbox *mailbox)
{
	return ctl->engine ? engine_mailbox_reason(ctl->engine, mailbox->name) : "";
}

/* ---- JSON ---- */

static json_t *mailboxes_json(struct ctl *ctl, struct picture *picture)
{
	const struct configuration *configuration = ctl->club->configuration;
	json_t *array = json_array();

	for (size_t i = 0; i < configuration->n_mailboxes; i++) {
		const struct configured_mailbox *mailbox = &configuration->mailboxes[i];
		const char *reason = mailbox_reason(ctl, mailbox);
		int64_t since = down_since(picture, mailbox_name(picture, mailbox));
		bool reached = since == INSTANT_NONE;
		json_array_append_new(
			array, json_pack("{s:s, s:b, s:o, s:o}", "name", mailbox->name, "reached",
				       reached, "down_since", json_instant(since), "reason",
				       print_string(reached || !*reason ? NULL : reason)));
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

static json_t *oldest_mail_json(const struct picture *picture)
{
	const struct outbox_row *row = &picture->oldest_mail;

	return row->id == 0
		       ? json_null()
		       : json_pack("{s:I, s:s, s:o, s:o, s:I, s:o, s:o}", "id", (json_int_t)row->id,
				 "kind", row->kind, "game", print_string(picture->mail_game),
				 "created", json_instant(row->created), "attempts",
				 (json_int_t)row->attempts, "next_attempt",
				 json_instant(row->next_attempt), "error",
				 print_string(row->error));
}

/* What waits longest, and who is waited for. */
static void add_waiting(const struct picture *picture, json_t *told)
{
	json_t *message =
		picture->oldest_message == 0
			? json_null()
			: json_pack("{s:I, s:o}", "id", (json_int_t)picture->oldest_message,
				  "arrival", json_instant(picture->oldest_arrival));

	json_object_set_new(told, "oldest_message", message);
	json_object_set_new(told, "oldest_mail", oldest_mail_json(picture));
	json_object_set_new(told, "confirmations",
		json_pack("{s:I, s:o}", "waiting", (json_int_t)picture->confirmations, "first_ends",
			picture->confirmations ? json_instant(picture->first_end) : json_null()));
	json_object_set_new(told, "rulings",
		json_pack("{s:I, s:I}", "games", (json_int_t)picture->games[GAME_SUSPENDED],
			"leaves", (json_int_t)picture->leaves));
	json_object_set_new(told, "last_backup", json_instant(picture->backup));
}

static json_t *picture_json(struct ctl *ctl, struct picture *picture)
{
	const struct engine_status *status = &picture->engine;
	int64_t down = down_since(picture, "delivery"), until = picture->paused_until;
	json_t *told =
		json_pack("{s:s, s:b, s:b, s:o, s:b, s:o, s:o, s:I, s:I, s:I, s:o, s:o, s:o, s:o}",
			"club", ctl->club->configuration->club.name, "running", ctl->engine != NULL,
			"paused", until != INSTANT_NONE, "paused_until",
			until == WORK_PAUSED ? json_null() : json_instant(until),
			"mailboxes_reached", ctl->engine && status->complete, "mailboxes",
			mailboxes_json(ctl, picture), "delivery",
			json_pack("{s:b, s:o, s:o, s:o}", "reached", down == INSTANT_NONE,
				"down_since", json_instant(down), "reason",
				print_string(*status->target_reason ? status->target_reason : NULL),
				"next_try", json_instant(status->target_next_try)),
			"waiting_messages", (json_int_t)status->waiting_messages, "waiting_mails",
			(json_int_t)status->waiting_mails, "failed_mails",
			(json_int_t)picture->failed_mails, "next_deadline",
			json_instant(picture->timer.at), "next", next_json(picture), "last_pass",
			json_instant(status->last_round), "games", games_json(picture));

	if (told)
		add_waiting(picture, told);
	return told;
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

/* "13 hours ago" */
static void print_age(FILE *out, int64_t age)
{
	static const struct {
		int64_t ms;
		const char *name;
	} units[] = {{INT64_C(86400000), "day"}, {INT64_C(3600000), "hour"}, {60000, "minute"}};

	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		int64_t n = age / units[i].ms;
		if (n < 1)
			continue;
		fprintf(out, ", %" PRId64 " %s%s ago", n, units[i].name, n == 1 ? "" : "s");
		return;
	}
}

static void print_oldest(FILE *out, const struct picture *picture)
{
	const struct outbox_row *mail = &picture->oldest_mail;

	if (picture->oldest_message != 0)
		fprintf(out, "%-18s no. %" PRId64 ", of %s\n", "oldest message",
			picture->oldest_message, print_instant(picture->oldest_arrival));
	if (mail->id == 0)
		return;
	fprintf(out, "%-18s no. %" PRId64 " (%s%s%s), of %s", "oldest mail", mail->id, mail->kind,
		picture->mail_game ? ", " : "", picture->mail_game ? picture->mail_game : "",
		print_instant(mail->created));
	if (mail->attempts > 0)
		fprintf(out, ", put off %" PRId64 " time%s", mail->attempts,
			mail->attempts == 1 ? "" : "s");
	fprintf(out, "%s%s\n", mail->error ? ": " : "", mail->error ? mail->error : "");
}

static void print_people(FILE *out, const struct picture *picture)
{
	int64_t held = picture->confirmations, games = picture->games[GAME_SUSPENDED];

	if (held > 0)
		fprintf(out,
			"%-18s %" PRId64 " message%s for %s sender%s word, the first until %s\n",
			"confirmations", held, held == 1 ? " waits" : "s wait",
			held == 1 ? "its" : "their", held == 1 ? "'s" : "s'",
			print_instant(picture->first_end));
	if (games == 0 && picture->leaves == 0)
		return;
	fprintf(out, "%-18s", "rulings");
	if (games > 0)
		fprintf(out, " %" PRId64 " game%s for the arbiter", games,
			games == 1 ? " waits" : "s wait");
	if (picture->leaves > 0)
		fprintf(out, "%s %" PRId64 " leave%s for %s", games > 0 ? "," : "", picture->leaves,
			picture->leaves == 1 ? " waits" : "s wait",
			games > 0 ? "him" : "the arbiter");
	fputc('\n', out);
}

static void print_backup(const struct ctl *ctl, const struct picture *picture)
{
	fprintf(ctl->out, "%-18s ", "last backup");
	if (picture->backup == INSTANT_NONE) {
		fputs("not known\n", ctl->out);
		return;
	}
	fputs(print_instant(picture->backup), ctl->out);
	print_age(ctl->out, ctl->now - picture->backup);
	fputc('\n', ctl->out);
}

static void print_picture(struct ctl *ctl, struct picture *picture)
{
	const struct configuration *configuration = ctl->club->configuration;
	const struct engine_status *status = &picture->engine;
	FILE *out = ctl->out;

	print_head(ctl, picture);
	for (size_t i = 0; i < configuration->n_mailboxes; i++) {
		const struct configured_mailbox *mailbox = &configuration->mailboxes[i];
		const char *name = mailbox_name(picture, mailbox);
		print_reach(out, name, down_since(picture, name), mailbox_reason(ctl, mailbox));
	}
	print_reach(out, "delivery", down_since(picture, "delivery"), status->target_reason);
	fprintf(out,
		"%-18s %" PRId64 " messages to decide, %" PRId64 " mails to deliver, %" PRId64
		" failed\n",
		"queues", status->waiting_messages, status->waiting_mails, picture->failed_mails);
	print_oldest(out, picture);
	print_people(out, picture);
	fprintf(out, "%-18s %s", "next deadline", print_instant(picture->timer.at));
	if (picture->game)
		fprintf(out, ", %s in %s", picture->timer.kind, picture->game);
	fprintf(out, "\n%-18s", "games");
	for (int state = 0; state <= GAME_FINISHED; state++)
		fprintf(out, "%s %" PRId64 " %s", state ? "," : "", picture->games[state],
			game_state_name((enum game_state)state));
	fputc('\n', out);
	print_backup(ctl, picture);
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

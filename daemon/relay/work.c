#include "daemon/relay/work.h"

#include <errno.h>
#include <glib.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/log.h"
#include "daemon/reading/letter_json.h"
#include "daemon/relay/bulletin.h"
#include "daemon/relay/carry.h"
#include "daemon/relay/input_log.h"
#include "daemon/relay/receive.h"
#include "daemon/relay/services.h"
#include "daemon/store/inbox.h"
#include "daemon/store/outbox.h"
#include "daemon/store/timers.h"

/* ---- Timers ---- */

static int fire_start(struct club *club, const struct timer_row *timer, int64_t now)
{
	struct match *match CLEANUP_MATCH = NULL;
	int r = match_open(club, timer->game, &match);

	if (r < 0 || match->game.state != GAME_SCHEDULED)
		return r;
	r = carry_start(match, timer->at, now);
	return r < 0 ? r : receive_held(club, timer->game, now);
}

/* Nobody confirmed a held move: it lapses, and the deadline that it put off stands again. */
static int fire_confirm(struct club *club, const struct timer_row *timer, int64_t now)
{
	struct match *match CLEANUP_MATCH = NULL;
	int r = match_open(club, timer->game, &match);

	if (r < 0)
		return r;
	log_with(LOG_NOTICE,
		&(struct log_fields){
			.event = "unconfirmed", .game = match->id, .message = timer->ply},
		"message %lld was not confirmed in time", (long long)timer->ply);
	(void)now;
	return carry_deadlines(match);
}

/* A timer of the game's clock, or of its event. */
static int fire_clock(struct club *club, const struct timer_row *row, int64_t now)
{
	struct match *match CLEANUP_MATCH = NULL;
	int r = match_open(club, row->game, &match);

	if (r < 0)
		return r;
	struct clock_timer timer = {
		.kind = clock_timer_find(row->kind),
		.at = row->at,
		.ply = (int)row->ply,
		.by = game_turn(&match->game, match->game.n_moves),
	};
	if (timer.kind == TIMER_ACCESS)
		timer.by = row->ply == SIDE_WHITE ? SIDE_WHITE : SIDE_BLACK;
	return carry_timer(match, &timer, now);
}

static int fire_kind(struct club *club, const struct timer_row *timer, int64_t now)
{
	if (strcmp(timer->kind, "start") == 0)
		return fire_start(club, timer, now);
	if (strcmp(timer->kind, "confirm") == 0)
		return fire_confirm(club, timer, now);
	if (strcmp(timer->kind, ADDRESS_TIMER) == 0)
		return services_address_lapse(club, timer->ply, now);
	if (strcmp(timer->kind, BULLETIN_TIMER) == 0)
		return bulletin_fire(club, timer->game, timer->at, now);
	if (clock_timer_find(timer->kind) != CLOCK_TIMER_KINDS)
		return fire_clock(club, timer, now);
	return -EBADMSG;
}

/* What lets it fire, and that it does. */
static int log_timer(
	struct club *club, const struct timer_row *timer, const struct work_limits *limits)
{
	int r = input_log_scan(club, limits->now, limits->until, limits->scanned_until);

	return r < 0 ? r
		     : input_log(club, limits->now, "timer",
			       json_pack("{s:I, s:s, s:I, s:I}", "game", (json_int_t)timer->game,
				       "kind", timer->kind, "ply", (json_int_t)timer->ply, "at",
				       (json_int_t)timer->at));
}

static int fire(struct club *club, const struct timer_row *timer, const struct work_limits *limits)
{
	int64_t now = limits->now;
	int r = store_begin(club->store);

	if (r < 0)
		return r;
	r = log_timer(club, timer, limits);
	if (r >= 0)
		r = timers_fired(club->store, timer, now);
	if (r >= 0)
		r = fire_kind(club, timer, now);
	if (r < 0) {
		store_rollback(club->store);
		return r;
	}
	return store_commit(club->store);
}

/* ---- Messages ---- */

/* A deadline of the game that the message belongs to is due before it, but may not fire yet
 * (a mailbox could not be scanned): the message waits behind it. */
static int waits(struct club *club, const struct inbox_row *row, bool *ret_waits)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	struct identity identity;
	struct letter *letter = NULL;
	int r = letter_from_json(row->letter, strlen(row->letter), &letter);

	if (r < 0)
		return r;
	r = identify(club, &arena, letter, &identity);
	letter_free(letter);
	if (r < 0)
		return r;
	r = identity.game ? timers_due(club->store, identity.game, row->arrival) : 0;
	*ret_waits = r > 0;
	return r < 0 ? r : 0;
}

static int decide_message(struct club *club, int64_t id, const struct work_limits *limits)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	struct inbox_row row;
	int r = store_begin(club->store);

	if (r < 0)
		return r;
	r = input_log_scan(club, limits->now, limits->until, limits->scanned_until);
	if (r >= 0)
		r = inbox_load(club->store, &arena, id, &row);
	if (r > 0)
		r = receive_row(club, &row, &(struct judge_input){.again = false}, limits->now);
	else if (r == 0)
		r = -ENOENT;
	if (r < 0) {
		store_rollback(club->store);
		return r;
	}
	return store_commit(club->store);
}

/* ---- One after the other ---- */

/* The first message that is due and need not wait: 1 found. */
static int next_message(
	struct club *club, const struct work_limits *limits, int64_t before_timer, int64_t *ret_id)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	struct inbox_order order = {.arrival = INSTANT_NONE, .place = ""};
	bool blocked = before_timer <= limits->until && before_timer > limits->scanned_until;
	int r;

	while ((r = inbox_next_undecided(club->store, &arena, &order, &order, ret_id)) > 0) {
		struct inbox_row row;
		bool must_wait = false;
		if (order.arrival > limits->until)
			return 0;
		r = inbox_load(club->store, &arena, *ret_id, &row);
		if (r <= 0)
			return r;
		if (!row.letter)
			continue; /* the reader still has it */
		if (order.arrival < before_timer)
			return 1;
		if (!blocked)
			return 0; /* the timer comes first */
		r = waits(club, &row, &must_wait);
		if (r < 0)
			return r;
		if (!must_wait)
			return 1;
	}
	return r;
}

/* Is it the store that failed, so that every message would fail alike? */
static bool is_of_the_store(int error)
{
	return error == -EIO || error == -ENOSPC || error == -ENOMEM || error == -EBUSY;
}

/* This one message cannot be decided: it must not stand in the way of the others. It is
 * kept whole, and `zugpostctl message ID --retry` takes it up again. */
static int give_up(struct club *club, int64_t id, int error, int64_t now)
{
	char reason[160];

	snprintf(reason, sizeof(reason), "it could not be decided: %s", strerror(-error));
	return work_set_aside(club, id, reason, now);
}

/* ---- Pause ---- */

static const char *const paused_fact = "paused_until";

int work_pause(struct club *club, int64_t until)
{
	return store_set_fact(club->store, paused_fact, until);
}

int work_paused(struct club *club, int64_t now, int64_t *ret_until)
{
	int64_t until = INSTANT_NONE;
	int r = store_fact(club->store, paused_fact, &until);

	if (r < 0 || until == INSTANT_NONE || until <= now)
		return r < 0 ? r : 0;
	*ret_until = until;
	return 1;
}

int work_step(struct club *club, const struct work_limits *limits, struct work_done *ret_done)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	struct timer_row timer = {.at = INT64_MAX};
	int64_t id, until;

	*ret_done = (struct work_done){0};
	int r = work_paused(club, limits->now, &until);
	if (r != 0)
		return r < 0 ? r : 0;
	r = timers_next(club->store, &arena, &timer);
	if (r < 0)
		return r;
	r = next_message(club, limits, timer.at, &id);
	if (r < 0)
		return r;
	if (r > 0) {
		ret_done->message = id;
		r = decide_message(club, id, limits);
		if (r < 0 && !is_of_the_store(r))
			r = give_up(club, id, r, limits->now);
		return r < 0 ? r : 1;
	}
	if (timer.at > limits->until || timer.at > limits->scanned_until)
		return 0;
	r = fire(club, &timer, limits);
	return r < 0 ? r : 1;
}

int work_next_timer(struct club *club, int64_t *ret_at)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	struct timer_row timer;
	int r = timers_next(club->store, &arena, &timer);

	if (r > 0)
		*ret_at = timer.at;
	return r < 0 ? r : 0;
}

/* ---- Deliveries ---- */

static int log_delivery(struct club *club, const char *kind, const struct outbox_row *row,
	const char *reason, int64_t at)
{
	return input_log(club, at, kind,
		json_pack("{s:s, s:s*}", "message_id", row->message_id, "reason", reason));
}

static int start_clock(struct club *club, const struct outbox_row *row, int64_t at)
{
	struct match *match CLEANUP_MATCH = NULL;

	if (!row->clock_seq)
		return 0;
	int r = row->clock_query ? ledger_queried(club->store, row->game, row->clock_seq, at)
				 : ledger_delivered(club->store, row->game, row->clock_seq, at);
	if (r >= 0)
		r = match_open(club, row->game, &match);
	if (r >= 0 && !row->clock_query)
		r = carry_delivered(match, row->clock_seq, at);
	return r < 0 ? r : carry_deadlines(match);
}

static int stamp(struct club *club, int64_t outbox, int64_t at)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	struct outbox_row row;
	int r = outbox_load(club->store, &arena, outbox, &row);

	if (r <= 0)
		return r < 0 ? r : -ENOENT;
	r = outbox_delivered(club->store, outbox, at);
	if (r >= 0)
		r = log_delivery(club, "delivered", &row, NULL, at);
	return r < 0 ? r : start_clock(club, &row, at);
}

static int fail(struct club *club, int64_t outbox, const char *reason, int64_t now)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	struct match *match CLEANUP_MATCH = NULL;
	struct outbox_row row;
	int r = outbox_load(club->store, &arena, outbox, &row);

	if (r <= 0)
		return r < 0 ? r : -ENOENT;
	r = outbox_failed(club->store, outbox, reason);
	if (r >= 0)
		r = log_delivery(club, "failed", &row, reason, now);
	if (r < 0 || !row.game)
		return r;
	r = match_open(club, row.game, &match);
	return r < 0 ? r : carry_bounce(match, outbox, reason, now);
}

static int finish(struct club *club, int r)
{
	if (r < 0) {
		store_rollback(club->store);
		return r;
	}
	return store_commit(club->store);
}

int work_delivered(struct club *club, int64_t outbox, int64_t at)
{
	int r = store_begin(club->store);
	return r < 0 ? r : finish(club, stamp(club, outbox, at));
}

/* What a server or the system says may be any bytes. */
static const char *clean(struct arena *arena, const char *reason)
{
	char *valid = g_utf8_make_valid(reason, -1);
	const char *text = arena_string(arena, valid);

	g_free(valid);
	return text;
}

int work_undeliverable(struct club *club, int64_t outbox, const char *reason, int64_t now)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	int r = store_begin(club->store);

	return r < 0 ? r : finish(club, fail(club, outbox, clean(&arena, reason), now));
}

static int put_off(struct club *club, int64_t outbox, int64_t next, const char *reason, int64_t now)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	struct outbox_row row;
	int r = outbox_load(club->store, &arena, outbox, &row);

	if (r <= 0)
		return r < 0 ? r : -ENOENT;
	r = input_log(club, now, "put-off",
		json_pack("{s:s, s:s, s:I}", "message_id", row.message_id, "reason", reason, "next",
			(json_int_t)next));
	return r < 0 ? r : outbox_put_off(club->store, outbox, now, next, reason);
}

int work_put_off(struct club *club, int64_t outbox, int64_t next, const char *reason, int64_t now)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	int r = store_begin(club->store);

	return r < 0 ? r : finish(club, put_off(club, outbox, next, clean(&arena, reason), now));
}

int work_scanned(struct club *club, const struct work_limits *limits)
{
	int r = store_begin(club->store);

	return r < 0 ? r
		     : finish(club, input_log_scan(club, limits->now, limits->until,
					    limits->scanned_until));
}

static int log_set_aside(struct club *club, int64_t inbox, const char *reason, int64_t now)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	struct inbox_row row;
	int r = inbox_load(club->store, &arena, inbox, &row);

	if (r <= 0)
		return r < 0 ? r : -ENOENT;
	return input_log(club, now, "set-aside",
		json_pack("{s:I, s:s, s:b}", "message", (json_int_t)inbox, "reason", reason, "read",
			row.letter != NULL));
}

int work_set_aside(struct club *club, int64_t inbox, const char *reason, int64_t now)
{
	const struct inbox_outcome outcome = {
		.verdict = verdict_name(VERDICT_UNPARSABLE_MAIL),
		.ply = -1,
		.notes = reason,
		.decided = now,
	};
	int r = store_begin(club->store);

	if (r < 0)
		return r;
	r = log_set_aside(club, inbox, reason, now);
	if (r >= 0)
		r = inbox_decide(club->store, inbox, &outcome);
	r = finish(club, r);
	if (r >= 0)
		log_with(LOG_WARNING,
			&(struct log_fields){
				.event = "set-aside", .message = inbox, .verdict = outcome.verdict},
			"message %lld is set aside unread: %s", (long long)inbox, reason);
	return r;
}

#include "daemon/relay/carry.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/log.h"
#include "daemon/reading/trust.h"
#include "daemon/relay/caps.h"
#include "daemon/relay/lotto.h"
#include "daemon/relay/post.h"
#include "daemon/relay/recount.h"
#include "daemon/store/outbox.h"
#include "daemon/store/timers.h"
#include "daemon/zone.h"
#include "rules/edition.h"

/* ---- Effects on the game ---- */

struct work {
	struct match *match;
	const struct decision *decision;
	int64_t inbox;
	int64_t at;               /* when it happens */
	int64_t seq[EFFECTS_MAX]; /* the ledger row of each EFFECT_CLOCK */
	int64_t last_seq;         /* of the last move or start among them */
	int penalty_days;         /* booked by it */
};

/* Does it leave the turn that runs as it is? */
static bool keeps_turn(enum clock_event_kind kind)
{
	return kind == CLOCK_LEAVE || kind == CLOCK_LEAVE_END || kind == CLOCK_GAMES ||
	       kind == CLOCK_STOP_REQUEST || kind == CLOCK_STOP_GRANT ||
	       kind == CLOCK_STOP_WITHDRAW || kind == CLOCK_VACATION_CHANGE || kind == CLOCK_EDIT ||
	       kind == CLOCK_ZONE;
}

/* A move that was held until it was confirmed may have arrived before something that has
 * been booked since. The clock takes events in order: it counts from its own arrival if its turn
 * is still the same, else (a ruling has begun it anew) from there. */
static struct clock_event in_order(const struct match *match, const struct clock_event *event)
{
	struct clock_event stamped = *event;
	size_t i = match->n_ledger;

	if (i == 0 || event->kind == CLOCK_START || event->at >= match->ledger[i - 1].event.at)
		return stamped;
	stamped.at = match->ledger[i - 1].event.at;
	while (i > 0 && match->ledger[i - 1].event.at > event->at &&
		keeps_turn(match->ledger[i - 1].event.kind))
		i--;
	bool same = i > 0 && match->ledger[i - 1].event.at <= event->at;
	if (same && (event->kind == CLOCK_MOVE || event->kind == CLOCK_AUTO_REPLY))
		stamped.sent = event->at;
	return stamped;
}

static int carry_clock(struct work *work, const struct clock_event *event, int64_t *ret_seq)
{
	struct match *match = work->match;
	struct clock_event stamped = in_order(match, event);
	struct clock_answer answer;
	int r = clock_apply(match->clock, &stamped, &answer);

	if (r > 0) {
		log_line(LOG_ERR, "game %s: the clock refuses an event: %s", match->id,
			clock_error_text((enum clock_error)r));
		return -EBADMSG;
	}
	/* Board and clock must not part. */
	if (r == 0 && answer.held) {
		log_line(LOG_ERR, "game %s: the clock does not run", match->id);
		return -EBADMSG;
	}
	if (r < 0)
		return r;
	const struct ledger_row row = {
		.event = stamped,
		.ply = match->row.n_moves,
		.inbox = work->inbox,
	};
	r = ledger_append(match->club->store, match->row.id, &row, ret_seq);
	if (r < 0)
		return r;
	if (event->kind == CLOCK_MOVE || event->kind == CLOCK_START)
		work->last_seq = *ret_seq;
	if (event->kind == CLOCK_FAULT)
		work->penalty_days = answer.penalty;
	return 0;
}

static void carry_state(struct match *match, const struct effect *effect)
{
	match->row.state = match->game.state = effect->state;
	match->row.result = match->game.result = effect->result;
	match->row.termination = match->game.termination = effect->termination;
	match->row.awaiting = match->game.awaiting = effect->awaiting;
	match->row.awaiting_by = match->game.awaiting_by = effect->awaiting_by;
}

static void carry_conditionals(struct match *match, const struct conditionals *conditionals)
{
	char *text = arena_alloc(&match->arena, CONDITIONALS_TEXT_MAX);

	conditionals_write(conditionals, text);
	match->game.conditionals = *conditionals;
	match->row.conditionals = text;
}

static int arm_timer(struct match *match, const struct clock_timer *timer, bool once)
{
	const struct timer_row row = {
		.game = match->row.id,
		.kind = clock_timer_name(timer->kind),
		.ply = timer->ply,
		.at = timer->at,
	};
	return once ? timers_arm_once(match->club->store, &row)
		    : timers_arm(match->club->store, &row);
}

static int carry_effect(struct work *work, size_t index)
{
	const struct effect *effect = &work->decision->effects[index];
	struct match *match = work->match;

	switch (effect->kind) {
	case EFFECT_MOVE:
		match_add_move(match, effect->move);
		return 0;
	case EFFECT_CLOCK:
		return carry_clock(work, &effect->event, &work->seq[index]);
	case EFFECT_STATE:
		carry_state(match, effect);
		return 0;
	case EFFECT_OFFER:
		match->row.draw_offer = match->game.draw_offer = effect->offer;
		return 0;
	case EFFECT_CONDITIONALS:
		carry_conditionals(match, &work->decision->conditionals);
		return 0;
	case EFFECT_DEMAND:
		memcpy(match->row.demanded, effect->demanded, sizeof(match->row.demanded));
		memcpy(match->game.demanded, effect->demanded, sizeof(match->game.demanded));
		return 0;
	case EFFECT_WITHDREW:
		match->row.withdrew[effect->side] = effect->withdrew;
		match->game.withdrew[effect->side] = effect->withdrew;
		return 0;
	case EFFECT_TIMER:
		return arm_timer(match, &effect->timer, false);
	case EFFECT_REARM:
		return timers_forget(match->club->store, match->row.id,
			clock_timer_name(effect->timer.kind), (int64_t)effect->plies);
	case EFFECT_ROLLBACK:
		match_take_back(match, effect->plies);
		return 0;
	case EFFECT_MAIL:
		return 0; /* mails describe what stands when all the rest is done */
	}
	return -EINVAL;
}

/* A game that was over before it began: its start comes again. */
static int arm_start(struct work *work)
{
	const struct match *match = work->match;
	int64_t start = match->tournament.start;
	const struct timer_row timer = {
		.game = match->row.id,
		.kind = "start",
		.at = start > work->at ? start : work->at,
	};
	int r = timers_disarm(match->club->store, timer.game, timer.kind);

	if (r >= 0)
		r = timers_forget(match->club->store, timer.game, timer.kind, 0);
	return r < 0 ? r : timers_arm(match->club->store, &timer);
}

static int carry_effects(struct work *work)
{
	struct match *match = work->match;
	bool was_over = match->row.state == GAME_FINISHED;
	int r = 0;

	for (size_t i = 0; r >= 0 && i < work->decision->n_effects; i++)
		r = carry_effect(work, i);
	if (r >= 0)
		r = games_update(match->club->store, &match->row);
	if (r >= 0 && was_over && match->row.state == GAME_SCHEDULED)
		r = arm_start(work);
	if (r < 0 || was_over == (match->row.state == GAME_FINISHED))
		return r;
	if (was_over)
		r = recount_own(match, work->at);
	return r < 0 ? r : recount_others(match, work->at);
}

/* What the delivery of a mail stamps. Where the decision does not say it: the reader's time
 * starts when the move, or the pairing of the side on move, reaches him. */
static void choose_stamp(const struct work *work, const struct effect *effect, struct post *post)
{
	const struct game *game = &work->match->game;
	bool on_move = (enum side)effect->to == game_turn(game, game->n_moves);

	post->clock_seq = 0;
	post->clock_query = effect->stamp == STAMP_QUERY;
	if (effect->stamp != STAMP_NONE)
		post->clock_seq = work->seq[effect->stamped];
	else if (effect->mail == MAIL_MOVE || (effect->mail == MAIL_PAIRING && on_move))
		post->clock_seq = work->last_seq;
}

static int carry_mail(struct work *work, const struct effect *effect, struct post *post)
{
	post->kind = effect->mail;
	post->required = effect->required;
	choose_stamp(work, effect, post);
	switch (effect->to) {
	case READER_WHITE:
		return post_to_player(work->match, SIDE_WHITE, post);
	case READER_BLACK:
		return post_to_player(work->match, SIDE_BLACK, post);
	case READER_ARBITER:
		return post_to_arbiters(work->match, post);
	case READER_PUBLIC:
		return post_to_public(work->match, post);
	}
	return -EINVAL;
}

/* Does its sender get no answer because of the daily cap? */
static bool is_silenced(const struct work *work, const struct judgement *judgement)
{
	const struct decision *decision = work->decision;

	if (!judgement || !judgement->capped || !judgement->has_message)
		return false;
	for (size_t i = 0; i < decision->n_effects; i++)
		if (decision->effects[i].kind == EFFECT_MAIL &&
			(enum side)decision->effects[i].to == judgement->message.by)
			return false;
	return true;
}

/* Then the arbiter is told of an address once a day, not of each further message: a robot would
 * flood him. Returns 1 if he was told already. Of moves that stand he is always told. */
static int told_of_cap(struct work *work, const struct post *post)
{
	struct club *club = work->match->club;
	const struct judgement *judgement = post->judgement;

	if (!edition_includes(club->edition, EDITION_2))
		return !judgement || !judgement->capped
			       ? 0
			       : caps_left_out(club, judgement->identity.address, post->inbox,
					 post->received, post->now);
	if (!is_silenced(work, judgement))
		return 0;
	int r = caps_left_out(
		club, judgement_address(judgement), post->inbox, post->received, post->now);
	return r > 0 ? work->decision->made == 0 : r;
}

static int carry_mails(struct work *work, struct post *post)
{
	int told = told_of_cap(work, post);
	int r = told < 0 ? told : 0;

	post->penalty_days = work->penalty_days;
	post->article = work->decision->article;
	for (size_t i = 0; r >= 0 && i < work->decision->n_effects; i++)
		if (work->decision->effects[i].kind == EFFECT_MAIL &&
			!(told && work->decision->effects[i].mail == MAIL_COPY))
			r = carry_mail(work, &work->decision->effects[i], post);
	return r;
}

/* ---- Timers ---- */

/* The kinds that follow from the clock. Those that remind come once for a ply. */
static const struct {
	enum clock_timer_kind kind;
	bool once;
} clock_kinds[] = {
	{TIMER_REMIND, true},
	{TIMER_REPEAT, true},
	{TIMER_SILENCE, true},
	{TIMER_REPORT, true},
	{TIMER_OVERSTEP, false},
	{TIMER_STOP_START, false},
	{TIMER_STOP_END, false},
	{TIMER_COPIES, true},
	{TIMER_LEAVE_END, false},
};

static int disarm_all(struct match *match)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < ARRAY_SIZE(clock_kinds); i++)
		r = timers_disarm(
			match->club->store, match->row.id, clock_timer_name(clock_kinds[i].kind));
	return r;
}

static int arm_clock_timer(struct match *match, const struct clock_timer *timer)
{
	for (size_t i = 0; i < ARRAY_SIZE(clock_kinds); i++)
		if (clock_kinds[i].kind == timer->kind)
			return arm_timer(match, timer, clock_kinds[i].once);
	return 0;
}

int carry_deadlines(struct match *match)
{
	struct clock_timer timers[CLOCK_TIMERS_MAX];
	int r = disarm_all(match);

	if (r < 0 || match->row.state != GAME_ACTIVE)
		return r;
	/* A held move that arrived in time puts the deadline off. */
	int held = timers_armed(match->club->store, match->row.id, CONFIRM_TIMER);
	if (held < 0)
		return held;
	size_t n = clock_timers(match->clock, timers);
	for (size_t i = 0; r >= 0 && i < n; i++)
		if (!held || timers[i].kind != TIMER_OVERSTEP)
			r = arm_clock_timer(match, &timers[i]);
	/* It has run out already, and what put that off is over. */
	const struct clock_overstep *overstep = clock_overstep(match->clock);
	enum clock_status status = clock_status(match->clock);
	if (r < 0 || held || !overstep || (status != CLOCK_SUSPENDED && status != CLOCK_OVER))
		return r;
	return arm_clock_timer(match, &(struct clock_timer){.kind = TIMER_OVERSTEP,
					      .at = overstep->at,
					      .ply = clock_ply(match->clock)});
}

/* What follows if the game goes on although a player has withdrawn; *ret_decision is NULL if
 * nothing does. */
static int carry_withdrawn(struct work *work, struct decision **ret_decision)
{
	struct match *match = work->match;
	struct rules_context context;
	struct decision *decision;

	*ret_decision = NULL;
	if (!match->game.withdrew[SIDE_WHITE] && !match->game.withdrew[SIDE_BLACK])
		return 0;
	/* A deadline that has passed comes first. */
	clock_advance(match->clock, work->at);
	match_context(match, &context);
	decision = arena_alloc(&match->arena, sizeof(*decision));
	if (!decide_withdrawn(&context, &match->game, work->at, decision))
		return 0;
	work->decision = *ret_decision = decision;
	return carry_effects(work);
}

int carry_decided(struct match *match, const struct decision *decision, struct post *post)
{
	struct work work = {
		.match = match,
		.decision = decision,
		.inbox = post->inbox,
		.at = post->timer   ? post->timer->at
		      : post->inbox ? post->received
				    : post->now,
	};
	bool was_drawn = match->row.result == RESULT_DRAW;
	struct decision *withdrawn = NULL;
	int r = carry_effects(&work);
	struct work then = work;

	post->decision = decision;
	if (r >= 0)
		r = carry_withdrawn(&then, &withdrawn);
	/* All mails tell how the game stands after all of it. */
	if (r >= 0)
		r = carry_mails(&work, post);
	struct post more = {
		.decision = withdrawn,
		.inbox = post->inbox,
		.cause_digest = post->cause_digest,
		.received = post->received,
		.now = post->now,
	};
	if (r >= 0 && withdrawn)
		r = carry_mails(&then, &more);
	if (r >= 0)
		r = carry_deadlines(match);
	return r < 0 || was_drawn ? r : lotto_follow(match, work.at, post->now);
}

int carry_timer(struct match *match, const struct clock_timer *timer, int64_t now)
{
	struct rules_context context;
	struct decision decision;

	clock_advance(match->clock, timer->at);
	match_context(match, &context);
	decide_timer(&context, &match->game, timer, &decision);
	if (decision.n_effects > 0)
		log_with(LOG_NOTICE,
			&(struct log_fields){.event = clock_timer_name(timer->kind),
				.game = match->id,
				.ply = (int64_t)match->row.n_moves},
			"game %s: %s", match->id, clock_timer_name(timer->kind));
	struct post post = {
		.timer = timer,
		.received = INSTANT_NONE,
		.now = now,
		/* A ruling may undo what fired, and it fires again for the same ply. */
		.cause_digest = arena_format(&match->arena, "%s %lld",
			clock_timer_name(timer->kind), (long long)timer->at),
	};
	return carry_decided(match, &decision, &post);
}

int carry_delivered(struct match *match, int64_t seq, int64_t now)
{
	struct rules_context context;
	struct decision decision;

	for (size_t i = 0; i < match->n_ledger; i++) {
		if (match->ledger[i].seq != seq)
			continue;
		match_context(match, &context);
		decide_delivered(&context, &match->game, &match->ledger[i].event, &decision);
		struct post post = {
			.received = INSTANT_NONE,
			.now = now,
			.cause_digest =
				arena_format(&match->arena, "delivered %lld", (long long)seq),
		};
		return decision.n_effects > 0 ? carry_decided(match, &decision, &post) : 0;
	}
	return -EBADMSG;
}

/* RAZSh 4.5: the official date of the start is one for all players, wherever they live. */
static int set_official_date(const struct match *match, struct decision *decision)
{
	const struct zone *zone;
	int r = zone_load(match->club->configuration->club.timezone, &zone);

	if (r < 0 || (match->parameters.system != RULES_RAZSH &&
			     match->parameters.system != RULES_RAZSH_POST))
		return r;
	for (size_t i = 0; i < decision->n_effects; i++)
		if (decision->effects[i].kind == EFFECT_CLOCK)
			decision->effects[i].event.date = zone_date(zone, match->tournament.start);
	return 0;
}

int carry_start(struct match *match, int64_t at, int64_t now)
{
	struct rules_context context;
	struct decision decision;

	int r = recount_own(match, at);
	if (r < 0)
		return r;
	match_context(match, &context);
	decide_start(&context, &match->game, at, &decision);
	r = set_official_date(match, &decision);
	if (r < 0)
		return r;
	struct post post = {.received = INSTANT_NONE, .now = now, .cause_digest = "start"};
	r = carry_decided(match, &decision, &post);
	if (r >= 0)
		r = recount_others(match, at);
	if (r < 0 || match->tournament.end == INSTANT_NONE)
		return r;
	const struct clock_timer end = {.kind = TIMER_EVENT_END, .at = match->tournament.end};
	return arm_timer(match, &end, false);
}

/* Himself, where he has another address. */
static int tell_unreached(
	struct match *match, enum side side, const struct outbox_row *row, struct post *post)
{
	const struct player_row *player = &match->players[side];

	for (size_t i = 0; i < player->n_addresses; i++) {
		if (address_same(player->addresses[i], row->recipient))
			continue;
		post->to = player->addresses[i];
		post->bounced_own = true;
		return post_to_player(match, side, post);
	}
	return 0;
}

int carry_bounce(struct match *match, int64_t outbox, const char *reason, int64_t now)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	struct outbox_row row;
	int r = outbox_load(match->club->store, &arena, outbox, &row);

	if (r <= 0)
		return r < 0 ? r : -ENOENT;
	/* A notice about a notice helps nobody, nor does one for each mail of the same turn. */
	if (strcmp(row.kind, mail_kind_name(MAIL_BOUNCE_NOTICE)) == 0)
		return 0;
	r = outbox_has_failed(match->club->store, &row);
	if (r != 0)
		return r < 0 ? r : 0;
	struct post post = {
		.kind = MAIL_BOUNCE_NOTICE,
		.received = INSTANT_NONE,
		.cause_digest = row.message_id,
		.bounced_subject = row.subject,
		.bounced_reason = reason,
		.now = now,
	};
	int side = match_side(match, row.player);
	if (side >= 0) {
		post.bounced_player = match->players[side].name;
		post.bounced_side = (enum side)side;
		r = post_to_player(match, side_other((enum side)side), &post);
	}
	if (r >= 0)
		r = post_to_arbiters(match, &post);
	return r < 0 || side < 0 ? r : tell_unreached(match, (enum side)side, &row, &post);
}

/*
 * What happens without a message (product, section 6).
 */
#include "rules/decide_effects.h"

#include <assert.h>

#define PAPERS_DAYS 14 /* RAZSh 9.4 */

static void overstep_razsh(const struct rules_context *context, struct decision *decision)
{
	/* 6.1: a claim is open to the opponent; the arbiter gets the account for information. */
	decision->article = context->system == RULES_RAZSH ? "RAZSh 6.1" : "RAZSh II 6.1";
}

/* Who is on the move; but a penalty for an illegal conditional (IECC 7.8) may overstep together
 * with the move that it was sent with, and then its sender is not. */
static enum side late_side(const struct rules_context *context, const struct game *game)
{
	const struct clock_overstep *overstep =
		context->clock ? clock_overstep(context->clock) : NULL;

	return context->system == RULES_IECC && overstep && edition_is(context, EDITION_2)
		       ? overstep->by
		       : game_turn(game, game->n_moves);
}

/* IECC 7.10: the game is suspended, never lost by itself. */
static void overstep_iecc(enum side late, struct decision *decision)
{
	struct effect *effect = effect_state(decision, GAME_SUSPENDED);

	effect->awaiting = AWAITING_OVERSTEP;
	effect->awaiting_by = late;
	decision->article = "IECC 7.10";
}

/* MC-link 7bis.1: the time-out is declared, subject to the Coordinator. The clock ends the game
 * by itself when it is advanced: there is no event. */
static void overstep_mclink(const struct game *game, struct decision *decision)
{
	effect_clear(decision, game);
	struct effect *effect = effect_state(decision, GAME_FINISHED);
	effect->result = win_of(side_other(game_turn(game, game->n_moves)));
	effect->termination = TERMINATION_TIME;
	decision->article = "MC-link 7bis.1";
}

void decide_overstep(const struct rules_context *context, const struct game *game, int64_t at,
	struct decision *ret_decision)
{
	struct decision *decision = ret_decision;
	enum side late = late_side(context, game);

	(void)at;
	assert(game->state == GAME_ACTIVE);

	decision_begin(decision);
	decision->matter = MATTER_OVERSTEP;
	decision->asks_mate = true;
	decision->can_mate = draws_can_mate(&game->now, side_other(late), DRAWS_BUDGET_SMALL);
	switch (context->system) {
	case RULES_IECC:
		overstep_iecc(late, decision);
		break;
	case RULES_RAZSH:
	case RULES_RAZSH_POST:
		overstep_razsh(context, decision);
		break;
	case RULES_MCLINK:
		overstep_mclink(game, decision);
		break;
	}
	effect_mail_all(context, decision, MAIL_OVERSTEP);
	if (context->system == RULES_MCLINK)
		effect_mail_all(context, decision, MAIL_RESULT);
}

/* ---- Is a timer still good? ---- */

/* Of the side to move at this ply, while the game goes on. */
static bool is_of_ply(const struct game *game, const struct clock_timer *timer)
{
	/* The clock counts from the first move that a player made. */
	return game->state == GAME_ACTIVE &&
	       (timer->ply == (int)(game->n_moves - game->n_thematic) ||
		       timer->ply == (int)game->n_moves);
}

/* Does the clock still say so? A leave, a credit or a ruling may have moved it. */
static bool clock_says(const struct rules_context *context, const struct clock_timer *timer)
{
	struct clock_timer timers[CLOCK_TIMERS_MAX];

	if (context->clock == NULL)
		return true;
	size_t n = clock_timers(context->clock, timers);
	for (size_t i = 0; i < n; i++)
		if (timers[i].kind == timer->kind && timers[i].at <= timer->at)
			return true;
	return false;
}

static bool has_overstepped(const struct rules_context *context, const struct clock_timer *timer)
{
	struct clock_state state;

	if (context->clock == NULL)
		return true;
	if (is_razsh(context->system)) {
		clock_state_at(context->clock, timer->at, &state);
		return state.has_overstep && state.passed;
	}
	const struct clock_overstep *overstep = clock_overstep(context->clock);
	return overstep != NULL && overstep->at <= timer->at;
}

/* ---- What they do ---- */

/* IECC 7.11 and RAZSh 5.1: the last message once more to the side on the move; the other
 * player, or the arbiter, gets a copy. */
static void repeat(const struct rules_context *context, const struct clock_timer *timer,
	struct decision *decision)
{
	decision->matter = MATTER_REMINDER;
	decision->article = timer->kind == TIMER_REMIND ? "IECC 7.11" : "RAZSh 5.1";
	(void)effect_mail(decision, MAIL_REPEAT, reader_of(timer->by));
	if (context->system == RULES_IECC)
		(void)effect_mail(decision, MAIL_REPEAT, reader_of(side_other(timer->by)));
	else
		effect_mail(decision, MAIL_REPEAT, READER_ARBITER)->required = true;
}

static void report(struct decision *decision, enum matter matter, const char *article)
{
	decision->matter = matter;
	decision->article = article;
	decision->tell_arbiter = true;
	(void)effect_mail(decision, MAIL_REMINDER, READER_ARBITER);
}

/* RAZSh 5.3: told to the arbiter after forty days; section II 5.1: after as many days again as
 * for the repeat, and White is asked for a first move. */
static void silence(const struct rules_context *context, const struct game *game,
	const struct clock_timer *timer, struct decision *decision)
{
	bool first = game->n_moves == game->n_thematic;

	report(decision, MATTER_SILENCE,
		context->system == RULES_RAZSH ? "RAZSh 5.3" : "RAZSh II 5.1");
	if (first)
		(void)effect_mail(decision, MAIL_REMINDER, reader_of(timer->by));
}

static void back(const struct rules_context *context, const struct clock_timer *timer,
	struct decision *decision)
{
	decision->matter = timer->kind == TIMER_STOP_START ? MATTER_STOP : MATTER_BACK;
	decision->article = context->system == RULES_MCLINK ? "MC-link 7ter.22"
			    : context->system == RULES_IECC ? "IECC 8.4"
							    : "RAZSh 7.4";
	(void)effect_mail(decision, MAIL_LEAVE, READER_WHITE);
	(void)effect_mail(decision, MAIL_LEAVE, READER_BLACK);
}

/* RAZSh 9.4: what is not finished is adjudicated; both send their papers. Elsewhere the
 * arbiter is told, and the games go on as he says. */
static void event_end(const struct rules_context *context, const struct game *game,
	const struct clock_timer *timer, struct decision *decision)
{
	decision->matter = MATTER_EVENT_END;
	decision->tell_arbiter = true;
	if (is_razsh(context->system) && game->state == GAME_ACTIVE) {
		const struct zone *zone =
			context->clock ? clock_zone(context->clock, SIDE_WHITE) : NULL;
		effect_clear(decision, game);
		(void)effect_clock(decision, CLOCK_FREEZE, SIDE_WHITE, timer->at, NULL);
		effect_state(decision, GAME_SUSPENDED)->awaiting = AWAITING_ADJUDICATION;
		effect_add(decision, EFFECT_TIMER)->timer = (struct clock_timer){
			.kind = TIMER_PAPERS,
			.at = zone ? zone_date_start(
					     zone, zone_date(zone, timer->at) + PAPERS_DAYS + 1)
				   : timer->at + (PAPERS_DAYS + 1) * INT64_C(86400000),
			.ply = (int)game->n_moves,
		};
		decision->article = "RAZSh 9.4";
		(void)effect_mail(decision, MAIL_ANNOUNCEMENT, READER_WHITE);
		(void)effect_mail(decision, MAIL_ANNOUNCEMENT, READER_BLACK);
	}
	(void)effect_mail(decision, MAIL_ANNOUNCEMENT, READER_ARBITER);
}

void decide_delivered(const struct rules_context *context, const struct game *game,
	const struct clock_event *event, struct decision *ret_decision)
{
	decision_begin(ret_decision);
	if (context->system != RULES_RAZSH || event->kind != CLOCK_MOVE ||
		event->delivered == INSTANT_NONE || game->state == GAME_FINISHED)
		return;
	const struct clock *clock = context->clock;
	int32_t sent = zone_date(clock_zone(clock, event->by), event->at);
	int32_t received = zone_date(clock_zone(clock, side_other(event->by)), event->delivered);
	if (received - sent > clock_parameters(clock)->standard_transmission)
		report(ret_decision, MATTER_TRANSMISSION, "RAZSh 2.5");
}

static void fire_of_ply(const struct rules_context *context, const struct game *game,
	const struct clock_timer *timer, struct decision *decision)
{
	if (timer->kind == TIMER_OVERSTEP) {
		if (has_overstepped(context, timer))
			decide_overstep(context, game, timer->at, decision);
		return;
	}
	if (!clock_says(context, timer))
		return;
	if (timer->kind == TIMER_REMIND || timer->kind == TIMER_REPEAT) {
		repeat(context, timer, decision);
	} else if (timer->kind == TIMER_SILENCE) {
		silence(context, game, timer, decision);
	} else if (timer->kind == TIMER_REPORT) {
		report(decision, MATTER_NO_MOVES, "RAZSh II 5.2");
	} else {
		decision->matter = MATTER_COPIES;
		decision->article = "RAZSh 4.10";
		effect_mail(decision, MAIL_COPY, READER_ARBITER)->required = true;
	}
}

static bool waits_for(const struct game *game, enum awaiting awaiting)
{
	return game->awaiting == awaiting &&
	       (game->state == GAME_SUSPENDED || game->state == GAME_ACTIVE);
}

void decide_timer(const struct rules_context *context, const struct game *game,
	const struct clock_timer *timer, struct decision *ret_decision)
{
	struct decision *decision = ret_decision;

	decision_begin(decision);
	switch (timer->kind) {
	case TIMER_REMIND:
	case TIMER_REPEAT:
	case TIMER_SILENCE:
	case TIMER_REPORT:
	case TIMER_OVERSTEP:
	case TIMER_COPIES:
		if (is_of_ply(game, timer))
			fire_of_ply(context, game, timer, decision);
		return;
	case TIMER_STOP_START:
	case TIMER_STOP_END:
	case TIMER_LEAVE_END:
		if (game->state == GAME_ACTIVE && clock_says(context, timer))
			back(context, timer, decision);
		return;
	case TIMER_OBJECTION:
		if (waits_for(game, AWAITING_CLAIM))
			report(decision, MATTER_OBJECTION, "RAZSh 6.4");
		return;
	case TIMER_PAPERS:
		if (waits_for(game, AWAITING_ADJUDICATION))
			report(decision, MATTER_PAPERS, "RAZSh 9.4");
		return;
	case TIMER_ACCESS:
		if (game->state == GAME_ACTIVE || game->state == GAME_SUSPENDED)
			report(decision, MATTER_ACCESS, "RAZSh 1.6");
		return;
	case TIMER_EVENT_END:
		if (game->state != GAME_FINISHED)
			event_end(context, game, timer, decision);
		return;
	case CLOCK_TIMER_KINDS:
		return;
	}
}

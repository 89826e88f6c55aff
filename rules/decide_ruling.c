/*
 * Rulings of the arbiter.
 */
#include "rules/decide_effects.h"

#include <assert.h>

#define ACCESS_DAYS 30 /* RAZSh 1.6 */

struct bench {
	const struct rules_context *context;
	const struct game *game;
	const struct ruling *ruling;
	struct decision *decision;
};

static void refuse(const struct bench *bench, enum refusal refusal)
{
	decision_begin(bench->decision);
	bench->decision->verdict = VERDICT_COMMAND_ERROR;
	bench->decision->refusal = refusal;
}

static struct clock_event *add_event(
	const struct bench *bench, enum clock_event_kind kind, enum side by)
{
	return effect_clock(bench->decision, kind, by, bench->ruling->at, NULL);
}

static struct clock_event *add_edit(
	const struct bench *bench, enum clock_action action, enum side by)
{
	struct clock_event *event = add_event(bench, CLOCK_EDIT, by);

	event->action = action;
	return event;
}

/* The ruling that starts somebody's time, if there is one: when moves are taken back (IECC 7.9),
 * a claim is settled (RAZSh 6.3) or an end put aside, it starts when the notice reaches him. */
static bool starts_turn(const struct bench *bench, size_t *ret_event, enum side *ret_turn)
{
	const struct decision *decision = bench->decision;
	size_t plies = bench->game->n_moves;
	bool found = false;

	for (size_t i = 0; i < decision->n_effects; i++) {
		const struct effect *effect = &decision->effects[i];
		if (effect->kind == EFFECT_ROLLBACK)
			plies = effect->plies;
		if (effect->kind != EFFECT_CLOCK || (effect->event.kind != CLOCK_ROLLBACK &&
							    effect->event.kind != CLOCK_RULING &&
							    effect->event.kind != CLOCK_REOPEN))
			continue;
		found = true;
		*ret_event = i;
	}
	*ret_turn = game_turn(bench->game, plies);
	return found;
}

static void tell(const struct bench *bench)
{
	struct decision *decision = bench->decision;
	size_t event, first = decision->n_effects;
	enum side turn;
	bool stamps = starts_turn(bench, &event, &turn);

	effect_mail_all(bench->context, decision, MAIL_RULING);
	for (size_t i = first; stamps && i < decision->n_effects; i++) {
		if (decision->effects[i].to != reader_of(turn))
			continue;
		decision->effects[i].stamp = STAMP_DELIVERED;
		decision->effects[i].stamped = event;
	}
}

/* ---- Ends ---- */

static void end(const struct bench *bench, enum clock_result result, enum termination termination)
{
	effect_clear(bench->decision, bench->game);
	/* Should the end be put aside, the withdrawal still waits. */
	if (bench->game->awaiting == AWAITING_WITHDRAWAL &&
		!bench->game->withdrew[bench->game->awaiting_by] &&
		edition_is(bench->context, EDITION_2))
		effect_withdrew(bench->decision, bench->game->awaiting_by, bench->ruling->at);
	if (clock_status(bench->context->clock) != CLOCK_OVER)
		add_event(bench, CLOCK_END, SIDE_WHITE)->result = result;
	struct effect *effect = effect_state(bench->decision, GAME_FINISHED);
	effect->result = result;
	effect->termination = termination;
	tell(bench);
	effect_mail_all(bench->context, bench->decision, MAIL_RESULT);
}

/* Why a game ends with a result that the arbiter gives. */
static enum termination termination_of(const struct game *game, enum clock_result result)
{
	switch (game->awaiting) {
	case AWAITING_OVERSTEP:
		if (result == win_of(side_other(game->awaiting_by)))
			return TERMINATION_TIME;
		break;
	case AWAITING_CLAIM:
		if (result == win_of(game->awaiting_by))
			return TERMINATION_TIME;
		break;
	case AWAITING_AGREEMENT:
		if (result == RESULT_DRAW)
			return TERMINATION_AGREEMENT;
		break;
	case AWAITING_ADJUDICATION:
		return TERMINATION_ADJUDICATION;
	case AWAITING_WITHDRAWAL:
	case AWAITING_NONE:
		break;
	}
	return result == RESULT_DRAW || game->state == GAME_FINISHED ? TERMINATION_ADJUDICATION
								     : TERMINATION_FORFEIT;
}

static void rule_result(const struct bench *bench)
{
	enum clock_result result = bench->ruling->result;

	if (result == RESULT_NONE)
		end(bench, RESULT_NONE, TERMINATION_ANNULLED);
	else
		end(bench, result, termination_of(bench->game, result));
}

static void rule_draw(const struct bench *bench)
{
	const struct game *game = bench->game;
	enum termination termination = TERMINATION_ADJUDICATION;

	if (game->awaiting == AWAITING_AGREEMENT || game->draw_offer != OFFER_NONE)
		termination = TERMINATION_AGREEMENT;
	else if (draws_insufficient(&game->now))
		termination = TERMINATION_DEAD_POSITION;
	end(bench, RESULT_DRAW, termination);
}

/* ---- What waits for a ruling ---- */

static void go_on(const struct bench *bench)
{
	(void)effect_state(bench->decision, GAME_ACTIVE);
	tell(bench);
}

static void resume_overstep(const struct bench *bench)
{
	struct clock_event *event = add_event(bench, CLOCK_ARBITER, SIDE_WHITE);

	event->action = ACTION_RESUME;
	event->days = bench->ruling->days;
	go_on(bench);
}

/* RAZSh 6.5-6.7. What upholding does is the clock's to say: see settle_claim. */
static void rule_claim(const struct bench *bench, bool upheld)
{
	/* Section II: it does not interrupt, but a withdrawal has. */
	if (clock_status(bench->context->clock) == CLOCK_SUSPENDED)
		(void)add_event(bench, CLOCK_THAW, SIDE_WHITE);
	struct clock_event *event = add_event(bench, CLOCK_RULING, SIDE_WHITE);

	event->flag = upheld;
	event->ban = !upheld && bench->ruling->bar;
	if (!upheld)
		go_on(bench);
}

static void thaw(const struct bench *bench)
{
	add_event(bench, CLOCK_THAW, SIDE_WHITE)->flag = edition_is(bench->context, EDITION_2);
	go_on(bench);
}

static void rule_uphold(const struct bench *bench)
{
	const struct game *game = bench->game;
	enum side by = game->awaiting_by;

	switch (game->awaiting) {
	case AWAITING_OVERSTEP:
		end(bench, win_of(side_other(by)), TERMINATION_TIME);
		return;
	case AWAITING_CLAIM:
		rule_claim(bench, true);
		return;
	case AWAITING_WITHDRAWAL:
		end(bench, win_of(side_other(by)), TERMINATION_FORFEIT);
		return;
	case AWAITING_AGREEMENT:
		end(bench, RESULT_DRAW, TERMINATION_AGREEMENT);
		return;
	case AWAITING_ADJUDICATION:
		refuse(bench, REFUSAL_NOTHING);
		return;
	case AWAITING_NONE:
		break;
	}
	/* RAZSh 9.1: a result is provisional until the arbiter confirms it. */
	if (game->state == GAME_FINISHED)
		tell(bench);
	else
		refuse(bench, REFUSAL_NOTHING);
}

/* MC-link 7bis.1: a time-out is declared subject to the Coordinator. */
static bool is_timed_out(const struct bench *bench)
{
	const struct clock *clock = bench->context->clock;

	return bench->context->system == RULES_MCLINK && bench->game->state == GAME_FINISHED &&
	       bench->game->termination == TERMINATION_TIME && clock_status(clock) == CLOCK_OVER &&
	       clock_overstep(clock) != NULL;
}

static void rule_reject(const struct bench *bench)
{
	switch (bench->game->awaiting) {
	case AWAITING_OVERSTEP:
		resume_overstep(bench);
		return;
	case AWAITING_CLAIM:
		rule_claim(bench, false);
		return;
	case AWAITING_WITHDRAWAL:
		effect_withdrew(bench->decision, bench->game->awaiting_by, 0);
		thaw(bench);
		return;
	case AWAITING_AGREEMENT:
	case AWAITING_ADJUDICATION:
		thaw(bench);
		return;
	case AWAITING_NONE:
		if (is_timed_out(bench))
			resume_overstep(bench);
		else
			refuse(bench, REFUSAL_NOTHING);
		return;
	}
}

/* ---- An end that is put aside ---- */

static bool is_reopened(const struct bench *bench)
{
	return bench->game->state == GAME_FINISHED && edition_is(bench->context, EDITION_2);
}

/* What the position decides stands as long as it does: mate, stalemate, repetition, counts. */
static bool ended_on_board(const struct bench *bench)
{
	const struct board board = board_of(bench->game);

	switch (bench->game->termination) {
	case TERMINATION_CHECKMATE:
	case TERMINATION_STALEMATE:
	case TERMINATION_DEAD_POSITION:
	case TERMINATION_THREEFOLD:
	case TERMINATION_FIVEFOLD:
	case TERMINATION_FIFTY_MOVES:
	case TERMINATION_SEVENTYFIVE_MOVES:
		return true;
	case TERMINATION_NONE:
	case TERMINATION_AGREEMENT:
	case TERMINATION_RESIGNATION:
	case TERMINATION_TIME:
	case TERMINATION_FORFEIT:
	case TERMINATION_ADJUDICATION:
	case TERMINATION_ANNULLED:
		break;
	}
	return board_ending(bench->context, &board).over;
}

/* The game is open again; one that had not begun waits for its start as before. */
static void reopen(const struct bench *bench)
{
	bool begun = clock_has_started(bench->context->clock);

	add_event(bench, CLOCK_REOPEN, SIDE_WHITE)->days = bench->ruling->days;
	(void)effect_state(bench->decision, begun ? GAME_ACTIVE : GAME_SCHEDULED);
	bench->decision->reopened = true;
	/* MC-link 11: there is nothing to rule on; it was none. */
	for (int side = 0; side < 2; side++)
		if (bench->context->system == RULES_MCLINK && bench->game->withdrew[side])
			effect_withdrew(bench->decision, (enum side)side, 0);
}

static void rule_resume(const struct bench *bench)
{
	if (!is_reopened(bench) || is_timed_out(bench)) {
		rule_reject(bench);
	} else if (ended_on_board(bench)) {
		refuse(bench, REFUSAL_BOARD);
	} else if (bench->context->system == RULES_MCLINK && bench->ruling->days > 0) {
		refuse(bench, REFUSAL_OTHER_RULES);
	} else {
		reopen(bench);
		tell(bench);
	}
}

/* ---- Moves taken back ---- */

static void roll_back(const struct bench *bench, size_t plies)
{
	const struct game *game = bench->game;

	effect_clear(bench->decision, game);
	if (is_reopened(bench))
		reopen(bench);
	effect_add(bench->decision, EFFECT_ROLLBACK)->plies = plies;
	struct clock_event *event = add_event(bench, CLOCK_ROLLBACK, SIDE_WHITE);
	event->plies = (int)(plies - game->n_thematic);
	event->flag = edition_is(bench->context, EDITION_2);
	bench->decision->article = bench->context->system == RULES_IECC ? "IECC 7.9" : NULL;
}

static void rule_rollback(const struct bench *bench)
{
	size_t plies = bench->ruling->ply;

	if (plies < bench->game->n_thematic || plies >= bench->game->n_moves) {
		refuse(bench, REFUSAL_NOTHING);
		return;
	}
	roll_back(bench, plies);
	tell(bench);
}

/* An ambiguity that only the opponent noticed (IECC 7.8, RAZSh 3.1): the move goes back, and if
 * he noticed it at once it costs its maker what the relay would have booked. Discovered
 * later, nobody is fined (7.9). */
static void rule_unclear(const struct bench *bench)
{
	const struct game *game = bench->game;
	size_t ply = bench->ruling->ply;

	if (ply <= game->n_thematic || ply > game->n_moves) {
		refuse(bench, REFUSAL_NOTHING);
		return;
	}
	int days = clock_parameters(bench->context->clock)->penalty_days;
	roll_back(bench, ply - 1);
	if (ply == game->n_moves && bench->context->system != RULES_MCLINK && days > 0) {
		add_edit(bench, ACTION_PENALTY, game_turn(game, ply - 1))->n = days;
		bench->decision->article =
			bench->context->system == RULES_IECC ? "IECC 7.8" : "RAZSh 4.7";
	}
	tell(bench);
}

/* ---- Times ---- */

static void rule_edit(const struct bench *bench, enum clock_action action)
{
	const struct ruling *ruling = bench->ruling;
	struct clock_event *event = add_edit(bench, action, ruling->side);

	event->n = ruling->n;
	event->move = ruling->move;
	if (action == ACTION_CREDIT || action == ACTION_CORRECT)
		event->ply = (int)ruling->ply - (int)bench->game->n_thematic;
	if (action == ACTION_CORRECT) {
		event->sent = ruling->sent;
		event->delivered = ruling->delivered;
	}
	tell(bench);
}

/* RAZSh 1.6: thirty days after the notice he counts as withdrawn. */
static void rule_no_access(const struct bench *bench)
{
	const struct ruling *ruling = bench->ruling;
	const struct zone *zone = clock_zone(bench->context->clock, ruling->side);

	if (!is_razsh(bench->context->system)) {
		refuse(bench, REFUSAL_OTHER_RULES);
		return;
	}
	if (bench->game->state != GAME_ACTIVE && bench->game->state != GAME_SUSPENDED) {
		refuse(bench, bench->game->state == GAME_FINISHED ? REFUSAL_GAME_OVER
								  : REFUSAL_NOT_STARTED);
		return;
	}
	bench->decision->article = "RAZSh 1.6";
	effect_add(bench->decision, EFFECT_TIMER)->timer = (struct clock_timer){
		.kind = TIMER_ACCESS,
		.at = zone_date_start(zone, zone_date(zone, ruling->at) + ACCESS_DAYS + 1),
		.ply = (int)ruling->side, /* each player may lose it */
		.by = ruling->side,
	};
	tell(bench);
}

static void build(const struct bench *bench)
{
	const struct ruling *ruling = bench->ruling;

	switch (ruling->kind) {
	case RULING_UPHOLD:
		rule_uphold(bench);
		return;
	case RULING_REJECT:
		rule_reject(bench);
		return;
	case RULING_RESUME:
		rule_resume(bench);
		return;
	case RULING_CREDIT:
		if (bench->ruling->n > 0)
			rule_edit(bench, ACTION_CREDIT);
		else
			refuse(bench, REFUSAL_NOTHING);
		return;
	case RULING_RESULT:
		rule_result(bench);
		return;
	case RULING_DRAW:
		rule_draw(bench);
		return;
	case RULING_ANNUL:
		end(bench, RESULT_NONE, TERMINATION_ANNULLED);
		return;
	case RULING_ADJUDICATE:
		end(bench, ruling->result,
			ruling->result == RESULT_NONE ? TERMINATION_ANNULLED
						      : TERMINATION_ADJUDICATION);
		return;
	case RULING_PENALTY:
		rule_edit(bench, ACTION_PENALTY);
		return;
	case RULING_LIFT:
		rule_edit(bench, ACTION_LIFT);
		return;
	case RULING_ROLLBACK:
		rule_rollback(bench);
		return;
	case RULING_UNCLEAR:
		rule_unclear(bench);
		return;
	case RULING_CORRECT:
		rule_edit(bench, ACTION_CORRECT);
		return;
	case RULING_NO_ACCESS:
		rule_no_access(bench);
		return;
	}
}

/* ---- Tried out ---- */

static enum refusal refusal_of(enum clock_error error, enum ruling_kind kind)
{
	switch (error) {
	case CLOCK_ERROR_ORDER:
		return kind == RULING_CORRECT ? REFUSAL_STAMPS : REFUSAL_ORDER;
	case CLOCK_ERROR_NOT_STARTED:
		return REFUSAL_NOT_STARTED;
	case CLOCK_ERROR_OVER:
		return REFUSAL_GAME_OVER;
	case CLOCK_ERROR_SYSTEM:
		return REFUSAL_OTHER_RULES;
	case CLOCK_ERROR_STARTED:
	case CLOCK_ERROR_NOT_ON_MOVE:
	case CLOCK_ERROR_STATUS:
	case CLOCK_ERROR_PLY:
	case CLOCK_ERROR_VALUE:
		break;
	}
	return REFUSAL_NOTHING;
}

static int apply_events(const struct decision *decision, struct clock *trial)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < decision->n_effects; i++) {
		struct clock_answer answer;
		if (decision->effects[i].kind == EFFECT_CLOCK)
			r = clock_apply(trial, &decision->effects[i].event, &answer);
	}
	return r;
}

/* A finished game becomes an unfinished one, in whatever way. */
static bool unfinishes(const struct bench *bench)
{
	const struct decision *decision = bench->decision;

	for (size_t i = 0; i < decision->n_effects; i++)
		if (decision->effects[i].kind == EFFECT_STATE &&
			decision->effects[i].state != GAME_FINISHED)
			return bench->game->state == GAME_FINISHED;
	return false;
}

static bool sets_state(const struct decision *decision)
{
	for (size_t i = 0; i < decision->n_effects; i++)
		if (decision->effects[i].kind == EFFECT_STATE)
			return true;
	return false;
}

/* RAZSh 6.6: the offender loses; section II 6.4: the first time the game goes on. */
static void settle_claim(const struct bench *bench, const struct clock *trial)
{
	if (clock_status(trial) == CLOCK_OVER) {
		effect_clear(bench->decision, bench->game);
		struct effect *effect = effect_state(bench->decision, GAME_FINISHED);
		effect->result = clock_result(trial);
		effect->termination = TERMINATION_TIME;
		tell(bench);
		effect_mail_all(bench->context, bench->decision, MAIL_RESULT);
	} else {
		go_on(bench);
	}
}

/* A time-out, or an overstep that suspends, which the ruling made. */
static void settle_overstep(const struct bench *bench, const struct clock *trial)
{
	const struct clock_overstep *overstep = clock_overstep(trial);
	bool over = clock_status(trial) == CLOCK_OVER;
	struct effect *effect =
		effect_state(bench->decision, over ? GAME_FINISHED : GAME_SUSPENDED);

	if (over) {
		effect->result = overstep->result;
		effect->termination = TERMINATION_TIME;
	} else {
		effect->awaiting = AWAITING_OVERSTEP;
		effect->awaiting_by = overstep->by;
	}
	bench->decision->matter = MATTER_OVERSTEP;
	effect_mail_all(bench->context, bench->decision, MAIL_OVERSTEP);
	if (over)
		effect_mail_all(bench->context, bench->decision, MAIL_RESULT);
}

/* An overstep that was there before fires by itself, if no held move came in time. */
static bool was_over(const struct bench *bench)
{
	const struct clock *clock = bench->context->clock;
	int64_t at = clock_overstep_at(clock);

	return clock_status(clock) != CLOCK_RUNNING ||
	       (at != INSTANT_NONE && at <= bench->ruling->at);
}

/* The clock knows whether a ruling on the past makes an overstep or undoes one. */
static void settle(const struct bench *bench, const struct clock *trial)
{
	const struct game *game = bench->game;
	enum clock_status status = clock_status(trial);
	bool timed_out = game->state == GAME_FINISHED && game->termination == TERMINATION_TIME;
	bool over = clock_overstep(trial) != NULL && status != CLOCK_RUNNING &&
		    status != CLOCK_INTERRUPTED;

	if (bench->decision->reopened && over)
		settle_overstep(bench, trial);
	if (sets_state(bench->decision))
		return;
	if (game->awaiting == AWAITING_CLAIM && bench->ruling->kind == RULING_UPHOLD) {
		settle_claim(bench, trial);
		return;
	}
	if (over && !was_over(bench) && game->state == GAME_ACTIVE)
		settle_overstep(bench, trial);
	else if (status == CLOCK_RUNNING && (timed_out || game->state == GAME_SUSPENDED))
		(void)effect_state(bench->decision, GAME_ACTIVE);
}

/* A deadline that lies ahead again must fire again; when the turn begins anew, all do. */
static void rearm(const struct bench *bench, const struct clock *trial)
{
	enum ruling_kind kind = bench->ruling->kind;
	bool put_aside = bench->decision->reopened && clock_overstep(bench->context->clock) != NULL;
	bool anew = kind == RULING_ROLLBACK || kind == RULING_UNCLEAR || put_aside ||
		    bench->game->awaiting == AWAITING_OVERSTEP;

	if (clock_status(trial) != CLOCK_RUNNING ||
		(!anew && clock_overstep_at(trial) <= bench->ruling->at))
		return;
	bool turn = anew && kind != RULING_CREDIT && kind != RULING_CORRECT && kind != RULING_LIFT;
	struct effect *effect = effect_add(bench->decision, EFFECT_REARM);
	effect->timer.kind = turn ? CLOCK_TIMER_KINDS : TIMER_OVERSTEP;
	effect->plies = bench->game->n_thematic + (size_t)clock_ply(trial);
}

int decide_ruling(const struct rules_context *context, const struct game *game,
	const struct ruling *ruling, struct decision *ret_decision)
{
	const struct bench bench = {
		.context = context,
		.game = game,
		.ruling = ruling,
		.decision = ret_decision,
	};
	struct clock *trial;

	assert(context->clock != NULL);
	decision_begin(ret_decision);
	ret_decision->verdict = VERDICT_COMMAND;
	ret_decision->matter = MATTER_RULING;
	build(&bench);
	if (ret_decision->verdict != VERDICT_COMMAND)
		return 0;
	int r = clock_clone(context->clock, &trial);
	if (r < 0)
		return r;
	r = apply_events(ret_decision, trial);
	if (r == 0) {
		clock_advance(trial, ruling->at);
		settle(&bench, trial);
		rearm(&bench, trial);
		if (unfinishes(&bench) && context->stays_ended != REFUSAL_NONE)
			refuse(&bench, context->stays_ended);
	} else if (r > 0) {
		refuse(&bench, refusal_of((enum clock_error)r, ruling->kind));
		r = 0;
	}
	clock_free(trial);
	return r;
}

#include "rules/decide.h"

#include <assert.h>
#include <string.h>

#include "core/draws.h"

/* ---- Effects ---- */

static struct effect *add(struct decision *decision, enum effect_kind kind)
{
	assert(decision->n_effects < EFFECTS_MAX);

	struct effect *effect = &decision->effects[decision->n_effects++];
	*effect = (struct effect){.kind = kind};
	return effect;
}

static void add_mail(struct decision *decision, enum mail_kind mail, enum mail_reader to)
{
	struct effect *effect = add(decision, EFFECT_MAIL);
	effect->mail = mail;
	effect->to = to;
}

static void add_mail_to_all(struct decision *decision, enum mail_kind mail)
{
	add_mail(decision, mail, READER_WHITE);
	add_mail(decision, mail, READER_BLACK);
	add_mail(decision, mail, READER_ARBITER);
}

static struct clock_event *add_clock(struct decision *decision, enum clock_event_kind kind)
{
	struct effect *effect = add(decision, EFFECT_CLOCK);
	effect->event = CLOCK_EVENT_NONE;
	effect->event.kind = kind;
	return &effect->event;
}

static void add_state(struct decision *decision, enum game_state state, enum clock_result result,
	enum termination termination)
{
	struct effect *effect = add(decision, EFFECT_STATE);
	effect->state = state;
	effect->result = result;
	effect->termination = termination;
}

static void warn(struct decision *decision, enum decision_warning warning)
{
	if (decision->n_warnings < WARNINGS_MAX)
		decision->warnings[decision->n_warnings++] = warning;
}

static enum mail_reader reader_of(enum side side)
{
	return side == SIDE_WHITE ? READER_WHITE : READER_BLACK;
}

/* ---- Which article speaks of a fault, and whether it costs anything ---- */

/* Is the repetition of the opponent's last move a condition of validity? */
static bool repetition_demanded(const struct rules_context *context, const struct game *game)
{
	if (game->n_moves == 0)
		return false;
	switch (context->system) {
	case RULES_IECC:
	case RULES_RAZSH:
		/* A thematic move was made by the event: there is nothing to confirm. */
		return game->n_moves > game->n_thematic;
	case RULES_RAZSH_POST:
	case RULES_MCLINK:
		return false;
	}
	return true;
}

static const char *article_of(enum rule_system system, enum verdict verdict)
{
	bool iecc = system == RULES_IECC;
	bool razsh = system == RULES_RAZSH || system == RULES_RAZSH_POST;

	if (verdict == VERDICT_REPETITION_MISSING || verdict == VERDICT_REPETITION_WRONG)
		return iecc ? "IECC 10.2" : razsh ? "RAZSh 3.3" : NULL;
	if (verdict == VERDICT_ILLEGAL_MOVE || verdict == VERDICT_AMBIGUOUS_MOVE)
		return iecc ? "IECC 7.8" : razsh ? "RAZSh 3.4, 4.7" : "MC-link 6.1";
	if (verdict == VERDICT_NO_MOVE)
		return razsh ? "RAZSh 3.5" : NULL;
	return NULL;
}

/* Does this refusal cost its sender time (the table of product, section 3)? */
static bool costs_time(enum rule_system system, enum verdict verdict, enum clock_fault *ret_fault)
{
	bool razsh = system == RULES_RAZSH || system == RULES_RAZSH_POST;

	if (system != RULES_IECC && !razsh)
		return false;
	if (verdict == VERDICT_ILLEGAL_MOVE) {
		*ret_fault = FAULT_ILLEGAL;
		return true;
	}
	if (verdict == VERDICT_AMBIGUOUS_MOVE) {
		*ret_fault = FAULT_AMBIGUOUS;
		return true;
	}
	if (razsh && verdict == VERDICT_NO_MOVE) {
		*ret_fault = FAULT_EMPTY;
		return true;
	}
	if (razsh && verdict == VERDICT_REPETITION_WRONG) {
		*ret_fault = FAULT_BAD_REPETITION;
		return true;
	}
	return false;
}

/* ---- The judgement, in the order of product, section 3 ---- */

static bool is_move_message(const struct message *message)
{
	return message->has_own || message->repetition == REPETITION_RIGHT ||
	       message->repetition == REPETITION_WRONG;
}

/* Is the own move the one that this player has already made at that ply? */
static bool is_repeat(const struct game *game, const struct message *message)
{
	return message->ply < game->n_moves && message->has_own && !message->several_own &&
	       message->own.result == MOVE_READ && game_turn(game, message->ply) == message->by &&
	       game->moves[message->ply] == message->own.move;
}

/* Group 4: where the game stands. */
static enum verdict judge_standing(const struct game *game, const struct message *message)
{
	if (is_repeat(game, message))
		return VERDICT_REPEAT;
	if (game->state == GAME_FINISHED)
		return VERDICT_GAME_OVER;
	if (!is_move_message(message))
		return VERDICT_NONE;
	if (message->ply < game->n_moves && game_turn(game, message->ply) == message->by)
		return VERDICT_STALE_MOVE;
	if (game->state == GAME_SCHEDULED || game_turn(game, game->n_moves) != message->by)
		return VERDICT_NOT_YOUR_TURN;
	if (game->state == GAME_SUSPENDED)
		return VERDICT_HELD;
	return VERDICT_NONE;
}

/* Group 5: is there a move, and the repetition of the opponent's? */
static enum verdict judge_form(
	const struct rules_context *context, const struct game *game, const struct message *message)
{
	if (!message->has_own)
		return VERDICT_NO_MOVE;
	if (message->repetition == REPETITION_WRONG && context->system != RULES_MCLINK)
		return VERDICT_REPETITION_WRONG;
	if (!repetition_demanded(context, game))
		return VERDICT_NONE;
	if (message->repetition == REPETITION_NONE)
		return VERDICT_REPETITION_MISSING;
	if (message->repetition == REPETITION_LINE && context->repetition_typed)
		return VERDICT_REPETITION_MISSING;
	return VERDICT_NONE;
}

/* Group 6: what the own move reads as. */
static enum verdict judge_move(const struct message *message)
{
	if (message->several_own)
		return VERDICT_AMBIGUOUS_MOVE;
	switch (message->own.result) {
	case MOVE_READ:
		return VERDICT_NONE;
	case MOVE_UNREADABLE:
		return VERDICT_UNREADABLE_MOVE;
	case MOVE_ILLEGAL:
		return VERDICT_ILLEGAL_MOVE;
	case MOVE_AMBIGUOUS:
		return VERDICT_AMBIGUOUS_MOVE;
	}
	return VERDICT_UNREADABLE_MOVE;
}

static void collect_warnings(
	const struct game *game, const struct message *message, struct decision *decision)
{
	if (message->own.warnings & MOVE_WARN_FALLBACK)
		warn(decision, WARNING_FALLBACK);
	if (message->own.warnings & MOVE_WARN_OTHER_LETTERS)
		warn(decision, WARNING_OTHER_LETTERS);
	if (message->own.warnings & MOVE_WARN_MARK)
		warn(decision, WARNING_MARK);
	if (message->number_warning != 0)
		warn(decision, WARNING_NUMBER);
	if (message->repetition == REPETITION_NONE && game->n_moves > 0 &&
		game->n_moves == game->n_thematic)
		warn(decision, WARNING_REPETITION_MISSING);
	if (message->ignored_continuation)
		warn(decision, WARNING_CONTINUATION);
}

/* A refusal: it goes back to its sender, and may be booked. */
static void refuse(const struct rules_context *context, const struct message *message,
	struct decision *decision)
{
	enum verdict verdict = decision->verdict;
	enum clock_fault fault;

	decision->article = article_of(context->system, verdict);
	/* Nobody pays for what somebody else may have written, nor twice for one text. */
	bool proven = message->trust == TRUST_TOKEN || message->trust == TRUST_AUTHENTICATED;
	bool repeated = message->repetition == REPETITION_RIGHT;
	bool bare_chat = verdict == VERDICT_NO_MOVE && !repeated;
	if (proven && !context->fault_seen && !context->answers_capped && !bare_chat &&
		costs_time(context->system, verdict, &fault)) {
		struct clock_event *event = add_clock(decision, CLOCK_FAULT);
		event->by = message->by;
		event->at = message->sent;
		event->fault = fault;
		decision->fault_booked = true;
	}
	decision->tell_arbiter = verdict == VERDICT_UNREADABLE_MOVE || context->answers_capped;
	if (!context->answers_capped)
		add_mail(decision, MAIL_REFUSAL, reader_of(message->by));
	if (decision->tell_arbiter)
		add_mail(decision, MAIL_COPY, READER_ARBITER);
}

/* The draw offer that stands after a move (FIDE 9.1: an offer lives until the opponent
 * answers it or moves; both must have made a move). */
static enum draw_offer offer_after(const struct game *game, const struct message *message)
{
	if (!message->draw_offer || game->n_moves < 2)
		return OFFER_NONE;
	return message->by == SIDE_WHITE ? OFFER_WHITE : OFFER_BLACK;
}

static void finish(struct decision *decision, const struct message *message,
	enum clock_result result, enum termination termination)
{
	struct clock_event *event = add_clock(decision, CLOCK_END);

	event->at = message->sent;
	event->result = result;
	add_state(decision, GAME_FINISHED, result, termination);
}

/* Ends the game if the move has ended it. The position decides: mate, stalemate (FIDE 5.1.1,
 * 5.2.1), or no material left to mate with (5.2.2; in MC-link the Coordinator declares that). */
static bool finish_by_position(const struct rules_context *context, const struct position *after,
	const struct message *message, struct decision *decision)
{
	enum position_end end = position_end(after);

	if (end == POSITION_CHECKMATE)
		finish(decision, message, message->by == SIDE_WHITE ? RESULT_WHITE : RESULT_BLACK,
			TERMINATION_CHECKMATE);
	else if (end == POSITION_STALEMATE)
		finish(decision, message, RESULT_DRAW, TERMINATION_STALEMATE);
	else if (context->system != RULES_MCLINK && draws_insufficient(after))
		finish(decision, message, RESULT_DRAW, TERMINATION_DEAD_POSITION);
	else
		return false;
	return true;
}

static void accept_move(const struct rules_context *context, const struct game *game,
	const struct message *message, struct decision *decision)
{
	struct position after = game->now;
	struct effect *effect = add(decision, EFFECT_MOVE);
	effect->move = message->own.move;
	position_make(&after, message->own.move);

	struct clock_event *event = add_clock(decision, CLOCK_MOVE);
	event->by = message->by;
	event->at = message->sent;

	enum draw_offer offer = offer_after(game, message);
	if (offer != game->draw_offer)
		add(decision, EFFECT_OFFER)->offer = offer;

	bool over = finish_by_position(context, &after, message, decision);

	add_mail(decision, MAIL_MOVE, reader_of(side_other(message->by)));
	add_mail(decision, MAIL_RECEIPT, reader_of(message->by));
	add_mail(decision, MAIL_COPY, READER_ARBITER);
	if (over)
		add_mail_to_all(decision, MAIL_RESULT);
}

void decide(const struct rules_context *context, const struct game *game,
	const struct message *message, int64_t now, struct decision *ret_decision)
{
	struct decision *decision = ret_decision;
	*decision = (struct decision){.verdict = VERDICT_NONE};

	(void)now;
	assert(message->sent <= now);

	decision->verdict = judge_standing(game, message);
	if (decision->verdict == VERDICT_REPEAT || decision->verdict == VERDICT_HELD) {
		add_mail(decision, MAIL_RECEIPT, reader_of(message->by));
		return;
	}
	if (decision->verdict == VERDICT_NONE)
		decision->verdict = judge_form(context, game, message);
	if (decision->verdict == VERDICT_NONE)
		decision->verdict = judge_move(message);
	if (decision->verdict != VERDICT_NONE) {
		refuse(context, message, decision);
		return;
	}
	if (message->trust == TRUST_REGISTERED && context->unproven == UNPROVEN_CONFIRM) {
		decision->verdict = VERDICT_HELD;
		add_mail(decision, MAIL_CONFIRM, reader_of(message->by));
		return;
	}
	collect_warnings(game, message, decision);
	decision->verdict = decision->n_warnings ? VERDICT_ACCEPTED_WITH_WARNING : VERDICT_ACCEPTED;
	accept_move(context, game, message, decision);
}

void decide_start(const struct rules_context *context, const struct game *game, int64_t start,
	struct decision *ret_decision)
{
	struct decision *decision = ret_decision;
	*decision = (struct decision){.verdict = VERDICT_NONE};
	(void)context;
	(void)game;

	assert(game->state == GAME_SCHEDULED);

	add_state(decision, GAME_ACTIVE, RESULT_NONE, TERMINATION_NONE);
	add_clock(decision, CLOCK_START)->at = start;
	add_mail(decision, MAIL_PAIRING, READER_WHITE);
	add_mail(decision, MAIL_PAIRING, READER_BLACK);
}

void decide_overstep(const struct rules_context *context, const struct game *game, int64_t at,
	struct decision *ret_decision)
{
	struct decision *decision = ret_decision;
	*decision = (struct decision){.verdict = VERDICT_NONE};
	(void)at;
	(void)game;

	assert(game->state == GAME_ACTIVE);

	/* IECC 7.10 suspends the game; RAZSh 6.1 and MC-link 7bis.1 do otherwise. */
	if (context->system == RULES_IECC)
		add_state(decision, GAME_SUSPENDED, RESULT_NONE, TERMINATION_NONE);
	decision->article = context->system == RULES_IECC ? "IECC 7.10" : NULL;
	add_mail_to_all(decision, MAIL_OVERSTEP);
}

#include "rules/decide_effects.h"

#include <assert.h>

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

static const char *article_of(
	enum rule_system system, enum verdict verdict, const struct play *play)
{
	bool iecc = system == RULES_IECC;
	bool razsh = is_razsh(system);

	if (verdict == VERDICT_REPETITION_MISSING || verdict == VERDICT_REPETITION_WRONG)
		return iecc ? "IECC 10.2" : razsh ? "RAZSh 3.3" : NULL;
	if (verdict == VERDICT_ILLEGAL_MOVE || verdict == VERDICT_AMBIGUOUS_MOVE)
		return iecc ? "IECC 7.8" : razsh ? "RAZSh 3.4, 4.7" : "MC-link 6.1";
	if (verdict == VERDICT_NO_MOVE)
		return !razsh ? NULL : play->n_accepted > 0 ? "RAZSh 3.9" : "RAZSh 3.5";
	return NULL;
}

/* Is there a clock event for this refusal (the table of product, section 3)? It costs time; in
 * MC-link two statements that differ are a fault of form (4.5, 7bis.3). */
static bool costs_time(enum rule_system system, const struct message *message,
	const struct play *play, enum verdict verdict, enum clock_fault *ret_fault)
{
	bool razsh = is_razsh(system);

	if (system == RULES_MCLINK) {
		*ret_fault = FAULT_AMBIGUOUS;
		return verdict == VERDICT_AMBIGUOUS_MOVE && message->several_own;
	}
	if (verdict == VERDICT_ILLEGAL_MOVE) {
		*ret_fault = FAULT_ILLEGAL;
		return true;
	}
	if (verdict == VERDICT_AMBIGUOUS_MOVE) {
		*ret_fault = FAULT_AMBIGUOUS;
		return true;
	}
	if (razsh && verdict == VERDICT_NO_MOVE) {
		*ret_fault = play->n_accepted > 0 ? FAULT_VARIANT_UNANSWERED : FAULT_EMPTY;
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
	return message_has_move(message) || message->repetition == REPETITION_RIGHT ||
	       message->repetition == REPETITION_WRONG;
}

/* Is the own move the one that this player has already made at that ply? */
static bool is_repeat(const struct game *game, const struct message *message)
{
	return message->ply < game->n_moves && message->has_own && !message->several_own &&
	       message->n_accepted == 0 && message->own.result == MOVE_READ &&
	       game_turn(game, message->ply) == message->by &&
	       game->moves[message->ply] == message->own.move;
}

/* Group 4: where the game stands. */
static enum verdict judge_standing(
	const struct rules_context *context, const struct game *game, const struct message *message)
{
	if (is_repeat(game, message))
		return VERDICT_REPEAT;
	if (game->state == GAME_FINISHED)
		return VERDICT_GAME_OVER;
	if (!is_move_message(message))
		return VERDICT_NONE;
	if (message->ply < game->n_moves && game_turn(game, message->ply) == message->by)
		return VERDICT_STALE_MOVE;
	if (game_turn(game, game->n_moves) != message->by)
		return VERDICT_NOT_YOUR_TURN;
	/* A number that the game has not reached names no position of it; under MC-link it is a
	 * fault of form, if the move can be read all the same (7bis.3). */
	bool form = context->system == RULES_MCLINK && message->own.result == MOVE_READ;
	if (message->ply > game->n_moves && !form && edition_is(context, EDITION_2))
		return VERDICT_STALE_MOVE;
	/* What is early waits for the start and costs nothing (RAZSh 4.5, MC-link 7.8'). */
	if (game->state == GAME_SUSPENDED || game->state == GAME_SCHEDULED)
		return VERDICT_HELD;
	return VERDICT_NONE;
}

/* Group 5: is there a move, and the repetition of the opponent's? */
static enum verdict judge_form(const struct rules_context *context, const struct game *game,
	const struct message *message, const struct play *play)
{
	/* RAZSh 3.9: a variant was accepted, and no answer given. */
	enum verdict unanswered = play->has_own ? VERDICT_NONE : VERDICT_NO_MOVE;

	if (!play->has_own && play->n_accepted == 0)
		return VERDICT_NO_MOVE;
	if (message->repetition == REPETITION_WRONG && context->system != RULES_MCLINK)
		return VERDICT_REPETITION_WRONG;
	if (!repetition_demanded(context, game))
		return unanswered;
	if (message->repetition == REPETITION_NONE)
		return VERDICT_REPETITION_MISSING;
	if (message->repetition == REPETITION_LINE && context->repetition_typed)
		return VERDICT_REPETITION_MISSING;
	return unanswered;
}

/* Group 6: what the own move reads as. */
static enum verdict judge_move(const struct message *message, const struct play *play)
{
	if (message->several_own)
		return VERDICT_AMBIGUOUS_MOVE;
	switch (play->own.result) {
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

static void collect_warnings(const struct rules_context *context, const struct game *game,
	const struct message *message, struct decision *decision)
{
	if (message->own.warnings & MOVE_WARN_FALLBACK)
		decision_warn(decision, WARNING_FALLBACK);
	if (message->own.warnings & MOVE_WARN_OTHER_LETTERS)
		decision_warn(decision, WARNING_OTHER_LETTERS);
	if (message->own.warnings & MOVE_WARN_MARK)
		decision_warn(decision, WARNING_MARK);
	if (message->number_warning != 0)
		decision_warn(decision, WARNING_NUMBER);
	if (message->repetition == REPETITION_NONE && game->n_moves > 0 &&
		game->n_moves == game->n_thematic)
		decision_warn(decision, WARNING_REPETITION_MISSING);
	if (message->repetition == REPETITION_WRONG && context->system == RULES_MCLINK)
		decision_warn(decision, WARNING_REPETITION_WRONG);
	if (message->ignored_continuation)
		decision_warn(decision, WARNING_CONTINUATION);
}

/* Nobody pays for what somebody else may have written, nor twice for one text. A chat is no
 * fault. */
static bool may_be_booked(const struct rules_context *context, const struct message *message,
	const struct play *play, enum verdict verdict)
{
	bool bare_chat = verdict == VERDICT_NO_MOVE && play->n_accepted == 0 &&
			 message->repetition != REPETITION_RIGHT;

	return message_is_proven(message) && !context->fault_seen && !context->answers_capped &&
	       !bare_chat;
}

/* The fault, and what of the message stands in spite of it (IECC 7.8, RAZSh 3.9; not in
 * MC-link, 5.3): pairs of the opponent's series. Returns the clock event's index. */
static size_t book(const struct rules_context *context, const struct game *game,
	const struct message *message, const struct play *play, enum clock_fault fault,
	struct decision *decision)
{
	size_t index, pairs = 0;

	if (play->n_accepted > 0 && fault != FAULT_BAD_REPETITION &&
		context->system != RULES_MCLINK)
		pairs = decide_accepted(game, play, decision);
	struct clock_event *event =
		effect_clock(decision, CLOCK_FAULT, message->by, message->sent, &index);
	event->fault = fault;
	event->accepts = (int)pairs;
	decision->fault_booked = true;
	if (pairs > 0)
		(void)effect_mail(decision, MAIL_MOVE, reader_of(side_other(message->by)));
	return index;
}

/* A refusal: it goes back to its sender, and may be booked. */
static void refuse(const struct rules_context *context, const struct game *game,
	const struct message *message, const struct play *play, struct decision *decision)
{
	enum verdict verdict = decision->verdict;
	enum clock_fault fault = FAULT_ILLEGAL;
	size_t index = 0;

	decision->article = article_of(context->system, verdict, play);
	if (may_be_booked(context, message, play, verdict) &&
		costs_time(context->system, message, play, verdict, &fault)) {
		index = book(context, game, message, play, fault, decision);
		decision->effects[index].event.bad_format = context->system == RULES_MCLINK;
	}
	bool odd = verdict == VERDICT_UNREADABLE_MOVE ||
		   (context->system == RULES_MCLINK && verdict == VERDICT_ILLEGAL_MOVE);
	decision->tell_arbiter = context->answers_capped ? !context->cap_told : odd;
	if (!context->answers_capped) {
		struct effect *mail = effect_mail(decision, MAIL_REFUSAL, reader_of(message->by));
		/* The sender's time stands still until his bad move is back with him. */
		if (decision->fault_booked && is_razsh(context->system)) {
			mail->stamp = STAMP_QUERY;
			mail->stamped = index;
		}
	}
	if (decision->tell_arbiter || decision->made > 0)
		(void)effect_mail(decision, MAIL_COPY, READER_ARBITER);
}

/* RAZSh 4.9, 5.1: the last move, which could not be delivered, comes once more. */
static void repeat_lost(const struct rules_context *context, const struct game *game,
	const struct message *message, struct decision *decision)
{
	size_t index;

	if (!is_razsh(context->system) || !context->original_lost || game->state != GAME_ACTIVE ||
		!message_is_proven(message) || message->ply + 1 != game->n_moves ||
		game->n_moves <= game->n_thematic)
		return;
	effect_clock(decision, CLOCK_REPEAT, message->by, message->sent, &index)->flag = true;
	struct effect *mail = effect_mail(decision, MAIL_MOVE, reader_of(side_other(message->by)));
	mail->stamp = STAMP_DELIVERED;
	mail->stamped = index;
	effect_mail(decision, MAIL_COPY, READER_ARBITER)->required = true;
}

/* A verdict of group 4, or that the sender must prove himself: nothing is done. Returns
 * whether that is all. */
static bool answer_standing(const struct rules_context *context, const struct game *game,
	const struct message *message, struct decision *decision)
{
	if (decision->verdict != VERDICT_REPEAT && decision->verdict != VERDICT_HELD)
		return false;
	if (decision->verdict == VERDICT_REPEAT)
		repeat_lost(context, game, message, decision);
	(void)effect_mail(decision, MAIL_RECEIPT, reader_of(message->by));
	return true;
}

static void judge_play(const struct rules_context *context, const struct game *game,
	const struct message *message, struct decision *decision)
{
	struct play play = play_of(context, game, message);

	if (decision->verdict == VERDICT_NONE)
		decision->verdict = judge_form(context, game, message, &play);
	if (decision->verdict == VERDICT_NONE)
		decision->verdict = judge_move(message, &play);
	if (decision->verdict != VERDICT_NONE) {
		refuse(context, game, message, &play, decision);
		return;
	}
	if (message->trust == TRUST_REGISTERED && context->unproven == UNPROVEN_CONFIRM) {
		decision->verdict = VERDICT_HELD;
		decision->unproven = !context->answers_capped;
		decision->tell_arbiter = context->answers_capped && !context->cap_told;
		if (decision->unproven)
			(void)effect_mail(decision, MAIL_CONFIRM, reader_of(message->by));
		if (decision->tell_arbiter)
			(void)effect_mail(decision, MAIL_COPY, READER_ARBITER);
		return;
	}
	collect_warnings(context, game, message, decision);
	decide_play(context, game, message, &play, decision);
	decision->verdict = decision->n_warnings ? VERDICT_ACCEPTED_WITH_WARNING : VERDICT_ACCEPTED;
}

void decide(const struct rules_context *context, const struct game *game,
	const struct message *message, int64_t now, struct decision *ret_decision)
{
	struct decision *decision = ret_decision;

	(void)now;
	assert(message->sent <= now);

	decision_begin(decision);
	if (decide_commands(context, game, message, decision))
		return;
	decision->verdict = judge_standing(context, game, message);
	if (!answer_standing(context, game, message, decision))
		judge_play(context, game, message, decision);
}

void decide_start(const struct rules_context *context, const struct game *game, int64_t start,
	struct decision *ret_decision)
{
	struct decision *decision = ret_decision;
	enum side first = game_turn(game, game->n_moves);
	size_t index;

	(void)context;
	assert(game->state == GAME_SCHEDULED);

	decision_begin(decision);
	(void)effect_state(decision, GAME_ACTIVE);
	/* Who is on the move when the clock starts, thematic moves or a position given. */
	(void)effect_clock(decision, CLOCK_START, first, start, &index);
	for (int side = 0; side < 2; side++) {
		struct effect *mail =
			effect_mail(decision, MAIL_PAIRING, reader_of((enum side)side));
		if ((enum side)side != first)
			continue;
		mail->stamp = STAMP_DELIVERED;
		mail->stamped = index;
	}
}

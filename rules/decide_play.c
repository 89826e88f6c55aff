/*
 * A move message that counts: the series it accepts and offers, replies that were waiting,
 * what ends the game, and who is told.
 */
#include <assert.h>
#include <string.h>

#include "rules/decide_effects.h"

/* ---- What it plays ---- */

static void own_from_series(struct play *play, size_t at)
{
	play->has_own = true;
	play->own = (struct move_reading){.result = MOVE_READ, .move = play->accepted[at]};
	play->n_accepted = at;
}

static bool ends_game(const struct game *game, const uint16_t *moves, size_t n)
{
	struct position position = game->now;

	for (size_t i = 0; i < n; i++)
		position_make(&position, moves[i]);
	return n > 0 && position_end(&position) != POSITION_GOES_ON;
}

struct play play_of(
	const struct rules_context *context, const struct game *game, const struct message *message)
{
	struct play play = {.has_own = message->has_own, .own = message->own};
	bool whole = false;

	if (message->n_accepted == 0 || message->ply != game->n_moves)
		return play;
	size_t stated = message->n_accepted / 2;
	size_t pairs =
		conditionals_match(&game->conditionals, message->accepted, 2 * stated, &whole);
	memcpy(play.accepted, message->accepted, 2 * stated * sizeof(*play.accepted));
	play.n_accepted = 2 * pairs;
	/* What goes on otherwise than the series is an own move, and no more. */
	play.cut = pairs < stated;
	if (play.cut)
		own_from_series(&play, 2 * pairs);
	play.ends = !play.has_own && ends_game(game, play.accepted, play.n_accepted);
	/* MC-link 5.3: all or nothing. */
	if (context->system == RULES_MCLINK && play.n_accepted > 0 &&
		(!whole || (!play.has_own && !play.ends))) {
		own_from_series(&play, 0);
		play.part_series = true;
		play.ends = false;
	}
	/* IECC 7.6a: the last expected move is an own move; its reply is waiting. So is one
	 * that leaves nothing to answer, under any rules. */
	if (!play.has_own && (play.ends || (context->system == RULES_IECC && play.n_accepted > 0)))
		own_from_series(&play, play.n_accepted - 2);
	return play;
}

/* ---- Making it ---- */

struct course {
	const struct rules_context *context;
	const struct message *message;
	struct decision *decision;
	struct board board;
	struct conditionals waiting[2]; /* by who offered them */
	struct ending ending;
	enum side last;       /* who made the last move */
	size_t clock_last[2]; /* the last clock event of each side, for stamps */
};

static void make_pairs(struct course *course, const uint16_t *moves, size_t n)
{
	struct conditionals *theirs = &course->waiting[side_other(course->message->by)];

	for (size_t i = 0; i + 1 < n; i += 2) {
		board_make(&course->board, course->decision, moves[i]);
		board_make(&course->board, course->decision, moves[i + 1]);
		conditionals_advance(theirs, moves[i], moves[i + 1]);
	}
	course->decision->accepted = n;
}

/* The series that the message offers, legal from the position after its move. True if one
 * of them breaks off at an illegal or ambiguous move. */
static bool take_offers(struct course *course)
{
	const struct message *message = course->message;
	struct conditionals *ours = &course->waiting[message->by];
	bool illegal = false;

	*ours = (struct conditionals){.by = message->by};
	for (size_t i = 0; i < message->n_conditionals; i++) {
		const struct stated_conditional *stated = &message->conditionals[i];
		bool whole = conditionals_add(ours, &course->board.now, &stated->line);
		bool readable = stated->fault != MOVE_UNREADABLE;
		if (!whole || stated->fault != MOVE_READ)
			decision_warn(course->decision, WARNING_CONDITIONAL);
		/* What cannot be read may be our reader's fault: it costs nothing. */
		illegal = illegal || !whole || (stated->fault != MOVE_READ && readable);
	}
	return illegal;
}

static void check_ending(struct course *course)
{
	course->ending = board_ending(course->context, &course->board);
	if (course->ending.notice != MATTER_NONE) {
		course->decision->matter = course->ending.notice;
		course->decision->tell_arbiter = true;
	}
}

static bool costs(const struct course *course)
{
	return message_is_proven(course->message) && !course->context->fault_seen &&
	       !course->context->answers_capped;
}

static bool has_bad_format(const struct course *course, const struct play *play)
{
	const struct message *message = course->message;
	unsigned faults = message->format_faults;

	if (edition_is(course->context, EDITION_2))
		faults &= ~message->line_faults;
	return course->context->system == RULES_MCLINK && (faults != 0 || play->part_series);
}

static void make_own(struct course *course, const struct play *play)
{
	const struct message *message = course->message;
	struct decision *decision = course->decision;
	enum rule_system system = course->context->system;
	struct conditionals *theirs = &course->waiting[side_other(message->by)];

	make_pairs(course, play->accepted, play->n_accepted);
	board_make(&course->board, decision, play->own.move);
	course->last = message->by;
	bool illegal = take_offers(course);
	bool format = has_bad_format(course, play);
	if (format)
		decision_warn(decision, WARNING_FORMAT);
	if (play->part_series)
		decision_warn(decision, WARNING_SERIES);
	if (play->cut)
		decision_warn(decision, WARNING_CONTINUATION);

	struct clock_event *event = effect_clock(
		decision, CLOCK_MOVE, message->by, message->sent, &course->clock_last[message->by]);
	event->accepts = (int)(play->n_accepted / 2);
	if (is_razsh(system))
		event->offers = (int)conditionals_reach(&course->waiting[message->by]);
	if (system == RULES_IECC && illegal && costs(course)) {
		event->illegal_conditional = true;
		decision->article = "IECC 7.8";
	}
	event->bad_format = format && costs(course);
	/* A reply of the opponent is only still waiting for this very move. */
	if (conditionals_reply(theirs, play->own.move) == MOVE_NONE ||
		(system != RULES_IECC && !play->ends))
		theirs->n_lines = 0;
	check_ending(course);
}

/* IECC 7.6a: the expected move has come, the stored reply is played at once; and perhaps a
 * reply to that was offered too. */
static void make_replies(struct course *course, uint16_t move)
{
	while (!course->ending.over) {
		enum side by = side_other(course->last);
		struct conditionals *waiting = &course->waiting[by];
		uint16_t reply = conditionals_reply(waiting, move);
		if (reply == MOVE_NONE || !position_is_legal(&course->board.now, reply)) {
			waiting->n_lines = 0;
			return;
		}
		board_make(&course->board, course->decision, reply);
		(void)effect_clock(course->decision, CLOCK_AUTO_REPLY, by, course->message->sent,
			&course->clock_last[by]);
		conditionals_advance(waiting, move, reply);
		course->decision->replies++;
		course->last = by;
		move = reply;
		check_ending(course);
	}
}

static void store_conditionals(struct course *course, const struct game *game)
{
	struct conditionals *alive = &course->waiting[course->last];

	if (course->ending.over)
		alive->n_lines = 0;
	if (alive->n_lines == 0 && game->conditionals.n_lines == 0)
		return;
	alive->by = course->last;
	course->decision->conditionals = *alive;
	(void)effect_add(course->decision, EFFECT_CONDITIONALS);
}

/* ---- Offers, claims and demands that come with it ---- */

/* FIDE 9.1: an offer lives until the opponent answers it or moves, and cannot be taken back; both
 * must have made a move. What the event has set counts as made. One's own may stand from before: a
 * stored reply of the opponent is no answer to it, since he had not seen it; nor is it one to a
 * claim that did not hold. */
static void set_offer(struct course *course, const struct game *game, bool offered)
{
	enum draw_offer own = course->message->by == SIDE_WHITE ? OFFER_WHITE : OFFER_BLACK;
	bool stands = game->draw_offer == own && edition_is(course->context, EDITION_2);
	enum draw_offer offer = OFFER_NONE;

	if (offered && game->n_moves + course->board.n_made < 2)
		decision_warn(course->decision, WARNING_OFFER);
	else if ((offered || stands) && !course->ending.over)
		offer = own;
	if (offer != game->draw_offer)
		effect_add(course->decision, EFFECT_OFFER)->offer = offer;
}

static void set_demand(struct course *course)
{
	const struct message *message = course->message;

	if (!message_has_command(message, COMMAND_DEMAND_FIFTY))
		return;
	if (course->context->system != RULES_MCLINK || !message_is_proven(message)) {
		decision_warn(course->decision, WARNING_COMMAND);
		return;
	}
	if (course->ending.over)
		return;
	struct effect *effect = effect_add(course->decision, EFFECT_DEMAND);
	memcpy(effect->demanded, course->board.demanded, sizeof(effect->demanded));
	effect->demanded[message->by] = course->board.game->n_moves + course->board.n_made + 1;
	course->decision->matter = MATTER_DEMAND;
}

/* A claim made with the move (FIDE 9.2.1, 9.3.1): one that holds ends the game, one that does
 * not stands as an offer. Returns whether it does. */
static bool settle_claim(struct course *course)
{
	const struct message *message = course->message;
	enum termination by;

	if (!message_claims_draw(message) || course->ending.over)
		return false;
	if (course->context->system == RULES_MCLINK || !message_is_proven(message)) {
		decision_warn(course->decision, WARNING_COMMAND);
		return false;
	}
	if (!board_claim(&course->board, message, &by)) {
		decision_warn(course->decision, WARNING_CLAIM);
		course->decision->matter = MATTER_CLAIM_REJECTED;
		return true;
	}
	course->ending = (struct ending){.over = true, .result = RESULT_DRAW, .termination = by};
	course->decision->matter =
		by == TERMINATION_THREEFOLD ? MATTER_CLAIM_THREEFOLD : MATTER_CLAIM_FIFTY;
	return false;
}

/* ---- Who is told ---- */

static bool copy_required(const struct rules_context *context, const struct message *message)
{
	struct clock_state state;

	if (context->system == RULES_IECC)
		return context->mobile; /* 10.4 */
	if (!is_razsh(context->system) || context->clock == NULL)
		return false;
	clock_state_at(context->clock, message->sent, &state); /* 4.10 */
	return state.cc_arbiter;
}

static void stamp(struct effect *effect, size_t clock_event)
{
	effect->stamp = STAMP_DELIVERED;
	effect->stamped = clock_event;
}

static void tell(struct course *course)
{
	struct decision *decision = course->decision;
	enum side by = course->message->by, other = side_other(by);

	stamp(effect_mail(decision, MAIL_MOVE, reader_of(other)), course->clock_last[by]);
	(void)effect_mail(decision, MAIL_RECEIPT, reader_of(by));
	if (decision->replies > 0)
		stamp(effect_mail(decision, MAIL_MOVE, reader_of(by)), course->clock_last[other]);
	effect_mail(decision, MAIL_COPY, READER_ARBITER)->required =
		copy_required(course->context, course->message);
	if (course->context->public_area)
		(void)effect_mail(decision, MAIL_PUBLIC, READER_PUBLIC);
	if (course->ending.over)
		effect_mail_all(course->context, decision, MAIL_RESULT);
}

static bool in_stop(const struct rules_context *context, int64_t at)
{
	struct clock_state state;

	if (context->system != RULES_MCLINK || context->clock == NULL)
		return false;
	clock_state_at(context->clock, at, &state);
	return state.status == CLOCK_STOPPED;
}

void decide_play(const struct rules_context *context, const struct game *game,
	const struct message *message, const struct play *play, struct decision *decision)
{
	struct course course = {
		.context = context,
		.message = message,
		.decision = decision,
		.board = board_of(game),
		.last = message->by,
	};

	assert(play->has_own && play->own.result == MOVE_READ);
	course.waiting[side_other(message->by)] = game->conditionals;
	decision->registered = in_stop(context, message->sent);
	make_own(&course, play);
	bool offered = settle_claim(&course) || message->draw_offer;
	make_replies(&course, play->own.move);
	set_offer(&course, game, offered);
	set_demand(&course);
	store_conditionals(&course, game);
	if (course.ending.over)
		effect_finish(context, decision, message->sent, course.ending.result,
			course.ending.termination);
	tell(&course);
}

size_t decide_accepted(const struct game *game, const struct play *play, struct decision *decision)
{
	struct board board = board_of(game);

	decision->conditionals = game->conditionals;
	for (size_t i = 0; i < play->n_accepted; i += 2) {
		board_make(&board, decision, play->accepted[i]);
		board_make(&board, decision, play->accepted[i + 1]);
		conditionals_advance(
			&decision->conditionals, play->accepted[i], play->accepted[i + 1]);
	}
	decision->accepted = play->n_accepted;
	(void)effect_add(decision, EFFECT_CONDITIONALS);
	return play->n_accepted / 2;
}

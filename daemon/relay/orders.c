#include "daemon/relay/orders.h"

#include <errno.h>
#include <string.h>

#include "config/language.h"
#include "core/letters.h"
#include "daemon/reading/grammar.h"
#include "daemon/relay/announce.h"
#include "daemon/relay/carry.h"
#include "daemon/relay/input_log.h"
#include "daemon/relay/players.h"
#include "daemon/store/timers.h"

static void refuse(struct decision *decision, enum refusal refusal)
{
	decision->verdict = VERDICT_COMMAND_ERROR;
	decision->refusal = refusal;
	decision->n_effects = 0;
}

static struct compose_facts also_of(
	const struct order *order, enum compose_order kind, enum side side)
{
	struct compose_facts also = {.order = kind, .order_side = side};

	if (order->origin->also) {
		also.reason = order->origin->also->reason;
		also.author = order->origin->also->author;
	}
	return also;
}

static struct post post_of(
	struct match *match, const struct order *order, const struct compose_facts *also)
{
	struct post post = *order->origin;

	post.kind = MAIL_RULING;
	post.also = also;
	/* The same order may be given again: its mails are others. */
	if (!post.inbox)
		post.cause_digest =
			arena_format(&match->arena, "%s %lld", order->text, (long long)order->at);
	return post;
}

/* KIND: `ruling` is told in bulletins, `order` is not. */
static int log_order(const struct match *match, const struct order *order, const char *kind)
{
	const struct compose_facts *also = order->origin->also;

	return input_log(match->club, order->now, kind,
		json_pack("{s:s, s:s, s:I, s:s?, s:s?}", "game", match->id, "ruling", order->text,
			"at", (json_int_t)order->at, "author", also ? also->author : NULL, "reason",
			also ? also->reason : NULL));
}

static int tell(struct match *match, const struct post *post)
{
	int r = post_to_player(match, SIDE_WHITE, post);

	if (r >= 0)
		r = post_to_player(match, SIDE_BLACK, post);
	return r < 0 ? r : post_to_arbiters(match, post);
}

/* ---- A move ---- */

static enum refusal check_standing(const struct match *match)
{
	enum clock_status status = clock_status(match->clock);

	switch (match->game.state) {
	case GAME_SCHEDULED:
		return REFUSAL_NOT_STARTED;
	case GAME_SUSPENDED:
		return REFUSAL_SUSPENDED;
	case GAME_FINISHED:
		return REFUSAL_GAME_OVER;
	case GAME_ACTIVE:
		break;
	}
	/* A deadline has passed that has not fired yet. */
	return status == CLOCK_RUNNING || status == CLOCK_STOPPED ? REFUSAL_NONE : REFUSAL_TOO_LATE;
}

static int read_move(struct match *match, const char *move, size_t size, enum side side, int64_t at,
	struct message *ret_message)
{
	struct newtext_line line = {.size = size};
	const struct newtext newtext = {
		.text = arena_copy(&match->arena, move, size),
		.size = size,
		.lines = &line,
		.n_lines = 1,
	};
	const struct letters *written = NULL;
	enum notation notation;
	if (!notation_find(match->players[side].notation, &notation, &written))
		written = NULL;
	const char *language = match->players[side].language;
	const struct grammar_context context = {
		.start = &match->game.start,
		.moves = match->game.moves,
		.n = (unsigned)match->game.n_moves,
		.ply = (unsigned)match->game.n_moves,
		.by = side,
		.letters = letters_find(language, strlen(language)),
		.written = written,
		.conditionals = &match->game.conditionals,
		.words = match->club->words,
		.today = zone_date(match->zones[side], at),
		.system = match->parameters.system,
		.code = match->row.code,
	};
	int r = grammar_read(&newtext, &context, ret_message);

	ret_message->by = side;
	ret_message->trust = TRUST_TOKEN;
	ret_message->sent = at;
	/* It is the arbiter who writes: neither form nor repetition is the player's. */
	ret_message->format_faults = ret_message->line_faults = 0;
	if (ret_message->repetition == REPETITION_NONE && match->game.n_moves > 0)
		ret_message->repetition = REPETITION_RIGHT;
	return r;
}

static bool states_move_only(const struct message *message)
{
	for (size_t i = 0; i < message->n_commands; i++)
		if (message->commands[i].kind != COMMAND_DRAW)
			return false;
	return message->has_own || message->n_accepted > 0;
}

static bool is_accepted(const struct decision *decision)
{
	return decision->verdict == VERDICT_ACCEPTED ||
	       decision->verdict == VERDICT_ACCEPTED_WITH_WARNING;
}

/* Who would get a receipt or a copy of it gets the ruling. */
static void redirect_mails(struct decision *decision)
{
	bool arbiter = false;

	for (size_t i = 0; i < decision->n_effects; i++) {
		struct effect *effect = &decision->effects[i];
		if (effect->kind != EFFECT_MAIL)
			continue;
		if (effect->mail == MAIL_RECEIPT || effect->mail == MAIL_COPY)
			effect->mail = MAIL_RULING;
		arbiter = arbiter || (effect->mail == MAIL_RULING && effect->to == READER_ARBITER);
	}
	if (!arbiter && decision->n_effects < EFFECTS_MAX)
		decision->effects[decision->n_effects++] = (struct effect){
			.kind = EFFECT_MAIL, .mail = MAIL_RULING, .to = READER_ARBITER};
}

static int carry_move(struct match *match, struct judgement *judgement, const struct order *order)
{
	const struct compose_facts also = also_of(order, ORDER_MOVE, judgement->message.by);
	struct post post = post_of(match, order, &also);

	post.judgement = judgement;
	redirect_mails(&judgement->decision);
	int r = carry_decided(match, &judgement->decision, &post);
	/* What waits for a confirmation comes too late. */
	if (r >= 0)
		r = timers_lapse(match->club->store, match->row.id, CONFIRM_TIMER, order->now);
	return r < 0 ? r : log_order(match, order, "ruling");
}

int orders_move(struct match *match, const char *move, size_t size, const struct order *order,
	struct decision *ret_decision)
{
	struct judgement *judgement = arena_alloc(&match->arena, sizeof(*judgement));
	enum side side = game_turn(&match->game, match->game.n_moves);
	struct rules_context context;

	clock_advance(match->clock, order->at);
	enum refusal refusal = check_standing(match);
	refuse(ret_decision, refusal);
	if (refusal != REFUSAL_NONE)
		return 0;
	int r = read_move(match, move, size, side, order->at, &judgement->message);
	if (r < 0)
		return r;
	refuse(ret_decision, REFUSAL_MOVE);
	if (!states_move_only(&judgement->message))
		return 0;
	match_context(match, &context);
	decide(&context, &match->game, &judgement->message, order->at, &judgement->decision);
	if (!is_accepted(&judgement->decision))
		return 0;
	judgement->verdict = judgement->decision.verdict;
	judgement->has_message = true;
	judgement->identity.player = match->players[side].id;
	judgement->identity.trust = TRUST_AUTHENTICATED;
	r = carry_move(match, judgement, order);
	*ret_decision = judgement->decision;
	ret_decision->verdict = VERDICT_COMMAND;
	return r;
}

/* ---- An address ---- */

int orders_accept_address(struct match *match, enum side side, const char *address,
	const struct order *order, struct decision *ret_decision, const char **ret_fault)
{
	const struct player_change change = {.added = address};
	struct compose_facts also = also_of(order, ORDER_ACCEPT_ADDRESS, side);
	struct player_row row;

	*ret_fault = NULL;
	refuse(ret_decision, REFUSAL_UNREADABLE);
	int r = players_change(match->club, &match->arena, match->players[side].id, &change,
		order->now, &row, ret_fault);
	if (r != 0)
		return r < 0 ? r : 0;
	also.new_address = address;
	struct post post = post_of(match, order, &also);
	r = tell(match, &post);
	if (r >= 0)
		r = log_order(match, order, "order");
	ret_decision->verdict = VERDICT_COMMAND;
	return r;
}

/* ---- A mobile phone ---- */

int orders_mobile(
	struct match *match, bool on, const struct order *order, struct decision *ret_decision)
{
	const struct compose_facts also =
		also_of(order, on ? ORDER_MOBILE_ON : ORDER_MOBILE_OFF, SIDE_WHITE);

	refuse(ret_decision, match->parameters.system != RULES_IECC ? REFUSAL_OTHER_RULES
			     : match->game.state == GAME_FINISHED   ? REFUSAL_GAME_OVER
								    : REFUSAL_NOTHING);
	if (match->parameters.system != RULES_IECC || match->game.state == GAME_FINISHED ||
		match->row.mobile == on)
		return 0;
	struct post post = post_of(match, order, &also);
	post.article = "IECC 10.4";
	int r = games_set_mobile(match->club->store, match->row.id, on);
	match->row.mobile = on;
	if (r >= 0)
		r = tell(match, &post);
	if (r >= 0)
		r = log_order(match, order, "order");
	ret_decision->verdict = VERDICT_COMMAND;
	return r;
}

/* ---- Whatever it is ---- */

int orders_carry(struct match *match, const struct stated_ruling *stated, const char *argument,
	const struct order *order, struct decision *ret_decision, const char **ret_fault)
{
	const struct compose_facts *also = order->origin->also;
	int r;

	*ret_fault = NULL;
	switch (stated->kind) {
	case STATED_MOVE:
		return orders_move(match, argument, strlen(argument), order, ret_decision);
	case STATED_ACCEPT_ADDRESS:
		return orders_accept_address(
			match, stated->ruling.side, argument, order, ret_decision, ret_fault);
	case STATED_MOBILE:
		return orders_mobile(match, stated->on, order, ret_decision);
	case STATED_ANNOUNCEMENT:
		refuse(ret_decision, REFUSAL_UNREADABLE);
		if (argument[strspn(argument, " \t\n")] == '\0')
			return 0;
		r = announce(match->club, &match->tournament, argument, also ? also->author : NULL,
			order->now);
		ret_decision->verdict = VERDICT_COMMAND;
		return r;
	case STATED_RULING:
	case STATED_LEAVE:
		break;
	}
	return -EOPNOTSUPP;
}

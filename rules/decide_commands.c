/*
 * Commands by mail that concern one game (product, section 4), and draws by agreement and
 * claim (rules.md, section 4).
 */
#include <string.h>

#include "rules/decide_effects.h"

#define DAY_MS (24 * INT64_C(3600000))

bool message_has_command(const struct message *message, enum command kind)
{
	for (size_t i = 0; i < message->n_commands; i++)
		if (message->commands[i].kind == kind)
			return true;
	return false;
}

bool message_claims_draw(const struct message *message)
{
	return message_has_command(message, COMMAND_CLAIM_THREEFOLD) ||
	       message_has_command(message, COMMAND_CLAIM_FIFTY);
}

bool message_is_proven(const struct message *message)
{
	return message->trust == TRUST_TOKEN || message->trust == TRUST_AUTHENTICATED;
}

bool message_has_move(const struct message *message)
{
	return message->has_own || message->n_accepted > 0;
}

bool board_claim(const struct board *board, const struct message *message, enum termination *ret_by)
{
	if (message_has_command(message, COMMAND_CLAIM_THREEFOLD) &&
		board_repetitions(board) >= 3) {
		*ret_by = TERMINATION_THREEFOLD;
		return true;
	}
	if (message_has_command(message, COMMAND_CLAIM_FIFTY) && board->now.halfmove >= 100) {
		*ret_by = TERMINATION_FIFTY_MOVES;
		return true;
	}
	return false;
}

/* ---- Which command is whose ---- */

/* Carried out by the shell: it concerns the player, or asks for a service. */
static bool is_request(enum command kind)
{
	switch (kind) {
	case COMMAND_LEAVE:
	case COMMAND_END_LEAVE:
	case COMMAND_STOP:
	case COMMAND_VACATION:
	case COMMAND_WITHDRAW:
	case COMMAND_AGREE:
	case COMMAND_REFUSE:
	case COMMAND_STATUS:
	case COMMAND_RESEND:
	case COMMAND_ADDRESS:
	case COMMAND_LANGUAGE:
	case COMMAND_NOTATION:
	case COMMAND_HELP:
		return true;
	case COMMAND_NONE:
	case COMMAND_RESIGN:
	case COMMAND_DRAW:
	case COMMAND_ACCEPT:
	case COMMAND_DECLINE:
	case COMMAND_CLAIM_THREEFOLD:
	case COMMAND_CLAIM_FIFTY:
	case COMMAND_DEMAND_FIFTY:
	case COMMAND_CLAIM_TIME:
		break;
	}
	return false;
}

static bool changes_nothing(enum command kind)
{
	return kind == COMMAND_STATUS || kind == COMMAND_RESEND || kind == COMMAND_HELP;
}

static int find_request(const struct message *message)
{
	for (size_t i = 0; i < message->n_commands; i++)
		if (is_request(message->commands[i].kind))
			return (int)i;
	return -1;
}

static bool is_period_missing(const struct stated_command *command)
{
	return (command->kind == COMMAND_LEAVE || command->kind == COMMAND_STOP ||
		       command->kind == COMMAND_VACATION) &&
	       (!command->has_period || command->to < command->from);
}

static bool is_of_other_rules(enum rule_system system, enum command kind)
{
	bool mclink = system == RULES_MCLINK;

	switch (kind) {
	case COMMAND_CLAIM_THREEFOLD: /* MC-link 9: by itself, at the third */
	case COMMAND_CLAIM_FIFTY:
	case COMMAND_LEAVE:
	case COMMAND_END_LEAVE:
		return mclink;
	case COMMAND_DEMAND_FIFTY:
	case COMMAND_STOP:
	case COMMAND_VACATION:
		return !mclink;
	case COMMAND_CLAIM_TIME:
		return !is_razsh(system);
	case COMMAND_AGREE:
	case COMMAND_REFUSE:
		return system != RULES_IECC; /* 8.2 */
	case COMMAND_NONE:
	case COMMAND_RESIGN:
	case COMMAND_DRAW:
	case COMMAND_ACCEPT:
	case COMMAND_DECLINE:
	case COMMAND_WITHDRAW:
	case COMMAND_STATUS:
	case COMMAND_RESEND:
	case COMMAND_ADDRESS:
	case COMMAND_LANGUAGE:
	case COMMAND_NOTATION:
	case COMMAND_HELP:
		break;
	}
	return false;
}

/* ---- Commands that end a game ---- */

static void answer(struct decision *decision, const struct message *message)
{
	decision->verdict = VERDICT_COMMAND;
	(void)effect_mail(decision, MAIL_RECEIPT, reader_of(message->by));
}

static void end_by_command(const struct rules_context *context, const struct game *game,
	const struct message *message, enum clock_result result, enum termination termination,
	struct decision *decision)
{
	answer(decision, message);
	effect_clear(decision, game);
	effect_finish(context, decision, message->sent, result, termination);
	effect_mail_all(context, decision, MAIL_RESULT);
}

/* FIDE 5.1.2: if the opponent cannot mate by any series of moves, it is a draw. RAZSh plays by
 * FIDE's laws (I.3); in the others the arbiter sees the flag. */
static void resign(const struct rules_context *context, const struct game *game,
	const struct message *message, struct decision *decision)
{
	enum side other = side_other(message->by);

	decision->matter = MATTER_RESIGNATION;
	decision->asks_mate = true;
	decision->can_mate = draws_can_mate(&game->now, other, DRAWS_BUDGET);
	bool cannot = decision->can_mate == DRAWS_NO;
	decision->tell_arbiter = cannot;
	end_by_command(context, game, message,
		cannot && is_razsh(context->system) ? RESULT_DRAW : win_of(other),
		TERMINATION_RESIGNATION, decision);
}

static bool offer_of(const struct game *game, enum side side)
{
	return game->draw_offer == (side == SIDE_WHITE ? OFFER_WHITE : OFFER_BLACK);
}

/* MC-link 9: both have written; the Coordinator checks it in person. */
static void agree_mclink(const struct rules_context *context, const struct game *game,
	const struct message *message, struct decision *decision)
{
	answer(decision, message);
	effect_clear(decision, game);
	(void)effect_clock(decision, CLOCK_FREEZE, message->by, message->sent, NULL);
	struct effect *effect = effect_state(decision, GAME_SUSPENDED);
	effect->awaiting = AWAITING_AGREEMENT;
	effect->awaiting_by = message->by;
	decision->tell_arbiter = true;
	(void)effect_mail(decision, MAIL_CLAIM, reader_of(side_other(message->by)));
	(void)effect_mail(decision, MAIL_CLAIM, READER_ARBITER);
	(void)context;
}

static void accept_offer(const struct rules_context *context, const struct game *game,
	const struct message *message, struct decision *decision)
{
	decision->matter = MATTER_AGREEMENT;
	if (context->system == RULES_MCLINK)
		agree_mclink(context, game, message, decision);
	else
		end_by_command(
			context, game, message, RESULT_DRAW, TERMINATION_AGREEMENT, decision);
}

static void decline_offer(const struct message *message, struct decision *decision)
{
	decision->matter = MATTER_OFFER_DECLINED;
	answer(decision, message);
	effect_add(decision, EFFECT_OFFER)->offer = OFFER_NONE;
	(void)effect_mail(decision, MAIL_CLAIM, reader_of(side_other(message->by)));
}

/* A claim without a move, by the player on the move (FIDE 9.2.2, 9.3.2). One that does not
 * hold costs nothing and stands as an offer (9.1.2.3). */
static void claim_now(const struct rules_context *context, const struct game *game,
	const struct message *message, struct decision *decision)
{
	struct board board = board_of(game);
	enum termination by;

	if (board_claim(&board, message, &by)) {
		decision->matter =
			by == TERMINATION_THREEFOLD ? MATTER_CLAIM_THREEFOLD : MATTER_CLAIM_FIFTY;
		end_by_command(context, game, message, RESULT_DRAW, by, decision);
		return;
	}
	decision->matter = MATTER_CLAIM_REJECTED;
	decision_warn(decision, WARNING_CLAIM);
	answer(decision, message);
	if (!offer_of(game, message->by))
		effect_add(decision, EFFECT_OFFER)->offer =
			message->by == SIDE_WHITE ? OFFER_WHITE : OFFER_BLACK;
	(void)effect_mail(decision, MAIL_CLAIM, reader_of(side_other(message->by)));
	(void)effect_mail(decision, MAIL_CLAIM, READER_ARBITER);
}

static void demand(
	const struct game *game, const struct message *message, struct decision *decision)
{
	decision->matter = MATTER_DEMAND;
	answer(decision, message);
	struct effect *effect = effect_add(decision, EFFECT_DEMAND);
	memcpy(effect->demanded, game->demanded, sizeof(effect->demanded));
	effect->demanded[message->by] = game->n_moves + 1;
	(void)effect_mail(decision, MAIL_CLAIM, reader_of(side_other(message->by)));
	(void)effect_mail(decision, MAIL_CLAIM, READER_ARBITER);
}

/* ---- RAZSh 6: the claim of time ---- */

static enum refusal consider(const struct rules_context *context, const struct message *message,
	struct clock_event *event, struct clock_answer *answer)
{
	*event = CLOCK_EVENT_NONE;
	event->kind = CLOCK_CLAIM;
	event->by = message->by;
	event->at = message->sent;
	event->n = 1;
	int r = context->clock ? clock_consider(context->clock, event, answer) : CLOCK_ERROR_SYSTEM;
	if (r != 0)
		return r == CLOCK_ERROR_STATUS ? REFUSAL_CLAIMED : REFUSAL_NOTHING;
	for (size_t i = 0; i < message->n_commands; i++)
		if (message->commands[i].kind == COMMAND_CLAIM_TIME)
			event->n = message->commands[i].n > 0 ? message->commands[i].n
							      : answer->open_control;
	if (clock_consider(context->clock, event, answer) != 0)
		return REFUSAL_NOTHING;
	if (answer->granted)
		return REFUSAL_NONE;
	if (event->n < answer->open_control)
		return REFUSAL_TOO_LATE;
	return event->n > answer->open_control ? REFUSAL_NO_OVERSTEP : REFUSAL_BARRED;
}

/* 6.4: the opponent may object within so many days of receiving the claim. */
static void arm_objection(const struct rules_context *context, const struct game *game,
	const struct message *message, int days, struct decision *decision)
{
	enum side other = side_other(message->by);
	const struct zone *zone = clock_zone(context->clock, other);
	int32_t date = zone_date(zone, message->sent);

	effect_add(decision, EFFECT_TIMER)->timer = (struct clock_timer){
		.kind = TIMER_OBJECTION,
		.at = zone_date_start(zone, date + days + 1),
		.ply = (int)game->n_moves,
		.by = other,
	};
}

/* The claim's effects but for the answer. Returns whether it interrupts the game (6.3). */
static bool claim_time(const struct rules_context *context, const struct game *game,
	const struct message *message, const struct clock_event *event,
	const struct clock_answer *account, struct decision *decision)
{
	bool interrupts = clock_claim_interrupts(context->clock, message->by);

	decision->matter = MATTER_TIME_CLAIM;
	decision->claim_spent = account->spent;
	decision->claim_limit = account->limit;
	decision->claim_borne_out = account->borne_out;
	decision->asks_mate = true;
	decision->can_mate = draws_can_mate(&game->now, message->by, DRAWS_BUDGET_SMALL);
	decision->tell_arbiter = true;
	*effect_clock(decision, CLOCK_CLAIM, message->by, message->sent, NULL) = *event;
	struct effect *effect = effect_state(decision, interrupts ? GAME_SUSPENDED : GAME_ACTIVE);
	effect->awaiting = AWAITING_CLAIM;
	effect->awaiting_by = message->by;
	arm_objection(context, game, message, account->objection_days, decision);
	(void)effect_mail(decision, MAIL_CLAIM, reader_of(side_other(message->by)));
	(void)effect_mail(decision, MAIL_CLAIM, READER_ARBITER);
	return interrupts;
}

static enum refusal try_claim_time(const struct rules_context *context, const struct game *game,
	const struct message *message, struct decision *decision, bool *ret_interrupts)
{
	struct clock_event event;
	struct clock_answer account;

	if (!is_razsh(context->system))
		return REFUSAL_OTHER_RULES;
	if (game->awaiting == AWAITING_CLAIM)
		return REFUSAL_CLAIMED;
	if (game->state != GAME_ACTIVE)
		return REFUSAL_SUSPENDED;
	enum refusal refusal = consider(context, message, &event, &account);
	if (refusal == REFUSAL_NONE)
		*ret_interrupts = claim_time(context, game, message, &event, &account, decision);
	return refusal;
}

/* ---- A message that holds only commands ---- */

static enum refusal check_state(const struct game *game, enum command kind)
{
	if (kind == COMMAND_WITHDRAW || is_request(kind))
		return REFUSAL_NONE;
	if (game->state == GAME_FINISHED)
		return REFUSAL_GAME_OVER;
	if (game->state == GAME_SCHEDULED)
		return REFUSAL_NOT_STARTED;
	/* A lost game may be resigned at any time. */
	if (game->state == GAME_SUSPENDED && kind != COMMAND_RESIGN)
		return REFUSAL_SUSPENDED;
	return REFUSAL_NONE;
}

static enum refusal check_fit(const struct game *game, const struct message *message,
	const struct stated_command *command)
{
	enum side by = message->by;

	if (command->kind == COMMAND_DRAW)
		return REFUSAL_OFFER_ALONE;
	if ((command->kind == COMMAND_ACCEPT || command->kind == COMMAND_DECLINE) &&
		!offer_of(game, side_other(by)))
		return REFUSAL_NO_OFFER;
	if ((command->kind == COMMAND_CLAIM_THREEFOLD || command->kind == COMMAND_CLAIM_FIFTY) &&
		game_turn(game, game->n_moves) != by)
		return REFUSAL_NOT_YOUR_TURN;
	return is_period_missing(command) ? REFUSAL_UNREADABLE : REFUSAL_NONE;
}

static enum refusal check(const struct rules_context *context, const struct game *game,
	const struct message *message, const struct stated_command *command)
{
	if (!changes_nothing(command->kind) && !message_is_proven(message))
		return REFUSAL_UNPROVEN;
	if (is_of_other_rules(context->system, command->kind))
		return REFUSAL_OTHER_RULES;
	enum refusal refusal = check_state(game, command->kind);
	return refusal != REFUSAL_NONE ? refusal : check_fit(game, message, command);
}

/* Do two of the commands exclude each other? Threefold and fifty may be claimed together. */
static bool contradict(const struct message *message)
{
	bool accept = message_has_command(message, COMMAND_ACCEPT);
	bool decline = message_has_command(message, COMMAND_DECLINE);
	bool resign_too = message_has_command(message, COMMAND_RESIGN);
	bool draws = accept || message_claims_draw(message) ||
		     message_has_command(message, COMMAND_DRAW);

	return (accept && decline) || (resign_too && draws) ||
	       (message_has_command(message, COMMAND_AGREE) &&
		       message_has_command(message, COMMAND_REFUSE));
}

/* The command that decides a message of commands: what ends the game before all else. */
static const struct stated_command *leading(const struct message *message)
{
	static const enum command order[] = {COMMAND_RESIGN, COMMAND_ACCEPT,
		COMMAND_CLAIM_THREEFOLD, COMMAND_CLAIM_FIFTY, COMMAND_CLAIM_TIME,
		COMMAND_DEMAND_FIFTY, COMMAND_DECLINE, COMMAND_DRAW};

	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		for (size_t j = 0; j < message->n_commands; j++)
			if (message->commands[j].kind == order[i])
				return &message->commands[j];
	return NULL;
}

static void carry_out(const struct rules_context *context, const struct game *game,
	const struct message *message, enum command kind, struct decision *decision)
{
	enum refusal refusal;
	bool interrupts;

	switch (kind) {
	case COMMAND_RESIGN:
		resign(context, game, message, decision);
		return;
	case COMMAND_ACCEPT:
		accept_offer(context, game, message, decision);
		return;
	case COMMAND_DECLINE:
		decline_offer(message, decision);
		return;
	case COMMAND_CLAIM_THREEFOLD:
	case COMMAND_CLAIM_FIFTY:
		claim_now(context, game, message, decision);
		return;
	case COMMAND_DEMAND_FIFTY:
		demand(game, message, decision);
		return;
	case COMMAND_CLAIM_TIME:
		refusal = try_claim_time(context, game, message, decision, &interrupts);
		if (refusal != REFUSAL_NONE)
			decision_refuse(decision, refusal, message->by);
		else
			answer(decision, message);
		return;
	case COMMAND_NONE:
	case COMMAND_DRAW:
	case COMMAND_LEAVE:
	case COMMAND_END_LEAVE:
	case COMMAND_STOP:
	case COMMAND_VACATION:
	case COMMAND_WITHDRAW:
	case COMMAND_AGREE:
	case COMMAND_REFUSE:
	case COMMAND_STATUS:
	case COMMAND_RESEND:
	case COMMAND_ADDRESS:
	case COMMAND_LANGUAGE:
	case COMMAND_NOTATION:
	case COMMAND_HELP:
		break;
	}
}

static void decide_only_commands(const struct rules_context *context, const struct game *game,
	const struct message *message, struct decision *decision)
{
	const struct stated_command *command = leading(message);
	int request = find_request(message);

	if (contradict(message)) {
		decision_refuse(decision, REFUSAL_CONTRADICTION, message->by);
		return;
	}
	if (command == NULL)
		command = &message->commands[request];
	enum refusal refusal = check(context, game, message, command);
	if (refusal != REFUSAL_NONE) {
		decision_refuse(decision, refusal, message->by);
		return;
	}
	decision->request = request;
	if (is_request(command->kind)) {
		/* Its outcome and its answer come from whoever carries it out. */
		decision->verdict = VERDICT_COMMAND;
		return;
	}
	carry_out(context, game, message, command->kind, decision);
}

/* ---- Commands beside a move ---- */

/* Accepting with a move: the acceptance counts (product, section 3). */
static bool accepts_with_move(const struct rules_context *context, const struct game *game,
	const struct message *message, struct decision *decision)
{
	if (!message_has_command(message, COMMAND_ACCEPT))
		return false;
	if (game->state != GAME_ACTIVE || !offer_of(game, side_other(message->by))) {
		decision_warn(decision, WARNING_COMMAND);
		return false;
	}
	if (message_is_proven(message))
		accept_offer(context, game, message, decision);
	else
		decision_refuse(decision, REFUSAL_UNPROVEN, message->by);
	return true;
}

/* A claim that the present position bears out already needs no move (FIDE 9.2.2). */
static bool claims_before_move(const struct rules_context *context, const struct game *game,
	const struct message *message, struct decision *decision)
{
	struct board board = board_of(game);
	enum termination by;

	if (!message_claims_draw(message) || context->system == RULES_MCLINK ||
		!message_is_proven(message) || game->state != GAME_ACTIVE ||
		game_turn(game, game->n_moves) != message->by || message->ply != game->n_moves ||
		!board_claim(&board, message, &by))
		return false;
	claim_now(context, game, message, decision);
	return true;
}

/* RAZSh 6.1: a claim is in time with the answer to the control move. Section III interrupts
 * the game: the move is held (6.3). */
static bool claims_time_with_move(const struct rules_context *context, const struct game *game,
	const struct message *message, struct decision *decision)
{
	bool interrupts = false;

	if (!message_has_command(message, COMMAND_CLAIM_TIME))
		return false;
	if (!message_is_proven(message) ||
		try_claim_time(context, game, message, decision, &interrupts) != REFUSAL_NONE) {
		decision_warn(decision, WARNING_COMMAND);
		return false;
	}
	if (!interrupts)
		return false;
	decision->verdict = VERDICT_HELD;
	(void)effect_mail(decision, MAIL_RECEIPT, reader_of(message->by));
	return true;
}

static bool decide_beside_move(const struct rules_context *context, const struct game *game,
	const struct message *message, struct decision *decision)
{
	if (message_has_command(message, COMMAND_RESIGN)) {
		decision_refuse(decision, REFUSAL_WITH_MOVE, message->by);
		return true;
	}
	if (contradict(message)) {
		decision_refuse(decision, REFUSAL_CONTRADICTION, message->by);
		return true;
	}
	if (accepts_with_move(context, game, message, decision) ||
		claims_before_move(context, game, message, decision) ||
		claims_time_with_move(context, game, message, decision))
		return true;
	int request = find_request(message);
	if (request < 0)
		return false;
	const struct stated_command *command = &message->commands[request];
	if (check(context, game, message, command) == REFUSAL_NONE)
		decision->request = request;
	else
		decision_warn(decision, WARNING_COMMAND);
	return false;
}

bool decide_commands(const struct rules_context *context, const struct game *game,
	const struct message *message, struct decision *decision)
{
	if (message->n_commands == 0)
		return false;
	if (message_has_move(message))
		return decide_beside_move(context, game, message, decision);
	if (leading(message) == NULL && find_request(message) < 0)
		return false;
	decide_only_commands(context, game, message, decision);
	return true;
}

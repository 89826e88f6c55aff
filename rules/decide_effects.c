#include "rules/decide_effects.h"

#include <assert.h>

void decision_begin(struct decision *decision)
{
	decision->verdict = VERDICT_NONE;
	decision->article = NULL;
	decision->fault_booked = decision->tell_arbiter = false;
	decision->n_warnings = 0;
	decision->matter = MATTER_NONE;
	decision->refusal = REFUSAL_NONE;
	decision->request = -1;
	decision->unproven = decision->registered = false;
	decision->made = decision->accepted = decision->replies = 0;
	decision->asks_mate = false;
	decision->can_mate = DRAWS_UNDECIDED;
	decision->withdrawn = SIDE_WHITE;
	decision->reopened = false;
	decision->claim_spent = decision->claim_limit = 0;
	decision->claim_borne_out = false;
	decision->conditionals.n_lines = 0;
	decision->n_effects = 0;
}

struct effect *effect_add(struct decision *decision, enum effect_kind kind)
{
	assert(decision->n_effects < EFFECTS_MAX);

	struct effect *effect = &decision->effects[decision->n_effects++];
	*effect = (struct effect){.kind = kind};
	return effect;
}

struct effect *effect_mail(struct decision *decision, enum mail_kind mail, enum mail_reader to)
{
	struct effect *effect = effect_add(decision, EFFECT_MAIL);

	effect->mail = mail;
	effect->to = to;
	return effect;
}

void effect_mail_all(
	const struct rules_context *context, struct decision *decision, enum mail_kind mail)
{
	(void)effect_mail(decision, mail, READER_WHITE);
	(void)effect_mail(decision, mail, READER_BLACK);
	(void)effect_mail(decision, mail, READER_ARBITER);
	if (context->public_area)
		(void)effect_mail(decision, mail, READER_PUBLIC);
}

struct clock_event *effect_clock(struct decision *decision, enum clock_event_kind kind,
	enum side by, int64_t at, size_t *ret_index)
{
	struct effect *effect = effect_add(decision, EFFECT_CLOCK);

	effect->event = CLOCK_EVENT_NONE;
	effect->event.kind = kind;
	effect->event.by = by;
	effect->event.at = at;
	if (ret_index)
		*ret_index = decision->n_effects - 1;
	return &effect->event;
}

struct effect *effect_state(struct decision *decision, enum game_state state)
{
	struct effect *effect = effect_add(decision, EFFECT_STATE);

	effect->state = state;
	return effect;
}

void effect_finish(const struct rules_context *context, struct decision *decision, int64_t at,
	enum clock_result result, enum termination termination)
{
	if (context->clock == NULL || clock_status(context->clock) != CLOCK_OVER)
		effect_clock(decision, CLOCK_END, SIDE_WHITE, at, NULL)->result = result;
	struct effect *effect = effect_state(decision, GAME_FINISHED);
	effect->result = result;
	effect->termination = termination;
}

void effect_withdrew(struct decision *decision, enum side side, int64_t at)
{
	struct effect *effect = effect_add(decision, EFFECT_WITHDREW);

	effect->side = side;
	effect->withdrew = at;
}

void effect_clear(struct decision *decision, const struct game *game)
{
	if (game->draw_offer != OFFER_NONE)
		effect_add(decision, EFFECT_OFFER)->offer = OFFER_NONE;
	if (game->conditionals.n_lines > 0) {
		decision->conditionals.n_lines = 0;
		(void)effect_add(decision, EFFECT_CONDITIONALS);
	}
	if (game->demanded[SIDE_WHITE] || game->demanded[SIDE_BLACK])
		(void)effect_add(decision, EFFECT_DEMAND);
}

void decision_warn(struct decision *decision, enum decision_warning warning)
{
	for (size_t i = 0; i < decision->n_warnings; i++)
		if (decision->warnings[i] == warning)
			return;
	if (decision->n_warnings < WARNINGS_MAX)
		decision->warnings[decision->n_warnings++] = warning;
}

void decision_refuse(struct decision *decision, enum refusal refusal, enum side answered)
{
	decision_begin(decision);
	decision->verdict = VERDICT_COMMAND_ERROR;
	decision->refusal = refusal;
	(void)effect_mail(decision, MAIL_REFUSAL, reader_of(answered));
}

/* ---- The board ---- */

struct board board_of(const struct game *game)
{
	return (struct board){
		.game = game,
		.now = game->now,
		.demanded = {game->demanded[SIDE_WHITE], game->demanded[SIDE_BLACK]},
	};
}

void board_make(struct board *board, struct decision *decision, uint16_t move)
{
	assert(board->n_made < ARRAY_SIZE(board->made));

	effect_add(decision, EFFECT_MOVE)->move = move;
	position_make(&board->now, move);
	board->made[board->n_made++] = move;
	decision->made++;
}

size_t board_repetitions(const struct board *board)
{
	const struct game *game = board->game;
	struct position position = game->start;
	size_t n = game->n_moves + board->n_made, count = 0;
	/* Nothing before the last capture or pawn's move can be the same again. */
	size_t first = board->now.halfmove < n ? n - board->now.halfmove : 0;

	if (board->now.halfmove < 4)
		return 1;
	for (size_t ply = 0; ply <= n; ply++) {
		if (ply >= first && (n - ply) % 2 == 0 && position_same(&position, &board->now))
			count++;
		if (ply < game->n_moves)
			position_make(&position, game->moves[ply]);
		else if (ply < n)
			position_make(&position, board->made[ply - game->n_moves]);
	}
	return count;
}

#define FIFTY_PLIES 100
#define SEVENTYFIVE_PLIES 150

/* MC-link 9: mate was demanded, and for fifty moves of both nothing was taken and no pawn
 * moved. */
static bool demand_is_over(const struct board *board)
{
	size_t made = board->game->n_moves + board->n_made;

	for (int side = 0; side < 2; side++)
		if (board->demanded[side] > 0 && board->now.halfmove >= FIFTY_PLIES &&
			made - (board->demanded[side] - 1) >= FIFTY_PLIES)
			return true;
	return false;
}

static struct ending drawn(enum termination termination)
{
	return (struct ending){.over = true, .result = RESULT_DRAW, .termination = termination};
}

/* Fivefold repetition and 75 moves (FIDE 9.6): automatic where the event says so; IECC's
 * rules are older, there it is a notice. */
static struct ending ending_fide_2014(
	const struct rules_context *context, const struct board *board, size_t repetitions)
{
	struct ending ending = {.over = false};

	if (repetitions >= 5) {
		if (context->fide_2014)
			return drawn(TERMINATION_FIVEFOLD);
		if (context->system == RULES_IECC && repetitions == 5)
			ending.notice = MATTER_FIVEFOLD;
	}
	if (board->now.halfmove >= SEVENTYFIVE_PLIES) {
		if (context->fide_2014)
			return drawn(TERMINATION_SEVENTYFIVE_MOVES);
		if (context->system == RULES_IECC && board->now.halfmove == SEVENTYFIVE_PLIES)
			ending.notice = MATTER_SEVENTYFIVE;
	}
	return ending;
}

struct ending board_ending(const struct rules_context *context, const struct board *board)
{
	bool mclink = context->system == RULES_MCLINK;

	switch (position_end(&board->now)) {
	case POSITION_CHECKMATE:
		return (struct ending){.over = true,
			.result = win_of(side_other((enum side)board->now.turn)),
			.termination = TERMINATION_CHECKMATE};
	case POSITION_STALEMATE:
		return drawn(TERMINATION_STALEMATE);
	case POSITION_GOES_ON:
		break;
	}
	if (draws_insufficient(&board->now)) {
		if (!mclink)
			return drawn(TERMINATION_DEAD_POSITION);
		/* "Forze insufficienti" are the Coordinator's; he is told when it comes to it. */
		if (board->now.halfmove == 0)
			return (struct ending){.notice = MATTER_DEAD_POSITION};
	}
	size_t repetitions = board_repetitions(board);
	if (mclink && repetitions >= 3)
		return drawn(TERMINATION_THREEFOLD);
	if (mclink && demand_is_over(board))
		return drawn(TERMINATION_FIFTY_MOVES);
	return ending_fide_2014(context, board, repetitions);
}

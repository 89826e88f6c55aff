/*
 * Withdrawals from an event: IECC 3.1, RAZSh 8, MC-link 11.
 */
#include "rules/decide_effects.h"

static const char *article_of(enum rule_system system)
{
	return system == RULES_IECC ? "IECC 3.1" : "RAZSh 8.1";
}

static bool runs(const struct rules_context *context)
{
	return context->clock == NULL || clock_status(context->clock) == CLOCK_RUNNING;
}

/* The game rests until the arbiter has ruled. In section II of RAZSh a claim may be open in a game
 * that goes on: it is ruled on first. */
static void rest(const struct rules_context *context, const struct game *game, enum side side,
	int64_t at, struct decision *decision)
{
	bool claim = game->awaiting == AWAITING_CLAIM && edition_is(context, EDITION_2);

	(void)effect_clock(decision, CLOCK_FREEZE, side, at, NULL);
	struct effect *effect = effect_state(decision, GAME_SUSPENDED);
	effect->awaiting = claim ? AWAITING_CLAIM : AWAITING_WITHDRAWAL;
	effect->awaiting_by = claim ? game->awaiting_by : side;
}

/* All running games are lost; it is remembered for 11.5. */
static void lose(
	const struct rules_context *context, enum side side, int64_t at, struct decision *decision)
{
	decision->article = "MC-link 11";
	if (edition_is(context, EDITION_2))
		effect_withdrew(decision, side, at);
	effect_finish(context, decision, at, win_of(side_other(side)), TERMINATION_FORFEIT);
	effect_mail_all(context, decision, MAIL_RESULT);
}

static void tell(struct decision *decision, enum side side)
{
	(void)effect_mail(decision, MAIL_ANNOUNCEMENT, reader_of(side_other(side)));
	(void)effect_mail(decision, MAIL_CLAIM, READER_ARBITER);
}

static void begin(struct decision *decision, enum side side)
{
	decision_begin(decision);
	decision->matter = MATTER_WITHDRAWAL;
	decision->withdrawn = side;
	decision->verdict = VERDICT_COMMAND;
	decision->tell_arbiter = true;
}

void decide_withdrawal(const struct rules_context *context, const struct game *game, enum side side,
	int64_t at, struct decision *ret_decision)
{
	struct decision *decision = ret_decision;

	decision_begin(decision);
	if (game->state == GAME_FINISHED)
		return;
	begin(decision, side);
	effect_clear(decision, game);
	if (context->system == RULES_MCLINK) {
		lose(context, side, at, decision);
		return;
	}
	decision->article = article_of(context->system);
	if (game->withdrew[side] == 0 && edition_is(context, EDITION_2))
		effect_withdrew(decision, side, at);
	/* Where a deadline has passed, which a held move keeps from firing, it stands as it is. */
	if (game->state == GAME_ACTIVE && runs(context))
		rest(context, game, side, at, decision);
	tell(decision, side);
}

bool decide_withdrawn(const struct rules_context *context, const struct game *game, int64_t at,
	struct decision *ret_decision)
{
	const int64_t *withdrew = game->withdrew;

	if (context->system == RULES_MCLINK || game->state != GAME_ACTIVE || !runs(context) ||
		(!withdrew[SIDE_WHITE] && !withdrew[SIDE_BLACK]))
		return false;
	bool black = !withdrew[SIDE_WHITE] ||
		     (withdrew[SIDE_BLACK] != 0 && withdrew[SIDE_BLACK] < withdrew[SIDE_WHITE]);
	enum side side = black ? SIDE_BLACK : SIDE_WHITE;
	begin(ret_decision, side);
	ret_decision->article = article_of(context->system);
	rest(context, game, side, at, ret_decision);
	tell(ret_decision, side);
	return true;
}

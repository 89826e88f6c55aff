#include "daemon/relay/rulings.h"

#include <string.h>

#include "daemon/reading/trust.h"
#include "daemon/relay/announce.h"
#include "daemon/relay/carry.h"
#include "daemon/relay/input_log.h"
#include "daemon/relay/lotto.h"
#include "daemon/relay/orders.h"
#include "daemon/relay/outages.h"
#include "daemon/relay/receive.h"
#include "daemon/relay/services.h"

/* Another unfinished game may have the code by now. Where no subject has to name it (MC-link), a
 * code gives way as in an import. *ret_code: the one that the game can have, NULL if it has to stay
 * ended. */
static int find_code(struct match *match, const char **ret_code)
{
	const char *own = arena_format(
		&match->arena, "%s/%lld", match->row.tournament, (long long)match->row.number);
	int64_t other;
	int r = games_find_code(match->club->store, match->row.code, &other);

	*ret_code = r == 0 ? match->row.code : NULL;
	if (r <= 0 || match->parameters.system == RULES_MCLINK)
		return r < 0 ? r : 0;
	r = games_find_code(match->club->store, own, &other);
	*ret_code = r == 0 ? own : NULL;
	return r < 0 ? r : 0;
}

/* What keeps a finished game from being open again. */
static int find_obstacle(struct match *match, const char **ret_code, enum refusal *ret_obstacle)
{
	*ret_code = match->row.code;
	if (match->game.state != GAME_FINISHED)
		return 0;
	int r = find_code(match, ret_code);
	if (r < 0)
		return r;
	r = lotto_has_followed(match);
	if (!*ret_code)
		*ret_obstacle = REFUSAL_CODE;
	else if (r > 0)
		*ret_obstacle = REFUSAL_FOLLOWED;
	return r < 0 ? r : 0;
}

int rulings_carry(struct match *match, const struct ruling *ruling, const char *text,
	const struct post *origin, int64_t now, struct decision *ret_decision)
{
	const struct compose_facts *also = origin->also;
	struct rules_context context;
	struct post post = *origin;
	bool rested = match->game.state == GAME_SUSPENDED || match->game.state == GAME_FINISHED;
	const char *code = match->row.code;

	post.ruling = ruling;
	/* The same ruling may be given again: its mails are others. */
	if (!post.inbox)
		post.cause_digest =
			arena_format(&match->arena, "%s %lld", text, (long long)ruling->at);
	match_context(match, &context);
	/* A credit without a number is of what an outage touches. */
	struct ruling complete = *ruling;
	int r = outages_complete(match, &complete);
	if (r >= 0)
		r = find_obstacle(match, &code, &context.stays_ended);
	if (r >= 0)
		r = decide_ruling(&context, &match->game, &complete, ret_decision);
	post.ruling = &complete;
	if (r < 0 || ret_decision->verdict != VERDICT_COMMAND)
		return r;
	if (ret_decision->reopened && code && strcmp(code, match->row.code) != 0) {
		match->row.code = code;
		r = games_set_code(match->club->store, match->row.id, code);
	}
	if (r >= 0)
		r = carry_decided(match, ret_decision, &post);
	if (r >= 0)
		r = input_log(match->club, now, "ruling",
			json_pack("{s:s, s:s, s:I, s:s?, s:s?}", "game", match->id, "ruling", text,
				"at", (json_int_t)ruling->at, "author", also ? also->author : NULL,
				"reason", also ? also->reason : NULL));
	if (r >= 0 && rested && match->game.state == GAME_ACTIVE)
		r = receive_held(match->club, match->row.id, now);
	return r;
}

/* ---- By mail ---- */

/* The last penalty that was booked, of SIDE or (-1) of anybody. */
static const struct clock_charge *last_penalty(const struct match *match, int side)
{
	size_t n;
	const struct clock_charge *charges = clock_charges(match->clock, &n);

	while (n-- > 0)
		if (charges[n].tenths_penalty > 0 && (side < 0 || charges[n].by == (enum side)side))
			return &charges[n];
	return NULL;
}

/* What a one-word ruling leaves out. */
static bool fill_in(const struct match *match, struct stated_ruling *stated)
{
	struct ruling *ruling = &stated->ruling;
	bool lift = ruling->kind == RULING_LIFT && (!stated->has_move || !stated->has_side);

	if (ruling->kind == RULING_PENALTY && !stated->has_side)
		ruling->side = game_turn(&match->game, match->game.n_moves);
	if (ruling->kind == RULING_PENALTY && !stated->has_number) {
		ruling->n = match->parameters.penalty_days;
		return match->parameters.system != RULES_MCLINK && ruling->n > 0;
	}
	if (!lift)
		return true;
	const struct clock_charge *penalty =
		last_penalty(match, stated->has_side ? (int)ruling->side : -1);
	if (!penalty)
		return false;
	ruling->side = penalty->by;
	if (!stated->has_move)
		ruling->move = penalty->move;
	return true;
}

static int state_ruling(struct match *match, struct stated_ruling *stated, const char *text,
	const struct post *post, struct decision *ret_decision)
{
	if (!fill_in(match, stated)) {
		ret_decision->verdict = VERDICT_COMMAND_ERROR;
		ret_decision->refusal = REFUSAL_NOTHING;
		return 0;
	}
	stated->ruling.at = post->received;
	return rulings_carry(match, &stated->ruling, text, post, post->now, ret_decision);
}

static const char *author_of(const struct match *match, const char *address)
{
	const struct tournament_row *tournament = &match->tournament;

	if (tournament->arbiter_address && tournament->arbiter_name &&
		address_same(tournament->arbiter_address, address))
		return tournament->arbiter_name;
	return address;
}

/* What stands on the line behind the word, and all lines below it (judge.c made them words). */
static int announce_to_all(
	struct judgement *judgement, const char *line, const char *author, int64_t now)
{
	const char *below = judgement->words ? judgement->words : "";
	const char *text =
		arena_format(&judgement->arena, "%s%s%s", line, *line && *below ? "\n" : "", below);

	if (!*text) {
		judgement->decision.verdict = VERDICT_COMMAND_ERROR;
		judgement->decision.refusal = REFUSAL_UNREADABLE;
		return 0;
	}
	judgement->decision.verdict = VERDICT_COMMAND;
	return announce(judgement->match->club, &judgement->match->tournament, text, author, now);
}

int rulings_receive(struct judgement *judgement, int64_t inbox, const char *digest, int64_t now)
{
	struct stated_ruling *stated = &judgement->ruling;
	struct match *match = judgement->match;
	const struct compose_facts also = {
		.reason = judgement->words,
		.author = author_of(match, judgement->identity.arbiter),
	};
	const struct post post = {
		.also = &also,
		.inbox = inbox,
		.cause_digest = digest,
		.received = judgement->arrival,
		.now = now,
	};
	const char *text = arena_copy(
		&judgement->arena, judgement->newtext.text + stated->line.at, stated->line.size);
	const char *argument = arena_copy(&judgement->arena,
		judgement->newtext.text + stated->argument.at, stated->argument.size);
	const struct order order = {
		.text = text, .origin = &post, .at = judgement->arrival, .now = now};
	const char *fault;
	int r = 0;

	clock_advance(match->clock, judgement->arrival);
	switch (stated->kind) {
	case STATED_RULING:
		r = state_ruling(match, stated, text, &post, &judgement->decision);
		break;
	case STATED_LEAVE:
		r = services_leave_ruled(match, stated->approve, &post);
		judgement->decision.verdict = r > 0 ? VERDICT_COMMAND : VERDICT_COMMAND_ERROR;
		judgement->decision.refusal = REFUSAL_NOTHING;
		break;
	case STATED_MOVE:
	case STATED_ACCEPT_ADDRESS:
	case STATED_MOBILE:
		r = orders_carry(match, stated, argument, &order, &judgement->decision, &fault);
		break;
	case STATED_ANNOUNCEMENT:
		r = announce_to_all(judgement, argument, also.author, now);
		break;
	}
	judgement->verdict = judgement->decision.verdict;
	return r < 0 ? r : 0;
}

const char *refusal_text(enum refusal refusal)
{
	static const char *const texts[] = {
		[REFUSAL_NONE] = "it cannot be done",
		[REFUSAL_UNPROVEN] = "nothing proves the sender",
		[REFUSAL_WITH_MOVE] = "it cannot go with a move",
		[REFUSAL_CONTRADICTION] = "the commands exclude each other",
		[REFUSAL_OTHER_RULES] = "the rules of this event do not know it",
		[REFUSAL_GAME_OVER] = "the game is over",
		[REFUSAL_NOT_STARTED] = "the game has not begun",
		[REFUSAL_SUSPENDED] = "the game waits for a ruling",
		[REFUSAL_NO_OFFER] = "no offer stands",
		[REFUSAL_OFFER_ALONE] = "an offer goes with a move",
		[REFUSAL_NOT_YOUR_TURN] = "it is not his turn",
		[REFUSAL_UNREADABLE] = "it cannot be read",
		[REFUSAL_NO_OVERSTEP] = "nobody has overstepped",
		[REFUSAL_TOO_LATE] = "it comes too late",
		[REFUSAL_BARRED] = "claims are barred in this cycle",
		[REFUSAL_CLAIMED] = "a claim is open already",
		[REFUSAL_NO_GAME] = "there is no game that it could concern",
		[REFUSAL_NOT_ALLOWED] = "the rules do not allow it",
		[REFUSAL_NOTHING] = "there is nothing to rule on",
		[REFUSAL_ORDER] = "a stamp would lie before one that it must follow",
		[REFUSAL_MOVE] = "it is no legal move",
		[REFUSAL_STAMPS] =
			"it would be delivered before it was sent: correct its other stamp first",
		[REFUSAL_BOARD] =
			"the position on the board has ended the game: roll it back first",
		[REFUSAL_CODE] = "another unfinished game has its code by now",
		[REFUSAL_FOLLOWED] = "another game, or a lot, has followed from its result",
	};
	return texts[refusal];
}

#include "daemon/relay/rulings.h"

#include "daemon/relay/carry.h"
#include "daemon/relay/input_log.h"
#include "daemon/relay/receive.h"

int rulings_carry(struct match *match, const struct ruling *ruling, const char *text, int64_t now,
	struct decision *ret_decision)
{
	struct rules_context context;
	/* The same ruling may be given again: its mails are others. */
	struct post post = {
		.ruling = ruling,
		.received = INSTANT_NONE,
		.cause_digest = arena_format(&match->arena, "%s %lld", text, (long long)ruling->at),
		.now = now,
	};
	bool suspended = match->game.state == GAME_SUSPENDED;

	match_context(match, &context);
	int r = decide_ruling(&context, &match->game, ruling, ret_decision);
	if (r < 0 || ret_decision->verdict != VERDICT_COMMAND)
		return r;
	r = carry_decided(match, ret_decision, &post);
	if (r >= 0)
		r = input_log(match->club, now, "ruling",
			json_pack("{s:s, s:s, s:I}", "game", match->id, "ruling", text, "at",
				(json_int_t)ruling->at));
	if (r >= 0 && suspended && match->game.state == GAME_ACTIVE)
		r = receive_held(match->club, match->row.id, now);
	return r;
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
	};
	return texts[refusal];
}

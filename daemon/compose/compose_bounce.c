/*
 * Notices of mails that could not be delivered: of what, why, and whose time runs.
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/compose/filling.h"
#include "daemon/compose/mask.h"

#define SUBJECT_COLUMNS 70

/* A mail may be one that starts somebody's time, or any other: the clock knows. */
static void fill_time(struct filling *filling)
{
	const struct compose_facts *facts = filling->facts;
	struct clock_state state;

	if (!facts->game || !facts->clock || !facts->bounced_player)
		return;
	put_flag(filling, "bounced-rests", facts->game->state == GAME_SUSPENDED);
	if (facts->game->state != GAME_ACTIVE)
		return;
	enum side turn = game_turn(facts->game, facts->game->n_moves);
	clock_state_at(facts->clock, facts->now, &state);
	bool runs = state.side[turn].on_move, stopped = state.status == CLOCK_STOPPED;
	bool his = turn == facts->bounced_side;
	put_flag(filling, "bounced-stopped", stopped);
	put_flag(filling, "bounced-waits", his && !runs);
	put_flag(filling, "bounced-runs", his && runs && !stopped);
	put_flag(filling, "bounced-other", !his && runs && !stopped);
}

void fill_bounced(struct filling *filling)
{
	const struct compose_facts *facts = filling->facts;
	char *subject = NULL, *reason = NULL;

	put_name(filling, "bounced-player", facts->bounced_player);
	put_flag(filling, "bounced-own", facts->bounced_own);
	if (facts->bounced_subject && filling->r == 0)
		filling->r = mask_line(facts->bounced_subject, strlen(facts->bounced_subject),
			SUBJECT_COLUMNS, &subject);
	put(filling, "bounced-subject", subject);
	free(subject);
	if (facts->bounced_reason && filling->r == 0)
		filling->r = mask_words(facts->bounced_reason, TEMPLATE_COLUMNS - 2, &reason);
	put(filling, "bounced-reason", reason);
	free(reason);
	if (facts->kind == MAIL_BOUNCE_NOTICE)
		fill_time(filling);
}

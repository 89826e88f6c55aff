#include "daemon/relay/recount.h"

#include <errno.h>

static bool has_increments(const struct match *match)
{
	return match->parameters.system == RULES_MCLINK && match->parameters.n_increments > 0;
}

/* The ids of all games of the player in the event; returns how many of them are unfinished. */
static int list_games(
	struct match *match, const char *player, int64_t **ret_ids, size_t *ret_n, int *ret_count)
{
	const struct games_filter filter = {.tournament = match->row.tournament, .player = player};
	struct arena *arena = &match->arena;
	struct store *store = match->club->store;
	int r = games_list(store, arena, &filter, ret_ids, ret_n);

	*ret_count = 0;
	for (size_t i = 0; r >= 0 && i < *ret_n; i++) {
		struct game_row row;
		r = games_load(store, arena, (*ret_ids)[i], &row);
		if (r > 0 && row.state != GAME_FINISHED)
			++*ret_count;
	}
	return r < 0 ? r : 0;
}

/* What the match's clock was told last; one game is what it begins with. */
static int count_told(const struct match *match, enum side side)
{
	for (size_t i = match->n_ledger; i-- > 0;) {
		const struct clock_event *event = &match->ledger[i].event;
		if (event->kind == CLOCK_GAMES && event->by == side)
			return event->n;
	}
	return 1;
}

static int tell(struct match *match, enum side side, int count, int64_t at)
{
	struct ledger_row row = {.event = CLOCK_EVENT_NONE, .ply = match->row.n_moves};
	struct clock_answer answer;
	int64_t seq;

	if (count_told(match, side) == count)
		return 0;
	if (match->n_ledger > 0 && at < match->ledger[match->n_ledger - 1].event.at)
		at = match->ledger[match->n_ledger - 1].event.at;
	/* Its own time-out is due too, or put off: until then its clock hears of it. */
	int64_t timeout = clock_overstep_at(match->clock);
	if (timeout != INSTANT_NONE && at >= timeout)
		at = timeout - 1;
	row.event.kind = CLOCK_GAMES;
	row.event.by = side;
	row.event.at = at;
	row.event.n = count;
	int r = clock_apply(match->clock, &row.event, &answer);
	if (r != 0)
		return r < 0 ? r : -EBADMSG;
	return ledger_append(match->club->store, match->row.id, &row, &seq);
}

int recount_own(struct match *match, int64_t at)
{
	int r = 0;

	for (int side = 0; r >= 0 && side < 2 && has_increments(match); side++) {
		int64_t *ids;
		size_t n;
		int count;
		r = list_games(match, match->row.players[side], &ids, &n, &count);
		if (r >= 0)
			r = tell(match, (enum side)side, count, at);
	}
	return r;
}

static int tell_other(struct club *club, int64_t id, const char *player, int count, int64_t at)
{
	struct match *match CLEANUP_MATCH = NULL;
	int r = match_open(club, id, &match);

	if (r < 0)
		return r;
	if (match->row.state != GAME_ACTIVE && match->row.state != GAME_SUSPENDED)
		return 0;
	return tell(match, (enum side)match_side(match, player), count, at);
}

int recount_others(struct match *match, int64_t at)
{
	int r = 0;

	for (int side = 0; r >= 0 && side < 2 && has_increments(match); side++) {
		const char *player = match->row.players[side];
		int64_t *ids;
		size_t n;
		int count;
		r = list_games(match, player, &ids, &n, &count);
		for (size_t i = 0; r >= 0 && i < n; i++)
			if (ids[i] != match->row.id)
				r = tell_other(match->club, ids[i], player, count, at);
	}
	return r;
}

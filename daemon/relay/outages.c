#include "daemon/relay/outages.h"

#include "daemon/relay/input_log.h"
#include "daemon/store/outages.h"

#define DAY_MS INT64_C(86400000)

/* 1 something changed, 0 it was known. */
static int change(struct club *club, const char *what, int64_t from, int64_t to)
{
	int r = from == INSTANT_NONE ? 0 : outages_begin(club->store, what, from);

	if (r < 0 || to == INSTANT_NONE)
		return r;
	int ended = outages_end(club->store, what, to);
	return ended < 0 ? ended : r + ended > 0;
}

/* Is it nothing new? */
static int is_known(struct club *club, const char *what, int64_t from)
{
	int64_t since;
	int r = outages_since(club->store, what, &since);

	return r < 0 ? r : from == INSTANT_NONE ? r == 0 : r > 0;
}

int outages_note(struct club *club, const char *what, int64_t from, int64_t to, int64_t at)
{
	int r = is_known(club, what, from);

	if (r != 0)
		return r < 0 ? r : 0;
	r = store_begin(club->store);
	if (r < 0)
		return r;
	r = change(club, what, from, to);
	if (r >= 0)
		r = input_log(club, at, "outage",
			json_pack("{s:s, s:o, s:o}", "what", what, "from", input_instant(from),
				"to", input_instant(to)));
	if (r >= 0)
		return store_commit(club->store);
	store_rollback(club->store);
	return r;
}

static void lower(int64_t *earliest, int64_t at)
{
	if (at != INSTANT_NONE && at < *earliest)
		*earliest = at;
}

/* Nothing that the game's clock counts lies before: what was over by then touches none of it. */
static int64_t earliest(const struct match *match)
{
	int64_t at = INT64_MAX;
	size_t n;
	const struct clock_charge *charges = clock_charges(match->clock, &n);

	for (size_t i = 0; i < n; i++)
		lower(&at, charges[i].received);
	for (size_t i = 0; i < match->n_ledger; i++) {
		/* A corrected stamp may be earlier than all others. */
		if (match->ledger[i].event.kind == CLOCK_EDIT)
			return INT64_MIN;
		lower(&at, match->ledger[i].event.at);
		lower(&at, match->ledger[i].event.delivered);
	}
	/* Dates are those of zones, hours are rounded. */
	return at == INT64_MAX ? INT64_MIN : at - 2 * DAY_MS;
}

static int load(struct match *match, struct outage **ret_outages, size_t *ret_n)
{
	struct outage_row *rows;
	int r = outages_load(match->club->store, &match->arena, earliest(match), &rows, ret_n);

	if (r < 0)
		return r;
	*ret_outages = arena_alloc(&match->arena, (*ret_n + 1) * sizeof(**ret_outages));
	for (size_t i = 0; i < *ret_n; i++)
		(*ret_outages)[i] = (struct outage){
			.from = rows[i].from,
			.to = rows[i].to == INSTANT_NONE ? INT64_MAX : rows[i].to,
		};
	return 0;
}

int outages_marks(struct match *match, bool **ret_marks, size_t *ret_n)
{
	struct outage *outages;
	size_t n_outages, n;
	const struct clock_charge *charges = clock_charges(match->clock, &n);
	int r = load(match, &outages, &n_outages);

	if (r < 0)
		return r;
	bool *marks = arena_alloc(&match->arena, (n + 1) * sizeof(*marks));
	for (size_t i = 0; i < n; i++)
		marks[i] = outage_touches(&charges[i], outages, n_outages);
	*ret_marks = marks;
	*ret_n = n;
	return 0;
}

/* When the time of the move that is thought about began: what last reached a player. */
static int64_t turn_began(const struct match *match)
{
	for (size_t i = match->n_ledger; i-- > 0;)
		if (match->ledger[i].event.delivered != INSTANT_NONE)
			return match->ledger[i].event.delivered;
	return INSTANT_NONE;
}

static int count(struct match *match, int ply, int64_t at, int *ret_credit)
{
	struct outage *outages;
	size_t n;
	int r = load(match, &outages, &n);

	if (r < 0)
		return r;
	*ret_credit = outage_credit(match->clock, ply, at, turn_began(match), outages, n);
	return 0;
}

int outages_of_turn(struct match *match, int64_t at, int *ret_credit)
{
	return count(match, clock_ply(match->clock) + 1, at, ret_credit);
}

int outages_complete(struct match *match, struct ruling *ruling)
{
	if (ruling->kind != RULING_CREDIT || ruling->n != 0)
		return 0;
	return count(match, (int)ruling->ply - (int)match->game.n_thematic, ruling->at, &ruling->n);
}

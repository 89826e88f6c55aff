#include "daemon/relay/stops.h"

#include <errno.h>
#include <string.h>

#include "daemon/relay/carry.h"
#include "daemon/relay/input_log.h"
#include "daemon/store/bulletins.h"

/* All unfinished games of the player, open at once. */
struct desk {
	struct match *home;
	struct arena *arena;
	const struct stop_order *order;
	const char *player;
	int64_t now;
	struct match **matches;
	struct leave_game *games;
	struct leave_outcome *outcomes;
	size_t n;
	struct stop_change change;
};

static int open_game(struct desk *desk, int64_t id)
{
	struct match *match = desk->home->row.id == id ? desk->home : NULL;
	int r = match ? 0 : match_open(desk->home->club, id, &match);

	if (r < 0)
		return r;
	if (match->game.state == GAME_FINISHED) {
		if (match != desk->home)
			match_free(match);
		return 0;
	}
	enum side side = (enum side)match_side(match, desk->player);
	clock_advance(match->clock, desk->order->at);
	desk->games[desk->n] = (struct leave_game){
		.parameters = &match->parameters,
		.zone = match->zones[side],
		.side = side,
		.clock = match->clock,
	};
	desk->matches[desk->n++] = match;
	return 0;
}

static int open_desk(struct desk *desk)
{
	const struct games_filter filter = {.player = desk->player, .unfinished = true};
	int64_t *ids;
	size_t n;
	int r = games_list(desk->home->club->store, desk->arena, &filter, &ids, &n);

	if (r < 0)
		return r;
	desk->matches = arena_alloc(desk->arena, (n + 1) * sizeof(struct match *));
	desk->games = arena_alloc(desk->arena, (n + 1) * sizeof(*desk->games));
	desk->outcomes = arena_alloc(desk->arena, (n + 1) * sizeof(*desk->outcomes));
	for (size_t i = 0; r >= 0 && i < n; i++)
		r = open_game(desk, ids[i]);
	return r < 0 ? r : 0;
}

static void close_desk(struct desk *desk)
{
	for (size_t i = 0; i < desk->n; i++)
		if (desk->matches[i] != desk->home)
			match_free(desk->matches[i]);
}

/* 7ter.21: has a bulletin appeared since the stop was granted? A clock's stops come from the
 * granted requests and grants of its ledger, one from each. */
static int is_published(const struct desk *desk, bool *ret_published)
{
	const struct match *home = desk->home;
	struct bulletin_row last;
	int r = bulletins_last(home->club->store, home->row.tournament, &last);
	int index = -1;

	*ret_published = false;
	for (size_t i = 0; r > 0 && i < home->n_ledger; i++) {
		const struct clock_event *event = &home->ledger[i].event;
		if (event->kind != CLOCK_STOP_REQUEST && event->kind != CLOCK_STOP_GRANT)
			continue;
		if (++index == desk->order->index)
			*ret_published = event->at <= last.at;
	}
	return r < 0 ? r : 0;
}

/* The stop that the order names; 1 found, 0 there is no such stop. */
static int find_stop(struct desk *desk)
{
	const struct stop_order *order = desk->order;
	struct clock_state state;

	desk->change = (struct stop_change){
		.act = order->act, .at = order->at, .start = order->start, .end = order->end};
	if (order->act == STOP_GIVEN)
		return 1;
	if (desk->home->parameters.system != RULES_MCLINK)
		return 0;
	clock_state_at(desk->home->clock, order->at, &state);
	if (order->index < 0 || (size_t)order->index >= state.n_stops ||
		state.stops[order->index].by != order->side || state.stops[order->index].removed)
		return 0;
	desk->change.stop = state.stops[order->index];
	int r = order->coordinator ? 0 : is_published(desk, &desk->change.published);
	return r < 0 ? r : 1;
}

static struct compose_leave describe(const struct desk *desk, size_t i)
{
	const struct match *match = desk->matches[i];
	const struct stop_change *change = &desk->change;
	bool vacation = change->act != STOP_GIVEN && change->stop.kind == STOP_VACATION;

	return (struct compose_leave){
		.command = vacation ? COMMAND_VACATION : COMMAND_STOP,
		.by = desk->games[i].side,
		.game = match->id,
		.opponent = match->players[side_other(desk->games[i].side)].name,
		.outcome = &desk->outcomes[i],
		.reason = desk->order->reason,
		.start = change->act == STOP_WITHDRAWN || change->start == INSTANT_NONE
				 ? change->stop.from
				 : change->start,
		.end = change->act == STOP_WITHDRAWN ? change->stop.to : change->end,
	};
}

static int keep(const struct desk *desk, size_t i, const struct compose_leave *leave)
{
	const struct stop_row row = {
		.game = desk->matches[i]->row.id,
		.side = leave->by,
		.at = desk->order->at,
		.act = desk->order->act,
		.vacation = leave->command == COMMAND_VACATION,
		.start = leave->start,
		.end = leave->end,
		.granted = desk->outcomes[i].granted,
		.hours = desk->outcomes[i].hours,
		.reasons = desk->outcomes[i].reasons,
		.reason = desk->order->reason,
	};
	return bulletins_add_stop(desk->home->club->store, &row);
}

static int carry_game(struct desk *desk, size_t i)
{
	const struct leave_outcome *outcome = &desk->outcomes[i];
	struct decision *decision = arena_alloc(desk->arena, sizeof(*decision));
	struct compose_leave leave = describe(desk, i);
	struct post post = {
		.leaves = &leave,
		.n_leaves = 1,
		.received = INSTANT_NONE,
		.cause_digest = arena_format(desk->arena, "stop %d %s %lld %lld %lld",
			(int)desk->order->act, desk->player, (long long)desk->order->at,
			(long long)leave.start, (long long)leave.end),
		.now = desk->now,
	};

	decision->verdict = VERDICT_COMMAND;
	decision->matter = MATTER_LEAVE;
	decision->request = -1;
	decision->n_effects = outcome->n_effects;
	memcpy(decision->effects, outcome->effects, outcome->n_effects * sizeof(struct effect));
	int r = carry_decided(desk->matches[i], decision, &post);
	return r < 0 ? r : keep(desk, i, &leave);
}

static int log_order(const struct desk *desk)
{
	static const char *const acts[] = {
		[STOP_CHANGED] = "change", [STOP_WITHDRAWN] = "withdraw", [STOP_GIVEN] = "grant"};
	const struct stop_order *order = desk->order;

	return input_log(desk->home->club, desk->now, "stop",
		json_pack("{s:s, s:s, s:s, s:i, s:I, s:I, s:b, s:s?, s:I}", "game", desk->home->id,
			"side", order->side == SIDE_WHITE ? "white" : "black", "act",
			acts[order->act], "index", order->index, "start", (json_int_t)order->start,
			"end", (json_int_t)order->end, "coordinator", order->coordinator, "reason",
			order->reason, "at", (json_int_t)order->at));
}

static int carry(struct desk *desk, struct request_result *result)
{
	int r = find_stop(desk);

	if (r <= 0) {
		result->refusal = desk->home->parameters.system == RULES_MCLINK
					  ? REFUSAL_NOTHING
					  : REFUSAL_OTHER_RULES;
		return r;
	}
	r = decide_stop_change(&desk->change, desk->games, desk->n, desk->outcomes,
		&result->verdict, &result->refusal);
	result->games = arena_alloc(desk->arena, (desk->n + 1) * sizeof(*result->games));
	for (size_t i = 0; r >= 0 && i < desk->n; i++) {
		bool home = desk->matches[i] == desk->home;
		if (!home && !desk->outcomes[i].granted)
			continue; /* it has no such stop */
		result->games[result->n_games++] = (struct request_game){
			.game = arena_string(desk->arena, desk->matches[i]->id),
			.outcome = desk->outcomes[i],
		};
		r = carry_game(desk, i);
	}
	return r < 0 ? r : log_order(desk);
}

int stops_carry(struct match *home, struct arena *arena, const struct stop_order *order,
	int64_t now, struct request_result *ret_result)
{
	struct desk desk = {
		.home = home,
		.arena = arena,
		.order = order,
		.player = home->row.players[order->side],
		.now = now,
	};
	int r = open_desk(&desk);

	*ret_result = (struct request_result){
		.verdict = VERDICT_COMMAND_ERROR, .refusal = REFUSAL_GAME_OVER};
	if (r >= 0 && home->game.state != GAME_FINISHED)
		r = carry(&desk, ret_result);
	close_desk(&desk);
	return r < 0 ? r : 0;
}

int stops_keep(const struct match *match, enum side side, const struct request *request,
	const struct leave_outcome *outcome)
{
	const struct stop_row row = {
		.game = match->row.id,
		.side = side,
		.at = request->at,
		.act = STOP_ASKED,
		.vacation = request->kind == COMMAND_VACATION,
		.start = request->start,
		.end = request->end,
		.granted = outcome->granted,
		.hours = outcome->hours,
		.reasons = outcome->reasons,
	};

	if (match->parameters.system != RULES_MCLINK)
		return 0;
	return bulletins_add_stop(match->club->store, &row);
}

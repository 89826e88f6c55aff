#include "daemon/relay/requests.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/relay/carry.h"
#include "daemon/relay/entered.h"
#include "daemon/relay/input_log.h"
#include "daemon/relay/stops.h"
#include "daemon/store/leaves.h"
#include "daemon/store/pending.h"
#include "rules/edition.h"

/* All unfinished games of the player, open at once. */
struct desk {
	struct club *club;
	struct arena *arena;
	const struct request *request;
	const struct post *origin;
	int64_t now;
	struct match **matches;
	struct leave_game *games;
	struct leave_outcome *outcomes;
	size_t n;
	const char **events; /* codes by number */
	size_t n_events;
	struct leave_taken *taken;
	size_t n_taken;
};

static int event_number(struct desk *desk, const char *code)
{
	for (size_t i = 0; i < desk->n_events; i++)
		if (strcmp(desk->events[i], code) == 0)
			return (int)i;
	desk->events[desk->n_events] = code;
	return (int)desk->n_events++;
}

/* The home game is the one that the message was judged in: it must not be loaded twice. */
static int open_game(struct desk *desk, int64_t id, struct match *home)
{
	struct match *match = home && home->row.id == id ? home : NULL;
	int r = match ? 0 : match_open(desk->club, id, &match);

	if (r < 0)
		return r;
	bool concerned = match->game.state != GAME_FINISHED &&
			 (!desk->request->tournament ||
				 strcmp(desk->request->tournament, match->row.tournament) == 0);
	if (!concerned) {
		if (match != home)
			match_free(match);
		return 0;
	}
	enum side side = (enum side)match_side(match, desk->request->player);
	clock_advance(match->clock, desk->request->at);
	desk->games[desk->n] = (struct leave_game){
		.event = event_number(desk, match->row.tournament),
		.parameters = &match->parameters,
		.zone = match->zones[side],
		.side = side,
		.clock = match->clock,
		.edition = desk->club->edition,
	};
	desk->matches[desk->n++] = match;
	return 0;
}

static int load_taken(struct desk *desk)
{
	struct leave_row *rows;
	size_t n;
	int r = leaves_load(desk->club->store, desk->arena, desk->request->player, &rows, &n);

	if (r < 0)
		return r;
	desk->taken = arena_alloc(desk->arena, (n + 1) * sizeof(*desk->taken));
	for (size_t i = 0; i < n; i++)
		desk->taken[i] = (struct leave_taken){
			.event = event_number(desk, rows[i].tournament),
			.from = rows[i].first,
			.to = rows[i].last,
		};
	desk->n_taken = n;
	return 0;
}

static int open_desk(struct desk *desk, struct match *home)
{
	const struct games_filter filter = {.player = desk->request->player, .unfinished = true};
	int64_t *ids;
	size_t n;
	int r = games_list(desk->club->store, desk->arena, &filter, &ids, &n);

	if (r < 0)
		return r;
	desk->matches = arena_alloc(desk->arena, (n + 1) * sizeof(struct match *));
	desk->games = arena_alloc(desk->arena, (n + 1) * sizeof(*desk->games));
	desk->outcomes = arena_alloc(desk->arena, (n + 1) * sizeof(*desk->outcomes));
	/* Every game and every leave may be of an event of its own. */
	struct leave_row *rows;
	size_t n_rows;
	r = leaves_load(desk->club->store, desk->arena, desk->request->player, &rows, &n_rows);
	if (r < 0)
		return r;
	desk->events = arena_alloc(desk->arena, (n + n_rows + 1) * sizeof(char *));
	for (size_t i = 0; r >= 0 && i < n; i++)
		r = open_game(desk, ids[i], home);
	return r < 0 ? r : load_taken(desk);
}

static void close_desk(struct desk *desk, const struct match *home)
{
	for (size_t i = 0; i < desk->n; i++)
		if (desk->matches[i] != home)
			match_free(desk->matches[i]);
}

/* ---- The decision over all games ---- */

static enum verdict decide_request(struct desk *desk, enum refusal *ret_refusal)
{
	const struct request *request = desk->request;
	const struct leave_request leave = {
		.at = request->at,
		.announced = request->announced ? request->announced : request->at,
		.from = request->from,
		.to = request->to,
		.approved = request->approved,
		.agreed = request->agreed,
	};
	const struct stop_request stop = {
		.at = request->at,
		.start = request->start,
		.end = request->end,
		.vacation = request->kind == COMMAND_VACATION,
		.other_channel = request->other_channel,
	};

	if (request->kind == COMMAND_LEAVE)
		return decide_leave(&leave, desk->games, desk->n, desk->taken, desk->n_taken,
			desk->outcomes, ret_refusal);
	if (request->kind == COMMAND_END_LEAVE)
		return decide_leave_end(request->at, desk->games, desk->n, desk->taken,
			desk->n_taken, desk->outcomes, ret_refusal);
	return decide_stop(&stop, desk->games, desk->n, desk->outcomes, ret_refusal);
}

static int end_leave(struct desk *desk, const struct leave_outcome *outcome, const char *event)
{
	struct store *store = desk->club->store;
	const char *player = desk->request->player;
	bool begun = outcome->to != DATE_NONE;

	if (!edition_includes(desk->club->edition, EDITION_2))
		return leaves_cut(store, player, event, begun ? outcome->to : outcome->from - 1);
	return leaves_end(
		store, player, event, begun ? outcome->to : outcome->from - 1, outcome->until);
}

/* A leave is one object of the player in an event: it is kept once, however many games. */
static int keep_leave(struct desk *desk, size_t i)
{
	const struct leave_outcome *outcome = &desk->outcomes[i];
	const char *event = desk->events[desk->games[i].event];

	for (size_t j = 0; j < i; j++)
		if (desk->games[j].event == desk->games[i].event && desk->outcomes[j].granted)
			return 0;
	if (!outcome->granted)
		return 0;
	if (desk->request->kind == COMMAND_END_LEAVE)
		return end_leave(desk, outcome, event);
	if (desk->request->kind != COMMAND_LEAVE)
		return 0;
	const struct leave_row row = {
		.tournament = event,
		.first = outcome->from,
		.last = outcome->to,
	};
	return leaves_insert(desk->club->store, desk->request->player, &row);
}

/* The opponent, or the arbiter, was asked: what he answers is about this. */
static int remember_question(struct desk *desk, size_t i)
{
	const struct leave_outcome *outcome = &desk->outcomes[i];
	const struct pending_leave leave = {
		.game = desk->matches[i]->row.id,
		.player = desk->request->player,
		.first = desk->request->from,
		.last = desk->request->to,
		.announced =
			desk->request->announced ? desk->request->announced : desk->request->at,
		.arbiter = outcome->ask_arbiter,
	};

	if (desk->request->kind != COMMAND_LEAVE)
		return 0;
	int r = outcome->granted ? pending_leave_settle(desk->club->store, &leave) : 0;
	if (r < 0 || (!outcome->ask_arbiter && !outcome->ask_opponent))
		return r;
	return pending_leave_insert(desk->club->store, &leave);
}

static struct compose_leave describe(const struct desk *desk, size_t i)
{
	const struct match *match = desk->matches[i];
	enum side side = desk->games[i].side;

	return (struct compose_leave){
		.command = desk->request->kind,
		.by = side,
		.game = match->id,
		.opponent = match->players[side_other(side)].name,
		.outcome = &desk->outcomes[i],
		.start = desk->request->start,
		.end = desk->request->end,
	};
}

static struct post post_of(const struct desk *desk)
{
	const struct request *request = desk->request;

	if (desk->origin)
		return *desk->origin;
	return (struct post){
		.received = INSTANT_NONE,
		/* Another request of the same kind has mails of its own. */
		.cause_digest = arena_format(desk->arena, "request %d %s %lld %d %d %lld %lld",
			(int)request->kind, request->player, (long long)request->at,
			(int)request->from, (int)request->to, (long long)request->start,
			(long long)request->end),
		.now = desk->now,
	};
}

static int carry_game(struct desk *desk, size_t i)
{
	const struct leave_outcome *outcome = &desk->outcomes[i];
	struct decision *decision = arena_alloc(desk->arena, sizeof(*decision));
	struct compose_leave leave = describe(desk, i);
	struct post post = post_of(desk);

	decision->verdict = VERDICT_COMMAND;
	decision->matter = MATTER_LEAVE;
	decision->request = -1;
	decision->n_effects = outcome->n_effects;
	memcpy(decision->effects, outcome->effects, outcome->n_effects * sizeof(struct effect));
	post.leaves = &leave;
	post.n_leaves = 1;
	int r = carry_decided(desk->matches[i], decision, &post);
	bool stop = desk->request->kind == COMMAND_STOP || desk->request->kind == COMMAND_VACATION;
	if (r >= 0 && stop)
		r = stops_keep(desk->matches[i], leave.by, desk->request, outcome);
	if (r >= 0)
		r = remember_question(desk, i);
	return r < 0 ? r : keep_leave(desk, i);
}

static int answer(struct desk *desk, struct match *home, const struct request_result *result)
{
	struct compose_leave *leaves = arena_alloc(desk->arena, (desk->n + 1) * sizeof(*leaves));
	struct decision *decision = arena_alloc(desk->arena, sizeof(*decision));
	struct post post = post_of(desk);

	for (size_t i = 0; i < desk->n; i++)
		leaves[i] = describe(desk, i);
	decision->verdict = result->verdict;
	decision->refusal = result->refusal;
	decision->matter = MATTER_LEAVE;
	decision->request = -1;
	/* The message was a command; what became of it is known only now. */
	struct judgement *told = arena_alloc(desk->arena, sizeof(*told));
	*told = *desk->origin->judgement;
	told->verdict = result->verdict;
	post.judgement = told;
	post.decision = decision;
	post.leaves = leaves;
	/* A withdrawal has no periods to tell of. */
	post.n_leaves = desk->request->kind == COMMAND_WITHDRAW ? 0 : desk->n;
	post.kind = result->verdict == VERDICT_COMMAND ? MAIL_RECEIPT : MAIL_REFUSAL;
	return home ? post_to_player(
			      home, (enum side)match_side(home, desk->request->player), &post)
		    : post_to_person(desk->club, desk->request->player, &post);
}

/* Somebody else has asked for it in his name. */
static int tell(struct desk *desk)
{
	struct compose_leave *leaves = arena_alloc(desk->arena, (desk->n + 1) * sizeof(*leaves));
	struct post post = post_of(desk);

	for (size_t i = 0; i < desk->n; i++)
		leaves[i] = describe(desk, i);
	post.leaves = leaves;
	post.n_leaves = desk->request->kind == COMMAND_WITHDRAW ? 0 : desk->n;
	return entered_request(
		desk->club, desk->arena, desk->request->player, desk->matches, desk->n, &post);
}

/* ---- Withdrawal ---- */

static int carry_withdrawal(struct desk *desk)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < desk->n; i++) {
		struct decision *decision = arena_alloc(desk->arena, sizeof(*decision));
		struct rules_context context;
		struct post post = post_of(desk);
		match_context(desk->matches[i], &context);
		decide_withdrawal(&context, &desk->matches[i]->game, desk->games[i].side,
			desk->request->at, decision);
		desk->outcomes[i].granted = true;
		r = carry_decided(desk->matches[i], decision, &post);
	}
	return r;
}

/* ---- All of it ---- */

static int carry_request(struct desk *desk, struct request_result *result)
{
	int r = 0;

	result->verdict = VERDICT_COMMAND;
	result->refusal = REFUSAL_NONE;
	if (desk->n == 0) {
		result->verdict = VERDICT_COMMAND_ERROR;
		result->refusal = REFUSAL_NO_GAME;
		return 0;
	}
	if (desk->request->kind == COMMAND_WITHDRAW)
		return carry_withdrawal(desk);
	result->verdict = decide_request(desk, &result->refusal);
	for (size_t i = 0; r >= 0 && i < desk->n; i++)
		r = carry_game(desk, i);
	return r;
}

static int report(struct desk *desk, struct request_result *result)
{
	result->games = arena_alloc(desk->arena, (desk->n + 1) * sizeof(*result->games));
	result->n_games = desk->n;
	for (size_t i = 0; i < desk->n; i++)
		result->games[i] = (struct request_game){
			.game = arena_string(desk->arena, desk->matches[i]->id),
			.outcome = desk->outcomes[i],
		};
	/* What came by mail is in the log as that message. */
	if (desk->origin)
		return 0;
	return input_log(desk->club, desk->now, "request",
		json_pack("{s:i, s:s, s:I, s:i, s:i, s:I, s:I, s:b, s:b}", "kind",
			(int)desk->request->kind, "player", desk->request->player, "at",
			(json_int_t)desk->request->at, "from", (int)desk->request->from, "to",
			(int)desk->request->to, "start", (json_int_t)desk->request->start, "end",
			(json_int_t)desk->request->end, "approved", desk->request->approved,
			"agreed", desk->request->agreed));
}

int requests_carry(struct club *club, struct arena *arena, const struct request *request,
	const struct post *origin, struct match *home, int64_t now,
	struct request_result *ret_result)
{
	struct desk desk = {
		.club = club,
		.arena = arena,
		.request = request,
		.origin = origin,
		.now = now,
	};
	int r = open_desk(&desk, home);

	*ret_result = (struct request_result){.verdict = VERDICT_COMMAND_ERROR};
	if (r >= 0)
		r = carry_request(&desk, ret_result);
	if (r >= 0 && origin && origin->judgement)
		r = answer(&desk, home, ret_result);
	else if (r >= 0 && !origin)
		r = tell(&desk);
	if (r >= 0)
		r = report(&desk, ret_result);
	close_desk(&desk, home);
	return r;
}

int requests_from_message(const struct judgement *judgement, struct request *ret_request)
{
	const struct message *message = &judgement->message;
	const struct stated_command *command = &message->commands[judgement->decision.request];

	*ret_request = (struct request){
		.kind = command->kind,
		.player = judgement->identity.player,
		.at = message->sent,
		.from = command->from,
		.to = command->to,
		.start = INSTANT_NONE,
		.end = INSTANT_NONE,
		.other_channel = message->has_own,
	};
	if (command->kind == COMMAND_LEAVE || command->kind == COMMAND_END_LEAVE)
		return 0;
	if (command->kind == COMMAND_WITHDRAW) {
		ret_request->tournament = judgement->match->row.tournament;
		return 0;
	}
	const struct zone *zone = judgement->match ? judgement->match->parameters.zone : NULL;
	if ((command->kind != COMMAND_STOP && command->kind != COMMAND_VACATION) || !zone)
		return -EOPNOTSUPP;
	stop_period(zone, command, &ret_request->start, &ret_request->end);
	return 0;
}

/*
 * Leave, stops and withdrawals.
 */
#include <string.h>

#include "config/value.h"
#include "daemon/ctl/arbiter_commands.h"
#include "daemon/ctl/clock_words.h"
#include "daemon/ctl/print.h"
#include "daemon/ctl/scope.h"
#include "daemon/relay/rulings.h"
#include "daemon/relay/stops.h"

/* "interval, two stops already": the words of a refusal; NULL if it was granted. */
static const char *reason_text(struct arena *arena, const struct leave_outcome *outcome)
{
	json_t *reasons = json_stop_reasons(outcome->reasons);
	const char *text = outcome->reason;
	const json_t *word;
	size_t i;

	json_array_foreach (reasons, i, word)
		text = text ? arena_format(arena, "%s, %s", text, json_string_value(word))
			    : arena_string(arena, json_string_value(word));
	json_decref(reasons);
	return text;
}

static const char *outcome_word(const struct leave_outcome *outcome)
{
	static const char *const words[] = {
		[STOP_ASKED] = "granted",
		[STOP_CHANGED] = "changed",
		[STOP_WITHDRAWN] = "withdrawn",
		[STOP_GIVEN] = "granted by the Coordinator",
	};
	return words[outcome->act];
}

static void print_outcome(struct ctl *ctl, const struct request_result *result)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;

	for (size_t i = 0; i < result->n_games; i++) {
		const struct request_game *game = &result->games[i];
		const char *reason = reason_text(&arena, &game->outcome);
		fprintf(ctl->out, "%s: %s%s%s%s\n", game->game, game->outcome.granted ? "" : "not ",
			outcome_word(&game->outcome), reason ? ", " : "", reason ? reason : "");
	}
}

static json_t *result_json(const struct request_result *result)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	json_t *games = json_array();

	for (size_t i = 0; i < result->n_games; i++) {
		const struct request_game *game = &result->games[i];
		json_array_append_new(
			games, json_pack("{s:s, s:b, s:o, s:o, s:o, s:o, s:i}", "game", game->game,
				       "granted", game->outcome.granted, "reason",
				       print_string(reason_text(&arena, &game->outcome)), "reasons",
				       json_stop_reasons(game->outcome.reasons), "from",
				       json_date(game->outcome.from), "to",
				       json_date(game->outcome.to), "hours", game->outcome.hours));
	}
	return games;
}

/* Ends the transaction and prints. Of a refused stop the record stays: the next bulletin tells
 * why (MC-link 7ter.12). */
static int conclude(struct ctl *ctl, int r, const struct request_result *result, bool keep)
{
	bool done = r >= 0 && result->verdict == VERDICT_COMMAND;

	if (r >= 0 && (done || keep))
		r = store_commit(ctl->club->store);
	else
		store_rollback(ctl->club->store);
	if (r < 0)
		return ctl_fail(ctl, r);
	if (done)
		ctl_kick(ctl);
	if (!ctl->json)
		print_outcome(ctl, result);
	else if (done || result->n_games > 0)
		(void)print_json(ctl, result_json(result));
	return done ? CTL_DONE : ctl_refuse(ctl, "%s", refusal_text(result->refusal));
}

static int carry_request(struct ctl *ctl, const struct request *request)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	struct request_result result;
	int r = store_begin(ctl->club->store);

	if (r >= 0)
		r = requests_carry(ctl->club, &arena, request, NULL, NULL, ctl->now, &result);
	/* A withdrawal has no dates. */
	for (size_t i = 0; r >= 0 && request->kind == COMMAND_WITHDRAW && i < result.n_games; i++)
		result.games[i].outcome.from = result.games[i].outcome.to = DATE_NONE;
	return conclude(ctl, r, &result,
		request->kind == COMMAND_STOP || request->kind == COMMAND_VACATION);
}

static int check_player(struct ctl *ctl, const char *id)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	struct player_row row;
	int code = scope_find_player(ctl, &arena, id, &row);

	return code != CTL_DONE ? code : scope_reach(ctl, id);
}

int leave_command(struct ctl *ctl, int argc, char **argv)
{
	struct request request = {
		.kind = COMMAND_LEAVE, .at = ctl->now, .start = INSTANT_NONE, .end = INSTANT_NONE};

	request.approved = ctl_option(&argc, argv, "--approve", NULL) > 0;
	if (argc != 4 || value_date(argv[2], &request.from) < 0 ||
		value_date(argv[3], &request.to) < 0 || request.to < request.from)
		return ctl_usage(ctl, "leave");
	request.player = argv[1];
	int code = check_player(ctl, argv[1]);
	return code != CTL_DONE ? code : carry_request(ctl, &request);
}

int withdraw_command(struct ctl *ctl, int argc, char **argv)
{
	struct request request = {
		.kind = COMMAND_WITHDRAW,
		.at = ctl->now,
		.from = DATE_NONE,
		.to = DATE_NONE,
		.start = INSTANT_NONE,
		.end = INSTANT_NONE,
	};

	if (argc != 2)
		return ctl_usage(ctl, "withdraw");
	request.player = argv[1];
	int code = check_player(ctl, argv[1]);
	return code != CTL_DONE ? code : carry_request(ctl, &request);
}

/* ---- Stops of MC-link ---- */

/* What `stop` was told to do. */
struct stop_call {
	bool vacation, grant, change, withdraw;
	const char *reason;
	int64_t index;
	enum side side;
	int64_t start, end;
	int32_t from, to; /* where a date was given instead */
};

static bool read_index(const char *word, int64_t *ret_index)
{
	return value_number(word, 100000, ret_index) == 0;
}

static bool read_instant(const char *word, int64_t *ret_instant, int32_t *ret_date)
{
	return value_date(word, ret_date) == 0 || value_instant(word, ret_instant) >= 0;
}

/* FROM may be "-" where a stop is changed: it begins as it does. */
static bool read_period(char **operands, struct stop_call *call)
{
	bool keeps = call->change && strcmp(operands[0], "-") == 0;

	return (keeps || read_instant(operands[0], &call->start, &call->from)) &&
	       read_instant(operands[1], &call->end, &call->to);
}

/* Dates are those of MC-link's clock: from the start of the first to the end of the last. */
static bool place_period(const struct match *match, struct stop_call *call)
{
	const struct zone *zone = match->parameters.zone;

	if (zone && call->from != DATE_NONE)
		call->start = zone_date_start(zone, call->from);
	if (zone && call->to != DATE_NONE)
		call->end = zone_date_start(zone, call->to + 1);
	return call->start == INSTANT_NONE || call->end == INSTANT_NONE || call->change ||
	       call->end > call->start;
}

static bool read_stop(int *argc, char **argv, struct stop_call *call)
{
	const char *change = NULL, *withdraw = NULL;

	*call = (struct stop_call){
		.start = INSTANT_NONE, .end = INSTANT_NONE, .from = DATE_NONE, .to = DATE_NONE};
	call->vacation = ctl_option(argc, argv, "--vacation", NULL) > 0;
	call->grant = ctl_option(argc, argv, "--grant", NULL) > 0;
	int c = ctl_option(argc, argv, "--change", &change);
	int w = ctl_option(argc, argv, "--withdraw", &withdraw);
	if (c < 0 || w < 0 || ctl_option(argc, argv, "--reason", &call->reason) < 0)
		return false;
	call->change = c > 0;
	call->withdraw = w > 0;
	if ((call->change && (call->withdraw || call->grant)) ||
		(call->vacation && (call->grant || call->withdraw)) ||
		(change && !read_index(change, &call->index)) ||
		(withdraw && !read_index(withdraw, &call->index)))
		return false;
	/* A withdrawal needs no period, and takes none from one that is given. */
	if (*argc != 5 && !(call->withdraw && *argc == 3))
		return false;
	return arbiter_read_side(argv[2], &call->side) &&
	       (*argc == 3 || read_period(argv + 3, call));
}

static int change_stop(struct ctl *ctl, struct match *match, const struct stop_call *call)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	struct request_result result;
	const struct stop_order order = {
		.act = call->change     ? STOP_CHANGED
		       : call->withdraw ? STOP_WITHDRAWN
					: STOP_GIVEN,
		.side = call->side,
		.index = (int)call->index,
		.start = call->start,
		.end = call->end,
		.coordinator = call->grant,
		.reason = call->reason,
		.at = ctl->now,
	};
	int r = store_begin(ctl->club->store);

	if (r >= 0)
		r = stops_carry(match, &arena, &order, ctl->now, &result);
	return conclude(ctl, r, &result, true);
}

/* A stop is asked for in one game and holds in all games of its asker (MC-link 7ter.3). */
int stop_command(struct ctl *ctl, int argc, char **argv)
{
	struct match *match CLEANUP_MATCH = NULL;
	struct stop_call call;
	int64_t id;

	if (!read_stop(&argc, argv, &call))
		return ctl_usage(ctl, "stop");
	int code = scope_find_game(ctl, argv[1], &id);
	if (code != CTL_DONE)
		return code;
	int r = match_open(ctl->club, id, &match);
	if (r < 0)
		return ctl_fail(ctl, r);
	code = scope_reach(ctl, match->row.players[call.side]);
	if (code != CTL_DONE)
		return code;
	if (!place_period(match, &call))
		return ctl_usage(ctl, "stop");
	if (call.change || call.withdraw || call.grant)
		return change_stop(ctl, match, &call);
	const struct request request = {
		.kind = call.vacation ? COMMAND_VACATION : COMMAND_STOP,
		.player = match->row.players[call.side],
		.at = ctl->now,
		.from = DATE_NONE,
		.to = DATE_NONE,
		.start = call.start,
		.end = call.end,
	};
	return carry_request(ctl, &request);
}

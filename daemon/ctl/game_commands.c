#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/fen.h"
#include "core/notation.h"
#include "core/pgn.h"
#include "daemon/compose/ledger_words.h"
#include "daemon/ctl/clock_json.h"
#include "daemon/ctl/clock_words.h"
#include "daemon/ctl/print.h"
#include "daemon/ctl/scope.h"
#include "daemon/ctl/store_commands.h"
#include "daemon/relay/lotto.h"
#include "daemon/relay/outages.h"
#include "daemon/store/inbox.h"
#include "daemon/store/timers.h"

/* ---- game ---- */

static json_t *offer_json(enum draw_offer offer)
{
	return offer == OFFER_NONE ? json_null()
				   : json_string(offer == OFFER_WHITE ? "white" : "black");
}

static json_t *moves_json(const struct game *game, enum notation notation)
{
	struct position position = game->start;
	json_t *array = json_array();

	for (size_t i = 0; i < game->n_moves; i++) {
		char text[NOTATION_MAX];
		move_write(&position, game->moves[i], notation, NULL, text);
		json_array_append_new(array, json_string(text));
		position_make(&position, game->moves[i]);
	}
	return array;
}

static json_t *player_json(const struct match *match, enum side side, int64_t now)
{
	return json_pack("{s:s, s:s, s:o}", "player", match->players[side].id, "name",
		match->players[side].name, "clock", clock_json_side(match->clock, side, now));
}

static int held_json(const struct match *match, json_t **ret_held)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	int64_t *ids;
	size_t n;
	int r = inbox_held(match->club->store, &arena, match->row.id, &ids, &n);

	if (r < 0)
		return r;
	*ret_held = json_array();
	for (size_t i = 0; i < n; i++)
		json_array_append_new(*ret_held, json_integer(ids[i]));
	return 0;
}

/* MC-link's stops; `index` is what `stop --change` and `--withdraw` take. */
static json_t *stops_json(const struct match *match, int64_t now)
{
	struct clock_state state = {.n_stops = 0};
	json_t *array = json_array();

	if (match->parameters.system == RULES_MCLINK)
		clock_state_at(match->clock, now, &state);
	for (size_t i = 0; i < state.n_stops; i++) {
		const struct clock_stop *stop = &state.stops[i];
		if (!stop->removed)
			json_array_append_new(array,
				json_pack("{s:i, s:s, s:s, s:o, s:o}", "index", (int)i, "by",
					side_word(stop->by), "kind", stop_kind_word(stop->kind),
					"from", json_instant(stop->from), "to",
					json_instant(stop->to)));
	}
	return array;
}

/* The lot of a drawn game (MC-link 10); null where there is none, or it is not drawn yet. */
static int lotto_json(const struct match *match, json_t **ret_json)
{
	struct compose_lotto lotto;
	int r = lotto_of(match, &lotto);

	if (r < 0)
		return r;
	*ret_json = r > 0 && lotto.drawn > 0 ? clock_json_lotto(&lotto.lotto) : json_null();
	if (r > 0 && lotto.drawn > 0)
		json_object_set_new(*ret_json, "drawn", json_integer(lotto.drawn));
	return 0;
}

/* Each charge says whether an outage touches it. */
static int ledger_json(struct match *match, json_t **ret_ledger)
{
	bool *marks;
	size_t n;
	int r = outages_marks(match, &marks, &n);

	if (r < 0)
		return r;
	*ret_ledger = clock_json_ledger(match->clock);
	for (size_t i = 0; i < n; i++)
		json_object_set_new(
			json_array_get(*ret_ledger, i), "outage", json_boolean(marks[i]));
	return 0;
}

/* Whose withdrawal has not been ruled on. */
static json_t *withdrawn_json(const struct game *game)
{
	json_t *array = json_array();

	for (int side = 0; side < 2; side++)
		if (game->withdrew[side] && game->state != GAME_FINISHED)
			json_array_append_new(array, json_string(side_word((enum side)side)));
	return array;
}

static int game_json(struct match *match, int64_t now, json_t **ret_json)
{
	const struct game *game = &match->game;
	json_t *held, *lotto, *ledger;
	int64_t deadline;
	int r = held_json(match, &held);

	if (r >= 0)
		r = lotto_json(match, &lotto);
	if (r >= 0)
		r = match_deadline(match, &deadline);
	if (r >= 0)
		r = ledger_json(match, &ledger);
	if (r < 0)
		return r;
	json_t *json = json_pack("{s:s, s:s, s:s, s:s, s:s, s:o, s:i, s:s, s:s}", "id", match->id,
		"tournament", match->row.tournament, "rules", match->tournament.rules, "state",
		game_state_name(game->state), "result", result_name(game->result), "termination",
		print_string(termination_name(game->termination)), "ply", (int)game->n_moves,
		"to_move", side_word(game_turn(game, game->n_moves)), "fen", match->row.fen);
	if (!json)
		return -ENOMEM;
	json_object_set_new(json, "uci", moves_json(game, NOTATION_UCI));
	json_object_set_new(json, "san", moves_json(game, NOTATION_SAN));
	json_object_set_new(json, "draw_offer", offer_json(game->draw_offer));
	json_object_set_new(json, "awaiting",
		game->awaiting == AWAITING_NONE ? json_null()
						: json_string(awaiting_name(game->awaiting)));
	json_object_set_new(json, "withdrawn", withdrawn_json(game));
	json_object_set_new(json, "held", held);
	json_object_set_new(json, "deadline", json_instant(deadline));
	json_object_set_new(json, "white", player_json(match, SIDE_WHITE, now));
	json_object_set_new(json, "black", player_json(match, SIDE_BLACK, now));
	json_object_set_new(json, "lotto", lotto);
	json_object_set_new(json, "stops", stops_json(match, now));
	json_object_set_new(json, "ledger", ledger);
	*ret_json = json;
	return 0;
}

static int print_ledger(FILE *out, struct match *match)
{
	bool *marks;
	size_t n_marks;
	int r = outages_marks(match, &marks, &n_marks);

	if (r < 0)
		return r;
	const struct ledger_words words = {
		.templates = match->club->templates,
		.language = match->club->configuration->club.language,
		.clock = match->clock,
		.game = &match->game,
		.outages = marks,
		.n_outages = n_marks,
		.names = {match->players[SIDE_WHITE].name, match->players[SIDE_BLACK].name},
	};
	size_t n;
	const struct clock_charge *charges = clock_charges(match->clock, &n);

	for (size_t i = 0; i < n; i++) {
		char *line;
		r = ledger_words_line(&words, &charges[i], &line);
		if (r < 0)
			return r;
		fprintf(out, "  %s\n", line);
		free(line);
	}
	return 0;
}

/* What MC-link has beside: the stops with their numbers, and the lot. */
static int print_mclink(struct ctl *ctl, const struct match *match)
{
	struct clock_state state = {.n_stops = 0};
	struct compose_lotto lotto;

	if (match->parameters.system == RULES_MCLINK)
		clock_state_at(match->clock, ctl->now, &state);
	for (size_t i = 0; i < state.n_stops; i++) {
		const struct clock_stop *stop = &state.stops[i];
		if (!stop->removed)
			fprintf(ctl->out, "stop %zu of %s (%s): %s to %s\n", i, side_word(stop->by),
				stop_kind_word(stop->kind), print_instant(stop->from),
				print_instant(stop->to));
	}
	int r = lotto_of(match, &lotto);
	if (r > 0 && lotto.drawn > 0)
		fprintf(ctl->out, "lot: %d is drawn, %s is the virtual winner\n", lotto.drawn,
			match->players[lotto.lotto.winner].name);
	return r < 0 ? r : 0;
}

static int print_game(struct ctl *ctl, struct match *match)
{
	const struct game *game = &match->game;
	char moves[8192];
	int64_t deadline;
	int r = match_deadline(match, &deadline);

	if (r < 0)
		return ctl_fail(ctl, r);
	fprintf(ctl->out, "%s  %s (%s)\n", match->id, match->tournament.name,
		match->tournament.rules);
	fprintf(ctl->out, "White: %s (%s)\nBlack: %s (%s)\n", match->players[SIDE_WHITE].name,
		match->players[SIDE_WHITE].id, match->players[SIDE_BLACK].name,
		match->players[SIDE_BLACK].id);
	fprintf(ctl->out, "%s, %s", game_state_name(game->state), result_name(game->result));
	if (game->termination != TERMINATION_NONE)
		fprintf(ctl->out, " (%s)", termination_name(game->termination));
	fprintf(ctl->out, "; %s to move", side_word(game_turn(game, game->n_moves)));
	if (deadline != INSTANT_NONE)
		fprintf(ctl->out, ", oversteps at %s", print_instant(deadline));
	if (game->awaiting != AWAITING_NONE)
		fprintf(ctl->out, "; awaits the ruling on: %s", awaiting_name(game->awaiting));
	for (int side = 0; side < 2; side++)
		if (game->withdrew[side] && game->state != GAME_FINISHED)
			fprintf(ctl->out, "; %s has withdrawn", side_word((enum side)side));
	fprintf(ctl->out, "\n%s\n", match->row.fen);
	movetext_write(
		&game->start, game->moves, game->n_moves, PGN_EXPORT, 78, moves, sizeof(moves));
	fprintf(ctl->out, "%s", moves);
	if (moves[0] && moves[strlen(moves) - 1] != '\n')
		fputc('\n', ctl->out);
	r = print_mclink(ctl, match);
	if (r >= 0)
		r = print_ledger(ctl->out, match);
	return r < 0 ? ctl_fail(ctl, r) : CTL_DONE;
}

int game_command(struct ctl *ctl, int argc, char **argv)
{
	struct match *match CLEANUP_MATCH = NULL;
	json_t *json;
	int64_t id;

	if (argc != 2)
		return ctl_usage(ctl, "game");
	int code = scope_find_game(ctl, argv[1], &id);
	if (code != CTL_DONE)
		return code;
	int r = match_open(ctl->club, id, &match);
	if (r < 0)
		return ctl_fail(ctl, r);
	if (!ctl->json)
		return print_game(ctl, match);
	r = game_json(match, ctl->now, &json);
	return r < 0 ? ctl_fail(ctl, r) : print_json(ctl, json);
}

/* ---- games ---- */

static int list_game(struct ctl *ctl, int64_t id, json_t *array)
{
	struct match *match CLEANUP_MATCH = NULL;
	int64_t deadline;
	int r = match_open(ctl->club, id, &match);

	if (r >= 0)
		r = match_deadline(match, &deadline);
	if (r < 0)
		return r;
	const struct game *game = &match->game;
	if (!array) {
		fprintf(ctl->out, "%-20s %-16s %-16s %-9s %-7s ply %-3zu %s\n", match->id,
			match->row.players[SIDE_WHITE], match->row.players[SIDE_BLACK],
			game_state_name(game->state), result_name(game->result), game->n_moves,
			deadline == INSTANT_NONE ? "" : print_instant(deadline));
		return ctl_go_on(ctl);
	}
	json_t *json = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:i, s:s, s:o}", "id",
		match->id, "tournament", match->row.tournament, "white",
		match->row.players[SIDE_WHITE], "black", match->row.players[SIDE_BLACK], "state",
		game_state_name(game->state), "result", result_name(game->result), "termination",
		print_string(termination_name(game->termination)), "ply", (int)game->n_moves,
		"to_move", side_word(game_turn(game, game->n_moves)), "deadline",
		json_instant(deadline));
	return print_item(ctl, array, json);
}

int games_command(struct ctl *ctl, int argc, char **argv)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	struct games_filter filter = {0};
	int64_t *ids;
	size_t n;

	if (ctl_option(&argc, argv, "--tournament", &filter.tournament) < 0 ||
		ctl_option(&argc, argv, "--player", &filter.player) < 0 ||
		ctl_option(&argc, argv, "--state", &filter.state) < 0 || argc != 1)
		return ctl_usage(ctl, "games");
	int r = games_list(ctl->club->store, &arena, &filter, &ids, &n);
	if (r >= 0)
		r = scope_filter(ctl, ids, &n);
	json_t *array = ctl->json ? json_array() : NULL;
	for (size_t i = 0; r >= 0 && i < n; i++)
		r = list_game(ctl, ids[i], array);
	if (r < 0) {
		json_decref(array);
		return ctl_fail(ctl, r);
	}
	return ctl->json ? print_json(ctl, array) : CTL_DONE;
}

#include "daemon/relay/match.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/fen.h"
#include "daemon/log.h"
#include "daemon/store/timers.h"
#include "daemon/zone.h"

static int set_parameter(struct clock_parameters *parameters, const char *line, size_t size)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	char *copy = arena_copy(&arena, line, size);
	char *equals = strstr(copy, " = ");
	const char *fault;

	if (!equals)
		return -EBADMSG;
	*equals = '\0';
	return parameters_set(parameters, copy, equals + 3, &fault) == 0 ? 0 : -EBADMSG;
}

int match_parameters(
	const struct tournament_row *tournament, struct clock_parameters *ret_parameters)
{
	enum rule_system system;
	int r = rule_system_find(tournament->rules, &system);

	if (r < 0)
		return -EBADMSG;
	parameters_default(system, ret_parameters);
	for (const char *line = tournament->parameters; *line;) {
		size_t size = strcspn(line, "\n");
		r = set_parameter(ret_parameters, line, size);
		if (r < 0)
			return r;
		line += size + (line[size] == '\n');
	}
	ret_parameters->start = tournament->start;
	/* MC-link 7.2: MC-link's own clock. */
	return system == RULES_MCLINK ? zone_load("Europe/Rome", &ret_parameters->zone) : 0;
}

static int load_people(struct match *match)
{
	struct store *store = match->club->store;
	int r = people_tournament(store, &match->arena, match->row.tournament, &match->tournament);

	if (r <= 0)
		return r < 0 ? r : -EBADMSG;
	for (int side = 0; side < 2; side++) {
		r = people_player(
			store, &match->arena, match->row.players[side], &match->players[side]);
		if (r <= 0)
			return r < 0 ? r : -EBADMSG;
		r = zone_load(match->players[side].timezone, &match->zones[side]);
		if (r < 0)
			return r;
	}
	return match_parameters(&match->tournament, &match->parameters);
}

/* MC-link: a game that began of itself counts its hours and days (7.8', 8.1) from then on; the
 * month of vacations (7ter.14) stays that of the event. */
static void start_of_its_own(struct match *match)
{
	struct clock_parameters *parameters = &match->parameters;
	unsigned month, day;
	int year;

	if (parameters->system != RULES_MCLINK || !match->row.start)
		return;
	date_to_civil(zone_date(parameters->zone, parameters->start), &year, &month, &day);
	if (parameters->month == 0)
		parameters->month = (int)month;
	parameters->start = match->row.start;
}

static int load_board(struct match *match)
{
	struct game *game = &match->game;
	size_t at;

	*game = (struct game){
		.moves = match->row.moves,
		.n_moves = match->row.n_moves,
		.n_thematic = match->row.n_thematic,
		.state = match->row.state,
		.result = match->row.result,
		.termination = match->row.termination,
		.draw_offer = match->row.draw_offer,
		.awaiting = match->row.awaiting,
		.awaiting_by = match->row.awaiting_by,
		.withdrew = {match->row.withdrew[0], match->row.withdrew[1]},
		.demanded = {match->row.demanded[0], match->row.demanded[1]},
	};
	match->moves_room = match->row.n_moves;
	if (fen_parse(match->row.start_fen, strlen(match->row.start_fen), &game->start, &at) !=
			FEN_FINE ||
		fen_parse(match->row.fen, strlen(match->row.fen), &game->now, &at) != FEN_FINE)
		return -EBADMSG;
	if (!*match->row.conditionals)
		return 0;
	return conditionals_read(match->row.conditionals, &game->now,
		side_other((enum side)game->now.turn), &game->conditionals);
}

/* The zones of earlier messages stand in the ledger as events of their own. */
static int event_zone(const struct ledger_row *row, struct clock_event *event)
{
	return row->zone_name ? zone_load(row->zone_name, &event->zone) : 0;
}

static int fold_clock(struct match *match)
{
	const struct zone *zones[2];
	int r = 0;
	for (int side = 0; r >= 0 && side < 2; side++)
		r = zone_load(match->row.zones[side], &zones[side]);
	if (r >= 0)
		r = clock_new(
			&match->parameters, zones[SIDE_WHITE], zones[SIDE_BLACK], &match->clock);
	for (size_t i = 0; r == 0 && i < match->n_ledger; i++) {
		struct clock_event event = match->ledger[i].event;
		struct clock_answer answer;
		r = event_zone(&match->ledger[i], &event);
		if (r < 0)
			return r;
		r = clock_apply(match->clock, &event, &answer);
		if (r > 0)
			log_line(LOG_ERR, "game %s: ledger row %lld: %s", match->id,
				(long long)match->ledger[i].seq,
				clock_error_text((enum clock_error)r));
	}
	/* What has ended or suspended the game at its instant is no event. */
	if (r == 0 && (match->row.state == GAME_SUSPENDED || match->row.state == GAME_FINISHED) &&
		clock_overstep_at(match->clock) != INSTANT_NONE)
		clock_advance(match->clock, clock_overstep_at(match->clock));
	return r > 0 ? -EBADMSG : r;
}

int match_open(struct club *club, int64_t id, struct match **ret_match)
{
	struct match *match CLEANUP_MATCH = calloc(1, sizeof(*match));

	if (!match)
		return -ENOMEM;
	match->club = club;
	int r = games_load(club->store, &match->arena, id, &match->row);
	if (r <= 0)
		return r < 0 ? r : -ENOENT;
	match->id = arena_format(
		&match->arena, "%s/%lld", match->row.tournament, (long long)match->row.number);
	r = load_people(match);
	if (r >= 0)
		start_of_its_own(match);
	if (r >= 0)
		r = load_board(match);
	struct ledger_row *ledger;
	if (r >= 0)
		r = ledger_load(club->store, &match->arena, id, &ledger, &match->n_ledger);
	if (r < 0)
		return r;
	match->ledger = ledger;
	r = fold_clock(match);
	if (r < 0)
		return r;
	*ret_match = match;
	match = NULL;
	return 0;
}

void match_free(struct match *match)
{
	clock_free(match->clock);
	arena_clear(&match->arena);
	free(match);
}

int match_find(struct club *club, const char *name, int64_t *ret_id)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	const char *slash = strrchr(name, '/');
	char *end;

	if (!slash || slash[1] < '0' || slash[1] > '9')
		return 0;
	errno = 0;
	long long number = strtoll(slash + 1, &end, 10);
	if (*end || errno)
		return 0;
	return games_find(
		club->store, arena_copy(&arena, name, (size_t)(slash - name)), number, ret_id);
}

int match_side(const struct match *match, const char *player)
{
	for (int side = 0; player && side < 2; side++)
		if (strcmp(match->row.players[side], player) == 0)
			return side;
	return -ENOENT;
}

int match_deadline(const struct match *match, int64_t *ret_deadline)
{
	*ret_deadline = INSTANT_NONE;
	if (match->game.state != GAME_ACTIVE)
		return 0;
	int r = timers_armed(match->club->store, match->row.id, "confirm");
	if (r == 0)
		*ret_deadline = clock_overstep_at(match->clock);
	return r < 0 ? r : 0;
}

void match_context(const struct match *match, struct rules_context *ret_context)
{
	*ret_context = (struct rules_context){
		.system = match->parameters.system,
		.edition = match->club->edition,
		.repetition_typed = strcmp(match->tournament.repetition, "typed") == 0,
		.fide_2014 = match->tournament.fide_2014,
		.mobile = match->row.mobile,
		.public_area = match->tournament.public_area != NULL,
		.unproven = match->club->configuration->trust.otherwise == OTHERWISE_ACCEPT
				    ? UNPROVEN_ACCEPT
				    : UNPROVEN_CONFIRM,
		.clock = match->clock,
	};
}

void match_pretend_started(struct match *match, int64_t now)
{
	if (match->game.state == GAME_SCHEDULED && match->tournament.start <= now)
		match->game.state = GAME_ACTIVE;
}

static void set_moves(struct match *match, size_t n, const struct position *now)
{
	char *fen = arena_alloc(&match->arena, FEN_MAX);

	fen_write(now, fen);
	match->game.now = *now;
	match->game.moves = match->row.moves;
	match->game.n_moves = match->row.n_moves = n;
	match->row.fen = fen;
}

void match_add_move(struct match *match, uint16_t move)
{
	size_t n = match->row.n_moves;

	if (n >= match->moves_room) {
		size_t room = n + 8;
		uint16_t *moves = arena_alloc(&match->arena, room * sizeof(*moves));
		memcpy(moves, match->row.moves, n * sizeof(*moves));
		match->row.moves = moves;
		match->moves_room = room;
	}
	struct position now = match->game.now;
	position_make(&now, move);
	match->row.moves[n] = move;
	set_moves(match, n + 1, &now);
}

void match_take_back(struct match *match, size_t plies)
{
	struct position now = game_position(&match->game, plies);

	set_moves(match, plies, &now);
}

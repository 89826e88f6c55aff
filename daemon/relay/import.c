#include "daemon/relay/import.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "config/tournament.h"
#include "core/fen.h"
#include "daemon/reading/trust.h"
#include "daemon/relay/bounce.h"
#include "daemon/relay/bulletin.h"
#include "daemon/relay/input_log.h"
#include "daemon/relay/match.h"
#include "daemon/relay/players.h"
#include "daemon/store/games.h"
#include "daemon/store/people.h"
#include "daemon/store/timers.h"
#include "daemon/zone.h"
#include "rules/lotto.h"

struct import {
	struct club *club;
	struct arena *arena;
	const struct tournament_file *file;
	struct fault_list *faults;
	struct import_report *report;
	int64_t now;
	bool started; /* a game of the tournament has begun */
	struct tournament_row tournament;
};

static bool same(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* ---- What the store knows, for the file's own checks ---- */

static bool known_tournament(void *context, const char *code)
{
	struct import *import = context;
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	struct tournament_row row;

	return people_tournament(import->club->store, &arena, code, &row) > 0;
}

static bool known_player(void *context, const char *id)
{
	struct import *import = context;
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	struct player_row row;

	return people_player(import->club->store, &arena, id, &row) > 0;
}

static bool known_game(void *context, const char *code, unsigned number)
{
	struct import *import = context;
	int64_t id;

	return games_find(import->club->store, code, (int64_t)number, &id) > 0;
}

static int check(struct import *import)
{
	const struct tournament_known known = {
		.tournament = known_tournament,
		.player = known_player,
		.game = known_game,
		.context = import,
	};
	return tournament_file_check(import->file, &known, import->faults);
}

static void complain(struct import *import, unsigned line, const char *text, const char *name)
{
	fault_add(import->faults, import->file->path, line, "%s%s%s", text, name ? " " : "",
		name ? name : "");
}

/* ---- The tournament ---- */

static int find_started(struct import *import, const char *code)
{
	const struct games_filter filter = {.tournament = code};
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	int64_t *ids;
	size_t n;
	int r = games_list(import->club->store, &arena, &filter, &ids, &n);

	for (size_t i = 0; r >= 0 && i < n; i++) {
		struct game_row row;
		r = games_load(import->club->store, &arena, ids[i], &row);
		if (r > 0 && row.state != GAME_SCHEDULED)
			import->started = true;
	}
	return r < 0 ? r : 0;
}

static int64_t instant_of(const struct import *import, const struct file_instant *instant)
{
	const struct zone *zone;

	if (!instant->is_date)
		return instant->instant;
	if (zone_load(import->club->configuration->club.timezone, &zone) < 0)
		return INSTANT_NONE;
	return zone_date_start(zone, instant->date);
}

/* The parameters as the store keeps them: those of before, each replaced by the file's. */
static const char *merge_parameters(struct import *import, const char *before)
{
	const struct file_tournament *file = &import->file->tournament;
	const char *merged = "";

	for (const char *line = before; *line;) {
		size_t size = strcspn(line, "\n");
		bool replaced = false;
		for (size_t i = 0; i < file->n_parameters; i++) {
			size_t key = strlen(file->parameters[i].key);
			if (strncmp(line, file->parameters[i].key, key) == 0 &&
				strncmp(line + key, " = ", 3) == 0)
				replaced = true;
		}
		if (!replaced)
			merged = arena_format(import->arena, "%s%.*s\n", merged, (int)size, line);
		line += size + (line[size] == '\n');
	}
	for (size_t i = 0; i < file->n_parameters; i++)
		merged = arena_format(import->arena, "%s%s = %s\n", merged, file->parameters[i].key,
			file->parameters[i].value);
	return merged;
}

static const char *copies_word(int copies)
{
	return copies == COPIES_ALL ? "all" : copies == COPIES_REQUIRED ? "required" : "none";
}

static const char *stage_word(int stage)
{
	return stage == STAGE_LEAGUE ? "league" : stage == STAGE_KNOCKOUT ? "knockout" : "final";
}

/* What an event has where its file says nothing. */
static struct tournament_row default_tournament(const struct file_tournament *file)
{
	enum rule_system system = (enum rule_system)file->rules.value;

	return (struct tournament_row){
		.code = file->code,
		.name = file->code, /* if it lacks one, which is a fault */
		.rules = rule_system_name(system),
		.end = INSTANT_NONE,
		.copies = "all",
		.rated = true,
		.stage = "league",
		.repetition = "line",
		.fide_2014 = system == RULES_RAZSH || system == RULES_RAZSH_POST,
		.parameters = "",
	};
}

/* Lays what the file says over ROW. */
static void overlay_tournament(struct import *import, struct tournament_row *row)
{
	const struct file_tournament *file = &import->file->tournament;

	if (file->name.line)
		row->name = file->name.text;
	if (file->rules.line)
		row->rules = rule_system_name((enum rule_system)file->rules.value);
	if (file->start.line)
		row->start = instant_of(import, &file->start);
	if (file->end.line)
		row->end = instant_of(import, &file->end);
	if (file->arbiter.line) {
		row->arbiter_address = file->arbiter.mailbox.address;
		row->arbiter_name = file->arbiter.mailbox.name;
	}
	if (file->deputy.line)
		row->deputy = file->deputy.mailbox.address;
	if (file->public.line)
		row->public_area = file->public.mailbox.address;
	if (file->copies.line)
		row->copies = copies_word(file->copies.value);
	if (file->site.line)
		row->site = file->site.text;
	if (file->rated.line)
		row->rated = file->rated.value != 0;
	if (file->stage.line)
		row->stage = stage_word(file->stage.value);
	if (file->repetition.line)
		row->repetition =
			file->repetition.value == REPETITION_POLICY_LINE ? "line" : "typed";
	if (file->fide_2014.line)
		row->fide_2014 = file->fide_2014.value != 0;
	if (file->bulletin_line)
		row->bulletin_every = file->bulletin_every;
	row->parameters = merge_parameters(import, row->parameters);
}

static bool same_tournament(const struct tournament_row *a, const struct tournament_row *b)
{
	return same(a->name, b->name) && same(a->rules, b->rules) && a->start == b->start &&
	       a->end == b->end && same(a->arbiter_address, b->arbiter_address) &&
	       same(a->arbiter_name, b->arbiter_name) && same(a->deputy, b->deputy) &&
	       same(a->copies, b->copies) && same(a->public_area, b->public_area) &&
	       same(a->site, b->site) && a->rated == b->rated && same(a->stage, b->stage) &&
	       same(a->repetition, b->repetition) && a->fide_2014 == b->fide_2014 &&
	       a->bulletin_every == b->bulletin_every && same(a->parameters, b->parameters);
}

/* What was announced at the start holds for the games that have begun. */
static void check_announced(struct import *import, const struct tournament_row *before,
	const struct tournament_row *after)
{
	const struct file_tournament *file = &import->file->tournament;

	if (!same(before->rules, after->rules))
		complain(import, file->rules.line, "the rules cannot change after the start", NULL);
	if (before->start != after->start)
		complain(import, file->start.line, "the start cannot change after it has come",
			NULL);
	if (!same(before->repetition, after->repetition))
		complain(import, file->repetition.line,
			"'repetition' cannot change after the start", NULL);
	if (before->fide_2014 != after->fide_2014)
		complain(import, file->fide_2014.line, "'fide-2014' cannot change after the start",
			NULL);
	if (!same(before->parameters, after->parameters))
		complain(import, file->n_parameters ? file->parameters[0].line : file->line,
			"the parameters of the rules cannot change after the start", NULL);
}

static int put_tournament(struct import *import)
{
	const struct file_tournament *file = &import->file->tournament;
	struct store *store = import->club->store;
	struct tournament_row before, *row = &import->tournament;
	struct clock_parameters parameters;
	const char *fault;
	int r = people_tournament(store, import->arena, file->code, &before);

	if (r < 0)
		return r;
	bool known = r > 0;
	*row = known ? before : default_tournament(file);
	overlay_tournament(import, row);
	if (match_parameters(row, &parameters) < 0) {
		/* A parameter that was refused is no second fault. */
		if (fault_list_total(import->faults) == 0)
			complain(import, file->line, "its parameters are not those of rules",
				row->rules);
		return 0;
	}
	if (fault_list_total(import->faults) == 0 && parameters_check(&parameters, &fault) != 0)
		complain(import, file->line, fault, NULL);
	import->report->tournament = arena_string(import->arena, row->code);
	import->report->created = !known;
	import->report->changed = known && !same_tournament(&before, row);
	if (known && import->started)
		check_announced(import, &before, row);
	if (known && !import->report->changed)
		return 0;
	return people_put_tournament(store, row);
}

/* ---- Players ---- */

static void check_address(struct import *import, const struct file_player *file, const char *key)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	const char *owner;

	if (club_is_own_address(import->club, key))
		fault_add(import->faults, import->file->path, file->email_line,
			"%s is the club's own address", key);
	if (people_by_address(import->club->store, &arena, key, &owner) > 0 &&
		strcmp(owner, file->id) != 0)
		fault_add(import->faults, import->file->path, file->email_line,
			"%s is an address of player %s", key, owner);
}

static int key_addresses(struct import *import, const struct player_row *row,
	const struct file_player *file, const char ***ret_keys)
{
	const char **keys = arena_alloc(import->arena, (row->n_addresses + 1) * sizeof(*keys));

	for (size_t i = 0; i < row->n_addresses; i++) {
		char *key;
		int r = address_key(row->addresses[i], &key);
		if (r == -EINVAL)
			fault_add(import->faults, import->file->path, file->email_line,
				"%s is no address", row->addresses[i]);
		if (r < 0)
			return r == -EINVAL ? 1 : r;
		keys[i] = arena_string(import->arena, key);
		free(key);
		check_address(import, file, keys[i]);
	}
	*ret_keys = keys;
	return 0;
}

static void overlay_player(
	struct import *import, const struct file_player *file, struct player_row *row)
{
	const struct configuration *configuration = import->club->configuration;

	if (file->name.line)
		row->name = file->name.text;
	if (file->timezone.line)
		row->timezone = file->timezone.text;
	if (file->language.line)
		row->language = file->language.text;
	if (file->notation.line)
		row->notation = file->notation.text;
	if (file->country.line)
		row->country = file->country.text;
	if (file->elo.line)
		row->elo = file->elo.value;
	if (file->email_line) {
		row->addresses = (const char *const *)file->email.items;
		row->n_addresses = file->email.n;
	}
	if (!row->timezone)
		row->timezone = configuration->club.timezone;
	if (!row->language)
		row->language = configuration->club.language;
	if (!row->notation)
		row->notation = "san";
}

static bool same_addresses(const struct player_row *a, const struct player_row *b)
{
	if (a->n_addresses != b->n_addresses)
		return false;
	for (size_t i = 0; i < a->n_addresses; i++)
		if (strcmp(a->addresses[i], b->addresses[i]) != 0)
			return false;
	return true;
}

static bool same_player(const struct player_row *a, const struct player_row *b)
{
	return same(a->name, b->name) && same(a->timezone, b->timezone) &&
	       same(a->language, b->language) && same(a->notation, b->notation) &&
	       same(a->country, b->country) && a->elo == b->elo && same_addresses(a, b);
}

static int put_player(struct import *import, const struct file_player *file)
{
	struct import_report *report = import->report;
	struct store *store = import->club->store;
	struct player_row before, row = {.id = file->id};
	const char **keys;
	int r = people_player(store, import->arena, file->id, &before);

	if (r < 0)
		return r;
	bool known = r > 0;
	if (known)
		row = before;
	overlay_player(import, file, &row);
	r = key_addresses(import, &row, file, &keys);
	if (r != 0)
		return r < 0 ? r : 0;
	if (known && same_player(&before, &row))
		return 0;
	r = people_put_player(store, &row, keys);
	if (r >= 0 && known && !same_addresses(&before, &row))
		r = people_renew_tokens(store, row.id);
	if (r >= 0 && known && !same_addresses(&before, &row))
		r = bounce_new_address(import->club, row.id);
	if (r >= 0 && known && !same(before.timezone, row.timezone))
		r = players_zone(import->club, import->arena, &row, import->now);
	if (r < 0)
		return r;
	const char *id = arena_string(import->arena, row.id);
	if (known)
		report->changed_players[report->n_changed_players++] = id;
	else
		report->new_players[report->n_new_players++] = id;
	return 0;
}

/* ---- Games ---- */

/* The game's code, by default its number padded to four. A default that another game has
 * already gives way to a name that no subject can be mistaken for; MC-link, whose subjects
 * need the four characters, gets a fault. */
static const char *code_for(struct import *import, const struct file_game *file)
{
	const char *code = file->code.line ? file->code.text
					   : arena_format(import->arena, "%04u", file->number);
	int64_t other;

	if (!file->code.line && file->number > 9999 &&
		strcmp(import->tournament.rules, "mclink") == 0)
		complain(import, file->line,
			"the Subject has four characters for the game: code =", NULL);
	if (games_find_code(import->club->store, code, &other) <= 0)
		return code;
	if (file->code.line || strcmp(import->tournament.rules, "mclink") == 0)
		complain(import, file->code.line ? file->code.line : file->line,
			"another unfinished game has the code", code);
	return arena_format(import->arena, "%s/%u", import->tournament.code, file->number);
}

static bool same_thematic(const struct game_row *row, const struct file_game *file)
{
	if (row->n_thematic != file->n_moves)
		return false;
	for (size_t i = 0; i < file->n_moves; i++)
		if (row->moves[i] != file->moves[i])
			return false;
	return true;
}

static void check_known_game(
	struct import *import, const struct file_game *file, const struct game_row *row)
{
	char fen[FEN_MAX];

	if (file->white.line && !same(file->white.text, row->players[SIDE_WHITE]))
		complain(
			import, file->white.line, "this game's White is", row->players[SIDE_WHITE]);
	if (file->black.line && !same(file->black.text, row->players[SIDE_BLACK]))
		complain(
			import, file->black.line, "this game's Black is", row->players[SIDE_BLACK]);
	bool refused = tournament_file_refused(import->file, file->line, "moves") ||
		       tournament_file_refused(import->file, file->line, "fen");
	if (file->moves_line && !refused && !same_thematic(row, file))
		complain(import, file->moves_line, "the moves of a known game cannot change", NULL);
	fen_write(&file->start, fen);
	if (file->fen.line && !refused && !same(fen, row->start_fen))
		complain(
			import, file->fen.line, "the position of a known game cannot change", NULL);
	if (file->code.line && !same(file->code.text, row->code))
		complain(import, file->code.line, "this game's code is", row->code);
}

static int zone_of(struct import *import, const char *player, const char **ret_zone)
{
	struct player_row row;
	int r = people_player(import->club->store, import->arena, player, &row);

	if (r > 0)
		*ret_zone = row.timezone;
	return r < 0 ? r : r == 0 ? -ENOENT : 0;
}

/* MC-link 11.5: who has withdrawn from an event enters no other for ninety days. */
static int check_bar(struct import *import, const struct file_game *file, const char *player)
{
	struct store *store = import->club->store;
	const struct zone *zone;
	int64_t withdrew;
	int year;
	unsigned month, day;

	if (strcmp(import->tournament.rules, "mclink") != 0)
		return 0;
	int r = games_has_player(store, import->tournament.code, player);
	if (r != 0)
		return r < 0 ? r : 0;
	r = games_withdrew(store, player, "mclink", &withdrew);
	if (r <= 0)
		return r;
	r = zone_load("Europe/Rome", &zone); /* 7.2: MC-link's own clock */
	if (r < 0)
		return r;
	int32_t from = withdrawal_may_join_from(zone_date(zone, withdrew));
	date_to_civil(from, &year, &month, &day);
	if (zone_date(zone, import->tournament.start) < from)
		complain(import, file->line,
			arena_format(import->arena,
				"who has withdrawn enters no event that begins before "
				"%04d-%02u-%02u "
				"(MC-link 11.5):",
				year, month, day),
			player);
	return 0;
}

static int put_new_game(struct import *import, const struct file_game *file)
{
	struct import_report *report = import->report;
	struct store *store = import->club->store;
	char start_fen[FEN_MAX], fen[FEN_MAX];
	struct position now = file->start;
	int64_t id;
	struct game_row row = {
		.tournament = import->tournament.code,
		.number = (int64_t)file->number,
		.code = code_for(import, file),
		.players = {file->white.text, file->black.text},
		.state = GAME_SCHEDULED,
		.start_fen = start_fen,
		.fen = fen,
		.n_thematic = file->n_moves,
		.moves = file->moves,
		.n_moves = file->n_moves,
	};

	for (size_t i = 0; i < file->n_moves; i++)
		position_make(&now, file->moves[i]);
	fen_write(&file->start, start_fen);
	fen_write(&now, fen);
	int r = check_bar(import, file, row.players[SIDE_WHITE]);
	if (r >= 0)
		r = check_bar(import, file, row.players[SIDE_BLACK]);
	if (r >= 0)
		r = zone_of(import, row.players[SIDE_WHITE], &row.zones[SIDE_WHITE]);
	if (r >= 0)
		r = zone_of(import, row.players[SIDE_BLACK], &row.zones[SIDE_BLACK]);
	if (r >= 0)
		r = games_insert(store, &row, &id);
	if (r < 0)
		return r;
	report->new_games[report->n_new_games++] =
		arena_format(import->arena, "%s/%u", import->tournament.code, file->number);
	return 0;
}

static int put_game(struct import *import, const struct file_game *file)
{
	struct game_row row;
	int64_t id;
	int r = games_find(
		import->club->store, import->tournament.code, (int64_t)file->number, &id);

	if (r == 0)
		return put_new_game(import, file);
	if (r > 0)
		r = games_load(import->club->store, import->arena, id, &row);
	if (r > 0)
		check_known_game(import, file, &row);
	return r < 0 ? r : 0;
}

/* The start of every game that has not begun. */
static int arm_starts(struct import *import)
{
	const struct games_filter filter = {
		.tournament = import->tournament.code, .state = "scheduled"};
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	int64_t *ids;
	size_t n;
	int r = games_list(import->club->store, &arena, &filter, &ids, &n);

	for (size_t i = 0; r >= 0 && i < n; i++) {
		const struct timer_row timer = {
			.game = ids[i],
			.kind = "start",
			.at = import->tournament.start,
		};
		r = timers_disarm(import->club->store, ids[i], timer.kind);
		if (r >= 0)
			r = timers_arm(import->club->store, &timer);
	}
	return r;
}

/* ---- All of it ---- */

static bool changes_anything(const struct import_report *report)
{
	return report->created || report->changed || report->n_new_players ||
	       report->n_changed_players || report->n_new_games;
}

/* What is at fault may not fit into the store: nothing is kept anyway, and what comes behind it
 * has its own faults. */
static int pass_over(const struct import *import, int r)
{
	bool unfit = r == -EEXIST || r == -ENOENT;
	return unfit && fault_list_total(import->faults) > 0 ? 0 : r;
}

static int carry_out(struct import *import)
{
	const struct tournament_file *file = import->file;
	int r = check(import);

	if (r < 0)
		return r;
	r = find_started(import, file->tournament.code);
	if (r >= 0)
		r = pass_over(import, put_tournament(import));
	for (size_t i = 0; r >= 0 && i < file->n_players; i++)
		r = pass_over(import, put_player(import, &file->players[i]));
	for (size_t i = 0; r >= 0 && i < file->n_games; i++)
		r = pass_over(import, put_game(import, &file->games[i]));
	if (r < 0)
		return r;
	if (fault_list_total(import->faults) > 0)
		return FILE_FAULTY;
	if (!changes_anything(import->report))
		return 0;
	r = arm_starts(import);
	if (r >= 0)
		r = bulletin_arm(import->club, &import->tournament);
	/* The file itself is in the command that imports it. */
	return r < 0 ? r
		     : input_log(import->club, import->now, "import",
			       json_pack("{s:s}", "tournament", file->tournament.code));
}

int import_text(struct club *club, struct arena *arena, const char *path, const char *text,
	size_t size, int64_t now, struct fault_list *faults, struct import_report *ret_report)
{
	struct tournament_file *file = NULL;
	int r = tournament_file_parse(path, text, size, zone_known, faults, &file);

	if (r < 0 || !file)
		return r;
	*ret_report = (struct import_report){
		.new_players = arena_alloc(arena, (file->n_players + 1) * sizeof(char *)),
		.changed_players = arena_alloc(arena, (file->n_players + 1) * sizeof(char *)),
		.new_games = arena_alloc(arena, (file->n_games + 1) * sizeof(char *)),
	};
	struct import import = {
		.club = club,
		.arena = arena,
		.file = file,
		.faults = faults,
		.report = ret_report,
		.now = now,
	};
	r = store_begin(club->store);
	if (r >= 0) {
		r = carry_out(&import);
		if (r == 0)
			r = store_commit(club->store);
		else
			store_rollback(club->store);
	}
	tournament_file_free(file);
	return r;
}

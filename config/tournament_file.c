#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config/ini.h"
#include "config/tournament_reading.h"
#include "core/fen.h"
#include "core/pgn.h"

#define NUMBER_MAX 999999
#define THEMATIC_MAX 200 /* plies of a thematic start */

/* ---- Sections ---- */

static void *grow(void *items, size_t n, size_t size)
{
	/* Powers of two, so that a file of many players is not copied over and over. */
	if (n & (n - 1))
		return items;
	return reallocarray(items, n ? 2 * n : 1, size);
}

static int begin_tournament(struct tournament_reading *reading, const struct ini_section *section)
{
	struct file_tournament *tournament = &reading->file->tournament;

	if (tournament->code) {
		fault_add(reading->faults, reading->file->path, section->line,
			"a file describes one tournament, and [tournament %s] stands on line %u",
			tournament->code, tournament->line);
		reading->skip = true;
		return 0;
	}
	if (!value_is_id(section->name))
		fault_add(reading->faults, reading->file->path, section->line,
			"a tournament needs a code of up to %d letters, digits, '.', '_' or '-': "
			"[tournament CODE]",
			ID_MAX);
	tournament->line = section->line;
	tournament->code = strdup(section->name);
	return tournament->code ? 0 : -ENOMEM;
}

static int begin_player(struct tournament_reading *reading, const struct ini_section *section)
{
	struct tournament_file *file = reading->file;

	if (!value_is_id(section->name))
		fault_add(reading->faults, file->path, section->line,
			"a player needs an id of up to %d letters, digits, '.', '_' or '-': "
			"[player ID]",
			ID_MAX);
	struct file_player *grown = grow(file->players, file->n_players, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	file->players = grown;
	struct file_player *player = &grown[file->n_players++];
	*player = (struct file_player){.line = section->line, .id = strdup(section->name)};
	return player->id ? 0 : -ENOMEM;
}

static int begin_game(struct tournament_reading *reading, const struct ini_section *section)
{
	struct tournament_file *file = reading->file;
	int64_t number = 0;

	if (value_number(section->name, NUMBER_MAX, &number) < 0 || number == 0 ||
		section->name[0] == '0')
		fault_add(reading->faults, file->path, section->line,
			"a game needs a number from 1 to %d: [game NUMBER]", NUMBER_MAX);
	struct file_game *grown = grow(file->games, file->n_games, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	file->games = grown;
	reading->in_game = true;
	grown[file->n_games++] = (struct file_game){
		.line = section->line, .number = (unsigned)number, .start = position_initial()};
	return 0;
}

int tournament_refuse(struct tournament_reading *reading, const char *key)
{
	struct tournament_file *file = reading->file;
	struct file_refused *grown = grow(file->refused, file->n_refused, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	file->refused = grown;
	struct file_refused *refused = &grown[file->n_refused++];
	*refused = (struct file_refused){.section = reading->section, .key = strdup(key)};
	return refused->key ? 0 : -ENOMEM;
}

bool tournament_file_refused(const struct tournament_file *file, unsigned section, const char *key)
{
	for (size_t i = 0; i < file->n_refused; i++)
		if (file->refused[i].section == section && strcmp(file->refused[i].key, key) == 0)
			return true;
	return false;
}

static bool read_fen(struct tournament_reading *reading, struct file_game *game)
{
	size_t at = 0;

	if (!game->fen.text)
		return true;
	enum fen_fault fault = fen_parse(game->fen.text, strlen(game->fen.text), &game->start, &at);
	if (fault == FEN_FINE)
		return true;
	fault_add(reading->faults, reading->file->path, game->fen.line,
		"fen: \"%s\" is refused: %s (at character %zu)", game->fen.text,
		fen_fault_text(fault), at + 1);
	return false;
}

static int read_moves(struct tournament_reading *reading, struct file_game *game)
{
	uint16_t moves[THEMATIC_MAX];
	size_t n = 0, at = 0;

	enum movetext_fault fault = movetext_read(
		&game->start, reading->moves, strlen(reading->moves), moves, THEMATIC_MAX, &n, &at);
	if (fault != MOVETEXT_FINE) {
		fault_add(reading->faults, reading->file->path, game->moves_line,
			"moves: \"%s\" is refused: %s", reading->moves + at,
			movetext_fault_text(fault));
		return tournament_refuse(reading, "moves");
	}
	game->moves = calloc(n + 1, sizeof(*moves));
	if (!game->moves)
		return -ENOMEM;
	memcpy(game->moves, moves, n * sizeof(*moves));
	game->n_moves = n;
	return 0;
}

/* The thematic start must leave something to play. */
static void check_open(struct tournament_reading *reading, const struct file_game *game)
{
	struct position position = game->start;

	for (size_t i = 0; i < game->n_moves; i++)
		position_make(&position, game->moves[i]);
	if (position_end(&position) != POSITION_GOES_ON)
		fault_add(reading->faults, reading->file->path, game->line,
			"game %u is over before it begins", game->number);
}

/* Position and moves may stand in either order: they are read when the section is over. */
static int end_section(struct tournament_reading *reading)
{
	int r = 0;

	if (!reading->in_game)
		return 0;
	reading->in_game = false;
	struct file_game *game = &reading->file->games[reading->file->n_games - 1];
	if (read_fen(reading, game)) {
		if (reading->moves)
			r = read_moves(reading, game);
		if (r == 0)
			check_open(reading, game);
	} else {
		r = tournament_refuse(reading, "fen");
	}
	free(reading->moves);
	reading->moves = NULL;
	return r;
}

static void on_section(void *context, const struct ini_section *section)
{
	struct tournament_reading *reading = context;
	int r = reading->error;

	if (r == 0)
		r = end_section(reading);
	if (r < 0) {
		reading->error = r;
		return;
	}
	reading->skip = false;
	reading->section = section->line;
	if (strcmp(section->kind, "tournament") == 0) {
		r = begin_tournament(reading, section);
	} else if (strcmp(section->kind, "player") == 0) {
		r = begin_player(reading, section);
	} else if (strcmp(section->kind, "game") == 0) {
		r = begin_game(reading, section);
	} else {
		fault_add(reading->faults, reading->file->path, section->line,
			"unknown section [%s%s%s]", section->kind, *section->name ? " " : "",
			section->name);
		reading->skip = true;
	}
	reading->error = r;
}

/* ---- Keys ---- */

/* Whether any rule system has a parameter of that name. */
static bool parameter_known(const char *name)
{
	static const enum rule_system systems[] = {
		RULES_IECC, RULES_RAZSH, RULES_RAZSH_POST, RULES_MCLINK};
	struct clock_parameters parameters;
	const char *why;

	for (size_t i = 0; i < ARRAY_SIZE(systems); i++) {
		parameters_default(systems[i], &parameters);
		if (parameters_set(&parameters, name, "", &why) != PARAMETERS_UNKNOWN)
			return true;
	}
	return false;
}

static int add_parameter(
	struct file_tournament *tournament, const char *key, const char *value, unsigned line)
{
	struct file_parameter *grown =
		reallocarray(tournament->parameters, tournament->n_parameters + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	tournament->parameters = grown;
	struct file_parameter *parameter = &grown[tournament->n_parameters++];
	*parameter =
		(struct file_parameter){.line = line, .key = strdup(key), .value = strdup(value)};
	return parameter->key && parameter->value ? 0 : -ENOMEM;
}

static void on_key(void *context, const struct ini_section *section, const char *name,
	const char *value, unsigned line)
{
	struct tournament_reading *reading = context;

	if (reading->error < 0 || reading->skip)
		return;
	int r = tournament_take_key(reading, section->kind, name, value, line);
	if (r == TOURNAMENT_NO_KEY) {
		r = 0;
		if (strcmp(section->kind, "tournament") == 0 && parameter_known(name))
			r = add_parameter(&reading->file->tournament, name, value, line);
		else
			fault_add(reading->faults, reading->file->path, line,
				"unknown key \"%s\" in [%s]", name, section->kind);
	}
	if (r < 0)
		reading->error = r;
}

/* ---- The whole file ---- */

int tournament_file_parameters(const struct tournament_file *file,
	struct clock_parameters *parameters, struct fault_list *faults)
{
	const struct file_tournament *tournament = &file->tournament;
	int result = 0;

	for (size_t i = 0; i < tournament->n_parameters; i++) {
		const struct file_parameter *parameter = &tournament->parameters[i];
		const char *why = NULL;
		int r = parameters_set(parameters, parameter->key, parameter->value, &why);
		if (r == 0)
			continue;
		result = FILE_FAULTY;
		if (r == PARAMETERS_UNKNOWN)
			fault_add(faults, file->path, parameter->line,
				"rules = %s has no parameter \"%s\"",
				rule_system_name(parameters->system), parameter->key);
		else
			fault_add(faults, file->path, parameter->line, "%s: \"%s\" %s",
				parameter->key, parameter->value, why);
	}
	return result;
}

/* Parameters that a file may check without the store: its own `rules` stand in it. */
static void check_parameters(struct tournament_reading *reading)
{
	struct clock_parameters parameters;

	if (!reading->file->tournament.rules.line)
		return;
	parameters_default((enum rule_system)reading->file->tournament.rules.value, &parameters);
	if (tournament_file_parameters(reading->file, &parameters, reading->faults) != 0)
		return; /* each has its fault */
}

static void check_ends(struct tournament_reading *reading)
{
	const struct file_tournament *tournament = &reading->file->tournament;

	if (!tournament->code) {
		fault_add(reading->faults, reading->file->path, 1, "there is no [tournament CODE]");
		return;
	}
	if (!tournament->start.line || !tournament->end.line)
		return;
	/* Where one is a date, the club's zone decides: dates two days apart are in order. */
	int64_t start = tournament->start.is_date ? (int64_t)tournament->start.date * 86400000
						  : tournament->start.instant;
	int64_t end = tournament->end.is_date ? ((int64_t)tournament->end.date + 1) * 86400000
					      : tournament->end.instant;
	if (end <= start)
		fault_add(reading->faults, reading->file->path, tournament->end.line,
			"end: the tournament ends before it starts");
}

static int new_file(const char *path, struct tournament_file **ret_file)
{
	struct tournament_file *file = calloc(1, sizeof(*file));
	if (!file)
		return -ENOMEM;
	file->path = strdup(path);
	if (!file->path) {
		free(file);
		return -ENOMEM;
	}
	*ret_file = file;
	return 0;
}

static int read_any(const char *path, const char *text, size_t size, zone_known_fn *zone_known,
	struct fault_list *faults, struct tournament_file **ret_file)
{
	struct tournament_reading reading = {.zone_known = zone_known, .faults = faults};
	struct ini_handler handler = {on_section, on_key, &reading};
	size_t before = fault_list_total(faults);

	int r = new_file(path, &reading.file);
	if (r < 0)
		return r;
	r = text ? ini_read_text(path, text, size, &handler, faults)
		 : ini_read_file(path, &handler, faults);
	if (r >= 0)
		r = reading.error;
	if (r >= 0)
		r = end_section(&reading);
	free(reading.moves);
	if (r >= 0) {
		check_parameters(&reading);
		if (reading.file->tournament.code || fault_list_total(faults) == before)
			check_ends(&reading);
		if (fault_list_total(faults) > before)
			r = FILE_FAULTY;
	}
	if (r < 0 || !reading.file->tournament.code) {
		tournament_file_free(reading.file);
		return r;
	}
	*ret_file = reading.file;
	return r;
}

int tournament_file_read(const char *path, zone_known_fn *zone_known, struct fault_list *faults,
	struct tournament_file **ret_file)
{
	return read_any(path, NULL, 0, zone_known, faults, ret_file);
}

int tournament_file_parse(const char *path, const char *text, size_t size,
	zone_known_fn *zone_known, struct fault_list *faults, struct tournament_file **ret_file)
{
	return read_any(path, text, size, zone_known, faults, ret_file);
}

static void tournament_release(struct file_tournament *tournament)
{
	free(tournament->code);
	free(tournament->name.text);
	free(tournament->site.text);
	mailbox_release(&tournament->arbiter.mailbox);
	mailbox_release(&tournament->deputy.mailbox);
	mailbox_release(&tournament->public.mailbox);
	for (size_t i = 0; i < tournament->n_parameters; i++) {
		free(tournament->parameters[i].key);
		free(tournament->parameters[i].value);
	}
	free(tournament->parameters);
}

struct tournament_file *tournament_file_free(struct tournament_file *file)
{
	if (!file)
		return NULL;
	tournament_release(&file->tournament);
	for (size_t i = 0; i < file->n_players; i++) {
		struct file_player *player = &file->players[i];
		free(player->id);
		free(player->name.text);
		free(player->timezone.text);
		free(player->language.text);
		free(player->notation.text);
		free(player->country.text);
		value_list_release(&player->email);
	}
	free(file->players);
	for (size_t i = 0; i < file->n_games; i++) {
		struct file_game *game = &file->games[i];
		free(game->white.text);
		free(game->black.text);
		free(game->code.text);
		free(game->fen.text);
		free(game->moves);
	}
	free(file->games);
	for (size_t i = 0; i < file->n_refused; i++)
		free(file->refused[i].key);
	free(file->refused);
	free(file->path);
	free(file);
	return NULL;
}

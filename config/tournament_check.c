#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config/tournament.h"

/* What is being checked. */
struct checking {
	const struct tournament_file *file;
	const struct tournament_known *known;
	struct fault_list *faults;
	const char **ids; /* of the file's players, sorted */
	bool tournament_known;
};

static void demand(
	struct checking *checking, bool given, unsigned line, const char *what, const char *name)
{
	if (!given && !tournament_file_refused(checking->file, line, name))
		fault_add(checking->faults, checking->file->path, line, "the new %s lacks %s", what,
			name);
}

static void check_tournament(struct checking *checking)
{
	const struct file_tournament *tournament = &checking->file->tournament;
	struct clock_parameters parameters;
	struct fault_list doubled = {0};
	const char *why;

	if (checking->tournament_known)
		return;
	demand(checking, tournament->name.line, tournament->line, "tournament", "name");
	demand(checking, tournament->rules.line, tournament->line, "tournament", "rules");
	demand(checking, tournament->start.line, tournament->line, "tournament", "start");
	if (!tournament->rules.line)
		return;
	parameters_default((enum rule_system)tournament->rules.value, &parameters);
	/* Each bad parameter has had its fault when the file was read. */
	int r = tournament_file_parameters(checking->file, &parameters, &doubled);
	fault_list_release(&doubled);
	if (r == 0 && parameters_check(&parameters, &why) != 0)
		fault_add(checking->faults, checking->file->path, tournament->line,
			"rules = %s: %s", rule_system_name(parameters.system), why);
}

static int compare_ids(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void check_player(struct checking *checking, const struct file_player *player)
{
	if (checking->known->player(checking->known->context, player->id))
		return;
	demand(checking, player->name.line, player->line, "player", "name");
	demand(checking, player->email_line, player->line, "player", "email");
}

static void check_reference(struct checking *checking, const struct file_text *id)
{
	if (!id->text || checking->known->player(checking->known->context, id->text))
		return;
	if (bsearch(&id->text, checking->ids, checking->file->n_players, sizeof(*checking->ids),
		    compare_ids))
		return;
	fault_add(checking->faults, checking->file->path, id->line, "unknown player \"%s\"",
		id->text);
}

static void check_game(struct checking *checking, const struct file_game *game)
{
	const char *code = checking->file->tournament.code;

	check_reference(checking, &game->white);
	check_reference(checking, &game->black);
	if (game->white.text && game->black.text && strcmp(game->white.text, game->black.text) == 0)
		fault_add(checking->faults, checking->file->path, game->black.line,
			"\"%s\" cannot play against himself", game->black.text);
	if (checking->tournament_known &&
		checking->known->game(checking->known->context, code, game->number))
		return;
	demand(checking, game->white.line, game->line, "game", "white");
	demand(checking, game->black.line, game->line, "game", "black");
}

int tournament_file_check(const struct tournament_file *file, const struct tournament_known *known,
	struct fault_list *faults)
{
	struct checking checking = {.file = file, .known = known, .faults = faults};
	size_t before = fault_list_total(faults);

	checking.ids = calloc(file->n_players + 1, sizeof(*checking.ids));
	if (!checking.ids)
		return -ENOMEM;
	for (size_t i = 0; i < file->n_players; i++)
		checking.ids[i] = file->players[i].id;
	qsort(checking.ids, file->n_players, sizeof(*checking.ids), compare_ids);
	checking.tournament_known = known->tournament(known->context, file->tournament.code);

	check_tournament(&checking);
	for (size_t i = 0; i < file->n_players; i++)
		check_player(&checking, &file->players[i]);
	for (size_t i = 0; i < file->n_games; i++)
		check_game(&checking, &file->games[i]);
	free(checking.ids);
	return fault_list_total(faults) > before ? FILE_FAULTY : 0;
}

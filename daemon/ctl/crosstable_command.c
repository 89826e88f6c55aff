/*
 * crosstable CODE: the standings of an event. A win is a point, a draw half of one; ties are
 * ordered by Sonneborn-Berger. An annulled game counts for nobody.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/ctl/print.h"
#include "daemon/ctl/scope.h"
#include "daemon/ctl/store_commands.h"
#include "daemon/relay/club.h"
#include "daemon/store/games.h"
#include "daemon/store/people.h"

/* Points are counted in halves, Sonneborn-Berger in quarters. */
struct standing {
	const char *id, *name;
	int halves, quarters;
	int wins, draws, losses, unfinished;
	int rank;
};

struct table {
	struct ctl *ctl;
	struct arena arena;
	struct tournament_row tournament;
	struct game_row *games;
	size_t n_games;
	struct standing *players;
	size_t n_players;
};

static struct standing *find(struct table *table, const char *id)
{
	for (size_t i = 0; i < table->n_players; i++)
		if (strcmp(table->players[i].id, id) == 0)
			return &table->players[i];
	return NULL;
}

static int add_player(struct table *table, const char *id)
{
	struct player_row row;

	if (find(table, id))
		return 0;
	int r = people_player(table->ctl->club->store, &table->arena, id, &row);
	if (r <= 0)
		return r < 0 ? r : -EBADMSG;
	table->players[table->n_players++] = (struct standing){.id = row.id, .name = row.name};
	return 0;
}

static int load(struct table *table)
{
	const struct games_filter filter = {.tournament = table->tournament.code};
	struct store *store = table->ctl->club->store;
	int64_t *ids;
	size_t n;
	int r = games_list(store, &table->arena, &filter, &ids, &n);

	if (r < 0)
		return r;
	table->games = arena_alloc(&table->arena, (n + 1) * sizeof(*table->games));
	table->players = arena_alloc(&table->arena, (2 * n + 1) * sizeof(*table->players));
	for (size_t i = 0; i < n; i++) {
		struct game_row *row = &table->games[table->n_games];
		r = games_load(store, &table->arena, ids[i], row);
		if (r <= 0)
			return r < 0 ? r : -EBADMSG;
		table->n_games++;
		for (int side = 0; r >= 0 && side < 2; side++)
			r = add_player(table, row->players[side]);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Halves of a point that the side has from the game; -1: none are given. */
static int halves_of(const struct game_row *game, enum side side)
{
	if (game->state != GAME_FINISHED)
		return -1;
	switch (game->result) {
	case RESULT_WHITE:
		return side == SIDE_WHITE ? 2 : 0;
	case RESULT_BLACK:
		return side == SIDE_BLACK ? 2 : 0;
	case RESULT_DRAW:
		return 1;
	case RESULT_NONE:
		break;
	}
	return -1;
}

static void count(struct table *table)
{
	for (size_t i = 0; i < 2 * table->n_games; i++) {
		const struct game_row *game = &table->games[i / 2];
		enum side side = (enum side)(i % 2);
		struct standing *player = find(table, game->players[side]);
		int halves = halves_of(game, side);
		player->halves += halves > 0 ? halves : 0;
		player->wins += halves == 2;
		player->draws += halves == 1;
		player->losses += halves == 0;
		player->unfinished += game->state != GAME_FINISHED;
	}
	for (size_t i = 0; i < 2 * table->n_games; i++) {
		const struct game_row *game = &table->games[i / 2];
		enum side side = (enum side)(i % 2);
		int halves = halves_of(game, side);
		if (halves > 0)
			find(table, game->players[side])->quarters +=
				halves * find(table, game->players[side_other(side)])->halves;
	}
}

static int better(const void *left, const void *right)
{
	const struct standing *a = left, *b = right;

	if (a->halves != b->halves)
		return b->halves - a->halves;
	if (a->quarters != b->quarters)
		return b->quarters - a->quarters;
	int names = strcmp(a->name, b->name);
	return names ? names : strcmp(a->id, b->id);
}

static void order(struct table *table)
{
	struct standing *players = table->players;

	qsort(players, table->n_players, sizeof(*players), better);
	for (size_t i = 0; i < table->n_players; i++) {
		bool tied = i > 0 && players[i - 1].halves == players[i].halves &&
			    players[i - 1].quarters == players[i].quarters;
		players[i].rank = tied ? players[i - 1].rank : (int)i + 1;
	}
}

/* ---- Printing ---- */

static json_t *halves_json(int halves)
{
	return halves % 2 ? json_real(halves / 2.0) : json_integer(halves / 2);
}

static json_t *quarters_json(int quarters)
{
	return quarters % 4 ? json_real(quarters / 4.0) : json_integer(quarters / 4);
}

static json_t *results_json(const struct table *table, const struct standing *player)
{
	json_t *array = json_array();

	for (size_t i = 0; i < 2 * table->n_games; i++) {
		const struct game_row *game = &table->games[i / 2];
		enum side side = (enum side)(i % 2);
		int halves = halves_of(game, side);
		if (strcmp(game->players[side], player->id) != 0)
			continue;
		json_array_append_new(array,
			json_pack("{s:o, s:s, s:s, s:s, s:o}", "game",
				json_sprintf("%s/%lld", game->tournament, (long long)game->number),
				"opponent", game->players[side_other(side)], "colour",
				side == SIDE_WHITE ? "white" : "black", "state",
				game_state_name(game->state), "points",
				halves < 0 ? json_null() : halves_json(halves)));
	}
	return array;
}

static int print_table_json(struct table *table)
{
	json_t *players = json_array();

	for (size_t i = 0; i < table->n_players; i++) {
		const struct standing *player = &table->players[i];
		json_array_append_new(players,
			json_pack("{s:i, s:s, s:s, s:o, s:o, s:i, s:i, s:i, s:i, s:o}", "rank",
				player->rank, "player", player->id, "name", player->name, "points",
				halves_json(player->halves), "sonneborn_berger",
				quarters_json(player->quarters), "wins", player->wins, "draws",
				player->draws, "losses", player->losses, "unfinished",
				player->unfinished, "results", results_json(table, player)));
	}
	return print_json(
		table->ctl, json_pack("{s:s, s:s, s:s, s:o}", "tournament", table->tournament.code,
				    "name", table->tournament.name, "rules",
				    table->tournament.rules, "players", players));
}

/* Both players' games with each other, in order: "1", "=", "0", "." for one that goes on. */
static const char *cell(struct table *table, const char *player, const char *opponent)
{
	const char *text = "";

	for (size_t i = 0; i < 2 * table->n_games; i++) {
		const struct game_row *game = &table->games[i / 2];
		enum side side = (enum side)(i % 2);
		if (strcmp(game->players[side], player) != 0 ||
			strcmp(game->players[side_other(side)], opponent) != 0)
			continue;
		int halves = halves_of(game, side);
		const char *sign = halves == 2                    ? "1"
				   : halves == 1                  ? "="
				   : halves == 0                  ? "0"
				   : game->state == GAME_FINISHED ? "-"
								  : ".";
		text = arena_format(&table->arena, "%s%s", text, sign);
	}
	return strcmp(player, opponent) == 0 ? "*" : text;
}

/* Bytes of UTF-8 that start no character take no room. */
static int columns_of(const char *text)
{
	int n = 0;

	for (; *text; text++)
		n += ((unsigned char)*text & 0xC0) != 0x80;
	return n;
}

static void print_row(struct table *table, const struct standing *player, int names, int cells)
{
	FILE *out = table->ctl->out;

	fprintf(out, "%3d %s%*s", player->rank, player->name, names - columns_of(player->name), "");
	for (size_t i = 0; i < table->n_players; i++)
		fprintf(out, " %*s", cells, cell(table, player->id, table->players[i].id));
	fprintf(out, "  %4.1f  %6.2f\n", player->halves / 2.0, player->quarters / 4.0);
}

static void print_table(struct table *table)
{
	FILE *out = table->ctl->out;
	int names = 0, cells = 2;

	for (size_t i = 0; i < table->n_players; i++) {
		int n = columns_of(table->players[i].name);
		names = n > names ? n : names;
		for (size_t j = 0; j < table->n_players; j++) {
			n = (int)strlen(cell(table, table->players[i].id, table->players[j].id));
			cells = n > cells ? n : cells;
		}
	}
	fprintf(out, "%s  %s (%s)\n    %*s", table->tournament.code, table->tournament.name,
		table->tournament.rules, names, "");
	for (size_t i = 0; i < table->n_players; i++)
		fprintf(out, " %*zu", cells, i + 1);
	fprintf(out, "  Points  SB\n");
	for (size_t i = 0; i < table->n_players; i++)
		print_row(table, &table->players[i], names, cells);
}

static int run(struct table *table, const char *code)
{
	int found = scope_find_tournament(table->ctl, &table->arena, code, &table->tournament);

	if (found != CTL_DONE)
		return found;
	int r = load(table);
	if (r < 0)
		return ctl_fail(table->ctl, r);
	count(table);
	order(table);
	if (table->ctl->json)
		return print_table_json(table);
	print_table(table);
	return CTL_DONE;
}

int crosstable_command(struct ctl *ctl, int argc, char **argv)
{
	struct table table = {.ctl = ctl, .arena = ARENA_INIT};

	if (argc != 2)
		return ctl_usage(ctl, "crosstable");
	int code = run(&table, argv[1]);
	arena_clear(&table.arena);
	return code;
}

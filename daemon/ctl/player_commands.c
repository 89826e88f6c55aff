#include <errno.h>
#include <inttypes.h>

#include "daemon/ctl/clock_words.h"
#include "daemon/ctl/print.h"
#include "daemon/ctl/scope.h"
#include "daemon/ctl/store_commands.h"
#include "daemon/relay/club.h"
#include "daemon/relay/players.h"
#include "daemon/store/games.h"
#include "daemon/store/leaves.h"
#include "daemon/store/people.h"

/* Leaves that were granted, in the asker's events. */
static json_t *leaves_json(const struct ctl *ctl, const struct leave_row *rows, size_t n)
{
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++)
		if (scope_event(ctl, rows[i].tournament))
			json_array_append_new(
				array, json_pack("{s:s, s:o, s:o}", "tournament",
					       rows[i].tournament, "from", json_date(rows[i].first),
					       "to", json_date(rows[i].last)));
	return array;
}

static int games_json(const struct ctl *ctl, struct arena *arena, const char *player, json_t **ret)
{
	const struct games_filter filter = {.player = player};
	struct store *store = ctl->club->store;
	int64_t *ids;
	size_t n;
	int r = games_list(store, arena, &filter, &ids, &n);

	if (r >= 0)
		r = scope_filter(ctl, ids, &n);
	if (r < 0)
		return r;
	*ret = json_array();
	for (size_t i = 0; i < n; i++) {
		struct game_row row;
		r = games_load(store, arena, ids[i], &row);
		if (r > 0 && row.state != GAME_FINISHED)
			json_array_append_new(*ret,
				json_sprintf("%s/%lld", row.tournament, (long long)row.number));
	}
	return r < 0 ? r : 0;
}

static int player_json(struct ctl *ctl, const struct player_row *row, json_t **ret_json)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	struct leave_row *leaves;
	json_t *games = NULL;
	size_t n;
	int r = leaves_load(ctl->club->store, &arena, row->id, &leaves, &n);

	if (r >= 0)
		r = games_json(ctl, &arena, row->id, &games);
	if (r < 0)
		return r;
	json_t *addresses = json_array();
	for (size_t i = 0; i < row->n_addresses; i++)
		json_array_append_new(addresses, json_string(row->addresses[i]));
	*ret_json = json_pack("{s:s, s:s, s:o, s:s, s:s, s:s, s:o, s:o, s:o, s:o}", "id", row->id,
		"name", row->name, "email", addresses, "timezone", row->timezone, "language",
		row->language, "notation", row->notation, "country", print_string(row->country),
		"elo", row->elo ? json_integer(row->elo) : json_null(), "games", games, "leaves",
		leaves_json(ctl, leaves, n));
	return *ret_json ? 0 : -ENOMEM;
}

static void print_player(FILE *out, const struct player_row *row)
{
	fprintf(out, "%-16s %s, %s, %s, %s", row->id, row->name, row->timezone, row->language,
		row->notation);
	for (size_t i = 0; i < row->n_addresses; i++)
		fprintf(out, "%s %s", i ? "," : "", row->addresses[i]);
	fputc('\n', out);
}

struct listing {
	struct ctl *ctl;
	json_t *array;
};

static int list_player(const struct player_row *row, void *userdata)
{
	struct listing *listing = userdata;
	struct ctl *ctl = listing->ctl;
	json_t *json;
	int r = scope_player(ctl, row->id);

	if (r <= 0)
		return r < 0 ? r : ctl_go_on(ctl);
	if (!listing->array) {
		print_player(ctl->out, row);
		return ctl_go_on(ctl);
	}
	r = player_json(ctl, row, &json);
	return r < 0 ? r : print_item(ctl, listing->array, json);
}

int players_command(struct ctl *ctl, int argc, char **argv)
{
	struct listing listing = {.ctl = ctl};

	(void)argv;
	if (argc != 1)
		return ctl_usage(ctl, "players");
	listing.array = ctl->json ? json_array() : NULL;
	int r = people_each_player(ctl->club->store, list_player, &listing);
	if (r < 0) {
		json_decref(listing.array);
		return ctl_fail(ctl, r);
	}
	return ctl->json ? print_json(ctl, listing.array) : CTL_DONE;
}

static int show(struct ctl *ctl, const struct player_row *row)
{
	json_t *json;

	if (!ctl->json) {
		print_player(ctl->out, row);
		return CTL_DONE;
	}
	int r = player_json(ctl, row, &json);
	return r < 0 ? ctl_fail(ctl, r) : print_json(ctl, json);
}

static int change_player(
	struct ctl *ctl, struct arena *arena, const char *id, const struct player_change *change)
{
	const char *fault = NULL;
	struct player_row row;
	int r = store_begin(ctl->club->store);

	if (r >= 0)
		r = players_change(ctl->club, arena, id, change, ctl->now, &row, &fault);
	if (r == 0)
		r = store_commit(ctl->club->store);
	else
		store_rollback(ctl->club->store);
	if (r < 0)
		return ctl_fail(ctl, r);
	if (fault)
		return ctl_refuse(ctl, "%s", fault);
	ctl_kick(ctl);
	return show(ctl, &row);
}

int player_command(struct ctl *ctl, int argc, char **argv)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	struct player_change change = {.entered = true};
	struct player_row row;
	int options[] = {
		ctl_option(&argc, argv, "--email", &change.email),
		ctl_option(&argc, argv, "--timezone", &change.timezone),
		ctl_option(&argc, argv, "--language", &change.language),
		ctl_option(&argc, argv, "--notation", &change.notation),
	};
	bool any = false, bad = argc != 2;

	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		any = any || options[i] > 0;
		bad = bad || options[i] < 0;
	}
	if (bad)
		return ctl_usage(ctl, "player");
	if (any)
		return change_player(ctl, &arena, argv[1], &change);
	int code = scope_find_player(ctl, &arena, argv[1], &row);
	return code != CTL_DONE ? code : show(ctl, &row);
}

#include <errno.h>
#include <inttypes.h>

#include "daemon/ctl/print.h"
#include "daemon/ctl/store_commands.h"
#include "daemon/relay/club.h"
#include "daemon/store/people.h"

static json_t *player_json(const struct player_row *row)
{
	json_t *addresses = json_array();

	for (size_t i = 0; i < row->n_addresses; i++)
		json_array_append_new(addresses, json_string(row->addresses[i]));
	return json_pack("{s:s, s:s, s:o, s:s, s:s, s:s, s:o, s:o}", "id", row->id, "name",
		row->name, "email", addresses, "timezone", row->timezone, "language", row->language,
		"notation", row->notation, "country", print_string(row->country), "elo",
		row->elo ? json_integer(row->elo) : json_null());
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

	if (!listing->array) {
		print_player(listing->ctl->out, row);
		return 0;
	}
	return json_array_append_new(listing->array, player_json(row)) == 0 ? 0 : -ENOMEM;
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

int player_command(struct ctl *ctl, int argc, char **argv)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	struct player_row row;

	if (argc != 2)
		return ctl_usage(ctl, "player");
	int r = people_player(ctl->club->store, &arena, argv[1], &row);
	if (r == 0)
		return ctl_refuse(ctl, "there is no player %s", argv[1]);
	if (r < 0)
		return ctl_fail(ctl, r);
	if (ctl->json)
		return print_json(ctl, player_json(&row));
	print_player(ctl->out, &row);
	return CTL_DONE;
}

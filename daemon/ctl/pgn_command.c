#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/pgn.h"
#include "daemon/ctl/print.h"
#include "daemon/ctl/scope.h"
#include "daemon/ctl/store_commands.h"
#include "daemon/relay/match.h"
#include "daemon/relay/post.h"

/* In JSON the records are an array of {id, pgn}. */
static int print_record(struct ctl *ctl, int64_t id, const enum pgn_style *style, json_t *array)
{
	struct match *match CLEANUP_MATCH = NULL;
	char *record = NULL;
	int r = match_open(ctl->club, id, &match);

	if (r >= 0)
		r = post_record(match, style, &record);
	if (r < 0)
		return r;
	if (array)
		r = print_item(ctl, array, json_pack("{s:s, s:s}", "id", match->id, "pgn", record));
	else if (fputs(record, ctl->out) >= 0)
		r = ctl_go_on(ctl);
	free(record);
	return r;
}

static int print_records(struct ctl *ctl, const int64_t *ids, size_t n, const enum pgn_style *style)
{
	json_t *array = ctl->json ? json_array() : NULL;
	int r = 0;

	for (size_t i = 0; r >= 0 && i < n; i++)
		r = print_record(ctl, ids[i], style, array);
	if (r < 0) {
		json_decref(array);
		return ctl_fail(ctl, r);
	}
	return array ? print_json(ctl, array) : CTL_DONE;
}

int pgn_command(struct ctl *ctl, int argc, char **argv)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	struct games_filter filter = {0};
	const char *word = NULL;
	enum pgn_style style;
	int64_t *ids, id;
	size_t n;

	if (ctl_option(&argc, argv, "--tournament", &filter.tournament) < 0 ||
		ctl_option(&argc, argv, "--style", &word) < 0 || argc > 2 ||
		(argc == 2 && filter.tournament))
		return ctl_usage(ctl, "pgn");
	if (word && !pgn_style_find(word, strlen(word), &style))
		return ctl_usage(ctl, "pgn");
	const enum pgn_style *chosen = word ? &style : NULL;
	if (argc == 1) {
		int r = games_list(ctl->club->store, &arena, &filter, &ids, &n);
		if (r >= 0)
			r = scope_filter(ctl, ids, &n);
		if (r >= 0 && n == 0 && filter.tournament)
			return ctl_refuse(ctl, "there is no game in %s", filter.tournament);
		return r < 0 ? ctl_fail(ctl, r) : print_records(ctl, ids, n, chosen);
	}
	int code = scope_find_game(ctl, argv[1], &id);
	return code != CTL_DONE ? code : print_records(ctl, &id, 1, chosen);
}

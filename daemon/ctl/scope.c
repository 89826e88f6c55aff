#include "daemon/ctl/scope.h"

#include <errno.h>

#include "daemon/relay/club.h"
#include "daemon/relay/match.h"

bool scope_is_all(const struct ctl *ctl)
{
	return !ctl->asker || ctl->asker->role == ROLE_ADMIN;
}

bool scope_event(const struct ctl *ctl, const char *code)
{
	return scope_is_all(ctl) || account_covers(ctl->asker, code);
}

int scope_game(const struct ctl *ctl, int64_t id)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	struct game_row row;

	if (scope_is_all(ctl))
		return 1;
	int r = id ? games_load(ctl->club->store, &arena, id, &row) : 0;
	return r <= 0 ? r : scope_event(ctl, row.tournament);
}

int scope_filter(const struct ctl *ctl, int64_t *ids, size_t *n)
{
	size_t kept = 0;

	for (size_t i = 0; i < *n && !scope_is_all(ctl); i++) {
		int is = scope_game(ctl, ids[i]);
		if (is >= 0 && ctl_go_on(ctl) < 0)
			is = -EFBIG;
		if (is < 0)
			return is;
		if (is > 0)
			ids[kept++] = ids[i];
	}
	if (!scope_is_all(ctl))
		*n = kept;
	return 0;
}

int scope_player(const struct ctl *ctl, const char *player)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	const struct games_filter filter = {.player = player};
	int64_t *ids;
	size_t n;

	if (scope_is_all(ctl))
		return 1;
	int r = games_list(ctl->club->store, &arena, &filter, &ids, &n);
	if (r >= 0)
		r = scope_filter(ctl, ids, &n);
	return r < 0 ? r : n > 0;
}

int scope_find_game(struct ctl *ctl, const char *name, int64_t *ret_id)
{
	int64_t id;
	int r = match_find(ctl->club, name, &id);

	if (r > 0)
		r = scope_game(ctl, id);
	if (r < 0)
		return ctl_fail(ctl, r);
	if (r == 0)
		return ctl_refuse(ctl, "there is no game %s", name);
	*ret_id = id;
	return CTL_DONE;
}

int scope_find_tournament(
	struct ctl *ctl, struct arena *arena, const char *code, struct tournament_row *ret_row)
{
	int r = scope_event(ctl, code) ? people_tournament(ctl->club->store, arena, code, ret_row)
				       : 0;

	if (r == 0)
		return ctl_refuse(ctl, "there is no tournament %s", code);
	return r < 0 ? ctl_fail(ctl, r) : CTL_DONE;
}

int scope_find_player(
	struct ctl *ctl, struct arena *arena, const char *id, struct player_row *ret_row)
{
	int r = scope_player(ctl, id);

	if (r > 0)
		r = people_player(ctl->club->store, arena, id, ret_row);
	if (r == 0)
		return ctl_refuse(ctl, "there is no player %s", id);
	return r < 0 ? ctl_fail(ctl, r) : CTL_DONE;
}

int scope_reach(struct ctl *ctl, const char *player)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	const struct games_filter filter = {.player = player};
	struct game_row row;
	int64_t *ids;
	size_t n;

	if (scope_is_all(ctl))
		return CTL_DONE;
	int r = games_list(ctl->club->store, &arena, &filter, &ids, &n);
	for (size_t i = 0; r >= 0 && i < n; i++) {
		r = games_load(ctl->club->store, &arena, ids[i], &row);
		if (r > 0 && row.state != GAME_FINISHED && !scope_event(ctl, row.tournament))
			return ctl_refuse(ctl,
				"this reaches all unfinished games of %s, and he plays in %s, "
				"which is no event of %s: an administrator must do it",
				player, row.tournament, ctl->asker->name);
	}
	return r < 0 ? ctl_fail(ctl, r) : CTL_DONE;
}

/*
 * What the asker of a command may see and touch: everything, or (an arbiter) the games and
 * players of his events. What is not his is as if it were not there.
 */
#pragma once

#include "daemon/ctl/ctl.h"
#include "daemon/store/people.h"

/* Is everything his? Root's, the daemon's own account's, an admin's. */
bool scope_is_all(const struct ctl *ctl);
/* Is the event with this code his? */
bool scope_event(const struct ctl *ctl, const char *code);
/* Is this game (0: none) his? 1 yes, 0 no, -errno. */
MUST_CHECK int scope_game(const struct ctl *ctl, int64_t id);
/* Leaves in IDS, of games, those that are his. */
MUST_CHECK int scope_filter(const struct ctl *ctl, int64_t *ids, size_t *n);
/* Has the player a game that is his? 1 yes, 0 no, -errno. */
MUST_CHECK int scope_player(const struct ctl *ctl, const char *player);

/* The game of that name, CODE/NUMBER, the tournament, the player. If there is none, or it is not
 * his: one line, the same for both, and the exit code. */
MUST_CHECK int scope_find_game(struct ctl *ctl, const char *name, int64_t *ret_id);
MUST_CHECK int scope_find_tournament(
	struct ctl *ctl, struct arena *arena, const char *code, struct tournament_row *ret_row);
MUST_CHECK int scope_find_player(
	struct ctl *ctl, struct arena *arena, const char *id, struct player_row *ret_row);

/* May he do what reaches all unfinished games of the player? Not if one of them is not his: one
 * line that names its event, and the exit code. */
MUST_CHECK int scope_reach(struct ctl *ctl, const char *player);

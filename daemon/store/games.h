/*
 * Games: who plays whom in which event, the moves, and where the game stands.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "daemon/store/arena.h"
#include "daemon/store/store.h"
#include "rules/game.h"

struct game_row {
	int64_t id;
	const char *tournament;
	int64_t number;
	const char *code;       /* MC-link's four characters, or the padded number */
	const char *players[2]; /* ids, by enum side */
	const char *zones[2];   /* when the clock starts; later ones are in the ledger */
	enum game_state state;
	enum clock_result result;
	enum termination termination;
	enum draw_offer draw_offer;
	enum awaiting awaiting;
	enum side awaiting_by;
	int64_t withdrew[2]; /* 0: the side has not */
	size_t demanded[2];
	const char *conditionals; /* as conditionals_write has it */
	const char *start_fen;
	const char *fen; /* after the last move */
	size_t n_thematic;
	uint16_t *moves;
	size_t n_moves;
	int64_t start; /* of a game that began of itself; 0: the event's */
	bool mobile;   /* IECC 10.4 */
};

MUST_CHECK int games_insert(struct store *store, const struct game_row *row, int64_t *ret_id);
/* 1 found, 0 there is none, -errno. */
MUST_CHECK int games_load(
	struct store *store, struct arena *arena, int64_t id, struct game_row *ret_row);
MUST_CHECK int games_find(
	struct store *store, const char *tournament, int64_t number, int64_t *ret_id);
/* An unfinished game by its code. */
MUST_CHECK int games_find_code(struct store *store, const char *code, int64_t *ret_id);
/* Writes what play changes: state, result, offer, what it waits for, moves, position. */
MUST_CHECK int games_update(struct store *store, const struct game_row *row);

/* When the player last withdrew from an event under these rules: 1 found, 0 he has not. */
MUST_CHECK int games_withdrew(
	struct store *store, const char *player, const char *rules, int64_t *ret_at);
/* Has he a game in that event? 1 yes. */
MUST_CHECK int games_has_player(struct store *store, const char *tournament, const char *player);

/* Before the clock has started: the zone that it starts with. */
MUST_CHECK int games_set_zone(struct store *store, int64_t id, enum side side, const char *zone);

/* No other unfinished game has it. */
MUST_CHECK int games_set_code(struct store *store, int64_t id, const char *code);

/* IECC 10.4: it is played by mobile phone, or no more. */
MUST_CHECK int games_set_mobile(struct store *store, int64_t id, bool mobile);

struct games_filter {
	const char *tournament, *player, *state; /* each may be NULL */
	bool unfinished;                         /* only those that go on or have not begun */
};
/* Ids in order of tournament and number. */
MUST_CHECK int games_list(struct store *store, struct arena *arena,
	const struct games_filter *filter, int64_t **ret_ids, size_t *ret_n);
MUST_CHECK int games_count_state(struct store *store, enum game_state state, int64_t *ret_count);

/*
 * Players with their addresses, and tournaments.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "daemon/store/arena.h"
#include "daemon/store/store.h"

struct player_row {
	const char *id;
	const char *name;
	const char *timezone;
	const char *language;
	const char *notation;
	const char *country;          /* or NULL */
	int64_t elo;                  /* 0: not known */
	int64_t generation;           /* of the reply tokens */
	const char *const *addresses; /* the first one is written to */
	size_t n_addresses;
};

struct tournament_row {
	const char *code;
	const char *name;
	const char *rules;
	int64_t start;                                       /* UTC ms */
	int64_t end;                                         /* or INSTANT_NONE */
	const char *arbiter_name, *arbiter_address, *deputy; /* or NULL */
	const char *copies;                                  /* all, required, none */
	const char *public_area;                             /* or NULL */
	const char *site;                                    /* or NULL */
	bool rated;
	const char *stage;
	const char *repetition; /* line, typed */
	bool fide_2014;
	int64_t bulletin_every; /* ms, 0: none */
	const char *parameters; /* 'name = value' lines */
};

/* 1 found, 0 there is none, -errno. */
MUST_CHECK int people_tournament(
	struct store *store, struct arena *arena, const char *code, struct tournament_row *ret_row);
MUST_CHECK int people_player(
	struct store *store, struct arena *arena, const char *id, struct player_row *ret_row);
/* Whose address is it? KEY is the address in its form for comparison. */
MUST_CHECK int people_by_address(
	struct store *store, struct arena *arena, const char *key, const char **ret_player);

/* Insert, or overwrite the row with the same code or id. */
MUST_CHECK int people_put_tournament(struct store *store, const struct tournament_row *row);
/* KEYS are the comparison forms of row->addresses. Keeps the generation. */
MUST_CHECK int people_put_player(
	struct store *store, const struct player_row *row, const char *const *keys);
/* New tokens from now on: the old ones only name their game. */
MUST_CHECK int people_renew_tokens(struct store *store, const char *player);

MUST_CHECK int people_each_player(struct store *store,
	int (*each)(const struct player_row *row, void *userdata), void *userdata);

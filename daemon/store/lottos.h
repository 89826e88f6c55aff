/*
 * Lots that were drawn for drawn games (MC-link 10), from which the players' counters follow.
 */
#pragma once

#include <stdint.h>

#include "daemon/store/store.h"
#include "rules/clock.h"

struct lotto_row {
	int64_t game;
	int drawn; /* the first number on the Rome wheel */
	int64_t at;
	const char *players[2]; /* not filled by lottos_load */
	int counters[2];        /* when the draw was declared */
	enum side winner;       /* the virtual one */
};

MUST_CHECK int lottos_insert(struct store *store, const struct lotto_row *row);
/* 1 found, 0 none has been drawn. */
MUST_CHECK int lottos_load(struct store *store, int64_t game, struct lotto_row *ret_row);
/* 10.9: one for each virtual loss up to UNTIL, less one for each virtual win. */
MUST_CHECK int lottos_counter(
	struct store *store, const char *player, int64_t until, int *ret_counter);

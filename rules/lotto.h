/*
 * MC-link article 10: the lotto that decides a knockout game drawn three times, and
 * article 11: withdrawal.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base.h"

#define LOTTO_NUMBERS 90

struct lotto {
	int white_numbers; /* White wins with 1 .. white_numbers, Black with the rest */
	enum side winner;
	int counters[2]; /* afterwards: +1 for the virtual loser, -1 for the virtual winner */
};

/* 10.4-10.10: the player with the higher counter gets five numbers more for each point of
 * difference. `drawn` is the first number on the Rome wheel, 1 to 90. */
struct lotto lotto_draw(int white_counter, int black_counter, int drawn);

/* What follows a drawn game of MC-link: 10.12-10.15. */
enum after_draw {
	AFTER_DRAW_SHARED = 0, /* not in the knockout: points are shared (10.15) */
	AFTER_DRAW_LOTTO,      /* 10.1 */
	AFTER_DRAW_REVERSED,   /* the game that decides the event: again with colours reversed */
	AFTER_DRAW_AGAIN,      /* drawn again: a third game with the colours of the first */
};

/* DECIDES: it is the game that decides the event; DRAWN: games of this pairing drawn so far. */
enum after_draw lotto_after_draw(bool knockout, bool decides, int drawn);

/* 11.5: the first date on which a player may enter a tournament again. */
int32_t withdrawal_may_join_from(int32_t official);

/*
 * Chance, and the messages that the players of the simulation write (rules_simulation.c).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "rules/game.h"
#include "rules/message.h"
#include "rules/parameters.h"

/* Whatever is random follows from it. */
extern uint64_t simulation_seed;

int random_below(int n);
bool chance(int percent);

struct writer {
	const struct game *game;
	const struct clock *clock;
	enum rule_system system;
	int64_t now; /* UTC ms */
};

/* A message of either player: mostly of the one to move, mostly right. */
struct message random_message(const struct writer *writer);

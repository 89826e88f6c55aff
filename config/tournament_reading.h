/*
 * Between the two halves of the reader of tournament files: the table of keys
 * (tournament.c) and what holds for sections and the whole (tournament_file.c).
 */
#pragma once

#include "config/tournament.h"

/* What is being read. */
struct tournament_reading {
	struct tournament_file *file;
	zone_known_fn *zone_known;
	struct fault_list *faults;
	bool skip; /* in a section that is at fault: its keys are passed over */
	bool in_game;
	unsigned section; /* the line of the section */
	char *moves;      /* thematic moves of the game that is being read */
	int error;        /* -ENOMEM once memory ran out */
};

enum {
	TOURNAMENT_NO_KEY = 1,
};

/* Remembers that the value of a key of this section was refused. 0 or -ENOMEM. */
MUST_CHECK int tournament_refuse(struct tournament_reading *reading, const char *key);

/* Takes a key of the section KIND that is being read; a bad value is a fault. Returns 0,
 * TOURNAMENT_NO_KEY or -ENOMEM. */
MUST_CHECK int tournament_take_key(struct tournament_reading *reading, const char *kind,
	const char *name, const char *value, unsigned line);

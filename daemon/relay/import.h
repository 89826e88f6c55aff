/*
 * Tournament files into the store: all of a file or nothing of it.
 */
#pragma once

#include "config/fault.h"
#include "daemon/relay/club.h"
#include "daemon/store/arena.h"

/* What an import made; names live in the arena that was given. */
struct import_report {
	const char *tournament;
	bool created, changed; /* the tournament */
	const char **new_players, **changed_players;
	size_t n_new_players, n_changed_players;
	const char **new_games; /* "KO-50.2/1" */
	size_t n_new_games;
};

/* Reads TEXT (a tournament file that faults call PATH) and carries it out in one
 * transaction. 0, FILE_FAULTY with the faults added and nothing changed, or -errno. NOW
 * stamps the event log and a player's change of zone. */
MUST_CHECK int import_text(struct club *club, struct arena *arena, const char *path,
	const char *text, size_t size, int64_t now, struct fault_list *faults,
	struct import_report *ret_report);

/*
 * What happened in a game, as the store's tables have it: messages, mails, rulings, timers. Its
 * clock's events are beside it (store/ledger.h).
 */
#pragma once

#include <stdint.h>

#include "daemon/store/arena.h"
#include "daemon/store/store.h"

enum history_source {
	HISTORY_MESSAGE = 0, /* name: the verdict; who: its player, or NULL; text: its notes */
	HISTORY_EVENT, /* name: the kind of an input about the game or its players; text: its JSON;
			* who: the account that entered it, or NULL */
	HISTORY_TIMER, /* name: the kind; id: its ply */
	HISTORY_MAIL,  /* written. name: the kind; who: player or address; text: a verdict */
	HISTORY_DELIVERED, /* the same */
	HISTORY_FAILED,    /* the same; text: why */
};

struct history_row {
	int64_t at;
	enum history_source source;
	int64_t id; /* of the message, mail or event */
	const char *name, *who, *text;
};

/* All of it, in order of time. NAME is the game's name in the inputs, "KO-50.2/1". */
MUST_CHECK int history_load(struct store *store, struct arena *arena, int64_t game,
	const char *name, struct history_row **ret_rows, size_t *ret_n);

/*
 * Reply tokens and confirmation tokens: 20 letters of base32, the only thing that proves
 * who answers. A token is an HMAC of the store's secret; what is stored here finds the
 * game behind it, and old generations only find.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "daemon/store/arena.h"
#include "daemon/store/store.h"

#define TOKEN_LENGTH 20

struct token_row {
	const char *purpose; /* reply, confirm, address-old, address-new */
	int64_t game;
	const char *player;
	bool current;  /* of the player's present generation, and not used up */
	int64_t inbox; /* what it confirms: the held message, that of a change of address */
};

/* The reply token of a player in a game: made, and remembered. An arbiter's is that of his
 * address behind an '@', which no player's id begins with. */
MUST_CHECK int tokens_reply(struct store *store, int64_t game, const char *player,
	int64_t generation, char out[TOKEN_LENGTH + 1]);
/* The single-use token that confirms a held message. */
MUST_CHECK int tokens_confirm(struct store *store, int64_t game, const char *player, int64_t inbox,
	char out[TOKEN_LENGTH + 1]);
/* The single-use token with which the old or the new address confirms a change of address. */
MUST_CHECK int tokens_address(struct store *store, int64_t game, const char *player, int64_t inbox,
	bool new, char out[TOKEN_LENGTH + 1]);
/* TOKEN in lower case. 1 found, 0 it is not ours. The stored token is compared with a
 * fresh HMAC in constant time. */
MUST_CHECK int tokens_find(
	struct store *store, struct arena *arena, const char *token, struct token_row *ret_row);
MUST_CHECK int tokens_use(struct store *store, const char *token);

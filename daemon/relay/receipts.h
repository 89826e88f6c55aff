/*
 * The chain of receipts (product, section 7): a receipt of a game names, in its header
 * Zugpost-Receipt-Before, the hash of the one that the player had before it in this game, so that
 * none can be changed, added or left out later without its being seen.
 *
 * The hash of a receipt is the SHA-256 of "MESSAGE-ID\nBEFORE\nTEXT": its Message-ID without
 * brackets, what it names itself (nothing if it names none), and its text in UTF-8 with a line
 * feed behind each line.
 */
#pragma once

#include <stdint.h>

#include "daemon/store/arena.h"
#include "daemon/store/store.h"

/* What the player's next receipt in the game names: 64 hexadecimal digits, of the arena; NULL if he
 * has had none. */
MUST_CHECK int receipts_before(struct store *store, struct arena *arena, int64_t game,
	const char *player, const char **ret_before);

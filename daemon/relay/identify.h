/*
 * Which game a letter speaks of and who wrote it (product, sections 1.3, 1.4 and 2).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "daemon/reading/letter.h"
#include "daemon/relay/club.h"
#include "daemon/store/arena.h"
#include "daemon/store/tokens.h"
#include "rules/message.h"
#include "rules/verdict.h"

/* What a confirmation token confirms. */
enum confirmation {
	CONFIRM_MOVE = 0,    /* a move that was held */
	CONFIRM_OLD_ADDRESS, /* a change of address, by the old one */
	CONFIRM_NEW_ADDRESS, /* ... by the new one */
};

struct identity {
	/* VERDICT_NONE if sender and game are known; else why not: unknown-sender,
	 * untrusted, unknown-game, ambiguous-game. */
	enum verdict verdict;
	enum trust trust;
	bool dmarc_failed;
	const char *player;  /* id, or NULL */
	const char *arbiter; /* the address of an arbiter of the game: no player writes; or NULL */
	const char *address; /* the From address, or NULL if it cannot be used */
	bool registered;     /* it is one of the player's own */
	int64_t game;        /* 0: not known */
	int64_t hinted;      /* unknown-sender: the game that the letter names all the same, or 0 */
	int64_t answered;    /* outbox row that the letter answers, 0: none of ours */
	int64_t confirms;    /* inbox row that its token confirms, 0: none */
	enum confirmation confirmation; /* ... as what */
	const char *token;              /* the confirmation token, for tokens_use */
};

/* "unknown", "registered", "authenticated", "token". */
const char *trust_name(enum trust trust);

/* Blots out every token of ours in a text that others will read. */
MUST_CHECK int identify_hide_tokens(struct club *club, char *text);
/* Strings live in ARENA. Reads the store, changes nothing. */
MUST_CHECK int identify(struct club *club, struct arena *arena, const struct letter *letter,
	struct identity *ret_identity);

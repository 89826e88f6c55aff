/*
 * Orders of the arbiter that are no rulings on what has happened (rules/decide.h): a move entered
 * for a player, an address accepted, a game by mobile phone. Both players and the arbiter are
 * told by mails of the kind `ruling`. One implementation for zugpostctl and for mails.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/reading/ruling.h"
#include "daemon/relay/match.h"
#include "daemon/relay/post.h"
#include "rules/decide.h"

/* What is common to them. */
struct order {
	const char *text;          /* how it was given, for the log */
	const struct post *origin; /* of the message, with reason and author; as rulings_carry */
	int64_t at;                /* when it was given */
	int64_t now;
};

/* The order that STATED says, with ARGUMENT the words of its excerpt (STATED_MOVE,
 * _ACCEPT_ADDRESS, _MOBILE, _ANNOUNCEMENT: of the whole text; others: -EOPNOTSUPP). *ret_fault
 * as in orders_accept_address. */
MUST_CHECK int orders_carry(struct match *match, const struct stated_ruling *stated,
	const char *argument, const struct order *order, struct decision *ret_decision,
	const char **ret_fault);

/* All: carried out in the running transaction; ret_decision->verdict is VERDICT_COMMAND, or
 * VERDICT_COMMAND_ERROR with a refusal and nothing changed. */

/* MOVE is read and decided as a message of the side to move that proves its sender; his opponent
 * need not be repeated. What would be a fault of the player is refused, and costs nothing. */
MUST_CHECK int orders_move(struct match *match, const char *move, size_t size,
	const struct order *order, struct decision *ret_decision);
/* ADDRESS becomes one of the player's; *ret_fault says in words why it cannot, or is NULL. */
MUST_CHECK int orders_accept_address(struct match *match, enum side side, const char *address,
	const struct order *order, struct decision *ret_decision, const char **ret_fault);
/* IECC 10.4: the game is played by mobile phone (every message goes to the TD), or no more. */
MUST_CHECK int orders_mobile(
	struct match *match, bool on, const struct order *order, struct decision *ret_decision);

/*
 * What players ask the club for beside their moves (product, section 4): their games, the last
 * mail once more, help, another language, notation or address, and their word on an opponent's
 * leave (IECC 8.2).
 */
#pragma once

#include <stdint.h>

#include "daemon/relay/judge.h"
#include "daemon/relay/post.h"

/* Carries out the command judgement->decision.request of a message and answers it, in the
 * running transaction. ORIGIN is the post of the message. If it cannot be done,
 * judgement->verdict and its decision's refusal say so. */
MUST_CHECK int services_carry(
	struct club *club, struct judgement *judgement, const struct post *origin);

/* Are these commands that need no game? */
bool services_need_no_game(const struct message *message);

/* The old or the new address confirms a change of address. */
MUST_CHECK int services_confirm(
	struct club *club, struct judgement *judgement, const struct post *origin);

/* The timer of a change of address that waits for both of them to confirm; its ply is the row of
 * the message that told of it. */
#define ADDRESS_TIMER "address"
/* It has fired: if the change still waits, it waits no longer, and the administrator is told. */
MUST_CHECK int services_address_lapse(struct club *club, int64_t inbox, int64_t now);

/* Is the change of address that INBOX told of still open at AT? 1 yes, 0 no. */
MUST_CHECK int services_address_waits(struct club *club, int64_t inbox, int64_t at);

/* The arbiter's word on a leave that he was asked about: 1 done, 0 nobody has asked. POST tells
 * of his message. */
MUST_CHECK int services_leave_ruled(struct match *match, bool approve, const struct post *post);

/*
 * Mails about an event and no single game of it: to all its players, its arbiters and its public
 * area, one to each address.
 */
#pragma once

#include "daemon/compose/compose.h"
#include "daemon/relay/club.h"
#include "daemon/store/people.h"

/* Writes the mails in the running transaction. FACTS has what the kind needs; the reader, the
 * event, ids and the club's part are filled in here. The mails are to be delivered from NOW
 * on. */
MUST_CHECK int broadcast(struct club *club, const struct tournament_row *tournament,
	const struct compose_facts *facts, int64_t now);

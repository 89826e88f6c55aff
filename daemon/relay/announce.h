/*
 * Words of the arbiter to all of an event.
 */
#pragma once

#include <stdint.h>

#include "daemon/relay/club.h"
#include "daemon/store/people.h"

/* Mails TEXT, of one line or more, to all players, arbiters and the public area of the event, in
 * the running transaction. AUTHOR: whose words they are, by name; NULL: the arbiter's. */
MUST_CHECK int announce(struct club *club, const struct tournament_row *tournament,
	const char *text, const char *author, int64_t now);

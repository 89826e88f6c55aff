/*
 * The daily cap of automatic refusals to one address (answers-per-day): what lies beyond it is not
 * answered, so that two robots do not talk to each other for ever.
 */
#pragma once

#include <stdint.h>

#include "daemon/relay/club.h"

/* Has the address had its refusals in the day before AT? 1 yes, 0 no. */
MUST_CHECK int caps_reached(struct club *club, const char *address, int64_t at);

/* An answer to message INBOX, which arrived at AT, is left out. The administrator is told, once in
 * 24 hours for an address: 0; 1 he was told before. */
MUST_CHECK int caps_left_out(
	struct club *club, const char *address, int64_t inbox, int64_t at, int64_t now);

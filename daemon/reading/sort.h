/*
 * Sorting mail before anything else looks at it (product, section 1.2; verdict group 1).
 */
#pragma once

#include "daemon/reading/letter.h"

enum letter_sort {
	SORT_PERSON = 0,
	SORT_LOOP,   /* our own mail */
	SORT_BOUNCE, /* a report about a mail of ours; delayed and delivered ones too */
	SORT_AUTO,   /* automatic replies, receipts, anything with a null return path */
	SORT_BULK,   /* lists, abuse reports, what the server marked as spam */
};

/* OUR_ADDRESSES are the addresses of the club (plain, without tokens), OUR_DOMAIN the domain
 * of our Message-IDs. */
enum letter_sort sort_letter(const struct letter *letter, const char *our_domain,
	const char *const *our_addresses, size_t n_addresses);

/* May a mail of this sort contribute a move or get an answer? Only SORT_PERSON; a mail of a
 * person that came through a list may be read but is not answered. */
bool sort_may_answer(const struct letter *letter, enum letter_sort sort);

/* May it confirm a held move? A robot must not: many set no mark but Precedence or their subject.
 */
bool sort_may_confirm(const struct letter *letter, enum letter_sort sort);

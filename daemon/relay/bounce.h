/*
 * Mails of ours that come back, and mails that go out again.
 */
#pragma once

#include <stdint.h>

#include "daemon/reading/letter.h"
#include "daemon/relay/club.h"
#include "daemon/store/inbox.h"

/*
 * A report of delivery came in. It counts if two of these agree on one mail that was
 * delivered: the address that it was sent to (our envelope sender, with its token), the
 * Message-ID of the mail inside, the recipient. What has failed for good has never been
 * delivered then: the reader's time stops (rules, section 0), and who must know is told. All
 * else (delays, successes, what is not ours) is only noted in the log.
 */
MUST_CHECK int bounce_receive(
	struct club *club, const struct inbox_row *row, const struct letter *letter, int64_t now);

/* A mail that waits or has failed is tried again, to the address and under the token that
 * its reader has now. 1 done, 0 there is none, -EALREADY it was delivered. */
MUST_CHECK int bounce_retry(struct club *club, int64_t outbox);

/* A player has new addresses: what failed for him, and still is of use, goes out again. */
MUST_CHECK int bounce_new_address(struct club *club, const char *player);

/* In a replay: the bytes of ROW are made those that went out first, under the token and to the
 * address of MADE, whatever of the two above has come since. */
struct outbox_row;
void bounce_first_sent(const struct club *club, struct arena *arena, const struct outbox_row *made,
	struct outbox_row *row);

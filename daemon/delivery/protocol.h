/*
 * What main and the delivery worker say to each other (frames, daemon/net/frame.h).
 * One protocol for every kind of target. The worker answers one DELIVER after the
 * other, in order.
 *
 *   main                                        worker
 *   FRAME_CONFIG{string target}              -> shuts itself in
 *                                            <- FRAME_READY{}
 *   DELIVER{i64 id, i64 now, string key,     ->
 *     string from, string recipient, blob raw}
 *                                            <- RESULT{i64 id, u8 status, u32 code,
 *                                                 string text}
 *
 * target is a URL without secrets: `maildir:/PATH`. now is in UTC milliseconds; status is
 * an enum delivery_status; text is one line of printable ASCII.
 */
#pragma once

#include "daemon/net/frame.h"

#define DELIVERY_TARGET_MAX 8192
#define DELIVERY_TEXT_MAX 1024
/* What DELIVER holds besides the mail. */
#define DELIVERY_FRAME_EXTRA 16384

enum delivery_frame {
	DELIVERY_DELIVER = FRAME_FIRST_OWN,
	DELIVERY_RESULT = FRAME_FIRST_OWN + 16,
};

/*
 * What main and the delivery worker say to each other (frames, daemon/net/frame.h).
 * One protocol for every kind of target. The worker answers one DELIVER after the
 * other, in order.
 *
 *   main                                        worker
 *   FRAME_CONFIG{string target, string host, -> shuts itself in
 *     u32 port, u8 tls, string ca_file,
 *     u8 auth, string user, string password,
 *     string hello, i64 timeout}
 *                                            <- FRAME_READY{}
 *   DELIVER{i64 id, i64 now, string key,     ->
 *     string from, string recipient, blob raw}
 *   CHECK{i64 id}                            ->
 *                                            <- RESULT{i64 id, u8 status, u32 code,
 *                                                 u8 slow_down, string text}
 *
 * target is a URL without user or secrets: `maildir:/PATH`, `smtps:HOST:PORT`. What a kind of
 * target does not need is empty. tls is an enum tls_mode, auth an enum mail_auth, timeout in
 * milliseconds; now is in UTC milliseconds; status is an enum delivery_status; text is one
 * line of printable ASCII.
 */
#pragma once

#include "daemon/net/frame.h"

#define DELIVERY_TARGET_MAX 8192
#define DELIVERY_CONFIG_MAX 32768
#define DELIVERY_TEXT_MAX 1024
/* What DELIVER holds besides the mail. */
#define DELIVERY_FRAME_EXTRA 16384

enum delivery_frame {
	DELIVERY_DELIVER = FRAME_FIRST_OWN,
	DELIVERY_CHECK,
	DELIVERY_RESULT = FRAME_FIRST_OWN + 16,
};

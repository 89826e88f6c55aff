/*
 * What main and the intake worker say to each other (frames, daemon/net/frame.h).
 * One protocol for every kind of mailbox: a place is an opaque string, printable
 * ASCII, that finds the message again in this mailbox.
 *
 *   main                                        worker
 *   FRAME_CONFIG{string source,              -> shuts itself in
 *     u32 message_size, u32 window_messages,
 *     u32 window_bytes, and for IMAP
 *     string host, u32 port, u8 tls_mode,
 *     string ca_file, string user, u8 auth,
 *     string folder, string archive,
 *     string junk, u8 since_all,
 *     u8 look_only, u32 timeout_ms,
 *     u32 idle_ms, u32 poll_ms,
 *     u32 retry_ms, u32 retry_max_ms}
 *                                            <- FRAME_READY{}
 *   MARK{u32 validity, u32 next, i64 instant} -> where `since` begins, if that is known
 *   SCAN{i64 round, i64 now}                 ->
 *                                            <- MARKED{u32 validity, u32 next}: it begins here
 *                                            <- MESSAGE{string place, i64 arrival,
 *                                                 i64 size_full, blob raw} ...
 *                                            <- WAITING{}: the window is full
 *   STORED{string place}                     -> makes room in the window
 *                                            <- SCAN_DONE{i64 round}, or
 *                                               SCAN_FAILED{i64 round, u32 errno, string text}
 *   HANDLED{string place, u8 where}          -> moves it; makes room as well
 *                                            <- HANDLED_DONE{string place, u32 errno}, in order
 *                                            <- CHANGED{}: something may have come; not
 *                                               said again before the next SCAN
 *                                            <- NOTICE{string text}
 *                                            <- BUSY{u32 ms}: more is heard within that time;
 *                                               0: at rest
 *                                            <- PASSWORD_WANTED{}
 *   PASSWORD{string password, string fault}  -> one of them is empty
 *                                            <- UNREACHABLE{u32 errno, u32 ago_ms, string text}:
 *                                               an attempt to reach the server failed
 *
 * source is `maildir:/PATH`, or `imap:` with what follows. The password is sent when the
 * worker is about to log in, each time anew, and forgotten after that; it is in no argument
 * and no environment. Instants are UTC milliseconds. Messages of a scan come in order of
 * (arrival, place as the mailbox orders it), none that arrived after `now`, none that this
 * worker has handed over before. There is one scan at a time.
 */
#pragma once

#include "daemon/net/frame.h"

#define INTAKE_PLACE_MAX 1024
#define INTAKE_TEXT_MAX 1024
#define INTAKE_SOURCE_MAX 8192
/* What FRAME_CONFIG holds besides, and what PASSWORD holds. */
#define INTAKE_NAMES_MAX 32768
/* What a frame holds besides the raw message. */
#define INTAKE_FRAME_EXTRA 16384

enum intake_frame {
	INTAKE_SCAN = FRAME_FIRST_OWN,
	INTAKE_STORED,
	INTAKE_HANDLED,
	INTAKE_MARK,
	INTAKE_PASSWORD,

	INTAKE_MESSAGE = FRAME_FIRST_OWN + 16,
	INTAKE_WAITING,
	INTAKE_SCAN_DONE,
	INTAKE_SCAN_FAILED,
	INTAKE_HANDLED_DONE,
	INTAKE_CHANGED,
	INTAKE_NOTICE,
	INTAKE_MARKED,
	INTAKE_BUSY,
	INTAKE_PASSWORD_WANTED,
	INTAKE_UNREACHABLE,
};

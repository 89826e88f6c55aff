/*
 * What main and the intake worker say to each other (frames, daemon/net/frame.h).
 * One protocol for every kind of mailbox: a place is an opaque string, printable
 * ASCII, that finds the message again in this mailbox.
 *
 *   main                                        worker
 *   FRAME_CONFIG{string source,              -> shuts itself in
 *     u32 message_size, u32 window_messages,
 *     u32 window_bytes}
 *                                            <- FRAME_READY{}
 *   SCAN{i64 round, i64 now}                 ->
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
 *
 * source is a URL without secrets: `maildir:/PATH`. Instants are UTC milliseconds.
 * Messages of a scan come in order of (arrival, place as the mailbox orders it), none
 * that arrived after `now`, none that this worker has handed over before. There is one
 * scan at a time.
 */
#pragma once

#include "daemon/net/frame.h"

#define INTAKE_PLACE_MAX 1024
#define INTAKE_SOURCE_MAX 8192
/* What a frame holds besides the raw message. */
#define INTAKE_FRAME_EXTRA 16384

enum intake_frame {
	INTAKE_SCAN = FRAME_FIRST_OWN,
	INTAKE_STORED,
	INTAKE_HANDLED,

	INTAKE_MESSAGE = FRAME_FIRST_OWN + 16,
	INTAKE_WAITING,
	INTAKE_SCAN_DONE,
	INTAKE_SCAN_FAILED,
	INTAKE_HANDLED_DONE,
	INTAKE_CHANGED,
	INTAKE_NOTICE,
};

/*
 * What zugpostctl and a running daemon say over the control socket. The daemon speaks first: it is
 * ready for one request, or has no room, or refuses with a reply. Then come one request frame and
 * one reply frame, and the connection closes.
 *
 * A request is carried out once all of it has come, and not before the daemon was ready: whoever
 * has not sent the whole of it may ask again.
 */
#pragma once

#include "daemon/net/frame.h"
#include "daemon/relay/input_log.h"

#define CONTROL_SOCKET "control.sock"         /* in the store's folder */
#define CONTROL_SERVICE_FOLDER "/run/zugpost" /* NAME.sock of the service zugpostd@NAME */
#define CONTROL_LIMIT (16u << 20)             /* largest payload either way */
#define CONTROL_ARGUMENTS_MAX COMMAND_WORDS_MAX

enum control_frame {
	/* u8 json, u8 has_now, i64 now, blob text of the command's file, u32 n, n strings */
	CONTROL_REQUEST = FRAME_FIRST_OWN,
	/* u32 exit code, blob stdout, blob stderr */
	CONTROL_REPLY,
	/* no fields */
	CONTROL_READY,
	CONTROL_BUSY,
};

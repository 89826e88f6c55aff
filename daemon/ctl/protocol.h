/*
 * What zugpostctl and a running daemon say over the control socket: one request frame,
 * one reply frame, then the connection closes.
 */
#pragma once

#include "daemon/net/frame.h"

#define CONTROL_SOCKET "control.sock"         /* in the store's folder */
#define CONTROL_SERVICE_FOLDER "/run/zugpost" /* NAME.sock of the service zugpostd@NAME */
#define CONTROL_LIMIT (16u << 20)             /* largest payload either way */
#define CONTROL_ARGUMENTS_MAX 64

enum control_frame {
	/* u8 json, u8 has_now, i64 now, blob text of the command's file, u32 n, n strings */
	CONTROL_REQUEST = FRAME_FIRST_OWN,
	/* u32 exit code, blob stdout, blob stderr */
	CONTROL_REPLY,
};

/*
 * A worker's end of its socketpair: blocking frames over one descriptor.
 */
#pragma once

#include "daemon/net/frame.h"

struct channel {
	int fd;
	struct frame_parser parser;
};

/* limit: the largest payload that is accepted from main. */
void channel_init(struct channel *channel, int fd, size_t limit);
/* Leaves the descriptor open. */
void channel_clear(struct channel *channel);

/* A frame that has already been read: 1, 0 when there is none, -EMSGSIZE. */
int channel_next(struct channel *channel, struct frame *ret_frame) MUST_CHECK;
/* Reads once, waiting if nothing is there: 1, or 0 when main has closed. */
int channel_fill(struct channel *channel) MUST_CHECK;
/* Waits for a frame: 1, or 0 when main has closed. -EBADMSG when it closed in
 * the middle of one. */
int channel_receive(struct channel *channel, struct frame *ret_frame) MUST_CHECK;

/* Sends all frames that the writer holds and empties it. */
int channel_send(struct channel *channel, struct frame_writer *writer) MUST_CHECK;

/* The first frame, which must be FRAME_CONFIG: its fields, valid until the next
 * call of channel_fill() or channel_receive(). -EBADMSG, -ECONNRESET */
int channel_config(struct channel *channel, struct frame_fields *ret_fields) MUST_CHECK;
/* Says FRAME_READY. */
int channel_ready(struct channel *channel) MUST_CHECK;

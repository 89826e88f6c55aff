#include "daemon/net/channel.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

void channel_init(struct channel *channel, int fd, size_t limit)
{
	channel->fd = fd;
	frame_parser_init(&channel->parser, limit);
}

void channel_clear(struct channel *channel)
{
	frame_parser_clear(&channel->parser);
}

int channel_next(struct channel *channel, struct frame *ret_frame)
{
	return frame_parser_next(&channel->parser, ret_frame);
}

int channel_fill(struct channel *channel)
{
	uint8_t bytes[16384];
	ssize_t n;
	int r;

	do
		n = read(channel->fd, bytes, sizeof(bytes));
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	if (n == 0)
		return frame_parser_pending(&channel->parser) ? -EBADMSG : 0;
	r = frame_parser_push(&channel->parser, bytes, (size_t)n);
	return r < 0 ? r : 1;
}

int channel_receive(struct channel *channel, struct frame *ret_frame)
{
	for (;;) {
		int r = channel_next(channel, ret_frame);

		if (r != 0)
			return r;
		r = channel_fill(channel);
		if (r <= 0)
			return r;
	}
}

int channel_send(struct channel *channel, struct frame_writer *writer)
{
	size_t sent = 0;

	while (sent < writer->size) {
		ssize_t n = write(channel->fd, writer->bytes + sent, writer->size - sent);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		sent += (size_t)n;
	}
	frame_writer_reset(writer);
	return 0;
}

int channel_config(struct channel *channel, struct frame_fields *ret_fields)
{
	struct frame frame;
	int r = channel_receive(channel, &frame);

	if (r < 0)
		return r;
	if (r == 0)
		return -ECONNRESET;
	if (frame.type != FRAME_CONFIG)
		return -EBADMSG;
	frame_fields_begin(ret_fields, &frame);
	return 0;
}

int channel_ready(struct channel *channel)
{
	struct frame_writer writer;
	int r;

	frame_writer_init(&writer, 0);
	frame_begin(&writer, FRAME_READY);
	r = frame_end(&writer);
	if (r == 0)
		r = channel_send(channel, &writer);
	frame_writer_clear(&writer);
	return r;
}

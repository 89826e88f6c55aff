#include "daemon/ctl/remote.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "daemon/ctl/protocol.h"
#include "daemon/net/channel.h"

static int connect_to(const char *directory, int *ret_fd)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int n = snprintf(
		address.sun_path, sizeof(address.sun_path), "%s/%s", directory, CONTROL_SOCKET);

	if (n < 0 || (size_t)n >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0) {
		int error = -errno;
		close(fd);
		return error;
	}
	*ret_fd = fd;
	return 0;
}

static int send_request(
	struct channel *channel, const struct ctl *ctl, bool has_now, int argc, char **argv)
{
	struct frame_writer writer;

	frame_writer_init(&writer, CONTROL_LIMIT);
	frame_begin(&writer, CONTROL_REQUEST);
	frame_put_u8(&writer, ctl->json);
	frame_put_u8(&writer, has_now);
	frame_put_i64(&writer, ctl->now);
	frame_put_blob(&writer, ctl->text, ctl->text_size);
	frame_put_u32(&writer, (uint32_t)argc);
	for (int i = 0; i < argc; i++)
		frame_put_string(&writer, argv[i]);
	int r = frame_end(&writer);
	if (r >= 0)
		r = channel_send(channel, &writer);
	frame_writer_clear(&writer);
	return r;
}

static int print_reply(struct ctl *ctl, const struct frame *frame)
{
	struct frame_fields fields;
	size_t out_size, err_size;

	if (frame->type != CONTROL_REPLY)
		return -EBADMSG;
	frame_fields_begin(&fields, frame);
	uint32_t code = frame_get_u32(&fields);
	const void *out = frame_get_blob(&fields, &out_size);
	const void *err = frame_get_blob(&fields, &err_size);
	if (frame_fields_end(&fields) < 0 || code > 255)
		return -EBADMSG;
	if (out_size)
		fwrite(out, 1, out_size, ctl->out);
	if (err_size)
		fwrite(err, 1, err_size, ctl->err);
	return (int)code;
}

int remote_run(struct ctl *ctl, const char *directory, bool has_now, int argc, char **argv)
{
	struct channel channel;
	struct frame frame;
	int fd = -1;
	int r = connect_to(directory, &fd);

	if (r < 0)
		return r;
	channel_init(&channel, fd, CONTROL_LIMIT);
	r = send_request(&channel, ctl, has_now, argc, argv);
	if (r >= 0)
		r = channel_receive(&channel, &frame);
	if (r > 0)
		r = print_reply(ctl, &frame);
	else if (r == 0)
		r = -EPIPE;
	channel_clear(&channel);
	close(fd);
	return r;
}

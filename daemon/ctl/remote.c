#include "daemon/ctl/remote.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "daemon/ctl/protocol.h"
#include "daemon/net/channel.h"
#include "daemon/relay/club.h"

static int connect_to(const char *folder, const char *name, int *ret_fd)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int n = snprintf(address.sun_path, sizeof(address.sun_path), "%s/%s", folder, name);

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

/* The service's own socket is for those who cannot enter the store's folder, and while the
 * service is being started again. Returns what the first socket has said if that is not there. */
static int connect_to_service(const char *configuration, int first, int *ret_fd)
{
	static const char folder[] = "/etc/zugpost/", suffix[] = ".conf";
	size_t size = strlen(configuration), before = sizeof(folder) - 1;
	char name[CLUB_FILE_MAX];

	if (size >= before + sizeof(name) || size <= before + sizeof(suffix) - 1 ||
		strncmp(configuration, folder, before) != 0 ||
		strcmp(configuration + size - (sizeof(suffix) - 1), suffix) != 0)
		return first;
	(void)snprintf(name, sizeof(name), "%.*s.sock", (int)(size - before - (sizeof(suffix) - 1)),
		configuration + before);
	int r = connect_to(CONTROL_SERVICE_FOLDER, name, ret_fd);
	return r == -ENOENT || r == -ECONNREFUSED ? first : r;
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

int remote_run(struct ctl *ctl, bool has_now, int argc, char **argv)
{
	struct channel channel;
	struct frame frame;
	int fd = -1;
	const struct configuration *configuration = ctl->club->configuration;
	int r = connect_to(configuration->store.directory, CONTROL_SOCKET, &fd);

	if (r == -ENOENT || r == -ECONNREFUSED || r == -EACCES)
		r = connect_to_service(configuration->path, r, &fd);
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

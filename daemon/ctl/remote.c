#include "daemon/ctl/remote.h"

#include <errno.h>
#include <fcntl.h>
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
	/* It would wait for room in the queue of a daemon that hangs. */
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	if (connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0 ||
		fcntl(fd, F_SETFL, 0) < 0) {
		int error = -errno;
		close(fd);
		return error;
	}
	*ret_fd = fd;
	return 0;
}

static bool is_absent(int error)
{
	return error == -ENOENT || error == -ECONNREFUSED;
}

/* The service's own socket is for those who cannot enter the store's folder, and while the
 * service is being started again. What the first socket has said if there is no such service. */
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
	return is_absent(r) ? -ECONNREFUSED : r;
}

int remote_connect(const struct configuration *configuration, int *ret_fd)
{
	int r = connect_to(configuration->store.directory, CONTROL_SOCKET, ret_fd);

	return is_absent(r) || r == -EACCES ? connect_to_service(configuration->path, r, ret_fd)
					    : r;
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

/* It has gone, in whatever way. */
static bool is_end(int r)
{
	return r == 0 || r == -EBADMSG || r == -EPIPE || r == -ECONNRESET;
}

/* 1: it is ready. */
static int greet(struct ctl *ctl, struct channel *channel, int *ret_code)
{
	struct frame frame;
	int r = channel_receive(channel, &frame);

	if (r <= 0)
		return is_end(r) ? -EAGAIN : r;
	if (frame.type == CONTROL_READY)
		return 1;
	if (frame.type == CONTROL_BUSY)
		return -EAGAIN;
	if (frame.type != CONTROL_REPLY)
		return -EPROTO;
	r = print_reply(ctl, &frame);
	if (r < 0)
		return -EPROTO;
	*ret_code = r;
	return 0;
}

static int unknown(struct ctl *ctl, const char *command)
{
	return ctl_refuse(ctl,
		"the daemon got the command and ended before it answered: whether '%s' was done is "
		"not known; look with 'log GAME', 'games', 'player ID' or 'status' before you "
		"repeat it",
		command);
}

static int ask(struct ctl *ctl, struct channel *channel, enum ctl_need need, int argc, char **argv)
{
	struct frame frame;
	int r = send_request(channel, ctl, ctl->now_given, argc, argv);

	/* Without its last byte it is none. */
	if (r < 0)
		return is_end(r) ? -EAGAIN : r;
	r = channel_receive(channel, &frame);
	/* The kernel says this of an end that has closed with bytes of ours unread: it cannot have
	 * had all of them. */
	if (r == -ECONNRESET || (is_end(r) && need == CTL_LOOKS))
		return -EAGAIN;
	if (r <= 0)
		return is_end(r) ? unknown(ctl, argv[0]) : r;
	r = frame.type == CONTROL_REPLY ? print_reply(ctl, &frame) : -EBADMSG;
	return r == -EBADMSG ? unknown(ctl, argv[0]) : r;
}

int remote_ask(struct ctl *ctl, int fd, enum ctl_need need, int argc, char **argv)
{
	struct channel channel;
	int code = CTL_REFUSED;

	channel_init(&channel, fd, CONTROL_LIMIT);
	int r = greet(ctl, &channel, &code);
	if (r > 0)
		r = code = ask(ctl, &channel, need, argc, argv);
	channel_clear(&channel);
	if (r == -EAGAIN)
		return r;
	return r < 0 ? ctl_refuse(ctl, "talking to the daemon: %s", strerror(-r)) : code;
}

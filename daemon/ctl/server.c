#include "daemon/ctl/server.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include "daemon/ctl/ctl.h"
#include "daemon/ctl/protocol.h"
#include "daemon/engine/engine.h"
#include "daemon/log.h"
#include "daemon/relay/club.h"

#define CONNECTIONS_MAX 16
#define LISTENERS_MAX 4
#define GROUPS_MAX 256

struct connection {
	struct server *server;
	sd_event_source *source;
	int fd;
	struct frame_parser parser;
	struct frame_writer writer; /* the reply */
	size_t sent;
	struct connection *next;
};

struct listener {
	struct server *server;
	sd_event_source *source;
	int fd;
	bool given; /* by the service manager, which has opened it to our group */
};

struct server {
	struct engine *engine;
	sd_event *event;
	struct listener listeners[LISTENERS_MAX];
	size_t n_listeners;
	char path[108]; /* of the socket that is ours to remove */
	struct connection *connections;
	size_t n_connections;
};

static void drop(struct connection *connection)
{
	struct connection **at = &connection->server->connections;

	while (*at != connection)
		at = &(*at)->next;
	*at = connection->next;
	connection->server->n_connections--;
	sd_event_source_disable_unref(connection->source);
	close(connection->fd);
	frame_parser_clear(&connection->parser);
	frame_writer_clear(&connection->writer);
	free(connection);
}

/* ---- One request ---- */

struct request {
	bool json, has_now;
	int64_t now;
	const void *text;
	size_t text_size;
	int argc;
	char *argv[CONTROL_ARGUMENTS_MAX + 1];
};

static int read_request(const struct frame *frame, struct request *request)
{
	struct frame_fields fields;

	if (frame->type != CONTROL_REQUEST)
		return -EBADMSG;
	frame_fields_begin(&fields, frame);
	request->json = frame_get_u8(&fields) != 0;
	request->has_now = frame_get_u8(&fields) != 0;
	request->now = frame_get_i64(&fields);
	request->text = frame_get_blob(&fields, &request->text_size);
	uint32_t n = frame_get_u32(&fields);
	if (n == 0 || n > CONTROL_ARGUMENTS_MAX)
		return -EBADMSG;
	request->argc = (int)n;
	for (uint32_t i = 0; i < n; i++)
		request->argv[i] = (char *)(uintptr_t)frame_get_string(&fields);
	request->argv[n] = NULL;
	return frame_fields_end(&fields);
}

static int run(struct server *server, const struct request *request, FILE *out, FILE *err)
{
	const struct ctl_command *command = ctl_find(request->argv[0]);
	char **argv = (char **)(uintptr_t)request->argv;
	struct ctl ctl = {
		.out = out,
		.err = err,
		.json = request->json,
		.now = request->has_now ? request->now : engine_now(server->engine),
		.club = engine_club(server->engine),
		.engine = server->engine,
		.text = request->text,
		.text_size = request->text_size,
	};

	if (!command || command->need(request->argc, argv) != CTL_CHANGES)
		return ctl_refuse(&ctl, "the daemon does not do this");
	return ctl_run(&ctl, command, request->argc, argv);
}

static int answer(struct connection *connection, const struct frame *frame)
{
	struct request request;
	char *out = NULL, *err = NULL;
	size_t out_size, err_size;
	int r = read_request(frame, &request);

	if (r < 0)
		return r;
	FILE *out_stream = open_memstream(&out, &out_size);
	FILE *err_stream = open_memstream(&err, &err_size);
	if (!out_stream || !err_stream)
		r = -ENOMEM;
	else
		r = run(connection->server, &request, out_stream, err_stream);
	if (out_stream)
		fclose(out_stream);
	if (err_stream)
		fclose(err_stream);
	if (r >= 0) {
		frame_begin(&connection->writer, CONTROL_REPLY);
		frame_put_u32(&connection->writer, (uint32_t)r);
		frame_put_blob(&connection->writer, out, out_size);
		frame_put_blob(&connection->writer, err, err_size);
		r = frame_end(&connection->writer);
	}
	free(out);
	free(err);
	return r;
}

/* ---- Connections ---- */

static int push_out(struct connection *connection)
{
	while (connection->sent < connection->writer.size) {
		ssize_t n = send(connection->fd, connection->writer.bytes + connection->sent,
			connection->writer.size - connection->sent, MSG_NOSIGNAL);
		if (n < 0)
			return errno == EAGAIN ? 0 : -errno;
		connection->sent += (size_t)n;
	}
	return -EPIPE; /* all is said */
}

static int pull_in(struct connection *connection)
{
	char bytes[FRAME_PUSH_MAX];
	struct frame frame;
	ssize_t n = recv(connection->fd, bytes, sizeof(bytes), 0);

	if (n <= 0)
		return n == 0 ? -EPIPE : errno == EAGAIN ? 0 : -errno;
	int r = frame_parser_push(&connection->parser, bytes, (size_t)n);
	if (r >= 0)
		r = frame_parser_next(&connection->parser, &frame);
	if (r <= 0)
		return r;
	r = answer(connection, &frame);
	return r < 0 ? r : sd_event_source_set_io_events(connection->source, EPOLLOUT);
}

static int on_connection(sd_event_source *source, int fd, uint32_t events, void *userdata)
{
	struct connection *connection = userdata;
	int r = 0;

	(void)source;
	(void)fd;
	if (connection->writer.size > 0)
		r = push_out(connection);
	else if (events & (EPOLLIN | EPOLLHUP | EPOLLERR))
		r = pull_in(connection);
	if (r < 0)
		drop(connection);
	return 0;
}

static bool is_of_our_group(int fd, const struct ucred *peer)
{
	gid_t groups[GROUPS_MAX];
	socklen_t size = sizeof(groups);

	if (peer->gid == getegid())
		return true;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &size) < 0)
		return false;
	for (size_t i = 0; i < size / sizeof(*groups); i++)
		if (groups[i] == getegid())
			return true;
	return false;
}

static bool may_ask(const struct listener *listener, int fd)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0)
		return false;
	return peer.uid == 0 || peer.uid == geteuid() ||
	       (listener->given && is_of_our_group(fd, &peer));
}

static int admit(struct server *server, int fd)
{
	struct connection *connection = calloc(1, sizeof(*connection));

	if (!connection)
		return -ENOMEM;
	connection->server = server;
	connection->fd = fd;
	frame_parser_init(&connection->parser, CONTROL_LIMIT);
	frame_writer_init(&connection->writer, CONTROL_LIMIT);
	int r = sd_event_add_io(
		server->event, &connection->source, fd, EPOLLIN, on_connection, connection);
	if (r < 0) {
		free(connection);
		return r;
	}
	connection->next = server->connections;
	server->connections = connection;
	server->n_connections++;
	return 0;
}

static int on_listen(sd_event_source *source, int fd, uint32_t events, void *userdata)
{
	const struct listener *listener = userdata;
	struct server *server = listener->server;
	int client = accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	(void)source;
	(void)events;
	if (client < 0)
		return 0;
	if (server->n_connections >= CONNECTIONS_MAX || !may_ask(listener, client) ||
		admit(server, client) < 0)
		close(client);
	return 0;
}

/* ---- Life ---- */

/* Takes FD over. */
static int add_listener(struct server *server, int fd, bool given)
{
	if (server->n_listeners == LISTENERS_MAX) {
		close(fd);
		return -E2BIG;
	}
	struct listener *listener = &server->listeners[server->n_listeners++];
	*listener = (struct listener){.server = server, .fd = fd, .given = given};
	return sd_event_add_io(server->event, &listener->source, fd, EPOLLIN, on_listen, listener);
}

static int listen_at(struct server *server, const char *directory)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int n = snprintf(
		address.sun_path, sizeof(address.sun_path), "%s/%s", directory, CONTROL_SOCKET);

	if (n < 0 || (size_t)n >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	memcpy(server->path, address.sun_path, sizeof(server->path));
	/* We hold the store's lock, so a socket that is there is a dead one. */
	unlink(server->path);
	mode_t mask = umask(0177);
	int r = bind(fd, (const struct sockaddr *)&address, sizeof(address)) < 0 ? -errno : 0;
	umask(mask);
	if (r >= 0 && listen(fd, CONNECTIONS_MAX) < 0)
		r = -errno;
	if (r < 0) {
		close(fd);
		return r;
	}
	return add_listener(server, fd, false);
}

/* Socket activation. */
static int listen_at_given(struct server *server)
{
	int n = sd_listen_fds(1), r = n < 0 ? n : 0;

	for (int i = 0; r >= 0 && i < n; i++) {
		int fd = SD_LISTEN_FDS_START + i;
		r = sd_is_socket_unix(fd, SOCK_STREAM, 1, NULL, 0);
		if (r == 0)
			r = -ENOTSOCK;
		if (r >= 0)
			r = add_listener(server, fd, true);
	}
	return r;
}

int server_open(struct server **ret_server, sd_event *event, struct engine *engine)
{
	struct server *server __attribute__((cleanup(server_closep))) = calloc(1, sizeof(*server));

	if (!server)
		return -ENOMEM;
	server->event = sd_event_ref(event);
	server->engine = engine;
	int r = listen_at(server, engine_club(engine)->configuration->store.directory);
	if (r >= 0)
		r = listen_at_given(server);
	if (r < 0) {
		log_line(LOG_ERR, "control socket %s: %s", server->path, strerror(-r));
		return r;
	}
	*ret_server = server;
	server = NULL;
	return 0;
}

void server_close(struct server *server)
{
	while (server->connections)
		drop(server->connections);
	for (size_t i = 0; i < server->n_listeners; i++) {
		sd_event_source_disable_unref(server->listeners[i].source);
		close(server->listeners[i].fd);
	}
	if (server->path[0])
		unlink(server->path);
	sd_event_unref(server->event);
	free(server);
}

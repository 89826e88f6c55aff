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
#include <time.h>
#include <unistd.h>

#include "daemon/ctl/ctl.h"
#include "daemon/ctl/protocol.h"
#include "daemon/ctl/roles.h"
#include "daemon/engine/engine.h"
#include "daemon/log.h"
#include "daemon/relay/club.h"

#define CONNECTIONS_MAX 16 /* of root's and our own account; and of all others */
#define CONNECTIONS_EACH 8 /* of one of the others */
#define LISTENERS_MAX 4
#define DEADLINE_US UINT64_C(10000000) /* for a whole request, and again to take the reply */
#define ANSWER_WITHIN_MS 20000
#define FAR_MS INT64_C(253402387200000)
#define REPLY_ROOM 64 /* bytes of a reply that are no text */

struct connection {
	struct server *server;
	sd_event_source *source, *deadline;
	int fd;
	uid_t uid;
	struct frame_parser parser;
	struct frame_writer writer; /* the reply, once there is one */
	size_t sent;
	struct connection *next;
};

struct listener {
	struct server *server;
	sd_event_source *source;
	int fd;
};

struct server {
	struct engine *engine;
	sd_event *event;
	struct roles *roles; /* NULL: nobody has one */
	struct listener listeners[LISTENERS_MAX];
	size_t n_listeners;
	char path[108]; /* of the socket that is ours to remove */
	struct connection *connections;
};

static void drop(struct connection *connection)
{
	struct connection **at = &connection->server->connections;

	while (*at != connection)
		at = &(*at)->next;
	*at = connection->next;
	sd_event_source_disable_unref(connection->source);
	sd_event_source_disable_unref(connection->deadline);
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
	/* Times of RFC 3339 have four digits for the year. */
	if (request->now < -FAR_MS || request->now > FAR_MS)
		return -EBADMSG;
	uint32_t n = frame_get_u32(&fields);
	if (n == 0 || n > CONTROL_ARGUMENTS_MAX)
		return -EBADMSG;
	request->argc = (int)n;
	for (uint32_t i = 0; i < n; i++)
		request->argv[i] = (char *)(uintptr_t)frame_get_string(&fields);
	request->argv[n] = NULL;
	return frame_fields_end(&fields);
}

static bool is_owner(uid_t uid)
{
	return uid == 0 || uid == geteuid();
}

static int64_t monotonic(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* An account that nobody has given a role. Its name is not looked up: that may take long. */
static void put_stranger(FILE *err, const struct server *server, uid_t uid)
{
	fprintf(err,
		"no [account NAME] in %s gives a role to the account with uid %u: an administrator "
		"adds that section, with 'role = admin', or 'role = arbiter' and 'events = CODE', "
		"and reloads\n",
		engine_club(server->engine)->configuration->path, (unsigned)uid);
}

static int run(const struct connection *connection, const struct request *request, FILE *out,
	FILE *err, enum ctl_need *ret_need)
{
	struct server *server = connection->server;
	const struct ctl_command *command = ctl_find(request->argv[0]);
	char **argv = (char **)(uintptr_t)request->argv;
	struct ctl ctl = {
		.out = out,
		.err = err,
		.json = request->json,
		.now = request->has_now ? request->now : engine_now(server->engine),
		.now_given = request->has_now,
		.club = engine_club(server->engine),
		.engine = server->engine,
		.text = request->text,
		.text_size = request->text_size,
		.limit = {CONTROL_LIMIT - REPLY_ROOM, monotonic() + ANSWER_WITHIN_MS, 0},
	};

	if (!is_owner(connection->uid)) {
		ctl.asker = roles_find(server->roles, connection->uid);
		if (!ctl.asker) {
			put_stranger(err, server, connection->uid);
			return CTL_REFUSED;
		}
	}
	*ret_need = command ? ctl_need_of(command, request->argc, argv) : CTL_NEEDS_NOTHING;
	if (*ret_need != CTL_CHANGES && *ret_need != CTL_LOOKS)
		return ctl_refuse(&ctl, "the daemon does not do this");
	return ctl_run(&ctl, command, request->argc, argv);
}

static int put_reply(struct frame_writer *writer, int code, const char *out, size_t out_size,
	const char *err, size_t err_size)
{
	frame_begin(writer, CONTROL_REPLY);
	frame_put_u32(writer, (uint32_t)code);
	frame_put_blob(writer, out, out_size);
	frame_put_blob(writer, err, err_size);
	return frame_end(writer);
}

static int put_too_long(struct frame_writer *writer, int code, enum ctl_need need)
{
	char text[200];
	int n = snprintf(text, sizeof(text),
		"the answer is longer than the %u MiB that go through the control socket%s\n",
		CONTROL_LIMIT >> 20,
		need == CTL_CHANGES && code == CTL_DONE ? "; what was asked for is done" : "");

	return put_reply(
		writer, need == CTL_CHANGES ? code : CTL_REFUSED, NULL, 0, text, (size_t)n);
}

static int answer(struct connection *connection, const struct frame *frame)
{
	enum ctl_need need = CTL_NEEDS_NOTHING;
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
		r = run(connection, &request, out_stream, err_stream, &need);
	if (out_stream)
		fclose(out_stream);
	if (err_stream)
		fclose(err_stream);
	if (r >= 0 && out_size + err_size > CONTROL_LIMIT - REPLY_ROOM)
		r = put_too_long(&connection->writer, r, need);
	else if (r >= 0)
		r = put_reply(&connection->writer, r, out, out_size, err, err_size);
	free(out);
	free(err);
	return r;
}

/* ---- Connections ---- */

static bool is_answered(const struct connection *connection)
{
	return connection->writer.size > 0;
}

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

static int arm_deadline(struct connection *connection)
{
	int r = sd_event_source_set_time_relative(connection->deadline, DEADLINE_US);

	return r < 0 ? r : sd_event_source_set_enabled(connection->deadline, SD_EVENT_ONESHOT);
}

/* 1: more may have come; 0: not yet, or it is answered. */
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
		return r < 0 ? r : 1;
	r = answer(connection, &frame);
	if (r >= 0)
		r = arm_deadline(connection);
	if (r >= 0)
		r = sd_event_source_set_io_events(connection->source, EPOLLOUT);
	/* At once what there is room for: the loop may end before its next turn. */
	return r < 0 ? r : push_out(connection);
}

static int on_connection(sd_event_source *source, int fd, uint32_t events, void *userdata)
{
	struct connection *connection = userdata;
	int r = 0;

	(void)source;
	(void)fd;
	if (is_answered(connection))
		r = push_out(connection);
	else if (events & (EPOLLIN | EPOLLHUP | EPOLLERR))
		r = pull_in(connection);
	if (r < 0)
		drop(connection);
	return 0;
}

/* It may be we who were late: a request that is there by now still counts. */
static int on_deadline(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct connection *connection = userdata;
	bool late = is_answered(connection);
	int r = late ? -ETIMEDOUT : 1;

	(void)source;
	(void)usec;
	while (r > 0 && !is_answered(connection))
		r = pull_in(connection);
	if (r < 0 || !is_answered(connection))
		drop(connection);
	return 0;
}

/* One frame to somebody who has just come: there is room for it. */
static void say(int fd, const struct frame_writer *writer)
{
	ssize_t n = send(fd, writer->bytes, writer->size, MSG_NOSIGNAL);

	(void)n; /* he has gone already */
}

static int say_word(int fd, enum control_frame word)
{
	struct frame_writer writer;

	frame_writer_init(&writer, 0);
	frame_begin(&writer, (uint8_t)word);
	int r = frame_end(&writer);
	if (r >= 0)
		say(fd, &writer);
	frame_writer_clear(&writer);
	return r;
}

static void refuse_stranger(const struct server *server, int fd, uid_t uid)
{
	struct frame_writer writer;
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	if (!stream)
		return;
	put_stranger(stream, server, uid);
	fclose(stream);
	frame_writer_init(&writer, CONTROL_LIMIT);
	if (put_reply(&writer, CTL_REFUSED, NULL, 0, text, size) >= 0)
		say(fd, &writer);
	frame_writer_clear(&writer);
	free(text);
}

static bool has_room(const struct server *server, uid_t uid)
{
	size_t same = 0, alike = 0;

	for (const struct connection *at = server->connections; at; at = at->next) {
		same += at->uid == uid;
		alike += is_owner(at->uid) == is_owner(uid);
	}
	return alike < CONNECTIONS_MAX && (is_owner(uid) || same < CONNECTIONS_EACH);
}

static int add_sources(struct connection *connection)
{
	sd_event *event = connection->server->event;
	int r = sd_event_add_io(
		event, &connection->source, connection->fd, EPOLLIN, on_connection, connection);

	if (r >= 0)
		r = sd_event_add_time_relative(event, &connection->deadline, CLOCK_MONOTONIC,
			DEADLINE_US, 0, on_deadline, connection);
	return r;
}

/* Takes FD over. */
static void admit(struct server *server, int fd, uid_t uid)
{
	struct connection *connection = calloc(1, sizeof(*connection));

	if (!connection) {
		close(fd);
		return;
	}
	connection->server = server;
	connection->fd = fd;
	connection->uid = uid;
	frame_parser_init(&connection->parser, CONTROL_LIMIT);
	frame_writer_init(&connection->writer, CONTROL_LIMIT);
	connection->next = server->connections;
	server->connections = connection;
	if (add_sources(connection) < 0 || say_word(fd, CONTROL_READY) < 0)
		drop(connection);
}

static int on_listen(sd_event_source *source, int fd, uint32_t events, void *userdata)
{
	const struct listener *listener = userdata;
	struct server *server = listener->server;
	int client = accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	struct ucred peer;
	socklen_t size = sizeof(peer);

	(void)source;
	(void)events;
	if (client < 0)
		return 0;
	bool known = getsockopt(client, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0;
	if (known && !is_owner(peer.uid) && !roles_find(server->roles, peer.uid)) {
		refuse_stranger(server, client, peer.uid);
	} else if (known && has_room(server, peer.uid)) {
		admit(server, client, peer.uid);
		return 0;
	} else if (known) {
		(void)!say_word(client, CONTROL_BUSY);
	}
	close(client);
	return 0;
}

/* ---- Life ---- */

/* Takes FD over. */
static int add_listener(struct server *server, int fd)
{
	if (server->n_listeners == LISTENERS_MAX) {
		close(fd);
		return -E2BIG;
	}
	struct listener *listener = &server->listeners[server->n_listeners++];
	*listener = (struct listener){.server = server, .fd = fd};
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
	return add_listener(server, fd);
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
			r = add_listener(server, fd);
	}
	return r;
}

static int look_up_roles(struct server *server)
{
	roles_free(server->roles);
	server->roles = NULL;
	return roles_new(engine_club(server->engine)->configuration, &server->roles);
}

static void on_exchange(void *userdata)
{
	int r = look_up_roles(userdata);

	if (r < 0)
		log_line(LOG_ERR, "roles of accounts: %s", strerror(-r));
}

int server_open(struct server **ret_server, sd_event *event, struct engine *engine)
{
	struct server *server __attribute__((cleanup(server_closep))) = calloc(1, sizeof(*server));

	if (!server)
		return -ENOMEM;
	server->event = sd_event_ref(event);
	server->engine = engine;
	engine_on_exchange(engine, on_exchange, server);
	int r = look_up_roles(server);
	if (r >= 0)
		r = listen_at(server, engine_club(engine)->configuration->store.directory);
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
	engine_on_exchange(server->engine, NULL, NULL);
	roles_free(server->roles);
	sd_event_unref(server->event);
	free(server);
}

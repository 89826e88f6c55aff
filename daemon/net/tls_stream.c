#include "daemon/net/tls_stream.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/net/tls_internal.h"

#define BUFFER_SIZE 16384
/* A peer that vanished without a word is noticed by the kernel after this time. */
#define KEEPALIVE_IDLE_S 60
#define KEEPALIVE_INTERVAL_S 15
#define KEEPALIVE_PROBES 4
#define USER_TIMEOUT_MS 90000
/* The least that each of several addresses gets. */
#define CONNECT_SHARE_MS 1000

struct tls_stream {
	struct tls_peer *peer;
	int fd;
	gnutls_session_t session; /* NULL: plain text */
	int64_t deadline;
	uint64_t limit_ms; /* for the text */
	size_t budget;
	int error; /* the first failure; nothing works after it */
};

static int stream_fail(struct tls_stream *stream, int error, const char *text)
{
	if (stream->error == 0)
		stream->error = tls_peer_fail(stream->peer, error, "%s", text);
	return stream->error;
}

/* ---- Waiting ---- */

/* Until the socket is ready, the deadline has passed or main has gone. */
static int stream_wait(struct tls_stream *stream, short events)
{
	struct pollfd polled[2] = {{.fd = stream->fd, .events = events},
		{.fd = stream->peer->abort_fd, .events = POLLRDHUP}};

	for (;;) {
		int64_t left = stream->deadline - tls_monotonic_ms();
		int n;

		if (left <= 0) {
			if (stream->error == 0)
				stream->error = tls_peer_fail(stream->peer, -ETIMEDOUT,
					"no complete answer within %.1f s",
					(double)stream->limit_ms / 1000);
			return stream->error;
		}
		n = poll(polled, ARRAY_SIZE(polled), (int)(left < 3600000 ? left : 3600000));
		if (n < 0 && errno != EINTR)
			return stream_fail(stream, -errno, strerrordesc_np(errno));
		if (n <= 0)
			continue;
		if (polled[1].revents)
			return stream_fail(stream, -ECANCELED, "given up: the daemon ends");
		return 0;
	}
}

/* ---- Bytes ---- */

/* What a failed call of GnuTLS means: 0 when it is to be repeated. */
static int stream_again(struct tls_stream *stream, ssize_t n)
{
	switch (n) {
	case GNUTLS_E_AGAIN:
		return stream_wait(
			stream, gnutls_record_get_direction(stream->session) ? POLLOUT : POLLIN);
	case GNUTLS_E_INTERRUPTED:
		return 0;
	case GNUTLS_E_REHANDSHAKE:
		/* TLS 1.2: the server may ask, the client may decline. */
		(void)gnutls_alert_send(
			stream->session, GNUTLS_AL_WARNING, GNUTLS_A_NO_RENEGOTIATION);
		return stream_wait(stream, POLLIN);
	case GNUTLS_E_PREMATURE_TERMINATION:
	case GNUTLS_E_PULL_ERROR:
	case GNUTLS_E_PUSH_ERROR:
		return stream_fail(stream, -ECONNRESET, "the connection was cut off");
	default:
		if (!gnutls_error_is_fatal((int)n))
			return stream_wait(stream, POLLIN);
		return stream_fail(stream, -EPROTO, gnutls_strerror((int)n));
	}
}

static int socket_again(struct tls_stream *stream, short events)
{
	if (errno == EAGAIN)
		return stream_wait(stream, events);
	if (errno == EINTR)
		return 0;
	return stream_fail(stream, -errno, strerrordesc_np(errno));
}

static ssize_t stream_read(mailstream_low *low, void *buffer, size_t count)
{
	struct tls_stream *stream = low->data;
	ssize_t n;

	if (stream->budget == 0)
		(void)stream_fail(stream, -EMSGSIZE, "the answer is longer than it may be");
	if (count > stream->budget)
		count = stream->budget;
	while (stream->error == 0) {
		/* Before each read too: one that never has to wait must end as well. */
		if (tls_monotonic_ms() >= stream->deadline && stream_wait(stream, POLLIN) < 0)
			break;
		n = stream->session ? gnutls_record_recv(stream->session, buffer, count)
				    : recv(stream->fd, buffer, count, MSG_DONTWAIT);
		if (n > 0) {
			if (stream->budget != SIZE_MAX)
				stream->budget -= (size_t)n;
			return n;
		}
		if (n == 0)
			(void)stream_fail(stream, -ECONNRESET, "the server closed the connection");
		else if (stream->session)
			(void)stream_again(stream, n);
		else
			(void)socket_again(stream, POLLIN);
	}
	/* Never 0: libetpan would ask again for ever. */
	return -1;
}

static ssize_t stream_write(mailstream_low *low, const void *buffer, size_t count)
{
	struct tls_stream *stream = low->data;
	ssize_t n;

	while (stream->error == 0) {
		n = stream->session ? gnutls_record_send(stream->session, buffer, count)
				    : send(stream->fd, buffer, count, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n > 0 || (n == 0 && count == 0))
			return n;
		if (stream->session)
			(void)stream_again(stream, n);
		else
			(void)socket_again(stream, POLLOUT);
	}
	return -1;
}

/* ---- The driver ---- */

static int stream_close(mailstream_low *low)
{
	struct tls_stream *stream = low->data;

	if (stream->session && stream->error == 0)
		(void)gnutls_bye(stream->session, GNUTLS_SHUT_WR);
	if (stream->fd >= 0)
		(void)close(stream->fd);
	stream->fd = -1;
	return 0;
}

static void stream_release(struct tls_stream *stream)
{
	if (stream->session)
		gnutls_deinit(stream->session);
	if (stream->fd >= 0)
		(void)close(stream->fd);
	free(stream);
}

static void stream_free(mailstream_low *low)
{
	stream_release(low->data);
	free(low);
}

static int stream_get_fd(mailstream_low *low)
{
	return ((struct tls_stream *)low->data)->fd;
}

static void stream_cancel(mailstream_low *low)
{
	(void)low;
}

static struct mailstream_cancel *stream_get_cancel(mailstream_low *low)
{
	(void)low;
	return NULL;
}

static carray *stream_get_chain(mailstream_low *low)
{
	(void)low;
	return NULL;
}

static int stream_no_idle(mailstream_low *low)
{
	(void)low;
	return -1;
}

static mailstream_low_driver driver = {
	.mailstream_read = stream_read,
	.mailstream_write = stream_write,
	.mailstream_close = stream_close,
	.mailstream_get_fd = stream_get_fd,
	.mailstream_free = stream_free,
	.mailstream_cancel = stream_cancel,
	.mailstream_get_cancel = stream_get_cancel,
	.mailstream_get_certificate_chain = stream_get_chain,
	.mailstream_setup_idle = stream_no_idle,
	.mailstream_unsetup_idle = stream_no_idle,
	.mailstream_interrupt_idle = stream_no_idle,
};

static struct tls_stream *stream_of(const mailstream *stream)
{
	return stream->low->data;
}

/* ---- TLS ---- */

static int handshake_failed(struct tls_stream *stream, int error)
{
	gnutls_datum_t text = {0};
	unsigned status;

	if (error == GNUTLS_E_CERTIFICATE_VERIFICATION_ERROR) {
		status = gnutls_session_get_verify_cert_status(stream->session);
		if (gnutls_certificate_verification_status_print(
			    status, GNUTLS_CRT_X509, &text, 0) == 0) {
			(void)stream_fail(stream, -EPROTO, (const char *)text.data);
			gnutls_free(text.data);
			return stream->error;
		}
	}
	if (error == GNUTLS_E_FATAL_ALERT_RECEIVED)
		return stream->error = tls_peer_fail(stream->peer, -EPROTO,
			       "the server refused the TLS handshake (%s)",
			       gnutls_alert_get_name(gnutls_alert_get(stream->session)));
	if (error == GNUTLS_E_PREMATURE_TERMINATION || error == GNUTLS_E_PULL_ERROR ||
		error == GNUTLS_E_PUSH_ERROR)
		return stream_fail(
			stream, -ECONNRESET, "the connection was cut off in the TLS handshake");
	return stream->error = tls_peer_fail(
		       stream->peer, -EPROTO, "TLS handshake: %s", gnutls_strerror(error));
}

static int stream_handshake(struct tls_stream *stream)
{
	struct tls_peer *peer = stream->peer;
	int r;

	if (peer->no_trust)
		return stream_fail(stream, -EPROTO, peer->no_trust);
	r = gnutls_init(&stream->session,
		GNUTLS_CLIENT | GNUTLS_NONBLOCK | GNUTLS_NO_SIGNAL | GNUTLS_NO_TICKETS);
	if (r == 0)
		r = gnutls_priority_set(stream->session, peer->priority);
	if (r == 0)
		r = gnutls_credentials_set(stream->session, GNUTLS_CRD_CERTIFICATE, peer->trust);
	if (r == 0 && !peer->by_address)
		r = gnutls_server_name_set(
			stream->session, GNUTLS_NAME_DNS, peer->host, strlen(peer->host));
	if (r < 0)
		return handshake_failed(stream, r);
	gnutls_session_set_verify_cert(stream->session, peer->host, 0);
	gnutls_transport_set_int(stream->session, stream->fd);
	while ((r = gnutls_handshake(stream->session)) != 0) {
		if (gnutls_error_is_fatal(r))
			return handshake_failed(stream, r);
		if (r == GNUTLS_E_AGAIN)
			r = stream_wait(stream,
				gnutls_record_get_direction(stream->session) ? POLLOUT : POLLIN);
		else
			r = tls_monotonic_ms() < stream->deadline ? 0 : stream_wait(stream, POLLIN);
		if (r < 0)
			return r;
	}
	return 0;
}

/* ---- Connecting ---- */

static bool address_is_loopback(const struct sockaddr *address)
{
	if (address->sa_family == AF_INET)
		return ntohl(((const struct sockaddr_in *)(const void *)address)
				       ->sin_addr.s_addr) >>
			       24 ==
		       127;
	return IN6_IS_ADDR_LOOPBACK(
		&((const struct sockaddr_in6 *)(const void *)address)->sin6_addr);
}

static int socket_set_up(int fd)
{
	static const struct {
		int level, name, value;
	} options[] = {
		{IPPROTO_TCP, TCP_NODELAY, 1},
		{SOL_SOCKET, SO_KEEPALIVE, 1},
		{IPPROTO_TCP, TCP_KEEPIDLE, KEEPALIVE_IDLE_S},
		{IPPROTO_TCP, TCP_KEEPINTVL, KEEPALIVE_INTERVAL_S},
		{IPPROTO_TCP, TCP_KEEPCNT, KEEPALIVE_PROBES},
		{IPPROTO_TCP, TCP_USER_TIMEOUT, USER_TIMEOUT_MS},
	};

	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		if (setsockopt(fd, options[i].level, options[i].name, &options[i].value,
			    sizeof(int)) < 0)
			return -errno;
	return 0;
}

static int socket_connected(int fd)
{
	int error = 0;
	socklen_t size = sizeof(error);

	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) < 0)
		return -errno;
	return -error;
}

/* One address; its failure leaves the stream fit for the next one. */
static int connect_address(struct tls_stream *stream, const struct addrinfo *address)
{
	int r;

	stream->error = 0;
	if (stream->peer->mode == TLS_NEVER && !address_is_loopback(address->ai_addr))
		return stream_fail(stream, -EPROTO, "plain text is for the loopback host only");
	stream->fd = socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (stream->fd < 0)
		return stream_fail(stream, -errno, strerrordesc_np(errno));
	r = socket_set_up(stream->fd);
	if (r == 0 && connect(stream->fd, address->ai_addr, address->ai_addrlen) < 0)
		r = -errno;
	if (r == -EINPROGRESS)
		r = stream_wait(stream, POLLOUT);
	if (r == 0)
		r = socket_connected(stream->fd);
	if (r == 0)
		return 0;
	(void)stream_fail(stream, r, strerrordesc_np(-r));
	(void)close(stream->fd);
	stream->fd = -1;
	return r;
}

static int stream_connect(struct tls_stream *stream)
{
	const struct tls_peer *peer = stream->peer;
	int64_t end = stream->deadline;
	int left = 0, r = -EHOSTUNREACH;

	if (peer->no_address)
		return stream_fail(stream, r, peer->no_address);
	for (const struct addrinfo *a = peer->addresses; a; a = a->ai_next)
		left++;
	for (const struct addrinfo *a = peer->addresses; a && r < 0 && r != -ECANCELED;
		a = a->ai_next, left--) {
		int64_t now = tls_monotonic_ms(), share = (end - now) / left;

		if (share < CONNECT_SHARE_MS)
			share = CONNECT_SHARE_MS;
		stream->deadline = now + share < end ? now + share : end;
		r = connect_address(stream, a);
	}
	stream->deadline = end;
	return r;
}

int tls_stream_open(mailstream **ret_stream, struct tls_peer *peer, uint64_t ms)
{
	struct tls_stream *stream = malloc(sizeof(*stream));
	mailstream_low *low;
	int r;

	if (!stream)
		return -ENOMEM;
	*stream = (struct tls_stream){.peer = peer,
		.fd = -1,
		.limit_ms = ms,
		.deadline = tls_monotonic_ms() + (int64_t)ms,
		.budget = SIZE_MAX};
	peer->error[0] = '\0';
	r = stream_connect(stream);
	if (r == 0 && peer->mode == TLS_AT_ONCE)
		r = stream_handshake(stream);
	low = r == 0 ? mailstream_low_new(stream, &driver) : NULL;
	if (!low) {
		stream_release(stream);
		return r < 0 ? r : -ENOMEM;
	}
	*ret_stream = mailstream_new(low, BUFFER_SIZE);
	if (!*ret_stream) {
		mailstream_low_free(low);
		return -ENOMEM;
	}
	return 0;
}

int tls_stream_upgrade(mailstream *stream, uint64_t ms)
{
	struct tls_stream *inside = stream_of(stream);

	if (inside->error < 0)
		return inside->error;
	if (inside->session || inside->peer->mode != TLS_LATER)
		return stream_fail(inside, -EINVAL, "STARTTLS out of place");
	if (stream->read_buffer_len > 0 || stream->write_buffer_len > 0)
		return stream_fail(inside, -EPROTO,
			"plain text behind the consent to STARTTLS: somebody may have put it in");
	tls_stream_limit(stream, ms, SIZE_MAX);
	return stream_handshake(inside);
}

void tls_stream_limit(mailstream *stream, uint64_t ms, size_t bytes)
{
	struct tls_stream *inside = stream_of(stream);

	inside->limit_ms = ms;
	inside->deadline = tls_monotonic_ms() + (int64_t)ms;
	inside->budget = bytes;
}

bool tls_stream_secure(const mailstream *stream)
{
	return stream_of(stream)->session != NULL;
}

bool tls_stream_buffered(const mailstream *stream)
{
	const struct tls_stream *inside = stream_of(stream);

	return inside->error < 0 || stream->read_buffer_len > 0 ||
	       (inside->session && gnutls_record_check_pending(inside->session) > 0);
}

int tls_stream_wait(mailstream *stream, int other_fd, int64_t ms)
{
	struct pollfd polled[2] = {{.fd = stream_of(stream)->fd, .events = POLLIN},
		{.fd = other_fd, .events = POLLIN}};
	bool buffered = tls_stream_buffered(stream);
	int timeout = ms < 0 ? -1 : (int)(ms < INT32_MAX ? ms : INT32_MAX);

	if (poll(polled, ARRAY_SIZE(polled), buffered ? 0 : timeout) < 0)
		return errno == EINTR ? 0 : -errno;
	return (buffered || polled[0].revents ? TLS_READY_STREAM : 0) |
	       (polled[1].revents ? TLS_READY_OTHER : 0);
}

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <resolv.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "daemon/net/tls_internal.h"

/* Seconds to the first answer of a name server, and how often it is asked. */
#define RESOLVE_SECONDS 3
#define RESOLVE_TRIES 2

#define PRIORITY "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"

int64_t tls_monotonic_ms(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int tls_peer_fail(struct tls_peer *peer, int error, const char *format, ...)
{
	bool brackets = strchr(peer->host, ':') != NULL;
	va_list args;
	int n;

	n = snprintf(peer->error, sizeof(peer->error), "%s%.200s%s:%u: ", brackets ? "[" : "",
		peer->host, brackets ? "]" : "", peer->port);
	va_start(args, format);
	(void)vsnprintf(peer->error + n, sizeof(peer->error) - (size_t)n, format, args);
	va_end(args);
	for (char *c = peer->error; *c; c++)
		if ((unsigned char)*c < ' ' || (unsigned char)*c >= 0x7f)
			*c = '?';
	return error;
}

static int set_reason(char **slot, const char *what, const char *why)
{
	if (asprintf(slot, "%s: %s", what, why) >= 0)
		return 0;
	*slot = NULL;
	return -ENOMEM;
}

static int peer_resolve(struct tls_peer *peer)
{
	const struct addrinfo hints = {.ai_family = AF_UNSPEC,
		.ai_socktype = SOCK_STREAM,
		.ai_protocol = IPPROTO_TCP,
		.ai_flags = AI_NUMERICSERV};
	unsigned char address[sizeof(struct in6_addr)];
	char port[8];
	int r;

	peer->by_address = inet_pton(AF_INET, peer->host, address) == 1 ||
			   inet_pton(AF_INET6, peer->host, address) == 1;
	(void)snprintf(port, sizeof(port), "%u", peer->port);
	if (res_init() == 0) {
		_res.retrans = RESOLVE_SECONDS;
		_res.retry = RESOLVE_TRIES;
	}
	r = getaddrinfo(peer->host, port, &hints, &peer->addresses);
	if (r == 0)
		return 0;
	peer->addresses = NULL;
	return set_reason(&peer->no_address, "the name has no address", gai_strerror(r));
}

static int peer_trust(struct tls_peer *peer, const char *ca_file)
{
	int r = gnutls_priority_init(&peer->priority, PRIORITY, NULL);

	if (r == 0)
		r = gnutls_certificate_allocate_credentials(&peer->trust);
	if (r < 0)
		return r == GNUTLS_E_MEMORY_ERROR
			       ? -ENOMEM
			       : set_reason(&peer->no_trust, "TLS cannot be set up",
					 gnutls_strerror(r));
	r = ca_file ? gnutls_certificate_set_x509_trust_file(
			      peer->trust, ca_file, GNUTLS_X509_FMT_PEM)
		    : gnutls_certificate_set_x509_system_trust(peer->trust);
	if (r > 0)
		return 0;
	return set_reason(&peer->no_trust, ca_file ? ca_file : "the system's trusted CAs",
		r < 0 ? gnutls_strerror(r) : "no certificate in there");
}

int tls_peer_new(struct tls_peer **ret_peer, const struct tls_address *address)
{
	struct tls_peer *peer = calloc(1, sizeof(*peer));
	int r;

	if (!peer)
		return -ENOMEM;
	peer->port = address->port;
	peer->mode = address->mode;
	peer->abort_fd = address->abort_fd;
	peer->made = tls_monotonic_ms();
	peer->host = strdup(address->host);
	r = peer->host ? peer_resolve(peer) : -ENOMEM;
	if (r == 0 && peer->mode != TLS_NEVER)
		r = peer_trust(peer, address->ca_file);
	if (r < 0) {
		tls_peer_free(peer);
		return r;
	}
	*ret_peer = peer;
	return 0;
}

void tls_peer_free(struct tls_peer *peer)
{
	if (!peer)
		return;
	if (peer->addresses)
		freeaddrinfo(peer->addresses);
	if (peer->trust)
		gnutls_certificate_free_credentials(peer->trust);
	if (peer->priority)
		gnutls_priority_deinit(peer->priority);
	free(peer->no_address);
	free(peer->no_trust);
	free(peer->host);
	free(peer);
}

int64_t tls_peer_age(const struct tls_peer *peer)
{
	return tls_monotonic_ms() - peer->made;
}

const char *tls_peer_error(const struct tls_peer *peer)
{
	return peer->error;
}

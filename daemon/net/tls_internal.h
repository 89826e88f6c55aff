/*
 * What tls_peer.c and tls_stream.c know of a peer.
 */
#pragma once

#include <gnutls/gnutls.h>
#include <netdb.h>

#include "daemon/net/tls_stream.h"

struct tls_peer {
	char *host;
	uint16_t port;
	enum tls_mode mode;
	int abort_fd;
	bool by_address; /* the host is written as an address: no name to send */
	struct addrinfo *addresses;
	char *no_address; /* why there is none */
	gnutls_certificate_credentials_t trust;
	gnutls_priority_t priority;
	char *no_trust; /* why no certificate can be checked */
	int64_t made;   /* CLOCK_MONOTONIC, milliseconds */
	char error[TLS_TEXT_MAX];
};

/* Notes "HOST:PORT: TEXT" as the peer's error and returns error. */
int tls_peer_fail(struct tls_peer *peer, int error, const char *format, ...) PRINTF_LIKE(3, 4);
int64_t tls_monotonic_ms(void);

/*
 * A connection to a mail server, as a libetpan `mailstream` with a driver of our own
 * over GnuTLS: TLS 1.2 or 1.3, the certificate checked against the host's name and
 * the trusted CAs (RFC 8314), absolute deadlines, a cap of bytes, and an end when
 * main goes. It never falls back to plain text, and never reads 0 bytes for ever.
 *
 *   struct tls_peer *peer;
 *   tls_peer_new(&peer, &address);       before sandbox_enter(): reads files, resolves
 *   sandbox_enter(SANDBOX_CLIENT);
 *   tls_stream_open(&stream, peer, 20000);
 *   mailimap_connect(imap, stream) or mailsmtp_connect(smtp, stream)
 *   tls_stream_limit(stream, 30000, 65536);  before each command
 *   ... STARTTLS by hand ...
 *   tls_stream_upgrade(stream, 20000);
 *   mailstream_close(stream)             also frees; libetpan does it with its session
 *
 * Functions return 0 or -errno; the reason in words is tls_peer_error(). What they
 * return: -ETIMEDOUT deadline, -ECANCELED main has gone, -EMSGSIZE cap, -ECONNRESET the
 * server closed, -EPROTO TLS or certificate, -EHOSTUNREACH name or address,
 * and what connect(2) says. libetpan's own calls turn all these into their
 * stream error; the text says more.
 */
#pragma once

#include <libetpan/mailstream.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/base.h"

#define TLS_TEXT_MAX 400

enum tls_mode {
	TLS_AT_ONCE = 1, /* imaps, smtps */
	TLS_LATER,       /* plain until tls_stream_upgrade(): STARTTLS */
	TLS_NEVER,       /* plain text; the configuration allows it for loopback only */
};

struct tls_address {
	const char *host; /* a name, or an address without brackets */
	uint16_t port;
	enum tls_mode mode;
	const char *ca_file; /* NULL: the system's trusted CAs */
	int abort_fd;        /* -1, or a socket: calls end when its other end closes */
};

/* Whom to connect to: addresses and trusted CAs, looked up once. Outlives its streams. */
struct tls_peer;

/* Everything is copied. A host that does not resolve or a ca-file that cannot be read is
 * no failure here: tls_stream_open() says so. -ENOMEM. Resolving is limited to some
 * ten seconds. */
int tls_peer_new(struct tls_peer **ret_peer, const struct tls_address *address) MUST_CHECK;
void tls_peer_free(struct tls_peer *peer);
/* Milliseconds since it was made. A long-lived worker that no longer gets through may be
 * looking at an old address or an old CA: let it end, the next one looks again. */
int64_t tls_peer_age(const struct tls_peer *peer);
/* Why the last stream failed: one line of printable ASCII, "" if none did. Outlives the
 * stream. */
const char *tls_peer_error(const struct tls_peer *peer);

/* Connects (every address in turn) and, with TLS_AT_ONCE, shakes hands: all within so
 * many milliseconds. The same limit stays for what follows. */
int tls_stream_open(mailstream **ret_stream, struct tls_peer *peer, uint64_t ms) MUST_CHECK;
/* After the server's consent to STARTTLS. Bytes that were received already are -EPROTO:
 * they are not protected (CVE-2011-0411). On failure the stream is dead: close it. */
int tls_stream_upgrade(mailstream *stream, uint64_t ms) MUST_CHECK;

/* From now on the stream may take so many milliseconds and receive so many bytes
 * (SIZE_MAX: any number), until the next call; then every read and write fails. */
void tls_stream_limit(mailstream *stream, uint64_t ms, size_t bytes);

/* Protected by TLS now. */
bool tls_stream_secure(const mailstream *stream);
/* Something can be read without waiting, or the stream has failed. */
bool tls_stream_buffered(const mailstream *stream);

enum tls_ready {
	TLS_READY_STREAM = 1, /* bytes or the end of the stream */
	TLS_READY_OTHER = 2,
};
/* Waits until something can be read from the stream or from other_fd (-1: none), at most
 * so many milliseconds (negative: without limit): a set of tls_ready, 0 after that time.
 * The limit of tls_stream_limit() does not count here. */
int tls_stream_wait(mailstream *stream, int other_fd, int64_t ms) MUST_CHECK;

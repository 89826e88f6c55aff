/*
 * One IMAP connection (RFC 3501, or 9051) with one folder open: plain calls, each with an
 * absolute deadline and a cap of bytes. What the server says may be hostile.
 *
 * 0, or -errno with the reason in imap_client_text(). -EREMOTEIO: the server refused this
 * command and the connection stays; after every other error it is closed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/configuration.h"
#include "core/base.h"
#include "daemon/net/tls_stream.h"

struct imap_settings {
	struct tls_address address;
	const char *user;
	enum mail_auth auth;
	const char *folder;  /* names of folders are in modified UTF-7 */
	uint64_t timeout_ms; /* of one command */
	bool look_only;      /* opens the folder read-only, changes nothing at all */
	/* Told before each command: it may take so long. */
	void (*on_busy)(void *userdata, uint64_t ms);
	void *userdata;
};

struct imap_facts {
	uint32_t uid;
	int64_t arrival; /* INTERNALDATE, UTC milliseconds */
	int64_t size;
};

struct imap_body {
	uint32_t uid;
	const char *raw;
	size_t size;
};

struct imap_client;

/* Resolves the host and reads the CA file: before sandbox_enter(). settings must outlive the
 * client, its strings too. */
int imap_client_new(
	struct imap_client **ret_client, const struct imap_settings *settings) MUST_CHECK;
void imap_client_free(struct imap_client *client);

/* Connects, logs in, opens the folder. */
int imap_client_open(struct imap_client *client, const char *password) MUST_CHECK;
/* Says LOGOUT, if there is a connection. */
void imap_client_close(struct imap_client *client);
bool imap_client_is_open(const struct imap_client *client);
/* The server does what it must not, for that reason: closes the connection. */
void imap_client_reject(struct imap_client *client, const char *why);
/* One line of printable ASCII without secrets. */
const char *imap_client_text(const struct imap_client *client);
/* Milliseconds since the host was resolved. */
int64_t imap_client_age(const struct imap_client *client);

/* Of the open folder. next: the UID that the next message gets, 0 if unknown. */
uint32_t imap_client_validity(const struct imap_client *client);
uint32_t imap_client_next(const struct imap_client *client);

/* Makes the server look, then lists the UIDs from first on, ascending. Those that are marked as
 * deleted are among them: it may be we who could not finish. The caller frees. */
int imap_client_list(
	struct imap_client *client, uint32_t first, uint32_t **ret_uids, size_t *ret_n) MUST_CHECK;
/* Since the last list (or this call) the server has said that there are more messages. */
bool imap_client_news(struct imap_client *client);
/* Ascending UIDs; those that are gone are left out. */
int imap_client_facts(struct imap_client *client, const uint32_t *uids, size_t n,
	void (*take)(void *userdata, const struct imap_facts *facts), void *userdata) MUST_CHECK;
/* The first cap bytes of each message; budget: of all together. take gets all that came,
 * ascending and each once; it is not called on failure. */
int imap_client_bodies(struct imap_client *client, const uint32_t *uids, size_t n, size_t cap,
	size_t budget,
	void (*take)(void *userdata, const struct imap_body *bodies, size_t n_bodies),
	void *userdata) MUST_CHECK;
/* Ascending UIDs to another folder, which is created if missing. */
int imap_client_move(
	struct imap_client *client, const uint32_t *uids, size_t n, const char *folder) MUST_CHECK;

/* IDLE (RFC 2177), or -EOPNOTSUPP when the server has none. While it is on, no other call
 * but these three is allowed. *ret_changed: messages may have come. */
int imap_client_idle(struct imap_client *client, bool *ret_changed) MUST_CHECK;
/* There is something to read. */
int imap_client_idle_take(struct imap_client *client, bool *ret_changed) MUST_CHECK;
int imap_client_idle_end(struct imap_client *client, bool *ret_changed) MUST_CHECK;
/* As tls_stream_wait(). */
int imap_client_wait(struct imap_client *client, int other_fd, int64_t ms) MUST_CHECK;

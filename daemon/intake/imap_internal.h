/*
 * What the files of the IMAP client know of it: imap_client.c holds the connection together,
 * imap_login.c opens it, imap_fetch.c reads.
 */
#pragma once

#include <libetpan/libetpan.h>

#include "daemon/intake/imap_client.h"

#define IMAP_TEXT_MAX 600
/* Bytes that the answer to a simple command may have. */
#define IMAP_ANSWER_MAX (256u << 10)
/* Main is told that a command may take this much longer than its deadline. */
#define IMAP_MARGIN_MS 10000

struct imap_client {
	const struct imap_settings *settings;
	struct tls_peer *peer;
	mailstream *stream; /* NULL: not connected */
	mailimap *imap;
	/* While connected, the password in every form in which it may have been sent: a server may
	 * say it back to us, and so into the log. */
	char *hidden[4];
	unsigned tag;
	bool has_idle, has_move, has_uidplus, idling;
	uint32_t validity, next;
	uint32_t known; /* messages that the folder has had by the last answer */
	bool news;      /* ... and more than at the last list */
	char text[IMAP_TEXT_MAX];
};

/* Notes the reason and returns error. */
int imap_fail(struct imap_client *client, int error, const char *format, ...) PRINTF_LIKE(3, 4);
/* The connection is no longer any good. */
void imap_drop(struct imap_client *client);
/* Before each command. */
void imap_begin(struct imap_client *client, size_t bytes);
/* What libetpan's result means; what: the command, for the text. */
int imap_result(struct imap_client *client, int result, const char *what) MUST_CHECK;
/* A failure of the stream: its reason is the peer's. */
int imap_stream_failed(struct imap_client *client, const char *what);

/* Lines by hand. imap_say() sends the parts one behind the other and CRLF; the last part is
 * NULL. */
int imap_say(struct imap_client *client, const char *what, ...) MUST_CHECK;
/* The next line, without its end; line belongs to the caller. */
int imap_hear(struct imap_client *client, MMAPString *line, const char *what) MUST_CHECK;

/* In imap_login.c: from the greeting to the login. */
int imap_greet(struct imap_client *client, const char *password) MUST_CHECK;
/* In imap_fetch.c. */
struct mailimap_set *imap_set_of(const uint32_t *uids, size_t n);

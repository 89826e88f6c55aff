/*
 * The configuration of one club (contract, section 3), read and checked.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/account.h"
#include "config/fault.h"
#include "config/value.h"
#include "core/base.h"

enum mail_tls {
	MAIL_TLS_YES = 0, /* at once or by STARTTLS, as the URL's scheme says */
	MAIL_TLS_NONE,    /* plain text, loopback only */
};

enum mail_auth {
	MAIL_AUTH_LOGIN = 0, /* IMAP's LOGIN command; AUTH LOGIN for SMTP */
	MAIL_AUTH_PLAIN,
	MAIL_AUTH_CRAM_MD5,
	MAIL_AUTH_SCRAM_SHA_1,
	MAIL_AUTH_SCRAM_SHA_256,
	MAIL_AUTH_XOAUTH2,
	MAIL_AUTH_NONE, /* the URL names no user: no login */
};

enum secret_kind {
	SECRET_NONE = 0,
	SECRET_CREDENTIAL, /* a file of that name in $CREDENTIALS_DIRECTORY */
	SECRET_FILE,       /* an absolute path */
};

struct secret {
	enum secret_kind kind;
	char *name;
	unsigned line; /* of the key */
};

/* How to reach and enter a mail server; for a Maildir only the URL counts. */
struct mail_account {
	struct mail_url url;
	struct secret password;
	enum mail_auth auth;
	enum mail_tls tls;
	char *ca_file; /* NULL: the system's store */
	unsigned ca_file_line;
	int64_t timeout;             /* ms that one step of a dialogue may take */
	unsigned line;               /* of the section */
	unsigned url_line, tls_line; /* 0 if they were not given */
};

enum mailbox_since {
	SINCE_FIRST_CONNECTION = 0,
	SINCE_ALL,
};

struct configured_mailbox {
	char *name; /* of [mailbox NAME] */
	struct mail_account account;
	enum mailbox_since since;
	char *archive, *junk; /* folders for handled and for ignored mail; IMAP only */
};

enum trust_otherwise {
	OTHERWISE_CONFIRM = 0,
	OTHERWISE_ACCEPT,
	OTHERWISE_REJECT,
};

struct configuration {
	char *path;
	struct {
		char *name;
		char *address; /* local@domain */
		char separator;
		char *arbiter;      /* plain address */
		char *arbiter_name; /* NULL if none was given */
		char *admin;
		char *timezone;
		char *language;
		char *overrides; /* NULL if none */
		unsigned overrides_line;
	} club;
	struct {
		char *directory;
		uint64_t free_space; /* bytes: with less the administrator is told */
		char *metrics;       /* NULL if none are wanted */
	} store;
	struct configured_mailbox *mailboxes; /* in the order of the file */
	size_t n_mailboxes;
	struct mail_account delivery;
	int64_t give_up_after; /* ms; a mail that is put off for longer has failed */
	struct {
		struct value_list authserv_ids; /* without "topmost" */
		bool topmost;
		enum trust_otherwise otherwise;
		int64_t confirm_within; /* milliseconds */
	} trust;
	struct {
		uint64_t message_size; /* bytes */
		unsigned answers_per_day;
		unsigned alerts_per_day; /* of each kind */
		int64_t alert_after;     /* ms that an outage lasts before it is told of */
	} limits;
	struct configured_account *accounts; /* in the order of the file */
	size_t n_accounts;
};

/* What the reader must be told from outside: the names that tzdata lists. */
typedef bool zone_known_fn(const char *name);

/* Reads and checks the file. Returns 0, FILE_FAULTY with at least one fault added, or
 * -ENOMEM. The caller frees the result. */
MUST_CHECK int configuration_read(const char *path, zone_known_fn *zone_known,
	struct fault_list *faults, struct configuration **ret_configuration);
/* The same for text in memory; PATH is what faults call it. */
MUST_CHECK int configuration_parse(const char *path, const char *text, size_t size,
	zone_known_fn *zone_known, struct fault_list *faults,
	struct configuration **ret_configuration);
struct configuration *configuration_free(struct configuration *configuration);

/* Every "section.key" that the reader knows, e.g. "club.name", "mailbox.source"; NULL
 * behind the last. */
const char *configuration_key(size_t index);

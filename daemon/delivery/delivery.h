/*
 * Delivery of mails, seen from main: one envelope recipient a mail, in order,
 * through a worker process. Trying again later is the outbox's business.
 *
 * Delivering the same key to the same recipient again is harmless to a Maildir,
 * which keeps one file; by SMTP it is the same Message-ID again. No handler may
 * call delivery_close().
 *
 * A worker keeps the password, the addresses of the server and the trusted
 * certificates that it was opened with: close and open again before a target that
 * could not be reached is tried the next time.
 */
#pragma once

#include <systemd/sd-event.h>

#include "config/configuration.h"
#include "daemon/net/worker.h"

/* Mails that may be on their way at a time, and their bytes. */
#define DELIVERY_WINDOW 64
#define DELIVERY_WINDOW_BYTES (8u << 20)
/* The largest mail. */
#define DELIVERY_MAIL_MAX (4u << 20)

enum delivery_status {
	DELIVERY_DELIVERED = 1,
	DELIVERY_TEMPORARY,   /* try again later */
	DELIVERY_PERMANENT,   /* never try again */
	DELIVERY_UNREACHABLE, /* the target as a whole, whatever the mail: try again later */
	DELIVERY_POLICY,      /* refused for good, but perhaps not because of this mail */
	DELIVERY_LOST, /* the target was lost over this mail, which may have been taken: try again
			  later with the same Message-ID */
};

struct delivery_config {
	const char *maildir; /* path; or NULL: */
	const struct mail_account *account;
	const char *password; /* of the account, NULL if it logs in nowhere */
	const char *hello;    /* the name that a mail server is told (EHLO) */
};

struct delivery_mail {
	int64_t id;            /* the outbox row */
	int64_t now;           /* UTC milliseconds: the instant of this attempt */
	const char *key;       /* what is unique about the mail: its Message-ID without < > */
	const char *from;      /* envelope sender; "" for the null sender */
	const char *recipient; /* envelope recipient */
	const void *raw;       /* line ends may be CRLF or LF; a Maildir gets LF */
	size_t size;
};

/* Valid during on_result. */
struct delivery_result {
	int64_t id;
	enum delivery_status status;
	int code;         /* as SMTP has it, 0 when there was no answer */
	bool slow_down;   /* the target wants a pause */
	const char *text; /* one line, printable; no addresses in what a server said */
};

struct delivery_handlers {
	/* Exactly once for each mail that delivery_send() took. */
	void (*on_result)(void *userdata, const struct delivery_result *result);
	/* The worker died; results of the mails that this concerns came first. May be NULL. */
	void (*on_death)(void *userdata, const struct worker_death *death);
};

struct delivery;

/* handlers must outlive the delivery; config is copied. The program's table of
 * workers must hold {"delivery", delivery_worker}. */
int delivery_open(struct delivery **ret_delivery, sd_event *event,
	const struct delivery_config *config, const struct delivery_handlers *handlers,
	void *userdata) MUST_CHECK;
/* What is on its way gets no result any more. */
void delivery_close(struct delivery *delivery);

/* Takes a copy. -EAGAIN when too many are on their way: there is room again after
 * the next on_result. -EMSGSIZE for a mail over DELIVERY_MAIL_MAX. */
int delivery_send(struct delivery *delivery, const struct delivery_mail *mail) MUST_CHECK;
/* Asks whether the target can be reached and lets us in; nothing is sent. The result has
 * this id. */
int delivery_check(struct delivery *delivery, int64_t id) MUST_CHECK;
/* Mails on their way. */
size_t delivery_waiting(const struct delivery *delivery);
pid_t delivery_pid(const struct delivery *delivery);

/* The worker's side, for the table of worker kinds. */
int delivery_worker(int fd);

/*
 * The inputs of a club as events of its log (store/events.h), from which its state can be
 * made again (relay/replay.h).
 *
 * The log is the order in which the club came to its inputs. Each event is appended in the
 * transaction that carries it out. What a replay carries out again are the kinds below; an
 * event of another kind (or a `message` behind a `ruling`) tells what came of the one before
 * it, and must come of it again.
 *
 *   configuration  {text, overrides: {path: text}}: read when the store was opened or the
 *                  configuration read again
 *   program        {edition, version, mails}: from here on this version of the program works,
 *                  and decides by this edition (rules/edition.h); mails up to this number were
 *                  written before. A log begins with edition 1, of version 0.1.0
 *   mail           {message, mailbox, rank, place, arrival, size, digest}: taken in
 *   scan           {until, scanned}: what is due up to here; how far every mailbox is known
 *   message        {message, digest, arrival}: was its turn, and was decided
 *   timer          {game, kind, ply, at}: fired
 *   set-aside      {message, reason, read}: kept unread
 *   delivered, failed, put-off {message_id, reason, next}: what became of a mail
 *   fact           {name, value}: where a mailbox begins for us
 *   outage         {what, from, to}: something was out of reach; `to` is null while it is
 *   alert          {kind, about, since, text, outage}: the administrator was mailed
 *   command        {command: [...], text, by}: zugpostctl changed something, asked over a socket
 *                  by an account of the configuration (else without `by`)
 *
 * Among those that come of others is `notice` {kind, about}: the administrator was mailed for it.
 *
 * The event's own instant is the present in which it was carried out.
 */
#pragma once

#include <jansson.h>
#include <stdint.h>

#include "daemon/relay/club.h"
#include "daemon/store/inbox.h"

/* Appends an input in the running transaction. Takes DATA over; -ENOMEM if it is NULL. */
MUST_CHECK int input_log(struct club *club, int64_t at, const char *kind, json_t *data);

/* A message was stored as row ID. */
MUST_CHECK int input_log_mail(struct club *club, int64_t id, const struct inbox_new *message);

/* Messages and timers up to UNTIL are due, and every mailbox has been scanned up to SCANNED;
 * appended if it was otherwise before. */
MUST_CHECK int input_log_scan(struct club *club, int64_t at, int64_t until, int64_t scanned);

/* What the club's configuration was read from, and which program works with it, each appended
 * (in a transaction of their own) if it is another than before. -EILSEQ: it is no UTF-8. */
MUST_CHECK int input_log_configuration(struct club *club, int64_t at);
/* The same of one of them, in a replay. */
MUST_CHECK int input_configuration_again(struct club *club, int64_t at);
MUST_CHECK int input_program_again(
	struct club *club, int64_t at, int64_t edition, const char *version);

/* Sets a fact of the club that follows from no other input. */
MUST_CHECK int input_log_fact(struct club *club, int64_t at, const char *name, int64_t value);

/* The text of a file as a JSON string. -EBADMSG: it is no UTF-8. */
MUST_CHECK int input_load_text(const char *path, json_t **ret_text);
/* The data of a configuration event: the configuration's text with what is in the override
 * folder (or NULL). The caller frees it; NULL: that cannot be written as JSON. */
char *input_configuration(json_t *text, const char *overrides);

#define COMMAND_WORDS_MAX 512

/* A command that changes something: the next transaction that does carries it. BY is the account
 * that asked for it, or NULL. Ends with store_expect(store, 0, NULL, NULL). -EILSEQ: a word is no
 * UTF-8; -EINVAL: the text is none; -E2BIG: more than COMMAND_WORDS_MAX words. */
MUST_CHECK int input_expect_command(struct club *club, int64_t at, const char *by, int argc,
	char **argv, const char *text, size_t text_size);

/* An instant as JSON: null for INSTANT_NONE. */
json_t *input_instant(int64_t instant);

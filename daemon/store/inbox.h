/*
 * What came in, from the first byte to the verdict. A row is 'stored' (raw bytes are
 * durable), then 'read' (its letter is there), then 'decided'.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "daemon/store/arena.h"
#include "daemon/store/store.h"

struct inbox_row {
	int64_t id;
	const char *mailbox;
	const char *place;           /* Maildir: the file name; IMAP: UIDVALIDITY/UID */
	int64_t arrival;             /* UTC ms */
	int64_t size;                /* of the whole message; raw may be cut */
	const unsigned char *digest; /* SHA-256 of raw */
	const void *raw;
	size_t raw_size;
	bool moved;
	int64_t reads;
	const char *letter; /* JSON, NULL until read */
	const char *state;
	const char *message_id; /* or NULL */
	const char *verdict;    /* NULL until decided */
	int64_t game;           /* 0: none */
	int64_t ply;            /* -1: none */
	const char *player;     /* or NULL */
	const char *trust;      /* or NULL */
	const char *new_text;   /* or NULL */
	const char *notes;      /* or NULL; lines */
	int64_t decided;        /* INSTANT_NONE until then */
};

#define DIGEST_SIZE 32
void inbox_digest(const void *bytes, size_t size, unsigned char out[DIGEST_SIZE]);
/* In hexadecimal digits. */
void inbox_digest_text(const unsigned char digest[DIGEST_SIZE], char out[2 * DIGEST_SIZE + 1]);

struct inbox_new {
	const char *mailbox;
	int64_t rank; /* of the mailbox in the configuration file */
	const char *place;
	int64_t arrival;
	int64_t taken; /* when we took it */
	int64_t size;
	const void *raw;
	size_t raw_size;
};
/* Stores a message that an intake worker brought. 1: new; 0: it is already here and only
 * waits to be moved out of the mailbox (the same row's id is returned); -errno. */
MUST_CHECK int inbox_store(struct store *store, const struct inbox_new *message, int64_t *ret_id);
/* Does this message of an IMAP mailbox wait there already under another UIDVALIDITY? The server
 * has numbered its mails anew. 1 yes, 0 no. */
MUST_CHECK int inbox_renumbered(
	struct store *store, const struct inbox_new *message, int64_t *ret_id);
/* The message at this place has been moved out of the mailbox. */
MUST_CHECK int inbox_moved(struct store *store, const char *mailbox, const char *place);

/* 1 found, 0 there is none, -errno. */
MUST_CHECK int inbox_load(
	struct store *store, struct arena *arena, int64_t id, struct inbox_row *ret_row);

/* The next message to give to the reader: 1 found, 0 none. */
MUST_CHECK int inbox_next_unread(struct store *store, int64_t after, int64_t *ret_id);
/* Counts that the reader is about to get it (before it does: a crash must leave a trace). */
MUST_CHECK int inbox_reading(struct store *store, int64_t id);
MUST_CHECK int inbox_not_read(struct store *store, int64_t id);
MUST_CHECK int inbox_read(struct store *store, int64_t id, const char *letter);

/* The first undecided message behind the given place in the order of work (arrival,
 * mailbox, place): 1 found. Start with an order of {INSTANT_NONE, 0, ""}. */
struct inbox_order {
	int64_t arrival;
	int64_t rank;
	const char *place;
};
MUST_CHECK int inbox_next_undecided(struct store *store, struct arena *arena,
	const struct inbox_order *after, struct inbox_order *ret_order, int64_t *ret_id);

struct inbox_outcome {
	const char *verdict;
	int64_t game; /* 0: none */
	int64_t ply;  /* -1: none */
	const char *player, *trust, *message_id, *new_text, *notes;
	const unsigned char *new_digest; /* of the new text, or NULL */
	int64_t decided;
};
MUST_CHECK int inbox_decide(struct store *store, int64_t id, const struct inbox_outcome *outcome);
/* Back to 'read', to be judged again. */
MUST_CHECK int inbox_reopen(struct store *store, int64_t id);

/* Was a message with the same raw bytes, or with this Message-ID and new text, decided
 * before? 1 yes (an earlier row), 0 no. Anybody can write a Message-ID: the same text only
 * counts if it came from the same person (NULL: nobody we know) and was trusted as much. */
MUST_CHECK int inbox_seen_raw(struct store *store, int64_t id);
MUST_CHECK int inbox_seen_text(struct store *store, int64_t id, const char *message_id,
	const unsigned char new_digest[DIGEST_SIZE], const char *player, const char *trust);
/* Was the same new text refused in this game at this ply before? A message that is read again
 * was so itself. */
MUST_CHECK int inbox_seen_fault(struct store *store, int64_t game, int64_t ply, const char *player,
	const unsigned char new_digest[DIGEST_SIZE]);

/* Calls EACH for every message (with that verdict, if not NULL), oldest first, without raw
 * and letter. */
MUST_CHECK int inbox_each(struct store *store, const char *verdict,
	int (*each)(const struct inbox_row *row, void *userdata), void *userdata);
/* Ids of the held messages of a game, in the order of work. */
MUST_CHECK int inbox_held(
	struct store *store, struct arena *arena, int64_t game, int64_t **ret_ids, size_t *ret_n);
MUST_CHECK int inbox_count_waiting(struct store *store, int64_t *ret_count);

/*
 * What goes out. A row is written in the transaction of its cause and stays when it has
 * been delivered: its text is what later answers are compared with.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "daemon/store/arena.h"
#include "daemon/store/store.h"

struct outbox_row {
	int64_t id;
	const char *message_id;
	const char *kind;
	int64_t game;              /* 0: none */
	int64_t ply;               /* -1: none */
	const char *player;        /* the recipient's id, or NULL (an arbiter) */
	const char *recipient;     /* the address */
	const char *envelope_from; /* "" is the null sender */
	const char *verdict;       /* of the message it answers, or NULL */
	const char *subject;
	const char *text;
	const void *raw;
	size_t raw_size;
	int64_t cause;     /* inbox row, 0: none */
	int64_t clock_seq; /* the ledger row that its delivery stamps, 0: none */
	bool clock_query;  /* ... as delivery of a query */
	int64_t created;
	const char *state; /* waiting, delivered, failed */
	int64_t attempts;
	int64_t next_attempt;
	int64_t put_off;   /* when the target first put it off, or INSTANT_NONE */
	const char *error; /* of the last attempt or of its return, or NULL */
	int64_t delivered; /* INSTANT_NONE until then */
	int64_t returned;  /* when a report of its failure came in, or INSTANT_NONE */
};

MUST_CHECK int outbox_insert(struct store *store, const struct outbox_row *row, int64_t *ret_id);
MUST_CHECK int outbox_load(
	struct store *store, struct arena *arena, int64_t id, struct outbox_row *ret_row);
/* The id of the last one, 0 if there is none. */
MUST_CHECK int outbox_last(struct store *store, int64_t *ret_id);
/* In a replay: what another version of the program wrote in its place. */
MUST_CHECK int outbox_rewrite(struct store *store, const struct outbox_row *row);
/* 1 found, 0 there is none. */
MUST_CHECK int outbox_find(struct store *store, const char *message_id, int64_t *ret_id);

/* The next waiting row after AFTER that is due at NOW, in order of id. One that a mail of the
 * same game to the same reader waits in front of is not due. 1 found. */
MUST_CHECK int outbox_next_due(struct store *store, int64_t after, int64_t now, int64_t *ret_id);
/* The row that has waited behind this one, which waits no longer. 1 found. */
MUST_CHECK int outbox_next_behind(struct store *store, int64_t id, int64_t *ret_id);
/* The row that this one waits behind. 1 found. */
MUST_CHECK int outbox_ahead(struct store *store, int64_t id, int64_t *ret_id);
/* The next instant after NOW at which a waiting row is due; leaves *ret_at alone if there is
 * none. */
MUST_CHECK int outbox_next_attempt(struct store *store, int64_t now, int64_t *ret_at);

MUST_CHECK int outbox_delivered(struct store *store, int64_t id, int64_t at);
MUST_CHECK int outbox_failed(struct store *store, int64_t id, const char *error);
/* The target has put it off at NOW. */
MUST_CHECK int outbox_put_off(
	struct store *store, int64_t id, int64_t now, int64_t next_attempt, const char *error);
/* It could not be tried: why. It stays due. */
MUST_CHECK int outbox_untried(struct store *store, int64_t id, const char *error);
/* A delivered row came back at AT, and has failed. */
MUST_CHECK int outbox_returned(struct store *store, int64_t id, int64_t at, const char *error);
/* It waits again as if it had never been tried, to this recipient and with this mail. */
MUST_CHECK int outbox_again(struct store *store, int64_t id, const char *recipient,
	const char *envelope_from, const void *raw, size_t raw_size, int64_t now);
/* Has any row been delivered since? 1 yes. */
MUST_CHECK int outbox_delivered_since(struct store *store, int64_t since);
/* Have all mails that stamp this ledger row as delivered failed, one at least? 1 yes. */
MUST_CHECK int outbox_lost(struct store *store, int64_t game, int64_t clock_seq);
/* Has another mail of this game and ply to this player failed? 1 yes. */
MUST_CHECK int outbox_has_failed(struct store *store, const struct outbox_row *but);
/* The last delivered row that went out under this envelope sender. 1 found. */
MUST_CHECK int outbox_last_from(struct store *store, const char *envelope_from, int64_t *ret_id);
/* Ids of a player's failed rows, oldest first. */
MUST_CHECK int outbox_failed_of(struct store *store, struct arena *arena, const char *player,
	int64_t **ret_ids, size_t *ret_n);

/* The texts sent to a player in a game, newest first, at most MAX. */
MUST_CHECK int outbox_texts(struct store *store, struct arena *arena, int64_t game,
	const char *player, size_t max, const char ***ret_texts, size_t *ret_n);
/* Message-IDs of the mails of a game to a recipient, oldest first, the last MAX. */
MUST_CHECK int outbox_thread(struct store *store, struct arena *arena, int64_t game,
	const char *recipient, size_t max, const char ***ret_ids, size_t *ret_n);
/* The last receipt of a game that was written to the player. 1, or 0 if there is none. */
MUST_CHECK int outbox_last_receipt(
	struct store *store, int64_t game, const char *player, int64_t *ret_id);
/* Refusals sent to an address since an instant. */
MUST_CHECK int outbox_count_refusals(
	struct store *store, const char *recipient, int64_t since, int64_t *ret_count);
/* Was the arbiter told since then of a message of this player that got no answer? 1 yes. */
MUST_CHECK int outbox_cap_told(
	struct store *store, int64_t game, const char *player, int64_t since);
/* Mails of a kind to a recipient that this message has caused already. */
MUST_CHECK int outbox_count_caused(struct store *store, int64_t cause, const char *kind,
	const char *recipient, int64_t *ret_count);

MUST_CHECK int outbox_each_undelivered(struct store *store,
	int (*each)(const struct outbox_row *row, void *userdata), void *userdata);
/* The mail that waits longest, without its text; 1 found, 0 none waits. */
MUST_CHECK int outbox_oldest(struct store *store, struct arena *arena, struct outbox_row *ret_row);
/* Has any mail ever been delivered? 1 yes. */
MUST_CHECK int outbox_has_delivered(struct store *store);
/* STATE: "waiting" or "failed". */
MUST_CHECK int outbox_count(struct store *store, const char *state, int64_t *ret_count);

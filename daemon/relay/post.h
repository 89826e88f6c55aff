/*
 * Putting mails into the outbox: who gets one, with which token, in which thread.
 */
#pragma once

#include <stdint.h>

#include "core/pgn.h"
#include "daemon/compose/compose.h"
#include "daemon/relay/judge.h"
#include "daemon/relay/match.h"

/* What a mail is about, beside the match. Zero and NULL where it does not apply. */
struct post {
	enum mail_kind kind;
	const struct judgement *judgement;  /* the message that causes it */
	const struct decision *decision;    /* what was decided */
	const struct clock_timer *timer;    /* ... of this timer */
	const struct ruling *ruling;        /* ... of this ruling */
	const struct compose_leave *leaves; /* what became of a leave or stop */
	size_t n_leaves;
	const struct letter *letter; /* ... and its letter */
	int64_t inbox;               /* ... and its row */
	const char *cause_digest;    /* hex */
	int64_t received;            /* arrival of that message */
	int penalty_days;            /* booked for it */
	const char *article;
	bool required;     /* a copy that the rules demand */
	int64_t clock_seq; /* the ledger row that its delivery stamps */
	bool clock_query;  /* ... as delivery of a query */
	const char *bounced_subject, *bounced_player, *bounced_reason;
	enum side bounced_side;    /* of bounced_player */
	bool bounced_own;          /* it was the reader's; TO is another address of his */
	const char *confirm_token; /* kind confirm: the token to answer with */
	const char *to;            /* another address than the reader's own, or NULL */
	/* What compose.h has for announcements, bulletins, orders; facts that this struct and the
	 * match say themselves are not taken from it. */
	const struct compose_facts *also;
	int64_t now;
};

/* Composes a mail under an id that no other has: the same may be said twice at one instant, and
 * facts->sequence tells them apart. The caller releases the mail. */
MUST_CHECK int post_compose(
	struct store *store, struct compose_facts *facts, struct mail *ret_mail);

/* One mail to the player of that side. */
MUST_CHECK int post_to_player(struct match *match, enum side side, const struct post *post);
/* One mail to the event's public area, if it has one. */
MUST_CHECK int post_to_public(struct match *match, const struct post *post);
/* An answer to one arbiter, by his address. */
MUST_CHECK int post_to_arbiter(struct match *match, const char *address, const struct post *post);
/* Is this arbiter among those that post_to_arbiters tells? */
bool post_is_told(const struct match *match, enum mail_kind kind, const char *address);
/* One mail to each arbiter entitled to it. */
MUST_CHECK int post_to_arbiters(struct match *match, const struct post *post);
/* One mail to a player that is about none of his games, or about several. */
MUST_CHECK int post_to_person(struct club *club, const char *player, const struct post *post);

/* A game in a mail about several (compose.h). What it points to is the match's, or its own. */
struct post_game {
	struct compose_event event;
	struct compose_player players[2];
	struct compose_game game; /* of no reader, from the start on */
};
/* The clock of the match has been advanced. */
MUST_CHECK int post_describe_game(const struct match *match, struct post_game *ret_game);

/* The record of a match as PGN; the caller frees it. STYLE: NULL for that of its rules. */
MUST_CHECK int post_record(const struct match *match, const enum pgn_style *style, char **ret_text);

/*
 * From facts to a mail: every mail that Zugpost sends is made here, from values alone. The
 * words come from templates (config/templates); this code only fills in names, numbers,
 * moves, boards and tables.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/configuration.h"
#include "config/templates.h"
#include "core/base.h"
#include "core/notation.h"
#include "core/pgn.h"
#include "daemon/compose/mail.h"
#include "rules/calendar.h"
#include "rules/clock.h"
#include "rules/decide.h"
#include "rules/game.h"
#include "rules/leave.h"
#include "rules/mail_kind.h"
#include "rules/message.h"
#include "rules/verdict.h"

struct compose_player {
	const char *id;
	const char *name;
	const char *language;
	const char *notation; /* "san", "san-fi", "figurine", "long", "iccf"; NULL: san */
	const struct zone *zone;
	const char *country; /* NULL if not known */
	int elo;             /* 0 if not known */
	const char *address; /* for the arbiter's report; of the sender of a move where the
				rules demand it (RAZSh 2.1); NULL elsewhere */
};

struct compose_event {
	const char *code;
	const char *name;
	enum rule_system rules;
	const char *site; /* NULL: the rules' own */
	int64_t start;
	const char *arbiter;      /* address, NULL if none */
	const char *arbiter_name; /* NULL if none */
};

/* What became of a leave or stop in one game. */
struct compose_leave {
	enum command command; /* COMMAND_LEAVE, _END_LEAVE, _STOP, _VACATION */
	enum side by;         /* whose it is */
	const char *game;     /* "KO-50.2/1" */
	const char *opponent; /* his opponent's name there */
	const struct leave_outcome *outcome;
	int64_t start, end; /* of a stop; INSTANT_NONE else */
};

/* Everything is borrowed for the call. */
struct compose_facts {
	enum mail_kind kind;
	const struct configuration *configuration;
	const struct templates *templates;

	const struct compose_event *event;       /* NULL: the mail is about no game */
	const struct compose_player *players[2]; /* by side */
	unsigned number;                         /* of the game */
	const char *code; /* MC-link: its four characters; NULL: the number */
	const struct game *game;
	const struct clock *clock; /* advanced to `now`; NULL if none runs */

	enum mail_reader reader; /* somebody who is no player: READER_ARBITER, READER_PUBLIC */
	const char *to;          /* recipient's plain address */
	const char *to_name;     /* NULL if not known */
	const char *language;    /* of the reader; NULL: the player's, or the club's */
	const struct zone *zone; /* of the reader if he is no player; NULL: UTC */
	const char *token;       /* the reader's reply token, or NULL */

	enum verdict verdict;          /* of the message that is answered, VERDICT_NONE if none */
	const struct message *message; /* what was read, or NULL */
	const char *article;           /* "10.2"; NULL if none */
	int penalty_days;              /* booked for this message */
	int64_t received;              /* arrival of the message that is answered or relayed */
	const char *words;             /* the player's own words to pass on, UTF-8, or NULL */
	const enum decision_warning *warnings;
	size_t n_warnings;
	const struct decision *decision;    /* that causes the mail, already carried out: its matter
					       and refusal, what it made; NULL if none */
	const struct clock_timer *timer;    /* ... of this timer, or NULL */
	const struct ruling *ruling;        /* ... of this ruling, or NULL */
	const struct compose_leave *leaves; /* kind leave: the game's one; receipts and refusals
					       of the command: one for each game */
	size_t n_leaves;
	bool confirmation_late;     /* it confirms a held move that has lapsed */
	const char *marked_address; /* an unregistered address the move came from, or NULL */

	int64_t reminded;            /* overstep: when the last message was repeated to the side on
					move (IECC 7.11), 0 or INSTANT_NONE if it was not */
	const char *bounced_subject; /* bounce-notice: what could not be delivered */
	const char *bounced_player;  /* ... to whom, for the arbiter */
	bool copies;                 /* move: a copy goes to the arbiter */
	const char *bounced_reason;  /* ... and what the server said, or NULL */

	int64_t now;
	const char *in_reply_to;         /* message id without brackets, or NULL */
	const char *references;          /* ids with brackets, separated by blanks, or NULL */
	const char *answered_message_id; /* of the player's mail that this one answers, or NULL;
					    left out if it is none */
	int sequence;                    /* tells apart mails of one kind, ply and recipient */
	const char *cause_digest;        /* hex, of the input that caused the mail */
};

/* Returns 0, -EINVAL (something does not fit into a header), -ENOENT (no such template) or
 * -ENOMEM. The caller releases the mail. */
MUST_CHECK int compose_mail(const struct compose_facts *facts, struct mail *ret_mail);

#define REPLY_LINE_MAX (2 * NOTATION_MAX + 48)

/* The line that a mail to SIDE ends with when PLY plies are made: it repeats the last move, and
 * typing one move behind it is a complete answer. IECC, in English SAN: "12. Nf3 " for Black,
 * "11... d5 12. " for White, "1. " before the first move. RAZSh the same in numbers:
 * "12. 7163 ". MC-link states the move twice: "12n Cg8-f6  12n Cg8-f6  13b ". Returns its
 * length, 0 if SIDE is not on move then. */
size_t compose_reply_line(enum rule_system system, const struct game *game, size_t ply,
	enum side side, char out[REPLY_LINE_MAX]);

/* The style that the rules of an event want (IECC 12.3-12.5, RAZSh appendix 4). */
enum pgn_style compose_record_style(enum rule_system system);

/* The game's record as PGN. The facts need event, players and game only (and a zone for the
 * date). The caller frees the text. */
MUST_CHECK int compose_record(
	const struct compose_facts *facts, enum pgn_style style, char **ret_text);

/* The same deterministic id that compose_mail gives, without brackets; the caller frees it. */
MUST_CHECK int compose_message_id(const struct compose_facts *facts, char **ret_id);

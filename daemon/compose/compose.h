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
#include "rules/lotto.h"
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
	const char *player; /* his name; NULL: as the game's players or the reader tell it. Needed
			       in bulletins */
	bool begun, over;   /* bulletin: a leave that has begun, that is over by then; its `game` is
			       NULL, it holds in all of the event's */
	const char *reason; /* bulletin: the Coordinator's words for what is against the rules
			       (MC-link 7ter.16, 7ter.24), or NULL */
};

/* What the other side has answered to a request for leave (IECC 8.2, 8.3; RAZSh 7.7): with a
 * MAIL_LEAVE to the player who asked. */
enum compose_consent {
	CONSENT_NONE = 0,
	CONSENT_AGREED,   /* the opponent agrees */
	CONSENT_REFUSED,  /* ... does not */
	CONSENT_APPROVED, /* the arbiter approves */
	CONSENT_DENIED,   /* ... does not */
};

/* A game in a mail that is about several: status, bulletin, what was entered for the reader. */
struct compose_game {
	const struct compose_event *event;
	const struct compose_player *players[2];
	unsigned number;
	const char *code; /* MC-link: its four characters; NULL: the number */
	const struct game *game;
	const struct clock *clock; /* advanced to `now`; NULL if none runs */
	enum mail_reader reader;   /* but for bulletins: READER_WHITE or READER_BLACK, whose games
				      they   are */
	int64_t deadline; /* of the side on the move, as `game --json` says; INSTANT_NONE: none */
	size_t held;      /* messages that are kept for it */
	size_t since;     /* bulletin: plies made when the last one was written */
	bool ended;       /* bulletin: it has ended since */
};

/* MC-link's summary (block 2.2, 6.3, 6.4). Its games are facts.games; the stops that were
 * decided since the last one facts.leaves, each with `player`; rulings facts.notes. */
struct compose_bulletin {
	unsigned number; /* 1, 2 and so on in its event */
	int64_t from;    /* when the last one was written; INSTANT_NONE: this is the first */
	int64_t next;    /* when the next one comes: moves may be contested until then (6.4);
			    INSTANT_NONE: that is not known */
};

/* A message that waits: it arrived before a deadline that had fired, or while the game was
 * suspended. */
struct compose_held {
	int64_t id; /* of the message, as `zugpostctl message` wants it */
	enum side by;
	int64_t at; /* arrival */
};

/* A line of free text about a game: a ruling and its reason in a bulletin. */
struct compose_note {
	const char *game; /* "KO-50.2/1", or NULL */
	int64_t at;
	const char *text;
};

/* MC-link 10, in a MAIL_ANNOUNCEMENT about a drawn game of a knockout. */
struct compose_lotto {
	enum after_draw after; /* AFTER_DRAW_LOTTO: the wheel decides; else another game */
	int drawn;             /* the first number on the Rome wheel; 0: it is not drawn yet */
	struct lotto lotto;    /* numbers, winner and counters; as with drawn = 1 before it is */
	int before[2];         /* counters when the draw was declared (10.11) */
};

/* Rulings that struct ruling does not hold, in a MAIL_RULING. */
enum compose_order {
	ORDER_NONE = 0,
	ORDER_MOVE,           /* the last move was entered for the player of order_side */
	ORDER_ACCEPT_ADDRESS, /* new_address is registered for him */
	ORDER_MOBILE_ON,      /* IECC 10.4 */
	ORDER_MOBILE_OFF,
	ORDER_CORRECTED, /* an earlier ruling no longer holds; `ruling` has the new one if
			    there is one */
};

/* What was entered for the reader by somebody else, an arbiter or the administrator. */
enum compose_entered {
	ENTERED_NONE = 0,
	ENTERED_LEAVE,      /* MAIL_LEAVE: `leaves`, one for each game, and `games` as they stand */
	ENTERED_WITHDRAWAL, /* MAIL_ANNOUNCEMENT: from `games` */
	ENTERED_CHANGE,     /* MAIL_ANNOUNCEMENT: `change` */
};

/* ENTERED_CHANGE: what the club knows of the reader from now on. NULL, or 0: as before. */
struct compose_change {
	const char *const *addresses; /* all of his, the first one is written to */
	size_t n_addresses;
	const char *const *gone; /* those that he has no longer */
	size_t n_gone;
	const char *timezone, *language, *notation;
};

/* What a MAIL_ADMIN is about. */
enum compose_alert {
	ALERT_NONE = 0,
	ALERT_UNPARSABLE, /* a message could not be read; alert_about: its number */
	ALERT_MAILBOX,    /* a mailbox cannot be reached since alert_since; alert_about: its name */
	ALERT_MAILBOX_BACK,  /* ... is reached again */
	ALERT_DELIVERY,      /* the delivery target cannot be reached */
	ALERT_DELIVERY_BACK, /* ... is reached again */
	ALERT_GAVE_UP,       /* a mail was given up; alert_about: its number or subject */
	ALERT_ANSWERS, /* an address has had its answers of the day; alert_about: its number */
	ALERT_ADDRESS, /* of the player alert_about (IECC 3.8, 4.1): old_address has become
			  new_address if `address_done`, else that was asked for and not confirmed;
			  without new_address, mail to old_address comes back */
	ALERT_WORKER,  /* a worker process fails again and again; alert_about: its name */
	ALERT_STORE,   /* the store cannot be written, or the disk is nearly full */
	ALERT_CLOCK,   /* the machine's clock went back or jumped */
	ALERT_OTHER,   /* alert_text says it */
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

	int64_t reminded;      /* overstep: when the last message was repeated to the side on
				  move (IECC 7.11), 0 or INSTANT_NONE if it was not */
	int64_t running_since; /* overstep: when the last move was delivered to that side; 0 or
				  INSTANT_NONE if that is not known */
	const struct compose_held *held; /* overstep, claim: messages that wait, for the arbiter */
	size_t n_held;
	const bool *outages; /* by index of clock_charges: the charge touches an outage of the
				club's servers; NULL: none does */
	size_t n_outages;
	int turn_credit; /* overstep: of the move that is thought about so many dates, in MC-link
			    hours, touch an outage */
	const char *bounced_subject; /* bounce-notice: what could not be delivered */
	const char *bounced_player;  /* ... to which player of the game, or NULL */
	enum side bounced_side;      /* ... his side */
	bool bounced_own;            /* ... to the reader, who gets this at another address */
	bool copies;                 /* move: a copy goes to the arbiter */
	const char *bounced_reason;  /* ... and what the server said, or NULL */

	const struct compose_game *games; /* status, bulletin, what was entered */
	size_t n_games;
	const struct compose_bulletin *bulletin;
	const struct compose_note *notes; /* bulletin */
	size_t n_notes;

	const char *announcement; /* announcement: the arbiter's words, or NULL */
	const char *author;       /* whose words or ruling it is, by name; NULL: the arbiter */
	const char *reason;       /* ruling: his reason in his words, or NULL */
	enum compose_order order; /* ruling: one that `ruling` does not hold */
	enum side order_side;
	const struct compose_lotto *lotto; /* announcement */
	enum compose_consent consent;      /* leave: the answer to the reader's request */

	/* Services. An address change: receipt of the command (`address_done` when both addresses
	 * have confirmed it), MAIL_CONFIRM to both addresses, MAIL_ANNOUNCEMENT to opponents and
	 * arbiters, ORDER_ACCEPT_ADDRESS. Nobody but its owner, arbiters, the administrator and
	 * opponents under RAZSh's rules is shown it. */
	const char *new_address, *old_address;
	bool to_new_address; /* confirm: this mail goes to the new one */
	bool address_done;
	enum side address_of;      /* announcement: whose */
	const char *service_value; /* receipt of language, notation: what holds from now on */
	enum compose_entered entered;
	const struct compose_change *change;

	enum compose_alert alert; /* admin */
	const char *alert_about;
	int64_t alert_since;    /* INSTANT_NONE if not known */
	const char *alert_text; /* what was said, several lines, or NULL */

	int64_t now;
	const char *in_reply_to;         /* message id without brackets, or NULL */
	const char *references;          /* ids with brackets, separated by blanks, or NULL */
	const char *answered_message_id; /* of the player's mail that this one answers, or NULL;
					    left out if it is none */
	const char *before;       /* receipts: hash of the one before (relay/receipts.h), or NULL */
	int sequence;             /* tells apart mails of one kind, ply and recipient */
	const char *cause_digest; /* hex, of the input that caused the mail */
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

/* RAZSh, appendix 1: the table of how moves passed and what time they took, in the language of
 * the reader. The facts need event, players, game and clock. The caller frees the text. */
MUST_CHECK int compose_schedule(const struct compose_facts *facts, char **ret_text);

/* The same deterministic id that compose_mail gives, without brackets; the caller frees it. */
MUST_CHECK int compose_message_id(const struct compose_facts *facts, char **ret_id);

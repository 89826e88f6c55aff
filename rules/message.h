/*
 * A message as the rules see it: what a proven (or not proven) sender says about a game.
 * The mail grammar (daemon/reading/grammar.h) makes it, decide() judges it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base.h"
#include "core/notation.h"
#include "rules/calendar.h"
#include "rules/conditionals.h"

/* How far the sender is proven (product, section 2). */
enum trust {
	TRUST_UNKNOWN = 0,
	TRUST_REGISTERED,    /* From is a registered address, nothing proves it */
	TRUST_AUTHENTICATED, /* dmarc=pass for exactly that domain */
	TRUST_TOKEN,         /* the person's own reply token for this game */
};

enum repetition {
	REPETITION_NONE = 0, /* no repetition of the opponent's last move */
	REPETITION_RIGHT,    /* typed by the player and right */
	REPETITION_LINE,     /* the unaltered reply line of our mail stands in for it */
	REPETITION_WRONG,
};

/* A stretch of the new text, as it was written: bytes of message.text. */
struct excerpt {
	size_t at, size;
};

#define STATED_COMMANDS_MAX 8

/* Commands by mail (product, section 4): a line of their own says them. */
enum command {
	COMMAND_NONE = 0,
	COMMAND_RESIGN,
	COMMAND_DRAW, /* an offer; with a move */
	COMMAND_ACCEPT,
	COMMAND_DECLINE,
	COMMAND_CLAIM_THREEFOLD,
	COMMAND_CLAIM_FIFTY,
	COMMAND_DEMAND_FIFTY,
	COMMAND_CLAIM_TIME,
	COMMAND_LEAVE,
	COMMAND_END_LEAVE,
	COMMAND_STOP,
	COMMAND_VACATION,
	COMMAND_WITHDRAW,
	COMMAND_AGREE,
	COMMAND_REFUSE,
	COMMAND_STATUS,
	COMMAND_RESEND,
	COMMAND_ADDRESS,
	COMMAND_LANGUAGE,
	COMMAND_NOTATION,
	COMMAND_HELP,
};

struct stated_command {
	enum command kind;
	struct excerpt line;     /* the whole line, with what follows the command's word */
	struct excerpt argument; /* what follows the words: an address, a language, a period */

	/* COMMAND_LEAVE, _STOP, _VACATION: the period; COMMAND_END_LEAVE may have none. The
	 * times are minutes after midnight, of the player's day (MC-link: of its clock), -1
	 * where none is written. All zero: no period could be read. */
	bool has_period;
	int32_t from, to; /* dates */
	int from_minute, to_minute;
	int n; /* COMMAND_CLAIM_TIME: the control, 0 if none is written */
};

/*
 * A conditional series as it is stated: "if 13. Bg5 h6 14. Bh4 g5". Its plies are read in
 * turns from the position after the own move on, the opponent's expected move first. A
 * series that begins "after" a prefix of the one before it is stated whole.
 */
struct stated_conditional {
	struct conditional_line line; /* what could be read, up to the fault if there is one */
	enum move_result fault;       /* how the next ply reads; MOVE_READ: the series ends there */
	struct excerpt text;          /* the whole series */
	struct excerpt fault_text;    /* the words of that ply */
};

/* MC-link 4.3-4.10, 7bis.3: what is wrong with the form; or-ed. `Re:` and the like, the columns
 * of the mail that is answered and the second statement that our own line supplies are no
 * faults. */
enum format_fault {
	FORMAT_SUBJECT = 1 << 0,   /* number, colour or id missing or wrong */
	FORMAT_STATEMENT = 1 << 1, /* the move is stated once only */
	FORMAT_SQUARES = 1 << 2,   /* start or arrival square missing */
	FORMAT_PROMOTION = 1 << 3, /* promotion without '=' */
	FORMAT_NUMBER = 1 << 4,    /* number or colour missing or wrong in the body */
};

struct message {
	enum side by; /* who sent it */
	enum trust trust;
	int64_t sent;     /* arrival at the club */
	const char *text; /* the new text, UTF-8; borrowed, outlives the message */
	size_t text_size;

	unsigned ply;       /* plies made in the position that the message speaks of */
	bool last_repeated; /* the repetition names this position beyond doubt */

	enum repetition repetition;
	struct excerpt repetition_text;
	uint16_t repetition_move; /* what the repetition reads as, or MOVE_NONE */

	bool has_own;            /* there is an own move, readable or not */
	struct excerpt own_text; /* the words of the move */
	struct excerpt own_line; /* the whole line it stands in */
	struct move_reading own; /* read in the position after `ply` plies */
	bool withdrawn;          /* no own move: it was stated, and taken back */
	bool several_own;        /* two different own moves: none is played */
	struct excerpt second_text;

	/* Without an own move: the only legal one that the text speaks of, or MOVE_NONE. */
	uint16_t mentioned;
	struct excerpt mentioned_text;

	/*
	 * Accepted by repetition: while conditional moves of the opponent wait (game->
	 * conditionals), a list that begins with the own move and follows one of the lines for
	 * at least one whole pair (expected move, reply). Those pairs stand here, an even number
	 * of plies from `ply` on; `own` is then the move after them, read in that position, and
	 * has_own says whether there is one. A lone expected move is an ordinary own move.
	 */
	uint16_t accepted[CONDITIONAL_PLIES_MAX];
	size_t n_accepted;
	struct excerpt accepted_text; /* the lines that state them */

	/* Conditional moves that the message offers, in the order in which it states them. */
	struct stated_conditional conditionals[CONDITIONAL_LINES_MAX];
	size_t n_conditionals;

	unsigned format_faults; /* enum format_fault; MC-link only */
	unsigned line_faults;   /* of them, what our line makes up for that stands below the move
				 * (product, section 5); edition 1 did not know them */

	bool draw_offer;
	bool ignored_continuation; /* unmarked moves after the own move */
	bool move_in_quote; /* a dropped quote or signature held a move that fits this position */
	unsigned number_warning; /* a move number of another ply although the repetition is right */

	struct stated_command commands[STATED_COMMANDS_MAX];
	size_t n_commands;
};

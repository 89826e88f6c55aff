/*
 * What a message does to its game. Pure: values in, a verdict and effects out. The
 * relay carries the effects out in one transaction with the record of the message.
 *
 * The relay calls it in order of event time: every deadline of the game that lies at or
 * before the message's arrival has been decided before.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "rules/clock.h"
#include "rules/game.h"
#include "rules/mail_kind.h"
#include "rules/message.h"
#include "rules/verdict.h"

/* What to do with a move whose sender nothing proves ("otherwise" in the configuration;
 * what it rejects never gets here). */
enum unproven {
	UNPROVEN_CONFIRM = 0,
	UNPROVEN_ACCEPT,
};

/* What the event and the club bring to a decision, beside the game. */
struct rules_context {
	enum rule_system system;
	bool repetition_typed; /* the reply line does not count as a repetition */
	bool fault_seen;       /* the same faulty text was judged at this ply before */
	bool answers_capped;   /* the sender's address has had its answers of the day */
	enum unproven unproven;
};

enum effect_kind {
	EFFECT_MOVE = 0, /* move: it is made on the board */
	EFFECT_CLOCK,    /* event: append to the game's clock */
	EFFECT_STATE,    /* state, result, termination */
	EFFECT_OFFER,    /* offer: what stands from now on */
	EFFECT_MAIL,     /* mail, to: one mail to each of that reader's addresses */
};

enum mail_reader {
	READER_WHITE = 0,
	READER_BLACK,
	READER_ARBITER, /* each arbiter entitled to this kind */
};

struct effect {
	enum effect_kind kind;
	uint16_t move;
	struct clock_event event;
	enum game_state state;
	enum clock_result result;
	enum termination termination;
	enum draw_offer offer;
	enum mail_kind mail;
	enum mail_reader to;
};

#define EFFECTS_MAX 16
#define WARNINGS_MAX 8

/* What the receipt warns of. */
enum decision_warning {
	WARNING_NONE = 0,
	WARNING_FALLBACK,           /* the move was read by a fallback reading */
	WARNING_OTHER_LETTERS,      /* ... with the letters of another language */
	WARNING_MARK,               /* a mark that does not fit was ignored */
	WARNING_NUMBER,             /* a move number of another move */
	WARNING_REPETITION_MISSING, /* not demanded here */
	WARNING_CONTINUATION,       /* unmarked moves after the own move */
	WARNING_COMMAND,            /* words that look like a command were not carried out */
};

struct decision {
	enum verdict verdict;
	const char *article; /* the article of a refusal or penalty ("IECC 10.2"), or NULL */
	bool fault_booked;   /* a CLOCK_FAULT is among the effects */
	bool tell_arbiter;   /* not what a machine should settle alone */
	enum decision_warning warnings[WARNINGS_MAX];
	size_t n_warnings;
	struct effect effects[EFFECTS_MAX];
	size_t n_effects;
};

/* Judges a message (groups 4 to 7 of product, section 3; what came before has found the
 * game and the sender). NOW is the instant of the decision, the message's own instant is
 * message->sent. */
void decide(const struct rules_context *context, const struct game *game,
	const struct message *message, int64_t now, struct decision *ret_decision);

/* The start of the event has come: the game opens and both players are told. */
void decide_start(const struct rules_context *context, const struct game *game, int64_t start,
	struct decision *ret_decision);

/* The side to move has overstepped at AT and nothing arrived before (product, section 6). */
void decide_overstep(const struct rules_context *context, const struct game *game, int64_t at,
	struct decision *ret_decision);

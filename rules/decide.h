/*
 * What a message, a timer or a ruling does to its game. Pure: values in, a verdict and
 * effects out. The relay carries the effects out, in their order, in one transaction with
 * the record of what caused them.
 *
 * The relay calls it in order of event time: every deadline of the game that lies at or
 * before the message's arrival has been decided before.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/draws.h"
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

/* Why a command, a request or a ruling was not carried out. */
enum refusal {
	REFUSAL_NONE = 0,
	REFUSAL_UNPROVEN,      /* a command that changes anything needs a proof */
	REFUSAL_WITH_MOVE,     /* resign and a move in one message */
	REFUSAL_CONTRADICTION, /* commands that exclude each other */
	REFUSAL_OTHER_RULES,   /* there is no such thing under the rules of this event */
	REFUSAL_GAME_OVER,
	REFUSAL_NOT_STARTED,
	REFUSAL_SUSPENDED,     /* the game waits for a ruling */
	REFUSAL_NO_OFFER,      /* none of the opponent stands */
	REFUSAL_OFFER_ALONE,   /* an offer goes with a move (FIDE 9.1) */
	REFUSAL_NOT_YOUR_TURN, /* a draw is claimed by the player on the move (FIDE 9.2) */
	REFUSAL_UNREADABLE,    /* the arguments could not be read */
	REFUSAL_NO_OVERSTEP,   /* RAZSh 6.1: the control is not reached or the opponent in time */
	REFUSAL_TOO_LATE,      /* RAZSh 6.1 */
	REFUSAL_BARRED,        /* RAZSh 6.7 */
	REFUSAL_CLAIMED,       /* a claim is open already */
	REFUSAL_NO_GAME,       /* no game that it could concern */
	REFUSAL_NOT_ALLOWED,   /* leave, stop: see the reasons by game */
	REFUSAL_NOTHING,       /* a ruling on nothing: no claim, no overstep, no such ply */
	REFUSAL_ORDER,         /* a stamp before another that it must follow */
	REFUSAL_MOVE,          /* `move`: it is not a legal move */
	REFUSAL_STAMPS,        /* `correct`: the move would be delivered before it was sent */
	REFUSAL_BOARD,         /* the position on the board has ended the game */
	REFUSAL_CODE,          /* another unfinished game has its code by now */
	REFUSAL_FOLLOWED,      /* another game, or a lot, has followed from its result */
};

/* What the event and the club bring to a decision, beside the game. */
struct rules_context {
	enum rule_system system;
	int edition;           /* of what is decided (rules/edition.h); 0: the newest */
	bool repetition_typed; /* the reply line does not count as a repetition */
	bool fault_seen;       /* the same faulty text was judged at this ply before */
	bool answers_capped;   /* the sender's address has had its answers of the day */
	bool cap_told;         /* ... and the arbiter knows */
	enum unproven unproven;

	bool fide_2014;     /* fivefold repetition and 75 moves end the game (draw table) */
	bool mobile;        /* IECC 10.4: every message goes to the TD too */
	bool public_area;   /* MC-link: the event has a public address: READER_PUBLIC gets mail */
	bool original_lost; /* the sender's last move could not be delivered (RAZSh 4.9, 5.1) */
	/* Of a finished game: why it cannot be unfinished again; REFUSAL_NONE, REFUSAL_CODE or
	 * REFUSAL_FOLLOWED. */
	enum refusal stays_ended;
	/* The game's clock with all that came before, advanced to the instant that is decided.
	 * May be NULL for what needs none: moves in IECC, draws, resignation. Borrowed. */
	const struct clock *clock;
};

enum effect_kind {
	EFFECT_MOVE = 0, /* move: it is made on the board */
	EFFECT_CLOCK,    /* event: append to the game's clock */
	EFFECT_STATE,    /* state, result, termination, awaiting, awaiting_by. When a MC-link game
			    finishes, its players' other unfinished games of the event get a
			    CLOCK_GAMES each (7.5') */
	EFFECT_OFFER,    /* offer: what stands from now on */
	EFFECT_MAIL,     /* mail, to, stamp, stamped, required: one mail to each of that reader's
			    addresses */
	EFFECT_CONDITIONALS, /* decision->conditionals: what waits from now on (n_lines 0: none) */
	EFFECT_DEMAND,       /* demanded: game->demanded from now on (MC-link 9) */
	EFFECT_TIMER,        /* timer: arm it, keyed by game, kind and ply */
	EFFECT_ROLLBACK,     /* plies: the board goes back to so many moves made; comes with the
				CLOCK_ROLLBACK. Offers, conditionals and demands have their own
				effects */
	EFFECT_WITHDREW,     /* side, withdrew: when that side withdrew; 0: settled, or none */
	EFFECT_REARM, /* timer.kind, plies: timers of this kind (CLOCK_TIMER_KINDS: of all kinds)
			 that have fired at this ply or a later one may fire again: a ruling has
			 undone an overstep, or the turn begins anew */
};

enum mail_reader {
	READER_WHITE = 0,
	READER_BLACK,
	READER_ARBITER, /* each arbiter entitled to this kind */
	READER_PUBLIC,  /* the event's public address (MC-link) */
};

/* What the delivery of a mail stamps (the 250 of its reader's server). */
enum effect_stamp {
	STAMP_NONE = 0,
	STAMP_DELIVERED, /* `delivered` of the clock event effects[stamped]: the reader's time
			    starts */
	STAMP_QUERY,     /* its `query_delivered` (RAZSh 4.7: the relay has sent a bad move back) */
};

struct effect {
	enum effect_kind kind;
	uint16_t move;
	struct clock_event event;
	enum game_state state;
	enum clock_result result;
	enum termination termination;
	enum awaiting awaiting;
	enum side awaiting_by;
	enum draw_offer offer;
	enum mail_kind mail;
	enum mail_reader to;
	enum effect_stamp stamp;
	size_t stamped; /* index of the EFFECT_CLOCK */
	bool required;  /* a copy that the rules demand: `copies = required` sends it too */
	size_t demanded[2];
	struct clock_timer timer;
	size_t plies;
	enum side side;
	int64_t withdrew;
};

#define EFFECTS_MAX 128
#define WARNINGS_MAX 12

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
	WARNING_REPETITION_WRONG,   /* MC-link: accepted all the same (reading 18) */
	WARNING_FORMAT,             /* MC-link 7bis.3: a fault of form */
	WARNING_CONDITIONAL,        /* a conditional series was cut off (reading 8) */
	WARNING_SERIES,             /* MC-link 5.3: a series repeated in part is none */
	WARNING_CLAIM,              /* a draw claim that does not hold stands as an offer */
	WARNING_OFFER,              /* an offer before both have moved does not count (FIDE 9.1) */
};

/* What a decision is about, where the verdict does not say it: for the words of mails of the
 * kinds claim, leave, overstep, reminder, ruling, result, announcement. */
enum matter {
	MATTER_NONE = 0,
	MATTER_OVERSTEP, /* IECC 7.10, RAZSh 4.3: overstep; MC-link: a time-out */
	MATTER_REMINDER, /* IECC 7.11, RAZSh 5.1: the last message once more */
	MATTER_SILENCE,  /* RAZSh 5.3: forty days without a move; II 5.1: no answer */
	MATTER_NO_MOVES, /* RAZSh II 5.2: three calendar months without a move */
	MATTER_COPIES,   /* RAZSh 4.10 begins */
	MATTER_BACK,     /* a leave or stop has ended */
	MATTER_STOP,     /* MC-link: a stop begins */
	MATTER_OFFER_DECLINED,
	MATTER_CLAIM_REJECTED,  /* a draw claim did not hold; it stands as an offer */
	MATTER_CLAIM_THREEFOLD, /* the draw was claimed */
	MATTER_CLAIM_FIFTY,
	MATTER_DEMAND,        /* MC-link 9: mate within fifty moves was demanded */
	MATTER_AGREEMENT,     /* a draw was agreed; MC-link: the Coordinator checks it */
	MATTER_DEAD_POSITION, /* MC-link: for the Coordinator to declare */
	MATTER_FIVEFOLD,      /* notice only */
	MATTER_SEVENTYFIVE,
	MATTER_RESIGNATION,
	MATTER_TIME_CLAIM, /* RAZSh 6.1 */
	MATTER_OBJECTION,  /* RAZSh 6.4: its time is over */
	MATTER_WITHDRAWAL,
	MATTER_EVENT_END,    /* RAZSh 9.4: papers are asked for; else word that it has come */
	MATTER_PAPERS,       /* their time is over */
	MATTER_ACCESS,       /* RAZSh 1.6: counts as withdrawn */
	MATTER_TRANSMISSION, /* RAZSh 2.5: a move was longer on its way than is standard */
	MATTER_LEAVE,
	MATTER_RULING,
};

struct decision {
	enum verdict verdict;
	const char *article; /* the article of a refusal or penalty ("IECC 10.2"), or NULL */
	bool fault_booked;   /* a CLOCK_FAULT is among the effects */
	bool tell_arbiter;   /* not what a machine should settle alone */
	enum decision_warning warnings[WARNINGS_MAX];
	size_t n_warnings;

	enum matter matter;
	enum refusal refusal; /* with VERDICT_COMMAND_ERROR */
	/* Index of the stated command that the shell carries out beside the effects: one that
	 * concerns the player and not this game alone (leave, end leave, stop, vacation, withdraw,
	 * agree, refuse: decide_leave and so on, whose verdict and answer then count) or that is a
	 * service (status, resend, address, language, notation, help). -1: none. */
	int request;
	bool unproven; /* VERDICT_HELD because nothing proves the sender: ask him (MAIL_CONFIRM) */
	bool registered; /* MC-link 7ter.23: a move in a stop, counts at its end */
	size_t made;     /* plies that the effects make */
	size_t accepted; /* of these, plies accepted by repetition */
	size_t replies;  /* of these, stored conditional replies (IECC 7.6a) */

	/* When the game ends by resignation or time, and in overstep reports: can the player who
	 * profits still mate (FIDE 5.1.2, 6.9)? */
	bool asks_mate;
	enum draws_answer can_mate;

	enum side withdrawn; /* with MATTER_WITHDRAWAL: whose it is */
	bool reopened;       /* a ruling puts the end of the game aside */

	/* A claim of time (RAZSh 6): the account that goes with it. */
	int claim_spent, claim_limit;
	bool claim_borne_out;

	struct conditionals conditionals; /* of an EFFECT_CONDITIONALS */
	struct effect effects[EFFECTS_MAX];
	size_t n_effects;
};

/* Judges a message (groups 3 to 7 of product, section 3; what came before has found the
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

/*
 * A timer of the game is due: one that clock_timers gave, one that an EFFECT_TIMER armed, or
 * the event's end. What it says may be void by now (another ply, the game is over): then
 * there are no effects. context->clock has been advanced to timer->at.
 */
void decide_timer(const struct rules_context *context, const struct game *game,
	const struct clock_timer *timer, struct decision *ret_decision);

/* A clock event of the game has got its stamp `delivered`: was the move longer on its way than
 * is standard (RAZSh 2.5)? Then the arbiter is told; nothing follows by itself. */
void decide_delivered(const struct rules_context *context, const struct game *game,
	const struct clock_event *event, struct decision *ret_decision);

/* ---- Rulings of the arbiter (product, section 4; contract, section 2) ---- */

enum ruling_kind {
	RULING_UPHOLD = 0, /* the claim, the overstep, the withdrawal, the agreed draw stands */
	RULING_REJECT, /* ... it does not: the game goes on; bar: no more claims on this control */
	RULING_RESUME, /* days: charged to the move that is thought about (IECC 7.10). A finished
			  game is open again, unless the board has ended it */
	RULING_CREDIT, /* ply: days or hours of a marked outage are taken off; n */
	RULING_RESULT, /* result; RESULT_NONE: as if there were none, the game is annulled */
	RULING_DRAW,
	RULING_ANNUL,
	RULING_ADJUDICATE, /* result (RAZSh 9.7) */
	RULING_PENALTY,    /* side, n */
	RULING_LIFT,       /* side, move */
	RULING_ROLLBACK,   /* ply: the game goes back to so many plies made (IECC 7.9), and is open
			      again if it was finished */
	RULING_UNCLEAR,    /* ply: the move that made it was unclear: back to before it */
	RULING_CORRECT,    /* ply, sent and/or delivered */
	RULING_NO_ACCESS,  /* side has told by another way that he has lost his access to mail
			      (RAZSh 1.6) */
};

struct ruling {
	enum ruling_kind kind;
	int64_t at; /* when it was given; the clocks take it from then */
	enum side side;
	int n, move, days;
	size_t ply;
	bool bar;
	enum clock_result result;
	int64_t sent, delivered; /* INSTANT_NONE leaves a stamp as it is */
};

/*
 * What a ruling does. VERDICT_COMMAND and effects, or VERDICT_COMMAND_ERROR and a refusal
 * without any. context->clock must be given; it is tried out on a copy, so that the decision
 * knows whether the ruling makes or undoes an overstep. 0, or -ENOMEM. `move TEXT` is no
 * ruling of this kind: it is decided as a message of that player.
 */
MUST_CHECK int decide_ruling(const struct rules_context *context, const struct game *game,
	const struct ruling *ruling, struct decision *ret_decision);

/* A player withdraws from the event (IECC 3.1, RAZSh 8, MC-link 11): to be called for each of
 * his unfinished games. The answer to him is not among the effects. Where the game waits for
 * another ruling already, or has not begun, the withdrawal is remembered: see below. */
void decide_withdrawal(const struct rules_context *context, const struct game *game, enum side side,
	int64_t at, struct decision *ret_decision);
/*
 * To be called when a decision's effects have been carried out, for the game as it stands then:
 * if it goes on although a player has withdrawn, it is suspended and waits for the ruling on that
 * (of both, on the one that came first). True if there is anything to carry out.
 */
bool decide_withdrawn(const struct rules_context *context, const struct game *game, int64_t at,
	struct decision *ret_decision);

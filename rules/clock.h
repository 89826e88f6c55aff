/*
 * The clocks of a game under one of the rule systems: events in, clock out.
 *
 * A clock is a fold over the events of its game, in order of time; it knows no chess,
 * moves are counts. The relay keeps the events and folds them again whenever it needs
 * the clock, `zugpostctl clock` folds the events of a request. The systems are tables of
 * functions behind this one interface.
 *
 * A stamp that is not known yet is INSTANT_NONE: as long as `delivered` is not known, the
 * receiver's time does not run. When the relay learns it, it folds the events again with
 * the stamp filled in.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base.h"
#include "rules/calendar.h"
#include "rules/parameters.h"

enum clock_event_kind {
	CLOCK_START = 0,       /* at (official start) or date, delivered (the pairing notice), by
				  (who is on the move) */
	CLOCK_MOVE,            /* by, at (sent), delivered (MC-link: published), accepts, offers,
				  illegal_conditional (IECC), bad_format (MC-link) */
	CLOCK_AUTO_REPLY,      /* by, at, delivered (IECC 7.6a); elsewhere only the reply that ends
				  the game. Both: sent, if it came before what has been told
				  since, which then counts as told after it (else INSTANT_NONE) */
	CLOCK_FAULT,           /* by, at (sent), fault, accepts; RAZSh also: query_delivered (the
				  relay has sent it back) or delivered (the partner must query) */
	CLOCK_QUERY,           /* by, at (sent), delivered: RAZSh 4.8 */
	CLOCK_REPEAT,          /* by, at (sent), delivered, flag (the original was lost) */
	CLOCK_LEAVE,           /* by, at, from, to, agreed, approved, sent (announced; INSTANT_NONE:
				  at `at`) */
	CLOCK_LEAVE_END,       /* by, at, flag (all leaves of the absence end, else the one that
				  begins first): RAZSh 7.3 */
	CLOCK_CLAIM,           /* by, at, n (the control): RAZSh 6.1 */
	CLOCK_RULING,          /* at, delivered, flag (upheld), ban: RAZSh 6.5-6.7 */
	CLOCK_ROLLBACK,        /* at, delivered (the notice reaches the player on the move; until
				  that is known, it is `at`), plies, flag (RAZSh: silence is
				  counted from the notice, and not from the last move) */
	CLOCK_ARBITER,         /* at, action ACTION_RESUME (IECC: days charged already) or
				  ACTION_RESULT (result; IECC) */
	CLOCK_GAMES,           /* by, at, n: unfinished games of the player */
	CLOCK_STOP_REQUEST,    /* by, at, start, end, vacation, flag (came on another channel) */
	CLOCK_STOP_GRANT,      /* by, at, start, end (7ter.24) */
	CLOCK_STOP_WITHDRAW,   /* by, at, n (index), flag (published) */
	CLOCK_VACATION_CHANGE, /* by, at, n (index), start or INSTANT_NONE, end */
	CLOCK_EDIT,   /* at, action: PENALTY by n; LIFT by move; CORRECT ply sent delivered;
			 CREDIT ply n, of a ply
				made or of the one being thought about */
	CLOCK_END,    /* at, result: the game ended otherwise */
	CLOCK_ZONE,   /* by, at, zone: holds from the next message on */
	CLOCK_FREEZE, /* at: nobody's time runs until it is thawed, what was used stays: a
			 withdrawal or an agreed draw waits for its ruling, the event has ended */
	CLOCK_THAW,   /* at, flag (as CLOCK_ROLLBACK): it runs on, as if the last move had reached
			 its reader then */
	CLOCK_REOPEN, /* at, delivered (as CLOCK_ROLLBACK), days: an end is put aside. What was used
			 up to it stays used, or so many days if days > 0 (not in MC-link), and it
			 runs on as if the last move had reached its reader now. An overstep that
			 had come true is put aside too, as by ACTION_RESUME */
};

/* What was wrong with a message, as far as a clock cares. */
enum clock_fault {
	FAULT_ILLEGAL = 0,
	FAULT_AMBIGUOUS,
	FAULT_ILLEGIBLE,
	FAULT_EMPTY,
	FAULT_BAD_REPETITION,
	FAULT_VARIANT_UNANSWERED,
};

enum clock_action {
	ACTION_RESUME = 0,
	ACTION_RESULT,
	ACTION_PENALTY,
	ACTION_LIFT,
	ACTION_CORRECT,
	ACTION_CREDIT,
};

enum clock_result {
	RESULT_NONE = 0, /* "*" */
	RESULT_WHITE,
	RESULT_BLACK,
	RESULT_DRAW,
};

/* One event. Fields that a kind does not name are zero (instants INSTANT_NONE, dates
 * DATE_NONE: start from CLOCK_EVENT_NONE). `at` orders the events. */
struct clock_event {
	enum clock_event_kind kind;
	enum side by;
	int64_t at;
	int64_t delivered; /* INSTANT_NONE until the receiver's server has taken the
			      relay's copy: until then it is nobody's time */
	int64_t query_delivered;
	int accepts; /* conditional moves of the opponent that are accepted */
	int offers;  /* conditional replies that the message proposes */
	bool illegal_conditional;
	bool bad_format;
	enum clock_fault fault;
	int32_t date, from, to;
	bool agreed, approved;
	int plies;
	enum clock_action action;
	enum clock_result result;
	int n, ply, move, days;
	int64_t sent;       /* ACTION_CORRECT: INSTANT_NONE leaves it as it is */
	int64_t start, end; /* of a stop */
	bool vacation;
	bool ban;
	bool flag;               /* as the kind says */
	const struct zone *zone; /* borrowed */
};

#define CLOCK_EVENT_NONE                          \
	((struct clock_event){.at = INSTANT_NONE, \
		.delivered = INSTANT_NONE,        \
		.query_delivered = INSTANT_NONE,  \
		.sent = INSTANT_NONE,             \
		.start = INSTANT_NONE,            \
		.end = INSTANT_NONE,              \
		.date = DATE_NONE,                \
		.from = DATE_NONE,                \
		.to = DATE_NONE})

enum clock_error {
	CLOCK_ERROR_ORDER = 1,   /* before the event before it, or delivered before sent */
	CLOCK_ERROR_NOT_STARTED, /* the clocks have not been started */
	CLOCK_ERROR_STARTED,     /* they have been already */
	CLOCK_ERROR_NOT_ON_MOVE, /* the side is not on the move (or, where it must wait, is) */
	CLOCK_ERROR_OVER,        /* the game is over */
	CLOCK_ERROR_SYSTEM,      /* no such event in this rule system */
	CLOCK_ERROR_STATUS,      /* nothing to resume, no claim to rule on, no query due, ... */
	CLOCK_ERROR_PLY,         /* no such ply, move or stop */
	CLOCK_ERROR_VALUE,       /* a number or a period that makes no sense */
};
const char *clock_error_text(enum clock_error error);

#define CLOCK_YEARS_MAX 16

/* Hours that need not be whole are tenths of an hour: a tenth of the standard time, a
 * half of it and a fifth of the hours at disposal are whole tenths. */
#define TENTHS 10

/* Why a stop was refused (MC-link 7ter, 8.6); bits of clock_answer.reasons. */
enum stop_reason {
	STOP_INTERVAL = 1 << 0,
	STOP_RETROACTIVE = 1 << 1,
	STOP_TWO_ALREADY = 1 << 2,
	STOP_TOO_LITTLE_TIME = 1 << 3,
	STOP_OVER_STANDARD = 1 << 4,
	STOP_OVER_200 = 1 << 5,
	STOP_UNDER_250 = 1 << 6,
	STOP_SUDDEN_DEATH = 1 << 7,
	STOP_NOT_JUNE = 1 << 8,
	STOP_USED = 1 << 9,
	STOP_OUTSIDE = 1 << 10,
	STOP_OVER_1500 = 1 << 11,
	STOP_NOTICE = 1 << 12,
};

/* MC-link 7.6', 7.7': an allowance was set anew; manche 0: sudden death, for both. */
struct clock_recalculation {
	enum side by;
	int manche;
};
#define CLOCK_RECALCULATIONS_MAX 132

/* What an event did. Fields that do not apply are 0, DATE_NONE or INSTANT_NONE. */
struct clock_answer {
	bool held;        /* the game is suspended, interrupted or over: nothing was done */
	bool late;        /* MC-link: after the time-out, nothing was done; IECC: late notice */
	bool overstepped; /* IECC: the message itself oversteps; see clock_overstep */

	/* CLOCK_MOVE, CLOCK_FAULT */
	int first, last; /* own moves made by the message */
	int charged_to;  /* the own move that its days go to */
	int days;        /* of the message; of a fault: so far; of a query or RAZSh repeat too */
	int penalty;     /* days booked by it or waiting for it */
	int sum;         /* IECC: window ending with the charged move; RAZSh: the total */
	int sum_now;     /* IECC: window ending with the last own move */
	int limit;       /* RAZSh: of the control of the last own move; of a claim */
	bool over_limit;
	bool cc_arbiter; /* RAZSh 4.10, 5.1 */
	int remaining_before[2];
	bool slow_transmission; /* RAZSh 2.5 */

	/* The local date from which the next count runs: arrival, next_arrival, received,
	 * since, partner_since. DATE_NONE: nobody's time runs yet. */
	int32_t arrival;
	bool has_turn; /* IECC rollback, resume; RAZSh ruling */
	enum side turn;

	/* CLOCK_QUERY, CLOCK_REPEAT */
	int charged;
	int32_t due;
	int delay;

	/* CLOCK_LEAVE, CLOCK_LEAVE_END, CLOCK_CLAIM, CLOCK_STOP_... */
	bool granted;       /* also: accepted, changed, withdrawn */
	const char *reason; /* a word of the JSON interface; NULL if none */
	bool ask;           /* the TD or arbiter decides */
	bool may_annul;     /* IECC 8.2; and a forfeit may be claimed */
	int32_t from, to;   /* of the leave granted; to: last day after CLOCK_LEAVE_END */
	int total;          /* IECC: leave days of the player with this one */
	int given_back;
	struct {
		int year;
		int days;
	} years[CLOCK_YEARS_MAX]; /* RAZSh: leave days with this one */
	int n_years;
	bool borne_out;
	int spent;
	int open_control;
	int objection_days;
	int kept; /* CLOCK_RULING: days of the side on the move that stand */
	enum clock_result result;

	/* MC-link; the sums in tenths of an hour */
	int64_t rounded;
	int hours;          /* of the message or of the stop */
	int tenths_penalty; /* 7bis.2 */
	int warning;        /* 7bis.3: first, second */
	int tenths_format;  /* 7bis.3: the penalty */
	struct clock_recalculation recalculated[CLOCK_RECALCULATIONS_MAX];
	int n_recalculated;
	int64_t registered_until; /* 7ter.23 */
	bool considered;          /* 7ter.4 */
	bool has_needed, has_remaining, has_both;
	double needed; /* 7ter.7, hours */
	int tenths_remaining;
	int both_stops;   /* 7ter.11, hours */
	unsigned reasons; /* enum stop_reason */
	int index;        /* of the stop; -1: none */
};

/* ---- The interface that the relay and the calculator use ---- */

struct clock; /* the fold so far */

enum clock_status {
	CLOCK_RUNNING = 0,
	CLOCK_SUSPENDED,   /* IECC 7.10 */
	CLOCK_INTERRUPTED, /* RAZSh 6.3 */
	CLOCK_STOPPED,     /* MC-link 7ter: as of an instant, see clock_state_at */
	CLOCK_OVER,
};

/* Zones are borrowed and must outlive the clock. MC-link takes parameters->zone for the
 * clock; the players' zones may be NULL there. -ENOMEM, -EINVAL. */
MUST_CHECK int clock_new(const struct clock_parameters *parameters, const struct zone *white,
	const struct zone *black, struct clock **ret);
void clock_free(struct clock *clock);

/*
 * Apply the next event. 0; -ENOMEM; or a positive enum clock_error and nothing is changed
 * but that the clock may have advanced to the event's instant.
 */
MUST_CHECK int clock_apply(
	struct clock *clock, const struct clock_event *event, struct clock_answer *ret);

/*
 * What clock_apply would answer to a CLOCK_STOP_REQUEST or a CLOCK_CLAIM at event->at, without
 * applying it. The same errors; CLOCK_ERROR_SYSTEM also for events of other kinds. The clock
 * must not have an overstep before that instant that it has not been advanced to.
 */
MUST_CHECK int clock_consider(
	const struct clock *clock, const struct clock_event *event, struct clock_answer *ret);

/* RAZSh 6.3, II 6.8: would a claim of that side interrupt the game? In section II the first
 * overstep does not: the game goes on until the arbiter has ruled (6.4). */
bool clock_claim_interrupts(const struct clock *clock, enum side claimant);

/* Another clock in the same state, to try events on. -ENOMEM. */
MUST_CHECK int clock_clone(const struct clock *clock, struct clock **ret);

/*
 * Nothing more came until `at`: an overstep that has passed by then takes effect (IECC:
 * suspends; MC-link: ends the game; RAZSh: is no more than noted). clock_apply does the
 * same up to the event's instant, so a pass in between changes nothing. An instant before
 * the last event is ignored.
 */
void clock_advance(struct clock *clock, int64_t at);

enum clock_status clock_status(const struct clock *clock);
enum clock_result clock_result(const struct clock *clock);
enum side clock_turn(const struct clock *clock); /* who is on the move, whatever the status */
int clock_ply(const struct clock *clock);
/* Has there been a CLOCK_START? */
bool clock_has_started(const struct clock *clock);
enum rule_system clock_system(const struct clock *clock);
const struct clock_parameters *clock_parameters(const struct clock *clock);
const struct zone *clock_zone(const struct clock *clock, enum side side);

/* The first instant at which the side on the move oversteps if nothing arrives (IECC 7.10,
 * RAZSh 6.1, MC-link 7bis.1: the time-out); INSTANT_NONE if no clock runs. In RAZSh it may
 * have passed already. */
int64_t clock_overstep_at(const struct clock *clock);

enum clock_timer_kind {
	TIMER_REMIND = 0, /* IECC 7.11: resend the last message to the side on the move */
	TIMER_REPEAT,     /* RAZSh 5.1: the same, with the arbiter's copy */
	TIMER_SILENCE,    /* RAZSh 5.3, section II 5.1: tell the arbiter */
	TIMER_REPORT,     /* RAZSh section II 5.2: three calendar months without a move */
	TIMER_OVERSTEP,   /* clock_overstep_at */
	TIMER_STOP_START, /* MC-link 7ter: a stop begins */
	TIMER_STOP_END,   /* MC-link 7ter.22: a stop ends */
	TIMER_COPIES,     /* RAZSh 4.10: from now on every message is copied to the arbiter */
	TIMER_LEAVE_END,  /* IECC, RAZSh: `by` is back from his leave */

	/* Not of the clock: armed by an EFFECT_TIMER or by the event (rules/decide.h). */
	TIMER_OBJECTION, /* RAZSh 6.4: the time to object to a claim is over */
	TIMER_PAPERS,    /* RAZSh 9.4: the time for the papers of adjudication is over */
	TIMER_ACCESS,    /* RAZSh 1.6: 30 days after `by` gave notice of lost access */
	TIMER_EVENT_END, /* the event's `end` has come */
	CLOCK_TIMER_KINDS,
};

/* "remind", "overstep", "stop-end": what the store calls it. */
const char *clock_timer_name(enum clock_timer_kind kind);
/* The kind of that name, CLOCK_TIMER_KINDS if there is none. */
enum clock_timer_kind clock_timer_find(const char *name);

struct clock_timer {
	enum clock_timer_kind kind;
	int64_t at;
	int ply;      /* plies made: a timer of another ply is void. TIMER_LEAVE_END and
			 TIMER_STOP_...: a number that tells one leave or stop from another */
	enum side by; /* whom it concerns: the side on the move */
};

/* What is due if nothing arrives, in order of time, past or not: the caller knows which
 * have fired. Returns their number, at most CLOCK_TIMERS_MAX. */
#define CLOCK_TIMERS_MAX 8
size_t clock_timers(const struct clock *clock, struct clock_timer out[CLOCK_TIMERS_MAX]);

enum {
	OVERSTEP_MOVE = 1 << 0,    /* IECC 7.5 */
	OVERSTEP_WINDOW = 1 << 1,  /* IECC 7.4 */
	OVERSTEP_CONTROL = 1 << 2, /* RAZSh 4.3 */
	OVERSTEP_HOURS = 1 << 3,   /* MC-link 7bis.1 */
};

/* The overstep in force (IECC: that suspends the game; MC-link: the time-out). */
struct clock_overstep {
	enum side by;
	unsigned kinds;
	int move;
	int64_t at;
	int days_on_move;
	int window_first, window_last, window_sum;
	enum clock_result result; /* MC-link */
};
/* NULL if there is none. Owned by the clock. */
const struct clock_overstep *clock_overstep(const struct clock *clock);

/* What one own move, fault, query or repeat cost, and why. */
struct clock_charge {
	int ply; /* that it belongs to: of a penalty, the move to come */
	enum side by;
	int move;     /* own move */
	bool by_date; /* received and sent are compared as dates in `zone` */
	const struct zone *zone;
	int64_t received, sent; /* INSTANT_NONE where they do not apply */
	int32_t received_date, sent_date;
	int days;            /* MC-link: whole hours */
	int tenths_penalty;  /* days times ten, or tenths of an hour */
	bool ended;          /* nothing: from received to sent the game was over, wrongly */
	const char *article; /* "IECC 7.3", "RAZSh 4.7", ... */
	int tenths_sum;      /* IECC: the window; RAZSh: the total; MC-link: used in the manche;
				after this charge, times ten */
	size_t event;        /* of the events kept, the one that it comes from; for the fold */
};
/* All that was charged, in order. Owned by the clock until the next clock_apply. */
const struct clock_charge *clock_charges(const struct clock *clock, size_t *ret_n);

/* RAZSh: a penalty day booking. */
struct clock_extra {
	int move;
	int days;
	const char *kind; /* a word of the JSON interface */
	size_t event;     /* as in struct clock_charge */
};

enum clock_stop_kind {
	STOP_NORMAL = 0,
	STOP_VACATION,
	STOP_COORDINATOR,
};

struct clock_stop {
	enum side by;
	enum clock_stop_kind kind;
	int64_t from, to;
	bool removed;
	int manche; /* the asker's when it was granted; 0: sudden death */
};

/* One player's half of the state. */
struct clock_side {
	const int *days;      /* MC-link: hours; by own moves */
	const int *penalties; /* IECC */
	size_t n_moves;
	int next_move;

	/* The side on the move while its clock runs (IECC: `running`). */
	bool on_move;
	int32_t arrival;
	int running; /* days or hours so far */
	int penalty; /* pending: IECC and RAZSh days */

	/* IECC */
	int last_window_sum, next_move_base;
	int window_sum, window_left, move_left;
	int64_t reminder_at, overstep_at;
	unsigned overstep_kinds;

	/* RAZSh */
	const struct clock_extra *extra;
	size_t n_extra;
	int total, limit, remaining;
	int leave_days;

	/* MC-link; tenths of an hour but used and running */
	int manche; /* 0: sudden death */
	int moves_left;
	int gross, served, available, used, pending, residual, tenths_remaining;
	int faults;
};

/* A leave that the clock counts with (IECC 8, RAZSh 7), dates inclusive. */
struct clock_leave {
	enum side by;
	int32_t from, to;
};
/* By index, in the order in which they were announced; false behind the last. */
bool clock_leave_at(const struct clock *clock, size_t index, struct clock_leave *ret);

/* The state as of an instant. */
struct clock_state {
	enum clock_status status;
	bool has_turn;
	enum side turn;
	enum clock_result result;
	int ply;
	struct clock_side side[2];

	/* RAZSh */
	bool cc_arbiter;
	int32_t repeat_due;
	int64_t auto_repeat_at, silence_at;
	bool has_overstep;
	struct clock_overstep overstep;
	int limit;
	bool passed;

	/* MC-link */
	bool sudden_death;
	int64_t deadline, timeout_at;
	const struct clock_stop *stops;
	size_t n_stops;
};
/* Call clock_advance(clock, at) first. The arrays belong to the clock. */
void clock_state_at(const struct clock *clock, int64_t at, struct clock_state *ret);

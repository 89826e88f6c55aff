/*
 * What the clocks of the three systems share: the events kept so far, the counts by own
 * moves, leaves and charges. For rules/clock.c and the systems only.
 *
 * A ruling that corrects the past (a stamp, a credit, a lifted penalty) changes the event
 * that it concerns, and all events are folded again; `replaying` is set meanwhile. What
 * was accepted once stays accepted then: an overstep that shows is noted and takes effect
 * at the end.
 */
#pragma once

#include "rules/clock.h"

#define SERIES_MAX 64         /* conditional moves in a message */
#define LEAVE_DAYS_MAX 4000   /* length of one leave */
#define COUNT_DAYS_MAX 100000 /* longer counts are never reached */

/* An event that changed something. */
struct applied {
	struct clock_event event;
	int credit;      /* days or hours taken off */
	int credit_next; /* and off the turn that begins with it */
	bool lifted;     /* its penalty was taken back */
	bool voided;     /* it was taken back (a rollback comes later) */
	int kept;        /* plies of its series that were not; 0: all */
};

/* A growing array of counts by own moves, from move 1 at index 0. */
struct counts {
	int *values;
	size_t n;
	size_t capacity;
};

/* A message that made plies. */
struct made {
	size_t event;
	int first_ply, last_ply;
};

struct leave {
	enum side by;
	int32_t from, to;
};

struct iecc {
	int32_t arrival;       /* of the side on the move; DATE_NONE: unknown */
	int64_t since;         /* the instant of it */
	int spent;             /* days counted before the arrival */
	size_t window_base[2]; /* moves before it are in no window */
	int pending[2];        /* penalties for the next own move */
	int64_t pending_at[2];
};

struct razsh_side {
	int dropped;     /* moves up to it count no more (section II 6.4) */
	int faults;      /* faults of 4.9 */
	int barred;      /* the control on which claims are barred */
	int upheld;      /* oversteps found against the player */
	int64_t over_at; /* when the limit below was exceeded */
	int over_limit;
	int over_moves;   /* own moves made then: both players are told in that turn */
	int64_t extra_at; /* the last booking */
};

struct razsh {
	int32_t start; /* official date */
	int32_t base;  /* of the running count; DATE_NONE: nobody's time */
	int64_t base_at;
	int kept;           /* days of the answer before base */
	int reach;          /* conditional replies that the side on the move may accept */
	bool query;         /* the partner must query a bad move ... */
	int32_t query_base; /* ... that reached him then */
	int32_t last_move;  /* when the last move was sent, sender's date; DATE_NONE */
	int32_t last_sent;  /* or its last repeat */
	const struct zone *last_zone;
	bool claimed;
	bool lost; /* a claim that was upheld has ended the game */
	enum side claimant;
	int control;
	struct razsh_side side[2];
};

struct mclink_side {
	int manche;                   /* 0: sudden death */
	int owed;                     /* tenths that a ruling books on the next own move */
	int gross, served, available; /* tenths */
	int used;                     /* hours */
	int pending, residual;        /* tenths */
	int faults;
	int games;
};

struct mclink {
	int64_t start; /* rounded */
	int64_t base;  /* rounded instant from which the side on the move counts */
	int credit;    /* hours taken off its count */
	bool frozen;
	int64_t frozen_since; /* the base before a freeze */
	bool sudden_death;
	struct mclink_side side[2];
};

struct clock {
	struct clock_parameters parameters;
	const struct clock_ops *ops;
	const struct zone *first_zones[2];

	struct applied *events;
	size_t n_events, capacity_events;
	bool replaying;
	bool gap; /* ... and moves were taken back: what is told here is of no running turn */

	/* Everything below is the fold. */
	const struct zone *zones[2];
	int64_t now; /* the last instant of order */
	bool started;
	enum clock_status status;
	enum clock_result result;
	enum side first; /* who makes ply 1 */
	enum side turn;
	int ply;
	bool has_overstep;
	struct clock_overstep overstep;
	int64_t ended_at;

	struct counts days[2];
	struct counts penalties[2];
	struct made *made;
	size_t n_made, capacity_made;
	struct clock_charge *charges;
	size_t n_charges, capacity_charges;
	struct leave *leaves;
	size_t n_leaves, capacity_leaves;
	struct clock_extra *extra[2];
	size_t n_extra[2], capacity_extra[2];
	struct clock_stop *stops;
	size_t n_stops, capacity_stops;
	union {
		struct iecc iecc;
		struct razsh razsh;
		struct mclink mclink;
	};
};

/* A system. Memory for what an event may add has been reserved when it is called. */
struct clock_ops {
	void (*begin)(struct clock *clock);
	/* 0, or an enum clock_error and nothing is changed. The entry is at the end of
	 * clock->events; *keep is false if the event changed nothing. */
	int (*apply)(
		struct clock *clock, struct applied *entry, struct clock_answer *ret, bool *keep);
	/* What apply would answer to a claim or to the request of a stop; NULL: it has neither. */
	int (*consider)(const struct clock *clock, const struct clock_event *event,
		struct clock_answer *ret);
	void (*advance)(struct clock *clock, int64_t at);
	int64_t (*overstep_at)(const struct clock *clock);
	size_t (*timers)(const struct clock *clock, struct clock_timer *out);
	void (*state)(const struct clock *clock, int64_t at, struct clock_state *ret);
};

/* Is the date within a leave of `side`, or of anybody? */
bool leaves_cover(const struct clock *clock, int32_t date, enum side side, bool anybody);
/* Dates of the side's leaves; those of `year` only, unless it is 0. */
int leaves_days(const struct clock *clock, enum side side, int year);
/* TIMER_LEAVE_END of each side, if it has a leave that ends after the last event. Returns how
 * many, 2 at most. */
size_t leaves_timers(const struct clock *clock, struct clock_timer *out);
/* Memory is reserved for one. */
void leaves_add(struct clock *clock, enum side by, int32_t from, int32_t to);

/* Make the plies of a message: alternately, beginning with the side on the move, which
 * changes the turn; days and penalties of all are 0. */
void made_add(struct clock *clock, const struct applied *entry, int plies);
/* Plies that a CLOCK_MOVE makes. */
int plies_of(const struct applied *entry);
/* Ply of an own move, both counted from 1. */
int ply_of(const struct clock *clock, enum side by, int move);
/* Own moves that a side has made. */
int moves_made(const struct clock *clock, enum side by);

/* Book a charge, with nothing filled in but who, where, from what and by which article. */
struct clock_charge *charge_add(struct clock *clock, const struct applied *entry, enum side by,
	int move, const char *article);
/* The same for an accepted conditional move and its answer: no days. */
void charges_free_of_cost(struct clock *clock, const struct applied *entry, int first_ply,
	int last_ply, int but_ply, const char *article);

/* CLOCK_REOPEN: the end is put aside, and told in the ledger; flag becomes whether an overstep is.
 * 0, or an enum clock_error. The system lets the time of the side on the move run on, and sets
 * ended_at to INSTANT_NONE. */
int reopen_begin(struct clock *clock, struct applied *entry, int tenths_sum);
/* Unless one is noted already. */
void clock_note_overstep(struct clock *clock, const struct clock_overstep *overstep);
/* The game ends. */
void clock_finish(struct clock *clock, enum clock_result result, int64_t at);

/* ---- The past (clock_past.c) ---- */

/* The clock as it was before its first event. */
void past_begin(struct clock *clock);
/* Folds all events again, as they stand now. */
void past_fold(struct clock *clock);
/* Does an event of this kind vanish with the moves that are taken back? */
bool past_belongs_to_moves(enum clock_event_kind kind);
/* CLOCK_ROLLBACK and CLOCK_EDIT: 0, or an enum clock_error and nothing is changed. */
int past_roll_back(struct clock *clock, struct applied *rollback, struct clock_answer *ret);
int past_edit(struct clock *clock, const struct clock_event *event, struct clock_answer *ret);

static inline int64_t instant_max(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* When a ruling has reached the player whose time it starts; until that is known, when it was
 * given. */
static inline int64_t ruling_told(const struct clock_event *event)
{
	return event->delivered != INSTANT_NONE ? event->delivered : event->at;
}

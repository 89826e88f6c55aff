/*
 * Leave (IECC 8, RAZSh 7) and stops (MC-link 7ter): objects of a player over all his games.
 * Values in, an outcome for each game out.
 */
#pragma once

#include "rules/clock.h"
#include "rules/decide.h"

/* A leave that was granted in an event: dates inclusive. The store keeps one row for each
 * period and event, cut short where it was broken off. */
struct leave_taken {
	int event; /* the caller's number of the event */
	int32_t from, to;
};

/* An unfinished game of the player. */
struct leave_game {
	int event;
	const struct clock_parameters *parameters;
	const struct zone *zone;   /* the player's */
	enum side side;            /* his */
	const struct clock *clock; /* stops only: with all that came before; advanced */
	int edition;               /* as in struct rules_context */
};

struct leave_request {
	int64_t at;        /* when it is decided; the clocks take it from then */
	int64_t announced; /* arrival of the notice: the same, unless it was asked for first */
	int32_t from, to;
	bool approved; /* the TD or arbiter grants it (IECC 8.3, RAZSh 7.7) */
	bool agreed;   /* the opponent has agreed (IECC 8.2) */
};

/* What is done with a stop (MC-link 7ter). */
enum stop_act {
	STOP_ASKED = 0,
	STOP_CHANGED,   /* 7ter.18: a vacation is moved, cut or extended */
	STOP_WITHDRAWN, /* 7ter.21, 7ter.24 */
	STOP_GIVEN,     /* 7ter.24: by the Coordinator, whatever the rules say */
};

/* What becomes of the request in one game. */
struct leave_outcome {
	bool granted;
	bool late;          /* IECC 8.1: announced late, it begins on the day after the notice */
	const char *reason; /* why not: a word of the JSON interface; NULL */
	bool ask_arbiter;   /* he decides: MAIL_LEAVE to him asks `leave approve | refuse` */
	bool ask_opponent;  /* IECC 8.2: `agree | refuse`, then again with `agreed` */
	bool may_annul;     /* IECC 8.2: over six months: annulment or forfeit may be claimed */
	int32_t from, to;   /* as granted */
	int32_t until;      /* decide_leave_end */
	int total;          /* IECC: days of leave in this event with this one */
	struct {
		int year, days;
	} years[2]; /* RAZSh 7.1: with this one, in the first and last year that it touches */
	int n_years;
	unsigned reasons;         /* stops: enum stop_reason */
	int hours;                /* stops: as rounded */
	enum stop_act act;        /* stops */
	struct effect effects[6]; /* EFFECT_CLOCK; EFFECT_MAIL (MAIL_LEAVE) to opponent, arbiter */
	size_t n_effects;
};

/*
 * A request for leave. GAMES: all unfinished games of the player under IECC or RAZSh rules
 * (MC-link games are passed over: nothing is granted there); TAKEN: all his leaves so far in
 * these events, of finished games too (RAZSh: of all RAZSh events of the year). Fills in
 * one outcome for each game. Returns the verdict for the player: VERDICT_COMMAND (granted
 * or asked for in at least one game: a receipt) or VERDICT_COMMAND_ERROR (a refusal); on
 * an error *ret_refusal says why.
 */
enum verdict decide_leave(const struct leave_request *request, const struct leave_game *games,
	size_t n_games, const struct leave_taken *taken, size_t n_taken,
	struct leave_outcome *ret_outcomes, enum refusal *ret_refusal);

/* RAZSh 7.3: he is back before its end. Leaves that overlap or follow each other are one absence,
 * and end together. `to` of an outcome is the last day that counts, from DATE_NONE; where it had
 * not begun it is cancelled whole (from the absence's, to DATE_NONE). `until` is the day that it
 * had lasted to. IECC's leaves stand to the announced date (8.4). */
enum verdict decide_leave_end(int64_t at, const struct leave_game *games, size_t n_games,
	const struct leave_taken *taken, size_t n_taken, struct leave_outcome *ret_outcomes,
	enum refusal *ret_refusal);

struct stop_request {
	int64_t at;
	int64_t start, end;
	bool vacation;      /* 7ter.14 */
	bool other_channel; /* 7ter.4: inside a move message: not considered */
};

/* MC-link 7ter, 8.6: the request is checked in every game of the asker and granted where the
 * rules allow it (7ter.10). The clocks must be given. */
enum verdict decide_stop(const struct stop_request *request, const struct leave_game *games,
	size_t n_games, struct leave_outcome *ret_outcomes, enum refusal *ret_refusal);

struct stop_change {
	enum stop_act act; /* not STOP_ASKED */
	int64_t at;
	int64_t start, end;     /* STOP_CHANGED (start: INSTANT_NONE leaves it), STOP_GIVEN */
	bool published;         /* STOP_WITHDRAWN: a bulletin has named it since (7ter.21) */
	struct clock_stop stop; /* changed, withdrawn: as one of his games has it */
};

/* A stop is one object of the player in all his games (7ter.3): it changes in each game that
 * has it, and one that is given is given in each. All are told, the public area too. 0, or
 * -ENOMEM. */
MUST_CHECK int decide_stop_change(const struct stop_change *change, const struct leave_game *games,
	size_t n_games, struct leave_outcome *ret_outcomes, enum verdict *ret_verdict,
	enum refusal *ret_refusal);

/* The instants of a stated period (COMMAND_STOP, COMMAND_VACATION) on MC-link's clock: from the
 * minute given or midnight, to the minute given or the end of the last day. */
void stop_period(const struct zone *zone, const struct stated_command *command, int64_t *ret_start,
	int64_t *ret_end);

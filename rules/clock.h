/*
 * The clocks of a game under one of the rule systems: events in, clock out.
 *
 * A clock is a fold over the events of its game, in order of time; it knows no chess,
 * moves are counts. The relay keeps the events and folds them again whenever it needs
 * the clock, `zugpostctl clock` folds the events of a request. The systems are tables of
 * functions behind this one interface.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base.h"
#include "rules/calendar.h"

enum rule_system {
	RULES_IECC = 0,
	RULES_RAZSH,
	RULES_RAZSH_POST,
	RULES_MCLINK,
};

enum clock_event_kind {
	CLOCK_START = 0,   /* at: delivery of the pairing notice or official start, the later */
	CLOCK_MOVE,        /* by, at (sent), delivered, accepts, offers */
	CLOCK_AUTO_REPLY,  /* by, delivered (7.6a) */
	CLOCK_FAULT,       /* by, at (sent), fault, accepts; query_delivered or delivered */
	CLOCK_QUERY,
	CLOCK_REPEAT,
	CLOCK_LEAVE,       /* by, at (announced), from, to, agreed, approved */
	CLOCK_LEAVE_END,
	CLOCK_CLAIM,
	CLOCK_RULING,
	CLOCK_ROLLBACK,    /* plies, at */
	CLOCK_ARBITER,     /* action, at, result */
	CLOCK_GAMES,
	CLOCK_STOP_REQUEST,
	CLOCK_STOP_GRANT,
	CLOCK_STOP_WITHDRAW,
	CLOCK_VACATION_CHANGE,
	CLOCK_EDIT,        /* at, action, by, n, ply, sent, delivered */
	CLOCK_END,         /* at, result */
	CLOCK_ZONE,        /* by, zone: holds from the next message on */
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
 * DATE_NONE). `at` orders the events. */
struct clock_event {
	enum clock_event_kind kind;
	enum side by;
	int64_t at;
	int64_t delivered;       /* INSTANT_NONE until the receiver's server has taken the
				    relay's copy: until then it is nobody's time */
	int64_t query_delivered;
	int accepts;             /* conditional moves of the opponent that are accepted */
	int offers;
	bool illegal_conditional;
	enum clock_fault fault;
	int32_t date, from, to;
	bool agreed, approved;
	int plies;
	enum clock_action action;
	enum clock_result result;
	int n, ply, move, days;
	const struct zone *zone;
	bool flag;               /* upheld, ban, original_lost, ... as the kind says */
};

/* ---- The interface that the relay and the calculator use ---- */

struct clock;            /* the fold so far; made by clock_new, freed by clock_free */
struct clock_parameters; /* an event's parameters, rules/parameters.h */

enum clock_status {
	CLOCK_RUNNING = 0,
	CLOCK_SUSPENDED,   /* IECC 7.10 */
	CLOCK_INTERRUPTED, /* RAZSh 6.3 */
	CLOCK_STOPPED,     /* MC-link 7ter */
	CLOCK_OVER,
};

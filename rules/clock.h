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

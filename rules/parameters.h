/*
 * The parameters of an event under its rule system, by the names of the clock's JSON
 * interface. The tournament file writes them with '-' for '_'.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base.h"
#include "rules/calendar.h"

enum rule_system {
	RULES_IECC = 0,
	RULES_RAZSH,      /* section III, e-mail */
	RULES_RAZSH_POST, /* section II, for events that keep its times over the relay */
	RULES_MCLINK,
};

/* "iecc", "razsh", "razsh-post", "mclink" */
const char *rule_system_name(enum rule_system system);
/* 0, or -ENOENT: no system of that name. */
int rule_system_find(const char *name, enum rule_system *ret);

#define INCREMENTS_MAX 32

struct clock_increment {
	int games;
	int hours;
};

struct clock_parameters {
	enum rule_system system;

	/* IECC */
	bool charge_last;  /* conditional-charge = last (7.6c) */
	int window_moves;  /* 7.4 */
	int window_days;   /* 7.4 */
	int move_days;     /* 7.5 */
	int remind_days;   /* 7.11 */
	bool two_player;   /* event = two_player (8.2), else multi (8.3) */
	int leave_months;  /* 8.2 */
	bool leave_player; /* leave-scope = player, else game (8.4) */

	/* IECC and RAZSh */
	int penalty_days; /* IECC 7.8, RAZSh 4.7 */
	int leave_quota;  /* IECC 8.3; RAZSh 7.1, a calendar year */

	/* RAZSh */
	int control_moves, control_days; /* 4.3 */
	int grace_days;                  /* 4.8, 4.9 */
	int repeat_days, silence_days;   /* 5.1, 5.3 */
	int cc_days;                     /* 4.10; -1: no copies */
	int standard_transmission;       /* 2.5 */
	int objection_days;              /* 6.4 */
	int repeat_grace;                /* 4.9: a repeat may be so late */
	/* RAZSh section II only */
	int penalty_again;  /* every later fault of 4.9 in the game */
	int oversteps_lost; /* 6.11 */
	int leave_total;    /* 7.1; 0: no limit */

	/* MC-link */
	const struct zone *zone; /* 7.2: MC-link's clock; borrowed */
	int64_t start;           /* 7.8': hours before it do not count */
	int moves_per_manche, standard_hours;
	struct clock_increment increments[INCREMENTS_MAX]; /* 7.5', by games */
	int n_increments;
	int games[2];          /* unfinished games of each player when the game starts */
	int month;             /* in which the tournament began; 0: that of start */
	int sd_days, sd_hours; /* 8.1, 8.3 */
};

enum parameters_fault {
	PARAMETERS_UNKNOWN = 1, /* no such parameter in this system */
	PARAMETERS_VALUE,       /* not a value that it can have */
};

/* What the rules say where the event says nothing. MC-link's zone, start,
 * moves_per_manche and standard_hours have no default: 0 until set. */
void parameters_default(enum rule_system system, struct clock_parameters *ret);

/*
 * Set one parameter from text, `name` as the tournament file writes it ("window-days").
 * 0, or a positive enum parameters_fault and in *ret_fault a sentence that ends a line
 * ("must be a whole number from 1 to 3650"). tz, start and games are not set by text.
 */
MUST_CHECK int parameters_set(struct clock_parameters *parameters, const char *name,
	const char *value, const char **ret_fault);

/* What a value of that name is: in JSON a number, a string or an object. */
enum parameter_form {
	PARAMETER_UNKNOWN = 0,
	PARAMETER_NUMBER,
	PARAMETER_WORD,
	PARAMETER_LIST, /* increments */
};
enum parameter_form parameters_form(enum rule_system system, const char *name);

/* The name of a parameter that the system demands and that is not set; NULL: none. */
const char *parameters_missing(const struct clock_parameters *parameters);

/* 0, or PARAMETERS_VALUE and in *ret_fault what is missing or contradictory. */
MUST_CHECK int parameters_check(const struct clock_parameters *parameters, const char **ret_fault);

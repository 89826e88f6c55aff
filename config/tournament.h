/*
 * A tournament file (contract, section 4), read and checked as far as the file alone
 * allows. What it leaves out stays as the store has it, so almost everything may be
 * missing: strings are then NULL, other values have their `has_` flag or line 0.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/configuration.h"
#include "config/fault.h"
#include "config/value.h"
#include "core/base.h"
#include "core/notation.h"
#include "core/position.h"
#include "rules/clock.h"
#include "rules/parameters.h"

enum copies {
	COPIES_ALL = 0,
	COPIES_REQUIRED,
	COPIES_NONE,
};

enum stage {
	STAGE_LEAGUE = 0,
	STAGE_KNOCKOUT,
	STAGE_FINAL,
};

enum repetition_policy {
	REPETITION_POLICY_LINE = 0, /* the quoted reply line counts */
	REPETITION_POLICY_TYPED,
};

/* A choice, a boolean or a number that may be absent (line 0). */
struct file_choice {
	unsigned line;
	int value;
};

/* A text that may be absent (NULL, line 0). */
struct file_text {
	unsigned line;
	char *text;
};

/* An instant, or a date that means its start in the club's zone. */
struct file_instant {
	unsigned line; /* 0: absent */
	bool is_date;
	int64_t instant; /* if not a date */
	int32_t date;    /* if a date */
};

struct file_mailbox {
	unsigned line; /* 0: absent */
	struct mailbox mailbox;
};

/* A key that is no key of the file itself, so a parameter of the rules: with '-'. */
struct file_parameter {
	unsigned line;
	char *key, *value;
};

struct file_tournament {
	unsigned line;
	char *code;
	struct file_text name, site;
	struct file_choice rules; /* enum rule_system */
	struct file_instant start, end;
	struct file_mailbox arbiter, deputy, public;
	struct file_choice copies;     /* enum copies */
	struct file_choice rated;      /* bool */
	struct file_choice stage;      /* enum stage */
	struct file_choice repetition; /* enum repetition_policy */
	struct file_choice fide_2014;  /* bool */
	unsigned bulletin_line;
	int64_t bulletin_every; /* milliseconds */
	struct file_parameter *parameters;
	size_t n_parameters;
};

struct file_player {
	unsigned line;
	char *id;
	struct file_text name, timezone, language, notation, country;
	unsigned email_line;
	struct value_list email; /* the first one is written to */
	struct file_choice elo;
};

struct file_game {
	unsigned line;
	unsigned number;
	struct file_text white, black; /* player ids */
	struct file_text code;
	struct file_text fen;
	unsigned moves_line; /* 0: no thematic moves given */
	struct position start;
	uint16_t *moves;
	size_t n_moves;
};

/* A key whose value was refused: it is neither given nor missing. */
struct file_refused {
	unsigned section; /* the line of its section */
	char *key;
};

struct tournament_file {
	char *path;
	struct file_tournament tournament;
	struct file_player *players;
	size_t n_players;
	struct file_game *games;
	size_t n_games;
	struct file_refused *refused;
	size_t n_refused;
};

/* Reads and checks the file: grammar, unknown keys and sections, every value by itself,
 * doubled games and players, thematic moves on their position, the parameters of the
 * rules if the file names them. Returns 0, FILE_FAULTY with at least one fault added, or
 * -ENOMEM. What could be read of a faulty file is returned as well, so that the checks below
 * find the rest of its faults; NULL where there is no tournament in it. The caller frees the
 * result. */
MUST_CHECK int tournament_file_read(const char *path, zone_known_fn *zone_known,
	struct fault_list *faults, struct tournament_file **ret_file);
MUST_CHECK int tournament_file_parse(const char *path, const char *text, size_t size,
	zone_known_fn *zone_known, struct fault_list *faults, struct tournament_file **ret_file);
struct tournament_file *tournament_file_free(struct tournament_file *file);

/* Was the value of that key refused, in the section that begins on that line? */
bool tournament_file_refused(const struct tournament_file *file, unsigned section, const char *key);

/* What a store knows already; each answers for one name. */
struct tournament_known {
	bool (*tournament)(void *context, const char *code);
	bool (*player)(void *context, const char *id);
	bool (*game)(void *context, const char *code, unsigned number);
	void *context;
};

/* The checks that need the store: a new tournament has name, rules and start (and what its
 * rules demand), a new player has name and email, a new game two different players, and
 * every id that a game names is a player of this file or of the store. Returns 0,
 * FILE_FAULTY or -ENOMEM. */
MUST_CHECK int tournament_file_check(const struct tournament_file *file,
	const struct tournament_known *known, struct fault_list *faults);

/* Applies the file's parameters to PARAMETERS, which are those of a rule system. Returns 0
 * or FILE_FAULTY. */
MUST_CHECK int tournament_file_parameters(const struct tournament_file *file,
	struct clock_parameters *parameters, struct fault_list *faults);

/* Every "section.key" that the reader knows besides the parameters of the rules; NULL
 * behind the last. */
const char *tournament_file_key(size_t index);

/*
 * What every command of zugpostctl is given. Global options are taken off before; ARGV[0]
 * is the command's name, and what a command returns is the exit code (contract 2).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "config/account.h"
#include "core/base.h"

struct arena;
struct club;
struct engine;

struct ctl {
	FILE *in;
	FILE *out;
	FILE *err;
	bool json;
	int64_t now;           /* --now, or the present */
	bool now_given;        /* it is --now */
	struct club *club;     /* NULL for commands that need none */
	struct engine *engine; /* when a running daemon does what is asked, else NULL */
	const char *text;      /* the file of a command that takes one */
	size_t text_size;
	/* The account that has asked, if it is one of the configuration's; NULL: root, the daemon's
	 * own, or whoever works on the store himself. */
	const struct configured_account *asker;
	struct {
		size_t size;   /* bytes of the answer, 0: no limit */
		int64_t until; /* monotonic ms by which it is there */
		size_t listed; /* of what a list in JSON has so far */
	} limit;
};

/* Exit codes of commands. */
enum ctl_exit {
	CTL_DONE = 0,
	CTL_REFUSED = 1,
	CTL_USAGE = 2,
};

enum ctl_need {
	CTL_NEEDS_NOTHING = 0, /* neither configuration nor store */
	CTL_OPENS,             /* the store itself, to read: no daemon does it for others */
	CTL_COPIES,            /* so too, and one that is missing is not created */
	CTL_LOOKS,             /* the store, to read: a daemon does it for who may not open it */
	CTL_CHANGES,           /* the store, to write: a running daemon does it */
};

struct ctl_command {
	const char *name;
	const char *usage; /* what follows the name */
	int (*run)(struct ctl *ctl, int argc, char **argv);
	enum ctl_need need;
	bool (*changes)(int argc, char **argv); /* this call needs CTL_CHANGES; NULL: as need */
	bool (*for_arbiters)(int argc, char **argv); /* may they ask for it? NULL: never */
	int file; /* which operand is a file whose text the command gets, 0: none */
};

/* The table of commands; NULL if there is none of that name. */
const struct ctl_command *ctl_find(const char *name);
const struct ctl_command *ctl_command_at(size_t index); /* NULL behind the last */
/* What this call of the command needs. */
enum ctl_need ctl_need_of(const struct ctl_command *command, int argc, char **argv);

/* Runs a command, if it is one for the asker. What it changes in the store is kept as an input of
 * the club. */
int ctl_run(struct ctl *ctl, const struct ctl_command *command, int argc, char **argv);

/* One line on ctl->err and the exit code for it. */
int ctl_refuse(struct ctl *ctl, const char *format, ...) PRINTF_LIKE(2, 3);
int ctl_usage(struct ctl *ctl, const char *name);
/* The exit code for a fault of the store or system. */
int ctl_fail(struct ctl *ctl, int error);

/* Between the items of a list: 0, or -EFBIG when the answer is too long for where it goes (ctl_fail
 * has words for that). */
MUST_CHECK int ctl_go_on(const struct ctl *ctl);
/* A command has changed something: a running daemon looks at what is due. */
void ctl_kick(struct ctl *ctl);

/* Takes an option with a value ("--player", "anna") or without (RET_VALUE NULL) out of ARGV.
 * 1 found, 0 not there, -EINVAL its value is missing. */
int ctl_option(int *argc, char **argv, const char *name, const char **ret_value);
/* A sentence that came as several words. */
char *ctl_join(struct arena *arena, int argc, char **argv);

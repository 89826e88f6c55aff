/*
 * What an arbiter does with zugpostctl: rulings, leave, stops, withdrawals.
 */
#pragma once

#include "daemon/ctl/ctl.h"
#include "rules/clock.h"

int rule_command(struct ctl *ctl, int argc, char **argv);
int leave_command(struct ctl *ctl, int argc, char **argv);
int stop_command(struct ctl *ctl, int argc, char **argv);
int announce_command(struct ctl *ctl, int argc, char **argv);
int bulletin_command(struct ctl *ctl, int argc, char **argv);
int lotto_command(struct ctl *ctl, int argc, char **argv);
int withdraw_command(struct ctl *ctl, int argc, char **argv);

/* "white", "black" */
bool arbiter_read_side(const char *word, enum side *ret_side);

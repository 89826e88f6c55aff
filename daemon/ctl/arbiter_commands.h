/*
 * What an arbiter does with zugpostctl: rulings, leave, stops, withdrawals.
 */
#pragma once

#include "daemon/ctl/ctl.h"

int rule_command(struct ctl *ctl, int argc, char **argv);
int leave_command(struct ctl *ctl, int argc, char **argv);
int stop_command(struct ctl *ctl, int argc, char **argv);
int withdraw_command(struct ctl *ctl, int argc, char **argv);

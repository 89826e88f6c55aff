/*
 * validate FILE.pgn: replays every game; one line per fault; exit 1 if there is any.
 */
#pragma once

#include "daemon/ctl/ctl.h"

int validate_command(struct ctl *ctl, int argc, char **argv);

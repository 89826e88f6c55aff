/*
 * draws FEN [MOVES]: the draw facts of a position, or of a line of UCI moves from it; with
 * --stdin --json one FEN<TAB>MOVES a line.
 */
#pragma once

#include "daemon/ctl/ctl.h"

int draws_command(struct ctl *ctl, int argc, char **argv);

/*
 * Commands of zugpostctl that need neither configuration nor store: perft, move.
 * ARGV[0] is the command's name; the return is the exit code (contract 2).
 */
#pragma once

#include "daemon/ctl/ctl.h"

/* perft FEN DEPTH: prints the number of leaf positions. */
int perft_command(struct ctl *ctl, int argc, char **argv);

/* move --fen FEN [--letters LANG] [--last "FEN,UCI"] TEXT, or move --stdin --json with lines
 * FEN<TAB>TEXT<TAB>LANG<TAB>LAST. */
int move_command(struct ctl *ctl, int argc, char **argv);

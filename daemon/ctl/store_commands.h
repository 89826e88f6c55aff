/*
 * Commands of zugpostctl that look into the store or change it (contract 2).
 */
#pragma once

/* Its time, in the store's folder, is that of the last backup. */
#define BACKUP_MARK "backed-up"

#include "daemon/ctl/ctl.h"

int import_command(struct ctl *ctl, int argc, char **argv);
int games_command(struct ctl *ctl, int argc, char **argv);
int game_command(struct ctl *ctl, int argc, char **argv);
int log_command(struct ctl *ctl, int argc, char **argv);
int crosstable_command(struct ctl *ctl, int argc, char **argv);
int pgn_command(struct ctl *ctl, int argc, char **argv);
int players_command(struct ctl *ctl, int argc, char **argv);
int player_command(struct ctl *ctl, int argc, char **argv);
int messages_command(struct ctl *ctl, int argc, char **argv);
int message_command(struct ctl *ctl, int argc, char **argv);
int outbox_command(struct ctl *ctl, int argc, char **argv);
int retry_command(struct ctl *ctl, int argc, char **argv);
int read_command(struct ctl *ctl, int argc, char **argv);
int export_command(struct ctl *ctl, int argc, char **argv);
int replay_command(struct ctl *ctl, int argc, char **argv);
int verify_command(struct ctl *ctl, int argc, char **argv);
int backup_command(struct ctl *ctl, int argc, char **argv);
int pause_command(struct ctl *ctl, int argc, char **argv);
int resume_command(struct ctl *ctl, int argc, char **argv);
int reload_command(struct ctl *ctl, int argc, char **argv);
int status_command(struct ctl *ctl, int argc, char **argv);

#include "daemon/ctl/ctl.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "daemon/ctl/arbiter_commands.h"
#include "daemon/ctl/chess_commands.h"
#include "daemon/ctl/clock_command.h"
#include "daemon/ctl/draws_command.h"
#include "daemon/ctl/store_commands.h"
#include "daemon/ctl/validate_command.h"
#include "daemon/engine/engine.h"
#include "daemon/relay/club.h"
#include "daemon/relay/input_log.h"
#include "daemon/relay/match.h"

static enum ctl_need needs_nothing(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return CTL_NEEDS_NOTHING;
}

static enum ctl_need looks(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return CTL_LOOKS;
}

static enum ctl_need changes(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return CTL_CHANGES;
}

static enum ctl_need message_need(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--retry") == 0 || strcmp(argv[i], "--as") == 0)
			return CTL_CHANGES;
	return CTL_LOOKS;
}

static enum ctl_need player_need(int argc, char **argv)
{
	(void)argv;
	return argc > 2 ? CTL_CHANGES : CTL_LOOKS;
}

static int run_clock(struct ctl *ctl, int argc, char **argv)
{
	(void)argv;
	if (argc != 1)
		return ctl_usage(ctl, "clock");
	return clock_compute(ctl->in, ctl->out, ctl->err);
}

static const struct ctl_command commands[] = {
	{"import", "FILE", import_command, changes, 1},
	{"games", "[--tournament CODE] [--player ID] [--state STATE]", games_command, looks, 0},
	{"game", "GAME", game_command, looks, 0},
	{"log", "GAME", log_command, looks, 0},
	{"crosstable", "CODE", crosstable_command, looks, 0},
	{"pgn", "[GAME | --tournament CODE] [--style iecc, iccf or export]", pgn_command, looks, 0},
	{"players", "", players_command, looks, 0},
	{"player", "ID [--email ADDRESS,...] [--timezone ZONE] [--language LANG] [--notation NAME]",
		player_command, player_need, 0},
	{"messages", "[--verdict VERDICT]", messages_command, looks, 0},
	{"message", "ID [--raw] [--retry] [--as GAME]", message_command, message_need, 0},
	{"outbox", "", outbox_command, looks, 0},
	{"retry", "ID", retry_command, changes, 0},
	{"rule", "GAME RULING [--reason TEXT] [--bar] [--days N]", rule_command, changes, 0},
	{"leave", "PLAYER FROM TO [--approve]", leave_command, changes, 0},
	{"stop",
		"GAME SIDE FROM TO [--vacation | --grant | --change INDEX]"
		" | GAME SIDE --withdraw INDEX [--grant] [--reason TEXT]",
		stop_command, changes, 0},
	{"lotto", "GAME --drawn N", lotto_command, changes, 0},
	{"bulletin", "CODE", bulletin_command, changes, 0},
	{"announce", "CODE TEXT", announce_command, changes, 0},
	{"withdraw", "PLAYER", withdraw_command, changes, 0},
	{"read", "[--in-order] FILE...", read_command, looks, 0},
	{"status", "", status_command, changes, 0},
	{"export", "DIR", export_command, looks, 0},
	{"replay", "DIR --into DB", replay_command, needs_nothing, 0},
	{"verify", "", verify_command, looks, 0},
	{"backup", "FILE", backup_command, looks, 0},
	{"pause", "[--until TIME]", pause_command, changes, 0},
	{"resume", "", resume_command, changes, 0},
	{"reload", "", reload_command, changes, 0},
	{"move", "--fen FEN [--letters LANG] [--last \"FEN,UCI\"] TEXT", move_command,
		needs_nothing, 0},
	{"perft", "FEN DEPTH", perft_command, needs_nothing, 0},
	{"draws", "FEN [MOVES]", draws_command, needs_nothing, 0},
	{"validate", "FILE.pgn", validate_command, needs_nothing, 0},
	{"clock", "< REQUEST", run_clock, needs_nothing, 0},
};

const struct ctl_command *ctl_command_at(size_t index)
{
	return index < ARRAY_SIZE(commands) ? &commands[index] : NULL;
}

const struct ctl_command *ctl_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	return NULL;
}

int ctl_run(struct ctl *ctl, const struct ctl_command *command, int argc, char **argv)
{
	if (!ctl->club || !ctl->club->store || command->need(argc, argv) != CTL_CHANGES)
		return command->run(ctl, argc, argv);
	int r = input_expect_command(ctl->club, ctl->now, argc, argv, ctl->text, ctl->text_size);
	if (r == -EILSEQ)
		return ctl_refuse(ctl, "%s: the command is not in UTF-8", command->name);
	/* What is no text goes on to be refused for it, and is kept nowhere. */
	if (r < 0 && r != -EINVAL)
		return ctl_fail(ctl, r);
	int code = command->run(ctl, argc, argv);
	r = store_expect(ctl->club->store, 0, NULL, NULL);
	return r < 0 ? ctl_fail(ctl, r) : code;
}

int ctl_refuse(struct ctl *ctl, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(ctl->err, format, args);
	va_end(args);
	fputc('\n', ctl->err);
	return CTL_REFUSED;
}

int ctl_usage(struct ctl *ctl, const char *name)
{
	const struct ctl_command *command = ctl_find(name);

	fprintf(ctl->err, "usage: zugpostctl %s %s\n", name, command ? command->usage : "");
	return CTL_USAGE;
}

int ctl_fail(struct ctl *ctl, int error)
{
	const char *text = ctl->club && ctl->club->store ? store_error(ctl->club->store) : "";

	return ctl_refuse(ctl, "%s%s%s", strerror(-error), *text ? ": " : "", text);
}

int ctl_find_game(struct ctl *ctl, const char *name, int64_t *ret_id)
{
	int r = match_find(ctl->club, name, ret_id);

	if (r == 0)
		return ctl_refuse(ctl, "there is no game %s", name);
	return r < 0 ? ctl_fail(ctl, r) : CTL_DONE;
}

void ctl_kick(struct ctl *ctl)
{
	if (ctl->engine)
		engine_kick(ctl->engine);
}

int ctl_option(int *argc, char **argv, const char *name, const char **ret_value)
{
	for (int i = 1; i < *argc; i++) {
		if (strcmp(argv[i], name) != 0)
			continue;
		int width = ret_value ? 2 : 1;
		if (i + width > *argc)
			return -EINVAL;
		if (ret_value)
			*ret_value = argv[i + 1];
		for (int j = i; j + width < *argc; j++)
			argv[j] = argv[j + width];
		*argc -= width;
		return 1;
	}
	return 0;
}

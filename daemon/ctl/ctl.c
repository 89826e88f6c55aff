#include "daemon/ctl/ctl.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

#include "daemon/ctl/arbiter_commands.h"
#include "daemon/ctl/chess_commands.h"
#include "daemon/ctl/clock_command.h"
#include "daemon/ctl/draws_command.h"
#include "daemon/ctl/scope.h"
#include "daemon/ctl/store_commands.h"
#include "daemon/ctl/validate_command.h"
#include "daemon/engine/engine.h"
#include "daemon/relay/club.h"
#include "daemon/relay/input_log.h"
#include "daemon/store/arena.h"

static bool has_word(int argc, char **argv, const char *word)
{
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], word) == 0)
			return true;
	return false;
}

/* ---- Commands that look, or change something, as they are called ---- */

static bool message_again(int argc, char **argv)
{
	return has_word(argc, argv, "--retry") || has_word(argc, argv, "--as");
}

static bool player_otherwise(int argc, char **argv)
{
	(void)argv;
	return argc > 2;
}

/* ---- What arbiters may ask for ---- */

static bool of_his_events(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return true;
}

/* A raw message holds reply tokens; to judge one anew may lead into any game. */
static bool message_as_read(int argc, char **argv)
{
	return !has_word(argc, argv, "--raw") && !message_again(argc, argv);
}

/* A player is the club's, and what is known of him holds in all events. */
static bool player_as_is(int argc, char **argv)
{
	return !player_otherwise(argc, argv);
}

static int run_clock(struct ctl *ctl, int argc, char **argv)
{
	(void)argv;
	if (argc != 1)
		return ctl_usage(ctl, "clock");
	return clock_compute(ctl->in, ctl->out, ctl->err);
}

static const struct ctl_command commands[] = {
	{"import", "FILE", import_command, CTL_CHANGES, NULL, NULL, 1},
	{"games", "[--tournament CODE] [--player ID] [--state STATE]", games_command, CTL_LOOKS,
		NULL, of_his_events, 0},
	{"game", "GAME", game_command, CTL_LOOKS, NULL, of_his_events, 0},
	{"log", "GAME", log_command, CTL_LOOKS, NULL, of_his_events, 0},
	{"crosstable", "CODE", crosstable_command, CTL_LOOKS, NULL, of_his_events, 0},
	{"pgn", "[GAME | --tournament CODE] [--style iecc, iccf or export]", pgn_command, CTL_LOOKS,
		NULL, of_his_events, 0},
	{"players", "", players_command, CTL_LOOKS, NULL, of_his_events, 0},
	{"player", "ID [--email ADDRESS,...] [--timezone ZONE] [--language LANG] [--notation NAME]",
		player_command, CTL_LOOKS, player_otherwise, player_as_is, 0},
	{"messages", "[--verdict VERDICT]", messages_command, CTL_LOOKS, NULL, of_his_events, 0},
	{"message", "ID [--raw] [--retry] [--as GAME]", message_command, CTL_LOOKS, message_again,
		message_as_read, 0},
	{"outbox", "", outbox_command, CTL_LOOKS, NULL, of_his_events, 0},
	{"retry", "ID", retry_command, CTL_CHANGES, NULL, NULL, 0},
	{"rule", "GAME RULING [--reason TEXT] [--bar] [--days N]", rule_command, CTL_CHANGES, NULL,
		of_his_events, 0},
	{"leave", "PLAYER FROM TO [--approve]", leave_command, CTL_CHANGES, NULL, of_his_events, 0},
	{"stop",
		"GAME SIDE FROM TO [--vacation | --grant | --change INDEX]"
		" | GAME SIDE --withdraw INDEX [--grant] [--reason TEXT]",
		stop_command, CTL_CHANGES, NULL, of_his_events, 0},
	{"lotto", "GAME --drawn N", lotto_command, CTL_CHANGES, NULL, of_his_events, 0},
	{"bulletin", "CODE", bulletin_command, CTL_CHANGES, NULL, of_his_events, 0},
	{"announce", "CODE TEXT", announce_command, CTL_CHANGES, NULL, of_his_events, 0},
	{"withdraw", "PLAYER", withdraw_command, CTL_CHANGES, NULL, of_his_events, 0},
	{"read", "[--in-order] FILE...", read_command, CTL_OPENS, NULL, NULL, 0},
	{"status", "", status_command, CTL_CHANGES, NULL, of_his_events, 0},
	{"export", "DIR", export_command, CTL_COPIES, NULL, NULL, 0},
	{"replay", "DIR --into DB", replay_command, CTL_NEEDS_NOTHING, NULL, NULL, 0},
	{"verify", "", verify_command, CTL_OPENS, NULL, NULL, 0},
	{"backup", "FILE", backup_command, CTL_COPIES, NULL, NULL, 0},
	{"pause", "[--until TIME]", pause_command, CTL_CHANGES, NULL, NULL, 0},
	{"resume", "", resume_command, CTL_CHANGES, NULL, NULL, 0},
	{"reload", "", reload_command, CTL_CHANGES, NULL, NULL, 0},
	{"move", "--fen FEN [--letters LANG] [--last \"FEN,UCI\"] TEXT", move_command,
		CTL_NEEDS_NOTHING, NULL, NULL, 0},
	{"perft", "FEN DEPTH", perft_command, CTL_NEEDS_NOTHING, NULL, NULL, 0},
	{"draws", "FEN [MOVES]", draws_command, CTL_NEEDS_NOTHING, NULL, NULL, 0},
	{"validate", "FILE.pgn", validate_command, CTL_NEEDS_NOTHING, NULL, NULL, 0},
	{"clock", "< REQUEST", run_clock, CTL_NEEDS_NOTHING, NULL, NULL, 0},
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

/* Decided before anything is looked at. */
static int check_asker(struct ctl *ctl, const struct ctl_command *command, int argc, char **argv)
{
	if (scope_is_all(ctl))
		return CTL_DONE;
	const char *name = ctl->asker->name;
	if (ctl->asker->role != ROLE_ARBITER)
		return ctl_refuse(ctl, "account %s has no role", name);
	if (!command->for_arbiters || !command->for_arbiters(argc, argv))
		return ctl_refuse(ctl, "%s%s is for administrators, and account %s is an arbiter's",
			command->name, command->for_arbiters ? " with these options" : "", name);
	/* When something was entered is no matter of choice. */
	if (ctl->now_given && ctl_need_of(command, argc, argv) == CTL_CHANGES)
		return ctl_refuse(ctl,
			"%s with --now is for administrators, and account %s is an arbiter's",
			command->name, name);
	return CTL_DONE;
}

enum ctl_need ctl_need_of(const struct ctl_command *command, int argc, char **argv)
{
	return command->changes && command->changes(argc, argv) ? CTL_CHANGES : command->need;
}

int ctl_run(struct ctl *ctl, const struct ctl_command *command, int argc, char **argv)
{
	int code = check_asker(ctl, command, argc, argv);

	if (code != CTL_DONE)
		return code;
	if (!ctl->club || !ctl->club->store || ctl_need_of(command, argc, argv) != CTL_CHANGES)
		return command->run(ctl, argc, argv);
	int r = input_expect_command(ctl->club, ctl->now, ctl->asker ? ctl->asker->name : NULL,
		argc, argv, ctl->text, ctl->text_size);
	if (r == -EILSEQ)
		return ctl_refuse(ctl, "%s: the command is not in UTF-8", command->name);
	if (r == -E2BIG)
		return ctl_refuse(ctl, "%s: the command has more than %d words", command->name,
			COMMAND_WORDS_MAX);
	/* What is no text goes on to be refused for it, and is kept nowhere. */
	if (r < 0 && r != -EINVAL)
		return ctl_fail(ctl, r);
	code = command->run(ctl, argc, argv);
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

	if (error == -EFBIG && ctl->limit.size)
		return ctl_refuse(ctl, "the answer is too long for the control socket: ask for "
				       "less, or with the rights to read the store");
	return ctl_refuse(ctl, "%s%s%s", strerror(-error), *text ? ": " : "", text);
}

int ctl_go_on(const struct ctl *ctl)
{
	struct timespec now;

	if (!ctl->limit.size)
		return 0;
	off_t written = ftello(ctl->out);
	clock_gettime(CLOCK_MONOTONIC, &now);
	int64_t present = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
	return written < 0 || (uint64_t)written + ctl->limit.listed > ctl->limit.size ||
			       present > ctl->limit.until
		       ? -EFBIG
		       : 0;
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

char *ctl_join(struct arena *arena, int argc, char **argv)
{
	size_t size = 1, at = 0;

	for (int i = 0; i < argc; i++)
		size += strlen(argv[i]) + 1;
	char *text = arena_alloc(arena, size);
	for (int i = 0; i < argc; i++) {
		size_t length = strlen(argv[i]);
		if (i > 0)
			text[at++] = ' ';
		memcpy(text + at, argv[i], length);
		at += length;
	}
	return text;
}

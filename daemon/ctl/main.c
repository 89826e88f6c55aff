/*
 * zugpostctl: options and wiring.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "config/value.h"
#include "daemon/ctl/ctl.h"
#include "daemon/ctl/reach.h"
#include "daemon/ctl/usage.h"
#include "daemon/relay/club.h"
#include "daemon/workers.h"

#define TEXT_MAX (8u << 20)

struct globals {
	char config[4096];
	const char *now;
	bool json, help, version;
};

static int usage(FILE *out)
{
	fputs("usage: zugpostctl [--config FILE | --club NAME] [--now TIME] [--json] COMMAND ...\n",
		out);
	for (size_t i = 0; ctl_command_at(i); i++)
		fprintf(out, "  %s %s\n", ctl_command_at(i)->name, ctl_command_at(i)->usage);
	return CTL_USAGE;
}

static int set_club(struct globals *globals, const char *name)
{
	char file[CLUB_FILE_MAX];
	int r = club_file(name, file);

	if (r >= 0)
		memcpy(globals->config, file, strlen(file) + 1);
	return r;
}

/* Takes the global options out of ARGV, wherever they stand before a "--". */
static int take_globals(struct globals *globals, int *argc, char **argv)
{
	int kept = 0, i = 0;

	for (; i < *argc && strcmp(argv[i], "--") != 0; i++) {
		bool more = i + 1 < *argc;
		const char *value = more ? argv[i + 1] : "";
		if (strcmp(argv[i], "--json") == 0) {
			globals->json = true;
		} else if (strcmp(argv[i], "--help") == 0) {
			globals->help = true;
		} else if (strcmp(argv[i], "--version") == 0) {
			globals->version = true;
		} else if (strcmp(argv[i], "--config") == 0 && more) {
			if (strlen(value) >= sizeof(globals->config))
				return -EINVAL;
			memcpy(globals->config, value, strlen(value) + 1);
			i++;
		} else if (strcmp(argv[i], "--club") == 0 && more) {
			if (set_club(globals, value) < 0)
				return -EINVAL;
			i++;
		} else if (strcmp(argv[i], "--now") == 0 && more) {
			globals->now = value;
			i++;
		} else if (strcmp(argv[i], "--config") == 0 || strcmp(argv[i], "--club") == 0 ||
			   strcmp(argv[i], "--now") == 0) {
			return -EINVAL;
		} else {
			argv[kept++] = argv[i];
		}
	}
	if (i < *argc)
		i++; /* the "--" itself */
	while (i < *argc)
		argv[kept++] = argv[i++];
	argv[kept] = NULL;
	*argc = kept;
	return 0;
}

static int load_text(struct ctl *ctl, const char *path, char **ret_text)
{
	FILE *file = fopen(path, "rbe");

	if (!file)
		return ctl_refuse(ctl, "%s: %s", path, strerror(errno));
	char *text = malloc(TEXT_MAX + 1);
	size_t size = text ? fread(text, 1, TEXT_MAX + 1, file) : 0;
	bool bad = !text || ferror(file);
	fclose(file);
	if (bad || size > TEXT_MAX) {
		free(text);
		return ctl_refuse(ctl, "%s: %s", path, bad ? "cannot be read" : "is too long");
	}
	ctl->text = text;
	ctl->text_size = size;
	*ret_text = text;
	return CTL_DONE;
}

static int run_with_store(struct ctl *ctl, const struct ctl_command *command,
	const struct globals *globals, int argc, char **argv)
{
	struct fault_list faults = {0};
	int r = club_load(globals->config, &faults, &ctl->club);

	fault_list_print(&faults, ctl->err);
	fault_list_release(&faults);
	if (r != 0)
		return r < 0 ? ctl_refuse(ctl, "%s: %s", globals->config, strerror(-r))
			     : CTL_REFUSED;
	return reach_run(ctl, command, argc, argv);
}

static int run(struct ctl *ctl, const struct globals *globals, int argc, char **argv)
{
	const struct ctl_command *command = argc > 0 ? ctl_find(argv[0]) : NULL;
	char *text = NULL;

	if (!command) {
		if (argc > 0)
			fprintf(ctl->err, "zugpostctl: there is no command %s\n", argv[0]);
		return usage(ctl->err);
	}
	if (globals->now && value_instant(globals->now, &ctl->now) < 0) {
		fprintf(ctl->err, "zugpostctl: %s is no RFC 3339 instant\n", globals->now);
		return CTL_USAGE;
	}
	if (ctl_need_of(command, argc, argv) == CTL_NEEDS_NOTHING)
		return command->run(ctl, argc, argv);
	int code = usage_check(ctl, command, argc, argv);
	if (code != CTL_DONE)
		return code;
	code = command->file ? load_text(ctl, argv[command->file], &text) : CTL_DONE;
	if (code == CTL_DONE)
		code = run_with_store(ctl, command, globals, argc, argv);
	if (ctl->club)
		club_free(ctl->club);
	free(text);
	return code;
}

int main(int argc, char **argv)
{
	struct globals globals = {.config = "/etc/zugpost/zugpost.conf"};
	struct timespec now;

	int code = worker_main(argc, argv, workers, n_workers);
	if (code >= 0)
		return code;
	argc--;
	argv++;
	if (take_globals(&globals, &argc, argv) < 0)
		return usage(stderr);
	if (globals.help) {
		usage(stdout);
		return CTL_DONE;
	}
	if (globals.version) {
		puts("zugpostctl " ZUGPOST_VERSION);
		return CTL_DONE;
	}
	/* A daemon that hangs up is an error to tell, not the end. */
	signal(SIGPIPE, SIG_IGN);
	clock_gettime(CLOCK_REALTIME, &now);
	struct ctl ctl = {
		.in = stdin,
		.out = stdout,
		.err = stderr,
		.json = globals.json,
		.now = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000,
		.now_given = globals.now != NULL,
	};
	code = run(&ctl, &globals, argc, argv);
	if (fflush(stdout) != 0 && code == CTL_DONE)
		return CTL_REFUSED;
	return code;
}

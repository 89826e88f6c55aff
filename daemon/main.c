/*
 * zugpostd: options and wiring.
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <systemd/sd-event.h>
#include <time.h>

#include "config/value.h"
#include "daemon/ctl/roles.h"
#include "daemon/ctl/server.h"
#include "daemon/engine/engine.h"
#include "daemon/engine/notify.h"
#include "daemon/log.h"
#include "daemon/relay/club.h"
#include "daemon/relay/input_log.h"
#include "daemon/workers.h"

#define LOCK_WITHIN_MS 5000
#define LOCK_AGAIN_MS 50

struct options {
	char config[4096];
	bool once, check, online, help, version;
	bool named;  /* named: --config or --club was given */
	int64_t now; /* INSTANT_NONE: the present */
};

static const char usage_text[] = "usage: zugpostd [--config FILE | --club NAME] [--once [--now "
				 "TIME]] [--check [--online]]\n";

static int usage(void)
{
	fputs(usage_text, stderr);
	return EXIT_FAILURE;
}

/* --config and --club name the same thing: one of them, once. */
static bool set_config(struct options *options, const char *file)
{
	bool first = !options->named;
	size_t size = strlen(file);

	options->named = true;
	if (!first || size >= sizeof(options->config))
		return false;
	memcpy(options->config, file, size + 1);
	return true;
}

static bool set_club(struct options *options, const char *name)
{
	char file[CLUB_FILE_MAX];

	return club_file(name, file) == 0 && set_config(options, file);
}

static bool read_options(struct options *options, int argc, char **argv)
{
	static const struct option known[] = {
		{"config", required_argument, NULL, 'f'},
		{"club", required_argument, NULL, 'c'},
		{"now", required_argument, NULL, 'n'},
		{"once", no_argument, NULL, 'o'},
		{"check", no_argument, NULL, 'k'},
		{"online", no_argument, NULL, 'l'},
		{"help", no_argument, NULL, 'h'},
		{"version", no_argument, NULL, 'v'},
		{NULL, 0, NULL, 0},
	};
	bool good = true;

	for (int option; good && (option = getopt_long(argc, argv, "", known, NULL)) != -1;) {
		if (option == 'f')
			good = set_config(options, optarg);
		else if (option == 'c')
			good = set_club(options, optarg);
		else if (option == 'n')
			good = value_instant(optarg, &options->now) == 0;
		else if (option == 'o')
			options->once = true;
		else if (option == 'k')
			options->check = true;
		else if (option == 'l')
			options->online = true;
		else if (option == 'h')
			options->help = true;
		else if (option == 'v')
			options->version = true;
		else
			good = false;
	}
	return good && optind == argc && (options->now == INSTANT_NONE || options->once) &&
	       (options->check || !options->online);
}

/* Reads configuration and overrides; every fault is named. */
static int load(const char *path, struct club **ret_club)
{
	struct fault_list faults = {0};
	int r = club_load(path, &faults, ret_club);

	fault_list_print(&faults, stderr);
	fault_list_release(&faults);
	if (r < 0)
		fprintf(stderr, "%s: %s\n", path, strerror(-r));
	return r;
}

static int check_target(const struct club *club, struct fault_list *faults)
{
	const struct configuration *configuration = club->configuration;
	char text[TARGET_TEXT_MAX];
	int r = engine_check_target(club, text);

	if (r == 0)
		fault_add(faults, configuration->path, configuration->delivery.line, "%s", text);
	return r < 0 ? r : r > 0 ? 0 : FILE_FAULTY;
}

static int check_mailboxes(const struct club *club, struct fault_list *faults)
{
	const struct configuration *configuration = club->configuration;
	char text[TARGET_TEXT_MAX];
	int r = 0;

	for (size_t i = 0; i < configuration->n_mailboxes; i++) {
		const struct configured_mailbox *mailbox = &configuration->mailboxes[i];
		int one = engine_check_mailbox(club, i, text);

		if (one < 0)
			return one;
		if (one > 0)
			continue;
		fault_add(faults, configuration->path, mailbox->account.line, "%s", text);
		r = FILE_FAULTY;
	}
	return r;
}

/* Whatever a pass needs is there, looked at without changing anything. */
static int check_online(const struct club *club, struct fault_list *faults)
{
	int r = club_check_online(club, faults);
	int mailboxes = check_mailboxes(club, faults), target = check_target(club, faults);

	return r != 0 ? r : mailboxes != 0 ? mailboxes : target;
}

/* What a file alone does not show. */
static int check(const struct club *club, bool online)
{
	struct fault_list faults = {0};
	int r = roles_check(club->configuration, &faults);
	int reached = online ? check_online(club, &faults) : 0;

	/* A login tells it itself. */
	if (!online)
		engine_check_files(club, &faults);
	r = r == 0 && fault_list_total(&faults) > 0 ? FILE_FAULTY : r;
	fault_list_print(&faults, stderr);
	fault_list_release(&faults);
	return r == 0 && reached == 0 ? EXIT_SUCCESS : EX_CONFIG;
}

static const struct log_fields start_failed = {.event = "start-failed"};

/* A program that is too old does not get newer by being started again. */
static int exit_code_of_store(const struct club *club, int error, bool once)
{
	const char *directory = club->configuration->store.directory;

	if (error == -EBUSY) {
		log_with(LOG_ERR, &start_failed, "another process holds the store %s", directory);
		return EX_TEMPFAIL;
	}
	log_with(LOG_ERR, &start_failed, "the store %s: %s", directory,
		error == -ESTALE ? "it belongs to a newer version" : strerror(-error));
	return error == -ESTALE && !once ? EX_CONFIG : EXIT_FAILURE;
}

/* A pass may not lie before the last one: time does not run backwards in a store. */
static int note_pass(struct club *club, int64_t now)
{
	int64_t last = INSTANT_NONE;
	int r = store_fact(club->store, "last_pass", &last);

	if (r >= 0 && last != INSTANT_NONE && now < last) {
		log_line(LOG_ERR, "this pass lies before the last one");
		return -ERANGE;
	}
	if (r >= 0)
		r = store_begin(club->store);
	if (r >= 0)
		r = store_set_fact(club->store, "last_pass", now);
	return r < 0 ? r : store_commit(club->store);
}

/* zugpostctl holds the lock for a moment when it finds no daemon. */
static int open_store(struct club *club, bool once)
{
	const struct timespec pause = {.tv_nsec = LOCK_AGAIN_MS * 1000000L};
	void (*tell)(int64_t version) = once ? NULL : notify_migrating;
	int r = club_open_store_telling(club, STORE_WRITE, tell);

	for (int ms = 0; !once && r == -EBUSY && ms < LOCK_WITHIN_MS; ms += LOCK_AGAIN_MS) {
		(void)nanosleep(&pause, NULL);
		r = club_open_store_telling(club, STORE_WRITE, tell);
	}
	return r;
}

static int on_stop(sd_event_source *source, const struct signalfd_siginfo *info, void *userdata)
{
	struct engine **engine = userdata;

	(void)source;
	log_with(LOG_INFO, &(struct log_fields){.event = "stopping"}, "asked to end by SIG%s",
		sigabbrev_np((int)info->ssi_signo));
	notify_stopping();
	engine_stop(*engine);
	return 0;
}

/* A new configuration is read whole, then taken; a bad one is logged and the old one
 * stays. */
static int on_reload(sd_event_source *source, const struct signalfd_siginfo *info, void *userdata)
{
	struct engine **engine = userdata;
	struct fault_list faults = {0};

	(void)source;
	(void)info;
	(void)!engine_read_again(*engine, &faults); /* it is in the log */
	fault_list_release(&faults);
	return 0;
}

/* *ENGINE is set before the loop runs. */
static int add_signals(sd_event *event, struct engine **engine, bool once)
{
	int r = sd_event_add_signal(event, NULL, SIGTERM, on_stop, engine);

	if (r >= 0)
		r = sd_event_add_signal(event, NULL, SIGINT, on_stop, engine);
	if (r >= 0 && !once)
		r = sd_event_add_signal(event, NULL, SIGHUP, on_reload, engine);
	return r;
}

static int run(struct club *club, const struct options *options)
{
	sd_event *event __attribute__((cleanup(sd_event_unrefp))) = NULL;
	struct engine *engine __attribute__((cleanup(engine_freep))) = NULL;
	struct server *server __attribute__((cleanup(server_closep))) = NULL;
	const struct engine_options engine_options = {
		.once = options->once,
		.now = options->now,
	};
	int r = sd_event_new(&event);

	if (r >= 0)
		r = add_signals(event, &engine, options->once);
	if (r >= 0)
		r = engine_new(&engine, event, club, &engine_options);
	if (r < 0) {
		club_free(club);
		log_with(LOG_ERR, &start_failed, "starting: %s", strerror(-r));
		return EXIT_FAILURE;
	}
	if (!options->once) {
		r = server_open(&server, event, engine);
		if (r >= 0)
			r = sd_event_set_watchdog(event, true);
		if (r >= 0) {
			log_with(LOG_INFO, &(struct log_fields){.event = "started"},
				"serving the club of %s", engine_club(engine)->configuration->path);
			notify_ready();
		}
	}
	if (r >= 0)
		r = sd_event_loop(event);
	if (r < 0) {
		log_line(LOG_ERR, "the event loop: %s", strerror(-r));
		return EXIT_FAILURE;
	}
	return r;
}

static int64_t present(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int main(int argc, char **argv)
{
	struct options options = {.config = "/etc/zugpost/zugpost.conf", .now = INSTANT_NONE};
	struct club *club = NULL;
	sigset_t signals;

	int code = worker_main(argc, argv, workers, n_workers);
	if (code >= 0)
		return code;
	if (!read_options(&options, argc, argv))
		return usage();
	if (options.help || options.version) {
		fputs(options.help ? usage_text : "zugpostd " ZUGPOST_VERSION "\n", stdout);
		return EXIT_SUCCESS;
	}
	/* Blocked before anything starts: the event loop takes them. */
	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGHUP);
	sigaddset(&signals, SIGCHLD);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	signal(SIGPIPE, SIG_IGN);

	int r = load(options.config, &club);
	if (r != 0) {
		if (!options.check && log_has_journal())
			log_with(LOG_ERR, &start_failed, "%s is at fault", options.config);
		if (club)
			club_free(club);
		return EX_CONFIG;
	}
	if (options.check) {
		code = check(club, options.online);
		club_free(club);
		return code;
	}
	if (!options.once)
		notify_opening();
	r = open_store(club, options.once);
	if (r < 0) {
		code = exit_code_of_store(club, r, options.once);
		club_free(club);
		return code;
	}
	int64_t now = options.now == INSTANT_NONE ? present() : options.now;
	if (options.once)
		r = note_pass(club, now);
	if (r >= 0)
		r = input_log_configuration(club, now);
	if (r < 0) {
		code = r == -ERANGE ? EXIT_FAILURE : exit_code_of_store(club, r, options.once);
		club_free(club);
		return code;
	}
	return run(club, &options);
}

/*
 * What an administrator does to a running club: pause, resume, reload, backup.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/value.h"
#include "daemon/ctl/clock_words.h"
#include "daemon/ctl/files.h"
#include "daemon/ctl/print.h"
#include "daemon/ctl/store_commands.h"
#include "daemon/engine/engine.h"
#include "daemon/log.h"
#include "daemon/relay/work.h"

/* ---- pause, resume ---- */

static int set_pause(struct ctl *ctl, int64_t until)
{
	struct store *store = ctl->club->store;
	int r = store_begin(store);

	if (r >= 0)
		r = work_pause(ctl->club, until);
	if (r < 0) {
		store_rollback(store);
		return r;
	}
	r = store_commit(store);
	if (r >= 0 && ctl->engine)
		engine_kick(ctl->engine);
	return r;
}

static int print_pause(struct ctl *ctl, int64_t until)
{
	bool paused = until != INSTANT_NONE;

	if (ctl->json)
		return print_json(
			ctl, json_pack("{s:b, s:o}", "paused", paused, "until",
				     until == WORK_PAUSED ? json_null() : json_instant(until)));
	if (!paused)
		fprintf(ctl->out, "the work goes on\n");
	else if (until == WORK_PAUSED)
		fprintf(ctl->out, "paused: nothing is decided until 'resume'\n");
	else
		fprintf(ctl->out, "paused: nothing is decided until %s\n", print_instant(until));
	return CTL_DONE;
}

int pause_command(struct ctl *ctl, int argc, char **argv)
{
	const char *text = NULL;
	int64_t until = WORK_PAUSED;

	if (ctl_option(&argc, argv, "--until", &text) < 0 || argc != 1 ||
		(text && value_instant(text, &until) < 0))
		return ctl_usage(ctl, "pause");
	if (until <= ctl->now)
		return ctl_refuse(ctl, "%s has passed", text);
	int r = set_pause(ctl, until);
	if (r < 0)
		return ctl_fail(ctl, r);
	log_with(LOG_NOTICE, &(struct log_fields){.event = "paused"}, "paused until %s",
		until == WORK_PAUSED ? "it is resumed" : print_instant(until));
	return print_pause(ctl, until);
}

int resume_command(struct ctl *ctl, int argc, char **argv)
{
	int64_t until = INSTANT_NONE;

	(void)argv;
	if (argc != 1)
		return ctl_usage(ctl, "resume");
	int r = work_paused(ctl->club, ctl->now, &until);
	if (r > 0)
		r = set_pause(ctl, INSTANT_NONE);
	if (r < 0)
		return ctl_fail(ctl, r);
	if (until != INSTANT_NONE)
		log_with(LOG_NOTICE, &(struct log_fields){.event = "resumed"}, "the work goes on");
	return print_pause(ctl, INSTANT_NONE);
}

/* ---- reload ---- */

int reload_command(struct ctl *ctl, int argc, char **argv)
{
	struct fault_list faults = {0};

	(void)argv;
	if (argc != 1)
		return ctl_usage(ctl, "reload");
	if (!ctl->engine)
		return ctl_refuse(ctl, "no daemon is running");
	int r = engine_read_again(ctl->engine, &faults);
	fault_list_print(&faults, ctl->err);
	fault_list_release(&faults);
	if (r == FILE_FAULTY)
		return CTL_REFUSED;
	if (r == -EXDEV)
		return ctl_refuse(ctl, "the store cannot move while the daemon runs; "
				       "the old configuration stays");
	if (r < 0)
		return ctl_refuse(ctl, "the configuration: %s", strerror(-r));
	if (ctl->json)
		return print_json(ctl, json_pack("{s:b}", "reloaded", 1));
	fprintf(ctl->out, "the configuration was read again\n");
	return CTL_DONE;
}

/* ---- backup ---- */

/* SQLite writes into a file that is there if it is empty: so its mode is ours. */
static int make_empty(const char *path, char *out, size_t size)
{
	int n = snprintf(out, size, "%s.XXXXXX", path);

	if (n < 0 || (size_t)n >= size)
		return -ENAMETOOLONG;
	int fd = mkostemp(out, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

static int write_backup(struct store *store, const char *file, const char *temporary)
{
	int r = store_backup(store, temporary);

	if (r >= 0)
		r = files_sync(temporary);
	if (r >= 0 && rename(temporary, file) < 0)
		r = -errno;
	return r < 0 ? r : files_sync_parent(file);
}

int backup_command(struct ctl *ctl, int argc, char **argv)
{
	char temporary[4096];
	struct stat status;

	if (argc != 2)
		return ctl_usage(ctl, "backup");
	if (store_is_file(ctl->club->store, argv[1]))
		return ctl_refuse(ctl, "%s is the store itself", argv[1]);
	if (stat(argv[1], &status) == 0 && !S_ISREG(status.st_mode))
		return ctl_refuse(ctl, "%s is no file", argv[1]);
	int r = make_empty(argv[1], temporary, sizeof(temporary));
	if (r < 0)
		return ctl_refuse(ctl, "%s: %s", argv[1], strerror(-r));
	r = write_backup(ctl->club->store, argv[1], temporary);
	if (r < 0) {
		unlink(temporary);
		return ctl_refuse(ctl, "%s: %s %s", argv[1], strerror(-r),
			r == -EIO ? store_error(ctl->club->store) : "");
	}
	if (stat(argv[1], &status) < 0)
		return ctl_refuse(ctl, "%s: %s", argv[1], strerror(errno));
	/* For `status`; whoever may not write there has made a backup all the same. */
	(void)!files_mark(ctl->club->configuration->store.directory, BACKUP_MARK, ctl->now);
	if (ctl->json)
		return print_json(ctl, json_pack("{s:s, s:I}", "file", argv[1], "size",
					       (json_int_t)status.st_size));
	fprintf(ctl->out, "backed up: %s, %lld bytes\n", argv[1], (long long)status.st_size);
	return CTL_DONE;
}

#include "daemon/ctl/reach.h"

#include <errno.h>
#include <grp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "daemon/ctl/remote.h"
#include "daemon/relay/club.h"
#include "daemon/relay/input_log.h"

#define PATIENCE_MS 15000 /* from the first vain attempt on */
#define AGAIN_AFTER_MS 100
#define TELL_AFTER_MS 2000
/* A daemon that says nothing for so long hangs: its service ends it by then. */
#define GREETING_MS 90000

struct reaching {
	struct ctl *ctl;
	const struct ctl_command *command;
	enum ctl_need need;
	int argc;
	char **argv;
	int64_t begun, failed; /* monotonic ms; failed: the first time, 0: not yet */
	bool told;
	char why[4400]; /* the last attempt was in vain */
};

static int64_t monotonic(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static const char *directory_of(const struct reaching *reaching)
{
	return reaching->ctl->club->configuration->store.directory;
}

/* Whoever looks on is told once why nothing happens. */
static void tell_wait(struct reaching *reaching)
{
	if (reaching->told || monotonic() - reaching->begun < TELL_AFTER_MS)
		return;
	reaching->told = true;
	if (isatty(fileno(reaching->ctl->err)) == 1)
		fprintf(reaching->ctl->err, "zugpostctl: waiting for the daemon\n");
}

/* The attempt may be made again: nothing was done. */
static int PRINTF_LIKE(2, 3) in_vain(struct reaching *reaching, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	(void)vsnprintf(reaching->why, sizeof(reaching->why), format, args);
	va_end(args);
	return -EAGAIN;
}

/* ---- The daemon ---- */

/* 1: it has said something, or gone. */
static int await_greeting(struct reaching *reaching, int fd)
{
	struct pollfd one = {.fd = fd, .events = POLLIN};
	int64_t end = monotonic() + GREETING_MS;
	int r = 0;

	while (r == 0 && monotonic() < end) {
		r = poll(&one, 1, TELL_AFTER_MS / 4);
		if (r < 0 && errno == EINTR)
			r = 0;
		if (r == 0)
			tell_wait(reaching);
	}
	return r < 0 ? -errno : r;
}

/* The exit code; -EAGAIN in vain, -ENOENT, -ECONNREFUSED as remote_connect. */
static int try_daemon(struct reaching *reaching)
{
	struct ctl *ctl = reaching->ctl;
	int fd, r = remote_connect(ctl->club->configuration, &fd);

	if (r == -ENOENT || r == -ECONNREFUSED)
		return r;
	if (r == -EAGAIN)
		return in_vain(reaching, "the daemon has no time; nothing was done");
	if (r == -EACCES)
		return ctl_refuse(ctl,
			"the daemon does not hear this account: %s (see ROLES in "
			"zugpostctl(1))",
			strerror(EACCES));
	if (r < 0)
		return ctl_refuse(ctl, "the daemon cannot be reached: %s", strerror(-r));
	r = await_greeting(reaching, fd);
	if (r > 0)
		r = remote_ask(ctl, fd, reaching->need, reaching->argc, reaching->argv);
	else
		r = ctl_refuse(ctl, "the daemon does not answer; nothing was done");
	close(fd);
	return r == -EAGAIN ? in_vain(reaching, "the daemon has ended, or has no room for another "
						"connection; nothing was done")
			    : r;
}

/* ---- The store ---- */

/* What root writes into a store belongs to the daemon's account: it could not write it else. */
static int become_owner(const char *directory)
{
	struct stat status;

	if (geteuid() != 0 || stat(directory, &status) < 0 || status.st_uid == 0)
		return 0;
	if (setgroups(0, NULL) < 0 || setgid(status.st_gid) < 0 || setuid(status.st_uid) < 0)
		return -errno;
	return 0;
}

static int refuse_store(struct reaching *reaching, int error)
{
	return ctl_refuse(reaching->ctl, "the store %s: %s", directory_of(reaching),
		error == -ESTALE ? "it belongs to a newer version" : strerror(-error));
}

/* A command creates a store that is missing, and brings an old one up to date. REMOTE is what the
 * daemon's socket has said: a daemon may be about to come. */
static int run_as_writer(struct reaching *reaching, int remote)
{
	struct ctl *ctl = reaching->ctl;
	int r = become_owner(directory_of(reaching));

	if (r >= 0)
		r = club_open_store(ctl->club, STORE_WRITE);
	if (r == -EBUSY)
		return in_vain(reaching, "another process holds the store %s; nothing was done",
			directory_of(reaching));
	if (r == -EACCES && remote == -ECONNREFUSED)
		return in_vain(reaching, "no daemon answers, and the store %s cannot be opened: %s",
			directory_of(reaching), strerror(EACCES));
	if (r >= 0)
		r = input_log_configuration(ctl->club, ctl->now);
	return r < 0 ? refuse_store(reaching, r)
		     : ctl_run(ctl, reaching->command, reaching->argc, reaching->argv);
}

static int attempt(struct reaching *reaching)
{
	struct ctl *ctl = reaching->ctl;
	bool reads = reaching->need != CTL_CHANGES;
	int r = reads ? club_open_store(ctl->club, STORE_READ) : -EACCES, remote = -ENOENT;

	if (reads && r >= 0)
		return ctl_run(ctl, reaching->command, reaching->argc, reaching->argv);
	/* It would take the place of what was saved before. */
	if (r == -ENOENT && reaching->need == CTL_COPIES)
		return refuse_store(reaching, r);
	if (r == -EACCES && (reaching->need == CTL_OPENS || reaching->need == CTL_COPIES))
		return ctl_refuse(ctl,
			"the store %s: %s; '%s' is for root and the daemon's own account",
			directory_of(reaching), strerror(EACCES), reaching->command->name);
	if (r == -EACCES) {
		r = remote = try_daemon(reaching);
		if (r != -ENOENT && r != -ECONNREFUSED)
			return r;
	}
	return r == -ENOENT || r == -ECONNREFUSED || r == -ESTALE ? run_as_writer(reaching, remote)
								  : refuse_store(reaching, r);
}

static bool is_patient(struct reaching *reaching)
{
	const struct timespec pause = {.tv_nsec = AGAIN_AFTER_MS * 1000000L};
	int64_t now = monotonic();

	if (!reaching->failed)
		reaching->failed = now;
	if (now - reaching->failed >= PATIENCE_MS)
		return false;
	tell_wait(reaching);
	(void)nanosleep(&pause, NULL);
	return true;
}

int reach_run(struct ctl *ctl, const struct ctl_command *command, int argc, char **argv)
{
	struct reaching reaching = {
		.ctl = ctl,
		.command = command,
		.need = ctl_need_of(command, argc, argv),
		.argc = argc,
		.argv = argv,
		.begun = monotonic(),
	};
	int r;

	do
		r = attempt(&reaching);
	while (r == -EAGAIN && is_patient(&reaching));
	return r == -EAGAIN ? ctl_refuse(ctl, "%s", reaching.why) : r;
}

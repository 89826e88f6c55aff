#include "daemon/net/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/net/worker.h"

#define EXIT_USAGE 2
#define EXIT_NO_EXEC 127

/* Workers end when their socket does, and with main at the latest: the signals
 * that a terminal or the service manager sends to the whole group are main's. */
static const int ignored_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};

static char *const worker_environment[] = {"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", NULL};

static char *const *child_environment(void)
{
#ifdef ZUGPOST_SANITIZED
	/* Sanitizers are steered by their variables alone. */
	static const char *const wanted[] = {"ASAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS"};
	static char *kept[ARRAY_SIZE(worker_environment) + ARRAY_SIZE(wanted)];
	size_t n = 0;

	for (size_t i = 0; worker_environment[i]; i++)
		kept[n++] = worker_environment[i];
	for (char **variable = environ; *variable; variable++)
		for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
			if (strncmp(*variable, wanted[i], strlen(wanted[i])) == 0 &&
				n + 1 < ARRAY_SIZE(kept))
				kept[n++] = *variable;
	kept[n] = NULL;
	return kept;
#else
	return worker_environment;
#endif
}

static int child_descriptors(int socket)
{
	int null;

	/* Out of the way of the numbers that are handed out below. */
	socket = fcntl(socket, F_DUPFD, 16);
	if (socket < 0)
		return -1;
	null = open("/dev/null", O_RDWR);
	if (null < 0 || dup2(null, STDIN_FILENO) < 0)
		return -1;
	if (fcntl(STDERR_FILENO, F_GETFD) < 0 && dup2(null, STDERR_FILENO) < 0)
		return -1;
	if (dup2(STDERR_FILENO, STDOUT_FILENO) < 0 || dup2(socket, CHILD_SOCKET) < 0)
		return -1;
	return close_range(CHILD_SOCKET + 1, ~0U, 0);
}

static void child_signals(void)
{
	sigset_t none;

	for (int sig = 1; sig < NSIG; sig++)
		(void)signal(sig, SIG_DFL);
	for (size_t i = 0; i < ARRAY_SIZE(ignored_signals); i++)
		(void)signal(ignored_signals[i], SIG_IGN);
	sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
}

static _Noreturn void child_exec(
	const char *kind, int socket, pid_t parent, char *const *environment)
{
	char *argv[] = {program_invocation_name, (char[]){"--worker"}, (char *)kind, NULL};

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
		_exit(EXIT_NO_EXEC);
	/* Main may have died before the line above. */
	if (getppid() != parent)
		_exit(EXIT_NO_EXEC);
	child_signals();
	if (child_descriptors(socket) < 0)
		_exit(EXIT_NO_EXEC);
	(void)execve("/proc/self/exe", argv, environment);
	_exit(EXIT_NO_EXEC);
}

int child_start(const char *kind, struct child *ret_child)
{
	char *const *environment = child_environment();
	pid_t parent = getpid(), pid;
	int ends[2], pidfd, r;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		return -errno;
	pid = fork();
	if (pid == 0)
		child_exec(kind, ends[1], parent, environment);
	r = pid < 0 ? -errno : 0;
	(void)close(ends[1]);
	if (r < 0)
		goto no_child;
	pidfd = pidfd_open(pid, 0);
	if (pidfd < 0 || fcntl(ends[0], F_SETFL, O_NONBLOCK) < 0) {
		r = -errno;
		goto no_pidfd;
	}
	*ret_child = (struct child){.pid = pid, .pidfd = pidfd, .socket = ends[0]};
	return 0;

no_pidfd:
	if (pidfd >= 0)
		(void)close(pidfd);
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
no_child:
	(void)close(ends[0]);
	return r;
}

int worker_main(int argc, char **argv, const struct worker_kind *kinds, size_t n_kinds)
{
	struct stat status;

	if (argc < 2 || strcmp(argv[1], "--worker") != 0)
		return -1;
	if (argc != 3 || fstat(CHILD_SOCKET, &status) < 0 || !S_ISSOCK(status.st_mode)) {
		(void)fprintf(stderr, "--worker is for this program's own use\n");
		return EXIT_USAGE;
	}
	for (size_t i = 0; i < n_kinds; i++)
		if (strcmp(kinds[i].name, argv[2]) == 0)
			return kinds[i].run(CHILD_SOCKET);
	(void)fprintf(stderr, "<3>no worker of this kind: %s\n", argv[2]);
	return EXIT_USAGE;
}

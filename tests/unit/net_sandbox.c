/*
 * The sandbox: what each level refuses, tried for real in a child.
 */
#include "daemon/net/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/unit/test.h"

/* Each returns 0 or -errno. */

static int try_open(void)
{
	int fd = open("/etc/passwd", O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : 0;
}

static int try_create(void)
{
	char name[] = P_tmpdir "/net_sandbox.XXXXXX";
	int fd = mkstemp(name);

	if (fd < 0)
		return -errno;
	return unlink(name) < 0 ? -errno : 0;
}

static int try_stat(void)
{
	struct stat status;

	return stat("/etc/passwd", &status) < 0 ? -errno : 0;
}

static int try_inotify(void)
{
	return inotify_init1(IN_CLOEXEC) < 0 ? -errno : 0;
}

static int try_socket(void)
{
	return socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0) < 0 ? -errno : 0;
}

static int try_datagram_socket(void)
{
	return socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0) < 0 ? -errno : 0;
}

static int try_listen(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET};
	int fd = dup(STDERR_FILENO);

	return bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0 ? -errno : 0;
}

static int try_unix_socket(void)
{
	return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0) < 0 ? -errno : 0;
}

static int try_exec(void)
{
	char *argv[] = {(char[]){"/bin/true"}, NULL};

	(void)execv(argv[0], argv);
	return -errno;
}

static int try_fork(void)
{
	/* fork() of libc is clone; a child of it would end with 0. */
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	return pid < 0 ? -errno : 0;
}

static int try_ptrace(void)
{
	return ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0 ? -errno : 0;
}

static int try_executable_memory(void)
{
	void *memory = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? -errno : 0;
}

static int try_kill(void)
{
	return kill(getppid(), 0) < 0 ? -errno : 0;
}

static int try_memory(void)
{
	char *memory = malloc(64u << 20);

	if (!memory)
		return -ENOMEM;
	memset(memory, 1, 64u << 20);
	free(memory);
	return 0;
}

static int compare_ints(const void *a, const void *b)
{
	return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

static int try_everyday(void)
{
	struct timespec now;
	char bytes[16];
	int numbers[2000];

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		numbers[i] = (int)(i * 7919 % 2003);
	/* libc asks for the size of the memory before it sorts so many. */
	qsort(numbers, ARRAY_SIZE(numbers), sizeof(*numbers), compare_ints);
	if (clock_gettime(CLOCK_REALTIME, &now) < 0 || getpid() <= 0)
		return -errno;
	if (syscall(SYS_getrandom, bytes, sizeof(bytes), 0) < 0)
		return -errno;
	return write(STDERR_FILENO, "", 0) < 0 ? -errno : 0;
}

static int try_raise_limit(void)
{
	struct rlimit limit = {.rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY};

	return setrlimit(RLIMIT_CORE, &limit) < 0 ? -errno : 0;
}

#define KILLED (-1000)

static const struct {
	const char *name;
	int (*attempt)(void);
	int reader, maildir, client; /* 0, -errno, or KILLED */
	bool open_for_sanitizers;    /* what the sanitizers' runtime needs is let through */
} rows[] = {
	{"open", try_open, -EPERM, 0, -EPERM, true},
	{"create", try_create, -EPERM, 0, -EPERM, false},
	{"stat", try_stat, -EPERM, 0, -EPERM, true},
	{"inotify", try_inotify, -EPERM, 0, -EPERM, false},
	{"socket", try_socket, KILLED, KILLED, 0, false},
	{"datagram socket", try_datagram_socket, KILLED, KILLED, -EPERM, false},
	{"listen", try_listen, KILLED, KILLED, KILLED, false},
	{"unix socket", try_unix_socket, KILLED, KILLED, -EPERM, false},
	{"exec", try_exec, KILLED, KILLED, KILLED, false},
	{"fork", try_fork, -EPERM, -EPERM, -EPERM, true},
	{"ptrace", try_ptrace, KILLED, KILLED, KILLED, true},
	{"executable memory", try_executable_memory, -EPERM, -EPERM, -EPERM, true},
	{"kill", try_kill, -EPERM, -EPERM, -EPERM, true},
	{"raise a limit", try_raise_limit, -EPERM, -EPERM, -EPERM, true},
	{"memory", try_memory, 0, 0, 0, false},
	{"everyday calls", try_everyday, 0, 0, 0, false},
};

static int run_inside(enum sandbox_level level, int (*attempt)(void))
{
	int status, ends[2], result = KILLED;
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (pid == 0) {
		int r = sandbox_enter(level);

		r = r < 0 ? -2000 : attempt();
		(void)!write(ends[1], &r, sizeof(r));
		_exit(0);
	}
	(void)close(ends[1]);
	(void)!read(ends[0], &result, sizeof(result));
	(void)close(ends[0]);
	expect_int(waitpid(pid, &status, 0), pid);
	if (result == KILLED && !(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS))
		fail_msg("ended otherwise: status %x", (unsigned)status);
	return result;
}

static void test_levels(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		int reader = run_inside(SANDBOX_READER, rows[i].attempt);
		int maildir = run_inside(SANDBOX_MAILDIR, rows[i].attempt);
		int client = run_inside(SANDBOX_CLIENT, rows[i].attempt);

#ifdef ZUGPOST_SANITIZED
		if (rows[i].open_for_sanitizers)
			continue;
#endif
		if (reader != rows[i].reader)
			fail_msg("reader, %s: %d", rows[i].name, reader);
		if (maildir != rows[i].maildir)
			fail_msg("maildir, %s: %d", rows[i].name, maildir);
		if (client != rows[i].client)
			fail_msg("client, %s: %d", rows[i].name, client);
	}
}

static int outside_is_free(void)
{
	int r = try_open();

	return r < 0 ? r : try_unix_socket();
}

/* The test would say nothing if these failed anyway. */
static void test_outside(void **state)
{
	(void)state;
	expect_int(outside_is_free(), 0);
	expect_int(try_fork(), 0);
	expect_int(waitpid(-1, NULL, 0) > 0, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_outside),
		cmocka_unit_test(test_levels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

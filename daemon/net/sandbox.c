#include "daemon/net/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#define MIB ((rlim_t)1 << 20)

/* Memory, time, signals to oneself, and what is already open. */
static const char *const calls_basic[] = {"brk", "clock_getres", "clock_gettime", "clock_nanosleep",
	"close", "dup", "exit", "exit_group", "fcntl", "fcntl64", "fstat", "fstat64", "futex",
	"futex_time64", "get_robust_list", "getcpu", "getegid", "geteuid", "getgid", "getpid",
	"getppid", "getrandom", "getresgid", "getresuid", "gettid", "gettimeofday", "getuid",
	"lseek", "madvise", "membarrier", "mremap", "munmap", "nanosleep", "poll", "ppoll",
	"ppoll_time64", "pread64", "read", "readv", "recvfrom", "recvmsg", "restart_syscall",
	"rseq", "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sched_getaffinity",
	"sched_yield", "sendmsg", "sendto", "set_robust_list", "sigaltstack", "sysinfo", "tgkill",
	"time", "uname", "write", "writev", NULL};

/* Names that lead to files. */
static const char *const calls_files[] = {"access", "faccessat", "faccessat2", "fchmod",
	"fdatasync", "fstatat64", "fstatfs", "fsync", "ftruncate", "getcwd", "getdents",
	"getdents64", "inotify_add_watch", "inotify_init", "inotify_init1", "inotify_rm_watch",
	"link", "linkat", "lstat", "mkdir", "mkdirat", "newfstatat", "open", "openat", "openat2",
	"pwrite64", "pwritev", "readlink", "readlinkat", "rename", "renameat", "renameat2", "stat",
	"stat64", "statfs", "statx", "umask", "unlink", "unlinkat", NULL};

/* No library does these by accident. */
static const char *const calls_fatal[] = {"accept", "accept4", "add_key", "bind", "bpf", "chroot",
	"delete_module", "execve", "execveat", "finit_module", "fork", "init_module",
	"io_uring_setup", "kexec_load", "keyctl", "listen", "mount", "move_mount",
	"open_by_handle_at", "perf_event_open", "pivot_root", "process_vm_writev", "reboot",
	"request_key", "setns", "swapon", "umount2", "unshare", "userfaultfd", "vfork", NULL};
static const char *const calls_fatal_offline[] = {"connect", "socket", NULL};

/* Connections to mail servers; which sockets may be made is in filter_add_sockets(). */
static const char *const calls_client[] = {
	"connect", "getpeername", "getsockname", "getsockopt", "setsockopt", "shutdown", NULL};

#ifdef ZUGPOST_SANITIZED
/* The sanitizers' runtime: maps of the process, a thread that traces it for leaks. */
static const char *const calls_sanitizer[] = {"arch_prctl", "clone", "clone3", "getdents",
	"getdents64", "getrlimit", "kill", "lstat", "mmap", "mprotect", "newfstatat", "personality",
	"pipe2", "prctl", "prlimit64", "process_vm_readv", "ptrace", "readlink", "readlinkat",
	"set_tid_address", "stat", "wait4", NULL};
#else
static const char *const calls_traced[] = {"process_vm_readv", "ptrace", NULL};
#endif

static int filter_add(scmp_filter_ctx filter, uint32_t action, const char *const *names)
{
	for (; *names; names++) {
		int call = seccomp_syscall_resolve_name(*names);
		int r;

		/* Not every architecture has every call. */
		if (call == __NR_SCMP_ERROR)
			continue;
		r = seccomp_rule_add(filter, action, call, 0);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Allows calls whose argument number arg has none of these bits. */
static int filter_add_without(
	scmp_filter_ctx filter, unsigned arg, scmp_datum_t bits, const char *const *names)
{
	const struct scmp_arg_cmp clear = {
		.arg = arg, .op = SCMP_CMP_MASKED_EQ, .datum_a = bits, .datum_b = 0};

	for (; *names; names++) {
		int call = seccomp_syscall_resolve_name(*names);
		int r;

		if (call == __NR_SCMP_ERROR)
			continue;
		r = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, call, 1, &clear);
		if (r < 0)
			return r;
	}
	return 0;
}

#ifdef ZUGPOST_SANITIZED
static int filter_add_runtime(scmp_filter_ctx filter)
{
	static const char *const by_path[] = {"open", NULL}, *const by_folder[] = {"openat", NULL};
	const scmp_datum_t writing = O_ACCMODE | O_CREAT | O_TRUNC;
	int r;

	r = filter_add(filter, SCMP_ACT_ALLOW, calls_sanitizer);
	if (r == 0)
		r = filter_add_without(filter, 1, writing, by_path);
	return r < 0 ? r : filter_add_without(filter, 2, writing, by_folder);
}
#else
/* Memory, but never memory that can be executed. */
static int filter_add_runtime(scmp_filter_ctx filter)
{
	static const char *const calls[] = {"mmap", "mmap2", "mprotect", NULL};
	int r;

	r = filter_add_without(filter, 2, PROT_EXEC, calls);
	return r < 0 ? r : filter_add(filter, SCMP_ACT_KILL_PROCESS, calls_traced);
}
#endif

/* TCP alone: with a local socket a worker could talk to other services of the machine. */
static int filter_add_sockets(scmp_filter_ctx filter)
{
	static const scmp_datum_t families[] = {AF_INET, AF_INET6};
	const scmp_datum_t whole = UINT32_MAX, flags = SOCK_CLOEXEC | SOCK_NONBLOCK;
	int call = seccomp_syscall_resolve_name("socket");

	for (size_t i = 0; i < ARRAY_SIZE(families); i++) {
		const struct scmp_arg_cmp wanted[] = {
			{.arg = 0,
				.op = SCMP_CMP_MASKED_EQ,
				.datum_a = whole,
				.datum_b = families[i]},
			{.arg = 1,
				.op = SCMP_CMP_MASKED_EQ,
				.datum_a = whole & ~flags,
				.datum_b = SOCK_STREAM},
		};
		int r = seccomp_rule_add_array(
			filter, SCMP_ACT_ALLOW, call, ARRAY_SIZE(wanted), wanted);

		if (r < 0)
			return r;
	}
	return filter_add(filter, SCMP_ACT_ALLOW, calls_client);
}

static int filter_add_level(scmp_filter_ctx filter, enum sandbox_level level)
{
	int r;

	if (level == SANDBOX_CLIENT)
		return filter_add_sockets(filter);
	r = filter_add(filter, SCMP_ACT_KILL_PROCESS, calls_fatal_offline);
	if (r == 0 && level == SANDBOX_MAILDIR)
		r = filter_add(filter, SCMP_ACT_ALLOW, calls_files);
	return r;
}

static int filter_load(enum sandbox_level level)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	int r;

	if (!filter)
		return -ENOMEM;
	r = filter_add(filter, SCMP_ACT_ALLOW, calls_basic);
	if (r == 0)
		r = filter_add_runtime(filter);
	if (r == 0)
		r = filter_add(filter, SCMP_ACT_KILL_PROCESS, calls_fatal);
	if (r == 0)
		r = filter_add_level(filter, level);
	if (r == 0)
		r = seccomp_load(filter);
	seccomp_release(filter);
	return r;
}

static int limit_set(__rlimit_resource_t resource, rlim_t value)
{
	struct rlimit limit;

	if (getrlimit(resource, &limit) < 0)
		return -errno;
	if (limit.rlim_max < value)
		value = limit.rlim_max;
	limit = (struct rlimit){.rlim_cur = value, .rlim_max = value};
	return setrlimit(resource, &limit) < 0 ? -errno : 0;
}

/* Time is limited by main, for each request: a limit of the processor time would end
 * an honest worker that has lived long. */
static int limits_set(enum sandbox_level level)
{
	struct {
		__rlimit_resource_t resource;
		rlim_t reader, other;
	} limits[] = {
		{RLIMIT_CORE, 0, 0},
		{RLIMIT_MEMLOCK, 0, 0},
		{RLIMIT_MSGQUEUE, 0, 0},
		{RLIMIT_STACK, 8 * MIB, 8 * MIB},
#ifndef ZUGPOST_SANITIZED
		/* Sanitizers reserve terabytes, and open files of their own. */
		{RLIMIT_AS, 768 * MIB, 1024 * MIB},
		{RLIMIT_NOFILE, 64, 64},
#endif
	};

	for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
		int r = limit_set(limits[i].resource,
			level == SANDBOX_READER ? limits[i].reader : limits[i].other);

		if (r < 0)
			return r;
	}
	return 0;
}

int sandbox_enter(enum sandbox_level level)
{
	int r;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -errno;
	r = limits_set(level);
	return r < 0 ? r : filter_load(level);
}

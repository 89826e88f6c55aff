#include "daemon/ctl/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rules/calendar.h"

#define SIZE_LIMIT (1LL << 30)
#define PATH_SIZE 4096

int files_write(const char *path, const void *bytes, size_t size)
{
	const char *from = bytes;
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int r = 0;

	if (fd < 0)
		return -errno;
	while (r == 0 && size > 0) {
		ssize_t n = write(fd, from, size);
		if (n < 0) {
			r = errno == EINTR ? 0 : -errno;
			continue;
		}
		from += n;
		size -= (size_t)n;
	}
	if (r == 0 && fsync(fd) < 0)
		r = -errno;
	return close(fd) < 0 && r == 0 ? -errno : r;
}

static int read_all(int fd, char *bytes, size_t size)
{
	for (size_t at = 0; at < size;) {
		ssize_t n = read(fd, bytes + at, size - at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		at += (size_t)n;
	}
	bytes[size] = '\0';
	return 0;
}

static int size_of(int fd, size_t *ret_size)
{
	struct stat status;

	if (fstat(fd, &status) < 0)
		return -errno;
	if (!S_ISREG(status.st_mode))
		return -EINVAL;
	if (status.st_size > SIZE_LIMIT)
		return -EFBIG;
	*ret_size = (size_t)status.st_size;
	return 0;
}

int files_read(const char *path, struct arena *arena, void **ret_bytes, size_t *ret_size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t size = 0;

	if (fd < 0)
		return -errno;
	int r = size_of(fd, &size);
	char *bytes = arena_alloc(arena, size + 1);
	if (r >= 0)
		r = read_all(fd, bytes, size);
	close(fd);
	if (r < 0)
		return r;
	*ret_bytes = bytes;
	*ret_size = size;
	return 0;
}

int files_beside(const char *path, char *out, size_t size)
{
	size_t n = strlen(path);

	while (n > 1 && path[n - 1] == '/')
		n--;
	int written = snprintf(out, size, "%.*s.XXXXXX", (int)n, path);
	if (written < 0 || (size_t)written >= size)
		return -ENAMETOOLONG;
	return mkdtemp(out) ? 0 : -errno;
}

int files_scratch(char *out, size_t size)
{
	const char *parent = getenv("TMPDIR");
	int n = snprintf(out, size, "%s/zugpost-XXXXXX", parent && *parent ? parent : P_tmpdir);

	if (n < 0 || (size_t)n >= size)
		return -ENAMETOOLONG;
	return mkdtemp(out) ? 0 : -errno;
}

int files_is_empty(const char *path)
{
	DIR *folder = opendir(path);
	const struct dirent *entry;

	if (!folder)
		return errno == ENOENT ? 0 : -errno;
	do
		entry = readdir(folder);
	while (entry && (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0));
	closedir(folder);
	return entry ? -ENOTEMPTY : 1;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *at)
{
	(void)status;
	(void)type;
	(void)at;
	return remove(path);
}

void files_remove(const char *path)
{
	nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

int files_sync(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	int r = fsync(fd) < 0 ? -errno : 0;
	close(fd);
	return r;
}

int files_sync_parent(const char *path)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	char *copy = arena_string(&arena, path);
	size_t n = strlen(copy);

	while (n > 1 && copy[n - 1] == '/')
		copy[--n] = '\0';
	char *slash = strrchr(copy, '/');
	if (!slash)
		return files_sync(".");
	slash[slash == copy] = '\0';
	return files_sync(copy);
}

/* A new file takes the place of one that may be another account's, whose time we may not set. */
int files_mark(const char *folder, const char *name, int64_t at)
{
	char path[PATH_SIZE], temporary[PATH_SIZE];
	const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = (time_t)(at / 1000)}};
	int n = snprintf(path, sizeof(path), "%s/%s", folder, name);
	int m = snprintf(temporary, sizeof(temporary), "%s/.%s.XXXXXX", folder, name);

	if (n < 0 || (size_t)n >= sizeof(path) || m < 0 || (size_t)m >= sizeof(temporary))
		return -ENAMETOOLONG;
	int fd = mkostemp(temporary, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	int r = futimens(fd, times) < 0 ? -errno : 0;
	close(fd);
	if (r == 0 && rename(temporary, path) < 0)
		r = -errno;
	if (r < 0)
		(void)unlink(temporary);
	return r;
}

int64_t files_marked(const char *folder, const char *name)
{
	char path[PATH_SIZE];
	struct stat status;
	int n = snprintf(path, sizeof(path), "%s/%s", folder, name);

	return n < 0 || (size_t)n >= sizeof(path) || lstat(path, &status) < 0
		       ? INSTANT_NONE
		       : (int64_t)status.st_mtim.tv_sec * 1000;
}

#include "daemon/net/credential.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int credential_open(const struct secret *secret, char *text, size_t size)
{
	const char *folder;
	char *path = NULL;
	int fd = -1, r;

	if (secret->kind == SECRET_FILE) {
		fd = open(secret->name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
		if (fd >= 0)
			return fd;
		r = -errno;
		(void)snprintf(
			text, size, "the password file %s: %s", secret->name, strerrordesc_np(-r));
		return r;
	}
	folder = secure_getenv("CREDENTIALS_DIRECTORY");
	if (!folder) {
		(void)snprintf(text, size,
			"credential:%s: the service manager passed no credentials "
			"($CREDENTIALS_DIRECTORY is not set)",
			secret->name);
		return -ENOENT;
	}
	if (asprintf(&path, "%s/%s", folder, secret->name) < 0)
		return -ENOMEM;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	r = fd < 0 ? -errno : fd;
	if (r < 0)
		(void)snprintf(text, size, "credential:%s: %s", secret->name, strerrordesc_np(-r));
	free(path);
	return r;
}

/* Up to max bytes; -EFBIG when there are more. */
static ssize_t read_all(int fd, char *buffer, size_t max)
{
	struct stat status;
	size_t size = 0;
	ssize_t n;

	if (fstat(fd, &status) < 0)
		return -errno;
	if (!S_ISREG(status.st_mode))
		return -EINVAL;
	do {
		n = read(fd, buffer + size, max + 1 - size);
		if (n > 0)
			size += (size_t)n;
	} while ((n > 0 && size <= max) || (n < 0 && errno == EINTR));
	if (n < 0)
		return -errno;
	return size > max ? -EFBIG : (ssize_t)size;
}

static bool is_password(const char *text, size_t size)
{
	if (size == 0)
		return false;
	for (size_t i = 0; i < size; i++)
		if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
			return false;
	return true;
}

int credential_read(const struct secret *secret, char **ret_password, char *text, size_t size)
{
	char *password;
	ssize_t n;
	int fd = credential_open(secret, text, size);

	if (fd < 0)
		return fd;
	password = calloc(1, CREDENTIAL_MAX + 2);
	n = password ? read_all(fd, password, CREDENTIAL_MAX) : -ENOMEM;
	(void)close(fd);
	if (n > 0 && password[n - 1] == '\n')
		n--;
	if (n > 0 && password[n - 1] == '\r')
		n--;
	if (n < 0 || !is_password(password, (size_t)n)) {
		(void)snprintf(text, size, "%s%s %s",
			secret->kind == SECRET_FILE ? "the password file " : "credential:",
			secret->name,
			n == -EFBIG || n >= 0 ? "does not hold one line with a password"
					      : strerrordesc_np((int)-n));
		credential_free(password);
		return n < 0 && n != -EFBIG ? (int)n : -EINVAL;
	}
	password[n] = '\0';
	*ret_password = password;
	return 0;
}

uint64_t credential_mark(const struct secret *secret)
{
	char text[128];
	struct stat status;
	int fd = credential_open(secret, text, sizeof(text));

	if (fd < 0)
		return 0;
	int r = fstat(fd, &status);
	(void)close(fd);
	if (r < 0)
		return 0;
	const uint64_t parts[] = {status.st_dev, status.st_ino, (uint64_t)status.st_size,
		(uint64_t)status.st_mtim.tv_sec, (uint64_t)status.st_mtim.tv_nsec,
		(uint64_t)status.st_ctim.tv_sec, (uint64_t)status.st_ctim.tv_nsec};
	uint64_t mark = 1;
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		mark = (mark ^ parts[i]) * UINT64_C(0x9e3779b97f4a7c15);
	return mark | 1;
}

void credential_free(char *password)
{
	if (!password)
		return;
	explicit_bzero(password, strlen(password));
	free(password);
}

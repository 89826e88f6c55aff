#include "daemon/delivery/maildir_target.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/delivery/target.h"
#include "daemon/net/sandbox.h"

#define SUFFIX ".zugpost"
/* As much of the key as goes into a file name; the hash tells the rest. */
#define KEY_MAX 128
#define CODE_DELIVERED 250
#define CODE_TEMPORARY 451
#define CODE_FULL 452
#define CODE_BAD_ADDRESS 553

struct target {
	char *path;
	int new_fd, cur_fd, tmp_fd; /* -1 while the maildir is not open */
	struct stat new_status;
	GHashTable *known; /* the unique parts of the files in new/ and cur/ */
	char *buffer;      /* the file to be */
	size_t buffer_size, buffer_allocated;
};

/* FNV-1a, 64 bits, over the string and its NUL. */
static uint64_t hash_add(uint64_t hash, const char *string)
{
	do {
		hash ^= (unsigned char)*string;
		hash *= UINT64_C(0x100000001b3);
	} while (*string++);
	return hash;
}

void maildir_unique(const char *key, const char *recipient, char unique[static MAILDIR_UNIQUE_MAX])
{
	uint64_t hash = hash_add(hash_add(UINT64_C(0xcbf29ce484222325), key), recipient);
	size_t n = 0;

	for (const char *c = key; *c && n < KEY_MAX; c++)
		unique[n++] = g_ascii_isalnum(*c) || strchr("-_@+", *c) ? *c : '_';
	(void)snprintf(
		unique + n, MAILDIR_UNIQUE_MAX - n, "-%016llx" SUFFIX, (unsigned long long)hash);
}

static int maildir_target_open(struct target **ret_target, const struct target_config *config)
{
	struct target *target = calloc(1, sizeof(*target));

	if (!target)
		return -ENOMEM;
	target->path = strdup(config->address);
	if (!target->path) {
		free(target);
		return -ENOMEM;
	}
	target->new_fd = target->cur_fd = target->tmp_fd = -1;
	target->known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	*ret_target = target;
	return 0;
}

static void folder_close(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
	*fd = -1;
}

static void folders_close(struct target *target)
{
	folder_close(&target->new_fd);
	folder_close(&target->cur_fd);
	folder_close(&target->tmp_fd);
	g_hash_table_remove_all(target->known);
}

static void maildir_target_close(struct target *target)
{
	folders_close(target);
	g_hash_table_destroy(target->known);
	free(target->buffer);
	free(target->path);
	free(target);
}

/* Opens a folder, made if it is missing. */
static int folder_open(int parent, const char *name, int *ret_fd)
{
	int fd;

	if (mkdirat(parent, name, 0700) == 0) {
		if (fsync(parent) < 0)
			return -errno;
	} else if (errno != EEXIST) {
		return -errno;
	}
	fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	*ret_fd = fd;
	return 0;
}

/* Notes the unique parts of the files in a folder. */
static int known_read(struct target *target, int folder_fd)
{
	int fd = openat(folder_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *item;
	int r;

	if (!folder) {
		r = -errno;
		folder_close(&fd);
		return r;
	}
	for (errno = 0; (item = readdir(folder)); errno = 0) {
		const char *unique = strchr(item->d_name, '.');
		const char *end = unique ? strstr(unique, SUFFIX) : NULL;

		if (!end || end == unique)
			continue;
		end += strlen(SUFFIX);
		if (*end == '\0' || *end == ':')
			(void)g_hash_table_add(
				target->known, g_strndup(unique + 1, (gsize)(end - unique - 1)));
	}
	r = -errno;
	(void)closedir(folder);
	return r;
}

static int folders_open(struct target *target)
{
	int top = open(target->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), r;

	if (top < 0)
		return -errno;
	r = folder_open(top, "tmp", &target->tmp_fd);
	if (r == 0)
		r = folder_open(top, "new", &target->new_fd);
	if (r == 0)
		r = folder_open(top, "cur", &target->cur_fd);
	(void)close(top);
	if (r == 0 && fstat(target->new_fd, &target->new_status) < 0)
		r = -errno;
	/* new/ first: a file that a reader moves in between is seen in cur/. */
	if (r == 0)
		r = known_read(target, target->new_fd);
	if (r == 0)
		r = known_read(target, target->cur_fd);
	/* What a killed worker left there is called delivered from now on. */
	if (r == 0 && fsync(target->new_fd) < 0)
		r = -errno;
	if (r < 0)
		folders_close(target);
	return r;
}

/* Somebody may have replaced the maildir since the last mail. */
static int folders_check(struct target *target)
{
	char path[PATH_MAX];
	struct stat status;
	int n;

	if (target->new_fd < 0)
		return folders_open(target);
	n = snprintf(path, sizeof(path), "%s/new", target->path);
	if (n > 0 && (size_t)n < sizeof(path) && stat(path, &status) == 0 &&
		status.st_dev == target->new_status.st_dev &&
		status.st_ino == target->new_status.st_ino)
		return 0;
	folders_close(target);
	return folders_open(target);
}

static int buffer_reserve(struct target *target, size_t size)
{
	char *grown;

	if (size <= target->buffer_allocated)
		return 0;
	grown = realloc(target->buffer, size);
	if (!grown)
		return -ENOMEM;
	target->buffer = grown;
	target->buffer_allocated = size;
	return 0;
}

/* The file: the envelope, then the mail with LF line ends. */
static int buffer_fill(struct target *target, const struct delivery_mail *mail)
{
	static const char head[] = "Return-Path: <%s>\nDelivered-To: %s\n";
	size_t head_size = sizeof(head) + strlen(mail->from) + strlen(mail->recipient);
	const char *raw = mail->raw;
	char *to;
	int n, r;

	r = buffer_reserve(target, head_size + mail->size);
	if (r < 0)
		return r;
	n = snprintf(target->buffer, head_size, head, mail->from, mail->recipient);
	to = target->buffer + n;
	for (size_t i = 0; i < mail->size; i++)
		if (raw[i] != '\r' || i + 1 == mail->size || raw[i + 1] != '\n')
			*to++ = raw[i];
	target->buffer_size = (size_t)(to - target->buffer);
	return 0;
}

static int file_fill(int fd, const char *bytes, size_t size)
{
	while (size > 0) {
		ssize_t n = write(fd, bytes, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		bytes += n;
		size -= (size_t)n;
	}
	return fsync(fd) < 0 ? -errno : 0;
}

/* tmp -> fsync -> new -> fsync of the folder. */
static int file_write(struct target *target, const char *name)
{
	int fd, r;

	/* Left by a worker that was killed; nobody else writes such names. */
	if (unlinkat(target->tmp_fd, name, 0) < 0 && errno != ENOENT)
		return -errno;
	fd = openat(
		target->tmp_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	r = file_fill(fd, target->buffer, target->buffer_size);
	if (close(fd) < 0 && r == 0)
		r = -errno;
	if (r == 0 && renameat(target->tmp_fd, name, target->new_fd, name) < 0)
		r = -errno;
	if (r < 0) {
		(void)unlinkat(target->tmp_fd, name, 0);
		return r;
	}
	return fsync(target->new_fd) < 0 ? -errno : 0;
}

static void attempt_failed(struct attempt *attempt, const struct target *target, int error)
{
	switch (-error) {
	case ENOSPC:
	case EDQUOT:
		attempt_result(attempt, DELIVERY_TEMPORARY, CODE_FULL, "%s: %s", target->path,
			strerrordesc_np(-error));
		break;
	case ENOENT:
	case ENOTDIR:
	case EACCES:
	case EPERM:
	case EROFS:
	case ELOOP:
	case ENAMETOOLONG:
		attempt_result(attempt, DELIVERY_UNREACHABLE, 0, "%s: %s", target->path,
			strerrordesc_np(-error));
		break;
	default:
		attempt_result(attempt, DELIVERY_TEMPORARY, CODE_TEMPORARY, "%s: %s", target->path,
			strerrordesc_np(-error));
		break;
	}
}

/* Neither can end the line of the header it goes into. */
static bool is_address(const char *address)
{
	for (; *address; address++)
		if ((unsigned char)*address < ' ' || strchr("<>\x7f", *address))
			return false;
	return true;
}

static int maildir_target_deliver(struct target *target, struct attempt *attempt)
{
	const struct delivery_mail *mail = &attempt->mail;
	char unique[MAILDIR_UNIQUE_MAX], name[MAILDIR_UNIQUE_MAX + 32];
	int r;

	if (!is_address(mail->from) || !is_address(mail->recipient) || mail->recipient[0] == '\0') {
		attempt_result(
			attempt, DELIVERY_PERMANENT, CODE_BAD_ADDRESS, "not an envelope address");
		return 0;
	}
	maildir_unique(mail->key, mail->recipient, unique);
	(void)snprintf(name, sizeof(name), "%lld.%s",
		(long long)(mail->now > 0 ? mail->now / 1000 : 0), unique);
	r = folders_check(target);
	if (r == 0 && g_hash_table_contains(target->known, unique)) {
		attempt_result(attempt, DELIVERY_DELIVERED, CODE_DELIVERED, "was there already");
		return 0;
	}
	if (r == 0)
		r = buffer_fill(target, mail);
	if (r == 0)
		r = file_write(target, name);
	if (r < 0) {
		attempt_failed(attempt, target, r);
		folders_close(target);
		return 0;
	}
	(void)g_hash_table_add(target->known, g_strdup(unique));
	attempt_result(attempt, DELIVERY_DELIVERED, CODE_DELIVERED, "written to new/%s", name);
	return 0;
}

static int maildir_target_shut_in(void)
{
	return sandbox_enter(SANDBOX_MAILDIR);
}

const struct target_kind maildir_target = {
	.scheme = "maildir:",
	.open = maildir_target_open,
	.shut_in = maildir_target_shut_in,
	.deliver = maildir_target_deliver,
	.close = maildir_target_close,
};

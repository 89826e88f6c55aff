#include "daemon/intake/maildir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/intake/protocol.h"

/* The last second of the year 9999: later ones cannot be written as a date. */
#define LAST_SECOND 253402300799
/* Leaves room for what is added to a name in cur/. */
#define BASE_KEPT (NAME_MAX - 12)

int maildir_init(struct maildir *maildir, const char *path)
{
	*maildir = (struct maildir){.path = strdup(path), .new_fd = -1, .cur_fd = -1};
	return maildir->path ? 0 : -ENOMEM;
}

static void entries_free(struct maildir_entry *entries, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(entries[i].name);
	free(entries);
}

static void maildir_close(struct maildir *maildir)
{
	if (maildir->new_fd >= 0)
		(void)close(maildir->new_fd);
	if (maildir->cur_fd >= 0)
		(void)close(maildir->cur_fd);
	maildir->new_fd = maildir->cur_fd = -1;
}

void maildir_clear(struct maildir *maildir)
{
	maildir_close(maildir);
	entries_free(maildir->entries, maildir->n_entries);
	free(maildir->order);
	free(maildir->path);
	*maildir = (struct maildir){.new_fd = -1, .cur_fd = -1};
}

bool maildir_name_arrival(const char *name, int64_t *ret_arrival)
{
	int64_t seconds = 0;
	const char *c = name;

	for (; *c >= '0' && *c <= '9'; c++) {
		seconds = seconds * 10 + (*c - '0');
		if (seconds > LAST_SECOND)
			return false;
	}
	if (c == name || *c != '.')
		return false;
	*ret_arrival = seconds * 1000;
	return true;
}

static size_t base_size(const char *name)
{
	const char *info = strstr(name, ":2,");

	return info && info > name ? (size_t)(info - name) : strlen(name);
}

int maildir_place(const char *base, size_t size, char *place, size_t max)
{
	static const char hex[] = "0123456789ABCDEF";
	size_t n = 0;

	for (size_t i = 0; i < size; i++) {
		unsigned char c = (unsigned char)base[i];

		if (n + 4 > max)
			return -ENAMETOOLONG;
		if (c > ' ' && c < 0x7f && c != '%') {
			place[n++] = (char)c;
			continue;
		}
		place[n++] = '%';
		place[n++] = hex[c >> 4];
		place[n++] = hex[c & 15];
	}
	place[n] = '\0';
	return 0;
}

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

int maildir_place_base(const char *place, char *base, size_t max)
{
	size_t n = 0;

	if (place[0] == '.' || place[0] == '\0')
		return -EINVAL;
	while (*place) {
		int c = (unsigned char)*place++;

		if (n + 1 >= max)
			return -EINVAL;
		if (c == '%') {
			int high = hex_value(place[0]);
			int low = high < 0 ? -1 : hex_value(place[1]);

			if (low < 0)
				return -EINVAL;
			c = high * 16 + low;
			place += 2;
			if (c > ' ' && c < 0x7f && c != '%')
				return -EINVAL;
		} else if (c <= ' ' || c >= 0x7f) {
			return -EINVAL;
		}
		if (c == '/' || c == '\0')
			return -EINVAL;
		base[n++] = (char)c;
	}
	base[n] = '\0';
	return 0;
}

static int base_compare(const char *a, size_t a_size, const char *b, size_t b_size)
{
	int r = memcmp(a, b, a_size < b_size ? a_size : b_size);

	return r != 0 ? r : (a_size > b_size) - (a_size < b_size);
}

static int entry_compare(const void *left, const void *right)
{
	const struct maildir_entry *a = left, *b = right;
	int r = base_compare(a->name, a->base_size, b->name, b->base_size);

	return r != 0 ? r : strcmp(a->name, b->name);
}

static int order_compare(const void *left, const void *right, void *entries)
{
	const struct maildir_entry *a = (struct maildir_entry *)entries + *(const size_t *)left;
	const struct maildir_entry *b = (struct maildir_entry *)entries + *(const size_t *)right;

	if (a->arrival != b->arrival)
		return a->arrival < b->arrival ? -1 : 1;
	return base_compare(a->name, a->base_size, b->name, b->base_size);
}

/* A list that grows while a folder is read. */
struct listing {
	struct maildir_entry *entries;
	size_t n, allocated;
};

static int listing_add(struct listing *listing, const char *name, int64_t arrival)
{
	struct maildir_entry *entry;

	if (listing->n == listing->allocated) {
		size_t wanted = listing->allocated ? 2 * listing->allocated : 64;
		void *grown = reallocarray(listing->entries, wanted, sizeof(*listing->entries));

		if (!grown)
			return -ENOMEM;
		listing->entries = grown;
		listing->allocated = wanted;
	}
	entry = &listing->entries[listing->n];
	*entry = (struct maildir_entry){
		.name = strdup(name), .base_size = base_size(name), .arrival = arrival};
	if (!entry->name)
		return -ENOMEM;
	listing->n++;
	return 0;
}

static int listing_take(struct listing *listing, int fd, const char *name)
{
	struct stat status;
	int64_t arrival;

	/* Names with a leading dot are not messages, by the convention of Maildir. */
	if (name[0] == '.')
		return 0;
	if (maildir_name_arrival(name, &arrival))
		return listing_add(listing, name, arrival);
	if (fstatat(fd, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : -errno;
	arrival = status.st_mtim.tv_sec;
	if (arrival > LAST_SECOND)
		arrival = LAST_SECOND;
	return listing_add(listing, name, arrival > 0 ? arrival * 1000 : 0);
}

static int listing_read(struct listing *listing, int new_fd)
{
	/* A new description: it begins at the top. */
	int fd = openat(new_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);
	int r = 0;

	if (!folder) {
		r = -errno;
		if (fd >= 0)
			(void)close(fd);
		return r;
	}
	while (r == 0) {
		const struct dirent *item;

		errno = 0;
		item = readdir(folder);
		if (!item) {
			r = -errno;
			break;
		}
		r = listing_take(listing, new_fd, item->d_name);
	}
	(void)closedir(folder);
	return r;
}

/* What was known about a file stays known. Both lists are ordered by base name. */
static void listing_inherit(struct listing *listing, const struct maildir *old)
{
	size_t i = 0;

	for (size_t j = 0; j < listing->n; j++) {
		struct maildir_entry *entry = &listing->entries[j];

		while (i < old->n_entries && entry_compare(&old->entries[i], entry) < 0)
			i++;
		if (i == old->n_entries || entry_compare(&old->entries[i], entry) != 0)
			continue;
		entry->state = old->entries[i].state;
		entry->sent_size = old->entries[i].sent_size;
	}
}

static int folder_open(const char *path, const char *name)
{
	char whole[PATH_MAX];
	int n = snprintf(whole, sizeof(whole), "%s/%s", path, name);
	int fd;

	if (n < 0 || (size_t)n >= sizeof(whole))
		return -ENAMETOOLONG;
	fd = open(whole, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int maildir_open(struct maildir *maildir)
{
	int new_fd, cur_fd;

	/* Opened each time: the folder may have been replaced since. */
	maildir_close(maildir);
	new_fd = folder_open(maildir->path, "new");
	if (new_fd < 0)
		return new_fd;
	cur_fd = folder_open(maildir->path, "cur");
	if (cur_fd < 0) {
		(void)close(new_fd);
		return cur_fd;
	}
	maildir->new_fd = new_fd;
	maildir->cur_fd = cur_fd;
	return 0;
}

int maildir_list(struct maildir *maildir)
{
	struct listing listing = {0};
	size_t *order = NULL;
	int r;

	r = maildir_open(maildir);
	if (r == 0)
		r = listing_read(&listing, maildir->new_fd);
	if (r == 0) {
		order = calloc(listing.n + 1, sizeof(*order));
		r = order ? 0 : -ENOMEM;
	}
	if (!order) {
		entries_free(listing.entries, listing.n);
		return r;
	}
	if (listing.n > 0)
		qsort(listing.entries, listing.n, sizeof(*listing.entries), entry_compare);
	listing_inherit(&listing, maildir);
	for (size_t i = 0; i < listing.n; i++)
		order[i] = i;
	if (listing.n > 0)
		qsort_r(order, listing.n, sizeof(*order), order_compare, listing.entries);
	entries_free(maildir->entries, maildir->n_entries);
	free(maildir->order);
	maildir->entries = listing.entries;
	maildir->n_entries = listing.n;
	maildir->order = order;
	return 0;
}

struct maildir_entry *maildir_find(struct maildir *maildir, const char *place)
{
	char base[NAME_MAX + 1];
	size_t low = 0, high = maildir->n_entries, size;

	if (maildir_place_base(place, base, sizeof(base)) < 0)
		return NULL;
	size = strlen(base);
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct maildir_entry *entry = &maildir->entries[middle];

		if (base_compare(entry->name, entry->base_size, base, size) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == maildir->n_entries || base_compare(maildir->entries[low].name,
						 maildir->entries[low].base_size, base, size) != 0)
		return NULL;
	return &maildir->entries[low];
}

static int file_read(int fd, uint8_t *buffer, size_t max, size_t *ret_size)
{
	size_t size = 0;

	while (size < max) {
		ssize_t n = read(fd, buffer + size, max - size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		size += (size_t)n;
	}
	*ret_size = size;
	return 0;
}

int maildir_read(const struct maildir *maildir, const struct maildir_entry *entry, void *buffer,
	size_t max, size_t *ret_size, int64_t *ret_full)
{
	struct stat status;
	int fd, r;

	/* Looked at before it is opened: opening a device can have effects. */
	if (fstatat(maildir->new_fd, entry->name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	if (!S_ISREG(status.st_mode))
		return -ELOOP;
	fd = openat(maildir->new_fd, entry->name,
		O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENXIO ? -ELOOP : -errno;
	if (fstat(fd, &status) < 0)
		r = -errno;
	else if (!S_ISREG(status.st_mode))
		r = -ELOOP;
	else
		r = file_read(fd, buffer, max, ret_size);
	(void)close(fd);
	if (r < 0)
		return r;
	*ret_full = status.st_size > (off_t)*ret_size ? status.st_size : (int64_t)*ret_size;
	return 0;
}

static bool same_file(int fd, const char *name, int other_fd, const char *other)
{
	struct stat a, b;

	return fstatat(fd, name, &a, AT_SYMLINK_NOFOLLOW) == 0 &&
	       fstatat(other_fd, other, &b, AT_SYMLINK_NOFOLLOW) == 0 && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

/* Never over another file. -EEXIST then. */
static int file_move(const struct maildir *maildir, const char *from, const char *to)
{
	if (renameat2(maildir->new_fd, from, maildir->cur_fd, to, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno == EEXIST && same_file(maildir->new_fd, from, maildir->cur_fd, to)) {
		/* A link of an earlier try that was interrupted below. */
		return unlinkat(maildir->new_fd, from, 0) < 0 ? -errno : 0;
	}
	if (errno != EINVAL && errno != ENOSYS)
		return -errno;
	/* Not every file system can rename so. */
	if (linkat(maildir->new_fd, from, maildir->cur_fd, to, 0) < 0 ||
		unlinkat(maildir->new_fd, from, 0) < 0)
		return -errno;
	return 0;
}

int maildir_move(struct maildir *maildir, const char *place)
{
	const struct maildir_entry *entry = maildir_find(maildir, place);
	char base[NAME_MAX + 1], to[NAME_MAX + 1];
	int r;

	r = maildir_place_base(place, base, sizeof(base));
	if (r < 0)
		return r;
	if (maildir->new_fd < 0)
		r = maildir_open(maildir);
	if (r < 0)
		return r;
	for (unsigned i = 0; i < 1000; i++) {
		if (i == 0)
			(void)snprintf(to, sizeof(to), "%.*s:2,S", BASE_KEPT, base);
		else
			(void)snprintf(to, sizeof(to), "%.*s_%u:2,S", BASE_KEPT, base, i);
		r = file_move(maildir, entry ? entry->name : base, to);
		if (r != -EEXIST)
			break;
	}
	return r == -ENOENT ? 0 : r;
}

int maildir_sync(const struct maildir *maildir)
{
	if (maildir->cur_fd < 0)
		return 0;
	if (fsync(maildir->cur_fd) < 0 || fsync(maildir->new_fd) < 0)
		return -errno;
	return 0;
}

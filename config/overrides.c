#include "config/overrides.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "config/utf8.h"

#define FILE_SIZE_MAX ((size_t)64 << 10)

struct walk {
	const struct override_reader *reader;
	const char *language;
};

/* Notes and backups may be anywhere. */
static bool is_beside(const char *name)
{
	return strncmp(name, "README", 6) == 0 || name[strlen(name) - 1] == '~';
}

typedef int walk_fn(struct walk *walk, const char *folder, const char *name);

static int read_file(struct walk *walk, const struct override_file *file)
{
	const struct override_reader *reader = walk->reader;
	char *text = malloc(FILE_SIZE_MAX + 1);
	int r = 0;

	if (!text)
		return -ENOMEM;
	FILE *stream = fopen(file->path, "re");
	size_t size = stream ? fread(text, 1, FILE_SIZE_MAX + 1, stream) : 0;
	if (!stream || ferror(stream))
		fault_add(reader->faults, file->path, 0, "cannot be read: %s", strerror(errno));
	else if (size > FILE_SIZE_MAX)
		fault_add(reader->faults, file->path, 0, "longer than 64 KiB");
	else if (!utf8_valid(text, size))
		fault_add(reader->faults, file->path, 0, "not UTF-8");
	else if (reader->may(reader->context, file))
		r = reader->take(reader->context, file, text, size);
	if (stream)
		(void)fclose(stream);
	free(text);
	return r;
}

/* Calls TAKE for every name in a folder, in order. */
static int each_name(struct walk *walk, const char *folder, walk_fn *take)
{
	struct dirent **found = NULL;
	int r = 0;

	int n = scandir(folder, &found, NULL, alphasort);
	if (n < 0) {
		if (errno == ENOMEM)
			return -ENOMEM;
		if (errno != ENOENT)
			fault_add(walk->reader->faults, folder, 0, "cannot be read: %s",
				strerror(errno));
		return 0;
	}
	for (int i = 0; i < n; i++) {
		if (r >= 0 && found[i]->d_name[0] != '.')
			r = take(walk, folder, found[i]->d_name);
		free(found[i]);
	}
	free((void *)found);
	return r;
}

static int take_name(struct walk *walk, const char *folder, const char *name)
{
	size_t size = strlen(name);
	char *path = NULL;

	if (size <= 4 || strcmp(name + size - 4, ".txt") != 0)
		return 0;
	char *stem = strndup(name, size - 4);
	if (!stem || asprintf(&path, "%s/%s", folder, name) < 0) {
		free(stem);
		return -ENOMEM;
	}
	const struct override_file file = {path, walk->language, stem};
	int r = read_file(walk, &file);
	free(stem);
	free(path);
	return r;
}

static int take_language(struct walk *walk, const char *folder, const char *name)
{
	const struct override_reader *reader = walk->reader;
	char *path = NULL;
	int r = 0;

	if (is_beside(name))
		return 0;
	if (asprintf(&path, "%s/%s", folder, name) < 0)
		return -ENOMEM;
	walk->language = name;
	if (reader->language && !reader->language(name))
		fault_add(reader->faults, path, 0,
			"no language: a folder is named by its code of two or three letters");
	else
		r = each_name(walk, path, take_name);
	free(path);
	return r;
}

/* ---- What is never read ---- */

static int check_file(struct walk *walk, const char *folder, const char *name)
{
	size_t size = strlen(name);
	char *path = NULL;

	if (is_beside(name) || (size > 4 && strcmp(name + size - 4, ".txt") == 0))
		return 0;
	if (asprintf(&path, "%s/%s", folder, name) < 0)
		return -ENOMEM;
	fault_add(walk->reader->faults, path, 0, "is never read: files here are called NAME.txt");
	free(path);
	return 0;
}

/* What is no folder is a fault of overrides_read. */
static int check_language(struct walk *walk, const char *folder, const char *name)
{
	struct stat status;
	char *path = NULL;
	int r = 0;

	if (asprintf(&path, "%s/%s", folder, name) < 0)
		return -ENOMEM;
	if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
		r = each_name(walk, path, check_file);
	free(path);
	return r;
}

static int check_kind(struct walk *walk, const char *folder, const char *name)
{
	char *path = NULL;
	int r = 0;

	if (is_beside(name))
		return 0;
	if (asprintf(&path, "%s/%s", folder, name) < 0)
		return -ENOMEM;
	if (strcmp(name, "templates") == 0 || strcmp(name, "words") == 0)
		r = each_name(walk, path, check_language);
	else
		fault_add(walk->reader->faults, path, 0,
			"is never read: only templates/ and words/ are");
	free(path);
	return r;
}

int overrides_check(
	const char *overrides, const char *file, unsigned line, struct fault_list *faults)
{
	const struct override_reader reader = {.faults = faults};
	struct walk walk = {.reader = &reader};
	DIR *folder = opendir(overrides);

	if (!folder) {
		fault_add(faults, file, line, "overrides: %s: %s", overrides, strerror(errno));
		return 0;
	}
	(void)closedir(folder);
	return each_name(&walk, overrides, check_kind);
}

int overrides_read(const char *overrides, const char *what, const struct override_reader *reader)
{
	struct walk walk = {.reader = reader};
	char *path = NULL;

	if (asprintf(&path, "%s/%s", overrides, what) < 0)
		return -ENOMEM;
	int r = each_name(&walk, path, take_language);
	free(path);
	return r;
}

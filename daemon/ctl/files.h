/*
 * Files and folders that appear whole or not at all.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/base.h"
#include "daemon/store/arena.h"

/* A new file, written and on the disk. -EEXIST. */
MUST_CHECK int files_write(const char *path, const void *bytes, size_t size);
/* The whole file, with a NUL behind it. */
MUST_CHECK int files_read(
	const char *path, struct arena *arena, void **ret_bytes, size_t *ret_size);

/* Makes a folder beside PATH, for what becomes PATH in the end; PATH may end in slashes. */
MUST_CHECK int files_beside(const char *path, char *out, size_t size);
/* Makes a folder for a moment. */
MUST_CHECK int files_scratch(char *out, size_t size);
/* 1 it is an empty folder, 0 it is not there, -ENOTEMPTY or another fault. */
MUST_CHECK int files_is_empty(const char *path);
/* A folder with all that is in it. */
void files_remove(const char *path);

/* An empty file in a folder whose time is that of what was done last. */
MUST_CHECK int files_mark(const char *folder, const char *name, int64_t at);
/* INSTANT_NONE: it was never done, or that is not known. */
int64_t files_marked(const char *folder, const char *name);

/* A file or folder, or the folder that PATH is in, is on the disk. */
MUST_CHECK int files_sync(const char *path);
MUST_CHECK int files_sync_parent(const char *path);

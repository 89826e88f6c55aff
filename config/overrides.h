/*
 * The override folder of a club: FOLDER/LANGUAGE/NAME.txt replaces a built-in file, or adds a
 * language (config/templates.h, config/words.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "config/fault.h"
#include "core/base.h"

struct override_file {
	const char *path;     /* for faults */
	const char *language; /* the folder's name */
	const char *name;     /* without .txt */
};

/* Whoever reads them. All return 0, or -errno that ends the walk; what is wrong with a file is a
 * fault. */
struct override_reader {
	/* May such a file be there? Adds a fault and returns false if not. */
	bool (*may)(void *context, const struct override_file *file);
	int (*take)(void *context, const struct override_file *file, const char *text, size_t size);
	/* Is this the name of a language? NULL: any is. */
	bool (*language)(const char *name);
	void *context;
	struct fault_list *faults;
};

/* Adds a fault for whatever in the folder is never read, because of where it is or how it is
 * called, and for the folder itself (FILE:LINE) if it is none; names of .txt files are told by
 * their readers. Hidden files, backups (NAME~) and README may be anywhere. Returns 0 or -ENOMEM. */
MUST_CHECK int overrides_check(
	const char *overrides, const char *file, unsigned line, struct fault_list *faults);

/* Reads every file of OVERRIDES/WHAT, languages and names in alphabetic order. A folder that does
 * not exist is empty. */
MUST_CHECK int overrides_read(
	const char *overrides, const char *what, const struct override_reader *reader);

/*
 * The grammar of configuration and tournament files (contract, section 3), as a push
 * parser without I/O: bytes in, one call per key out.
 *
 * UTF-8, a BOM is allowed, lines end in LF or CRLF and hold up to INI_LINE_MAX bytes. `;`
 * or `#` at the start of a line, or white space followed by `;`, begins a comment; there is
 * no quoting. A line that begins with white space continues the value of the key above,
 * joined by one space. A section or key that comes twice and a key before any section are
 * faults.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "config/fault.h"
#include "core/base.h"

#define INI_LINE_MAX 65536 /* bytes of a line; also of a value with its continuations */

/* A section header is `[kind]` or `[kind name]`. NAME is "" in the first case. */
struct ini_section {
	const char *kind, *name;
	unsigned line;
};

struct ini_handler {
	/* A section begins. */
	void (*section)(void *context, const struct ini_section *section);
	/* A key of the section with its whole value, white space at both ends removed. LINE is
	 * the line of the key. */
	void (*key)(void *context, const struct ini_section *section, const char *key,
		const char *value, unsigned line);
	void *context;
};

struct ini;

/* FILE is the name that faults carry. Everything is borrowed until ini_free. */
MUST_CHECK int ini_new(const char *file, const struct ini_handler *handler,
	struct fault_list *faults, struct ini **ret_ini);
struct ini *ini_free(struct ini *ini);

/* Takes SIZE more bytes. Returns 0 or -ENOMEM. */
MUST_CHECK int ini_feed(struct ini *ini, const char *bytes, size_t size);
/* The end of the file. Returns 0 or -ENOMEM. */
MUST_CHECK int ini_finish(struct ini *ini);

/* Reads a whole file: opens it, feeds it. A file that cannot be read is a fault on line 0;
 * so is one of more than 16 MiB. Returns 0 or -ENOMEM. */
MUST_CHECK int ini_read_file(
	const char *path, const struct ini_handler *handler, struct fault_list *faults);
/* The same for text in memory. */
MUST_CHECK int ini_read_text(const char *file, const char *text, size_t size,
	const struct ini_handler *handler, struct fault_list *faults);

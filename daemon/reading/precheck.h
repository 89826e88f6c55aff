/*
 * Cheap checks of a raw message before a library parses it: what they let through cannot
 * overflow libetpan's stack or boundary buffer, nor keep it busy (design notes in
 * docs/decisions). They use no library themselves.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define PRECHECK_HEADER_MAX ((size_t)64 << 10) /* bytes of all header fields of one part */
#define PRECHECK_COMMENT_DEPTH 50
#define PRECHECK_MIME_DEPTH 20
#define PRECHECK_PARTS 200
#define PRECHECK_BOUNDARY_MAX 256

enum precheck_fault {
	PRECHECK_FINE = 0,
	PRECHECK_EMPTY,
	PRECHECK_HEADER_SIZE,
	PRECHECK_COMMENTS,
	PRECHECK_DEPTH,
	PRECHECK_PARTS_TOO_MANY,
	PRECHECK_BOUNDARY,
};

/* Walks the message once, headers, boundaries and nested messages. */
enum precheck_fault precheck_message(const char *raw, size_t size);
/* "mime-depth" and so on, for letter.unparsable. */
const char *precheck_fault_name(enum precheck_fault fault);

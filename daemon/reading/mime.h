/*
 * The parts of a message, as libetpan finds them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/base.h"
#include "daemon/reading/buffer.h"
#include "daemon/reading/header.h"
#include "daemon/reading/pool.h"

#define MIME_PARTS_MAX 256

enum mime_encoding {
	MIME_IDENTITY = 0,
	MIME_QUOTED_PRINTABLE,
	MIME_BASE64,
};

struct mime_part {
	const char *type;    /* "text/plain", lower case */
	const char *charset; /* or NULL */
	const char *smime;   /* the smime-type parameter, or NULL */
	enum mime_encoding encoding;
	bool attachment; /* says so itself */
	bool named;      /* has a file name */
	bool flowed, delsp;
	bool in_message;      /* inside an attached message */
	unsigned alternative; /* number of the innermost multipart/alternative around it; 0: none */
	const char *data;
	size_t size;
};

struct mime_tree {
	const char *type;                       /* of the whole */
	struct mime_part parts[MIME_PARTS_MAX]; /* leaves in order; attached messages as one part */
	size_t n;
	bool is_signed, encrypted, digest;
};

/* Parses a message that passed precheck_message. Only the Content-* fields of HEADER reach
 * libetpan. The parts point into memory of POOL. -ENOMEM; -EBADMSG if libetpan gives up. */
MUST_CHECK int mime_parse(const struct header *header, const char *raw, size_t size,
	struct letter_pool *pool, struct mime_tree *ret);

/* Undoes the transfer encoding. */
void mime_decode(const struct mime_part *part, struct buffer *out);

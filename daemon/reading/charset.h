/*
 * Charsets of mails: bytes to UTF-8, never refusing.
 */
#pragma once

#include "daemon/reading/buffer.h"

/* Opens every charset that mails may name, so that none has to be loaded once the sandbox has
 * closed. 0 or -errno. */
int charset_prepare(void);

enum charset_guess {
	CHARSET_DECLARED = 0, /* the label was right, as far as one can tell */
	CHARSET_GUESSED,      /* no label, an unknown one, or one that the bytes belie */
};

/* Decodes SIZE bytes into OUT as UTF-8. LABEL may be NULL. Order: a label that fits the bytes;
 * valid UTF-8; what uchardet finds; windows-1252. Bytes that have no meaning become U+FFFD. */
enum charset_guess charset_decode(
	const char *label, const char *bytes, size_t size, struct buffer *out);

/* Is the label one that we know? */
bool charset_known(const char *label);

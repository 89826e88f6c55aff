/*
 * Content transfer encodings, decoded as leniently as mail programs do.
 */
#pragma once

#include "daemon/reading/buffer.h"

/* Quoted-printable (RFC 2045, 6.7). Malformed escapes stay as they are; blanks between a soft
 * break's '=' and the line end are dropped. */
void transfer_quoted_printable(const char *bytes, size_t size, struct buffer *out);

/* Base64. Padding in the middle ends a group, other characters are skipped. Lines that are
 * plainly no base64 behind the padding (a footer added by a list) are copied as text. */
void transfer_base64(const char *bytes, size_t size, struct buffer *out);

/* The Q encoding of RFC 2047. */
void transfer_q(const char *bytes, size_t size, struct buffer *out);

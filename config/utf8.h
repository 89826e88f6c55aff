/*
 * UTF-8, one code point at a time (RFC 3629: no overlong forms, no surrogates).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decodes the code point at the start of SIZE bytes. Returns its length, 1..4, or 0 if the
 * bytes are not valid. */
size_t utf8_decode(const char *text, size_t size, uint32_t *ret_code);
/* Whether all of it is valid. */
bool utf8_valid(const char *text, size_t size);

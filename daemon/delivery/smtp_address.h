/*
 * Envelope addresses as they may go to a mail server (RFC 5321, 6531, 3461). Nothing that
 * could end a command or add a parameter to it gets through.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/base.h"

#define SMTP_ADDRESS_MAX 512 /* with what quoting adds, and the NUL */
#define SMTP_XTEXT_MAX 800

/* The form that goes out: an odd local part quoted, the domain in A-labels. 0; 1 when the
 * local part is not ASCII, so that SMTPUTF8 is needed; -EINVAL if it is no address. */
int smtp_address(const char *address, char out[static SMTP_ADDRESS_MAX]) MUST_CHECK;

/* RFC 3461 section 4. -EMSGSIZE when the result has more than max characters, -EINVAL for
 * what is not printable ASCII. */
int smtp_xtext(const char *text, char *out, size_t max) MUST_CHECK;

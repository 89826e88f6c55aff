/*
 * Passwords by reference: `credential:NAME` is a file in $CREDENTIALS_DIRECTORY (systemd's
 * LoadCredential=), `file:/PATH` any other. Read by main, afresh for every worker that
 * logs in, and sent to it over its socket.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "config/configuration.h"
#include "core/base.h"

#define CREDENTIAL_MAX 8192

/* The file's text without its last line end. TEXT (size bytes) gets the reason when it
 * fails: one line that names the file and never its content. -EINVAL: empty, longer than
 * CREDENTIAL_MAX, or with control characters. The caller frees with credential_free(). */
int credential_read(
	const struct secret *secret, char **ret_password, char *text, size_t size) MUST_CHECK;
/* A number that is another one when the file has been replaced or written to; 0 when it is not
 * there. */
uint64_t credential_mark(const struct secret *secret);
/* Wipes and frees; NULL is fine. */
void credential_free(char *password);
static inline void credential_freep(char **password)
{
	credential_free(*password);
}

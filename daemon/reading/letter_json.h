/*
 * Letters over the wire between the reader worker and the main process.
 */
#pragma once

#include "daemon/reading/letter.h"

/* Loads whatever letter_read_json needs from the file system (charset modules). Call it in
 * the worker before the sandbox closes. 0 or -errno. */
MUST_CHECK int letter_prepare(void);

/* In the worker: reads a raw message. A message that cannot be read is a letter with
 * `unparsable` set, not an error. -ENOMEM otherwise. The caller frees *ret_json (size
 * without a final NUL, which is there too). */
MUST_CHECK int letter_read_json(const void *raw, size_t size, char **ret_json, size_t *ret_size);

/* In the main process: -EBADMSG if the JSON is not exactly what letter_read_json writes
 * (unknown, missing or mistyped fields, control characters in header strings, too many
 * items), -ENOMEM. */
MUST_CHECK int letter_from_json(const char *json, size_t size, struct letter **ret);

/*
 * The reader, waited for: one message after the other, where nothing else has to go on in the
 * meantime.
 */
#pragma once

#include <stddef.h>

#include "core/base.h"

struct read_now;

MUST_CHECK int read_now_open(struct read_now **ret_reading);
void read_now_close(struct read_now *reading);
static inline void read_now_closep(struct read_now **reading)
{
	if (*reading)
		read_now_close(*reading);
}

/* The letter of a raw message as JSON, which the caller frees; NULL when the reader was lost
 * over it. */
MUST_CHECK int read_now(struct read_now *reading, const void *raw, size_t size, char **ret_json);

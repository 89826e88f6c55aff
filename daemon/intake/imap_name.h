/*
 * Names of IMAP folders.
 */
#pragma once

#include "core/base.h"

/* UTF-8, which must be valid, to modified UTF-7 (RFC 3501, 5.1.3). The caller frees.
 * -ENOMEM */
int imap_name_encode(const char *utf8, char **ret_name) MUST_CHECK;

/*
 * Delivery into a Maildir: one file per recipient in new/, with the envelope on top as
 * Return-Path and Delivered-To, lines ended by LF. A file is complete and on the disk
 * before it can be seen there.
 *
 * The file is called SECONDS.KEY-HASH.zugpost: the instant of the attempt, the mail's
 * key as far as a file name can hold it, and a hash of key and recipient. What follows
 * the seconds is the same in every attempt, and a mail of which new/ or cur/ holds such
 * a file already is not written again.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/base.h"

/* KEY-HASH.zugpost of a mail. */
#define MAILDIR_UNIQUE_MAX 200
void maildir_unique(const char *key, const char *recipient, char unique[static MAILDIR_UNIQUE_MAX]);

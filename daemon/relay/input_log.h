/*
 * The inputs of a club as events of its log (store/events.h), from which its state can be
 * made again.
 */
#pragma once

#include <jansson.h>
#include <stdint.h>

#include "daemon/relay/club.h"

/* Appends an input in the running transaction. Takes DATA over; -ENOMEM if it is NULL. */
MUST_CHECK int input_log(struct club *club, int64_t at, const char *kind, json_t *data);

/*
 * Requests of the rules calculator: JSON to parameters and events.
 */
#pragma once

#include <stddef.h>

#include <jansson.h>

#include "core/base.h"
#include "daemon/ctl/clock_json.h"
#include "rules/clock.h"

struct clock_request {
	struct clock_parameters parameters;
	const struct zone *zones[2]; /* NULL for MC-link */
	json_t *events;              /* borrowed */
	int64_t at;
};

/* Both: 0, or -EINVAL and in `fault` the path and what is wrong. */
MUST_CHECK int clock_request_read(
	json_t *json, struct clock_request *ret, char fault[CLOCK_FAULT_SIZE]);
MUST_CHECK int clock_request_event(const struct clock_request *request, size_t index,
	struct clock_event *ret, char fault[CLOCK_FAULT_SIZE]);

/* Readers of single members, for lotto and withdrawal too; the path is "name". */
MUST_CHECK int request_number(json_t *object, const char *path, const char *name, int least,
	int most, int *ret, char fault[CLOCK_FAULT_SIZE]);
MUST_CHECK int request_date(json_t *object, const char *path, const char *name, int32_t *ret,
	char fault[CLOCK_FAULT_SIZE]);
/* It is an object, and every key of it one of the words, up to a NULL. */
MUST_CHECK int request_keys(
	json_t *object, const char *path, const char *const *known, char fault[CLOCK_FAULT_SIZE]);

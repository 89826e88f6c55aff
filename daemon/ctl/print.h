/*
 * How commands print: JSON values, instants, text from outside.
 */
#pragma once

#include <jansson.h>

#include "daemon/ctl/ctl.h"

/* Prints one JSON value and takes it over; CTL_DONE. */
int print_json(struct ctl *ctl, json_t *value);
/* Appends an item to a list that is to be printed, and takes it over (NULL: -ENOMEM). -EFBIG as
 * ctl_go_on. */
MUST_CHECK int print_item(struct ctl *ctl, json_t *list, json_t *item);
/* "2026-03-01 10:00 UTC", "-" for none; valid until the next call but three. */
const char *print_instant(int64_t instant);
/* TEXT behind WHEN as one line: control characters become spaces. */
void print_line(FILE *out, const char *when, const char *text);
/* A string that may be NULL, as JSON. */
json_t *print_string(const char *text);

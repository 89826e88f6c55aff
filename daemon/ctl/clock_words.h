/*
 * The words of the clocks' JSON interface and its instants and dates.
 */
#pragma once

#include <jansson.h>

#include "core/base.h"
#include "rules/clock.h"

const char *side_word(enum side side);
const char *status_word(enum clock_status status);
const char *result_word(enum clock_result result);
const char *stop_kind_word(enum clock_stop_kind kind);

/* "2006-07-04T05:59:00Z"; null for INSTANT_NONE. New references, like all below. */
json_t *json_instant(int64_t instant);
/* "2006-07-04"; null for DATE_NONE. */
json_t *json_date(int32_t date);
/* "2006-07-04 08:59 +0300" */
json_t *json_local(const struct zone *zone, int64_t instant);
/* Tenths of an hour: an integer where they are whole. */
json_t *json_tenths(int tenths);
json_t *json_hours(double hours);
json_t *json_word(const char *word);
/* An array of words, up to a NULL. */
json_t *json_words(const char *first, ...) __attribute__((sentinel));
/* Why a stop is refused: words of enum stop_reason. */
json_t *json_stop_reasons(unsigned reasons);

/*
 * Time zones from the system's tzdata, as the tables that rules/calendar.h works with.
 */
#pragma once

#include <stdbool.h>

#include "core/base.h"
#include "rules/calendar.h"

/* Is this a name of the system's tzdata list? ("GST+4", "03" and paths are not.) */
bool zone_known(const char *name);

/*
 * The zone of that name, with its transitions from 1900 to 2200. It is kept until the end
 * of the process and must not be freed. 0, -ENOENT for an unknown name, -ENOMEM.
 */
MUST_CHECK int zone_load(const char *name, const struct zone **ret_zone);

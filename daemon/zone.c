#include "daemon/zone.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <glib.h>

#define TZDATA_LIST "/usr/share/zoneinfo/tzdata.zi"

#define FIRST_SECOND (-2208988800LL) /* 1900-01-01 */
#define LAST_SECOND 7258118400LL     /* 2200-01-01 */
/* Outside the longest stretch without a transition, offsets change some times a year. */
#define STEP_SECONDS (400LL * 86400)

static GHashTable *names; /* the set of known names */
static GHashTable *zones; /* name -> struct zone */

/* Lines of the list: "Z NAME ..." begins a zone, "L TARGET NAME" is a link to one. */
static void names_read_line(char *line)
{
	char *kind = strsep(&line, " \t\n");
	char *name = strsep(&line, " \t\n");

	if (g_str_equal(kind, "L"))
		name = strsep(&line, " \t\n");
	else if (!g_str_equal(kind, "Z"))
		return;
	if (name != NULL && *name != '\0')
		g_hash_table_add(names, g_strdup(name));
}

static void names_read(void)
{
	FILE *file = fopen(TZDATA_LIST, "re");
	char *line = NULL;
	size_t size = 0;

	names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	if (file == NULL)
		return;
	while (getline(&line, &size, file) >= 0)
		names_read_line(line);
	free(line);
	(void)fclose(file);
}

bool zone_known(const char *name)
{
	if (names == NULL)
		names_read();
	return g_hash_table_contains(names, name);
}

/*
 * The last second of the stretch that `from` lies in. GLib tells which interval an instant
 * lies in, and its intervals are in order in UTC (not in local time), so each boundary can
 * be found by bisection between two instants of neighbouring stretches.
 */
static int64_t stretch_end(GTimeZone *source, int64_t from)
{
	int here = g_time_zone_find_interval(source, G_TIME_TYPE_UNIVERSAL, from);
	int64_t low = from, high = from;

	do {
		if (high >= LAST_SECOND)
			return LAST_SECOND;
		low = high;
		high = MIN(high + STEP_SECONDS, LAST_SECOND);
	} while (g_time_zone_find_interval(source, G_TIME_TYPE_UNIVERSAL, high) == here);
	while (high - low > 1) {
		int64_t middle = low + (high - low) / 2;
		if (g_time_zone_find_interval(source, G_TIME_TYPE_UNIVERSAL, middle) == here)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static struct zone *zone_read(const char *name, GTimeZone *source)
{
	GArray *transitions = g_array_new(FALSE, FALSE, sizeof(struct zone_transition));
	int64_t at = FIRST_SECOND;

	while (at < LAST_SECOND) {
		int interval = g_time_zone_find_interval(source, G_TIME_TYPE_UNIVERSAL, at);
		struct zone_transition transition = {
			.at = at, .offset = g_time_zone_get_offset(source, interval)};
		const struct zone_transition *last = NULL;
		if (transitions->len > 0)
			last = &g_array_index(
				transitions, struct zone_transition, transitions->len - 1);
		if (last == NULL || last->offset != transition.offset)
			g_array_append_val(transitions, transition);
		at = stretch_end(source, at) + 1;
	}
	struct zone *zone = g_new0(struct zone, 1);
	zone->name = g_strdup(name);
	zone->n = transitions->len;
	zone->transitions = (struct zone_transition *)(void *)g_array_free(transitions, FALSE);
	return zone;
}

int zone_load(const char *name, const struct zone **ret_zone)
{
	if (zones == NULL)
		zones = g_hash_table_new(g_str_hash, g_str_equal);
	struct zone *zone = g_hash_table_lookup(zones, name);
	if (zone == NULL) {
		if (!zone_known(name))
			return -ENOENT;
		GTimeZone *source = g_time_zone_new_identifier(name);
		if (source == NULL)
			return -ENOENT;
		zone = zone_read(name, source);
		g_time_zone_unref(source);
		g_hash_table_insert(zones, (gpointer)zone->name, zone);
	}
	*ret_zone = zone;
	return 0;
}

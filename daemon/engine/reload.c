#include "daemon/engine/engine_internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "daemon/engine/notify.h"
#include "daemon/log.h"

static int read_again(struct engine *engine, struct fault_list *faults)
{
	const struct configuration *old = engine->club->configuration;
	struct club *fresh = NULL;
	int r = club_load(old->path, faults, &fresh);

	if (r == 0 && strcmp(fresh->configuration->store.directory, old->store.directory) != 0) {
		club_free(fresh);
		r = -EXDEV;
	}
	if (r != 0) {
		/* Before READY: who waits for that finds them in the log. */
		fault_list_print(faults, stderr);
		log_with(LOG_ERR, &(struct log_fields){.event = "reload-refused"},
			"the new configuration is not taken, the old one stays%s%s",
			r < 0 ? ": " : "",
			r == -EXDEV ? "the store cannot move"
			: r < 0     ? strerror(-r)
				    : "");
		return r;
	}
	engine_reload(engine, fresh);
	log_with(LOG_INFO, &(struct log_fields){.event = "reloaded"},
		"the configuration was read again");
	return 0;
}

int engine_read_again(struct engine *engine, struct fault_list *faults)
{
	notify_reloading();
	int r = read_again(engine, faults);
	notify_ready();
	return r;
}

#include "daemon/engine/engine_internal.h"

#include <errno.h>
#include <string.h>

#include "daemon/log.h"

int engine_read_again(struct engine *engine, struct fault_list *faults)
{
	const struct configuration *old = engine->club->configuration;
	struct club *fresh = NULL;
	int r = club_load(old->path, faults, &fresh);

	if (r == 0 && strcmp(fresh->configuration->store.directory, old->store.directory) != 0) {
		club_free(fresh);
		r = -EXDEV;
	}
	if (r != 0) {
		log_line(LOG_ERR, "the new configuration is not taken, the old one stays%s%s",
			r < 0 ? ": " : "",
			r == -EXDEV ? "the store cannot move"
			: r < 0     ? strerror(-r)
				    : "");
		return r;
	}
	engine_reload(engine, fresh);
	log_line(LOG_INFO, "the configuration was read again");
	return 0;
}

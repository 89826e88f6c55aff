/*
 * The daemon's end of the control socket: does what zugpostctl asks.
 *
 * Root and the daemon's own account may ask for everything, accounts of the configuration for what
 * their role allows (daemon/ctl/roles.h), nobody else for anything. Who is slow or talks nonsense
 * loses his connection, and nobody else anything.
 */
#pragma once

#include <systemd/sd-event.h>

#include "core/base.h"

struct engine;
struct server;

/* Listens in the store's folder, and at the sockets that the service manager has opened. */
MUST_CHECK int server_open(struct server **ret_server, sd_event *event, struct engine *engine);
void server_close(struct server *server);
static inline void server_closep(struct server **server)
{
	if (*server)
		server_close(*server);
}

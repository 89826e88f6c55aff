/*
 * The engine: intake, reader, work and delivery of one club on an event loop.
 *
 * Work goes in rounds. A round scans every mailbox; when all have answered, the messages
 * are read, and everything due up to the round's instant is worked off in order
 * (relay/work.h). Deadlines fire only up to the instant of the last round in which every
 * mailbox was scanned completely. Deliveries follow.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <systemd/sd-event.h>

#include "daemon/relay/club.h"

struct engine;

struct engine_options {
	bool once;   /* one round, each outbox row tried once, then the loop exits */
	int64_t now; /* with once: the instant taken as the present; else INSTANT_NONE */
};

/* The loop's exit code, as sd_event_loop returns it. */
enum engine_exit {
	ENGINE_DONE = 0,
	ENGINE_FAILED = 1,
	ENGINE_UNREACHABLE = 75, /* a mailbox or the delivery target could not be reached */
};

/* The club's store must be open for writing. The engine takes over *CLUB and may exchange
 * it on a reload. */
MUST_CHECK int engine_new(struct engine **ret_engine, sd_event *event, struct club *club,
	const struct engine_options *options);
void engine_free(struct engine *engine);
static inline void engine_freep(struct engine **engine)
{
	if (*engine)
		engine_free(*engine);
}

struct club *engine_club(struct engine *engine);
/* The present, as this engine counts it. */
int64_t engine_now(const struct engine *engine);

/* The loop ends once the mails in hand are delivered, or after a while; a second call ends it at
 * once. Every transaction is finished in any case. */
void engine_stop(struct engine *engine);
/* Something may be due that was not before: start a round soon. */
void engine_kick(struct engine *engine);
/* Work with this club's configuration from the next quiet moment on; takes it over. Its
 * store must be closed: the engine's is kept. */
void engine_reload(struct engine *engine, struct club *fresh);
/* Reads the configuration from its file again and has the engine work with it. 0; FILE_FAULTY
 * with the faults added, -EXDEV if the store would move, or -errno: the old one stays. */
MUST_CHECK int engine_read_again(struct engine *engine, struct fault_list *faults);

/* CHANGED is called whenever the engine has begun to work with another configuration; NULL: no
 * more. */
void engine_on_exchange(struct engine *engine, void (*changed)(void *userdata), void *userdata);

/* Try the delivery target now, whatever pause it is in. */
void engine_try_target(struct engine *engine);

#define TARGET_TEXT_MAX 1024
/* Can the club's delivery target be reached, and lets us in? Nothing is sent. 1 yes; 0 no, and
 * TEXT says why in one line. */
MUST_CHECK int engine_check_target(const struct club *club, char text[static TARGET_TEXT_MAX]);

/* Can this account read the files that logins need? Adds a fault for each that it cannot. An access
 * token may be missing: whoever fetches it may not have run yet. */
void engine_check_files(const struct club *club, struct fault_list *faults);

struct engine_status {
	int64_t waiting_messages, waiting_mails;
	int64_t next_timer; /* INSTANT_NONE: none */
	bool complete;      /* the last round reached every mailbox */
	int64_t last_round; /* INSTANT_NONE: none yet */
	/* The delivery target cannot be reached since then (INSTANT_NONE: it can), and why;
	 * nothing goes out before target_next_try (INSTANT_NONE: no pause). */
	int64_t target_down_since, target_next_try;
	const char *target_reason; /* "" if there is none; of the engine, until it goes on */
};
MUST_CHECK int engine_status(struct engine *engine, struct engine_status *ret_status);
/* Why the mailbox of that name could not be read at last, "" if that is not known; of the engine,
 * until it goes on. */
const char *engine_mailbox_reason(const struct engine *engine, const char *name);
/* The same for the mailbox of that index: logs in and opens the folder, changes nothing. */
MUST_CHECK int engine_check_mailbox(
	const struct club *club, size_t index, char text[static TARGET_TEXT_MAX]);

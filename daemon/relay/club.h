/*
 * What every part of the relay works with: one club's configuration, words and store.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "config/configuration.h"
#include "config/fault.h"
#include "config/templates.h"
#include "config/words.h"
#include "daemon/store/store.h"

struct club {
	struct configuration *configuration;
	struct templates *templates;
	struct words *words; /* of commands by mail */
	struct store *store; /* NULL until club_open_store */
	char *domain;        /* of the club's address */
	char *local;         /* its local part */
	char *source;        /* what was read, as an input (relay/input_log.h); NULL: no text */
	int edition;         /* of what is decided (rules/edition.h); 0: the newest */
	uint64_t notices;    /* mails to the administrator that followed from inputs until now */
};

/* The fact that says by which edition the store is worked. */
#define EDITION_FACT "edition"

#define CLUB_FILE_MAX 64

/* The configuration file of a club's name, as --club gives it. -EINVAL: it is no name. */
MUST_CHECK int club_file(const char *name, char out[CLUB_FILE_MAX]);

/* Reads the configuration and all overrides. FILE_FAULTY with the faults added; -errno. */
MUST_CHECK int club_load(const char *path, struct fault_list *faults, struct club **ret_club);
/* The same of text in memory and the files below OVERRIDES (or NULL), whatever folder the text
 * names. */
MUST_CHECK int club_parse(const char *text, size_t size, const char *overrides,
	struct fault_list *faults, struct club **ret_club);
/* Are the Maildirs among mailboxes and delivery target there and open to us? FILE_FAULTY if
 * not. */
MUST_CHECK int club_check_online(const struct club *club, struct fault_list *faults);
/* -EBUSY when another process writes. -ESTALE: a later version of the program has written it. */
MUST_CHECK int club_open_store(struct club *club, enum store_mode mode);
/* The same, for somebody who may have to wait for it (store/store.h). */
MUST_CHECK int club_open_store_telling(
	struct club *club, enum store_mode mode, void (*tell)(int64_t version));
/* Would what is sent to the address with this key (address_key) come to the club itself? No, for
 * inputs of before EDITION_2. */
bool club_is_own_address(const struct club *club, const char *key);
void club_free(struct club *club);
static inline void club_freep(struct club **club)
{
	if (*club)
		club_free(*club);
}

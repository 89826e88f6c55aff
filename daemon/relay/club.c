#include "daemon/relay/club.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "config/overrides.h"
#include "config/value.h"
#include "daemon/relay/input_log.h"
#include "daemon/store/arena.h"
#include "daemon/zone.h"
#include "rules/edition.h"

int club_file(const char *name, char out[CLUB_FILE_MAX])
{
	if (!value_is_id(name))
		return -EINVAL;
	int n = snprintf(out, CLUB_FILE_MAX, "/etc/zugpost/%s.conf", name);
	return n > 0 && n < CLUB_FILE_MAX ? 0 : -EINVAL;
}

static int split_address(struct club *club)
{
	const char *address = club->configuration->club.address;
	const char *at = strrchr(address, '@');

	club->local = strndup(address, at ? (size_t)(at - address) : strlen(address));
	club->domain = strdup(at ? at + 1 : "localhost");
	return club->local && club->domain ? 0 : -ENOMEM;
}

bool club_is_own_address(const struct club *club, const char *key)
{
	const char *at = strrchr(key, '@');
	size_t local = strlen(club->local);

	return edition_includes(club->edition, EDITION_2) && at &&
	       strcasecmp(at + 1, club->domain) == 0 && strncasecmp(key, club->local, local) == 0 &&
	       (key[local] == '+' || key + local == at);
}

/* Takes CONFIGURATION over. */
static int furnish(struct configuration *configuration, const char *overrides,
	struct fault_list *faults, struct club **ret_club)
{
	struct club *club __attribute__((cleanup(club_freep))) = calloc(1, sizeof(*club));

	if (!club) {
		configuration_free(configuration);
		return -ENOMEM;
	}
	club->configuration = configuration;
	int r = templates_load(overrides, faults, &club->templates);
	int words = r >= 0 ? words_load(overrides, faults, &club->words) : 0;
	if (r == 0)
		r = words;
	if (r != 0)
		return r;
	r = split_address(club);
	if (r < 0)
		return r;
	*ret_club = club;
	club = NULL;
	return 0;
}

/* Whatever an administrator wrote there in vain. */
static int check_overrides(const struct configuration *configuration, struct fault_list *faults)
{
	const char *overrides = configuration->club.overrides;
	size_t before = fault_list_total(faults);
	int r = overrides ? overrides_check(overrides, configuration->path,
				    configuration->club.overrides_line, faults)
			  : 0;

	return r == 0 && fault_list_total(faults) > before ? FILE_FAULTY : r;
}

int club_load(const char *path, struct fault_list *faults, struct club **ret_club)
{
	struct configuration *configuration = NULL;
	json_t *text = NULL;
	/* Read once: what is parsed is what is kept as an input. */
	int r = input_load_text(path, &text);

	if (r == 0)
		r = configuration_parse(path, json_string_value(text), json_string_length(text),
			zone_known, faults, &configuration);
	else
		r = configuration_read(path, zone_known, faults, &configuration);
	int checked = r == 0 ? check_overrides(configuration, faults) : 0;
	if (r == 0)
		r = furnish(configuration, configuration->club.overrides, faults, ret_club);
	if (r == 0 && checked != 0) {
		club_free(*ret_club);
		*ret_club = NULL;
		r = checked;
	}
	if (r == 0 && text)
		(*ret_club)->source =
			input_configuration(text, (*ret_club)->configuration->club.overrides);
	json_decref(text);
	return r;
}

int club_parse(const char *text, size_t size, const char *overrides, struct fault_list *faults,
	struct club **ret_club)
{
	struct configuration *configuration = NULL;
	int r = configuration_parse(
		"configuration", text, size, zone_known, faults, &configuration);

	return r != 0 ? r : furnish(configuration, overrides, faults, ret_club);
}

static void check_folder(const struct club *club, unsigned line, const char *path, const char *name,
	struct fault_list *faults)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	const char *folder = name ? arena_format(&arena, "%s/%s", path, name) : path;

	if (access(folder, R_OK | W_OK | X_OK) < 0)
		fault_add(
			faults, club->configuration->path, line, "%s: %s", folder, strerror(errno));
}

int club_check_online(const struct club *club, struct fault_list *faults)
{
	const struct configuration *configuration = club->configuration;
	const char *target = configuration->delivery.url.path;
	size_t before = fault_list_total(faults);

	for (size_t i = 0; i < configuration->n_mailboxes; i++) {
		const struct mail_account *account = &configuration->mailboxes[i].account;
		/* Mail servers are asked by the engine. */
		if (!account->url.path)
			continue;
		check_folder(club, account->line, account->url.path, "new", faults);
		check_folder(club, account->line, account->url.path, "cur", faults);
	}
	/* A target that is not there is made by the first delivery, in a folder that is. */
	if (!target) {
		;
	} else if (access(target, F_OK) == 0) {
		check_folder(club, configuration->delivery.line, target, NULL, faults);
	} else {
		struct arena arena CLEANUP_ARENA = ARENA_INIT;
		const char *slash = strrchr(target, '/');
		check_folder(club, configuration->delivery.line,
			slash > target ? arena_copy(&arena, target, (size_t)(slash - target)) : "/",
			NULL, faults);
	}
	return fault_list_total(faults) > before ? FILE_FAULTY : 0;
}

int club_open_store_telling(struct club *club, enum store_mode mode, void (*tell)(int64_t version))
{
	struct store *store __attribute__((cleanup(store_closep))) = NULL;
	int64_t edition = EDITION_FIRST;
	int r = store_open_telling(club->configuration->store.directory, mode, tell, &store);

	if (r >= 0)
		r = store_fact(store, EDITION_FACT, &edition);
	if (r >= 0 && edition > EDITION_NEWEST)
		r = -ESTALE;
	if (r < 0)
		return r;
	club->store = store;
	store = NULL;
	return 0;
}

int club_open_store(struct club *club, enum store_mode mode)
{
	return club_open_store_telling(club, mode, NULL);
}

void club_free(struct club *club)
{
	store_close(club->store);
	words_free(club->words);
	templates_free(club->templates);
	configuration_free(club->configuration);
	free(club->domain);
	free(club->local);
	free(club->source);
	free(club);
}

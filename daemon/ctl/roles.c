#include "daemon/ctl/roles.h"

#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/log.h"

#define ENTRY_MAX (1u << 20)

struct entry {
	uid_t uid;
	const struct configured_account *account;
};

struct roles {
	size_t n;
	struct entry entries[];
};

/* 1 found, 0 the machine knows no such account, -errno. */
static int look_up(const char *name, uid_t *ret_uid)
{
	int error = ERANGE;

	for (size_t room = 1024; error == ERANGE && room <= ENTRY_MAX; room *= 4) {
		struct passwd entry, *found = NULL;
		char *buffer = malloc(room);
		if (!buffer)
			return -ENOMEM;
		error = getpwnam_r(name, &entry, buffer, room, &found);
		if (found)
			*ret_uid = found->pw_uid;
		free(buffer);
		if (found)
			return 1;
	}
	/* What is not there may also be told by these. */
	return error == 0 || error == ENOENT || error == ESRCH ? 0 : -error;
}

int roles_new(const struct configuration *configuration, struct roles **ret_roles)
{
	struct roles *roles =
		calloc(1, sizeof(*roles) + configuration->n_accounts * sizeof(roles->entries[0]));

	if (!roles)
		return -ENOMEM;
	for (size_t i = 0; i < configuration->n_accounts; i++) {
		const struct configured_account *account = &configuration->accounts[i];
		struct entry *entry = &roles->entries[roles->n];
		int r = look_up(account->name, &entry->uid);
		entry->account = account;
		if (r > 0)
			roles->n++;
		else
			log_line(LOG_WARNING, "%s:%u: account %s: %s", configuration->path,
				account->line, account->name,
				r < 0 ? strerror(-r) : "this machine has none of that name");
	}
	*ret_roles = roles;
	return 0;
}

void roles_free(struct roles *roles)
{
	free(roles);
}

const struct configured_account *roles_find(const struct roles *roles, uid_t uid)
{
	for (size_t i = 0; roles && i < roles->n; i++)
		if (roles->entries[i].uid == uid)
			return roles->entries[i].account;
	return NULL;
}

int roles_check(const struct configuration *configuration, struct fault_list *faults)
{
	size_t before = fault_list_total(faults);

	for (size_t i = 0; i < configuration->n_accounts; i++) {
		const struct configured_account *account = &configuration->accounts[i];
		uid_t uid;
		int r = look_up(account->name, &uid);
		if (r <= 0)
			fault_add(faults, configuration->path, account->line, "account %s: %s",
				account->name,
				r < 0 ? strerror(-r) : "this machine has none of that name");
	}
	return fault_list_total(faults) > before ? FILE_FAULTY : 0;
}

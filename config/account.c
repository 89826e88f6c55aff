#include "config/account.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
static const char digits[] = "0123456789";

bool account_is_name(const char *text)
{
	size_t size = strlen(text);

	if (size == 0 || size > ACCOUNT_NAME_MAX || strchr(".-@$", text[0]) ||
		strspn(text, digits) == size)
		return false;
	for (size_t i = 0; i < size; i++)
		if (!strchr(letters, text[i]) && !strchr(digits, text[i]) &&
			!strchr("._-@", text[i]) && !(text[i] == '$' && i + 1 == size))
			return false;
	return true;
}

struct configured_account *account_add(
	struct configured_account **list, size_t *n, const char *name, unsigned line)
{
	struct configured_account *grown = realloc(*list, (*n + 1) * sizeof(*grown));
	char *copy = strdup(name);

	if (grown)
		*list = grown;
	if (!grown || !copy) {
		free(copy);
		return NULL;
	}
	grown[*n] = (struct configured_account){.name = copy, .line = line};
	return &grown[(*n)++];
}

int account_take_role(struct configured_account *account, const char *value)
{
	account->role_given = true;
	if (strcmp(value, "admin") == 0)
		account->role = ROLE_ADMIN;
	else if (strcmp(value, "arbiter") == 0)
		account->role = ROLE_ARBITER;
	else
		return -EINVAL;
	return 0;
}

/* How many characters of it are meant as they stand; the `*` is behind them. */
static size_t fixed_part(const char *pattern)
{
	size_t size = strlen(pattern);

	return size > 0 && pattern[size - 1] == '*' ? size - 1 : size;
}

static bool is_pattern(const char *text)
{
	char code[ID_MAX + 1];
	size_t size = fixed_part(text);

	if (size > ID_MAX)
		return false;
	memcpy(code, text, size);
	code[size] = '\0';
	return value_is_id(code) || strcmp(text, "*") == 0;
}

int account_take_events(struct configured_account *account, const char *value, unsigned line)
{
	value_list_release(&account->events);
	account->events_line = line;
	int r = value_list(value, &account->events);
	for (size_t i = 0; r == 0 && i < account->events.n; i++)
		if (!is_pattern(account->events.items[i]))
			r = -EINVAL;
	return r;
}

void account_check(
	const struct configured_account *account, const char *file, struct fault_list *faults)
{
	const char *name = account->name;

	if (!account_is_name(name))
		fault_add(faults, file, account->line,
			"an account needs the name that the machine knows it by, up to %d letters, "
			"digits, '.', '_', '-' or '@': [account NAME]",
			ACCOUNT_NAME_MAX);
	else if (!account->role_given)
		fault_add(faults, file, account->line, "[account %s] lacks role", name);
	else if (account->role == ROLE_ARBITER && !account->events_line)
		fault_add(faults, file, account->line, "[account %s] lacks events", name);
	else if (account->role == ROLE_ADMIN && account->events_line)
		fault_add(faults, file, account->events_line,
			"[account %s] is an admin's: events are named for arbiters", name);
}

bool account_covers(const struct configured_account *account, const char *code)
{
	if (account->role == ROLE_ADMIN)
		return true;
	for (size_t i = 0; account->role == ROLE_ARBITER && i < account->events.n; i++) {
		const char *pattern = account->events.items[i];
		size_t size = fixed_part(pattern);
		if (strncmp(code, pattern, size) == 0 &&
			(pattern[size] == '*' || code[size] == '\0'))
			return true;
	}
	return false;
}

void account_release(struct configured_account *account)
{
	value_list_release(&account->events);
	free(account->name);
}

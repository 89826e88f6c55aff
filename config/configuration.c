#include "config/configuration.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/ini.h"
#include "config/language.h"

#define TIMEOUT_MS INT64_C(60000)

/* What is being read. */
struct reading {
	struct configuration *configuration;
	zone_known_fn *zone_known;
	struct fault_list *faults;
	const char *path;
	struct configured_mailbox *mailbox; /* the one of the section we are in */
	struct configured_account *account; /* the same */
	bool seen_delivery;
	bool *refused; /* by key: its value was refused in a section that is there once */
	unsigned club_line, store_line, language_line;
	unsigned line; /* of the key that is being taken */
	int error;     /* -ENOMEM once memory ran out */
};

/* One key: takes VALUE or says in words what it should have been. *ret_wanted is set before
 * the call to the words that the table holds. */
struct key {
	const char *section, *name;
	int (*take)(struct reading *reading, const char *value, const char **ret_wanted);
	const char *wanted;
};

static int take_text(char **slot, const char *value, bool fit)
{
	if (!*value || !fit || !value_is_line(value))
		return -EINVAL;
	char *copy = strdup(value);
	if (!copy)
		return -ENOMEM;
	free(*slot);
	*slot = copy;
	return 0;
}

static int take_choice(const char *const *words, const char *value, int *ret_index)
{
	for (int i = 0; words[i]; i++) {
		if (strcmp(words[i], value) == 0) {
			*ret_index = i;
			return 0;
		}
	}
	return -EINVAL;
}

/* ---- [club] ---- */

#define TAKE(name)                                                  \
	static int name(struct reading *reading, const char *value, \
		const char **ret_wanted __attribute__((unused)))

TAKE(club_name)
{
	return take_text(&reading->configuration->club.name, value, true);
}

TAKE(club_address)
{
	/* The token and its separator must still fit into the 64 bytes of a local part. Every
	 * server must be able to write to it. */
	bool fit = value_is_address(value) && value_is_ascii(value) &&
		   strchr(value, '@') - value <= 42;
	return take_text(&reading->configuration->club.address, value, fit);
}

TAKE(club_separator)
{
	if (!*value || value[1] || !strchr("+-=_.~#", *value))
		return -EINVAL;
	reading->configuration->club.separator = *value;
	return 0;
}

TAKE(club_arbiter)
{
	struct mailbox mailbox;

	int r = value_mailbox(value, &mailbox);
	if (r < 0)
		return r;
	/* [club] and [club x] are one fault and one slot: so here and in the setters below. */
	free(reading->configuration->club.arbiter);
	free(reading->configuration->club.arbiter_name);
	reading->configuration->club.arbiter = mailbox.address;
	reading->configuration->club.arbiter_name = mailbox.name;
	return 0;
}

TAKE(club_admin)
{
	return take_text(&reading->configuration->club.admin, value, value_is_address(value));
}

TAKE(club_timezone)
{
	return take_text(&reading->configuration->club.timezone, value, reading->zone_known(value));
}

TAKE(club_language)
{
	reading->language_line = reading->line;
	return take_text(&reading->configuration->club.language, value, language_is_code(value));
}

TAKE(club_overrides)
{
	reading->configuration->club.overrides_line = reading->line;
	return take_text(&reading->configuration->club.overrides, value, *value == '/');
}

TAKE(store_directory)
{
	return take_text(&reading->configuration->store.directory, value, *value == '/');
}

TAKE(store_free_space)
{
	uint64_t bytes;

	int r = value_size(value, &bytes);
	if (r < 0)
		return -EINVAL;
	reading->configuration->store.free_space = bytes;
	return 0;
}

TAKE(store_metrics)
{
	return take_text(&reading->configuration->store.metrics, value, *value == '/');
}

/* ---- [mailbox NAME] and [delivery] ---- */

static bool is_imap(enum url_scheme scheme)
{
	return scheme == URL_IMAP || scheme == URL_IMAPS;
}

static int take_url(struct reading *reading, struct mail_account *account, const char *value,
	bool imap, const char **ret_wanted)
{
	struct mail_url url;

	account->url_line = reading->line;
	int r = value_url(value, &url, ret_wanted);
	if (r < 0)
		return r;
	if (url.scheme != URL_MAILDIR && is_imap(url.scheme) != imap) {
		*ret_wanted = imap ? "a mailbox is read from imaps://, imap:// or maildir:/PATH"
				   : "mail is delivered to smtps://, smtp:// or maildir:/PATH";
		mail_url_release(&url);
		return -EINVAL;
	}
	mail_url_release(&account->url);
	account->url = url;
	return 0;
}

static int take_secret(struct secret *slot, const char *value, unsigned line)
{
	struct secret secret = {.line = line};

	slot->line = line;
	if (strncmp(value, "credential:", 11) == 0 && value_is_id(value + 11) && value[11] != '.') {
		secret.kind = SECRET_CREDENTIAL;
		secret.name = strdup(value + 11);
	} else if (strncmp(value, "file:/", 6) == 0 && value_is_line(value)) {
		secret.kind = SECRET_FILE;
		secret.name = strdup(value + 5);
	} else {
		return -EINVAL;
	}
	if (!secret.name)
		return -ENOMEM;
	free(slot->name);
	*slot = secret;
	return 0;
}

static int take_auth(struct mail_account *account, const char *value)
{
	static const char *const words[] = {[MAIL_AUTH_LOGIN] = "login",
		[MAIL_AUTH_PLAIN] = "plain",
		[MAIL_AUTH_CRAM_MD5] = "cram-md5",
		[MAIL_AUTH_SCRAM_SHA_1] = "scram-sha-1",
		[MAIL_AUTH_SCRAM_SHA_256] = "scram-sha-256",
		[MAIL_AUTH_XOAUTH2] = "xoauth2",
		NULL};
	int index;

	int r = take_choice(words, value, &index);
	if (r == 0)
		account->auth = (enum mail_auth)index;
	return r;
}

static int take_tls(struct reading *reading, struct mail_account *account, const char *value)
{
	static const char *const words[] = {[MAIL_TLS_YES] = "yes", [MAIL_TLS_NONE] = "none", NULL};
	int index;

	int r = take_choice(words, value, &index);
	if (r == 0) {
		account->tls = (enum mail_tls)index;
		account->tls_line = reading->line;
	}
	return r;
}

static int take_ca_file(
	const struct reading *reading, struct mail_account *account, const char *value)
{
	account->ca_file_line = reading->line;
	return take_text(&account->ca_file, value, *value == '/');
}

static int take_timeout(struct mail_account *account, const char *value)
{
	int64_t milliseconds;

	int r = value_duration(value, &milliseconds);
	if (r < 0 || milliseconds < 1000 || milliseconds > 600000)
		return -EINVAL;
	account->timeout = milliseconds;
	return 0;
}

TAKE(mailbox_source)
{
	return take_url(reading, &reading->mailbox->account, value, true, ret_wanted);
}

TAKE(mailbox_password)
{
	return take_secret(&reading->mailbox->account.password, value, reading->line);
}

TAKE(mailbox_auth)
{
	return take_auth(&reading->mailbox->account, value);
}

TAKE(mailbox_tls)
{
	return take_tls(reading, &reading->mailbox->account, value);
}

TAKE(mailbox_since)
{
	static const char *const words[] = {
		[SINCE_FIRST_CONNECTION] = "first-connection", [SINCE_ALL] = "all", NULL};
	int index;

	int r = take_choice(words, value, &index);
	if (r == 0)
		reading->mailbox->since = (enum mailbox_since)index;
	return r;
}

TAKE(mailbox_archive)
{
	return take_text(&reading->mailbox->archive, value, true);
}

TAKE(mailbox_junk)
{
	return take_text(&reading->mailbox->junk, value, true);
}

TAKE(mailbox_ca_file)
{
	return take_ca_file(reading, &reading->mailbox->account, value);
}

TAKE(mailbox_timeout)
{
	return take_timeout(&reading->mailbox->account, value);
}

TAKE(delivery_target)
{
	return take_url(reading, &reading->configuration->delivery, value, false, ret_wanted);
}

TAKE(delivery_password)
{
	return take_secret(&reading->configuration->delivery.password, value, reading->line);
}

TAKE(delivery_auth)
{
	return take_auth(&reading->configuration->delivery, value);
}

TAKE(delivery_tls)
{
	return take_tls(reading, &reading->configuration->delivery, value);
}

TAKE(delivery_ca_file)
{
	return take_ca_file(reading, &reading->configuration->delivery, value);
}

TAKE(delivery_timeout)
{
	return take_timeout(&reading->configuration->delivery, value);
}

TAKE(delivery_give_up_after)
{
	int64_t milliseconds;

	int r = value_duration(value, &milliseconds);
	if (r < 0 || milliseconds < 3600000 || milliseconds > INT64_C(30) * 86400000)
		return -EINVAL;
	reading->configuration->give_up_after = milliseconds;
	return 0;
}

/* ---- [trust] and [limits] ---- */

TAKE(trust_authserv_id)
{
	struct value_list *ids = &reading->configuration->trust.authserv_ids;

	value_list_release(ids);
	int r = value_list(value, ids);
	if (r < 0)
		return r;
	for (size_t i = 0; i < ids->n;) {
		if (strcmp(ids->items[i], "topmost") == 0) {
			reading->configuration->trust.topmost = true;
			free(ids->items[i]);
			ids->items[i] = ids->items[--ids->n];
			continue;
		}
		if (strpbrk(ids->items[i], " \t;()<>\"\\") || !value_is_line(ids->items[i]))
			return -EINVAL;
		i++;
	}
	return 0;
}

TAKE(trust_otherwise)
{
	static const char *const words[] = {[OTHERWISE_CONFIRM] = "confirm",
		[OTHERWISE_ACCEPT] = "accept",
		[OTHERWISE_REJECT] = "reject",
		NULL};
	int index;

	int r = take_choice(words, value, &index);
	if (r == 0)
		reading->configuration->trust.otherwise = (enum trust_otherwise)index;
	return r;
}

TAKE(trust_confirm_within)
{
	int64_t milliseconds;

	int r = value_duration(value, &milliseconds);
	if (r < 0 || milliseconds < 60000 || milliseconds > INT64_C(366) * 86400000)
		return -EINVAL;
	reading->configuration->trust.confirm_within = milliseconds;
	return 0;
}

TAKE(limits_message_size)
{
	uint64_t bytes;

	int r = value_size(value, &bytes);
	if (r < 0 || bytes < 4096 || bytes > 64U << 20)
		return -EINVAL;
	reading->configuration->limits.message_size = bytes;
	return 0;
}

TAKE(limits_answers_per_day)
{
	int64_t number;

	int r = value_number(value, 100000, &number);
	if (r < 0)
		return -EINVAL;
	reading->configuration->limits.answers_per_day = (unsigned)number;
	return 0;
}

TAKE(limits_alerts_per_day)
{
	int64_t number;

	int r = value_number(value, 1000, &number);
	if (r < 0)
		return -EINVAL;
	reading->configuration->limits.alerts_per_day = (unsigned)number;
	return 0;
}

TAKE(limits_alert_after)
{
	int64_t milliseconds;

	int r = value_duration(value, &milliseconds);
	if (r < 0 || milliseconds > INT64_C(30) * 86400000)
		return -EINVAL;
	reading->configuration->limits.alert_after = milliseconds;
	return 0;
}

/* ---- [account NAME] ---- */

TAKE(account_role)
{
	return account_take_role(reading->account, value);
}

TAKE(account_events)
{
	return account_take_events(reading->account, value, reading->line);
}

#define WANT_AUTH "login, plain, cram-md5, scram-sha-1, scram-sha-256 or xoauth2"
#define WANT_SECRET "credential:NAME or file:/PATH; the password itself has no place here"
#define WANT_PATH "an absolute path"
#define WANT_TIMEOUT "a duration from 1s to 10min, such as 60s"

static const struct key keys[] = {
	{"club", "name", club_name, "a name without control characters"},
	{"club", "address", club_address,
		"a plain address, local@domain, with at most 42 characters before the @"},
	{"club", "separator", club_separator, "one of + - = _ . ~ #"},
	{"club", "arbiter", club_arbiter, "one mailbox: an address or \"Name <address>\""},
	{"club", "admin", club_admin, "a plain address, local@domain"},
	{"club", "timezone", club_timezone, "a name of the system's list of time zones"},
	{"club", "language", club_language, "a language that mails can be written in"},
	{"club", "overrides", club_overrides, WANT_PATH},
	{"store", "directory", store_directory, WANT_PATH},
	{"store", "free-space", store_free_space, "a size, such as 200M"},
	{"store", "metrics", store_metrics, WANT_PATH},
	{"mailbox", "source", mailbox_source, NULL},
	{"mailbox", "password", mailbox_password, WANT_SECRET},
	{"mailbox", "auth", mailbox_auth, WANT_AUTH},
	{"mailbox", "tls", mailbox_tls, "yes or none"},
	{"mailbox", "since", mailbox_since, "first-connection or all"},
	{"mailbox", "archive", mailbox_archive, "the name of a folder"},
	{"mailbox", "junk", mailbox_junk, "the name of a folder"},
	{"mailbox", "ca-file", mailbox_ca_file, WANT_PATH},
	{"mailbox", "timeout", mailbox_timeout, WANT_TIMEOUT},
	{"delivery", "target", delivery_target, NULL},
	{"delivery", "password", delivery_password, WANT_SECRET},
	{"delivery", "auth", delivery_auth, WANT_AUTH},
	{"delivery", "tls", delivery_tls, "yes or none"},
	{"delivery", "ca-file", delivery_ca_file, WANT_PATH},
	{"delivery", "timeout", delivery_timeout, WANT_TIMEOUT},
	{"delivery", "give-up-after", delivery_give_up_after,
		"a duration from 1h to 30d, such as 5d"},
	{"trust", "authserv-id", trust_authserv_id, "host names separated by commas, or topmost"},
	{"trust", "otherwise", trust_otherwise, "confirm, accept or reject"},
	{"trust", "confirm-within", trust_confirm_within,
		"a duration from 1min to 366d, such as 72h"},
	{"limits", "message-size", limits_message_size, "a size from 4K to 64M"},
	{"limits", "answers-per-day", limits_answers_per_day, "a number up to 100000"},
	{"limits", "alerts-per-day", limits_alerts_per_day, "a number up to 1000"},
	{"limits", "alert-after", limits_alert_after, "a duration up to 30d, such as 30min"},
	{"account", "role", account_role, "admin or arbiter"},
	{"account", "events", account_events,
		"codes of tournaments separated by commas, where a * at the end stands for any "
		"rest"},
};

const char *configuration_key(size_t index)
{
	static char names[ARRAY_SIZE(keys)][40];

	if (index >= ARRAY_SIZE(keys))
		return NULL;
	(void)snprintf(
		names[index], sizeof(names[index]), "%s.%s", keys[index].section, keys[index].name);
	return names[index];
}

/* ---- Sections ---- */

static bool section_known(const char *kind)
{
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (strcmp(keys[i].section, kind) == 0)
			return true;
	return false;
}

static void begin_mailbox(struct reading *reading, const struct ini_section *section)
{
	struct configuration *configuration = reading->configuration;

	if (!value_is_id(section->name)) {
		fault_add(reading->faults, reading->path, section->line,
			"a mailbox needs a name of up to %d letters, digits, '.', '_' or '-': "
			"[mailbox NAME]",
			ID_MAX);
	}
	struct configured_mailbox *grown = realloc(
		configuration->mailboxes, (configuration->n_mailboxes + 1) * sizeof(*grown));
	if (!grown) {
		reading->error = -ENOMEM;
		return;
	}
	configuration->mailboxes = grown;
	reading->mailbox = &grown[configuration->n_mailboxes++];
	*reading->mailbox = (struct configured_mailbox){
		.account = {.line = section->line, .timeout = TIMEOUT_MS}};
	reading->mailbox->name = strdup(section->name);
	if (!reading->mailbox->name)
		reading->error = -ENOMEM;
}

static void on_section(void *context, const struct ini_section *section)
{
	struct reading *reading = context;

	if (strcmp(section->kind, "mailbox") == 0) {
		begin_mailbox(reading, section);
		return;
	}
	if (strcmp(section->kind, "account") == 0) {
		reading->account = account_add(&reading->configuration->accounts,
			&reading->configuration->n_accounts, section->name, section->line);
		if (!reading->account)
			reading->error = -ENOMEM;
		return;
	}
	if (!section_known(section->kind))
		fault_add(reading->faults, reading->path, section->line, "unknown section [%s%s%s]",
			section->kind, *section->name ? " " : "", section->name);
	else if (*section->name)
		fault_add(reading->faults, reading->path, section->line,
			"section [%s] takes no name", section->kind);
	if (strcmp(section->kind, "club") == 0)
		reading->club_line = section->line;
	if (strcmp(section->kind, "store") == 0)
		reading->store_line = section->line;
	if (strcmp(section->kind, "delivery") == 0) {
		reading->seen_delivery = true;
		reading->configuration->delivery.line = section->line;
	}
}

/* A password that stands where it has no place does not get into the journal as well. */
static bool is_secret(const char *name, const char *value)
{
	const char *user = strstr(value, "://");
	const char *host = strrchr(value, '@');

	return strcmp(name, "password") == 0 ||
	       (user && host && host > user + 3 &&
		       memchr(user + 3, ':', (size_t)(host - user - 3)));
}

static void on_key(void *context, const struct ini_section *section, const char *name,
	const char *value, unsigned line)
{
	struct reading *reading = context;
	const struct key *key = NULL;

	if (reading->error < 0 || !section_known(section->kind))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(keys) && !key; i++)
		if (strcmp(keys[i].section, section->kind) == 0 && strcmp(keys[i].name, name) == 0)
			key = &keys[i];
	if (!key) {
		fault_add(reading->faults, reading->path, line, "unknown key \"%s\" in [%s]", name,
			section->kind);
		return;
	}
	const char *wanted = key->wanted;
	reading->line = line;
	int r = key->take(reading, value, &wanted);
	if (r == -ENOMEM)
		reading->error = r;
	if (r >= 0 || r == -ENOMEM)
		return;
	reading->refused[key - keys] = true;
	fault_add(reading->faults, reading->path, line, "%s: \"%s\" is refused: %s%s", name,
		is_secret(name, value) ? "..." : value, key->wanted ? "wanted is " : "", wanted);
}

/* ---- What holds between keys ---- */

/* A value that was refused has had its fault. */
static void demand(
	struct reading *reading, unsigned line, const char *section, const char *name, bool given)
{
	for (size_t i = 0; i < ARRAY_SIZE(keys) && !given; i++)
		given = strcmp(keys[i].section, section) == 0 && strcmp(keys[i].name, name) == 0 &&
			reading->refused[i];
	if (!given)
		fault_add(reading->faults, reading->path, line, "[%s] lacks %s", section, name);
}

static void check_server(
	struct reading *reading, struct mail_account *account, const char *section, const char *url)
{
	const struct mail_url *u = &account->url;
	struct fault_list *faults = reading->faults;

	if (!u->path && !u->host) {
		if (!account->url_line)
			fault_add(faults, reading->path, account->line, "[%s] lacks %s", section,
				url);
		return;
	}
	if (u->path)
		return;
	if (account->tls == MAIL_TLS_NONE &&
		(!u->loopback || u->scheme == URL_IMAPS || u->scheme == URL_SMTPS))
		fault_add(faults, reading->path, account->tls_line,
			"tls = none in [%s] is for imap:// or smtp:// on the loopback host only",
			section);
	if (!u->user && is_imap(u->scheme))
		fault_add(faults, reading->path, account->url_line,
			"the %s of [%s] names no user (imaps://USER@HOST/FOLDER)", url, section);
	if (u->user && account->password.kind == SECRET_NONE && !account->password.line)
		fault_add(faults, reading->path, account->line, "[%s] lacks password", section);
	if (!u->user)
		account->auth = MAIL_AUTH_NONE;
}

/* There are templates for it, built in or in the folder of overrides. */
static void check_language(const struct reading *reading)
{
	const char *language = reading->configuration->club.language;
	const char *overrides = reading->configuration->club.overrides;
	char folder[4096] = "";

	if (overrides)
		(void)snprintf(folder, sizeof(folder), "%s/templates/%s", overrides, language);
	if (!language_is_known(language) && (!*folder || access(folder, R_OK | X_OK) < 0))
		fault_add(reading->faults, reading->path, reading->language_line,
			"language: \"%s\" is refused: wanted is a language that mails can be "
			"written in",
			language);
}

static void check_whole(struct reading *reading)
{
	struct configuration *configuration = reading->configuration;

	if (configuration->club.language)
		check_language(reading);

	demand(reading, reading->club_line, "club", "name", configuration->club.name);
	demand(reading, reading->club_line, "club", "address", configuration->club.address);
	demand(reading, reading->store_line, "store", "directory", configuration->store.directory);
	if (configuration->n_mailboxes == 0)
		fault_add(reading->faults, reading->path, 0, "there is no [mailbox NAME]");
	for (size_t i = 0; i < configuration->n_mailboxes; i++)
		check_server(reading, &configuration->mailboxes[i].account, "mailbox", "source");
	if (!reading->seen_delivery)
		fault_add(reading->faults, reading->path, 0, "there is no [delivery]");
	else
		check_server(reading, &configuration->delivery, "delivery", "target");
	for (size_t i = 0; i < configuration->n_accounts; i++)
		account_check(&configuration->accounts[i], reading->path, reading->faults);
}

static int set_default(char **slot, const char *value)
{
	if (*slot)
		return 0;
	*slot = strdup(value);
	return *slot ? 0 : -ENOMEM;
}

/* Mail must leave an IMAP folder: what stays would be read again by every new connection. */
static int set_folders(struct configuration *configuration)
{
	int r = 0;

	for (size_t i = 0; i < configuration->n_mailboxes && r >= 0; i++) {
		struct configured_mailbox *mailbox = &configuration->mailboxes[i];

		r = set_default(&mailbox->archive, "Archive");
		if (r >= 0)
			r = set_default(&mailbox->junk, mailbox->archive);
	}
	return r;
}

static int new_configuration(const char *path, struct configuration **ret_configuration)
{
	struct configuration *configuration = calloc(1, sizeof(*configuration));
	if (!configuration)
		return -ENOMEM;
	configuration->club.separator = '+';
	configuration->trust.confirm_within = INT64_C(72) * 3600000;
	configuration->limits.message_size = UINT64_C(256) << 10;
	configuration->limits.answers_per_day = 20;
	configuration->limits.alerts_per_day = 5;
	configuration->limits.alert_after = INT64_C(30) * 60000;
	configuration->store.free_space = UINT64_C(200) << 20;
	configuration->delivery.timeout = TIMEOUT_MS;
	configuration->give_up_after = INT64_C(5) * 86400000;
	configuration->path = strdup(path);
	if (!configuration->path) {
		configuration_free(configuration);
		return -ENOMEM;
	}
	*ret_configuration = configuration;
	return 0;
}

/* TEXT may be NULL: the file is read then. */
static int read_any(const char *path, const char *text, size_t size, zone_known_fn *zone_known,
	struct fault_list *faults, struct configuration **ret_configuration)
{
	bool refused[ARRAY_SIZE(keys)] = {false};
	struct reading reading = {
		.zone_known = zone_known, .faults = faults, .path = path, .refused = refused};
	struct ini_handler handler = {on_section, on_key, &reading};
	size_t before = fault_list_total(faults);

	int r = new_configuration(path, &reading.configuration);
	if (r < 0)
		return r;
	r = text ? ini_read_text(path, text, size, &handler, faults)
		 : ini_read_file(path, &handler, faults);
	if (r >= 0)
		r = reading.error;
	/* A file that cannot be read lacks everything: one fault says enough. */
	if (r >= 0 &&
		(reading.configuration->n_mailboxes > 0 || fault_list_total(faults) == before))
		check_whole(&reading);
	if (r >= 0)
		r = set_folders(reading.configuration);
	if (r >= 0)
		r = set_default(&reading.configuration->club.timezone, "UTC");
	if (r >= 0)
		r = set_default(&reading.configuration->club.language, "en");
	if (r >= 0 && fault_list_total(faults) > before)
		r = FILE_FAULTY;
	if (r != 0) {
		configuration_free(reading.configuration);
		return r;
	}
	*ret_configuration = reading.configuration;
	return 0;
}

int configuration_read(const char *path, zone_known_fn *zone_known, struct fault_list *faults,
	struct configuration **ret_configuration)
{
	return read_any(path, NULL, 0, zone_known, faults, ret_configuration);
}

int configuration_parse(const char *path, const char *text, size_t size, zone_known_fn *zone_known,
	struct fault_list *faults, struct configuration **ret_configuration)
{
	return read_any(path, text, size, zone_known, faults, ret_configuration);
}

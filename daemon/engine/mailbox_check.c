/*
 * --check: can the files that a login needs be read? --check --online: does a mail server let us
 * in and have the folder?
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "daemon/engine/engine_internal.h"
#include "daemon/net/credential.h"

struct check {
	sd_event *event;
	char *text;
	bool good;
};

static void on_message(void *userdata, const struct intake_message *message)
{
	(void)userdata;
	(void)message;
}

static void on_scan_done(void *userdata, int64_t round)
{
	struct check *check = userdata;

	(void)round;
	check->good = true;
	sd_event_exit(check->event, 0);
}

static void on_scan_failed(void *userdata, int64_t round, int error, const char *text)
{
	struct check *check = userdata;

	(void)round;
	(void)error;
	(void)snprintf(check->text, TARGET_TEXT_MAX, "%s", text);
	sd_event_exit(check->event, 0);
}

static void on_changed(void *userdata)
{
	(void)userdata;
}

static void on_notice(void *userdata, const char *text)
{
	(void)userdata;
	(void)text;
}

int engine_check_mailbox(const struct club *club, size_t index, char text[static TARGET_TEXT_MAX])
{
	static const struct intake_handlers handlers = {
		.on_message = on_message,
		.on_scan_done = on_scan_done,
		.on_scan_failed = on_scan_failed,
		.on_changed = on_changed,
		.on_notice = on_notice,
	};
	const struct configuration *configuration = club->configuration;
	const struct intake_config config = {
		.message_size = configuration->limits.message_size,
		.mailbox = &configuration->mailboxes[index],
		.look_only = true,
	};
	struct check check = {.text = text};
	struct intake *intake = NULL;

	/* A Maildir is looked at directly. */
	if (config.mailbox->account.url.path)
		return 1;
	int r = sd_event_new(&check.event);

	if (r >= 0)
		r = intake_open(&intake, check.event, &config, &handlers, &check);
	if (r >= 0)
		r = intake_scan(intake, 1, INT64_MAX);
	if (r >= 0)
		r = sd_event_loop(check.event);
	intake_close(intake);
	sd_event_unref(check.event);
	return r < 0 ? r : check.good;
}

static void check_files(
	const struct mail_account *account, const char *path, struct fault_list *faults)
{
	const struct secret *secret = &account->password;
	char *password = NULL, text[TARGET_TEXT_MAX];

	if (account->url.path)
		return;
	if (account->ca_file && account->tls != MAIL_TLS_NONE && access(account->ca_file, R_OK) < 0)
		fault_add(faults, path, account->ca_file_line, "ca-file: %s: %s", account->ca_file,
			strerror(errno));
	if (secret->kind != SECRET_FILE || account->auth == MAIL_AUTH_NONE)
		return;
	int r = credential_read(secret, &password, text, sizeof(text));
	if (r < 0 && !(r == -ENOENT && account->auth == MAIL_AUTH_XOAUTH2))
		fault_add(faults, path, secret->line, "%s", text);
	credential_free(password);
}

void engine_check_files(const struct club *club, struct fault_list *faults)
{
	const struct configuration *configuration = club->configuration;

	for (size_t i = 0; i < configuration->n_mailboxes; i++)
		check_files(&configuration->mailboxes[i].account, configuration->path, faults);
	check_files(&configuration->delivery, configuration->path, faults);
}

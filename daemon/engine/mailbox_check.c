/*
 * --check --online: does a mail server let us in and have the folder?
 */
#include <stdio.h>

#include "daemon/engine/engine_internal.h"

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

#include "daemon/relay/alert.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "daemon/log.h"
#include "daemon/relay/input_log.h"
#include "daemon/relay/post.h"
#include "daemon/store/outbox.h"
#include "daemon/zone.h"
#include "rules/edition.h"

#define FACT_MAX 96
#define DAY_MS INT64_C(86400000)
#define COUNTS INT64_C(1000000) /* a fact holds the day and, behind it, the number of mails */

static const char *const names[] = {
	[ALERT_UNPARSABLE] = "unparsable",
	[ALERT_MAILBOX] = "mailbox",
	[ALERT_MAILBOX_BACK] = "mailbox-back",
	[ALERT_DELIVERY] = "delivery",
	[ALERT_DELIVERY_BACK] = "delivery-back",
	[ALERT_GAVE_UP] = "gave-up",
	[ALERT_ANSWERS] = "answers",
	[ALERT_ADDRESS] = "address",
	[ALERT_WORKER] = "worker",
	[ALERT_STORE] = "store",
	[ALERT_CLOCK] = "clock",
	[ALERT_OTHER] = "other",
};

const char *alert_name(enum compose_alert kind)
{
	return (size_t)kind < ARRAY_SIZE(names) ? names[kind] : NULL;
}

enum compose_alert alert_find(const char *name)
{
	for (size_t i = ALERT_NONE + 1; i < ARRAY_SIZE(names); i++)
		if (strcmp(names[i], name) == 0)
			return (enum compose_alert)i;
	return ALERT_NONE;
}

static const char *count_fact(enum compose_alert kind, char out[static FACT_MAX])
{
	(void)snprintf(out, FACT_MAX, "alerts.%s", alert_name(kind));
	return out;
}

static const char *told_fact(const char *outage, char out[static FACT_MAX])
{
	(void)snprintf(out, FACT_MAX, "told.%s", outage);
	return out;
}

int alert_count(struct club *club, enum compose_alert kind, int64_t now, int64_t *ret_count)
{
	char name[FACT_MAX];
	int64_t value = 0;
	int r = store_fact(club->store, count_fact(kind, name), &value);

	if (r >= 0)
		*ret_count = value / COUNTS == now / DAY_MS ? value % COUNTS : 0;
	return r;
}

int alert_told(struct club *club, const char *outage, int64_t *ret_since)
{
	char name[FACT_MAX];
	int64_t since = 0;
	int r = store_fact(club->store, told_fact(outage, name), &since);

	if (r >= 0)
		*ret_since = since ? since : INSTANT_NONE;
	return r;
}

static int put(struct club *club, const struct alert *alert, int64_t now)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	const struct configuration *configuration = club->configuration;
	struct compose_facts facts = {
		.kind = MAIL_ADMIN,
		.configuration = configuration,
		.templates = club->templates,
		.reader = READER_ARBITER,
		.to = configuration->club.admin,
		.language = configuration->club.language,
		.received = INSTANT_NONE,
		.alert = alert->kind,
		.alert_about = alert->about,
		.alert_since = alert->since,
		.alert_text = alert->text,
		.old_address = alert->old_address,
		.new_address = alert->new_address,
		.address_done = alert->address_done,
		.cause_digest = arena_format(&arena, "%lld %s %s", (long long)now,
			alert_name(alert->kind), alert->about ? alert->about : ""),
		.now = now,
	};
	struct mail mail = {0};
	int64_t id;
	int r = zone_load(configuration->club.timezone, &facts.zone);

	if (r >= 0)
		r = post_compose(club->store, &facts, &mail);
	if (r < 0)
		return r;
	const struct outbox_row row = {
		.message_id = mail.message_id,
		.kind = mail_kind_name(facts.kind),
		.ply = -1,
		.recipient = mail.to,
		.envelope_from = mail.envelope_from,
		.subject = mail.subject,
		.text = mail.text,
		.raw = mail.raw,
		.raw_size = mail.raw_size,
		.created = now,
		.next_attempt = now,
	};
	r = outbox_insert(club->store, &row, &id);
	mail_release(&mail);
	return r;
}

static int note(struct club *club, const struct alert *alert, int64_t now)
{
	bool begins = alert->kind == ALERT_MAILBOX || alert->kind == ALERT_DELIVERY;
	char name[FACT_MAX];
	int64_t count = 0;
	int r = alert_count(club, alert->kind, now, &count);

	if (r >= 0)
		r = store_set_fact(club->store, count_fact(alert->kind, name),
			now / DAY_MS * COUNTS + count + 1);
	if (r < 0 || !alert->outage)
		return r;
	return store_set_fact(
		club->store, told_fact(alert->outage, name), begins ? alert->since : 0);
}

int alert_tell(struct club *club, const struct alert *alert, int64_t now)
{
	const char *about = alert->about ? alert->about : "";
	int64_t count = 0;

	if (!club->configuration->club.admin || !edition_includes(club->edition, EDITION_2))
		return 0;
	int r = alert_count(club, alert->kind, now, &count);
	if (r < 0 || count >= club->configuration->limits.alerts_per_day)
		return r;
	log_with(LOG_WARNING, &(struct log_fields){.event = "alert"},
		"the administrator gets a mail: %s %s", alert_name(alert->kind), about);
	r = input_log(club, now, "notice",
		json_pack("{s:s, s:s}", "kind", alert_name(alert->kind), "about", about));
	if (r >= 0)
		r = note(club, alert, now);
	if (r >= 0)
		r = put(club, alert, now);
	if (r >= 0)
		club->notices++;
	return r;
}

int alert_write(struct club *club, const struct alert *alert, int64_t now)
{
	int r = club->configuration->club.admin ? store_begin(club->store) : -EINVAL;

	if (r < 0)
		return r;
	r = input_log(club, now, "alert",
		json_pack("{s:s, s:s*, s:o, s:s*, s:s*}", "kind", alert_name(alert->kind), "about",
			alert->about, "since", input_instant(alert->since), "text", alert->text,
			"outage", alert->outage));
	if (r >= 0)
		r = note(club, alert, now);
	if (r >= 0)
		r = put(club, alert, now);
	if (r < 0) {
		store_rollback(club->store);
		return r;
	}
	return store_commit(club->store);
}

#include "daemon/engine/engine_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "daemon/log.h"
#include "daemon/net/credential.h"
#include "daemon/relay/identify.h"
#include "daemon/relay/work.h"
#include "daemon/store/outbox.h"

#define SECOND_MS INT64_C(1000)
#define MINUTE_MS (60 * SECOND_MS)
#define HOUR_MS (60 * MINUTE_MS)

/* So often a mail is refused by policy, while others get through, until it is its own fault. */
#define POLICY_TRIES 6
/* A mail server that has asked for a pause gets few mails more; the rest have not left. */
#define SMTP_WINDOW 16

static const char *const down_fact = "target_down_since";

#ifdef ENGINE_TIMING_HOOK
/* Tests do not wait for minutes: all pauses are so many times shorter. */
static int64_t haste(void)
{
	const char *text = getenv("ZUGPOST_TEST_DELIVERY_HASTE");
	int64_t times = text ? (int64_t)strtol(text, NULL, 10) : 1;

	return times > 0 ? times : 1;
}
#else
static int64_t haste(void)
{
	return 1;
}
#endif

/* The delay behind each attempt that the target put off. */
static int64_t delay_of(int64_t attempts)
{
	static const int64_t delays[] = {1 * MINUTE_MS, 2 * MINUTE_MS, 5 * MINUTE_MS,
		10 * MINUTE_MS, 20 * MINUTE_MS, 30 * MINUTE_MS, 1 * HOUR_MS, 2 * HOUR_MS};
	int64_t last = (int64_t)ARRAY_SIZE(delays) - 1;

	return delays[attempts < 0 ? 0 : attempts < last ? attempts : last] / haste();
}

/* ---- The target as a whole ---- */

/* FIRST, then twice as long each time up to MAX, and up to a quarter more: many daemons may
 * wait for one server. */
static int64_t pause_of(const struct target_state *target, int64_t first, int64_t max)
{
	int64_t pause = first;
	unsigned char chance = 0;

	for (unsigned i = 0; i < target->failures && pause < max; i++)
		pause *= 2;
	if (pause > max)
		pause = max;
	(void)!getrandom(&chance, sizeof(chance), GRND_NONBLOCK);
	return (pause + pause / 4 * chance / 255) / haste();
}

static int note_down(struct engine *engine, int64_t since)
{
	int r = watch_target(engine, since != INSTANT_NONE);

	engine->alerts.look = true;

	if (r >= 0)
		r = store_begin(engine->club->store);
	if (r < 0)
		return r;
	r = store_set_fact(engine->club->store, down_fact, since == INSTANT_NONE ? 0 : since);
	if (r < 0) {
		store_rollback(engine->club->store);
		return r;
	}
	return store_commit(engine->club->store);
}

static int target_is_down(struct engine *engine, const char *reason)
{
	struct target_state *target = &engine->target;
	int64_t now = engine_now(engine);
	bool fresh = target->since == INSTANT_NONE, other = strcmp(target->reason, reason) != 0;

	engine->unreachable = true;
	engine->alerts.look = true;
	target->down = true;
	if (target->next_try <= now) {
		target->next_try = now + pause_of(target, 15 * SECOND_MS, 5 * MINUTE_MS);
		target->failures++;
	}
	if (fresh || other) {
		(void)snprintf(target->reason, sizeof(target->reason), "%s", reason);
		log_with(LOG_ERR, &(struct log_fields){.event = "target-down"},
			"the delivery target cannot be reached: %s", target->reason);
	}
	if (!fresh)
		return 0;
	target->since = now;
	return note_down(engine, now);
}

/* It has taken a mail, or said of one that it never will. */
static int target_is_up(struct engine *engine)
{
	struct target_state *target = &engine->target;
	int64_t since = target->since;

	target->down = false;
	target->failures = 0;
	target->next_try = INSTANT_NONE;
	if (since == INSTANT_NONE)
		return 0;
	target->since = INSTANT_NONE;
	target->reason[0] = '\0';
	log_with(LOG_NOTICE, &(struct log_fields){.event = "target-up"},
		"the delivery target can be reached again, after %lld s",
		(long long)((engine_now(engine) - since) / SECOND_MS));
	return note_down(engine, INSTANT_NONE);
}

/* It works, but wants a pause. */
static void slow_down(struct engine *engine, int64_t first)
{
	struct target_state *target = &engine->target;
	int64_t now = engine_now(engine);

	if (engine->options.once || target->next_try > now)
		return;
	target->next_try = now + pause_of(target, first, 15 * MINUTE_MS);
	target->failures++;
	log_with(LOG_NOTICE, &(struct log_fields){.event = "target-pause"},
		"no mail goes out for %lld s", (long long)((target->next_try - now) / SECOND_MS));
}

/* ---- Results ---- */

static int give_up(struct engine *engine, int64_t id, const char *text)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	struct outbox_row row;
	int r = outbox_load(engine->club->store, &arena, id, &row);

	if (r <= 0)
		return r < 0 ? r : -ENOENT;
	engine->metrics.given_up++;
	/* Of a mail to himself the administrator is not told by mail. */
	if (strcmp(row.kind, mail_kind_name(MAIL_ADMIN)) != 0)
		alerts_raise(engine, ALERT_GAVE_UP, row.subject, INSTANT_NONE, text);
	return work_undeliverable(engine->club, id, text, engine_now(engine));
}

/* The target does not want it now: later, or, when that has gone on for too long, never. */
static int put_off(struct engine *engine, const struct delivery_result *result, const char *text)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	int64_t now = engine_now(engine);
	struct outbox_row row;
	int r = outbox_load(engine->club->store, &arena, result->id, &row);

	if (r <= 0)
		return r < 0 ? r : -ENOENT;
	const char *reason = NULL;
	if (row.put_off != INSTANT_NONE &&
		now - row.put_off >= engine->club->configuration->give_up_after)
		reason = "was put off for too long";
	if (result->status == DELIVERY_POLICY && row.attempts + 1 >= POLICY_TRIES && !reason) {
		r = outbox_delivered_since(engine->club->store, row.put_off);
		if (r < 0)
			return r;
		if (r > 0)
			reason = "is refused each time, while others are taken";
	}
	if (reason) {
		log_with(LOG_WARNING, &(struct log_fields){.event = "undeliverable"},
			"mail %lld %s: %s", (long long)result->id, reason, text);
		return give_up(engine, result->id, text);
	}
	engine->metrics.put_off++;
	log_with(LOG_WARNING, &(struct log_fields){.event = "put-off"}, "mail %lld waits: %s",
		(long long)result->id, text);
	return work_put_off(engine->club, result->id, now + delay_of(row.attempts), text, now);
}

static int untried(struct engine *engine, const struct delivery_result *result, const char *text)
{
	int r = outbox_untried(engine->club->store, result->id, text);

	return r < 0 ? r : target_is_down(engine, text);
}

/* What waited behind a mail that has gone, and that the search has passed already. */
static int free_next(struct engine *engine, int64_t id)
{
	int64_t next;
	int r = outbox_next_behind(engine->club->store, id, &next);

	if (r > 0 && next <= engine->sent_until && engine->n_freed < ARRAY_SIZE(engine->freed))
		engine->freed[engine->n_freed++] = next;
	return r < 0 ? r : 0;
}

static int take_result(
	struct engine *engine, const struct delivery_result *result, const char *text)
{
	int64_t now = engine_now(engine);
	int r = -EINVAL;

	switch (result->status) {
	case DELIVERY_DELIVERED:
		engine->metrics.delivered++;
		r = target_is_up(engine);
		if (r >= 0)
			r = work_delivered(engine->club, result->id, now);
		return r < 0 ? r : free_next(engine, result->id);
	case DELIVERY_PERMANENT:
		log_with(LOG_WARNING, &(struct log_fields){.event = "undeliverable"},
			"mail %lld cannot be delivered: %s", (long long)result->id, text);
		r = target_is_up(engine);
		if (r >= 0)
			r = give_up(engine, result->id, text);
		return r < 0 ? r : free_next(engine, result->id);
	case DELIVERY_UNREACHABLE:
		return untried(engine, result, text);
	case DELIVERY_LOST:
		engine->unreachable = true;
		slow_down(engine, 15 * SECOND_MS);
		return put_off(engine, result, text);
	case DELIVERY_TEMPORARY:
	case DELIVERY_POLICY:
		if (result->slow_down)
			slow_down(engine, MINUTE_MS);
		return put_off(engine, result, text);
	}
	return r;
}

static void on_result(void *userdata, const struct delivery_result *result)
{
	struct engine *engine = userdata;
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	/* A server may say whatever it was told. */
	char *text = arena_string(&arena, result->text);
	int r = identify_hide_tokens(engine->club, text);

	if (r >= 0)
		r = take_result(engine, result, text);
	if (r < 0)
		engine_fail(engine, "noting a delivery", r);
	engine_wake(engine);
}

static void on_delivery_death(void *userdata, const struct worker_death *death)
{
	alerts_death(userdata, "delivery", death->text);
	log_with(LOG_ERR, &(struct log_fields){.event = "worker-failed"}, "delivery: %s",
		death->text);
}

static const struct delivery_handlers delivery_handlers = {
	.on_result = on_result,
	.on_death = on_delivery_death,
};

/* ---- Sending ---- */

static int send_one(struct engine *engine, int64_t id)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	struct outbox_row row;
	int r = outbox_load(engine->club->store, &arena, id, &row);

	if (r <= 0)
		return r < 0 ? r : -ENOENT;
	const struct delivery_mail mail = {
		.id = id,
		.now = engine_now(engine),
		.key = row.message_id,
		.from = row.envelope_from,
		.recipient = row.recipient,
		.raw = row.raw,
		.size = row.raw_size,
	};
	return delivery_send(engine->delivery, &mail);
}

size_t outgoing_waiting(const struct engine *engine)
{
	return engine->delivery ? delivery_waiting(engine->delivery) : 0;
}

/* May another mail leave? While the target is down, one mail tries it. */
static bool may_send(const struct engine *engine)
{
	const struct target_state *target = &engine->target;
	bool smtp = engine->club->configuration->delivery.url.scheme != URL_MAILDIR;
	size_t waiting = outgoing_waiting(engine), window = smtp ? SMTP_WINDOW : DELIVERY_WINDOW;

	if (engine->options.once)
		return engine->delivery && !target->down && waiting < window;
	return target->next_try <= engine_now(engine) && waiting < (target->down ? 1 : window);
}

/* The mail that is to leave next: 1 found. */
static int choose(struct engine *engine, int64_t *ret_id)
{
	/* In one pass each row is tried once, whenever it is due. */
	int64_t due = engine->options.once ? INT64_MAX : engine_now(engine);

	if (engine->n_freed > 0) {
		*ret_id = engine->freed[--engine->n_freed];
		return 1;
	}
	int r = outbox_next_due(engine->club->store, engine->sent_until, due, ret_id);
	if (r > 0)
		engine->sent_until = *ret_id;
	return r;
}

/* An access token may be replaced every hour. */
static bool password_is_new(const struct engine *engine)
{
	const struct mail_account *account = &engine->club->configuration->delivery;

	if (account->url.scheme == URL_MAILDIR || account->auth == MAIL_AUTH_NONE ||
		outgoing_waiting(engine) > 0)
		return false;
	uint64_t mark = credential_mark(&account->password);
	return mark != 0 && mark != engine->target.password;
}

/* Hands out what is due. 1 while something is on its way. */
int outgoing_pump(struct engine *engine)
{
	int64_t id;
	int r = 0;

	if (!engine->options.once && outgoing_waiting(engine) == 0) {
		engine->sent_until = 0;
		engine->n_freed = 0;
	}
	while (may_send(engine) && (r = choose(engine, &id)) > 0) {
		/* Through a new worker: password, address and certificates may have changed. */
		if (engine->target.down || password_is_new(engine)) {
			outgoing_close(engine);
			r = outgoing_open(engine);
			if (r < 0 || !engine->delivery)
				break;
		}
		r = send_one(engine, id);
		if (r == -EAGAIN) {
			engine->freed[engine->n_freed++] = id;
			return 1;
		}
		if (r < 0)
			return r;
	}
	return r < 0 ? r : outgoing_waiting(engine) > 0;
}

int outgoing_next(struct engine *engine, int64_t *ret_at)
{
	int64_t now = engine_now(engine), waiting = 0;
	int r = outbox_next_attempt(engine->club->store, now, ret_at);

	if (r < 0 || engine->target.next_try <= now)
		return r;
	r = outbox_count(engine->club->store, "waiting", &waiting);
	if (r >= 0 && waiting > 0)
		*ret_at = engine->target.next_try;
	return r;
}

void engine_try_target(struct engine *engine)
{
	engine->target.next_try = INSTANT_NONE;
	engine_kick(engine);
}

/* ---- Opening ---- */

/* A new club's Maildir is made. One that has taken mail and is gone will come back, and what
 * was put in its place would be lost then. */
static int make_maildir(const struct engine *engine, const char *path)
{
	int r = outbox_has_delivered(engine->club->store);

	/* If it cannot be made, the first delivery says why. */
	if (r == 0)
		(void)mkdir(path, 0700);
	return r < 0 ? r : 0;
}

/* What a mail server is told: the machine's name if it is a full one, else the club's
 * domain. */
static const char *hello_of(const struct club *club, struct utsname *names)
{
	if (uname(names) == 0 && strchr(names->nodename, '.'))
		return names->nodename;
	return club->domain;
}

/* Opens the target with the password as it is now. -ENOKEY with the reason in TEXT when that
 * cannot be read. */
static int open_target(struct delivery **ret_delivery, sd_event *event, const struct club *club,
	const struct delivery_handlers *handlers, void *userdata, char text[static TARGET_TEXT_MAX])
{
	const struct mail_account *account = &club->configuration->delivery;
	char *password __attribute__((cleanup(credential_freep))) = NULL;
	struct utsname names;
	struct delivery_config config = {
		.account = account,
		.hello = hello_of(club, &names),
	};

	if (account->url.scheme != URL_MAILDIR && account->auth != MAIL_AUTH_NONE) {
		int r = credential_read(&account->password, &password, text, TARGET_TEXT_MAX);
		if (r < 0)
			return r == -ENOMEM ? r : -ENOKEY;
		config.password = password;
	}
	return delivery_open(ret_delivery, event, &config, handlers, userdata);
}

int outgoing_open(struct engine *engine)
{
	const struct mail_account *account = &engine->club->configuration->delivery;
	char text[TARGET_TEXT_MAX];
	int r = account->url.path ? make_maildir(engine, account->url.path) : 0;

	if (r < 0)
		return r;
	/* Taken before it is read: what changes meanwhile is seen the next time. */
	engine->target.password = credential_mark(&account->password);
	r = open_target(
		&engine->delivery, engine->event, engine->club, &delivery_handlers, engine, text);
	return r == -ENOKEY ? target_is_down(engine, text) : r;
}

void outgoing_close(struct engine *engine)
{
	delivery_close(engine->delivery);
	engine->delivery = NULL;
}

int outgoing_begin(struct engine *engine)
{
	int64_t since = 0;
	int r = store_fact(engine->club->store, down_fact, &since);

	engine->target = (struct target_state){
		.since = r >= 0 && since > 0 ? since : INSTANT_NONE,
		.next_try = INSTANT_NONE,
	};
	return r < 0 ? r : outgoing_open(engine);
}

/* ---- --check --online ---- */

struct check {
	sd_event *event;
	char *text;
	bool good;
};

static void on_check(void *userdata, const struct delivery_result *result)
{
	struct check *check = userdata;

	check->good = result->status == DELIVERY_DELIVERED;
	(void)snprintf(check->text, TARGET_TEXT_MAX, "%s", result->text);
	sd_event_exit(check->event, 0);
}

int engine_check_target(const struct club *club, char text[static TARGET_TEXT_MAX])
{
	static const struct delivery_handlers handlers = {.on_result = on_check};
	struct delivery *delivery = NULL;
	struct check check = {.text = text};
	int r = sd_event_new(&check.event);

	if (r >= 0)
		r = open_target(&delivery, check.event, club, &handlers, &check, text);
	if (r >= 0)
		r = delivery_check(delivery, 1);
	if (r >= 0)
		r = sd_event_loop(check.event);
	delivery_close(delivery);
	sd_event_unref(check.event);
	if (r == -ENOKEY)
		return 0;
	return r < 0 ? r : check.good;
}

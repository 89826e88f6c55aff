#include "daemon/relay/replay.h"

#include <assert.h>
#include <errno.h>
#include <glib.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/reading/read_now.h"
#include "daemon/relay/alert.h"
#include "daemon/relay/bounce.h"
#include "daemon/relay/input_log.h"
#include "daemon/relay/outages.h"
#include "daemon/relay/work.h"
#include "daemon/store/inbox.h"
#include "daemon/store/outbox.h"
#include "rules/edition.h"

struct replay {
	const struct replay_source *source;
	struct read_now *reader;
	struct club *club;   /* NULL until its configuration has come */
	struct store *store; /* the club's, once there is one */
	char folder[512];
	struct work_limits limits;
	bool scanned;
	int64_t last; /* event */
	int edition;  /* by which the events are decided */
	bool other;   /* ... by another version of the program, which wrote other mails */
	char fault[512];
};

/* What is in hand while one event is carried out. */
struct input {
	struct replay *replay;
	const struct event *event;
	json_t *data;
	struct arena arena;
};

/* Says what is wrong; the value is that of a fault. */
#define fault(replay, ...) \
	((void)snprintf((replay)->fault, sizeof((replay)->fault), __VA_ARGS__), REPLAY_FAULT)

const char *replay_fault(const struct replay *replay)
{
	return replay->fault;
}

/* ---- Fields of an event ---- */

static int missing(const struct input *input, const char *name)
{
	return fault(input->replay, "an event of the kind %s has no good '%s'", input->event->kind,
		name);
}

static int get_number(const struct input *input, const char *name, int64_t *ret_number)
{
	const json_t *value = json_object_get(input->data, name);

	if (!json_is_integer(value))
		return missing(input, name);
	*ret_number = json_integer_value(value);
	return 0;
}

/* A number, or null: INSTANT_NONE. */
static int get_instant(const struct input *input, const char *name, int64_t *ret_instant)
{
	if (!json_is_null(json_object_get(input->data, name)))
		return get_number(input, name, ret_instant);
	*ret_instant = INSTANT_NONE;
	return 0;
}

static int get_text(const struct input *input, const char *name, const char **ret_text)
{
	*ret_text = json_string_value(json_object_get(input->data, name));
	return *ret_text ? 0 : missing(input, name);
}

/* ---- The configuration ---- */

/* "templates/en/move.txt": two folders deep, and nowhere else. */
static bool is_inside(const char *path)
{
	int slashes = 0;

	for (const char *at = path; *at; at++)
		slashes += *at == '/';
	return slashes == 2 && path[0] != '/' && !strstr(path, "//") && !strstr(path, "..") &&
	       path[strlen(path) - 1] != '/';
}

static int write_override(
	struct input *input, const char *folder, const char *path, const json_t *text)
{
	const char *file = arena_format(&input->arena, "%s/%s", folder, path);
	char *directory = g_path_get_dirname(file);
	int r = g_mkdir_with_parents(directory, 0700) < 0 ? -errno : 0;

	g_free(directory);
	FILE *stream = r < 0 ? NULL : fopen(file, "wbe");
	if (!stream)
		return r < 0 ? r : -errno;
	size_t size = json_string_length(text);
	if (fwrite(json_string_value(text), 1, size, stream) != size)
		r = -EIO;
	return fclose(stream) != 0 && r == 0 ? -EIO : r;
}

static void remove_override(struct input *input, const char *folder, const char *path)
{
	char *at = arena_format(&input->arena, "%s/%s", folder, path);

	unlink(at);
	/* The folders go with the last file in them. */
	while (strlen(at) > strlen(folder)) {
		*strrchr(at, '/') = '\0';
		rmdir(at);
	}
}

static int load_configuration(
	struct input *input, const char *folder, json_t *overrides, struct club **ret_club)
{
	struct fault_list faults = {0};
	const char *text = NULL, *path;
	json_t *file;
	int r = get_text(input, "text", &text);

	if (r != 0)
		return r;
	json_object_foreach (overrides, path, file)
		if (!is_inside(path) || !json_is_string(file))
			return missing(input, "overrides");
	json_object_foreach (overrides, path, file)
		if (r >= 0)
			r = write_override(input, folder, path, file);
	if (r >= 0)
		r = club_parse(text, strlen(text), json_object_size(overrides) ? folder : NULL,
			&faults, ret_club);
	if (r == FILE_FAULTY)
		r = fault(input->replay, "its configuration has %zu faults for this version",
			fault_list_total(&faults));
	fault_list_release(&faults);
	json_object_foreach (overrides, path, file)
		remove_override(input, folder, path);
	return r;
}

static int do_configuration(struct input *input)
{
	struct replay *replay = input->replay;
	const char *folder = arena_format(&input->arena, "%s/overrides", replay->folder);
	json_t *overrides = json_object_get(input->data, "overrides");
	struct club *club = NULL;

	if (!json_is_object(overrides))
		return missing(input, "overrides");
	int r = load_configuration(input, folder, overrides, &club);
	if (r != 0)
		return r;
	assert(club);
	club->store = replay->store;
	if (replay->club) {
		replay->club->store = NULL;
		club_free(replay->club);
	}
	replay->club = club;
	club->edition = replay->edition;
	club->source = strdup(input->event->data);
	return club->source ? input_configuration_again(club, input->event->at) : -ENOMEM;
}

static int do_program(struct input *input)
{
	struct replay *replay = input->replay;
	const char *version = NULL;
	int64_t edition = 0;
	int r = get_number(input, "edition", &edition);

	if (r == 0)
		r = get_text(input, "version", &version);
	if (r != 0)
		return r;
	if (edition < EDITION_FIRST || edition > EDITION_NEWEST)
		return fault(
			replay, "what comes behind it was decided by a later version, %s", version);
	replay->club->edition = replay->edition = (int)edition;
	replay->other = edition != EDITION_NEWEST || strcmp(version, ZUGPOST_VERSION) != 0;
	return input_program_again(replay->club, input->event->at, edition, version);
}

/* ---- Messages ---- */

static int get_place(struct input *input, const char **ret_place)
{
	const json_t *place = json_object_get(input->data, "place");
	const char *escaped = json_string_value(json_object_get(place, "escaped"));

	if (!escaped)
		return get_text(input, "place", ret_place);
	GBytes *bytes = g_uri_unescape_bytes(escaped, -1, NULL, NULL);
	if (!bytes)
		return missing(input, "place");
	gsize size;
	const void *data = g_bytes_get_data(bytes, &size);
	*ret_place = arena_copy(&input->arena, data, size);
	g_bytes_unref(bytes);
	return 0;
}

static int get_mail(struct input *input, int64_t *ret_id, struct inbox_new *mail)
{
	struct replay *replay = input->replay;
	unsigned char digest[DIGEST_SIZE];
	char actual[2 * DIGEST_SIZE + 1];
	const char *wanted = "", *words = "its bytes cannot be read";

	mail->taken = input->event->at;
	int r = get_number(input, "message", ret_id);
	if (r == 0)
		r = get_number(input, "rank", &mail->rank);
	if (r == 0)
		r = get_number(input, "arrival", &mail->arrival);
	if (r == 0)
		r = get_number(input, "size", &mail->size);
	if (r == 0)
		r = get_text(input, "mailbox", &mail->mailbox);
	if (r == 0)
		r = get_place(input, &mail->place);
	if (r == 0)
		r = get_text(input, "digest", &wanted);
	if (r != 0)
		return r;
	r = replay->source->raw(replay->source->userdata, *ret_id, wanted, &input->arena,
		&mail->raw, &mail->raw_size, &words);
	if (r > 0 && words)
		return fault(replay, "message %lld: %s", (long long)*ret_id, words);
	if (r > 0)
		replay->fault[0] = '\0';
	if (r != 0)
		return r;
	inbox_digest(mail->raw, mail->raw_size, digest);
	inbox_digest_text(digest, actual);
	return strcmp(actual, wanted) == 0
		       ? 0
		       : fault(replay, "message %lld: its bytes are not those that were taken in",
				 (long long)*ret_id);
}

/* A place may be used again once a message has left it. */
static int store_mail(struct replay *replay, const struct inbox_new *mail, int64_t *ret_id)
{
	int r = inbox_store(replay->store, mail, ret_id);

	if (r == 0)
		r = inbox_moved(replay->store, mail->mailbox, mail->place);
	else
		return r;
	return r < 0 ? r : inbox_store(replay->store, mail, ret_id);
}

static int do_mail(struct input *input)
{
	struct replay *replay = input->replay;
	struct inbox_new mail = {0};
	int64_t id = 0, stored = 0;
	int r = get_mail(input, &id, &mail);

	if (r != 0)
		return r;
	r = store_begin(replay->store);
	if (r >= 0)
		r = store_mail(replay, &mail, &stored);
	if (r >= 0)
		r = input_log_mail(replay->club, stored, &mail);
	if (r >= 0)
		return store_commit(replay->store);
	store_rollback(replay->store);
	return r;
}

/* Everything that was taken in had been read when the next decision was made. One that the
 * reader was lost over stays unread: it was set aside then. */
static int read_waiting(struct replay *replay)
{
	int64_t id = 0;
	int r;

	while ((r = inbox_next_unread(replay->store, id, &id)) > 0) {
		struct arena arena CLEANUP_ARENA = ARENA_INIT;
		struct inbox_row row;
		char *json = NULL;
		r = inbox_load(replay->store, &arena, id, &row);
		if (r > 0)
			r = read_now(replay->reader, row.raw, row.raw_size, &json);
		if (r >= 0 && json)
			r = inbox_read(replay->store, id, json);
		free(json);
		if (r < 0)
			return r;
	}
	return r;
}

/* ---- The order of work ---- */

static int do_scan(struct input *input)
{
	struct replay *replay = input->replay;
	int r = get_instant(input, "until", &replay->limits.until);

	if (r == 0)
		r = get_instant(input, "scanned", &replay->limits.scanned_until);
	if (r != 0)
		return r;
	replay->scanned = true;
	replay->limits.now = input->event->at;
	return work_scanned(replay->club, &replay->limits);
}

/* A message or a timer: what the work comes to by itself is compared afterwards. */
static int do_step(struct input *input)
{
	struct replay *replay = input->replay;
	struct work_done done;
	int r = read_waiting(replay);

	if (r < 0)
		return r;
	if (!replay->scanned)
		return fault(replay, "no scan stands before it");
	replay->limits.now = input->event->at;
	r = work_step(replay->club, &replay->limits, &done);
	return r < 0 ? r : 0;
}

static int do_set_aside(struct input *input)
{
	struct replay *replay = input->replay;
	const char *reason = NULL;
	int64_t message = 0;
	int r = get_number(input, "message", &message);

	if (r == 0)
		r = get_text(input, "reason", &reason);
	if (r == 0 && json_is_true(json_object_get(input->data, "read")))
		r = read_waiting(replay);
	return r != 0 ? r : work_set_aside(replay->club, message, reason, input->event->at);
}

/* ---- Mails ---- */

static int get_outbox(struct input *input, int64_t *ret_id)
{
	const char *message_id = NULL;
	int r = get_text(input, "message_id", &message_id);

	if (r != 0)
		return r;
	r = outbox_find(input->replay->store, message_id, ret_id);
	return r < 0 ? r : r > 0 ? 0 : fault(input->replay, "there is no mail %s", message_id);
}

static int do_delivered(struct input *input)
{
	int64_t id = 0;
	int r = get_outbox(input, &id);

	return r != 0 ? r : work_delivered(input->replay->club, id, input->event->at);
}

static int do_failed(struct input *input)
{
	const char *reason = NULL;
	int64_t id = 0;
	int r = get_outbox(input, &id);

	if (r == 0)
		r = get_text(input, "reason", &reason);
	return r != 0 ? r : work_undeliverable(input->replay->club, id, reason, input->event->at);
}

static int do_put_off(struct input *input)
{
	const char *reason = NULL;
	int64_t id = 0, next = 0;
	int r = get_outbox(input, &id);

	if (r == 0)
		r = get_text(input, "reason", &reason);
	if (r == 0)
		r = get_number(input, "next", &next);
	return r != 0 ? r : work_put_off(input->replay->club, id, next, reason, input->event->at);
}

/* ---- Facts and outages ---- */

static int do_fact(struct input *input)
{
	struct club *club = input->replay->club;
	const char *name = NULL;
	int64_t value = 0;
	int r = get_text(input, "name", &name);

	if (r == 0)
		r = get_number(input, "value", &value);
	if (r != 0)
		return r;
	r = store_begin(club->store);
	if (r >= 0)
		r = input_log_fact(club, input->event->at, name, value);
	if (r >= 0)
		return store_commit(club->store);
	store_rollback(club->store);
	return r;
}

static int do_outage(struct input *input)
{
	const char *what = NULL;
	int64_t from = 0, to = 0;
	int r = get_text(input, "what", &what);

	if (r == 0)
		r = get_instant(input, "from", &from);
	if (r == 0)
		r = get_instant(input, "to", &to);
	return r != 0 ? r : outages_note(input->replay->club, what, from, to, input->event->at);
}

static const char *text_or_null(const struct input *input, const char *name)
{
	return json_string_value(json_object_get(input->data, name));
}

static int do_alert(struct input *input)
{
	struct alert alert = {
		.about = text_or_null(input, "about"),
		.text = text_or_null(input, "text"),
		.outage = text_or_null(input, "outage"),
	};
	const char *kind = NULL;
	int r = get_text(input, "kind", &kind);

	if (r == 0)
		r = get_instant(input, "since", &alert.since);
	if (r != 0)
		return r;
	alert.kind = alert_find(kind);
	return alert.kind == ALERT_NONE
		       ? missing(input, "kind")
		       : alert_write(input->replay->club, &alert, input->event->at);
}

/* ---- Commands ---- */

static int do_command(struct input *input)
{
	const struct replay *replay = input->replay;
	const json_t *words = json_object_get(input->data, "command");
	const json_t *text = json_object_get(input->data, "text");
	const json_t *by = json_object_get(input->data, "by");
	char *argv[COMMAND_WORDS_MAX + 1];
	size_t n = json_array_size(words);

	if (by && !json_is_string(by))
		return missing(input, "by");
	if (n == 0 || n > COMMAND_WORDS_MAX)
		return missing(input, "command");
	for (size_t i = 0; i < n; i++) {
		const char *word = json_string_value(json_array_get(words, i));
		if (!word)
			return missing(input, "command");
		argv[i] = arena_string(&input->arena, word);
	}
	argv[n] = NULL;
	return replay->source->command(replay->source->userdata, replay->club, input->event->at,
		json_string_value(by), (int)n, argv, json_string_value(text),
		json_string_length(text));
}

/* ---- One event after the other ---- */

static const struct {
	const char *kind;
	int (*carry_out)(struct input *input);
} kinds[] = {
	{"configuration", do_configuration},
	{"program", do_program},
	{"mail", do_mail},
	{"scan", do_scan},
	{"message", do_step},
	{"timer", do_step},
	{"set-aside", do_set_aside},
	{"delivered", do_delivered},
	{"failed", do_failed},
	{"put-off", do_put_off},
	{"fact", do_fact},
	{"outage", do_outage},
	{"alert", do_alert},
	{"command", do_command},
};

static int carry_out(struct replay *replay, const struct event *event)
{
	struct input input = {.replay = replay, .event = event, .arena = ARENA_INIT};
	int r = fault(replay, "an event of the kind %s follows from none before it", event->kind);

	input.data = json_loads(event->data, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
	if (!json_is_object(input.data))
		r = fault(replay, "an event of the kind %s holds no JSON object", event->kind);
	for (size_t i = 0; input.data && i < ARRAY_SIZE(kinds); i++)
		if (strcmp(kinds[i].kind, event->kind) == 0)
			r = replay->club || i == 0
				    ? kinds[i].carry_out(&input)
				    : fault(replay, "no configuration stands before it");
	json_decref(input.data);
	arena_clear(&input.arena);
	/* The input itself is at fault, not the store. */
	if (r < 0 && r != -ENOMEM && r != -EIO && r != -ENOSPC)
		r = fault(replay, "an event of the kind %s cannot be carried out: %s", event->kind,
			strerror(-r));
	return r;
}

/* Did it come of the replay as it was? */
static int compare(struct replay *replay, const struct event *wanted, const struct event *found)
{
	if (found->at == wanted->at && strcmp(found->kind, wanted->kind) == 0 &&
		strcmp(found->data, wanted->data) == 0)
		return 0;
	return fault(replay, "from the inputs before follows %s %.180s, and not %s %.180s",
		found->kind, found->data, wanted->kind, wanted->data);
}

/* What another version wrote to somebody stays as he has it: he quotes it, and its words may have
 * become others since. That there is a mail, and to whom, must have come of the event. */
static int take_mails(struct replay *replay, int64_t after)
{
	const struct replay_source *source = replay->source;
	int64_t last = 0;
	int r = outbox_last(replay->store, &last);

	for (int64_t id = after + 1; r >= 0 && id <= last; id++) {
		struct arena arena CLEANUP_ARENA = ARENA_INIT;
		struct outbox_row made, kept = {.id = 0};
		r = outbox_load(replay->store, &arena, id, &made);
		if (r > 0)
			r = source->mail(source->userdata, id, &arena, &kept);
		if (r > 0)
			replay->fault[0] = '\0';
		if (r != 0)
			return r;
		if (kept.id != id || strcmp(made.message_id, kept.message_id) != 0)
			continue;
		bounce_first_sent(replay->club, &arena, &made, &kept);
		r = outbox_rewrite(replay->store, &kept);
	}
	return r;
}

static int carry_out_by(struct replay *replay, const struct event *event)
{
	int64_t mails = 0;
	int r = replay->other ? outbox_last(replay->store, &mails) : 0;

	if (r < 0)
		return r;
	bool other = replay->other;
	r = carry_out(replay, event);
	return r != 0 || !other ? r : take_mails(replay, mails);
}

int replay_event(struct replay *replay, const struct event *event)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	struct event found;
	int r = events_load(replay->store, &arena, event->id, &found);

	replay->last = event->id;
	if (r == 0) {
		r = carry_out_by(replay, event);
		if (r != 0)
			return r;
		r = events_load(replay->store, &arena, event->id, &found);
	}
	if (r < 0)
		return r;
	return r > 0 ? compare(replay, event, &found)
		     : fault(replay, "nothing comes of an event of the kind %s", event->kind);
}

int replay_finish(struct replay *replay)
{
	int64_t last;
	int r = events_last(replay->store, &last);

	if (r >= 0 && last > replay->last)
		return fault(replay, "more follows from the last inputs than is there");
	if (r >= 0 && replay->club)
		r = read_waiting(replay);
	/* No pass may lie before the last one. */
	if (r >= 0 && replay->scanned && replay->limits.until != INSTANT_NONE)
		r = store_set_fact(replay->store, "last_pass", replay->limits.until);
	return r;
}

/* ---- Life ---- */

int replay_new(struct replay **ret_replay, struct store *store, const char *folder,
	const struct replay_source *source)
{
	struct replay *replay = calloc(1, sizeof(*replay));

	if (!replay) {
		store_close(store);
		return -ENOMEM;
	}
	replay->store = store;
	replay->source = source;
	replay->edition = EDITION_FIRST;
	replay->other = true;
	int n = snprintf(replay->folder, sizeof(replay->folder), "%s", folder);
	int r = n < 0 || (size_t)n >= sizeof(replay->folder) ? -ENAMETOOLONG
							     : read_now_open(&replay->reader);
	if (r < 0) {
		replay_free(replay);
		return r;
	}
	*ret_replay = replay;
	return 0;
}

void replay_free(struct replay *replay)
{
	if (replay->reader)
		read_now_close(replay->reader);
	if (replay->club)
		club_free(replay->club); /* and its store */
	else
		store_close(replay->store);
	free(replay);
}

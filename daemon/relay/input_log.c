#include "daemon/relay/input_log.h"

#include <errno.h>
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/store/arena.h"
#include "daemon/store/events.h"
#include "daemon/store/outbox.h"
#include "rules/edition.h"

#define FILE_SIZE_MAX (1u << 20)

json_t *input_instant(int64_t instant)
{
	return instant == INSTANT_NONE ? json_null() : json_integer(instant);
}

int input_log(struct club *club, int64_t at, const char *kind, json_t *data)
{
	char *text = data ? json_dumps(data, JSON_COMPACT | JSON_SORT_KEYS) : NULL;

	json_decref(data);
	if (!text)
		return -ENOMEM;
	int r = events_append(club->store, at, kind, text);
	free(text);
	return r;
}

int input_log_mail(struct club *club, int64_t id, const struct inbox_new *message)
{
	unsigned char digest[DIGEST_SIZE];
	char digest_text[2 * DIGEST_SIZE + 1];
	json_t *place = json_string(message->place);

	inbox_digest(message->raw, message->raw_size, digest);
	inbox_digest_text(digest, digest_text);
	/* The name of a file may be any bytes. */
	if (!place) {
		char *escaped = g_uri_escape_bytes(
			(const guint8 *)message->place, strlen(message->place), NULL);
		place = json_pack("{s:s}", "escaped", escaped);
		g_free(escaped);
	}
	return input_log(club, message->taken, "mail",
		json_pack("{s:I, s:s, s:I, s:o, s:I, s:I, s:s}", "message", (json_int_t)id,
			"mailbox", message->mailbox, "rank", (json_int_t)message->rank, "place",
			place, "arrival", (json_int_t)message->arrival, "size",
			(json_int_t)message->size, "digest", digest_text));
}

int input_log_scan(struct club *club, int64_t at, int64_t until, int64_t scanned)
{
	int64_t before_until = INSTANT_NONE, before_scanned = INSTANT_NONE;
	int r = store_fact(club->store, "until", &before_until);

	if (r >= 0)
		r = store_fact(club->store, "scanned", &before_scanned);
	if (r < 0 || (before_until == until && before_scanned == scanned))
		return r;
	r = input_log(club, at, "scan",
		json_pack("{s:o, s:o}", "until", input_instant(until), "scanned",
			input_instant(scanned)));
	if (r >= 0)
		r = store_set_fact(club->store, "until", until);
	return r < 0 ? r : store_set_fact(club->store, "scanned", scanned);
}

int input_log_fact(struct club *club, int64_t at, const char *name, int64_t value)
{
	int r = input_log(club, at, "fact",
		json_pack("{s:s, s:I}", "name", name, "value", (json_int_t)value));

	return r < 0 ? r : store_set_fact(club->store, name, value);
}

/* ---- The configuration ---- */

int input_load_text(const char *path, json_t **ret_text)
{
	FILE *file = fopen(path, "rbe");

	if (!file)
		return -errno;
	char *text = malloc(FILE_SIZE_MAX);
	size_t size = text ? fread(text, 1, FILE_SIZE_MAX, file) : 0;
	int r = !text ? -ENOMEM : ferror(file) ? -EIO : size == FILE_SIZE_MAX ? -EFBIG : 0;
	fclose(file);
	json_t *string = r < 0 ? NULL : json_stringn(text, size);
	free(text);
	if (!string)
		return r < 0 ? r : -EBADMSG;
	*ret_text = string;
	return 0;
}

/* The files DIRECTORY/LANGUAGE/... below the override folder, by their path in it. A folder that
 * is not there overrides nothing. */
static int add_language(const char *overrides, const char *directory, json_t *files)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	GDir *folder = g_dir_open(arena_format(&arena, "%s/%s", overrides, directory), 0, NULL);
	const char *name;
	int r = 0;

	while (folder && r >= 0 && (name = g_dir_read_name(folder))) {
		const char *inside = arena_format(&arena, "%s/%s", directory, name);
		const char *path = arena_format(&arena, "%s/%s", overrides, inside);
		json_t *text = NULL;
		if (!g_file_test(path, G_FILE_TEST_IS_REGULAR))
			continue;
		r = input_load_text(path, &text);
		if (r >= 0 && json_object_set_new(files, inside, text) < 0)
			r = -EBADMSG;
	}
	if (folder)
		g_dir_close(folder);
	return r;
}

static int add_overrides(const char *overrides, const char *kind, json_t *files)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	GDir *folder = g_dir_open(arena_format(&arena, "%s/%s", overrides, kind), 0, NULL);
	const char *name;
	int r = 0;

	while (folder && r >= 0 && (name = g_dir_read_name(folder)))
		r = add_language(overrides, arena_format(&arena, "%s/%s", kind, name), files);
	if (folder)
		g_dir_close(folder);
	return r;
}

char *input_configuration(json_t *text, const char *overrides)
{
	json_t *files = json_object();
	int r = 0;

	if (overrides)
		r = add_overrides(overrides, "templates", files);
	if (r >= 0 && overrides)
		r = add_overrides(overrides, "words", files);
	json_t *data = json_pack("{s:O, s:o}", "text", text, "overrides", files);
	char *source = r >= 0 && data ? json_dumps(data, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
	json_decref(data);
	return source;
}

/* What tells one configuration from another. */
static int64_t mark_of(const char *text)
{
	unsigned char digest[DIGEST_SIZE];
	int64_t mark;

	inbox_digest(text, strlen(text), digest);
	memcpy(&mark, digest, sizeof(mark));
	return mark;
}

/* Does the log say the same of it already? 1 yes. IDENTITY tells one from another. */
static int is_said(struct club *club, const char *kind, const char *identity)
{
	int64_t before = 0;
	int r = store_fact(club->store, kind, &before);

	return r < 0 ? r : mark_of(identity) == before;
}

static int say(
	struct club *club, int64_t at, const char *kind, const char *data, const char *identity)
{
	int r = events_append(club->store, at, kind, data);

	return r < 0 ? r : store_set_fact(club->store, kind, mark_of(identity));
}

struct program {
	int64_t edition;
	const char *version;
	const char *identity;
};

static struct program program_of(struct arena *arena, int64_t edition, const char *version)
{
	return (struct program){
		.edition = edition,
		.version = version,
		.identity = arena_format(arena, "%lld %s", (long long)edition, version),
	};
}

static int say_program(struct club *club, int64_t at, const struct program *program)
{
	int64_t mails = 0;
	int r = outbox_last(club->store, &mails);
	json_t *data = json_pack("{s:I, s:I, s:s}", "edition", (json_int_t)program->edition,
		"mails", (json_int_t)mails, "version", program->version);
	char *text = data ? json_dumps(data, JSON_COMPACT | JSON_SORT_KEYS) : NULL;

	json_decref(data);
	if (!text)
		return -ENOMEM;
	if (r >= 0)
		r = say(club, at, "program", text, program->identity);
	free(text);
	return r < 0 ? r : store_set_fact(club->store, EDITION_FACT, program->edition);
}

/* What is not NULL, in one transaction. */
static int say_all(struct club *club, int64_t at, const char *source, const struct program *program)
{
	int r = source || program ? store_begin(club->store) : 0;

	if (r < 0 || (!source && !program))
		return r;
	if (source)
		r = say(club, at, "configuration", source, source);
	if (r >= 0 && program)
		r = say_program(club, at, program);
	if (r >= 0)
		return store_commit(club->store);
	store_rollback(club->store);
	return r;
}

int input_log_configuration(struct club *club, int64_t at)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	struct program program = program_of(&arena, EDITION_NEWEST, ZUGPOST_VERSION);

	/* It was good enough to work with, but a comment in it may be of any bytes. */
	if (!club->source)
		return -EILSEQ;
	int configured = is_said(club, "configuration", club->source);
	int r = configured < 0 ? configured : is_said(club, "program", program.identity);
	return r < 0 ? r : say_all(club, at, configured ? NULL : club->source, r ? NULL : &program);
}

int input_configuration_again(struct club *club, int64_t at)
{
	return say_all(club, at, club->source, NULL);
}

int input_program_again(struct club *club, int64_t at, int64_t edition, const char *version)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	struct program program = program_of(&arena, edition, version);

	return say_all(club, at, NULL, &program);
}

/* ---- Commands ---- */

int input_expect_command(struct club *club, int64_t at, const char *by, int argc, char **argv,
	const char *text, size_t text_size)
{
	json_t *words = json_array(), *data;
	int r = argc > COMMAND_WORDS_MAX ? -E2BIG : 0;

	for (int i = 0; r == 0 && i < argc; i++)
		r = json_array_append_new(words, json_string(argv[i])) < 0 ? -EILSEQ : 0;
	data = json_pack("{s:o}", "command", words);
	if (r == 0 && by)
		r = json_object_set_new(data, "by", json_string(by)) < 0 ? -EILSEQ : 0;
	if (r == 0 && text)
		r = json_object_set_new(data, "text", json_stringn(text, text_size)) < 0 ? -EINVAL
											 : 0;
	char *line = r == 0 ? json_dumps(data, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
	json_decref(data);
	if (!line)
		return r < 0 ? r : -ENOMEM;
	r = store_expect(club->store, at, "command", line);
	free(line);
	return r;
}

#include "daemon/ctl/archive.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "daemon/ctl/files.h"
#include "daemon/store/inbox.h"

#define FORMAT "zugpost-export 1"
#define TELL_EVERY 200

void progress_tell(struct progress *progress, int64_t done)
{
	progress->done = done;
	if (!progress->stream)
		return;
	if (done < 0) {
		fprintf(progress->stream, "\r%60s\r", "");
	} else if (done == progress->total || done - progress->shown >= TELL_EVERY) {
		progress->shown = done;
		fprintf(progress->stream, "\r%s: %lld of %lld events", progress->doing,
			(long long)done, (long long)progress->total);
	}
	fflush(progress->stream);
}

static void write_hex(const unsigned char *bytes, size_t size, char *out)
{
	for (size_t i = 0; i < size; i++)
		snprintf(out + (size_t)2 * i, 3, "%02x", bytes[i]);
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Exactly 2 * SIZE digits. */
static bool read_hex(const char *text, unsigned char *out, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		int high = hex_digit(text[2 * i]);
		int low = high < 0 ? -1 : hex_digit(text[2 * i + 1]);
		if (low < 0)
			return false;
		out[i] = (unsigned char)(high << 4 | low);
	}
	return text[2 * size] == '\0';
}

/* ---- Writing ---- */

struct writing {
	struct store *store;
	char directory[4096];
	FILE *events;
	struct progress *progress;
	struct archive_counts counts;
	unsigned char last[EVENT_HASH_SIZE];
	int64_t mails; /* up to this number they are of another version */
};

static int put_file(const struct writing *writing, const char *name, const void *bytes, size_t size)
{
	char path[4400];

	snprintf(path, sizeof(path), "%s/%s", writing->directory, name);
	return files_write(path, bytes, size);
}

static int put_message(struct writing *writing, const json_t *data)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	int64_t id = json_integer_value(json_object_get(data, "message"));
	const char *digest = json_string_value(json_object_get(data, "digest"));
	struct inbox_row row;
	int r = digest ? inbox_load(writing->store, &arena, id, &row) : -EBADMSG;

	if (r <= 0)
		return r < 0 ? r : -EBADMSG;
	writing->counts.messages++;
	r = put_file(
		writing, arena_format(&arena, "messages/%s.eml", digest), row.raw, row.raw_size);
	return r == -EEXIST ? 0 : r; /* the same bytes came twice */
}

static void write_time(int64_t at, char *out, size_t size)
{
	struct tm tm;
	time_t seconds = (time_t)(at / 1000);

	out[0] = '\0';
	if (gmtime_r(&seconds, &tm))
		strftime(out, size, "%Y-%m-%dT%H:%M:%SZ", &tm);
}

/* What had been written when this version began. */
static int64_t mails_before(const json_t *program)
{
	const char *version = json_string_value(json_object_get(program, "version"));

	return version && strcmp(version, ZUGPOST_VERSION) == 0
		       ? json_integer_value(json_object_get(program, "mails"))
		       : INT64_MAX;
}

static int put_mail(const struct writing *writing, int64_t id)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	struct outbox_row row;
	int r = outbox_load(writing->store, &arena, id, &row);

	if (r <= 0)
		return r;
	json_t *data = json_pack("{s:s, s:s, s:s, s:s, s:s%}", "message_id", row.message_id,
		"recipient", row.recipient, "subject", row.subject, "text", row.text, "raw",
		row.raw, row.raw_size);
	char *text = data ? json_dumps(data, JSON_COMPACT) : NULL;
	json_decref(data);
	if (!text)
		return -EBADMSG;
	r = put_file(writing, arena_format(&arena, "mails/%lld.json", (long long)id), text,
		strlen(text));
	free(text);
	return r;
}

static int put_mails(const struct writing *writing)
{
	char path[4400];
	int64_t last = 0;
	int r = outbox_last(writing->store, &last);

	if (r < 0 || last == 0 || writing->mails == 0)
		return r;
	snprintf(path, sizeof(path), "%s/mails", writing->directory);
	r = mkdir(path, 0700) < 0 ? -errno : 0;
	for (int64_t id = 1; r >= 0 && id <= last && id <= writing->mails; id++)
		r = put_mail(writing, id);
	return r < 0 ? r : files_sync(path);
}

static int put_event(const struct event *event, void *userdata)
{
	struct writing *writing = userdata;
	char hash[2 * EVENT_HASH_SIZE + 1], moment[32];
	json_t *data = json_loads(event->data, JSON_ALLOW_NUL, NULL);
	int r = 0;

	if (!json_is_object(data)) {
		json_decref(data);
		return -EBADMSG;
	}
	if (strcmp(event->kind, "mail") == 0)
		r = put_message(writing, data);
	if (strcmp(event->kind, "program") == 0)
		writing->mails = mails_before(data);
	write_hex(event->hash, EVENT_HASH_SIZE, hash);
	write_time(event->at, moment, sizeof(moment));
	json_t *line = json_pack("{s:I, s:I, s:s, s:s, s:s, s:o}", "id", (json_int_t)event->id,
		"at", (json_int_t)event->at, "time", moment, "kind", event->kind, "hash", hash,
		"data", data);
	if (r >= 0 && (!line || json_dumpf(line, writing->events, JSON_COMPACT) < 0 ||
			      fputc('\n', writing->events) == EOF))
		r = -EIO;
	json_decref(line);
	memcpy(writing->last, event->hash, EVENT_HASH_SIZE);
	progress_tell(writing->progress, ++writing->counts.events);
	return r;
}

static int put_events(struct writing *writing)
{
	char path[4400];

	snprintf(path, sizeof(path), "%s/events.jsonl", writing->directory);
	writing->events = fopen(path, "wxe");
	if (!writing->events)
		return -errno;
	int r = events_walk(writing->store, 0, put_event, writing);
	if (r >= 0 && (fflush(writing->events) != 0 || fsync(fileno(writing->events)) < 0))
		r = -errno;
	return fclose(writing->events) != 0 && r >= 0 ? -errno : r;
}

static int put_rest(const struct writing *writing)
{
	char secret[2 * STORE_SECRET_SIZE + 2], hash[2 * EVENT_HASH_SIZE + 1], version[256];

	write_hex(store_secret(writing->store), STORE_SECRET_SIZE, secret);
	secret[sizeof(secret) - 2] = '\n';
	int r = put_file(writing, "secret", secret, sizeof(secret) - 1);
	explicit_bzero(secret, sizeof(secret));
	write_hex(writing->last, EVENT_HASH_SIZE, hash);
	int n = snprintf(version, sizeof(version),
		FORMAT "\nevents %lld\nhash %s\nprogram zugpost " ZUGPOST_VERSION "\n",
		(long long)writing->counts.events, hash);
	return r < 0 ? r : put_file(writing, "version", version, (size_t)n);
}

static int write_all(struct writing *writing)
{
	char path[4400];

	snprintf(path, sizeof(path), "%s/messages", writing->directory);
	int r = mkdir(path, 0700) < 0 ? -errno : put_events(writing);
	if (r >= 0)
		r = put_mails(writing);
	if (r >= 0)
		r = put_rest(writing);
	if (r >= 0)
		r = files_sync(path);
	return r < 0 ? r : files_sync(writing->directory);
}

int archive_write(struct store *store, const char *directory, struct progress *progress,
	struct archive_counts *ret_counts)
{
	struct writing writing = {.store = store, .progress = progress, .mails = INT64_MAX};
	int r = files_beside(directory, writing.directory, sizeof(writing.directory));

	if (r < 0)
		return r;
	/* What is in it is for the owner alone. */
	mode_t mask = umask(0077);
	r = write_all(&writing);
	umask(mask);
	if (r >= 0 && rename(writing.directory, directory) < 0)
		r = errno == ENOTEMPTY ? -EEXIST : -errno;
	if (r >= 0)
		r = files_sync_parent(directory);
	if (r < 0) {
		files_remove(writing.directory);
		return r;
	}
	*ret_counts = writing.counts;
	return 0;
}

/* ---- Reading ---- */

struct archive {
	char *directory;
	FILE *stream;
	char *line;
	size_t line_room;
	int64_t lines, events;
	unsigned char secret[STORE_SECRET_SIZE];
	unsigned char hash[EVENT_HASH_SIZE], last[EVENT_HASH_SIZE];
	char fault[4800];
	char *words; /* ... of it, behind its place, and the room for them */
	size_t room;
};

const char *archive_fault(const struct archive *archive)
{
	return archive->fault;
}

const unsigned char *archive_secret(const struct archive *archive)
{
	return archive->secret;
}

int64_t archive_events(const struct archive *archive)
{
	return archive->events;
}

/* "DIR/FILE:LINE: ", and notes where in the text it goes on. */
static void blame(struct archive *archive, const char *file, int64_t line)
{
	int n = snprintf(archive->fault, sizeof(archive->fault), "%s/%s:%lld: ", archive->directory,
		file, (long long)line);
	size_t size = n < 0 ? 0 : (size_t)n;

	if (size >= sizeof(archive->fault))
		size = sizeof(archive->fault) - 1;
	archive->words = archive->fault + size;
	archive->room = sizeof(archive->fault) - size;
}

/* Says what is wrong in which line; the value is that of a fault. */
#define fault(archive, file, line, ...) \
	(blame(archive, file, line),    \
		(void)snprintf((archive)->words, (archive)->room, __VA_ARGS__), ARCHIVE_FAULT)

const char *archive_blame(struct archive *archive, const char *text)
{
	(void)fault(archive, "events.jsonl", archive->lines, "%s", text);
	return archive->fault;
}

static int load(struct archive *archive, struct arena *arena, const char *name, char **ret_text)
{
	size_t size;
	void *bytes;
	int r = files_read(
		arena_format(arena, "%s/%s", archive->directory, name), arena, &bytes, &size);

	if (r < 0)
		return fault(archive, name, 1, "%s", strerror(-r));
	*ret_text = bytes;
	return 0;
}

static int load_version(struct archive *archive)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	char hash[2 * EVENT_HASH_SIZE + 1] = "";
	long long events = -1;
	char *text = NULL;
	int r = load(archive, &arena, "version", &text);

	if (r != 0)
		return r;
	if (strncmp(text, FORMAT "\n", strlen(FORMAT "\n")) != 0)
		return fault(archive, "version", 1, "this version reads " FORMAT);
	text += strlen(FORMAT "\n");
	if (strncmp(text, "events ", 7) == 0)
		events = strtoll(text + 7, &text, 10);
	if (events < 0 || *text != '\n')
		return fault(archive, "version", 2, "no number of events");
	if (strncmp(text, "\nhash ", 6) == 0)
		snprintf(hash, sizeof(hash), "%s", text + 6);
	if (!read_hex(hash, archive->last, EVENT_HASH_SIZE))
		return fault(archive, "version", 3, "no hash of the last event");
	archive->events = events;
	return 0;
}

static int load_secret(struct archive *archive)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	char *text = NULL;
	int r = load(archive, &arena, "secret", &text);

	if (r != 0)
		return r;
	text[strcspn(text, "\n")] = '\0';
	if (!read_hex(text, archive->secret, STORE_SECRET_SIZE))
		r = fault(archive, "secret", 1, "it is no secret of a store");
	explicit_bzero(text, strlen(text));
	return r;
}

static int open_events(struct archive *archive)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;

	archive->stream = fopen(arena_format(&arena, "%s/events.jsonl", archive->directory), "re");
	return archive->stream ? 0 : fault(archive, "events.jsonl", 1, "%s", strerror(errno));
}

int archive_open(const char *directory, struct archive **ret_archive)
{
	struct archive *archive = calloc(1, sizeof(*archive));

	if (!archive)
		return -ENOMEM;
	archive->directory = strdup(directory);
	if (!archive->directory) {
		free(archive);
		return -ENOMEM;
	}
	*ret_archive = archive;
	int r = load_version(archive);
	if (r == 0)
		r = load_secret(archive);
	return r != 0 ? r : open_events(archive);
}

void archive_close(struct archive *archive)
{
	if (archive->stream)
		fclose(archive->stream);
	explicit_bzero(archive->secret, sizeof(archive->secret));
	free(archive->line);
	free(archive->directory);
	free(archive);
}

/* The members of one line; its data as it was hashed. */
static int read_line(struct archive *archive, json_t *line, struct arena *arena,
	struct event *event, unsigned char hash[EVENT_HASH_SIZE])
{
	const json_t *id = json_object_get(line, "id"), *at = json_object_get(line, "at");
	const char *kind = json_string_value(json_object_get(line, "kind"));
	const char *digits = json_string_value(json_object_get(line, "hash"));
	const json_t *data = json_object_get(line, "data");

	if (!json_is_integer(id) || !json_is_integer(at) || !kind || !digits ||
		!json_is_object(data) || !read_hex(digits, hash, EVENT_HASH_SIZE))
		return archive_blame(archive, "it is no event"), ARCHIVE_FAULT;
	char *text = json_dumps(data, JSON_COMPACT | JSON_SORT_KEYS);
	if (!text)
		return -ENOMEM;
	*event = (struct event){
		.id = json_integer_value(id),
		.at = json_integer_value(at),
		.kind = arena_string(arena, kind),
		.data = arena_string(arena, text),
	};
	free(text);
	return 0;
}

static int check_line(
	struct archive *archive, struct event *event, const unsigned char hash[EVENT_HASH_SIZE])
{
	if (event->id != archive->lines)
		return fault(archive, "events.jsonl", archive->lines,
			"the chain is broken: event %lld stands where %lld belongs",
			(long long)event->id, (long long)archive->lines);
	events_hash(archive->hash, event, archive->hash);
	if (memcmp(archive->hash, hash, EVENT_HASH_SIZE) != 0)
		return fault(archive, "events.jsonl", archive->lines,
			"the chain is broken: its hash is not that of its bytes behind the event "
			"before");
	event->hash = archive->hash;
	return 0;
}

static int check_end(struct archive *archive)
{
	if (ferror(archive->stream))
		return -EIO;
	archive->lines--;
	if (archive->lines != archive->events)
		return fault(archive, "events.jsonl", archive->lines,
			"it ends with %lld events, and there were %lld", (long long)archive->lines,
			(long long)archive->events);
	if (memcmp(archive->hash, archive->last, EVENT_HASH_SIZE) != 0)
		return fault(archive, "version", 3, "it is not the hash of the last event");
	return ARCHIVE_END;
}

int archive_next(struct archive *archive, struct arena *arena, struct event *ret_event)
{
	unsigned char hash[EVENT_HASH_SIZE];
	struct event event;
	json_error_t error;

	archive->lines++;
	ssize_t size = getline(&archive->line, &archive->line_room, archive->stream);
	if (size < 0)
		return check_end(archive);
	json_t *line = json_loadb(
		archive->line, (size_t)size, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
	if (!line)
		return fault(archive, "events.jsonl", archive->lines, "no JSON: %s", error.text);
	int r = read_line(archive, line, arena, &event, hash);
	json_decref(line);
	if (r == 0)
		r = check_line(archive, &event, hash);
	if (r == 0)
		*ret_event = event;
	return r;
}

int archive_raw(struct archive *archive, const char *digest, struct arena *arena,
	const void **ret_raw, size_t *ret_size)
{
	unsigned char bytes[DIGEST_SIZE], actual[DIGEST_SIZE];
	void *raw;

	/* It becomes the name of a file. */
	if (!read_hex(digest, bytes, DIGEST_SIZE))
		return archive_blame(archive, "its digest is none"), ARCHIVE_FAULT;
	const char *name = arena_format(arena, "messages/%s.eml", digest);
	int r = files_read(
		arena_format(arena, "%s/%s", archive->directory, name), arena, &raw, ret_size);
	if (r < 0)
		return fault(archive, "events.jsonl", archive->lines, "%s: %s", name, strerror(-r));
	inbox_digest(raw, *ret_size, actual);
	if (memcmp(actual, bytes, DIGEST_SIZE) != 0)
		return fault(archive, "events.jsonl", archive->lines,
			"%s: its bytes are not those of its name", name);
	*ret_raw = raw;
	return 0;
}

int archive_mail(
	struct archive *archive, int64_t id, struct arena *arena, struct outbox_row *ret_row)
{
	const char *name = arena_format(arena, "mails/%lld.json", (long long)id);
	const char *message_id, *recipient, *subject, *text, *raw;
	void *bytes;
	size_t size;
	int r = files_read(
		arena_format(arena, "%s/%s", archive->directory, name), arena, &bytes, &size);

	*ret_row = (struct outbox_row){.id = 0};
	if (r == -ENOENT)
		return 0;
	if (r < 0)
		return fault(archive, "events.jsonl", archive->lines, "%s: %s", name, strerror(-r));
	json_t *data = json_loadb(bytes, size, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
	r = json_unpack(data, "{s:s, s:s, s:s, s:s, s:s%}", "message_id", &message_id, "recipient",
		&recipient, "subject", &subject, "text", &text, "raw", &raw, &size);
	if (r == 0)
		*ret_row = (struct outbox_row){
			.id = id,
			.message_id = arena_string(arena, message_id),
			.recipient = arena_string(arena, recipient),
			.subject = arena_string(arena, subject),
			.text = arena_string(arena, text),
			.raw = arena_copy(arena, raw, size),
			.raw_size = size,
		};
	json_decref(data);
	return r == 0 ? 0
		      : fault(archive, "events.jsonl", archive->lines, "%s: it is no mail", name);
}

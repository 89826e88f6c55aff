#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/ctl/archive.h"
#include "daemon/ctl/files.h"
#include "daemon/ctl/print.h"
#include "daemon/ctl/store_commands.h"
#include "daemon/relay/club.h"
#include "daemon/relay/replay.h"
#include "daemon/store/compare.h"
#include "daemon/store/inbox.h"

/* People who watch are told how far it is. */
static struct progress progress_of(const struct ctl *ctl, const char *doing, int64_t total)
{
	bool watched = isatty(fileno(ctl->err)) == 1;

	return (struct progress){
		.stream = watched ? ctl->err : NULL, .doing = doing, .total = total};
}

/* ---- export ---- */

static int print_counts(struct ctl *ctl, const char *done, const struct archive_counts *counts)
{
	if (ctl->json)
		return print_json(ctl, json_pack("{s:I, s:I}", "events", (json_int_t)counts->events,
					       "messages", (json_int_t)counts->messages));
	fprintf(ctl->out, "%s: %lld events, %lld messages\n", done, (long long)counts->events,
		(long long)counts->messages);
	return CTL_DONE;
}

int export_command(struct ctl *ctl, int argc, char **argv)
{
	struct archive_counts counts = {0};
	int64_t total = 0;

	if (argc != 2)
		return ctl_usage(ctl, "export");
	int r = files_is_empty(argv[1]);
	if (r < 0)
		return ctl_refuse(ctl, "%s: %s", argv[1], strerror(-r));
	r = store_begin(ctl->club->store);
	if (r >= 0)
		r = events_last(ctl->club->store, &total);
	struct progress progress = progress_of(ctl, "exporting", total);
	if (r >= 0)
		r = archive_write(ctl->club->store, argv[1], &progress, &counts);
	progress_tell(&progress, -1);
	store_rollback(ctl->club->store);
	if (r < 0)
		return ctl_refuse(ctl, "%s: %s", argv[1], strerror(-r));
	return print_counts(ctl, "exported", &counts);
}

/* ---- Commands that are carried out again ---- */

/* What they say to whoever gave them was said then. */
static int run_again(void *userdata, struct club *club, int64_t at, const char *by, int argc,
	char **argv, const char *text, size_t size)
{
	/* What was not for it was refused then, and left no event. */
	const struct configured_account account = {
		.name = (char *)(uintptr_t)by, .role = ROLE_ADMIN};
	FILE *nowhere = fopen("/dev/null", "we");
	const struct ctl_command *command = ctl_find(argv[0]);
	struct ctl ctl = {
		.out = nowhere,
		.err = nowhere,
		.now = at,
		.club = club,
		.asker = by ? &account : NULL,
		.text = text,
		.text_size = size,
	};

	(void)userdata;
	if (!nowhere)
		return -errno;
	int r = command && ctl_need_of(command, argc, argv) == CTL_CHANGES ? 0 : -ENOSYS;
	if (r == 0)
		(void)ctl_run(&ctl, command, argc, argv);
	fclose(nowhere);
	return r;
}

/* ---- replay ---- */

struct rebuilding {
	struct ctl *ctl;
	struct archive *archive;
	struct replay *replay;
	struct progress progress;
	char folder[4096];
};

static int raw_of_archive(void *userdata, int64_t message, const char *digest, struct arena *arena,
	const void **ret_raw, size_t *ret_size, const char **ret_fault)
{
	struct rebuilding *rebuilding = userdata;
	int r = archive_raw(rebuilding->archive, digest, arena, ret_raw, ret_size);

	(void)message;
	if (r == ARCHIVE_FAULT)
		*ret_fault = NULL;
	return r;
}

static int mail_of_archive(
	void *userdata, int64_t id, struct arena *arena, struct outbox_row *ret_row)
{
	const struct rebuilding *rebuilding = userdata;

	return archive_mail(rebuilding->archive, id, arena, ret_row);
}

/* ARCHIVE_FAULT, with archive_fault() in words for everything that is wrong. */
static int replay_archive(struct rebuilding *rebuilding)
{
	struct archive *archive = rebuilding->archive;

	for (int64_t n = 1;; n++) {
		struct arena arena CLEANUP_ARENA = ARENA_INIT;
		struct event event;
		int r = archive_next(archive, &arena, &event);
		if (r == 0)
			r = replay_event(rebuilding->replay, &event);
		else if (r == ARCHIVE_END)
			r = replay_finish(rebuilding->replay);
		else
			return r;
		if (r == REPLAY_FAULT && *replay_fault(rebuilding->replay))
			(void)archive_blame(archive, replay_fault(rebuilding->replay));
		if (r != 0)
			return r;
		if (n > archive_events(archive))
			return 0;
		progress_tell(&rebuilding->progress, n);
	}
}

static int rebuild_into(struct rebuilding *rebuilding, const char *file)
{
	const struct replay_source source = {.raw = raw_of_archive,
		.command = run_again,
		.mail = mail_of_archive,
		.userdata = rebuilding};
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	struct store *store = NULL;
	int r = store_rebuild(rebuilding->folder, archive_secret(rebuilding->archive), &store);

	if (r >= 0)
		r = replay_new(&rebuilding->replay, store, rebuilding->folder, &source);
	if (r < 0)
		return r;
	r = replay_archive(rebuilding);
	if (r == 0)
		r = store_settle(store);
	replay_free(rebuilding->replay);
	if (r != 0)
		return r;
	/* Unlike rename, link does not replace what has come there in the meantime. */
	if (link(arena_format(&arena, "%s/zugpost.db", rebuilding->folder), file) < 0)
		return -errno;
	return files_sync_parent(file);
}

static int run_rebuilding(struct rebuilding *rebuilding, const char *directory, const char *file)
{
	struct ctl *ctl = rebuilding->ctl;
	int r = archive_open(directory, &rebuilding->archive);

	if (r == 0) {
		rebuilding->progress =
			progress_of(ctl, "replaying", archive_events(rebuilding->archive));
		r = rebuild_into(rebuilding, file);
		progress_tell(&rebuilding->progress, -1);
	}
	if (r > 0)
		return ctl_refuse(ctl, "%s", archive_fault(rebuilding->archive));
	if (r < 0)
		return ctl_refuse(ctl, "%s: %s", file, strerror(-r));
	const int64_t events = archive_events(rebuilding->archive);
	if (ctl->json)
		return print_json(
			ctl, json_pack("{s:I, s:s}", "events", (json_int_t)events, "store", file));
	fprintf(ctl->out, "replayed: %lld events into %s\n", (long long)events, file);
	return CTL_DONE;
}

/* A folder is one of a store: the database in it has its name. */
static const char *database_of(struct arena *arena, const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISDIR(status.st_mode)
		       ? arena_format(arena, "%s/zugpost.db", path)
		       : path;
}

int replay_command(struct ctl *ctl, int argc, char **argv)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	struct rebuilding rebuilding = {.ctl = ctl};
	const char *into = NULL;

	if (ctl_option(&argc, argv, "--into", &into) <= 0 || argc != 2)
		return ctl_usage(ctl, "replay");
	into = database_of(&arena, into);
	if (access(into, F_OK) == 0)
		return ctl_refuse(ctl, "%s is there already", into);
	int r = files_beside(into, rebuilding.folder, sizeof(rebuilding.folder));
	if (r < 0)
		return ctl_refuse(ctl, "%s: %s", into, strerror(-r));
	int code = run_rebuilding(&rebuilding, argv[1], into);
	if (rebuilding.archive)
		archive_close(rebuilding.archive);
	files_remove(rebuilding.folder);
	return code;
}

/* ---- verify ---- */

struct verification {
	struct ctl *ctl;
	struct replay *replay;
	struct progress progress;
	json_t *differences; /* NULL: they are printed */
	int64_t n;
};

static void tell_difference(void *userdata, const char *line)
{
	struct verification *verification = userdata;

	verification->n++;
	if (verification->differences)
		json_array_append_new(verification->differences, json_string(line));
	else
		fprintf(verification->ctl->out, "%s\n", line);
}

static int raw_of_store(void *userdata, int64_t message, const char *digest, struct arena *arena,
	const void **ret_raw, size_t *ret_size, const char **ret_fault)
{
	const struct verification *verification = userdata;
	struct inbox_row row;
	int r = inbox_load(verification->ctl->club->store, arena, message, &row);

	(void)digest;
	if (r <= 0) {
		*ret_fault = "it is not there";
		return r < 0 ? r : REPLAY_FAULT;
	}
	*ret_raw = row.raw;
	*ret_size = row.raw_size;
	return 0;
}

static int mail_of_store(
	void *userdata, int64_t id, struct arena *arena, struct outbox_row *ret_row)
{
	const struct verification *verification = userdata;
	int r = outbox_load(verification->ctl->club->store, arena, id, ret_row);

	if (r == 0)
		ret_row->id = 0;
	return r < 0 ? r : 0;
}

static int verify_event(const struct event *event, void *userdata)
{
	struct verification *verification = userdata;
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	int r = replay_event(verification->replay, event);

	if (r == REPLAY_FAULT)
		tell_difference(
			verification, arena_format(&arena, "event %lld: %s", (long long)event->id,
					      replay_fault(verification->replay)));
	progress_tell(&verification->progress, event->id);
	return r;
}

/* Everything again, up to the first input that leads elsewhere. */
static int replay_store(struct verification *verification, struct store *wanted)
{
	struct store *store = verification->ctl->club->store;
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	int64_t broken;
	int r = events_verify(store, &broken);

	if (r == 0)
		tell_difference(verification, arena_format(&arena,
						      "event %lld: the chain of the log is broken: "
						      "its hash is not that of "
						      "its bytes behind the event before",
						      (long long)broken));
	if (r >= 0)
		r = events_walk(store, 0, verify_event, verification);
	if (r == 0) {
		r = replay_finish(verification->replay);
		if (r == REPLAY_FAULT)
			tell_difference(verification, replay_fault(verification->replay));
	}
	progress_tell(&verification->progress, -1);
	/* Behind an input that leads elsewhere everything differs, and says nothing. */
	return r < 0               ? r
	       : r == REPLAY_FAULT ? 0
				   : compare_stores(store, wanted, tell_difference, verification);
}

static int verify_in(struct verification *verification, const char *folder)
{
	const struct replay_source source = {.raw = raw_of_store,
		.command = run_again,
		.mail = mail_of_store,
		.userdata = verification};
	struct store *store = verification->ctl->club->store, *scratch = NULL;
	int64_t total = 0;
	int r = store_begin(store);

	if (r >= 0)
		r = events_last(store, &total);
	verification->progress = progress_of(verification->ctl, "verifying", total);
	if (r >= 0)
		r = store_rebuild(folder, store_secret(store), &scratch);
	if (r >= 0)
		r = replay_new(&verification->replay, scratch, folder, &source);
	if (r >= 0) {
		r = replay_store(verification, scratch);
		replay_free(verification->replay);
	}
	store_rollback(store);
	return r;
}

static int print_verdict(const struct verification *verification)
{
	struct ctl *ctl = verification->ctl;

	if (ctl->json) {
		int code = print_json(
			ctl, json_pack("{s:b, s:I, s:O}", "identical", verification->n == 0,
				     "events", (json_int_t)verification->progress.total,
				     "differences", verification->differences));
		return code != CTL_DONE || verification->n == 0 ? code : CTL_REFUSED;
	}
	if (verification->n > 0)
		return ctl_refuse(ctl, "%lld differences between the store and its inputs",
			(long long)verification->n);
	fprintf(ctl->out, "the store is what follows from its %lld inputs\n",
		(long long)verification->progress.total);
	return CTL_DONE;
}

int verify_command(struct ctl *ctl, int argc, char **argv)
{
	struct verification verification = {.ctl = ctl};
	char folder[4096];

	(void)argv;
	if (argc != 1)
		return ctl_usage(ctl, "verify");
	int r = files_scratch(folder, sizeof(folder));
	if (r < 0)
		return ctl_refuse(ctl, "%s: %s", folder, strerror(-r));
	verification.differences = ctl->json ? json_array() : NULL;
	r = verify_in(&verification, folder);
	files_remove(folder);
	int code = r < 0 ? ctl_fail(ctl, r) : print_verdict(&verification);
	json_decref(verification.differences);
	return code;
}

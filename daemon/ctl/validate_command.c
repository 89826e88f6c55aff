#include "daemon/ctl/validate_command.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/pgn.h"

/* A file's bytes; freed by file_release. */
struct file {
	char *text;
	size_t size;
};

static int file_map(const char *name, struct file *ret_file)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC), error = 0;
	struct stat status;
	void *text = NULL;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &status) < 0)
		error = -errno;
	else if (!S_ISREG(status.st_mode))
		error = -EINVAL;
	else if (status.st_size > 0)
		text = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (text == MAP_FAILED)
		error = -errno;
	(void)close(fd);
	if (!error)
		*ret_file = (struct file){text, (size_t)status.st_size};
	return error;
}

static void file_release(struct file *file)
{
	if (file->size)
		(void)munmap(file->text, file->size);
}

static const char *fault_text(const struct pgn_record *record)
{
	switch (record->fault) {
	case PGN_FAULT_TAG:
		return "this is no tag pair";
	case PGN_FAULT_FEN:
		return "the FEN tag is no position";
	case PGN_FAULT_MOVE:
		return movetext_fault_text(record->move_fault);
	case PGN_FAULT_RESULT:
		return "the result differs from the Result tag";
	case PGN_FAULT_NO_RESULT:
		return "no result behind the moves";
	case PGN_FINE:
		break;
	}
	return "no fault";
}

static void print_slice(FILE *out, struct pgn_slice slice)
{
	for (size_t i = 0; i < slice.size && i < 60; i++)
		(void)fputc((unsigned char)slice.at[i] < ' ' ? ' ' : slice.at[i], out);
}

static void print_fault(
	struct ctl *ctl, const char *name, size_t game, const struct pgn_record *record)
{
	(void)fprintf(ctl->out, "%s:%zu: game %zu: %s", name, record->fault_line, game,
		fault_text(record));
	if (record->fault == PGN_FAULT_MOVE)
		(void)fprintf(ctl->out, " at ply %zu", record->ply);
	if (record->faulty.size) {
		(void)fputs(": ", ctl->out);
		print_slice(ctl->out, record->faulty);
	}
	(void)fputc('\n', ctl->out);
}

static json_t *fault_json(size_t game, const struct pgn_record *record)
{
	json_t *text =
		json_stringn(record->faulty.at ? record->faulty.at : "", record->faulty.size);

	return json_pack("{s:I, s:I, s:s, s:o, s:o}", "game", (json_int_t)game, "line",
		(json_int_t)record->fault_line, "fault", fault_text(record), "ply",
		record->fault == PGN_FAULT_MOVE ? json_integer((json_int_t)record->ply)
						: json_null(),
		"text", text ? text : json_null());
}

static int print_summary(struct ctl *ctl, size_t games, size_t plies, json_t *faults)
{
	json_t *summary = json_pack("{s:I, s:I, s:o}", "games", (json_int_t)games, "plies",
		(json_int_t)plies, "faults", faults);
	int failed = !summary || json_dumpf(summary, ctl->out, JSON_COMPACT) < 0;

	(void)fputc('\n', ctl->out);
	json_decref(summary);
	return failed ? CTL_REFUSED : CTL_DONE;
}

static int validate_file(struct ctl *ctl, const char *name, const struct file *file)
{
	static struct pgn_record record; /* some hundred kilobytes would be much for a stack */
	struct pgn_scan scan = {.text = file->text, .size = file->size};
	json_t *faults = ctl->json ? json_array() : NULL;
	size_t games = 0, plies = 0, faulty = 0;
	int result = CTL_DONE;

	while (pgn_next(&scan, &record)) {
		games++;
		plies += record.n_moves;
		if (!record.fault)
			continue;
		faulty++;
		if (faults)
			(void)json_array_append_new(faults, fault_json(games, &record));
		else
			print_fault(ctl, name, games, &record);
	}
	if (ctl->json)
		result = print_summary(ctl, games, plies, faults);
	return faulty ? CTL_REFUSED : result;
}

int validate_command(struct ctl *ctl, int argc, char **argv)
{
	struct file file = {NULL, 0};
	int result;

	if (argc != 2) {
		(void)fprintf(ctl->err, "usage: zugpostctl validate FILE.pgn\n");
		return CTL_USAGE;
	}
	result = file_map(argv[1], &file);
	if (result) {
		(void)fprintf(ctl->err, "%s: %s\n", argv[1], strerror(-result));
		return CTL_REFUSED;
	}
	result = validate_file(ctl, argv[1], &file);
	file_release(&file);
	return result;
}

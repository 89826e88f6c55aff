#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/notation.h"
#include "daemon/ctl/print.h"
#include "daemon/ctl/store_commands.h"
#include "daemon/log.h"
#include "daemon/reading/letter_json.h"
#include "daemon/reading/read_now.h"
#include "daemon/relay/carry.h"
#include "daemon/relay/receive.h"
#include "daemon/store/inbox.h"

/* ---- What was read, as JSON ---- */

static json_t *excerpt_json(const struct message *message, struct excerpt excerpt)
{
	json_t *json = json_stringn(message->text + excerpt.at, excerpt.size);
	return json ? json : json_null();
}

static json_t *repetition_json(const struct judgement *judgement)
{
	const struct message *message = &judgement->message;
	const struct game *game = &judgement->match->game;
	bool line = message->repetition == REPETITION_LINE;
	char san[NOTATION_MAX] = "";

	/* Before the first move there is nothing to repeat. */
	if (!judgement->has_message || message->repetition == REPETITION_NONE ||
		(line && message->ply == 0))
		return json_null();
	/* The unaltered reply line says the last move as it was made. */
	uint16_t move = line && message->ply <= game->n_moves ? game->moves[message->ply - 1]
							      : message->repetition_move;
	if (move != MOVE_NONE && message->ply > 0 && message->ply <= game->n_moves) {
		struct position before = game_position(game, message->ply - 1);
		if (position_is_legal(&before, move))
			move_write(&before, move, NOTATION_SAN, NULL, san);
	}
	return json_pack("{s:o, s:o, s:b}", "text",
		line ? json_string(san) : excerpt_json(message, message->repetition_text), "san",
		print_string(*san ? san : NULL), "right", message->repetition != REPETITION_WRONG);
}

static json_t *own_json(const struct judgement *judgement)
{
	const struct message *message = &judgement->message;
	const struct game *game = &judgement->match->game;
	char text[NOTATION_MAX];

	if (!judgement->has_message || !message->has_own)
		return json_null();
	json_t *json = json_pack(
		"{s:o, s:n, s:n}", "text", excerpt_json(message, message->own_text), "uci", "san");
	if (message->own.result != MOVE_READ || message->several_own ||
		message->ply > game->n_moves)
		return json;
	struct position before = game_position(game, message->ply);
	for (size_t i = 0; i < message->n_accepted; i++)
		position_make(&before, message->accepted[i]);
	if (!position_is_legal(&before, message->own.move))
		return json;
	move_write(&before, message->own.move, NOTATION_UCI, NULL, text);
	json_object_set_new(json, "uci", json_string(text));
	move_write(&before, message->own.move, NOTATION_SAN, NULL, text);
	json_object_set_new(json, "san", json_string(text));
	return json;
}

static json_t *commands_json(const struct judgement *judgement)
{
	const struct message *message = &judgement->message;
	json_t *array = json_array();

	for (size_t i = 0; judgement->has_message && i < message->n_commands; i++)
		json_array_append_new(array, excerpt_json(message, message->commands[i].line));
	return array;
}

/* Series as numbered moves, each from the position behind the own move on; what could not be
 * read as it was written. */
static json_t *series_json(const struct message *message, const struct position *behind,
	const struct stated_conditional *series)
{
	struct position now = *behind;
	char text[CONDITIONAL_PLIES_MAX * (NOTATION_MAX + 16) + 256], move[NOTATION_MAX];
	size_t n = 0;

	for (size_t i = 0; i < series->line.n; i++) {
		bool white = now.turn == SIDE_WHITE;
		move_write(&now, series->line.moves[i], NOTATION_SAN, NULL, move);
		if (white || i == 0)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%u%s ", i ? " " : "",
				now.fullmove, white ? "." : "...");
		else
			n += (size_t)snprintf(text + n, sizeof(text) - n, " ");
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s", move);
		position_make(&now, series->line.moves[i]);
	}
	const char *fault = message->text + series->fault_text.at;
	size_t size = series->fault_text.size < 100 ? series->fault_text.size : 0;
	if (series->fault != MOVE_READ && size > 0)
		n += (size_t)snprintf(
			text + n, sizeof(text) - n, "%s%.*s?", n ? " " : "", (int)size, fault);
	return json_stringn(text, n);
}

static json_t *conditionals_json(const struct judgement *judgement)
{
	const struct message *message = &judgement->message;
	json_t *array = json_array();

	if (!judgement->has_message || message->n_conditionals == 0 ||
		message->ply > judgement->match->game.n_moves)
		return array;
	struct position behind = game_position(&judgement->match->game, message->ply);
	for (size_t i = 0; i < message->n_accepted; i++)
		position_make(&behind, message->accepted[i]);
	position_make(&behind, message->own.move);
	for (size_t i = 0; i < message->n_conditionals; i++)
		json_array_append_new(
			array, series_json(message, &behind, &message->conditionals[i]));
	return array;
}

static json_t *judgement_json(const char *file, const struct judgement *judgement)
{
	json_t *notes = json_array();

	for (size_t i = 0; i < judgement->n_notes; i++)
		json_array_append_new(notes, json_string(judgement->notes[i]));
	return json_pack("{s:s, s:s, s:o, s:o, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:b}", "file",
		file, "verdict", verdict_name(judgement->verdict), "game",
		print_string(judgement->match ? judgement->match->id : NULL), "player",
		print_string(judgement->identity.player), "trust",
		trust_name(judgement->identity.trust), "new_text",
		judgement->newtext.text ? judgement->newtext.text : "", "repetition",
		judgement->match ? repetition_json(judgement) : json_null(), "own",
		judgement->match ? own_json(judgement) : json_null(), "conditionals",
		conditionals_json(judgement), "commands", commands_json(judgement), "notes", notes,
		"answer", judgement_answers(judgement));
}

static void print_judgement(FILE *out, const char *file, const struct judgement *judgement)
{
	const struct message *message = &judgement->message;

	fprintf(out, "%s: %s", file, verdict_name(judgement->verdict));
	if (judgement->match)
		fprintf(out, " in %s", judgement->match->id);
	if (judgement->identity.player)
		fprintf(out, ", from %s (%s)", judgement->identity.player,
			trust_name(judgement->identity.trust));
	if (judgement->has_message && message->has_own)
		fprintf(out, ": %.*s", (int)message->own_text.size,
			message->text + message->own_text.at);
	fputc('\n', out);
}

/* ---- A scratch copy ---- */

/* A store that nobody else sees: with --in-order each message finds what the ones before it did,
 * and without it a command is tried out there. */
struct scratch {
	char directory[512];
	struct store *store, *real;
};

static int open_scratch(struct ctl *ctl, struct scratch *scratch)
{
	const char *parent = getenv("TMPDIR");
	char file[600];
	int n = snprintf(scratch->directory, sizeof(scratch->directory), "%s/zugpost-read-XXXXXX",
		parent && *parent ? parent : P_tmpdir);

	if (n < 0 || (size_t)n >= sizeof(scratch->directory))
		return -ENAMETOOLONG;
	if (!mkdtemp(scratch->directory))
		return -errno;
	snprintf(file, sizeof(file), "%s/zugpost.db", scratch->directory);
	int r = store_backup(ctl->club->store, file);
	if (r >= 0)
		r = store_open(scratch->directory, STORE_WRITE, &scratch->store);
	if (r < 0)
		return r;
	scratch->real = ctl->club->store;
	ctl->club->store = scratch->store;
	return 0;
}

static void close_scratch(struct ctl *ctl, struct scratch *scratch)
{
	static const char *const files[] = {
		"zugpost.db", "zugpost.db-wal", "zugpost.db-shm", "zugpost.lock"};

	if (scratch->real)
		ctl->club->store = scratch->real;
	store_close(scratch->store);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		char path[600];
		snprintf(path, sizeof(path), "%s/%s", scratch->directory, files[i]);
		unlink(path);
	}
	rmdir(scratch->directory);
}

/* No timers fire in a dry run, but a game whose start has come counts as active. */
static int start_games(struct ctl *ctl)
{
	const struct games_filter filter = {.state = "scheduled"};
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	int64_t *ids;
	size_t n;
	int r = store_begin(ctl->club->store);

	if (r >= 0)
		r = games_list(ctl->club->store, &arena, &filter, &ids, &n);
	for (size_t i = 0; r >= 0 && i < n; i++) {
		struct match *match CLEANUP_MATCH = NULL;
		r = match_open(ctl->club, ids[i], &match);
		if (r >= 0 && match->tournament.start <= ctl->now)
			r = carry_start(match, match->tournament.start, ctl->now);
	}
	return r < 0 ? r : store_commit(ctl->club->store);
}

static int store_in_scratch(struct ctl *ctl, struct arena *arena, const char *file, const void *raw,
	size_t size, const char *json, struct inbox_row *ret_row)
{
	const struct inbox_new message = {
		.mailbox = "read",
		.place = file,
		.arrival = ctl->now,
		.taken = ctl->now,
		.size = (int64_t)size,
		.raw = raw,
		.raw_size = size,
	};
	int64_t id;
	int r = inbox_store(ctl->club->store, &message, &id);

	if (r >= 0)
		r = inbox_moved(ctl->club->store, message.mailbox, message.place);
	if (r >= 0)
		r = inbox_read(ctl->club->store, id, json);
	if (r >= 0)
		r = inbox_load(ctl->club->store, arena, id, ret_row);
	return r < 0 ? r : 0;
}

/* ---- One file after the other ---- */

static int load_file(const struct ctl *ctl, const char *path, char **ret_bytes, size_t *ret_size)
{
	size_t limit = ctl->club->configuration->limits.message_size;
	FILE *file = fopen(path, "rbe");

	if (!file)
		return -errno;
	char *bytes = malloc(limit + 1);
	size_t size = bytes ? fread(bytes, 1, limit, file) : 0;
	int r = !bytes ? -ENOMEM : ferror(file) ? -EIO : 0;
	fclose(file);
	if (r < 0) {
		free(bytes);
		return r;
	}
	*ret_bytes = bytes;
	*ret_size = size;
	return 0;
}

/* What the files have in common. */
struct dry_run {
	struct ctl *ctl;
	struct read_now *reading;
	struct scratch scratch;
	bool in_order;
	json_t *array; /* NULL: print them */
};

static int judge_letter(struct ctl *ctl, const char *path, const void *raw, size_t size,
	const char *json, bool in_scratch, struct judgement *judgement)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	struct letter *letter = NULL;
	struct inbox_row row = {0};
	int r = letter_from_json(json, strlen(json), &letter);

	if (r >= 0 && in_scratch)
		r = store_in_scratch(ctl, &arena, path, raw, size, json, &row);
	const struct judge_input input = {
		.inbox = row.id,
		.arrival = ctl->now,
		.letter = letter,
		.pretend = !in_scratch,
	};
	if (r >= 0)
		r = judge(ctl->club, &input, judgement);
	if (r >= 0 && in_scratch)
		r = receive_message(ctl->club, &row, judgement, letter, ctl->now);
	if (letter)
		letter_free(letter);
	return r;
}

/* Whether a command is obeyed shows when it is carried out: a leave may be too long. */
static int try_command(struct dry_run *run, const char *path, const void *raw, size_t size,
	const char *json, struct judgement *judgement)
{
	struct judgement tried CLEANUP_JUDGEMENT = {.verdict = VERDICT_NONE};
	struct ctl *ctl = run->ctl;
	struct store *real = ctl->club->store;
	bool opened = run->scratch.store != NULL;
	int r = 0;

	log_mute(true);
	if (opened)
		ctl->club->store = run->scratch.store;
	else
		r = open_scratch(ctl, &run->scratch);
	if (r >= 0 && !opened)
		r = start_games(ctl);
	if (r >= 0)
		r = store_begin(ctl->club->store);
	if (r >= 0) {
		r = judge_letter(ctl, path, raw, size, json, true, &tried);
		store_rollback(ctl->club->store);
	}
	ctl->club->store = real;
	log_mute(false);
	if (r >= 0)
		judgement->verdict = tried.verdict;
	return r;
}

static int read_file(struct dry_run *run, const char *path)
{
	struct judgement judgement CLEANUP_JUDGEMENT = {.verdict = VERDICT_UNPARSABLE_MAIL};
	char *raw = NULL, *json = NULL;
	size_t size = 0;
	int r = load_file(run->ctl, path, &raw, &size);

	if (r < 0)
		return r;
	r = read_now(run->reading, raw, size, &json);
	if (r >= 0 && json && run->in_order)
		r = store_begin(run->ctl->club->store);
	if (r >= 0 && json)
		r = judge_letter(run->ctl, path, raw, size, json, run->in_order, &judgement);
	if (r >= 0 && json && run->in_order)
		r = store_commit(run->ctl->club->store);
	if (r >= 0 && judgement.verdict == VERDICT_COMMAND && !run->in_order)
		r = try_command(run, path, raw, size, json, &judgement);
	free(json);
	free(raw);
	if (r < 0)
		return r;
	if (!run->array)
		print_judgement(run->ctl->out, path, &judgement);
	else if (json_array_append_new(run->array, judgement_json(path, &judgement)) < 0)
		return -ENOMEM;
	return 0;
}

static int read_files(struct dry_run *run, int argc, char **argv)
{
	int r = read_now_open(&run->reading);

	if (r < 0)
		return ctl_fail(run->ctl, r);
	int code = CTL_DONE;
	for (int i = 1; i < argc && code == CTL_DONE; i++) {
		r = read_file(run, argv[i]);
		if (r < 0)
			code = ctl_refuse(run->ctl, "%s: %s", argv[i], strerror(-r));
	}
	read_now_close(run->reading);
	return code;
}

int read_command(struct ctl *ctl, int argc, char **argv)
{
	struct dry_run run = {.ctl = ctl};
	int code = CTL_DONE;

	run.in_order = ctl_option(&argc, argv, "--in-order", NULL) > 0;
	if (argc < 2)
		return ctl_usage(ctl, "read");
	/* What happens in the scratch copy does not happen. */
	log_mute(run.in_order);
	int r = run.in_order ? open_scratch(ctl, &run.scratch) : 0;
	if (r >= 0 && run.in_order)
		r = start_games(ctl);
	run.array = ctl->json ? json_array() : NULL;
	if (r < 0)
		code = ctl_fail(ctl, r);
	else
		code = read_files(&run, argc, argv);
	if (*run.scratch.directory)
		close_scratch(ctl, &run.scratch);
	log_mute(false);
	if (code != CTL_DONE) {
		json_decref(run.array);
		return code;
	}
	return run.array ? print_json(ctl, run.array) : CTL_DONE;
}

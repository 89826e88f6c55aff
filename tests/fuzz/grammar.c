/*
 * The text of a message, with the position of its game, to what the grammar makes of it. The
 * first line has a letter for the sender's language and the system, one for what is known of
 * the answered mail, and the moves of the game; the rest is new text. In it a byte 1 begins
 * the HTML side, another one what was dropped, and a line that begins with '>' was typed into
 * ours.
 */
#include <stdlib.h>
#include <string.h>

#include "core/pgn.h"
#include "daemon/reading/clean.h"
#include "daemon/reading/grammar.h"
#include "tests/fuzz/check_message.h"

#define PLIES_MAX 200

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct game {
	struct position start, now;
	uint16_t moves[PLIES_MAX];
	size_t n;
	uint8_t how, known;
};

/* Takes the first line; returns what it takes. */
static size_t read_game(const char *data, size_t size, struct game *game)
{
	const char *end = memchr(data, '\n', size);
	size_t line = end ? (size_t)(end - data) : size, at;

	game->how = line > 0 ? (uint8_t)data[0] : 0;
	game->known = line > 1 ? (uint8_t)data[1] : 0;
	game->start = game->now = position_initial();
	/* What is no move ends the game. */
	if (line > 2 &&
		movetext_read(
			&game->start, data + 2, line - 2, game->moves, PLIES_MAX, &game->n, &at) &&
		at > line - 2)
		abort();
	check_moves(&game->now, game->moves, game->n);
	return end ? line + 1 : line;
}

/* Cleans the text up to the next byte 1. */
static void take_text(const char **data, size_t *size, char **ret_text, size_t *ret_size)
{
	const char *end = memchr(*data, 1, *size);
	size_t n = end ? (size_t)(end - *data) : *size;

	if (clean_text(*data, n, ret_text, ret_size) != 0)
		abort();
	*data += n + (end != NULL);
	*size -= n + (end != NULL);
}

static void split(struct newtext *newtext)
{
	newtext->lines = calloc(newtext->size + 1, sizeof(*newtext->lines));
	if (!newtext->lines)
		abort();
	for (size_t at = 0; at < newtext->size;) {
		const char *text = newtext->text + at;
		const char *end = memchr(text, '\n', newtext->size - at);
		size_t n = end ? (size_t)(end - text) : newtext->size - at;
		size_t mark = n > 0 && *text == '>';
		newtext->lines[newtext->n_lines++] = (struct newtext_line){
			at + mark, n - mark, mark ? LINE_IN_OURS : LINE_ABOVE};
		at += n + 1;
	}
}

static void read_as(const struct newtext *newtext, const struct game *game, enum side side)
{
	static const char languages[][3] = {"en", "fi", "it", "ru", "de", "hu"};
	static const enum rule_system systems[] = {
		RULES_IECC, RULES_RAZSH, RULES_RAZSH_POST, RULES_MCLINK};
	static struct words *words;
	struct fault_list faults = {0};
	struct message message;

	if (!words && words_load(NULL, &faults, &words) != 0)
		abort();
	const struct grammar_context context = {.start = &game->start,
		.moves = game->moves,
		.n = (unsigned)game->n,
		.ply = (unsigned)(game->known & 1 && game->n > 1 ? game->n - 2 : game->n),
		.by = side,
		.letters = letters_find(languages[game->how % ARRAY_SIZE(languages)], 2),
		.written = game->known & 2 ? letters_find("ru", 2) : NULL,
		.answered_line = game->known & 4,
		.typed = game->known & 8,
		.words = words,
		.today = 20000,
		.system = systems[game->how / ARRAY_SIZE(languages) % ARRAY_SIZE(systems)],
		.subject = "0123- 12n Rossi-Bianchi",
		.code = "0123"};
	if (grammar_read(newtext, &context, &message) != 0)
		abort();
	check_message(&message, &context);
	if (message.by != side || (message.several_own && !message.has_own))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct newtext newtext = {.reply_line = true, .ours_found = true};
	struct game game = {.n = 0};
	size_t taken = read_game(text, size, &game);

	text += taken;
	size -= taken;
	take_text(&text, &size, &newtext.text, &newtext.size);
	take_text(&text, &size, &newtext.other, &newtext.other_size);
	take_text(&text, &size, &newtext.dropped, &newtext.dropped_size);
	split(&newtext);
	read_as(&newtext, &game, SIDE_WHITE);
	read_as(&newtext, &game, SIDE_BLACK);
	newtext_release(&newtext);
	return 0;
}

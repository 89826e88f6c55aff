/*
 * Texts that answer a mail of ours: new text and grammar. A byte 1 parts the plain side of the
 * mail from its HTML side.
 */
#include <stdlib.h>
#include <string.h>

#include "core/pgn.h"
#include "daemon/reading/clean.h"
#include "daemon/reading/grammar.h"
#include "daemon/reading/newtext.h"
#include "tests/fuzz/check_message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define GAME                                                                                 \
	"e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 c3 O-O h3 Nb8 d4 Nbd7 Nbd2 Bb7 " \
	"Bc2 Re8"
#define PLIES 24

static const char sent[] =
	"Rossi, Mario has played:\n\n    12... Re8\n\n"
	"1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6\n"
	"8. c3 O-O 9. h3 Nb8 10. d4 Nbd7 11. Nbd2 Bb7 12. Bc2 Re8\n\n"
	"To answer, reply to this mail and type your move behind its last line, or anywhere above\n"
	"it. Any usual notation will do.\n\n12... Re8 13. \n";

static void check_newtext(const struct newtext *newtext)
{
	size_t seen = 0;

	for (size_t i = 0; i < newtext->n_lines; i++) {
		const struct newtext_line *line = &newtext->lines[i];
		if (line->at < seen || line->size > newtext->size - line->at)
			abort();
		seen = line->at + line->size;
	}
}

static void read_as(const struct newtext *newtext, enum side side, const char *language,
	enum rule_system system)
{
	static struct words *words;
	struct fault_list faults = {0};
	struct conditionals waiting;
	struct position start = position_initial(), now = start;
	uint16_t moves[PLIES];
	size_t n, at;

	if ((!words && words_load(NULL, &faults, &words) != 0) ||
		movetext_read(&start, GAME, sizeof(GAME) - 1, moves, PLIES, &n, &at))
		abort();
	check_moves(&now, moves, n);
	if (conditionals_read(
		    "d2f1 e7f8 f1g3 g7g6 b2b3 c7c5; d4d5 c7c5", &now, SIDE_BLACK, &waiting) != 0)
		abort();
	struct grammar_context context = {.start = &start,
		.moves = moves,
		.n = (unsigned)n,
		.ply = (unsigned)n,
		.by = side,
		.letters = letters_find(language, 2),
		.answered_line = true,
		.conditionals = &waiting,
		.words = words,
		.today = 20000,
		.system = system,
		.subject = "Re: 0123- 12n Rossi-Bianchi",
		.code = "0123"};
	struct message message;
	if (grammar_read(newtext, &context, &message) != 0)
		abort();
	check_message(&message, &context);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const texts[] = {sent};
	const uint8_t *border = size ? memchr(data, 1, size) : NULL;
	size_t half = border ? (size_t)(border - data) : size;
	struct letter letter = {.n_notes = 0};
	char *plain, *html;
	struct newtext newtext;

	if (clean_text((const char *)data, half, &plain, &letter.text_size) != 0 ||
		clean_text((const char *)data + half, size - half, &html, &letter.other_size) != 0)
		abort();
	letter.text = plain;
	letter.other_text = html;
	if (newtext_find(&letter, texts, 1, "12... Re8 13. ", &newtext) != 0)
		abort();
	check_newtext(&newtext);
	read_as(&newtext, SIDE_WHITE, "en", RULES_IECC);
	read_as(&newtext, SIDE_WHITE, "it", RULES_MCLINK);
	read_as(&newtext, SIDE_BLACK, "fi", RULES_RAZSH);
	newtext_release(&newtext);
	free(plain);
	free(html);
	return 0;
}

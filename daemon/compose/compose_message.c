#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "config/language.h"
#include "daemon/compose/filling.h"
#include "daemon/compose/mask.h"

#define QUOTE_COLUMNS 70

static void put_line(struct filling *filling, const char *name, const char *text, size_t size)
{
	char *line = NULL;

	if (filling->r < 0)
		return;
	filling->r = mask_line(text, size, QUOTE_COLUMNS, &line);
	put(filling, name, line);
	free(line);
}

static void put_excerpt(struct filling *filling, const char *name, struct excerpt excerpt)
{
	const struct message *message = filling->facts->message;

	if (excerpt.size == 0 || excerpt.at > message->text_size ||
		excerpt.size > message->text_size - excerpt.at || filling->r < 0)
		return;
	if (filling->facts->reader != READER_ARBITER) {
		put_line(filling, name, message->text + excerpt.at, excerpt.size);
		return;
	}
	/* What others wrote goes to third parties without addresses. */
	char *line = strndup(message->text + excerpt.at, excerpt.size), *masked = NULL;
	filling->r = line ? mask_words(line, UINT_MAX, &masked) : -ENOMEM;
	if (filling->r >= 0)
		put_line(filling, name, masked, strlen(masked));
	free(line);
	free(masked);
}

/* The words of the player, each line marked as his. */
static void fill_words(struct filling *filling)
{
	char *words = NULL;
	size_t lines = 1;

	if (!filling->facts->words || !*filling->facts->words || filling->r < 0)
		return;
	filling->r = mask_words(filling->facts->words, TEMPLATE_COLUMNS - 2, &words);
	if (filling->r < 0 || !*words) {
		free(words);
		return;
	}
	for (const char *at = words; *at; at++)
		lines += *at == '\n';
	char *marked = malloc(strlen(words) + 2 * lines + 1), *end = marked;
	for (const char *at = words; marked && at; at = strchr(at, '\n')) {
		at += *at == '\n';
		size_t size = strcspn(at, "\n");
		end = stpcpy(end, at == words ? "" : "\n");
		end = stpcpy(end, size > 0 ? "| " : "|");
		end = mempcpy(end, at, size);
		*end = '\0';
	}
	if (!marked && filling->r == 0)
		filling->r = -ENOMEM;
	put(filling, "words", marked);
	free(marked);
	free(words);
}

static const char *reader_notation(const struct compose_facts *facts)
{
	if (!is_player(facts) || !facts->players[facts->reader])
		return NULL;
	return facts->players[facts->reader]->notation;
}

/* A move in the piece letters of the reader's language, which need not be those of his mails. */
static void local_text(const struct compose_facts *facts, const struct position *position,
	uint16_t move, char out[NUMBERED_MAX])
{
	char notation[sizeof("san-") + LANGUAGE_CODE_MAX] = "san";
	const char *language = is_player(facts) && facts->players[facts->reader]
				       ? facts->players[facts->reader]->language
				       : "en";

	if (strlen(language) < LANGUAGE_CODE_MAX)
		(void)snprintf(notation, sizeof(notation), "san-%s", language);
	numbered_text(position, move, notation, out);
}

/* What could have been meant, in the position that the message was read in. */
static void fill_candidates(struct filling *filling, const struct position *position)
{
	const struct move_reading *own = &filling->facts->message->own;
	char text[NUMBERED_MAX], local[NUMBERED_MAX];

	for (size_t i = 0; i < own->n_candidates && i < ARRAY_SIZE(own->candidates); i++) {
		if (!position_is_legal(position, own->candidates[i]))
			continue;
		struct filling item = put_item(filling, "candidates");
		numbered_text(position, own->candidates[i], reader_notation(filling->facts), text);
		put(&item, "candidate", text);
		local_text(filling->facts, position, own->candidates[i], local);
		if (strcmp(local, text) != 0)
			put(&item, "candidate-local", strchr(local, ' ') + 1);
		put_flag(&item, "candidates-first", i == 0);
		filling->r = item.r;
	}
}

/* The own move as it was read, in the reader's notation and in English. */
static void fill_own_move(struct filling *filling, const struct position *position)
{
	const struct message *message = filling->facts->message;
	char san[NUMBERED_MAX], shown[NUMBERED_MAX];

	if (!message->has_own || message->own.result != MOVE_READ || message->several_own ||
		!position_is_legal(position, message->own.move))
		return;
	numbered_text(position, message->own.move, NULL, san);
	numbered_text(position, message->own.move, reader_notation(filling->facts), shown);
	put(filling, "own-san", san);
	put(filling, "own-move", shown);
	put_flag(filling, "own-differs", strcmp(san, shown) != 0);
	put_flag(filling, "own-draw-offer", message->draw_offer);
}

/* A move that the message speaks of without saying that it is played. */
static void fill_mentioned(struct filling *filling, const struct position *position)
{
	const struct message *message = filling->facts->message;
	char text[NUMBERED_MAX];

	put_flag(filling, "taken-back", message->withdrawn);
	if (message->mentioned == MOVE_NONE || !position_is_legal(position, message->mentioned))
		return;
	numbered_text(position, message->mentioned, reader_notation(filling->facts), text);
	put(filling, "mentioned", text);
	put_excerpt(filling, "mentioned-text", message->mentioned_text);
}

/* The repetition and the own move as one line, in English letters throughout: a line in two
 * kinds of letters may be misread. */
static void fill_complete(struct filling *filling)
{
	const struct compose_facts *facts = filling->facts;
	const struct message *message = facts->message;
	const struct game *game = facts->game;
	char last[NUMBERED_MAX], own[NUMBERED_MAX];

	if (!message->has_own || message->own.result != MOVE_READ || message->several_own ||
		message->ply != game->n_moves || game->n_moves == 0)
		return;
	struct position position = game_position(game, game->n_moves);
	if (!position_is_legal(&position, message->own.move))
		return;
	numbered_move(game, game->n_moves - 1, NULL, last);
	numbered_text(&position, message->own.move, NULL, own);
	put_format(filling, "complete", "%s %s", last,
		position.turn == SIDE_BLACK ? strchr(own, ' ') + 1 : own);
}

static void fill_warnings(struct filling *filling)
{
	static const char *const names[] = {
		[WARNING_FALLBACK] = "warning-fallback",
		[WARNING_OTHER_LETTERS] = "warning-other-letters",
		[WARNING_MARK] = "warning-mark",
		[WARNING_NUMBER] = "warning-number",
		[WARNING_REPETITION_MISSING] = "warning-repetition-missing",
		[WARNING_CONTINUATION] = "warning-continuation",
		[WARNING_COMMAND] = "warning-command",
		[WARNING_REPETITION_WRONG] = "warning-repetition-wrong",
		[WARNING_FORMAT] = "warning-format",
		[WARNING_CONDITIONAL] = "warning-conditional",
		[WARNING_SERIES] = "warning-series",
		[WARNING_CLAIM] = "warning-claim",
		[WARNING_OFFER] = "warning-offer",
	};
	const struct compose_facts *facts = filling->facts;

	put_flag(filling, "warnings", facts->n_warnings > 0);
	for (size_t i = 0; i < facts->n_warnings; i++)
		if (facts->warnings[i] != WARNING_NONE &&
			(size_t)facts->warnings[i] < ARRAY_SIZE(names))
			put_flag(filling, names[facts->warnings[i]], true);
}

static void fill_reading(struct filling *filling)
{
	const struct compose_facts *facts = filling->facts;
	const struct message *message = facts->message;

	put_excerpt(filling, "read-line", message->own_line);
	put_excerpt(filling, "read-text", message->own_text);
	if (message->several_own)
		put_excerpt(filling, "second-text", message->second_text);
	if (message->repetition == REPETITION_WRONG)
		put_excerpt(filling, "repetition-text", message->repetition_text);
	if (!facts->game || facts->game->n_moves < message->ply)
		return;
	struct position position = game_position(facts->game, message->ply);
	if (facts->verdict == VERDICT_AMBIGUOUS_MOVE || facts->verdict == VERDICT_ILLEGAL_MOVE ||
		facts->verdict == VERDICT_UNREADABLE_MOVE)
		fill_candidates(filling, &position);
	fill_own_move(filling, &position);
	fill_mentioned(filling, &position);
	if (facts->verdict == VERDICT_REPETITION_MISSING ||
		facts->verdict == VERDICT_REPETITION_WRONG)
		fill_complete(filling);
}

/* A stored reply to the reader's own move: what came with that is not the opponent's. */
static bool is_reply_to_reader(const struct compose_facts *facts)
{
	return facts->kind == MAIL_MOVE && is_player(facts) && facts->message &&
	       (enum side)facts->reader == facts->message->by;
}

static void fill_sender(struct filling *filling)
{
	const struct compose_facts *facts = filling->facts;

	put_instant(filling, "received", facts->received);
	if (facts->marked_address)
		put_line(filling, "marked-address", facts->marked_address,
			strlen(facts->marked_address));
	fill_words(filling);
}

void fill_message(struct filling *filling)
{
	const struct compose_facts *facts = filling->facts;

	if (facts->verdict != VERDICT_NONE)
		put_flag(filling, verdict_name(facts->verdict), true);
	put_flag(filling, "confirmation-late", facts->confirmation_late);
	put_flag(filling, "repetition-at-fault",
		facts->verdict == VERDICT_REPETITION_MISSING ||
			facts->verdict == VERDICT_REPETITION_WRONG);
	put_article(filling, "article", facts->article);
	if (facts->penalty_days > 0)
		put_format(filling, "penalty", "%d", facts->penalty_days);
	if (!is_reply_to_reader(facts))
		fill_sender(filling);
	fill_warnings(filling);
	if (facts->message)
		fill_reading(filling);
}

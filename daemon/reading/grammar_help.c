/* What the refusal of a message can say about its moves, for grammar_inside.h. */
#include "daemon/reading/grammar_inside.h"

#include <string.h>

#include "core/position.h"

#define CANDIDATES_MAX 8

static struct position position_of(const struct grammar *grammar)
{
	struct movelist_game game = grammar_game_at(grammar, grammar->ply);
	return movelist_position(&game, grammar->ply);
}

/* Of what is no move in any notation its last square may be right. */
static void add_candidates(const struct grammar *grammar, struct message *message)
{
	const char *text = message->text + message->own_text.at;
	struct move_reading *own = &message->own;
	struct position position = position_of(grammar);
	struct move_list legal;
	unsigned to = 64;
	for (size_t i = 0; i + 1 < message->own_text.size; i++) {
		char file = (char)(text[i] | 0x20);
		if (file >= 'a' && file <= 'h' && text[i + 1] >= '1' && text[i + 1] <= '8')
			to = (unsigned)(text[i + 1] - '1') * 8 + (unsigned)(file - 'a');
	}
	position_moves(&position, &legal);
	for (size_t i = 0; i < legal.n && own->n_candidates < CANDIDATES_MAX; i++)
		if (move_to(legal.moves[i]) == to)
			own->candidates[own->n_candidates++] = legal.moves[i];
}

struct excerpt grammar_trim(const char *text, struct excerpt excerpt)
{
	while (excerpt.size > 1 && strchr(".,;:", text[excerpt.at + excerpt.size - 1]))
		excerpt.size--;
	return excerpt;
}

/* The only legal move that the text speaks of. */
struct spoken_of {
	struct excerpt text;
	uint16_t move;
	bool several;
};

static void speak_of(const struct grammar *grammar, const struct letters *letters, size_t at,
	size_t size, struct spoken_of *found)
{
	struct movelist_game game = grammar_game_at(grammar, grammar->ply);
	struct movelist_reading reading;
	game.letters = letters;
	movelist_read(&game, grammar->text + at, size, &reading);
	if (reading.own_state != MOVELIST_OWN_ONE || reading.own.result != MOVE_READ)
		return;
	found->several |= found->move != MOVE_NONE && found->move != reading.own.move;
	if (found->move != MOVE_NONE)
		return;
	found->move = reading.own.move;
	found->text = grammar_trim(grammar->text,
		(struct excerpt){at + reading.own_token.move_at, reading.own_token.move_size});
}

static struct spoken_of find_spoken_of(const struct grammar *grammar, const struct letters *letters)
{
	const struct text_lines *lines = grammar->lines;
	struct spoken_of found = {.move = MOVE_NONE};
	for (size_t i = 0; i < lines->mentions->n && i < STRETCHES_MAX; i++)
		speak_of(grammar, letters, lines->mentions->items[i].at,
			lines->mentions->items[i].size, &found);
	/* Lists that were not taken: "12... Nd7?" */
	for (size_t i = 0; i < lines->n && i < STRETCHES_MAX; i++)
		if (lines->items[i].list)
			speak_of(grammar, letters, lines->items[i].part.at,
				lines->items[i].part.size, &found);
	return found;
}

static void find_mentioned(const struct grammar *grammar, struct message *message)
{
	struct spoken_of found = {.move = MOVE_NONE};
	if (grammar->context->letters)
		found = find_spoken_of(grammar, grammar->context->letters);
	if (found.move == MOVE_NONE)
		found = find_spoken_of(grammar, grammar->letters);
	if (found.several || found.move == MOVE_NONE)
		return;
	message->mentioned = found.move;
	message->mentioned_text = found.text;
}

void grammar_help(const struct grammar *grammar, struct message *message)
{
	const struct grammar_context *context = grammar->context;
	if (message->has_own && message->own.result == MOVE_UNREADABLE && !message->several_own &&
		message->ply <= context->n)
		add_candidates(grammar, message);
	if (message->has_own || message->n_accepted > 0 || message->ply != context->n ||
		grammar_turn_at(context, context->n) != context->by)
		return;
	message->withdrawn = grammar->found.withdrawn;
	if (!message->withdrawn)
		find_mentioned(grammar, message);
}

#include "daemon/reading/accepted.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The pairs of the accepted moves and what the text states behind them that follow a waiting
 * line. */
static size_t count_pairs(const struct grammar *grammar, const struct message *message)
{
	const struct movelist_reading *reading = &grammar->found.reading;
	uint16_t stated[CONDITIONAL_PLIES_MAX + 1 + MOVELIST_FURTHER_MAX];
	size_t n = message->n_accepted;
	bool whole;
	memcpy(stated, message->accepted, n * sizeof(*stated));
	if (grammar_is_read(&grammar->found)) {
		stated[n++] = reading->own.move;
		memcpy(stated + n, reading->further, reading->n_further * sizeof(*stated));
		n += reading->n_further;
	}
	size_t pairs = conditionals_match(grammar->context->conditionals, stated, n, &whole);
	return pairs < CONDITIONAL_PLIES_MAX / 2 ? pairs : CONDITIONAL_PLIES_MAX / 2;
}

/* The line of the own move and what goes on below it, as far as there are only moves. */
static struct excerpt stated_lines(const struct grammar *grammar)
{
	const struct text_lines *lines = grammar->lines;
	struct excerpt text = grammar->found.own_line;
	for (size_t i = 0; i < lines->n; i++) {
		const struct text_line *line = &lines->items[i];
		if (line->at > text.at + text.size && !line->list)
			break;
		if (line->at >= text.at && line->list)
			text.size = line->at + line->size - text.at;
	}
	return text;
}

/* The accepted moves are made from now on. */
static void extend(
	struct grammar *grammar, struct message *message, struct accepted *accepted, size_t pairs)
{
	const struct movelist_reading *reading = &grammar->found.reading;
	size_t done = message->n_accepted, n = 2 * pairs - done;
	message->accepted[done] = reading->own.move;
	memcpy(message->accepted + done + 1, reading->further, (n - 1) * sizeof(uint16_t));
	memcpy(accepted->moves + accepted->context.n, message->accepted + done,
		n * sizeof(uint16_t));
	message->n_accepted += n;
	accepted->context.n += (unsigned)n;
	grammar->context = &accepted->context;
	grammar_read_ply(grammar, accepted->context.n);
}

static bool may_accept(const struct grammar *grammar, const struct message *message)
{
	const struct conditionals *waiting = grammar->context->conditionals;
	return waiting && waiting->n_lines > 0 && waiting->by != grammar->context->by &&
	       message->ply == grammar->context->n && grammar_is_read(&grammar->found);
}

int accepted_read(struct grammar *grammar, struct message *message, struct accepted *ret)
{
	const struct grammar_context *context = grammar->context;
	const struct found first = grammar->found;
	*ret = (struct accepted){.context = *context};
	if (!may_accept(grammar, message) || count_pairs(grammar, message) == 0)
		return 0;
	ret->moves = calloc(context->n + CONDITIONAL_PLIES_MAX, sizeof(*ret->moves));
	if (!ret->moves)
		return -ENOMEM;
	if (context->n > 0)
		memcpy(ret->moves, context->moves, context->n * sizeof(*ret->moves));
	ret->context.moves = ret->moves;
	message->accepted_text = stated_lines(grammar);
	for (size_t pairs; (pairs = count_pairs(grammar, message)) > message->n_accepted / 2;)
		extend(grammar, message, ret, pairs);
	struct found *found = &grammar->found;
	found->repetition = first.repetition;
	found->repetition_in_list = first.repetition_in_list;
	found->repetition_text = first.repetition_text;
	found->repetition_move = first.repetition_move;
	found->draw_offer |= first.draw_offer;
	if (first.several) {
		found->several = true;
		found->second = first.second;
	}
	return 0;
}

void accepted_release(struct accepted *accepted)
{
	free(accepted->moves);
}

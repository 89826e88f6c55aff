#include "tests/fuzz/check_message.h"

#include <stdlib.h>

static void check_excerpt(struct excerpt excerpt, size_t size)
{
	if (excerpt.at > size || excerpt.size > size - excerpt.at)
		abort();
}

void check_moves(struct position *position, const uint16_t *moves, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!position_is_legal(position, moves[i]))
			abort();
		position_make(position, moves[i]);
	}
}

static void check_series(const struct message *message, const struct position *position)
{
	for (size_t i = 0; i < message->n_conditionals; i++) {
		const struct stated_conditional *series = &message->conditionals[i];
		struct position now = *position;
		check_excerpt(series->text, message->text_size);
		check_excerpt(series->fault_text, message->text_size);
		if (series->line.n > CONDITIONAL_PLIES_MAX)
			abort();
		check_moves(&now, series->line.moves, series->line.n);
	}
}

static void check_accepted(const struct message *message, const struct grammar_context *context)
{
	bool whole;
	size_t n = message->n_accepted;

	if (n == 0)
		return;
	if (n % 2 || n > CONDITIONAL_PLIES_MAX || message->ply != context->n ||
		2 * conditionals_match(context->conditionals, message->accepted, n, &whole) != n)
		abort();
}

void check_message(const struct message *message, const struct grammar_context *context)
{
	check_excerpt(message->own_text, message->text_size);
	check_excerpt(message->own_line, message->text_size);
	check_excerpt(message->second_text, message->text_size);
	check_excerpt(message->repetition_text, message->text_size);
	for (size_t i = 0; i < message->n_commands; i++) {
		const struct stated_command *command = &message->commands[i];
		check_excerpt(command->line, message->text_size);
		check_excerpt(command->argument, message->text_size);
	}
	check_accepted(message, context);
	if (message->n_conditionals > 0 && (!message->has_own || message->several_own))
		abort();
	if (!message->has_own || message->own.result != MOVE_READ || message->ply > context->n)
		return;
	struct position position = *context->start;
	check_moves(&position, context->moves, message->ply);
	check_moves(&position, message->accepted, message->n_accepted);
	check_moves(&position, &message->own.move, 1);
	check_series(message, &position);
}

/*
 * What players write at random, right and wrong.
 */
#include "tests/unit/rules_simulation_writer.h"

uint64_t simulation_seed;

int random_below(int n)
{
	simulation_seed = simulation_seed * 6364136223846793005U + 1442695040888963407U;
	return (int)((simulation_seed >> 33) % (uint64_t)n);
}

bool chance(int percent)
{
	return random_below(100) < percent;
}

static uint16_t random_move(const struct position *position)
{
	struct move_list list;

	position_moves(position, &list);
	return list.n == 0 ? MOVE_NONE : list.moves[random_below((int)list.n)];
}

static void say_own(struct message *message, const struct position *position)
{
	int choice = random_below(100);

	message->has_own = choice < 97;
	message->own.result = choice < 90   ? MOVE_READ
			      : choice < 93 ? MOVE_ILLEGAL
			      : choice < 95 ? MOVE_AMBIGUOUS
					    : MOVE_UNREADABLE;
	message->own.move = random_move(position);
	message->several_own = message->has_own && chance(1);
	if (message->own.move == MOVE_NONE)
		message->has_own = false;
}

/* Series after the own move; now and then one that breaks off. */
static void say_conditionals(struct message *message, const struct position *position)
{
	int n = 1 + random_below(3);

	for (int i = 0; i < n; i++) {
		struct stated_conditional *stated = &message->conditionals[message->n_conditionals];
		struct position now = *position;
		size_t plies = 2 * (size_t)(1 + random_below(4));
		*stated = (struct stated_conditional){.fault = MOVE_READ};
		while (stated->line.n < plies) {
			uint16_t move = random_move(&now);
			if (move == MOVE_NONE)
				break;
			if (chance(2)) {
				stated->fault = chance(70) ? MOVE_ILLEGAL : MOVE_UNREADABLE;
				break;
			}
			stated->line.moves[stated->line.n++] = move;
			position_make(&now, move);
		}
		message->n_conditionals++;
	}
}

/* The opponent's series: repeated in part or whole, or its first move played plainly. */
static bool say_accepted(
	struct message *message, const struct game *game, struct position *position)
{
	const struct conditionals *waiting = &game->conditionals;

	if (waiting->n_lines == 0 || chance(40))
		return false;
	const struct conditional_line *line = &waiting->lines[random_below((int)waiting->n_lines)];
	if (chance(40)) {
		message->has_own = true;
		message->own = (struct move_reading){.result = MOVE_READ, .move = line->moves[0]};
		return true;
	}
	size_t n = 2 * (size_t)(1 + random_below((int)(line->n / 2)));
	for (size_t i = 0; i < n; i++) {
		message->accepted[message->n_accepted++] = line->moves[i];
		position_make(position, line->moves[i]);
	}
	return false;
}

static void say_command(struct message *message, enum command kind)
{
	message->commands[message->n_commands++] = (struct stated_command){.kind = kind};
}

static void say_commands(struct message *message, const struct writer *writer, bool moves)
{
	static const enum command of_games[] = {COMMAND_DRAW, COMMAND_ACCEPT, COMMAND_DECLINE,
		COMMAND_CLAIM_THREEFOLD, COMMAND_CLAIM_FIFTY, COMMAND_DEMAND_FIFTY,
		COMMAND_CLAIM_TIME, COMMAND_ACCEPT, COMMAND_CLAIM_TIME};
	struct clock_state state;

	clock_state_at(writer->clock, writer->now, &state);
	bool over = state.has_overstep && state.passed && writer->system != RULES_IECC;
	if (over && chance(50))
		say_command(message, COMMAND_CLAIM_TIME);
	else if (!moves && chance(1))
		say_command(message, COMMAND_RESIGN);
	else
		say_command(message, of_games[random_below((int)ARRAY_SIZE(of_games))]);
	message->draw_offer = message->commands[0].kind == COMMAND_DRAW && moves;
	if (chance(3))
		say_command(message, COMMAND_DECLINE);
	if (chance(5))
		say_command(message, COMMAND_STATUS);
}

struct message random_message(const struct writer *writer)
{
	const struct game *game = writer->game;
	struct position position = game->now;
	enum side turn = (enum side)game->now.turn;
	struct message message = {
		.by = chance(95) ? turn : side_other(turn),
		.trust = chance(95) ? TRUST_TOKEN : TRUST_REGISTERED,
		.sent = writer->now,
		.ply = (unsigned)game->n_moves,
		.repetition = chance(90)   ? REPETITION_RIGHT
			      : chance(50) ? REPETITION_LINE
			      : chance(50) ? REPETITION_NONE
					   : REPETITION_WRONG,
		.format_faults = chance(10) ? FORMAT_SUBJECT : 0,
	};
	bool only_commands = chance(10);

	if (!only_commands && game->n_moves > 1 && chance(2))
		message.ply -= 2;
	else if (!only_commands && !say_accepted(&message, game, &position))
		say_own(&message, &position);
	if (message.ply < game->n_moves) {
		message.has_own = true;
		message.own.result = MOVE_READ;
		message.own.move = game->moves[message.ply];
	}
	if (message.has_own && message.own.result == MOVE_READ && message.ply == game->n_moves &&
		chance(25)) {
		position_make(&position, message.own.move);
		say_conditionals(&message, &position);
	}
	if (only_commands || chance(8))
		say_commands(&message, writer, !only_commands);
	return message;
}

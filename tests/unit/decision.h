/*
 * Games and messages in few words, for the tests of decide().
 */
#pragma once

#include <string.h>

#include "rules/decide.h"
#include "tests/unit/test.h"

#define SENT 1767260000000LL /* 2026-01-01, morning */
#define HOUR_MS 3600000LL
#define DAY_MS (24 * HOUR_MS)

static const struct zone_transition utc_transitions[] = {{.at = 0, .offset = 0}};
static const struct zone utc = {.name = "UTC", .transitions = utc_transitions, .n = 1};

struct table {
	struct game game;
	uint16_t moves[400];
};

/* Plays UCI moves, separated by blanks. */
static inline void table_play(struct table *table, const char *moves)
{
	struct game *game = &table->game;

	while (*moves) {
		size_t size = strcspn(moves, " ");
		uint16_t move = move_from_uci(&game->now, moves, size);
		if (move == MOVE_NONE)
			fail_msg("not legal: %s", moves);
		position_make(&game->now, move);
		table->moves[game->n_moves++] = move;
		moves += size + (moves[size] == ' ');
	}
	game->moves = table->moves;
}

static inline void table_set(struct table *table, const char *moves)
{
	memset(table, 0, sizeof(*table));
	table->game.state = GAME_ACTIVE;
	table->game.start = table->game.now = position_initial();
	table_play(table, moves);
}

/* UCI moves from a position; returns how many. */
static inline size_t moves_of(const struct position *position, const char *text, uint16_t *out)
{
	struct position now = *position;
	size_t n = 0;

	while (*text) {
		size_t size = strcspn(text, " ");
		uint16_t move = move_from_uci(&now, text, size);
		if (move == MOVE_NONE)
			fail_msg("not legal: %s", text);
		position_make(&now, move);
		out[n++] = move;
		text += size + (text[size] == ' ');
	}
	return n;
}

/* A proven message of the side on the move, with the right repetition and this own move (UCI;
 * NULL: none; "?": an illegal one) after the pairs that it accepts (NULL: none). */
static inline struct message message_says(
	const struct game *game, const char *accepted, const char *own)
{
	struct position now = game->now;
	struct message message = {
		.by = (enum side)now.turn,
		.trust = TRUST_TOKEN,
		.sent = SENT,
		.ply = (unsigned)game->n_moves,
		.repetition = REPETITION_RIGHT,
		.has_own = own != NULL,
	};

	if (accepted) {
		message.n_accepted = moves_of(&now, accepted, message.accepted);
		for (size_t i = 0; i < message.n_accepted; i++)
			position_make(&now, message.accepted[i]);
	}
	if (own && strcmp(own, "?") == 0)
		message.own.result = MOVE_ILLEGAL;
	else if (own)
		(void)moves_of(&now, own, &message.own.move);
	return message;
}

static inline struct message message_commands(
	const struct game *game, enum side by, enum command kind)
{
	return (struct message){
		.by = by,
		.trust = TRUST_TOKEN,
		.sent = SENT,
		.ply = (unsigned)game->n_moves,
		.commands = {{.kind = kind}},
		.n_commands = 1,
	};
}

static inline void message_adds(struct message *message, enum command kind)
{
	message->commands[message->n_commands++] = (struct stated_command){.kind = kind};
}

static inline size_t count(const struct decision *decision, enum effect_kind kind)
{
	size_t n = 0;

	for (size_t i = 0; i < decision->n_effects; i++)
		n += decision->effects[i].kind == kind;
	return n;
}

static inline const struct effect *find(const struct decision *decision, enum effect_kind kind)
{
	for (size_t i = 0; i < decision->n_effects; i++)
		if (decision->effects[i].kind == kind)
			return &decision->effects[i];
	return NULL;
}

static inline const struct clock_event *find_event(
	const struct decision *decision, enum clock_event_kind kind)
{
	for (size_t i = 0; i < decision->n_effects; i++)
		if (decision->effects[i].kind == EFFECT_CLOCK &&
			decision->effects[i].event.kind == kind)
			return &decision->effects[i].event;
	return NULL;
}

static inline const struct effect *find_mail(
	const struct decision *decision, enum mail_kind mail, enum mail_reader to)
{
	for (size_t i = 0; i < decision->n_effects; i++)
		if (decision->effects[i].kind == EFFECT_MAIL && decision->effects[i].mail == mail &&
			decision->effects[i].to == to)
			return &decision->effects[i];
	return NULL;
}

static inline bool has_warning(const struct decision *decision, enum decision_warning warning)
{
	for (size_t i = 0; i < decision->n_warnings; i++)
		if (decision->warnings[i] == warning)
			return true;
	return false;
}

static inline void expect_verdict(const struct decision *decision, enum verdict verdict)
{
	if (decision->verdict != verdict)
		fail_msg("%s, not %s", verdict_name(decision->verdict), verdict_name(verdict));
}

static inline void expect_state(const struct decision *decision, enum game_state state,
	enum clock_result result, enum termination termination)
{
	const struct effect *effect = find(decision, EFFECT_STATE);

	assert_non_null(effect);
	expect_int(effect->state, state);
	expect_int(effect->result, result);
	expect_int(effect->termination, termination);
}

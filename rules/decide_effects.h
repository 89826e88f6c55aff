/*
 * How decisions are put together: effects, warnings, and what a position on the board ends.
 * For rules/decide*.c only.
 */
#pragma once

#include "rules/decide.h"
#include "rules/edition.h"

static inline enum mail_reader reader_of(enum side side)
{
	return side == SIDE_WHITE ? READER_WHITE : READER_BLACK;
}

static inline enum clock_result win_of(enum side side)
{
	return side == SIDE_WHITE ? RESULT_WHITE : RESULT_BLACK;
}

static inline bool is_razsh(enum rule_system system)
{
	return system == RULES_RAZSH || system == RULES_RAZSH_POST;
}

/* Is the input decided by this edition, or a later one? */
static inline bool edition_is(const struct rules_context *context, int edition)
{
	return edition_includes(context->edition, edition);
}

/* Nothing decided. */
void decision_begin(struct decision *decision);

struct effect *effect_add(struct decision *decision, enum effect_kind kind);
struct effect *effect_mail(struct decision *decision, enum mail_kind mail, enum mail_reader to);
/* To both players and the arbiter; the public area too if there is one. */
void effect_mail_all(
	const struct rules_context *context, struct decision *decision, enum mail_kind mail);
/* A clock event by a side; returns it, and its index for stamps. */
struct clock_event *effect_clock(struct decision *decision, enum clock_event_kind kind,
	enum side by, int64_t at, size_t *ret_index);
struct effect *effect_state(struct decision *decision, enum game_state state);
/* The game ends at AT: clock, unless a time-out has ended it, and state; the mails are the
 * caller's. */
void effect_finish(const struct rules_context *context, struct decision *decision, int64_t at,
	enum clock_result result, enum termination termination);
/* A side has withdrawn then; 0: that is settled. */
void effect_withdrew(struct decision *decision, enum side side, int64_t at);
/* From now on nothing waits any more: offers, conditional moves, demands of the game. */
void effect_clear(struct decision *decision, const struct game *game);

void decision_warn(struct decision *decision, enum decision_warning warning);
/* A command-error and the refusal that goes with it; drops all effects. */
void decision_refuse(struct decision *decision, enum refusal refusal, enum side answered);

/* ---- The board while a decision makes moves on it ---- */

struct board {
	const struct game *game;
	struct position now;
	uint16_t made[2 * CONDITIONAL_PLIES_MAX + 1]; /* after game->moves */
	size_t n_made;
	size_t demanded[2];
};

struct board board_of(const struct game *game);
/* Makes a legal move: an effect, and on the board. */
void board_make(struct board *board, struct decision *decision, uint16_t move);
/* How often the present position has stood on the board. */
size_t board_repetitions(const struct board *board);

struct ending {
	bool over;
	enum clock_result result;
	enum termination termination;
	enum matter notice; /* not over, but the arbiter should know */
};
/* What ends the game by itself under the rules of the event (rules.md, section 4). */
struct ending board_ending(const struct rules_context *context, const struct board *board);

/* Does a draw claim of the message hold in this position (FIDE 9.2, 9.3)? */
bool board_claim(
	const struct board *board, const struct message *message, enum termination *ret_by);

/* ---- Parts of decide() ---- */

bool message_has_command(const struct message *message, enum command kind);
bool message_claims_draw(const struct message *message);
bool message_is_proven(const struct message *message);
/* An own move, or pairs accepted by repetition? */
bool message_has_move(const struct message *message);

/* The commands of a message. Returns true if they decide it; with a move they may leave it to
 * be judged, and a claim of time (RAZSh 6.1) may have left its effects. */
bool decide_commands(const struct rules_context *context, const struct game *game,
	const struct message *message, struct decision *decision);

/* ---- A move message ---- */

/* What a message plays under the rules of the event: pairs of the opponent's series, and the
 * own move after them. */
struct play {
	uint16_t accepted[CONDITIONAL_PLIES_MAX];
	size_t n_accepted;
	bool has_own;
	struct move_reading own;
	bool part_series; /* MC-link 5.3: repeated in part */
	bool ends;        /* the last reply of the series ends the game: there is no answer */
	bool cut;         /* what follows the series in the message is left out */
};

struct play play_of(const struct rules_context *context, const struct game *game,
	const struct message *message);
/* The move message is accepted. */
void decide_play(const struct rules_context *context, const struct game *game,
	const struct message *message, const struct play *play, struct decision *decision);
/* Its own move is bad, but the pairs that it accepts stand: makes them and returns how many. */
size_t decide_accepted(const struct game *game, const struct play *play, struct decision *decision);

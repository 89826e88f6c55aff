/*
 * Inside of the grammar: what is shared by the reading of one ply (grammar.c) and the choice
 * between plies and letters (grammar_choice.c).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/movelist.h"
#include "daemon/reading/commands.h"
#include "daemon/reading/grammar.h"
#include "daemon/reading/text_lines.h"

#define STRETCHES_MAX 100 /* read for one ply: a mail of thousands of lists must not take long */

/* The two kinds of stretches that may hold moves. */
struct stretch {
	const char *text;
	size_t at, size;
	bool list;     /* move-like lines; else a run of moves in prose */
	size_t theirs; /* what stands before it is said to be the opponent's */
};

/* What has been found so far, over all stretches, for one ply. */
struct found {
	bool own;
	bool own_in_list;
	struct movelist_reading reading; /* of the stretch that holds the own move */
	size_t base;                     /* where that stretch begins */
	struct excerpt own_line;

	bool several;
	bool corrected; /* ... as prose says */
	struct excerpt second;

	enum repetition repetition;
	bool repetition_in_list;
	struct excerpt repetition_text;
	uint16_t repetition_move;

	bool draw_offer, continuation;

	struct excerpt foreign;       /* a list that is another game */
	const struct mention *faulty; /* the first that states no legal move */

	size_t last_at; /* where the own move is stated last */
	bool withdrawn; /* it was, and taken back */

	bool elsewhere; /* a list speaks of another ply by its numbers */
	long elsewhere_ply;
};

struct grammar {
	const struct grammar_context *context;
	const struct command_context *commands;
	const struct letters *letters;
	const char *text;
	size_t size;
	const struct text_lines *lines;
	unsigned ply;
	unsigned stretches; /* read so far for this ply */
	struct found found;
};

/* The game up to PLY, in the grammar's letters. */
struct movelist_game grammar_game_at(const struct grammar *grammar, unsigned ply);
/* Who is on move after PLY plies. */
enum side grammar_turn_at(const struct grammar_context *context, unsigned ply);
/* The ply, from the start of the game, that a number names for the side to move. */
long grammar_ply_of(const struct grammar_context *context, unsigned number, bool black);

/* Has a token the number, and the side, of the ply that is read? */
bool grammar_number_fits(const struct grammar *grammar, const struct movelist_token *token);

/* Both own moves are read, and the same. */
bool grammar_same_own(const struct movelist_reading *a, const struct movelist_reading *b);
bool grammar_is_read(const struct found *found);

/* Reads all of the text as written before ply PLY: fills grammar->found. */
void grammar_read_ply(struct grammar *grammar, unsigned ply);
/* Takes the own move of a stretch. */
void grammar_take_own(struct grammar *grammar, const struct stretch *stretch,
	const struct movelist_reading *reading);

/* Without the stop behind it. */
struct excerpt grammar_trim(const char *text, struct excerpt excerpt);
/* Adds what helps a sender whose message states no move, or none that can be read. */
void grammar_help(const struct grammar *grammar, struct message *message);

/* Takes the repetition of a stretch. */
void grammar_take_repetition(struct grammar *grammar, const struct stretch *stretch,
	const struct movelist_reading *reading);

/* The place of the own move (grammar_place.c): a number of this ply and then something that is
 * no move in any notation ("10. --", "10. Qa9"), or such a word behind the repetition. */
/* ... in a list that holds no own move. */
void grammar_find_unreadable(const struct grammar *grammar, const struct stretch *stretch,
	struct movelist_reading *reading);
/* ... on any line, where nothing else is the own move. */
void grammar_read_places(struct grammar *grammar);

/* Reads with the letters of our mails, with those of the sender's language, with English ones,
 * and when nothing else gives a whole statement with those of any language; at the ply that
 * fits best. Returns the ply that the message speaks of. */
unsigned grammar_choose(struct grammar *grammar);

/*
 * What words do in sentences about moves, in all languages: words/LANGUAGE/talk.txt for the
 * sentences, moves.txt for moves in words ("knight takes d5"). Built in, and replaced file by
 * file as command words are (config/words.h).
 *
 * A file has lines `USE: word | phrase`; a phrase may have several uses. Case does not matter;
 * words are parted by blanks alone, hyphens count as such.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base.h"

enum talk_use {
	/* Who speaks and what is done. */
	TALK_OWN = 0, /* own: "I", "my": the writer */
	TALK_WISH,    /* wish: "I'd like to": the writer, but no more than his wish */
	TALK_OTHERS,  /* others: "he", "you": the one who acts is not the writer */
	TALK_YOUR,    /* your: what belongs to others, "your", "his" */
	TALK_WHITE,   /* white, black: the side that acts */
	TALK_BLACK,
	TALK_PLAY, /* play: "play", "answer": with a writer it states a move */
	TALK_DONE, /* done: "played": states one only if nothing but the writer stands before */
	TALK_DO,   /* do: "gioco", "pelaan": the verb itself says who plays */
	TALK_MOVE, /* move: "move", "answer", "choice" as nouns */

	/* What may stand around it. */
	TALK_FILL,    /* fill: "is", "the", "with" */
	TALK_ARTICLE, /* article: "the", "on": not right in front of a bare square */
	TALK_PREP,    /* prep: "to", "for": not right in front of a move */
	TALK_SO,      /* so: "then", "ok": may lead to a move by itself */
	TALK_JOINT,   /* joint: "but", "so": what follows is a clause of its own */
	TALK_BUT,     /* but: behind a move it takes back what is only wished */
	TALK_GREET,   /* greet: "hi", "thanks": names may follow */
	TALK_CLOSE,   /* close: "regards", "thanks": may follow a move, whatever comes then */
	TALK_AFTER,   /* after: "now", "please": may end what begins with a move */
	TALK_UNIT,    /* unit: "days" */
	TALK_GAME,    /* game: a number that follows is the game's */

	/* What makes it no statement. */
	TALK_ASK,     /* ask: "can", "shall" in front of the writer make a question */
	TALK_NOT,     /* not: "not", "would": no statement in its clause */
	TALK_TALE,    /* tale: "once", "after", "variation": what is told about moves */
	TALK_MAYBE,   /* maybe: "perhaps": no statement in its sentence */
	TALK_LATER,   /* later: "tomorrow": the same */
	TALK_AWAY,    /* away: "engine", "theory": whose moves are nobody's */
	TALK_OR,      /* or */
	TALK_IF,      /* if: begins a condition */
	TALK_HEADING, /* heading: "conditional moves" stands over them */
	TALK_SERIES,  /* series: may stand between conditional moves */
	TALK_CORRECT, /* correct: "meant", "typo": another move was wrong */
	TALK_RETRACT, /* retract: "sorry", "no" at the beginning: the same */
	TALK_CANCEL,  /* cancel: "ignore this", "just kidding": the move before is not meant */
	TALK_HALT,    /* halt: "wait", "no": a whole sentence of them does the same */
	TALK_EARLIER, /* earlier: "my last mail": what is cancelled is not this one */

	/* Moves in words (moves.txt). */
	TALK_KING,
	TALK_QUEEN,
	TALK_ROOK,
	TALK_BISHOP,
	TALK_KNIGHT,
	TALK_PAWN,
	TALK_TO,       /* to: "to", "goes to" */
	TALK_TAKES,    /* takes: "takes", "takes on" */
	TALK_FROM,     /* from: "from", in front of the square that is left */
	TALK_UPON,     /* upon: "on", "the", "with the": between the words of a move */
	TALK_SHORT,    /* short-castling, long-castling, castling: whole phrases */
	TALK_LONG,     /* ... */
	TALK_CASTLING, /* ... of either kind, where only one is legal */
	TALK_PROMOTES, /* promotes: "promotes to", "=" */
	TALK_ONE,      /* one ... eight */
	TALK_EIGHT = TALK_ONE + 7,
	TALK_USES,
};

#define TALK(use) (UINT64_C(1) << (use))

struct talk;
struct talk_phrase;

struct talk *talk_new(void); /* NULL: no memory */
struct talk *talk_free(struct talk *talk);

/* The use that a file's line names; MOVES: the file is moves.txt. False if there is none. */
bool talk_use_find(const char *name, size_t size, bool moves, enum talk_use *ret_use);

/* Adds a use of a phrase (folded: see words_fold) in a language. 0, -ENOMEM, or -E2BIG for too
 * many languages or a phrase of too many words. */
MUST_CHECK int talk_add(
	struct talk *talk, const char *language, const char *folded, enum talk_use use);

#define TALK_WORDS_MAX 6 /* of a phrase */

/* The longest phrase that begins the N folded words; returns how many of them it has, or 0. */
size_t talk_match(const struct talk *talk, const char *const *words, size_t n,
	const struct talk_phrase **ret_phrase);

/* Languages are counted from 0. */
size_t talk_languages(const struct talk *talk);
/* Its number, or SIZE_MAX. */
size_t talk_language(const struct talk *talk, const char *code);

bool talk_knows(const struct talk_phrase *phrase, size_t language);

/* What a phrase does in a language (or-ed TALK(use)). Where that language does not know it, what
 * makes statements doubtful in any other counts: a German may have written to an Italian. */
uint64_t talk_uses(const struct talk *talk, const struct talk_phrase *phrase, size_t language);

/* What it does in any language. */
uint64_t talk_uses_anywhere(const struct talk *talk, const struct talk_phrase *phrase);

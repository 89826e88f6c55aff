/*
 * Moves as people write them, in and out.
 *
 * Reading never guesses: a text is a move when exactly one legal move fits it.
 * The shell has cleaned the text before (NFKC, dashes to '-', no invisible
 * characters); figurines and letters of other alphabets are UTF-8.
 */
#pragma once

#include "core/position.h"

#define NOTATION_MAX 32 /* any move in any notation with its final NUL, in bytes */

enum notation {
	NOTATION_SAN = 0, /* letters of a language, English by default */
	NOTATION_FIGURINE,
	NOTATION_LONG,   /* Ng1-f3, e7xd8=Q */
	NOTATION_ICCF,   /* 7163, castling as the king's move, fifth digit for promotions */
	NOTATION_MCLINK, /* long with R D T A C */
	NOTATION_UCI,    /* g1f3, e7d8q */
};

/* Piece letters of a language, by its two-letter code ("en", "fi", "ru", ...); NULL if
 * the language is not known. */
struct letters;
const struct letters *letters_find(const char *language, size_t size);
const char *letters_language(const struct letters *letters);

/* Writes MOVE, legal in POSITION, with its final NUL; returns the length. LETTERS may be
 * NULL for English and matters to NOTATION_SAN and NOTATION_LONG only. */
size_t move_write(const struct position *position, uint16_t move, enum notation notation,
	const struct letters *letters, char out[NOTATION_MAX]);

enum move_result {
	MOVE_READ = 0,
	MOVE_UNREADABLE, /* the text is no move in any notation */
	MOVE_ILLEGAL,    /* it reads as a move, but no legal one fits */
	MOVE_AMBIGUOUS,  /* several legal moves fit */
};

enum move_warning {                  /* or-ed */
	MOVE_WARN_FALLBACK = 1,      /* read by a fallback reading (lower-case piece, ...) */
	MOVE_WARN_OTHER_LETTERS = 2, /* letters of another language than the player's */
	MOVE_WARN_NUMBER = 4,        /* the number in front is of another move */
	MOVE_WARN_MARK = 8,          /* a mark (x, +, #) that does not fit */
};

struct move_reading {
	enum move_result result;
	uint16_t move;          /* with MOVE_READ */
	enum notation notation; /* how it was read */
	const struct letters *letters;
	uint16_t candidates[16]; /* AMBIGUOUS: what fits; ILLEGAL: near misses, all legal */
	size_t n_candidates;
	unsigned warnings;
	bool draw_offer;      /* a mark such as (=) stood behind the move */
	unsigned number;      /* the move number in front, 0 if none */
	bool number_has_dots; /* ... with the dots of a Black move ("12...") */
};

/* Reads one move of the side on move from SIZE bytes of TEXT. LETTERS is the player's
 * language or NULL when not known. */
enum move_result move_read(const struct position *position, const struct letters *letters,
	const char *text, size_t size, struct move_reading *ret_reading);

/* Strict UCI ("e2e4", "e7e8q"): the legal move, or MOVE_NONE. */
uint16_t move_from_uci(const struct position *position, const char *text, size_t size);

/*
 * Move text as people mail it: "12. Nf3 d5", "12.… d5", "15...Qe4, 16.Bb3",
 * "7163 7776", "12n Cg8-f6  12n Cg8-f6", a whole game list, or a move between words.
 *
 * Two layers. movelist_next cuts a text into tokens by their looks alone; it knows no
 * position and is what a mail grammar walks over to tell moves from prose.
 * movelist_read then reads such a stretch of text against the game so far: which part
 * repeats what has been played, which move is the sender's own.
 *
 * Offsets are bytes of the text that was handed in. The text need not be cleaned: dashes,
 * wide forms, figurines' selectors and invisible characters are folded on the way.
 */
#pragma once

#include "core/notation.h"
#include "core/position.h"

enum movelist_kind {
	MOVELIST_MOVE = 0, /* has the shape of a move in some notation of some language */
	MOVELIST_NUMBER,   /* a move number with no move behind it ("12." at the end of a text) */
	MOVELIST_RESULT,   /* 1-0, 0-1, 1/2-1/2, 1/2, *; see token.result */
	MOVELIST_MARK,     /* "(=)", "=", "!?", "$14" with no move in front of it */
	MOVELIST_COMMENT,  /* {...}, or ; and the rest of the line */
	MOVELIST_WORD,     /* anything else between blanks */
};

/* What a move looks like. Prose holds FILES ("be", "ed") and now and then SQUARE ("a4") and
 * NUMERIC ("1842") by chance; the others hardly ever. */
enum movelist_shape {
	MOVELIST_SHAPE_NONE = 0,
	MOVELIST_SHAPE_PIECE,      /* Nf3, Nbd2, N x f3, Ng1-f3 */
	MOVELIST_SHAPE_PAWN,       /* exd5, ed5, e8=Q */
	MOVELIST_SHAPE_SQUARE,     /* e4 */
	MOVELIST_SHAPE_COORDINATE, /* e2e4, e2-e4, e7e8q */
	MOVELIST_SHAPE_FILES,      /* ed, exd */
	MOVELIST_SHAPE_NUMERIC,    /* 5254, 52-54, 57581 */
	MOVELIST_SHAPE_CASTLING,   /* O-O, 0-0-0 */
};

struct movelist_token {
	enum movelist_kind kind;
	enum movelist_shape shape; /* of a MOVE */
	size_t at, size;           /* all of it: number, move, marks behind */
	size_t move_at, move_size; /* without the number; move_read takes these bytes */
	unsigned number;           /* the move number in front; 0: none */
	unsigned dots;             /* dots behind the number: 1 "12.", 2 and more "12..." */
	char colour;     /* MC-link's letter behind the number: 'b' white, 'n' black; or 0 */
	char result[8];  /* of a RESULT: "1-0", "0-1", "1/2-1/2" or "*" */
	unsigned line;   /* from 0 */
	unsigned depth;  /* round brackets open around it ("(e4)" alone has none) */
	bool draw_offer; /* an offer's mark: "(=)" or a lone "=" */
	bool move_like;  /* a WORD that may be a mistyped move: "Zf3", "Nf9", "Nf3Nf6" */
	bool check_word, passing_word; /* "ch", "mate", "e.p." behind the move belong to it */
	bool cross;                    /* of a MOVE: it holds a mark of capture */
};

struct movelist_scan {
	const char *text;
	size_t size;
	size_t at;
	unsigned line;
	unsigned depth;
	bool line_begun; /* something stands before .at on its line */
};

static inline struct movelist_scan movelist_scan(const char *text, size_t size)
{
	return (struct movelist_scan){.text = text, .size = size};
}

/* The next token; false at the end of the text. Linear in the text's size over all calls. */
MUST_CHECK bool movelist_next(struct movelist_scan *scan, struct movelist_token *ret_token);

/* The game that a text is read against. MOVES have been made from START; the next move is
 * the sender's own. With only the last move known: START the position before it, one move. */
struct movelist_game {
	const struct position *start;
	const uint16_t *moves;
	size_t n_moves;
	const struct letters *letters; /* the sender's language, NULL when not known */
};

enum movelist_repetition {
	MOVELIST_REPETITION_NONE = 0, /* nothing of what was played is repeated */
	MOVELIST_REPETITION_RIGHT, /* it ends with the opponent's last move, all as it was played */
	MOVELIST_REPETITION_WRONG, /* what stands for the opponent's last move is another move */
	MOVELIST_REPETITION_CONTRADICTS, /* the last move is right, an earlier one is not */
};

enum movelist_own {
	MOVELIST_OWN_NONE = 0, /* the text holds no own move */
	MOVELIST_OWN_ONE,      /* one; see .own, which may be read, illegal, ambiguous ... */
	MOVELIST_OWN_TWICE,    /* stated twice alike, as MC-link demands (4.6) */
	MOVELIST_OWN_DIFFERS,  /* stated twice, differently; .own is the first, .other the second */
	MOVELIST_OWN_PAST,   /* the number (or the text as a whole) belongs to a ply already made */
	MOVELIST_OWN_FUTURE, /* the number belongs to a ply that is not reached yet */
};

#define MOVELIST_FURTHER_MAX 16

struct movelist_reading {
	enum movelist_repetition repetition;
	size_t n_repeated;          /* moves of the text that repeat the game, right or wrong */
	struct movelist_token last; /* what was taken for the opponent's last move */
	struct move_reading last_reading; /* ... read in the position before it */
	size_t wrong_ply; /* WRONG, CONTRADICTS: the first ply (from 0) that differs */

	enum movelist_own own_state;
	struct movelist_token own_token;
	struct move_reading own;
	struct move_reading other; /* OWN_DIFFERS: what the second statement reads as */
	struct movelist_token other_token;
	size_t past_ply; /* OWN_PAST: the ply (from 0) that its number names */
	bool past_same;  /* ... and the text reads as the move that was made there */

	uint16_t further[MOVELIST_FURTHER_MAX]; /* legal moves that follow the own move in the text,
						 */
	size_t n_further;    /* an unmarked continuation: never played by itself */
	bool further_faulty; /* ... and then a move that cannot be read or made */

	size_t n_words;  /* tokens that are no part of move text */
	size_t word_at;  /* where the first of them stands */
	bool draw_offer; /* a mark behind the own move or standing alone */
	char result[8];  /* a result token in the text, or "" */
};

/* Reads SIZE bytes of TEXT, one line or many. Words are counted and skipped: a caller that
 * wants pure move text refuses when n_words is not 0. Comments are skipped, and so are moves in
 * round brackets unless there are no others; they count as words, but for the own move in a
 * second notation. Numbers decide which ply a move stands for; without numbers a first
 * move that equals the opponent's last and is followed by another repeats it. */
void movelist_read(const struct movelist_game *game, const char *text, size_t size,
	struct movelist_reading *ret_reading);

/* The position before ply PLY (0 is the start); PLY at most n_moves. */
struct position movelist_position(const struct movelist_game *game, size_t ply);

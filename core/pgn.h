/*
 * PGN in and out.
 *
 * Writing knows three styles: the standard's export format, IECC's records (guidelines
 * 12.3-12.5: "1.e4 e5") and RAZSh's reports (section III, appendix 4). Movetext never holds
 * words: only numbers, SAN and the result.
 *
 * Reading is strict about moves and tolerant about layout: it is for validating files and
 * for the thematic starts of tournament files.
 */
#pragma once

#include "core/fen.h"
#include "core/position.h"

enum pgn_style {
	PGN_EXPORT = 0, /* the standard's export format */
	PGN_IECC,       /* no blank behind the number; Site "IECC" when not given */
	PGN_ICCF,       /* PlyCount and EventDate added; Site "ICCF Email" when not given */
};
/* "export", "iecc", "iccf"; false when it is none of them. */
MUST_CHECK bool pgn_style_find(const char *name, size_t size, enum pgn_style *ret_style);
/* By index; NULL behind the last. */
const char *pgn_style_name(size_t index);

struct pgn_tag {
	const char *name; /* a letter, then letters, digits and underscores */
	const char
		*value; /* any UTF-8; quotes and backslashes are escaped, controls become blanks */
};

struct pgn_game {
	const struct pgn_tag *tags; /* in any order; the seven are put first, others keep theirs */
	size_t n_tags;              /* Result, SetUp, FEN and PlyCount are written from below */
	const struct position *start; /* NULL or the usual one: no SetUp and FEN */
	const uint16_t *moves;
	size_t n_moves;
	const char *result; /* "1-0", "0-1", "1/2-1/2" or "*" */
};

/* Writes the game with its final NUL into OUT. Returns the length that the whole has; if that
 * is CAP or more, the text was cut (as snprintf does). Lines end in LF and are shorter than 80
 * columns; the text ends with an empty line. */
size_t pgn_write(const struct pgn_game *game, enum pgn_style style, char *out, size_t cap);

/* Only the numbered moves, in one line or wrapped at WIDTH columns (0: no wrapping), without
 * a result: for mails. The same return as pgn_write. */
size_t movetext_write(const struct position *start, const uint16_t *moves, size_t n_moves,
	enum pgn_style style, size_t width, char *out, size_t cap);

enum movetext_fault {
	MOVETEXT_FINE = 0,
	MOVETEXT_ILLEGAL,
	MOVETEXT_AMBIGUOUS,
	MOVETEXT_UNREADABLE,
	MOVETEXT_NUMBER,  /* a move number that does not fit */
	MOVETEXT_BRACKET, /* a comment or variation that does not end */
	MOVETEXT_LENGTH,  /* more moves than the caller has room for */
};
const char *movetext_fault_text(enum movetext_fault fault);

/* Reads movetext ("1.e4 c5 2.Nf3", numbers optional; comments, NAGs and variations are
 * skipped; a result ends it) from POSITION on. On success the moves and their number; on a
 * fault *ret_n is the number of good moves before it and *ret_at its offset. */
MUST_CHECK enum movetext_fault movetext_read(const struct position *position, const char *text,
	size_t size, uint16_t *moves, size_t max, size_t *ret_n, size_t *ret_at);

/* A file of games, read one after the other from memory. */
struct pgn_scan {
	const char *text;
	size_t size;
	size_t at;
	size_t line; /* of .at, from 1 */
};

struct pgn_slice {
	const char *at;
	size_t size;
};

enum pgn_fault {
	PGN_FINE = 0,
	PGN_FAULT_TAG,      /* a tag pair that is not well formed */
	PGN_FAULT_FEN,      /* a FEN tag that is no position */
	PGN_FAULT_MOVE,     /* see .move_fault and .ply */
	PGN_FAULT_RESULT,   /* the result behind the moves differs from the tag */
	PGN_FAULT_NO_RESULT /* the movetext has no result (and a tag says there is one) */
};

#define PGN_TAGS_MAX 64
#define PGN_MOVES_MAX 6000

struct pgn_record {
	struct {
		struct pgn_slice name, value; /* the value as it stands, escapes not undone */
	} tags[PGN_TAGS_MAX];
	size_t n_tags;
	struct position start, end;
	uint16_t moves[PGN_MOVES_MAX];
	size_t n_moves;
	struct pgn_slice result;
	size_t line; /* of the first tag or move */

	enum pgn_fault fault; /* the first one; moves before it are good */
	enum movetext_fault move_fault;
	size_t ply;        /* PGN_FAULT_MOVE: from 1 */
	size_t fault_line; /* from 1 */
	struct pgn_slice faulty;
};

/* The next game; false when there is none left. */
MUST_CHECK bool pgn_next(struct pgn_scan *scan, struct pgn_record *ret_record);
/* The value of a tag, or NULL in .at. */
struct pgn_slice pgn_tag_value(const struct pgn_record *record, const char *name);

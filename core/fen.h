/*
 * FEN in and out (PGN standard, 16.1).
 */
#pragma once

#include "core/position.h"

#define FEN_MAX 100 /* a FEN with its final NUL always fits */

/* Why a FEN was refused; fen_fault_text names it in words. */
enum fen_fault {
	FEN_FINE = 0,
	FEN_FAULT_SYNTAX,   /* a field is missing, too long or has a wrong character */
	FEN_FAULT_KINGS,    /* not one king each, or kings that touch */
	FEN_FAULT_PAWNS,    /* a pawn on the first or last rank, or more than eight */
	FEN_FAULT_PIECES,   /* more than sixteen pieces of a side */
	FEN_FAULT_CHECK,    /* the side that is not on move is in check */
	FEN_FAULT_CASTLING, /* a right without its king or rook in place */
	FEN_FAULT_EN_PASSANT,
	FEN_FAULT_COUNTERS,
};

/* Reads SIZE bytes of TEXT (four to six fields; missing counters are 0 and 1).
 * Returns 0, or the fault and sets *ret_at to the offset of the byte that is wrong. */
MUST_CHECK enum fen_fault fen_parse(
	const char *text, size_t size, struct position *ret_position, size_t *ret_at);
/* As fen_parse, but the side that is not on move may be in check, as in some diagrams: enough
 * to read a move in. A king is never taken. */
MUST_CHECK enum fen_fault fen_parse_loosely(
	const char *text, size_t size, struct position *ret_position, size_t *ret_at);
const char *fen_fault_text(enum fen_fault fault);

/* Writes the position with its final NUL and returns the length. The en-passant square is
 * written only if a legal capture exists, so that equal positions have equal FENs. */
size_t fen_write(const struct position *position, char out[FEN_MAX]);

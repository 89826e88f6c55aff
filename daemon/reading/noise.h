/*
 * What stands between moves and means nothing there: inside of the grammar.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Blanks out dates, times and the strokes of a table in SIZE bytes of a line; returns whether
 * there were any. Diagrams stay. */
bool noise_mask(char *line, size_t size);

/* Puts a semicolon between a move and a word that are written on to each other ("Hello.Nd7"), and
 * a comma between two moves ("12.g5/Nd7"). */
void noise_unglue(char *line, size_t size);

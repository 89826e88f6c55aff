/*
 * Text folded to what matters in a move: the few characters in which people and mail programs
 * differ (dashes, blanks, wide and mathematical letters, crosses, dots) become ASCII, invisible
 * ones vanish, the signs of chess annotation become '!'. Figurines and letters stay.
 *
 * The shell cleans mail with full Unicode tables before; folding what is clean changes nothing.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base.h"

#define FOLD_MAX 3           /* symbols that one character can become */
#define FOLD_INVALID 0xfffdU /* stands for bytes that are no UTF-8 */
#define FOLD_ANNOTATION '!'

/* One character of UTF-8 at *AT, which moves behind it; SIZE is not passed. */
uint32_t fold_decode(const char *text, size_t size, size_t *at);

/* Folds the character at *AT into up to FOLD_MAX symbols and returns their number. Blanks of
 * all kinds become ' ', ends of lines '\n'. */
size_t fold_next(const char *text, size_t size, size_t *at, uint32_t ret_symbols[FOLD_MAX]);

/* The Latin letter that a Cyrillic one looks like, or 0; and the reverse. */
uint32_t fold_latin_twin(uint32_t symbol);
uint32_t fold_cyrillic_twin(uint32_t symbol);

/* Upper case of Latin and Cyrillic letters; other symbols as they are. */
uint32_t fold_upper(uint32_t symbol);
bool fold_is_letter(uint32_t symbol);

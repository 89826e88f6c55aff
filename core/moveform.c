#include "core/moveform.h"

#include <string.h>

#include "core/fold.h"
#include "core/letters.h"

/* Where a parse stands. */
struct look {
	const uint32_t *symbols;
	size_t n, at;
};

static uint32_t symbol_at(const struct look *l, size_t ahead)
{
	return l->at + ahead < l->n ? l->symbols[l->at + ahead] : 0;
}

/* The file of a letter in either alphabet and case, or MOVEFORM_ANY. */
static uint8_t file_of(uint32_t symbol, bool *ret_capital)
{
	uint32_t twin = symbol > 0x7f ? fold_latin_twin(symbol) : symbol;

	*ret_capital = twin >= 'A' && twin <= 'H';
	twin |= 0x20;
	return twin >= 'a' && twin <= 'h' ? (uint8_t)(twin - 'a') : MOVEFORM_ANY;
}

static bool take_file(struct look *l, uint8_t *ret_file, bool *ret_capital)
{
	uint8_t file = file_of(symbol_at(l, 0), ret_capital);

	if (file == MOVEFORM_ANY)
		return false;
	*ret_file = file;
	l->at++;
	return true;
}

static bool take_rank(struct look *l, uint8_t *ret_rank)
{
	uint32_t symbol = symbol_at(l, 0);

	if (symbol < '1' || symbol > '8')
		return false;
	*ret_rank = (uint8_t)(symbol - '1');
	l->at++;
	return true;
}

static bool is_cross(uint32_t symbol)
{
	return symbol == 'x' || symbol == 'X' || symbol == ':' || symbol == '*' ||
	       symbol == 0x445 || symbol == 0x425;
}

static bool take_separator(struct look *l, bool *ret_capture)
{
	uint32_t symbol = symbol_at(l, 0);

	if (is_cross(symbol))
		*ret_capture = true;
	else if (symbol != '-')
		return false;
	l->at++;
	return true;
}

/* Capital letters that stand for a piece in some language (letters_all); a letter of the other
 * alphabet that looks like one of them will do. */
#define LATIN_PIECES "ABCDFGHJKLNOPQRSTVW"

static bool is_piece_letter(uint32_t symbol)
{
	uint32_t capital = fold_upper(symbol), twin;

	if (capital < 0x80)
		return capital && strchr(LATIN_PIECES, (int)capital);
	if (letters_figurine(symbol))
		return true;
	twin = fold_latin_twin(capital);
	if (twin && twin < 0x80 && strchr(LATIN_PIECES, (int)twin))
		return true;
	for (size_t i = 0; i < LETTERS_COUNT; i++)
		if (letters_all[i].cyrillic && letters_piece(&letters_all[i], capital))
			return true;
	return false;
}

/* К or K followed by р or p, in any case. */
static bool is_king_pair(uint32_t first, uint32_t second)
{
	return (first == 'K' || first == 'k' || first == 0x41a || first == 0x43a) &&
	       (second == 'p' || second == 'P' || second == 0x440 || second == 0x420);
}

/* =Q, Q, (Q), =(Q), /Q, and a check mark before it; at the end of the symbols. */
static bool take_promotion(struct look *l, uint32_t *ret_letter)
{
	bool bracket = false;
	uint32_t letter;

	while (symbol_at(l, 0) == '+' || symbol_at(l, 0) == '#')
		l->at++;
	if (symbol_at(l, 0) == '=' || symbol_at(l, 0) == '/')
		l->at++;
	if (symbol_at(l, 0) == '(') {
		bracket = true;
		l->at++;
		if (symbol_at(l, 0) == '=')
			l->at++;
	}
	letter = symbol_at(l, 0);
	if (!letter || !is_piece_letter(letter))
		return false;
	if (is_king_pair(letter, symbol_at(l, 1)))
		return false;
	l->at++;
	if (bracket && symbol_at(l, 0) == ')')
		l->at++;
	*ret_letter = letter;
	return l->at == l->n;
}

struct forms {
	struct moveform *list;
	size_t n;
};

static void add(struct forms *forms, const struct moveform *form)
{
	if (forms->n < MOVEFORM_MAX)
		forms->list[forms->n++] = *form;
}

/* The end of a form: nothing more, or a promotion. */
static bool take_end(struct look *l, struct moveform *form)
{
	return l->at == l->n || take_promotion(l, &form->promotion);
}

static enum movelist_shape shape_of(const struct moveform *form)
{
	if (form->to_rank == MOVEFORM_ANY)
		return form->promotion ? MOVELIST_SHAPE_PAWN : MOVELIST_SHAPE_FILES;
	if (form->letter)
		return MOVELIST_SHAPE_PIECE;
	if (form->from_file != MOVEFORM_ANY && form->from_rank != MOVEFORM_ANY)
		return MOVELIST_SHAPE_COORDINATE;
	if (form->from_file == MOVEFORM_ANY && !form->promotion && !form->capture)
		return MOVELIST_SHAPE_SQUARE;
	return MOVELIST_SHAPE_PAWN;
}

/* A pawn's capture by files alone, or with the square: the files must lie side by side where
 * nothing else shows that a move is meant. */
static bool pawn_files_fit(const struct moveform *form)
{
	int step = form->from_file - form->to_file;

	if (form->letter || form->from_file == MOVEFORM_ANY || form->from_rank != MOVEFORM_ANY)
		return true;
	if (form->to_rank == MOVEFORM_ANY)
		return (step == 1 || step == -1) &&
		       (!form->promotion || fold_upper(form->promotion) == form->promotion);
	return step != 0 || (form->capture && !form->capital_file);
}

static void add_if_whole(struct forms *forms, struct look l, struct moveform form)
{
	if (!take_end(&l, &form) || !pawn_files_fit(&form))
		return;
	form.shape = shape_of(&form);
	add(forms, &form);
}

/* From here on [file][rank], a separator and the square, or the square alone. */
static void add_squares(struct forms *forms, struct look l, struct moveform form)
{
	struct look start = l, next;
	bool from_capital = false, to_capital = false;

	if (take_separator(&l, &form.capture) && take_file(&l, &form.to_file, &to_capital) &&
		take_rank(&l, &form.to_rank)) {
		if (form.letter || form.capture)
			add_if_whole(forms, l, form);
		return;
	}
	l = start;
	if (take_file(&l, &form.to_file, &to_capital) && take_rank(&l, &form.to_rank)) {
		struct moveform single = form;

		single.capital_file = to_capital && !form.letter;
		add_if_whole(forms, l, single);
	}
	l = start;
	form.to_file = form.to_rank = MOVEFORM_ANY;
	(void)take_file(&l, &form.from_file, &from_capital);
	next = l;
	if (take_rank(&l, &form.from_rank)) {
		struct moveform full = form;
		struct look after = l;

		(void)take_separator(&after, &full.capture);
		if ((form.letter || form.from_file != MOVEFORM_ANY) &&
			take_file(&after, &full.to_file, &to_capital) &&
			take_rank(&after, &full.to_rank)) {
			full.capital_file = from_capital && !to_capital && !form.letter;
			add_if_whole(forms, after, full);
		}
	}
	l = next;
	form.from_rank = MOVEFORM_ANY;
	if (form.from_file == MOVEFORM_ANY)
		return;
	(void)take_separator(&l, &form.capture);
	if (!take_file(&l, &form.to_file, &to_capital))
		return;
	form.capital_file = from_capital && !form.letter;
	next = l;
	if (take_rank(&l, &form.to_rank))
		add_if_whole(forms, l, form);
	form.to_rank = MOVEFORM_ANY;
	if (!form.letter)
		add_if_whole(forms, next, form);
}

static bool is_zero(uint32_t symbol)
{
	return symbol == 'O' || symbol == 'o' || symbol == '0' || symbol == 0x41e ||
	       symbol == 0x43e;
}

static bool add_castling(struct forms *forms, const struct look *l)
{
	struct moveform form = {.shape = MOVELIST_SHAPE_CASTLING};
	size_t dashes = 0;

	if (l->n == 1 && l->symbols[0] == MOVEFORM_CASTLES_SYMBOL) {
		form.castling = 1;
		add(forms, &form);
		return true;
	}
	for (size_t i = 0; i < l->n; i++) {
		if (is_zero(l->symbols[i]))
			form.castling++;
		else if (l->symbols[i] == '-' && i && is_zero(l->symbols[i - 1]))
			dashes++;
		else
			return false;
	}
	if (form.castling < 2 || form.castling > 3 || !is_zero(l->symbols[l->n - 1]) ||
		(dashes && dashes + 1 != form.castling))
		return false;
	add(forms, &form);
	return true;
}

static bool is_coordinate(uint32_t symbol)
{
	return symbol >= '1' && symbol <= '8';
}

/* 5254, 52-54, 57581, 5758-1, 57-58-1. */
static bool add_numeric(struct forms *forms, const struct look *l)
{
	uint32_t digits[5];
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++) {
		if (l->symbols[i] == '-' && n && (n == 2 || n == 4) && i + 1 < l->n)
			continue;
		if (!is_coordinate(l->symbols[i]) || n == 5)
			return false;
		digits[n++] = l->symbols[i];
	}
	if (n < 4 || (n == 5 && digits[4] > '4'))
		return false;
	add(forms, &(struct moveform){
			   .shape = MOVELIST_SHAPE_NUMERIC,
			   .from_file = (uint8_t)(digits[0] - '1'),
			   .from_rank = (uint8_t)(digits[1] - '1'),
			   .to_file = (uint8_t)(digits[2] - '1'),
			   .to_rank = (uint8_t)(digits[3] - '1'),
			   .promotion = n == 5 ? digits[4] : 0,
		   });
	return true;
}

size_t moveform_parse(const uint32_t *symbols, size_t n, struct moveform ret_forms[MOVEFORM_MAX])
{
	const struct moveform none = {.from_file = MOVEFORM_ANY,
		.from_rank = MOVEFORM_ANY,
		.to_file = MOVEFORM_ANY,
		.to_rank = MOVEFORM_ANY};
	struct forms forms = {.list = ret_forms};
	struct look l = {.symbols = symbols, .n = n};
	struct moveform form = none;

	if (!n || add_castling(&forms, &l) || add_numeric(&forms, &l))
		return forms.n;
	add_squares(&forms, l, form);
	if (is_king_pair(symbol_at(&l, 0), symbol_at(&l, 1))) {
		form.letter = symbols[0];
		form.two_letters = true;
		l.at = 2;
		add_squares(&forms, l, form);
		return forms.n;
	}
	if (is_piece_letter(symbols[0])) {
		form.letter = symbols[0];
		l.at = 1;
		add_squares(&forms, l, form);
	}
	return forms.n;
}

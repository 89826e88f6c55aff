#include "core/movelist.h"

#include <string.h>

#include "core/fold.h"
#include "core/letters.h"
#include "core/moveform.h"

/* The text ahead, folded; runs of blanks are one blank, with an end of line in them '\n'. A
 * move with all its marks is shorter than this. */
#define WINDOW 96
struct window {
	uint32_t symbols[WINDOW];
	size_t at[WINDOW + 1]; /* where each symbol begins; [n] where the window ends */
	size_t n;
};

static void window_put(struct window *w, uint32_t symbol, size_t at)
{
	bool blank = symbol == ' ' || symbol == '\n';

	if (blank && w->n && (w->symbols[w->n - 1] == ' ' || w->symbols[w->n - 1] == '\n')) {
		if (symbol == '\n')
			w->symbols[w->n - 1] = symbol;
		return;
	}
	w->symbols[w->n] = symbol;
	w->at[w->n++] = at;
}

static void window_fill(struct window *w, const struct movelist_scan *scan)
{
	size_t at = scan->at;

	w->n = 0;
	while (at < scan->size && w->n + FOLD_MAX <= WINDOW) {
		uint32_t symbols[FOLD_MAX];
		size_t start = at, n = fold_next(scan->text, scan->size, &at, symbols);

		for (size_t i = 0; i < n; i++)
			window_put(w, symbols[i], start);
	}
	w->at[w->n] = at;
}

static uint32_t window_symbol(const struct window *w, size_t i)
{
	return i < w->n ? w->symbols[i] : 0;
}

static bool is_space(uint32_t symbol)
{
	return !symbol || symbol == ' ' || symbol == '\n';
}

static bool is_digit(uint32_t symbol)
{
	return symbol >= '0' && symbol <= '9';
}

static bool is_wrapper(uint32_t symbol)
{
	return symbol && symbol < 0x80 && strchr("\"'`*_~[", (int)symbol);
}

/* The end of the run of symbols that begins at I. Dots in a row begin a new one: "e4...e5". */
static size_t atom_end(const struct window *w, size_t i)
{
	uint32_t before = 0, symbol;

	for (;; i++) {
		symbol = window_symbol(w, i);
		if (is_space(symbol) || symbol == ',' || symbol == ';' || symbol == '{')
			return i;
		if (symbol == '.' && window_symbol(w, i + 1) == '.' && before && before != '.')
			return i;
		before = symbol;
	}
}

static bool symbols_are(const uint32_t *symbols, size_t n, const char *text)
{
	size_t at = 0, size = strlen(text), i = 0;

	while (at < size) {
		uint32_t wanted = fold_decode(text, size, &at);

		if (i == n || fold_upper(symbols[i]) != fold_upper(wanted))
			return false;
		i++;
	}
	return i == n;
}

static bool symbols_in(const uint32_t *symbols, size_t n, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (symbols_are(symbols, n, words[i]))
			return true;
	return false;
}

/* Words for check and mate in the mail languages. */
static const char *const check_words[] = {"ch", "ch.", "dis.ch", "dis.ch.", "dbl.ch", "dbl.ch.",
	"check", "checkmate", "mate", "shakki", "šakki", "shakkimatti", "šakkimatti", "matti",
	"scacco", "matto", "шах", "шах.", "мат", "мат."};
static const char *const passing_words[] = {"e.p.", "e.p", "ep", "ep.", "(ep)", "(e.p.)", "(e.p)"};

/* The symbols of a move being gathered. */
struct gather {
	struct movecore core;
	size_t end; /* in the window: behind the last symbol used */
	bool draw_offer;
};

static bool gather_put(struct gather *g, const struct window *w, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		if (g->core.n == MOVEFORM_SYMBOLS)
			return false;
		g->core.symbols[g->core.n++] = w->symbols[i];
	}
	g->end = to;
	return true;
}

static bool ends_with(const struct movecore *core, const char *text)
{
	size_t n = strlen(text);

	return core->n > n && symbols_are(core->symbols + core->n - n, n, text);
}

/* Evaluations end in signs that mean other things alone; longer ones first. */
static const char *const evaluations[] = {
	"+/-", "-/+", "+/=", "=/+", "+-", "-+", "+=", "=+", "+--", "--+"};

static size_t evaluation_length(const struct movecore *core)
{
	for (size_t i = 0; i < ARRAY_SIZE(evaluations); i++)
		if (ends_with(core, evaluations[i]))
			return strlen(evaluations[i]);
	return 0;
}

static size_t nag_length(const struct movecore *core)
{
	size_t n = 0;

	while (n < core->n && is_digit(core->symbols[core->n - n - 1]))
		n++;
	return n && n < core->n && core->symbols[core->n - n - 1] == '$' ? n + 1 : 0;
}

/* "ep" and "ch" written on to the square. */
static size_t glued_word_length(struct movecore *core)
{
	static const char *const words[] = {"e.p", "ep", "mate", "dbl.ch", "dblch", "dis.ch", "ch"};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		size_t n = strlen(words[i]);

		if (!ends_with(core, words[i]) || !is_digit(core->symbols[core->n - n - 1]))
			continue;
		core->passing = core->passing || i < 2;
		core->mate = core->mate || i == 2;
		core->check = core->check || i > 2;
		return n;
	}
	return 0;
}

static bool has_symbol(const struct movecore *core, uint32_t symbol)
{
	for (size_t i = 0; i < core->n; i++)
		if (core->symbols[i] == symbol)
			return true;
	return false;
}

/* How many symbols of marks end the core; 0 when none is left. */
static size_t mark_length(struct gather *g)
{
	struct movecore *core = &g->core;
	uint32_t last = core->symbols[core->n - 1];
	size_t n = evaluation_length(core);

	if (n)
		return n;
	if (ends_with(core, "(=)")) {
		g->draw_offer = true;
		return 3;
	}
	if (ends_with(core, "(ep)") || ends_with(core, "(e.p.)")) {
		core->passing = true;
		return ends_with(core, "(ep)") ? 4 : 6;
	}
	if (last == '=') {
		g->draw_offer = true;
		return 1;
	}
	if (last == '+' || last == '#') {
		core->mate = core->mate || last == '#';
		core->check = core->check || last == '+';
		return 1;
	}
	if (last == ')')
		return has_symbol(core, '(') ? 0 : 1;
	if (last < 0x80 && strchr("!?.:\"'`*_~]", (int)last))
		return 1;
	n = nag_length(core);
	return n ? n : glued_word_length(core);
}

/* Takes wrappers off the front and marks off the end. */
static void gather_strip(struct gather *g)
{
	struct movecore *core = &g->core;
	size_t front = 0, n;

	while (front < core->n && (is_wrapper(core->symbols[front]) || core->symbols[front] == '('))
		front++;
	core->n -= front;
	memmove(core->symbols, core->symbols + front, core->n * sizeof(*core->symbols));
	while (core->n && (n = mark_length(g)))
		core->n -= n;
}

static bool is_capital_piece(const uint32_t *symbols, size_t n)
{
	uint32_t letter = symbols[0];

	if (n == 2) /* Кр */
		return (letter == 0x41a || letter == 'K') &&
		       (symbols[1] == 0x440 || symbols[1] == 'p');
	if (n != 1)
		return false;
	if (letters_figurine(letter))
		return true;
	if (fold_upper(letter) != letter)
		return false;
	for (size_t i = 0; i < LETTERS_COUNT; i++)
		if (letters_piece(&letters_all[i], letter))
			return true;
	return false;
}

static bool is_cross_or_dash(uint32_t symbol)
{
	return symbol == 'x' || symbol == 'X' || symbol == ':' || symbol == '-' ||
	       symbol == 0x445 || symbol == 0x425;
}

static bool ends_on_last_rank(const struct movecore *core)
{
	size_t n = core->n;

	n -= n && core->symbols[n - 1] == '=';
	return n > 1 && (core->symbols[n - 1] == '1' || core->symbols[n - 1] == '8') &&
	       fold_is_letter(core->symbols[n - 2]);
}

/* "Q", "Q+": a piece to promote to, with marks. */
static bool is_promotion_atom(const uint32_t *symbols, size_t n)
{
	while (n > 1 && symbols[n - 1] < 0x80 && strchr("+#!?.", (int)symbols[n - 1]))
		n--;
	return is_capital_piece(symbols, n);
}

/* A pawn's step to the last rank in digits, and the digit of the piece behind a blank. */
static bool is_promotion_digit(const struct gather *g, const struct window *w, size_t at)
{
	const uint32_t *digits = g->core.symbols;

	return g->core.n == 4 &&
	       ((digits[1] == '7' && digits[3] == '8') || (digits[1] == '2' && digits[3] == '1')) &&
	       is_digit(digits[0]) && is_digit(digits[2]) && window_symbol(w, at) >= '1' &&
	       window_symbol(w, at) <= '4' && atom_end(w, at) == at + 1 &&
	       !(window_symbol(w, at + 1) == ' ' && is_digit(window_symbol(w, at + 2)));
}

/* Joins what follows after a blank when it may be the rest of the same move: "N f3", "B x f7",
 * "O - O", "e8 = Q", "e8 (Q)". */
static bool gather_join(struct gather *g, const struct window *w)
{
	size_t start = g->end + 1, end, after;

	if (window_symbol(w, g->end) != ' ')
		return false;
	/* The blank lies in the window, so this is at most its end. */
	const uint32_t *next = w->symbols + start;
	end = atom_end(w, start);
	if (end == start)
		return false;
	after = window_symbol(w, end) == ' ' ? atom_end(w, end + 1) : end;
	if (end == start + 1 && is_cross_or_dash(*next) && after > end + 1)
		return gather_put(g, w, start, end) && gather_put(g, w, end + 1, after);
	if (is_capital_piece(g->core.symbols, g->core.n))
		return gather_put(g, w, start, end);
	if (is_promotion_digit(g, w, start))
		return gather_put(g, w, start, end);
	if (!ends_on_last_rank(&g->core))
		return false;
	if (end == start + 1 && (*next == '=' || *next == '/') && after > end + 1)
		return gather_put(g, w, start, end) && gather_put(g, w, end + 1, after);
	if (*next == '=' || *next == '/' || *next == '(' || is_promotion_atom(next, end - start))
		return gather_put(g, w, start, end);
	return false;
}

/* "52 54": two pairs of digits are one move, unless a third pair makes the first a number. */
static bool gather_pair(struct gather *g, const struct window *w)
{
	size_t start = g->end + 1;

	if (g->core.n != 2 || window_symbol(w, g->end) != ' ' || atom_end(w, start) != start + 2)
		return false;
	for (size_t i = 0; i < 2; i++)
		if (!is_digit(g->core.symbols[i]) || !is_digit(w->symbols[start + i]))
			return false;
	if (window_symbol(w, start + 2) == ' ' && is_digit(window_symbol(w, start + 3)) &&
		is_digit(window_symbol(w, start + 4)) && !is_digit(window_symbol(w, start + 5)))
		return false;
	return gather_put(g, w, start, start + 2);
}

static bool is_mark_atom(const struct window *w, size_t from, size_t to)
{
	if (w->symbols[from] == '$') {
		for (from++; from < to; from++)
			if (!is_digit(w->symbols[from]))
				return false;
		return true;
	}
	bool dashes = true; /* "--" is no mark: some write it for a null move */

	for (; from < to; from++) {
		if (w->symbols[from] >= 0x80 || !strchr("!?+-=#/().:", (int)w->symbols[from]))
			return false;
		dashes = dashes && w->symbols[from] == '-';
	}
	return !dashes;
}

static bool is_draw_mark(const struct window *w, size_t from, size_t to)
{
	while (from < to && strchr("!?.:", (int)w->symbols[to - 1]))
		to--;
	return symbols_are(w->symbols + from, to - from, "=") ||
	       symbols_are(w->symbols + from, to - from, "(=)");
}

/* Marks and words behind the move that belong to it. */
static void gather_marks(struct gather *g, const struct window *w, struct movelist_token *token)
{
	while (window_symbol(w, g->end) == ' ') {
		size_t start = g->end + 1, end = atom_end(w, start), after;
		const uint32_t *symbols = w->symbols + start;

		if (end == start)
			return;
		after = window_symbol(w, end) == ' ' ? atom_end(w, end + 1) : end;
		if (is_mark_atom(w, start, end)) {
			g->draw_offer = g->draw_offer || is_draw_mark(w, start, end);
		} else if (symbols_in(symbols, end - start, check_words, ARRAY_SIZE(check_words))) {
			token->check_word = true;
		} else if (symbols_in(symbols, end - start, passing_words,
				   ARRAY_SIZE(passing_words))) {
			token->passing_word = true;
		} else if (symbols_are(symbols, after - start, "en passant")) {
			token->passing_word = true;
			end = after;
		} else {
			return;
		}
		g->end = end;
	}
}

/* Tries a move at symbol I: the longest joining that has the form of one. */
static bool gather_move(
	const struct window *w, size_t i, struct gather *ret_gather, struct movelist_token *token)
{
	struct moveform forms[MOVEFORM_MAX];
	struct gather tries[6];
	size_t n = 1;

	tries[0] = (struct gather){.end = i};
	if (!gather_put(&tries[0], w, i, atom_end(w, i)) || !tries[0].core.n)
		return false;
	while (n < ARRAY_SIZE(tries)) {
		tries[n] = tries[n - 1];
		if (!gather_join(&tries[n], w) && !gather_pair(&tries[n], w))
			break;
		n++;
	}
	while (n--) {
		gather_strip(&tries[n]);
		if (!moveform_parse(tries[n].core.symbols, tries[n].core.n, forms))
			continue;
		token->kind = MOVELIST_MOVE;
		token->shape = forms[0].shape;
		token->cross = forms[0].capture;
		gather_marks(&tries[n], w, token);
		token->draw_offer = tries[n].draw_offer;
		tries[n].core.passing = tries[n].core.passing || token->passing_word;
		*ret_gather = tries[n];
		return true;
	}
	return false;
}

/* "12)", "12: Nf3", "12/ Nf3", "12- Nf3" */
static bool is_number_mark(const struct window *w, size_t at)
{
	uint32_t symbol = window_symbol(w, at);

	return symbol == ')' || ((symbol == ':' || symbol == '/' || symbol == '-') &&
					window_symbol(w, at + 1) == ' ');
}

/* A move number with its dots or MC-link's letter; returns the symbol behind it, or I. */
static size_t take_number(const struct window *w, size_t i, struct movelist_token *token)
{
	size_t at = i;
	unsigned number = 0;

	while (is_digit(window_symbol(w, at)) && at < i + 4)
		number = number * 10 + (w->symbols[at++] - '0');
	if (at - i > 3 || (at > i && !number))
		return i;
	if ((window_symbol(w, at) == 'b' || window_symbol(w, at) == 'n') && at > i &&
		(is_space(window_symbol(w, at + 1)) || window_symbol(w, at + 1) == '.')) {
		token->colour = (char)w->symbols[at++];
		at += window_symbol(w, at) == '.';
	} else if (at > i && is_number_mark(w, at)) {
		token->dots = 1;
		at++;
	}
	for (;;) {
		size_t ahead = at + (window_symbol(w, at) == ' ');

		if (window_symbol(w, ahead) == '.')
			token->dots++;
		else if (window_symbol(w, at) == ')' && token->dots == 1)
			ahead = at; /* "12.)" */
		else if (window_symbol(w, ahead) == ':' && token->dots)
			token->dots = 3; /* RAZSh's colon before a move of Black */
		else
			break;
		at = ahead + 1;
	}
	token->number = number;
	return at;
}

static const struct {
	const char *text, *result;
} results[] = {
	{"1-0", "1-0"},
	{"0-1", "0-1"},
	{"1/2-1/2", "1/2-1/2"},
	{"1/2:1/2", "1/2-1/2"},
	{"1/2", "1/2-1/2"},
	{"*", "*"},
};

static bool take_result(
	const struct window *w, size_t i, size_t *ret_end, struct movelist_token *token)
{
	size_t whole = atom_end(w, i), end = whole;

	while (end > i + 1 && strchr(".!\")]'", (int)w->symbols[end - 1]))
		end--;
	for (size_t k = 0; k < ARRAY_SIZE(results); k++) {
		if (!symbols_are(w->symbols + i, end - i, results[k].text))
			continue;
		token->kind = MOVELIST_RESULT;
		memcpy(token->result, results[k].result, strlen(results[k].result) + 1);
		*ret_end = whole;
		return true;
	}
	return false;
}

/* A short run of letters, digits and signs around a square or near it: not a move, but perhaps
 * meant for one. */
static bool looks_like_move(const struct window *w, size_t from, size_t to)
{
	bool square = false;
	size_t letters = 0;

	while (to > from && w->symbols[to - 1] < 0x80 && strchr(".!?+#:", (int)w->symbols[to - 1]))
		to--;
	if (to - from < 2 || to - from > 10)
		return false;
	for (size_t i = from; i < to; i++) {
		uint32_t symbol = w->symbols[i];

		if (fold_is_letter(symbol) || letters_figurine(symbol))
			letters++;
		else if (!is_digit(symbol) &&
			 (symbol >= 0x80 || !strchr("-+=#@/():x", (int)symbol)))
			return false;
		if (i > from && is_digit(symbol) && symbol != '0' &&
			fold_is_letter(w->symbols[i - 1]))
			square = true;
	}
	return square && letters < 6;
}

/* A move at symbol MOVE, and what the token knows of it; returns the symbol behind it, or 0. */
static size_t take_move(const struct window *w, size_t move, struct movelist_token *token,
	struct movecore *ret_core)
{
	struct gather g;

	if (!gather_move(w, move, &g, token))
		return 0;
	token->move_at = w->at[move];
	token->move_size = w->at[g.end] - w->at[move];
	*ret_core = g.core;
	return g.end;
}

/* "1 b e2-e4": MC-link's letter apart from its number counts in front of what looks like a move.
 * Returns the symbol behind it, or AT. */
static size_t take_letter_apart(const struct window *w, size_t at, struct movelist_token *token)
{
	uint32_t letter = window_symbol(w, at + 1);
	size_t behind = at + 2;
	struct movelist_token ahead = {.number = 0};
	struct gather g;

	if (!token->number || token->dots || token->colour || window_symbol(w, at) != ' ' ||
		(letter != 'b' && letter != 'n'))
		return at;
	behind += window_symbol(w, behind) == '.';
	if (window_symbol(w, behind) != ' ')
		return at;
	if (!gather_move(w, behind + 1, &g, &ahead) &&
		!looks_like_move(w, behind + 1, atom_end(w, behind + 1)))
		return at;
	token->colour = (char)letter;
	return behind;
}

static void forget_number(struct movelist_token *token)
{
	token->number = token->dots = 0;
	token->colour = 0;
}

/* The token at symbol I, which is no blank; returns the symbol behind it. */
static size_t take_token(
	const struct window *w, size_t i, struct movelist_token *token, struct movecore *ret_core)
{
	size_t atom = atom_end(w, i), end, number;
	bool marked, next_line;

	if (atom == i) /* a wide bracket or semicolon */
		return i + 1;
	if (take_result(w, i, &end, token))
		return end;
	number = take_number(w, i, token);
	number = take_letter_apart(w, number, token);
	marked = token->dots || token->colour;
	next_line = marked && window_symbol(w, number) == '\n';
	end = take_move(w, number + (number > i && (window_symbol(w, number) == ' ' || next_line)),
		token, ret_core);
	if (end)
		return end;
	if (marked && token->number && is_space(window_symbol(w, number))) {
		token->kind = MOVELIST_NUMBER;
		return number;
	}
	forget_number(token);
	end = number > i ? take_move(w, i, token, ret_core) : 0;
	if (end)
		return end;
	if (is_mark_atom(w, i, atom)) {
		token->kind = MOVELIST_MARK;
		token->draw_offer = is_draw_mark(w, i, atom);
		return atom;
	}
	token->kind = MOVELIST_WORD;
	token->move_like = looks_like_move(w, i, atom);
	return atom;
}

/* Everything up to the byte TO has been read. */
static void scan_advance(struct movelist_scan *scan, size_t to)
{
	for (; scan->at < to; scan->at++) {
		if (scan->text[scan->at] != '\n')
			continue;
		if (!scan->line_begun) /* an empty line ends what was left open */
			scan->depth = 0;
		scan->line++;
		scan->line_begun = false;
	}
}

static size_t line_end(const struct movelist_scan *scan, size_t at)
{
	const char *end = at < scan->size ? memchr(scan->text + at, '\n', scan->size - at) : NULL;

	return end ? (size_t)(end - scan->text) : scan->size;
}

/* [Event "x"]: a tag pair of PGN, taken as a comment. */
static bool is_tag_line(const struct movelist_scan *scan, size_t at)
{
	size_t end = line_end(scan, at);

	return at + 1 < end && fold_is_letter((unsigned char)scan->text[at + 1]) &&
	       memchr(scan->text + at, '"', end - at) && memchr(scan->text + at, ' ', end - at);
}

/* A comment at the byte AT: how far it goes, or AT when there is none. */
static size_t comment_end(const struct movelist_scan *scan, size_t at, bool after_blank)
{
	const char *end;

	switch (scan->text[at]) {
	case '{':
		end = memchr(scan->text + at, '}', scan->size - at);
		return end ? (size_t)(end - scan->text) + 1 : scan->size;
	case ';':
		return after_blank ? line_end(scan, at) : at;
	case '[':
		return !scan->line_begun && is_tag_line(scan, at) ? line_end(scan, at) : at;
	default:
		return at;
	}
}

/* "(e4)" and "(=)" are no variations: a bracket that begins a line or holds a mark, and closes
 * behind one atom. */
static bool is_own_bracket(const struct movelist_scan *scan, const struct window *w, size_t i)
{
	size_t end = i;

	while (!is_space(window_symbol(w, end)) && w->symbols[end] != ')')
		end++;
	if (window_symbol(w, end) != ')')
		return false;
	return !scan->line_begun || is_mark_atom(w, i, end + 1);
}

/* Steps over blanks, separators and brackets; the symbol of the next token, or w->n. */
static size_t skip_to_token(
	struct movelist_scan *scan, const struct window *w, bool *ret_after_blank)
{
	size_t i = 0;

	*ret_after_blank = !scan->line_begun;
	for (; i < w->n; i++) {
		uint32_t symbol = w->symbols[i];

		if (symbol == '\n')
			scan_advance(scan, w->at[i + 1]);
		else if (symbol == '(' && !is_own_bracket(scan, w, i))
			scan->depth++;
		else if (symbol == ')')
			scan->depth -= scan->depth > 0;
		else if (symbol != ' ' && symbol != ',' && (symbol != ';' || *ret_after_blank))
			break;
		*ret_after_blank = is_space(symbol);
	}
	return i;
}

/* Brackets that close within a token, as in "(perhaps Nf3)". */
static void close_brackets(struct movelist_scan *scan, const struct movelist_token *token)
{
	unsigned open = 0;

	for (size_t i = 0; scan->depth && i < token->size; i++) {
		char byte = scan->text[token->at + i];

		open += byte == '(';
		if (byte == ')' && open)
			open--;
		else if (byte == ')')
			scan->depth--;
	}
}

/* A word may be longer than the window. */
static size_t word_end(const struct movelist_scan *scan, size_t at)
{
	while (at < scan->size) {
		uint32_t symbols[FOLD_MAX];
		size_t next = at;

		if (fold_next(scan->text, scan->size, &next, symbols) && is_space(symbols[0]))
			break;
		at = next;
	}
	return at;
}

bool movelist_next_core(
	struct movelist_scan *scan, struct movelist_token *ret_token, struct movecore *ret_core)
{
	struct movelist_token token = {.kind = MOVELIST_WORD};
	struct movecore core = {.n = 0};
	struct window w = {.n = 0};
	bool after_blank;
	size_t i, end;

	do {
		window_fill(&w, scan);
		i = skip_to_token(scan, &w, &after_blank);
		scan_advance(scan, w.at[i]);
	} while (i && i == w.n && scan->at < scan->size);
	if (i == w.n)
		return false;
	window_fill(&w, scan);
	token.at = scan->at;
	token.line = scan->line;
	token.depth = scan->depth;
	end = comment_end(scan, scan->at, after_blank);
	if (end > scan->at) {
		token.kind = MOVELIST_COMMENT;
	} else {
		i = take_token(&w, 0, &token, &core);
		end = i < w.n || token.kind != MOVELIST_WORD ? w.at[i] : word_end(scan, w.at[i]);
	}
	if (end <= token.at) { /* within a character that became several symbols */
		end = token.at;
		(void)fold_decode(scan->text, scan->size, &end);
	}
	scan_advance(scan, end);
	scan->line_begun = true;
	token.size = end - token.at;
	if (token.kind != MOVELIST_COMMENT)
		close_brackets(scan, &token);
	*ret_token = token;
	*ret_core = core;
	return true;
}

bool movelist_next(struct movelist_scan *scan, struct movelist_token *ret_token)
{
	struct movecore core;

	return movelist_next_core(scan, ret_token, &core);
}

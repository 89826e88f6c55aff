/*
 * What stands in the place of the own move and is none: inside of the grammar. It may be our
 * fault that it cannot be read, so it must not pass for chat.
 */
#include <ctype.h>
#include <string.h>

#include "daemon/reading/grammar_inside.h"
#include "daemon/reading/moveline.h"

#define PLACE_WORDS_MAX 2 /* "any move": so many behind the repetition and a number */
#define PIECE_MAX 4       /* bytes of a piece's letters */

static bool repeats_right(const struct movelist_reading *reading)
{
	return reading->repetition == MOVELIST_REPETITION_RIGHT;
}

static void set_unreadable(struct movelist_reading *reading, const struct movelist_token *token,
	const struct movelist_token *number)
{
	reading->own_state = MOVELIST_OWN_ONE;
	reading->own = (struct move_reading){.result = MOVE_UNREADABLE};
	reading->own_token = *token;
	reading->own_token.move_at = token->at;
	reading->own_token.move_size = token->size;
	if (token->number == 0) {
		reading->own_token.number = number->number;
		reading->own_token.dots = number->dots;
	}
}

static bool is_other(const struct movelist_token *token)
{
	return token->kind == MOVELIST_WORD || token->kind == MOVELIST_MARK;
}

void grammar_find_unreadable(const struct grammar *grammar, const struct stretch *stretch,
	struct movelist_reading *reading)
{
	const char *text = stretch->text + stretch->at;
	struct movelist_scan scan = movelist_scan(text, stretch->size);
	struct movelist_token token, number = {.number = 0};
	bool behind = false;
	while (movelist_next(&scan, &token)) {
		if (moveline_is_number(text, &token)) {
			number = token;
			continue;
		}
		bool named = grammar_number_fits(grammar, token.number ? &token : &number);
		bool meant = behind && token.move_like && repeats_right(reading);
		if (is_other(&token) && (named || meant) &&
			!moveline_is_placeholder(text, &token)) {
			set_unreadable(reading, &token, &number);
			return;
		}
		number.number = 0;
		behind |= token.kind == MOVELIST_MOVE;
	}
}

/* "2.Zf3": a number and a word in one. Leaves the word in *TOKEN. */
static bool split_number(
	const char *text, struct movelist_token *token, struct movelist_token *ret_number)
{
	struct movelist_scan scan;
	struct movelist_token number = *token, word;
	size_t digits = 0, n;
	unsigned value = 0;

	if (token->kind != MOVELIST_WORD)
		return false;
	for (; digits < token->size && isdigit((unsigned char)text[token->at + digits]); digits++)
		value = digits < 3 ? value * 10 + (unsigned)(text[token->at + digits] - '0') : 0;
	for (n = digits; n < token->size && text[token->at + n] == '.'; n++)
		;
	if (value == 0 || n == digits || n == token->size)
		return false;
	scan = movelist_scan(text + token->at + n, token->size - n);
	if (!movelist_next(&scan, &word) || word.size != token->size - n)
		return false;
	number.size = n;
	number.number = value;
	number.dots = (unsigned)(n - digits);
	word.at += token->at + n;
	*ret_number = number;
	*token = word;
	return true;
}

static bool is_run_of(const char *text, size_t size, const char *set)
{
	for (size_t i = 0; i < size; i++)
		if (!text[i] || !strchr(set, text[i]))
			return false;
	return true;
}

/* "Zf3", "--", "N??", "5259", "Z0": no word of any language. */
static bool is_odd(const char *text, const struct movelist_token *token)
{
	const char *word = text + token->at;
	size_t letters = 0;

	if (!is_other(token))
		return false;
	if (token->move_like)
		return true;
	while (letters < token->size &&
		(isalpha((unsigned char)word[letters]) || (unsigned char)word[letters] >= 0x80))
		letters++;
	size_t rest = token->size - letters;
	if (letters == 0)
		return rest > 1 &&
		       (is_run_of(word, rest, "-") ||
			       (rest < 6 && rest > 3 && is_run_of(word, rest, "0123456789")));
	return letters <= PIECE_MAX && ((rest > 1 && is_run_of(word + letters, rest, "?!")) ||
					       (letters == 1 && rest == 1 && word[1] == '0'));
}

/* "2. Nf9?" asks. */
static bool asks(const char *text, const struct movelist_token *token)
{
	const char *end = text + token->at + token->size;
	return token->size > 1 && end[-1] == '?' && end[-2] != '?' && end[-2] != '!';
}

/* Do nothing but a word or two follow from AT on? */
static bool is_short(const char *text, size_t at, size_t size)
{
	struct movelist_scan scan = movelist_scan(text + at, size - at);
	struct movelist_token token;
	size_t words = 0;

	while (movelist_next(&scan, &token)) {
		if (token.kind != MOVELIST_WORD || ++words > PLACE_WORDS_MAX ||
			moveline_is_picture(text + at + token.at, token.size))
			return false;
	}
	return words > 0 && !memchr(text + at, '?', size - at);
}

/* Does a line, or a sentence of it, begin at AT? */
static bool begins(const char *text, size_t at)
{
	while (at > 0 && text[at - 1] == ' ')
		at--;
	return at == 0 || strchr(".!?:,;(", text[at - 1]);
}

/* A line of the text, and how far it has been read. */
struct walk {
	struct stretch line;
	struct movelist_token number; /* in front of the next word */
	size_t number_at;
	bool moves; /* a move stands directly before that */
};

/* The word TOKEN of a line: the own move, and what is repeated in front of it? */
static bool is_place(struct grammar *grammar, const struct walk *walk,
	const struct movelist_token *token, struct movelist_reading *ret)
{
	const char *text = walk->line.text + walk->line.at;
	struct movelist_game game = grammar_game_at(grammar, grammar->ply);
	bool numbered = grammar_number_fits(grammar, &walk->number);
	size_t at = numbered ? walk->number_at : token->at;

	if (!is_other(token) || moveline_is_placeholder(text, token) || asks(text, token) ||
		(walk->number.number > 0 && !numbered) || (!numbered && !walk->moves))
		return false;
	bool odd = is_odd(text, token);
	if ((!odd && (!numbered || !is_short(text, token->at, walk->line.size))) ||
		grammar->stretches++ >= STRETCHES_MAX)
		return false;
	movelist_read(&game, text, at, ret);
	bool repeated = walk->moves && repeats_right(ret) && ret->own_state == MOVELIST_OWN_NONE;
	if (!repeated)
		ret->repetition = MOVELIST_REPETITION_NONE;
	return repeated || (odd && numbered && begins(text, at));
}

/* Returns whether the line has it. */
static bool read_line(struct grammar *grammar, const struct text_line *line)
{
	struct walk walk = {
		.line = {.text = grammar->text, .at = line->at, .size = line->size, .list = true}};
	const char *text = grammar->text + line->at;
	struct movelist_scan scan = movelist_scan(text, line->size);
	struct movelist_token token;
	struct movelist_reading reading;

	while (movelist_next(&scan, &token)) {
		if (moveline_is_number(text, &token)) {
			walk.number = token;
			walk.number_at = token.at;
			continue;
		}
		if (split_number(text, &token, &walk.number))
			walk.number_at = walk.number.at;
		if (token.depth == 0 && is_place(grammar, &walk, &token, &reading)) {
			set_unreadable(&reading, &token, &walk.number);
			grammar_take_repetition(grammar, &walk.line, &reading);
			grammar_take_own(grammar, &walk.line, &reading);
			return true;
		}
		walk.moves = moveline_is_move(&token);
		walk.number.number = 0;
	}
	return false;
}

void grammar_read_places(struct grammar *grammar)
{
	const struct text_lines *lines = grammar->lines;
	const struct excerpt *foreign = &grammar->found.foreign;

	for (size_t i = 0; i < lines->n; i++) {
		const struct text_line *line = &lines->items[i];
		if (line->size == 0 || line->size > TEXT_LINE_MAX || line->conditional ||
			line->elsewhere || line->commands || line->at - foreign->at < foreign->size)
			continue;
		if (read_line(grammar, line))
			return;
	}
}

#include "daemon/reading/moveline.h"

#include <ctype.h>
#include <glib.h>
#include <string.h>

#include "daemon/reading/chat.h"

#define LEAD_IN_WORDS 4
#define COMMAND_WORDS 9

static bool is_smile(const char *text, size_t size)
{
	if (size == 1)
		return *text == 'J' || *text == 'L';
	return size <= 4 && strchr(":;=8xX", *text) && strchr(")(DPpoO|/\\]3", text[size - 1]);
}

bool moveline_is_picture(const char *text, size_t size)
{
	if (size == 0 || is_smile(text, size))
		return true;
	for (const char *at = text, *end = text + size; at < end; at = g_utf8_next_char(at)) {
		gunichar c = g_utf8_get_char_validated(at, end - at);
		if (c == (gunichar)-1 || c == (gunichar)-2 || g_unichar_isalnum(c))
			return false;
	}
	return true;
}

struct line_facts {
	size_t moves, words, numbers;
	size_t squares; /* moves that may be anything: "b4", "1842" */
	bool mistyped;  /* a word meant for a move */
};

bool moveline_is_move(const struct movelist_token *token)
{
	/* "be" and "ed" are words unless a number or a mark says otherwise. */
	return token->kind == MOVELIST_MOVE &&
	       (token->shape != MOVELIST_SHAPE_FILES || token->number > 0 || token->passing_word ||
		       token->cross);
}

bool moveline_is_placeholder(const char *text, const struct movelist_token *token)
{
	for (size_t i = 0; i < token->size; i++)
		if (!strchr("?!._", text[token->at + i]))
			return false;
	return true;
}

bool moveline_is_number(const char *text, struct movelist_token *token)
{
	unsigned number = 0, dots = 0;
	size_t i = 0;
	if (token->kind == MOVELIST_NUMBER)
		return true;
	if (token->kind != MOVELIST_WORD || token->size > 9)
		return false;
	for (; i < token->size && i < 3 && isdigit((unsigned char)text[token->at + i]); i++)
		number = number * 10 + (unsigned)(text[token->at + i] - '0');
	for (; i < token->size && text[token->at + i] == '.'; i++)
		dots++;
	if (number == 0 || dots == 0 || i < token->size)
		return false;
	token->number = number;
	token->dots = dots;
	return true;
}

/* "3. 3239": four or five digits behind a number are meant for a move in numbers (RAZSh). */
static bool is_digits(const char *text, const struct movelist_token *token)
{
	if (token->size != 4 && token->size != 5)
		return false;
	for (size_t i = 0; i < token->size; i++)
		if (!isdigit((unsigned char)text[token->at + i]))
			return false;
	return true;
}

static struct line_facts line_facts(const char *text, size_t size)
{
	struct movelist_scan scan = movelist_scan(text, size);
	struct movelist_token token;
	struct line_facts facts = {.moves = 0};
	bool numbered = false;
	while (movelist_next(&scan, &token)) {
		bool number = moveline_is_number(text, &token);
		if (moveline_is_move(&token)) {
			facts.moves++;
			facts.squares += token.shape == MOVELIST_SHAPE_SQUARE ||
					 token.shape == MOVELIST_SHAPE_NUMERIC ||
					 token.shape == MOVELIST_SHAPE_FILES;
		} else if (token.kind == MOVELIST_WORD &&
			   ((token.move_like &&
				    (facts.moves > 0 || numbered || token.number > 0)) ||
				   (numbered && is_digits(text, &token))))
			facts.mistyped = true;
		else if (!number && (token.kind == MOVELIST_WORD || token.kind == MOVELIST_MOVE))
			facts.words += !moveline_is_picture(text + token.at, token.size);
		numbered = number;
		facts.numbers += number || token.number > 0;
	}
	return facts;
}

/* The length of "My move:" and the like in front of SIZE bytes; 0 if there is none. */
static size_t lead_in(const char *text, size_t size)
{
	const char *colon = memchr(text, ':', size);
	size_t words = 0;
	bool inside = false;
	/* "e:d5" takes. */
	if (!colon || (colon == text + 1 && size > 2 && colon[1] != ' '))
		return 0;
	for (const char *at = text; at < colon; at++) {
		if (isdigit((unsigned char)*at))
			return 0;
		words += *at != ' ' && !inside;
		inside = *at != ' ';
	}
	return words > 0 && words <= LEAD_IN_WORDS ? (size_t)(colon + 1 - text) : 0;
}

/* Blanks and emphasis off both ends, and brackets around all of it. */
static void shrink(const char *text, size_t *at, size_t *size)
{
	while (*size > 0 && strchr(" \t*_~\"'#=<>{}", text[*at])) {
		(*at)++;
		(*size)--;
	}
	while (*size > 0 && strchr(" \t*_~\"'<>{}", text[*at + *size - 1]))
		(*size)--;
	if (*size > 2 && text[*at] == '(' && text[*at + *size - 1] == ')' &&
		memchr(text + *at, ' ', *size) && !memchr(text + *at + 1, '(', *size - 2)) {
		(*at)++;
		*size -= 2;
	}
}

enum command moveline_cut_command(
	const struct command_context *context, const char *text, size_t at, size_t *size)
{
	enum command found = COMMAND_NONE;
	size_t words = 0, cut = 0;
	for (size_t n = 1; n < *size && words < COMMAND_WORDS; n++) {
		size_t start = *size - n;
		if (text[at + start - 1] != ' ' && text[at + start - 1] != ',')
			continue;
		words++;
		enum command kind = command_behind_move(context, text + at + start, n);
		if (kind == COMMAND_NONE)
			continue;
		found = kind;
		cut = n;
	}
	*size -= cut;
	return found;
}

bool moveline_cut_condition(
	const struct command_context *context, const char *text, size_t at, size_t *size)
{
	size_t n = chat_condition(context, text + at, *size);
	if (n == *size || line_facts(text + at, n).moves == 0)
		return false;
	while (n > 0 && strchr(" \t,;.(-", text[at + n - 1]))
		n--;
	*size = n;
	return true;
}

bool moveline_read(const struct command_context *context, const char *text, size_t at, size_t size,
	struct moveline *ret)
{
	*ret = (struct moveline){.at = at, .size = size};
	shrink(text, &ret->at, &ret->size);
	size_t head = lead_in(text + ret->at, ret->size);
	enum chat_lead lead = chat_lead(context, text + ret->at, head);
	/* "Instead of:", "My analysis:", "Conditional:" lead to no move of the game. */
	if (head > 0 && (chat_hedges(context, text + ret->at, head) || lead == CHAT_LEAD_AWAY ||
				chat_condition(context, text + ret->at, head) < head))
		return false;
	bool offers =
		head > 0 && command_behind_move(context, text + ret->at, head - 1) == COMMAND_DRAW;
	ret->led = head > 0;
	ret->theirs = lead == CHAT_LEAD_TO_THEIRS;
	ret->at += head;
	ret->size -= head;
	shrink(text, &ret->at, &ret->size);
	struct line_facts facts = line_facts(text + ret->at, ret->size);
	if (facts.moves == 0 && !facts.mistyped)
		return false;
	ret->condition = moveline_cut_condition(context, text, ret->at, &ret->size);
	ret->behind = moveline_cut_command(context, text, ret->at, &ret->size);
	if (offers) /* "Draw offer: Nd7" */
		ret->behind = COMMAND_DRAW;
	facts = line_facts(text + ret->at, ret->size);
	ret->numbered = facts.numbers > 0 && facts.moves > 0;
	/* "Room: b4" */
	if (ret->led && lead == CHAT_LEAD_ANYWHERE && !ret->numbered &&
		facts.squares == facts.moves)
		return false;
	return facts.words == 0 && (facts.moves > 0 || (facts.numbers && facts.mistyped));
}

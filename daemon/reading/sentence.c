#include "daemon/reading/sentence.h"

#include <string.h>

#include "daemon/reading/moveline.h"

static struct sentence_item *add(
	struct sentence *sentence, enum sentence_kind kind, size_t at, size_t size)
{
	static struct sentence_item spare;
	if (sentence->n == SENTENCE_ITEMS_MAX)
		return &spare;
	sentence->items[sentence->n] = (struct sentence_item){.kind = kind, .at = at, .size = size};
	*sentence->folded[sentence->n] = '\0';
	return &sentence->items[sentence->n++];
}

static void add_mark(struct sentence *sentence, size_t at, char mark)
{
	/* Marks in a row are one, but a question mark is kept. */
	if (sentence->n > 0 && sentence->items[sentence->n - 1].kind == SENTENCE_MARK) {
		if (mark == '?' || mark == ':')
			sentence->items[sentence->n - 1].mark = mark;
		return;
	}
	add(sentence, SENTENCE_MARK, at, 1)->mark = mark;
}

/* Between tokens there are blanks and what movelist_next takes for one. */
static void add_gap(struct sentence *sentence, const char *text, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (strchr(",;()", text[i]) && text[i])
			add_mark(sentence, i, text[i]);
}

static void add_word(struct sentence *sentence, size_t from, const struct word *word)
{
	struct sentence_item *item = add(sentence, SENTENCE_WORD, from + word->at, word->size);
	item->capital = word->capital;
	item->digits = word->digits;
	if (item == &sentence->items[sentence->n - 1])
		memcpy(sentence->folded[sentence->n - 1], word->folded, WORD_MAX);
}

/* Does the mark at I end a sentence: nothing but closing marks follows, and it is no abbreviation
 * or number? */
static bool is_end(const char *text, size_t i, size_t size, const struct word *last)
{
	size_t k = i;
	if (!strchr(".!?", text[i]))
		return false;
	while (k < size && strchr(".!?\"')]}*_", text[k]))
		k++;
	bool letter = last->size == 1 && last->capital;
	return k == size && (text[i] != '.' || text[i + 1] == '.' || !(last->digits || letter));
}

/* A token that is no move: its words and marks. Returns whether it ends the sentence. */
static bool add_token(struct sentence *sentence, const char *text, size_t from, size_t size)
{
	struct word word, last = {.size = 0};
	const char *token = text + from;
	bool address = memchr(token, '@', size) || memmem(token, size, "://", 3) ||
		       (size > 4 && memcmp(token, "www.", 4) == 0);
	bool ends = false;
	if (address || moveline_is_picture(token, size)) {
		struct sentence_item *item =
			add(sentence, address ? SENTENCE_WORD : SENTENCE_MARK, from, size);
		item->mark = '^';
		item->digits = address;
		return false;
	}
	for (size_t at = 0, i = 0; i < size;) {
		bool more = word_next(token, size, &at, &word);
		size_t stop = more ? word.at : size;
		for (; i < stop; i++) {
			char c = token[i];
			if (c == '?')
				sentence->asks = true;
			if (is_end(token, i, size, &last))
				ends = true;
			if ((unsigned char)c >= 0x80 && ((unsigned char)c & 0xC0) != 0x80)
				add_mark(sentence, from + i, '^');
			else if (c == '.' && last.digits && i + 1 < size && i + 1 == stop)
				continue; /* "50.2" */
			else if (strchr(":;!?()[]{}<>/|.", c) || (c == '-' && size <= 3 && !more))
				add_mark(sentence, from + i, c);
		}
		if (!more)
			break;
		add_word(sentence, from, &word);
		last = word;
		i = at;
	}
	return ends;
}

static void copy_digits(struct sentence *sentence, const char *text, size_t size)
{
	char *folded = sentence->folded[sentence->n - 1];
	size_t n = 0;
	while (n < size && n + 1 < WORD_MAX && text[n] >= '0' && text[n] <= '9') {
		folded[n] = text[n];
		n++;
	}
	folded[n] = '\0';
}

/* Digits as a word, with the colon behind them. */
static void add_count(struct sentence *sentence, const char *text, size_t at, size_t digits)
{
	struct sentence_item *item = add(sentence, SENTENCE_WORD, at, digits);
	item->digits = true;
	copy_digits(sentence, text + at, digits);
	add_mark(sentence, at + digits, ':');
}

/* "Game 1: Nd7": the number is not the move's. Returns its digits. */
static size_t other_number(
	const struct sentence *sentence, const char *text, const struct movelist_token *token)
{
	size_t digits = 0;
	while (digits < token->size && text[token->at + digits] >= '0' &&
		text[token->at + digits] <= '9')
		digits++;
	bool word = sentence->n > 0 && sentence->items[sentence->n - 1].kind == SENTENCE_WORD;
	return word && digits > 0 && text[token->at + digits] == ':' ? digits : 0;
}

/* A move with its marks. Returns whether a full stop ends the sentence behind it. */
static bool add_move(struct sentence *sentence, const char *text, struct movelist_token token)
{
	size_t digits = other_number(sentence, text, &token);
	if (digits > 0) {
		add_count(sentence, text, token.at, digits);
		token.size -= token.move_at - token.at;
		token.at = token.move_at;
		token.number = token.dots = 0;
	}
	struct sentence_item *item = add(sentence, SENTENCE_MOVE, token.at, token.size);
	size_t end = token.at + token.size;
	item->token = token;
	item->capital = text[token.move_at] >= 'A' && text[token.move_at] <= 'H';
	while (end > token.move_at && strchr("\"')]*_", text[end - 1]))
		end--;
	if (text[end - 1] == '!' || text[end - 1] == '?')
		add_mark(sentence, end - 1, '!');
	if (text[end - 1] == ':')
		add_mark(sentence, end - 1, ':');
	return text[end - 1] == '.' && end - 1 > token.move_at;
}

/* Takes words together that are one phrase. */
static void join_phrases(const struct talk *talk, struct sentence *sentence)
{
	size_t kept = 0;
	for (size_t i = 0; i < sentence->n;) {
		const char *words[TALK_WORDS_MAX];
		size_t n = 0, used = 0;
		while (n < TALK_WORDS_MAX && i + n < sentence->n &&
			sentence->items[i + n].kind == SENTENCE_WORD) {
			words[n] = sentence->folded[i + n];
			n++;
		}
		struct sentence_item item = sentence->items[i];
		if (n > 0)
			used = talk_match(talk, words, n, &item.phrase);
		if (used > 1) {
			const struct sentence_item *last = &sentence->items[i + used - 1];
			item.size = last->at + last->size - item.at;
		}
		if (kept < i)
			memcpy(sentence->folded[kept], sentence->folded[i], WORD_MAX);
		sentence->items[kept++] = item;
		i += used > 0 ? used : 1;
	}
	sentence->n = kept;
}

bool sentence_next(struct sentence_scan *scan, struct sentence *ret)
{
	const char *text = scan->text + scan->at;
	struct movelist_scan moves = movelist_scan(text, scan->end - scan->at);
	struct movelist_token token;
	size_t behind = scan->at;
	bool ends = false;
	ret->n = 0;
	ret->at = scan->at;
	ret->asks = false;
	while (!ends && movelist_next(&moves, &token)) {
		bool number = moveline_is_number(text, &token);
		token.at += ret->at;
		token.move_at += ret->at;
		add_gap(ret, scan->text, behind, token.at);
		behind = token.at + token.size;
		/* "Let me see... Nd7" */
		if (scan->text[token.at] == '.' && token.at > ret->at &&
			!strchr(" \n", scan->text[token.at - 1]))
			add_mark(ret, token.at, '.');
		if (moveline_is_move(&token)) {
			ends = add_move(ret, scan->text, token);
		} else if (number && ret->n > 0 && scan->text[behind - 1] == ':') {
			add_count(ret, scan->text, token.at, token.size - 1);
		} else if (number) {
			add(ret, SENTENCE_NUMBER, token.at, token.size)->token = token;
		} else if (token.kind == MOVELIST_COMMENT) {
			add_mark(ret, token.at, '(');
		} else if (!token.draw_offer) {
			ends = add_token(ret, scan->text, token.at, token.size);
		}
	}
	scan->at = ends ? behind : scan->end;
	ret->end = scan->at;
	join_phrases(scan->talk, ret);
	return ret->n > 0 || scan->at < scan->end;
}

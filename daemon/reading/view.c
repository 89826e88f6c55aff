#include "daemon/reading/view.h"

#include <string.h>

#include "daemon/reading/spoken.h"

const struct sentence_item *view_item(const struct view *view, size_t i)
{
	return &view->sentence->items[i];
}

bool view_is_mark(const struct view *view, size_t i)
{
	return view_item(view, i)->kind == SENTENCE_MARK;
}

bool view_does(const struct view *view, size_t i, uint64_t uses)
{
	return (view->uses[i] & uses) != 0;
}

uint64_t view_uses(const struct view *view, size_t from, size_t to)
{
	uint64_t uses = 0;
	for (size_t i = from; i < to; i++)
		uses |= view->uses[i];
	return uses;
}

size_t view_clause_start(const struct view *view, size_t i)
{
	while (i > 0 && !view_is_mark(view, i - 1))
		i--;
	return i;
}

size_t view_clause_end(const struct view *view, size_t i)
{
	while (i < view->sentence->n && !view_is_mark(view, i))
		i++;
	return i;
}

bool view_is_unknown(const struct view *view, size_t i)
{
	return view_item(view, i)->kind == SENTENCE_WORD && view->uses[i] == 0 &&
	       !view_item(view, i)->digits;
}

bool run_is_bare_square(const struct run *run)
{
	return run->moves == 1 && (run->first->shape == MOVELIST_SHAPE_SQUARE ||
					  run->first->shape == MOVELIST_SHAPE_FILES ||
					  run->first->shape == MOVELIST_SHAPE_NUMERIC);
}

size_t view_count_words(const struct view *view, bool *ret_digits)
{
	size_t n = 0;
	*ret_digits = false;
	for (size_t i = 0; i < view->sentence->n; i++) {
		n += view_item(view, i)->kind == SENTENCE_WORD;
		*ret_digits |= view_item(view, i)->digits;
	}
	return n;
}

/* The language of which the sentence has most words; the writer's, then English, if another has
 * no more. */
static size_t choose_language(const struct view *view)
{
	const struct talk *talk = words_talk(view->context->words);
	size_t english = talk_language(talk, "en"), best = view->context->language, most = 0;
	for (size_t k = 0; k < talk_languages(talk); k++) {
		size_t n = 0;
		for (size_t i = 0; i < view->sentence->n; i++)
			n += view_item(view, i)->phrase &&
			     talk_knows(view_item(view, i)->phrase, k);
		bool first = k == view->context->language ||
			     (n == most && k == english && best != view->context->language);
		if (n > most || (n == most && first)) {
			best = k;
			most = n;
		}
	}
	return best;
}

/* Is it part of the sender's name? */
static bool is_own_name(const struct view *view, size_t i)
{
	const char *name = view->context->name;
	struct word word;
	size_t size = name ? strlen(name) : 0;
	for (size_t at = 0; word_next(name, size, &at, &word);)
		if (*word.folded && strcmp(word.folded, view->sentence->folded[i]) == 0)
			return true;
	return false;
}

void view_look(struct view *view)
{
	const struct talk *talk = words_talk(view->context->words);
	view->language = choose_language(view);
	for (size_t i = 0; i < view->sentence->n; i++) {
		const struct talk_phrase *phrase = view_item(view, i)->phrase;
		view->uses[i] = phrase ? talk_uses(talk, phrase, view->language) : 0;
		if (view->uses[i] == 0 && view_item(view, i)->kind == SENTENCE_WORD &&
			is_own_name(view, i))
			view->uses[i] = VIEW_OWN_NAME;
	}
}

bool view_next_run(const struct view *view, const char *text, size_t i, struct run *ret)
{
	const struct sentence *sentence = view->sentence;
	while (i < sentence->n && view_item(view, i)->kind != SENTENCE_MOVE &&
		view_item(view, i)->kind != SENTENCE_NUMBER)
		i++;
	*ret = (struct run){.from = i, .to = i};
	for (; ret->to < sentence->n; ret->to++) {
		const struct sentence_item *item = view_item(view, ret->to);
		if (item->kind != SENTENCE_MOVE && item->kind != SENTENCE_NUMBER)
			break;
		if (item->kind == SENTENCE_NUMBER)
			continue;
		if (ret->moves++ == 0)
			ret->first = &item->token;
		ret->castles |=
			spoken_is_castles(text + item->token.move_at, item->token.move_size);
		ret->spoken |= spoken_is(text + item->token.move_at, item->token.move_size);
	}
	return i < sentence->n;
}

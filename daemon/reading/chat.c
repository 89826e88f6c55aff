#include "daemon/reading/chat.h"

#include <string.h>

#include "daemon/reading/word.h"

/* A phrase of the text, and what it does. */
struct phrase {
	size_t at, end;
	uint64_t uses, anywhere; /* in the sender's language, in any */
};

/* Only blanks and hyphens part the words of a phrase. */
static bool is_joint(const char *text, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (!strchr(" \t\n-", text[i]) || !text[i])
			return false;
	return true;
}

/* The next phrase from *AT on, or the next word. */
static bool next_phrase(const struct command_context *context, const char *text, size_t size,
	size_t *at, struct phrase *ret)
{
	struct word words[TALK_WORDS_MAX];
	const char *folded[TALK_WORDS_MAX];
	const struct talk *talk = words_talk(context->words);
	const struct talk_phrase *found;
	size_t n = 0, behind = *at;
	while (n < TALK_WORDS_MAX && word_next(text, size, &behind, &words[n])) {
		if (n > 0 && !is_joint(text, words[n - 1].at + words[n - 1].size, words[n].at))
			break;
		folded[n] = words[n].folded;
		n++;
	}
	if (n == 0)
		return false;
	size_t used = talk_match(talk, folded, n, &found);
	size_t last = used > 0 ? used - 1 : 0;
	*ret = (struct phrase){.at = words[0].at, .end = words[last].at + words[last].size};
	if (used > 0) {
		ret->uses = talk_uses(talk, found, context->language);
		ret->anywhere = talk_uses_anywhere(talk, found);
	}
	*at = ret->end;
	return true;
}

uint64_t chat_uses(const struct command_context *context, const char *text, size_t size)
{
	struct phrase phrase;
	uint64_t uses = 0;
	for (size_t at = 0; next_phrase(context, text, size, &at, &phrase);)
		uses |= phrase.uses;
	return uses;
}

bool chat_hedges(const struct command_context *context, const char *text, size_t size)
{
	const uint64_t hedges = TALK(TALK_NOT) | TALK(TALK_TALE) | TALK(TALK_MAYBE) |
				TALK(TALK_LATER) | TALK(TALK_IF) | TALK(TALK_CANCEL);
	return memchr(text, '?', size) || (chat_uses(context, text, size) & hedges);
}

enum chat_lead chat_lead(const struct command_context *context, const char *text, size_t size)
{
	const uint64_t leads = TALK(TALK_PLAY) | TALK(TALK_DONE) | TALK(TALK_DO) | TALK(TALK_MOVE) |
			       TALK(TALK_WHITE) | TALK(TALK_BLACK) | TALK(TALK_SO) |
			       TALK(TALK_CORRECT);
	uint64_t uses = chat_uses(context, text, size);
	if (uses & (TALK(TALK_AWAY) | TALK(TALK_TALE)))
		return CHAT_LEAD_AWAY;
	if ((uses & (TALK(TALK_YOUR) | TALK(TALK_OTHERS))) && !(uses & TALK(TALK_OWN)))
		return CHAT_LEAD_TO_THEIRS;
	return uses & leads ? CHAT_LEAD_TO_MOVE : CHAT_LEAD_ANYWHERE;
}

size_t chat_condition(const struct command_context *context, const char *text, size_t size)
{
	struct phrase phrase;
	for (size_t at = 0; next_phrase(context, text, size, &at, &phrase);)
		if (phrase.uses & (TALK(TALK_IF) | TALK(TALK_HEADING)))
			return phrase.at;
	return size;
}

size_t chat_condition_word(
	const struct command_context *context, const char *text, size_t size, bool *ret_heading)
{
	struct phrase phrase;
	size_t at = 0;
	*ret_heading = false;
	if (!next_phrase(context, text, size, &at, &phrase))
		return size;
	*ret_heading = (phrase.uses & TALK(TALK_HEADING)) != 0;
	return phrase.end;
}

bool chat_is_conditional(
	const struct command_context *context, const char *text, size_t size, bool *ret_any)
{
	struct phrase phrase;
	*ret_any = false;
	for (size_t at = 0; next_phrase(context, text, size, &at, &phrase);) {
		*ret_any = true;
		if (!(phrase.anywhere & (TALK(TALK_SERIES) | TALK(TALK_IF))))
			return false;
	}
	return true;
}

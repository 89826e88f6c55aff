#include "daemon/reading/word.h"

#include <glib.h>

#include "core/fold.h"

static gunichar char_at(const char *text, size_t size, size_t at)
{
	gunichar c = at < size ? g_utf8_get_char_validated(text + at, (gssize)(size - at)) : 0;
	return c == (gunichar)-1 || c == (gunichar)-2 ? 0 : c;
}

static size_t char_size(const char *text, size_t size, size_t at)
{
	gunichar c = char_at(text, size, at);
	return c ? (size_t)g_unichar_to_utf8(c, NULL) : 1;
}

bool word_next(const char *text, size_t size, size_t *at, struct word *ret)
{
	struct word word = {.size = 0};
	size_t n = 0;
	bool fits = true;
	while (*at < size) {
		gunichar c = char_at(text, size, *at);
		size_t bytes = char_size(text, size, *at);
		bool inside = word.size > 0 && c == '\'' &&
			      g_unichar_isalpha(char_at(text, size, *at + 1));
		bool letter = c && (g_unichar_isalnum(c) || inside);
		if (!letter && word.size > 0)
			break;
		if (letter && word.size == 0) {
			word.at = *at;
			word.capital = g_unichar_isupper(c);
		}
		if (letter) {
			word.size += bytes;
			word.digits |= g_unichar_isdigit(c);
			fits &= n + 7 < WORD_MAX;
			if (fits)
				n += (size_t)g_unichar_to_utf8(fold_upper(c), word.folded + n);
		}
		*at += bytes;
	}
	word.folded[fits ? n : 0] = '\0';
	if (word.size == 0)
		return false;
	*ret = word;
	return true;
}

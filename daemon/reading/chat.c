#include "daemon/reading/chat.h"

#include <glib.h>
#include <string.h>

static const char *const stating[] = {"play", "plays", "played", "move", "answer", "reply",
	"continue", "choose", "gioco", "mossa", "muovo", "rispondo", "risposta", "siirto",
	"siirtoni", "siirrän", "pelaan", "vastaan", "vastaus", "vastaukseni", "ход", "хожу",
	"играю", "отвечаю", "ответ"};

static const char *const hedging[] = {"if", "would", "could", "might", "may", "maybe", "perhaps",
	"think", "thinking", "thought", "consider", "considering", "considered", "idea", "ideas",
	"analysis", "analyse", "analyze", "line", "variation", "threat", "instead", "after",
	"expected", "expect", "better", "was", "were", "had", "not", "never", "don't", "didn't",
	"won't", "wouldn't", "tomorrow", "later", "why", "what", "about", "against", "afraid",
	"forse", "penso", "pensavo", "analisi", "variante", "invece", "dopo", "non", "perché",
	"domani", "avrei", "ehkä", "mietin", "ajattelin", "analyysi", "muunnelma", "jälkeen", "en",
	"ei", "miksi", "huomenna", "olisi", "может", "думаю", "думал", "анализ", "вариант", "после",
	"не", "почему", "завтра", "бы", "вместо"};

/* Besides those that state a move. */
static const char *const leading[] = {"moves", "white", "black", "here", "ok", "okay", "then", "so",
	"now", "yes", "well", "mine", "me", "correction", "bianco", "nero", "mosse", "valkea",
	"musta", "siirrot", "белые", "черные", "чёрные", "ходы"};

/* Whose moves are nobody's: "the book move", "engine's answer". */
static const char *const sources[] = {"book", "theory", "engine", "engine's", "computer",
	"computer's", "stockfish", "database", "best", "other", "next", "libro", "motore", "teoria",
	"kirja", "teoria", "kone", "книга", "теория", "движок", "компьютер"};

static const char *const conditions[] = {"if", "jos", "se", "если", "wenn", "falls", "si"};

/* Over conditional moves. */
static const char *const headings[] = {"conditional", "conditionals", "ehdollinen", "ehdolliset",
	"ehdollisesti", "condizionale", "condizionali", "condizionata", "condizionate", "условно",
	"условный", "условные"};

/* What may stand between conditional moves without making them talk. */
static const char *const usual[] = {"then", "you", "your", "i", "i'll", "my", "we", "will", "play",
	"plays", "answer", "reply", "move", "moves", "with", "is", "and", "also", "go", "take",
	"takes", "white", "black", "niin", "sinä", "minä", "pelaat", "pelaan", "siirrät", "vastaan",
	"siirto", "siirrot", "ja", "valkea", "musta", "allora", "poi", "tu", "io", "giochi",
	"gioca", "gioco", "rispondo", "con", "e", "mossa", "mosse", "bianco", "nero", "то", "тогда",
	"вы", "ты", "я", "играете", "играешь", "играю", "отвечаю", "ход", "ходы", "вариант", "и",
	"белые", "черные", "чёрные", "dann", "so", "alors", "entonces", "if", "jos", "se", "если",
	"wenn", "falls", "si"};

static bool is_one_of(const char *word, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(word, list[i]) == 0)
			return true;
	return false;
}

bool chat_next_word(
	const char *text, size_t size, size_t *at, size_t *ret_start, char out[CHAT_WORD_MAX])
{
	size_t n = 0;
	bool fits = true;
	while (*at < size) {
		gunichar c = g_utf8_get_char_validated(text + *at, (gssize)(size - *at));
		bool broken = c == (gunichar)-1 || c == (gunichar)-2;
		bool letter = !broken && (g_unichar_isalnum(c) || (c == '\'' && n > 0));
		if (!letter && n > 0)
			break;
		if (letter && n == 0)
			*ret_start = *at;
		if (letter && n + 7 < CHAT_WORD_MAX)
			n += (size_t)g_unichar_to_utf8(g_unichar_tolower(c), out + n);
		else if (letter)
			fits = false;
		*at += broken ? 1 : (size_t)g_unichar_to_utf8(c, NULL);
	}
	out[fits ? n : 0] = '\0';
	return n > 0;
}

unsigned chat_words(const char *text, size_t size)
{
	char word[CHAT_WORD_MAX];
	unsigned found = memchr(text, '?', size) ? CHAT_HEDGES : 0U;
	size_t start = 0;
	for (size_t at = 0; chat_next_word(text, size, &at, &start, word);) {
		if (is_one_of(word, stating, ARRAY_SIZE(stating)))
			found |= CHAT_STATES;
		if (is_one_of(word, hedging, ARRAY_SIZE(hedging)))
			found |= CHAT_HEDGES;
	}
	return found;
}

enum chat_lead chat_lead(const char *text, size_t size)
{
	char word[CHAT_WORD_MAX];
	size_t start = 0;
	enum chat_lead lead = CHAT_LEAD_ANYWHERE;
	for (size_t at = 0; chat_next_word(text, size, &at, &start, word);) {
		if (is_one_of(word, sources, ARRAY_SIZE(sources)))
			return CHAT_LEAD_AWAY;
		if (is_one_of(word, stating, ARRAY_SIZE(stating)) ||
			is_one_of(word, leading, ARRAY_SIZE(leading)))
			lead = CHAT_LEAD_TO_MOVE;
	}
	return lead;
}

size_t chat_condition(const char *text, size_t size)
{
	char word[CHAT_WORD_MAX];
	size_t start = 0;
	for (size_t at = 0; chat_next_word(text, size, &at, &start, word);)
		if (is_one_of(word, conditions, ARRAY_SIZE(conditions)) ||
			is_one_of(word, headings, ARRAY_SIZE(headings)))
			return start;
	return size;
}

size_t chat_condition_word(const char *text, size_t size, bool *ret_heading)
{
	char word[CHAT_WORD_MAX];
	size_t at = 0, start;
	if (!chat_next_word(text, size, &at, &start, word))
		return size;
	*ret_heading = is_one_of(word, headings, ARRAY_SIZE(headings));
	return at;
}

bool chat_is_conditional(const char *word)
{
	return is_one_of(word, usual, ARRAY_SIZE(usual));
}

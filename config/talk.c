#include "config/talk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config/words.h"

#define LANGUAGES_MAX 16
#define CODE_MAX 8

struct talk_phrase {
	char *text;
	bool known;  /* it has a use */
	bool begins; /* longer phrases begin with its words */
	uint64_t uses[LANGUAGES_MAX];
};

struct talk {
	struct talk_phrase *slots; /* open addressing; never more than half full */
	size_t n, size;
	char languages[LANGUAGES_MAX][CODE_MAX];
	size_t n_languages;
};

static const struct {
	const char *name;
	enum talk_use use;
} names[] = {
	{"own", TALK_OWN},
	{"wish", TALK_WISH},
	{"others", TALK_OTHERS},
	{"your", TALK_YOUR},
	{"white", TALK_WHITE},
	{"black", TALK_BLACK},
	{"play", TALK_PLAY},
	{"done", TALK_DONE},
	{"do", TALK_DO},
	{"move", TALK_MOVE},
	{"fill", TALK_FILL},
	{"article", TALK_ARTICLE},
	{"prep", TALK_PREP},
	{"so", TALK_SO},
	{"joint", TALK_JOINT},
	{"but", TALK_BUT},
	{"greet", TALK_GREET},
	{"close", TALK_CLOSE},
	{"after", TALK_AFTER},
	{"unit", TALK_UNIT},
	{"game", TALK_GAME},
	{"ask", TALK_ASK},
	{"not", TALK_NOT},
	{"tale", TALK_TALE},
	{"maybe", TALK_MAYBE},
	{"later", TALK_LATER},
	{"away", TALK_AWAY},
	{"or", TALK_OR},
	{"if", TALK_IF},
	{"heading", TALK_HEADING},
	{"series", TALK_SERIES},
	{"correct", TALK_CORRECT},
	{"retract", TALK_RETRACT},
	{"cancel", TALK_CANCEL},
	{"halt", TALK_HALT},
	{"earlier", TALK_EARLIER},
	{"king", TALK_KING},
	{"queen", TALK_QUEEN},
	{"rook", TALK_ROOK},
	{"bishop", TALK_BISHOP},
	{"knight", TALK_KNIGHT},
	{"pawn", TALK_PAWN},
	{"to", TALK_TO},
	{"takes", TALK_TAKES},
	{"from", TALK_FROM},
	{"upon", TALK_UPON},
	{"short-castling", TALK_SHORT},
	{"long-castling", TALK_LONG},
	{"castling", TALK_CASTLING},
	{"promotes", TALK_PROMOTES},
	{"one", TALK_ONE},
	{"two", TALK_ONE + 1},
	{"three", TALK_ONE + 2},
	{"four", TALK_ONE + 3},
	{"five", TALK_ONE + 4},
	{"six", TALK_ONE + 5},
	{"seven", TALK_ONE + 6},
	{"eight", TALK_EIGHT},
};

/* What makes a statement doubtful, in whatever language. */
#define CAUTION                                                                        \
	(TALK(TALK_NOT) | TALK(TALK_TALE) | TALK(TALK_MAYBE) | TALK(TALK_LATER) |      \
		TALK(TALK_AWAY) | TALK(TALK_OR) | TALK(TALK_IF) | TALK(TALK_HEADING) | \
		TALK(TALK_CORRECT) | TALK(TALK_RETRACT) | TALK(TALK_CANCEL) | TALK(TALK_HALT))

bool talk_use_find(const char *name, size_t size, bool moves, enum talk_use *ret_use)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (strlen(names[i].name) != size || strncmp(names[i].name, name, size) != 0 ||
			(names[i].use >= TALK_KING) != moves)
			continue;
		*ret_use = names[i].use;
		return true;
	}
	return false;
}

static uint64_t hash(const char *text)
{
	uint64_t value = 1469598103934665603U;

	for (; *text; text++)
		value = (value ^ (unsigned char)*text) * 1099511628211U;
	return value;
}

/* The slot of a text, or the free one where it would stand. */
static struct talk_phrase *find_slot(struct talk_phrase *slots, size_t size, const char *text)
{
	size_t i = hash(text) & (size - 1);

	while (slots[i].text && strcmp(slots[i].text, text) != 0)
		i = (i + 1) & (size - 1);
	return &slots[i];
}

static int grow(struct talk *talk)
{
	size_t size = talk->size ? talk->size * 2 : 4096;
	struct talk_phrase *slots = calloc(size, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	for (size_t i = 0; i < talk->size; i++)
		if (talk->slots[i].text)
			*find_slot(slots, size, talk->slots[i].text) = talk->slots[i];
	free(talk->slots);
	talk->slots = slots;
	talk->size = size;
	return 0;
}

struct talk *talk_new(void)
{
	return calloc(1, sizeof(struct talk));
}

struct talk *talk_free(struct talk *talk)
{
	if (!talk)
		return NULL;
	for (size_t i = 0; i < talk->size; i++)
		free(talk->slots[i].text);
	free(talk->slots);
	free(talk);
	return NULL;
}

size_t talk_languages(const struct talk *talk)
{
	return talk->n_languages;
}

size_t talk_language(const struct talk *talk, const char *code)
{
	for (size_t i = 0; i < talk->n_languages; i++)
		if (strcmp(talk->languages[i], code) == 0)
			return i;
	return SIZE_MAX;
}

static int add_language(struct talk *talk, const char *code, size_t *ret_language)
{
	*ret_language = talk_language(talk, code);
	if (*ret_language != SIZE_MAX)
		return 0;
	if (talk->n_languages == LANGUAGES_MAX || strlen(code) >= CODE_MAX)
		return -E2BIG;
	*ret_language = talk->n_languages++;
	memcpy(talk->languages[*ret_language], code, strlen(code) + 1);
	return 0;
}

static int add_text(struct talk *talk, const char *text, size_t size, struct talk_phrase **ret)
{
	char copy[WORDS_LINE_MAX];

	if (size >= sizeof(copy))
		return -E2BIG;
	memcpy(copy, text, size);
	copy[size] = '\0';
	int r = talk->n * 2 >= talk->size ? grow(talk) : 0;
	if (r < 0)
		return r;
	struct talk_phrase *slot = find_slot(talk->slots, talk->size, copy);
	if (!slot->text) {
		slot->text = strdup(copy);
		if (!slot->text)
			return -ENOMEM;
		talk->n++;
	}
	*ret = slot;
	return 0;
}

int talk_add(struct talk *talk, const char *language, const char *folded, enum talk_use use)
{
	struct talk_phrase *phrase;
	size_t number, words = 1;
	int r = add_language(talk, language, &number);

	/* Its beginnings, too: that shows where looking further is worth it. */
	for (const char *at = folded; r == 0 && (at = strchr(at, ' ')); at++, words++) {
		r = words == TALK_WORDS_MAX
			    ? -E2BIG
			    : add_text(talk, folded, (size_t)(at - folded), &phrase);
		if (r == 0)
			phrase->begins = true;
	}
	if (r == 0)
		r = add_text(talk, folded, strlen(folded), &phrase);
	if (r < 0)
		return r;
	phrase->known = true;
	phrase->uses[number] |= TALK(use);
	return 0;
}

size_t talk_match(const struct talk *talk, const char *const *words, size_t n,
	const struct talk_phrase **ret_phrase)
{
	char text[WORDS_LINE_MAX];
	size_t size = 0, found = 0;

	if (talk->size == 0)
		return 0;
	for (size_t i = 0; i < n && i < TALK_WORDS_MAX; i++) {
		size_t add = strlen(words[i]);
		if (add == 0 || size + add + 2 > sizeof(text))
			break;
		if (i > 0)
			text[size++] = ' ';
		memcpy(text + size, words[i], add + 1);
		size += add;
		const struct talk_phrase *phrase = find_slot(talk->slots, talk->size, text);
		if (!phrase->text)
			break;
		if (phrase->known) {
			*ret_phrase = phrase;
			found = i + 1;
		}
		if (!phrase->begins)
			break;
	}
	return found;
}

bool talk_knows(const struct talk_phrase *phrase, size_t language)
{
	return language < LANGUAGES_MAX && phrase->uses[language] != 0;
}

uint64_t talk_uses_anywhere(const struct talk *talk, const struct talk_phrase *phrase)
{
	uint64_t uses = 0;

	for (size_t i = 0; i < talk->n_languages; i++)
		uses |= phrase->uses[i];
	return uses;
}

uint64_t talk_uses(const struct talk *talk, const struct talk_phrase *phrase, size_t language)
{
	if (language < talk->n_languages && phrase->uses[language])
		return phrase->uses[language];
	return talk_uses_anywhere(talk, phrase) & CAUTION;
}

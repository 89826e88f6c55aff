#include "config/language.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "config/templates.h"
#include "config/words.h"
#include "core/base.h"

#define ADDED_MAX 32

/* What override folders have brought, for the whole program. */
static char added[ADDED_MAX][LANGUAGE_CODE_MAX];
static size_t n_added;

bool language_is_code(const char *code)
{
	size_t size = strspn(code, "abcdefghijklmnopqrstuvwxyz");

	return size >= 2 && size <= 3 && code[size] == '\0';
}

static bool is_built_in(const char *code)
{
	struct embedded_template file;

	for (size_t i = 0; templates_embedded(i, &file); i++)
		if (*file.language && strcmp(file.language, code) == 0)
			return true;
	return false;
}

bool language_is_known(const char *code)
{
	for (size_t i = 0; i < n_added; i++)
		if (strcmp(added[i], code) == 0)
			return true;
	return is_built_in(code);
}

void language_add(const char *code)
{
	if (language_is_code(code) && !language_is_known(code) && n_added < ADDED_MAX)
		(void)snprintf(added[n_added++], LANGUAGE_CODE_MAX, "%s", code);
}

const char *language_find(const char *name)
{
	static const struct {
		const char *code;
		const char *names; /* folded, between bars */
	} languages[] = {
		{"en", "|EN|ENGLISH|ENGLANTI|INGLESE|АНГЛИЙСКИЙ|"},
		{"fi", "|FI|FINNISH|SUOMI|SUOMEKSI|FINLANDESE|ФИНСКИЙ|"},
		{"it", "|IT|ITALIAN|ITALIA|ITALIANO|ИТАЛЬЯНСКИЙ|"},
		{"ru", "|RU|RUSSIAN|VENÄJÄ|RUSSO|РУССКИЙ|"},
	};
	char folded[WORDS_LINE_MAX], wanted[WORDS_LINE_MAX + 2];
	size_t places[WORDS_LINE_MAX];

	if (language_is_known(name)) /* one that an override has added */
		return name;
	if (words_fold(name, strlen(name), folded, places) == 0 || strchr(folded, '|'))
		return NULL;
	(void)snprintf(wanted, sizeof(wanted), "|%s|", folded);
	for (size_t i = 0; i < ARRAY_SIZE(languages); i++)
		if (strstr(languages[i].names, wanted))
			return languages[i].code;
	return NULL;
}

bool notation_find(
	const char *name, enum notation *ret_notation, const struct letters **ret_letters)
{
	static const struct {
		const char *name;
		enum notation notation;
	} plain[] = {
		{"san", NOTATION_SAN},
		{"figurine", NOTATION_FIGURINE},
		{"long", NOTATION_LONG},
		{"iccf", NOTATION_ICCF},
	};

	for (size_t i = 0; i < ARRAY_SIZE(plain); i++) {
		if (strcmp(plain[i].name, name) == 0) {
			*ret_notation = plain[i].notation;
			*ret_letters = NULL;
			return true;
		}
	}
	if (strncmp(name, "san-", 4) != 0 || !language_is_code(name + 4))
		return false;
	*ret_letters = letters_find(name + 4, strlen(name + 4));
	*ret_notation = NOTATION_SAN;
	return *ret_letters;
}

bool notation_is_known(const char *name)
{
	enum notation notation;
	const struct letters *letters;

	return notation_find(name, &notation, &letters);
}

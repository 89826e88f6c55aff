#include "config/language.h"

#include <stddef.h>
#include <string.h>

#include "core/base.h"

bool language_is_known(const char *code)
{
	static const char *const languages[] = {"en", "fi", "it", "ru"};

	for (size_t i = 0; i < ARRAY_SIZE(languages); i++)
		if (strcmp(languages[i], code) == 0)
			return true;
	return false;
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
	if (strncmp(name, "san-", 4) != 0 || !language_is_known(name + 4))
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

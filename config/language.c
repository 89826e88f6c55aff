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

#include "config/plural.h"

#include <string.h>

static const struct {
	const char *name;
	size_t forms;
} rules[] = {
	[PLURAL_ONE] = {"one", 2},
	[PLURAL_NONE] = {"none", 1},
	[PLURAL_ZERO_ONE] = {"zero-one", 2},
	[PLURAL_SLAVIC] = {"slavic", 3},
	[PLURAL_POLISH] = {"polish", 3},
	[PLURAL_CZECH] = {"czech", 3},
	[PLURAL_SLOVENE] = {"slovene", 4},
	[PLURAL_LITHUANIAN] = {"lithuanian", 3},
	[PLURAL_LATVIAN] = {"latvian", 2},
	[PLURAL_ROMANIAN] = {"romanian", 3},
};

bool plural_find(const char *name, enum plural_rule *ret_rule)
{
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++) {
		if (strcmp(rules[i].name, name) == 0) {
			*ret_rule = (enum plural_rule)i;
			return true;
		}
	}
	return false;
}

size_t plural_forms(enum plural_rule rule)
{
	return rules[rule].forms;
}

/* The last two digits of the whole part decide in all rules, and whether it is more. */
struct number {
	unsigned last_two;
	bool large, fraction, known;
};

static struct number number_read(const char *text)
{
	struct number number = {0};

	text += *text == '-' || *text == '+';
	for (; *text >= '0' && *text <= '9'; text++) {
		unsigned whole = number.last_two * 10 + (unsigned)(*text - '0');
		number.large |= whole >= 100;
		number.last_two = whole % 100;
		number.known = true;
	}
	number.fraction = (*text == '.' || *text == ',') && strspn(text + 1, "0123456789") > 0;
	return number;
}

static bool between(unsigned number, unsigned first, unsigned last)
{
	return number >= first && number <= last;
}

static size_t east_or_polish(const struct number *number, bool polish)
{
	unsigned last = number->last_two % 10;
	bool teen = between(number->last_two, 11, 19);

	if (polish && number->last_two == 1 && !number->large)
		return 0;
	if (!polish && last == 1 && !teen)
		return 0;
	return between(last, 2, 4) && !teen ? 1 : 2;
}

static size_t form_of(enum plural_rule rule, const struct number *number)
{
	unsigned two = number->last_two, last = two % 10;
	bool teen = between(two, 11, 19), one = two == 1 && !number->large;

	switch (rule) {
	case PLURAL_ONE:
		return one ? 0 : 1;
	case PLURAL_NONE:
		return 0;
	case PLURAL_ZERO_ONE:
		return two <= 1 && !number->large ? 0 : 1;
	case PLURAL_SLAVIC:
		return east_or_polish(number, false);
	case PLURAL_POLISH:
		return east_or_polish(number, true);
	case PLURAL_CZECH:
		return one ? 0 : between(two, 2, 4) && !number->large ? 1 : 2;
	case PLURAL_SLOVENE:
		return two == 1 ? 0 : two == 2 ? 1 : between(two, 3, 4) ? 2 : 3;
	case PLURAL_LITHUANIAN:
		return teen || last == 0 ? 2 : last == 1 ? 0 : 1;
	case PLURAL_LATVIAN:
		return last == 1 && !teen ? 0 : 1;
	case PLURAL_ROMANIAN:
		return one ? 0 : (two == 0 && !number->large) || between(two, 1, 19) ? 1 : 2;
	}
	return 0;
}

size_t plural_form(enum plural_rule rule, const char *number)
{
	struct number read = number_read(number);

	if (!read.known)
		return plural_forms(rule) - 1;
	if (!read.fraction)
		return form_of(rule, &read);
	/* "57,6 часа": the singular genitive, which is the form of 2 to 4. */
	switch (rule) {
	case PLURAL_SLAVIC:
	case PLURAL_LITHUANIAN:
		return 1;
	case PLURAL_SLOVENE:
		return 2;
	case PLURAL_ZERO_ONE:
		return form_of(rule, &read);
	case PLURAL_ONE:
	case PLURAL_NONE:
	case PLURAL_POLISH:
	case PLURAL_CZECH:
	case PLURAL_LATVIAN:
	case PLURAL_ROMANIAN:
		break;
	}
	return plural_forms(rule) - 1;
}

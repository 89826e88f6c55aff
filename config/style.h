/*
 * How a language writes dates, numbers and names: templates/LANGUAGE/language.txt. Lines of
 * it are "KEY: value"; empty lines and those that begin with '#' say nothing.
 *
 *   name      the language's own name: "suomi"
 *   plural    the rule of its plural forms (config/plural.h): "one", "slavic"
 *   decimal   what separates tenths: "," or "."
 *   date      of {d} {dd} {m} {mm} {yyyy}: "{d}.{m}.{yyyy}"
 *   time      of {h} {hh} {min}: "{hh}.{min}"
 *   seconds   what follows the time where seconds are not zero, of {sec}: ".{sec}"
 *   moment    of {date} {time}, in sentences: "{date} klo {time}"
 *   stamp     of {date} {time}, in tables: "{date} {time}"
 *   names     how a registered "Virtanen, Anna" reads in a sentence: "given family", "family
 *             given" or "as registered"
 *   razsh     how articles of the rules of RAZSh are cited: "РАЗШ"
 *
 * What it leaves out is as in English.
 */
#pragma once

#include <stddef.h>

#include "config/fault.h"
#include "config/plural.h"
#include "core/base.h"

enum name_order {
	NAMES_GIVEN_FAMILY = 0,
	NAMES_FAMILY_GIVEN,
	NAMES_REGISTERED,
};

#define STYLE_TEXT_MAX 48

struct style {
	enum plural_rule plural;
	enum name_order names;
	char name[STYLE_TEXT_MAX];
	char decimal[STYLE_TEXT_MAX];
	char date[STYLE_TEXT_MAX], time[STYLE_TEXT_MAX], seconds[STYLE_TEXT_MAX];
	char moment[STYLE_TEXT_MAX], stamp[STYLE_TEXT_MAX];
	char razsh[STYLE_TEXT_MAX];
};

/* Reads SIZE bytes of TEXT into *STYLE, which holds what is left out already. FILE names it in
 * faults. Returns 0 or FILE_FAULTY. */
MUST_CHECK int style_parse(const char *file, const char *text, size_t size,
	struct fault_list *faults, struct style *style);

/* "Virtanen, Anna" as sentences say it; NULL stays "". Returns its length. */
#define STYLE_NAME_MAX 320
size_t style_name(const struct style *style, const char *name, char out[STYLE_NAME_MAX]);
/* An article of the rules as it is cited: "RAZSh 6.1, 6.3" as "РАЗШ 6.1, 6.3". */
#define STYLE_ARTICLE_MAX 96
size_t style_article(const struct style *style, const char *article, char out[STYLE_ARTICLE_MAX]);

/*
 * The mail templates of all languages: built in, and replaced file by file by those of an
 * override folder (`templates/LANGUAGE/NAME.txt`), which may also add languages. A file that a
 * language does not have is the English one.
 *
 * A template named after a kind of mail has "Subject: ..." as its first line, an empty
 * line, and the body. Other templates are parts that these include ({{>position}}). The file
 * "language" is none: it says how the language writes dates, numbers and names
 * (config/style.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "config/fault.h"
#include "config/style.h"
#include "config/template.h"
#include "core/base.h"

struct templates;

/* OVERRIDES may be NULL. Returns 0, FILE_FAULTY (a file of the override folder cannot be read
 * or is no template, has a name that nothing uses, or uses a name that is never set) or
 * -ENOMEM. */
MUST_CHECK int templates_load(
	const char *overrides, struct fault_list *faults, struct templates **ret_templates);
struct templates *templates_free(struct templates *templates);

/* Whether there are templates for the language. */
bool templates_language_known(const struct templates *templates, const char *language);
/* The languages that there are templates for, by index, in order; NULL behind the last. */
const char *templates_language(const struct templates *templates, size_t index);
/* How the language writes dates, numbers and names; English if it does not say. */
const struct style *templates_style(const struct templates *templates, const char *language);

/* Writes subject and text of the mail NAME with VALUES in LANGUAGE (English if it has no such
 * template). The subject is one line, text_fold'ed text ends in a newline. The caller frees
 * both. Returns 0, -ENOENT or as template_render. */
MUST_CHECK int templates_render(const struct templates *templates, const char *language,
	const char *name, const struct values *values, char **ret_subject, char **ret_text);

/* The same for a part that is no mail: its text alone, as it stands. */
MUST_CHECK int templates_render_part(const struct templates *templates, const char *language,
	const char *name, const struct values *values, char **ret_text);

/* Calls FN for everything that the language's own file NAME uses, as template_names, subject and
 * body. Returns false if the language has no such file. */
bool templates_names(const struct templates *templates, const char *language, const char *name,
	void (*fn)(void *context, char sign, const char *name), void *context);

/* Whether templates may use this name for a value. */
bool templates_name_known(const char *name);

/* The bytes of a built-in file, by index: for tests and for administrators who want to
 * change one. Returns false behind the last. */
struct embedded_template {
	const char *language, *name;
	const char *text;
	size_t size;
};
bool templates_embedded(size_t index, struct embedded_template *ret_embedded);

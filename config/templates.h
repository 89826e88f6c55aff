/*
 * The mail templates of all languages: built in, and replaced file by file by those of an
 * override folder (`templates/LANGUAGE/NAME.txt`).
 *
 * A template named after a kind of mail has "Subject: ..." as its first line, an empty
 * line, and the body. Other templates are parts that these include ({{>position}}).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "config/fault.h"
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

/* Writes subject and text of the mail NAME with VALUES in LANGUAGE (English if it has no such
 * template). The subject is one line, text_fold'ed text ends in a newline. The caller frees
 * both. Returns 0, -ENOENT or as template_render. */
MUST_CHECK int templates_render(const struct templates *templates, const char *language,
	const char *name, const struct values *values, char **ret_subject, char **ret_text);

/* The same for a part that is no mail: its text alone, as it stands. */
MUST_CHECK int templates_render_part(const struct templates *templates, const char *language,
	const char *name, const struct values *values, char **ret_text);

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

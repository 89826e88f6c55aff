/*
 * Mail templates: text with holes, in the manner of mustache, without any logic but
 * sections.
 *
 *   {{name}}                     the value, "" if it is not set
 *   {{name|day|days}}            the form of a word that goes with that number: as many forms
 *                                as the language has (config/plural.h); "" if it is not set
 *   {{#name}} ... {{/name}}      once for each item of a list, or once if the value is set
 *   {{^name}} ... {{/name}}      if it is not set
 *   {{>name}}                    another template in its place
 *   {{#wrap}} ... {{/wrap}}      its paragraphs are filled to lines of at most
 *                                TEMPLATE_COLUMNS columns; leading blanks and a "- " or "* "
 *                                of a paragraph's first line are kept as its indentation
 *   {{! a comment }}
 *
 * A section's tag that stands alone on its line takes the line with it. Inside a list's
 * item, names are looked up in the item first, then around it. Values are never read as
 * templates.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "config/fault.h"
#include "config/plural.h"
#include "core/base.h"

#define TEMPLATE_COLUMNS 77
#define TEMPLATE_OUTPUT_MAX ((size_t)1 << 20)

/* ---- Values ---- */

struct values;

MUST_CHECK int values_new(struct values **ret_values);
struct values *values_free(struct values *values);

/* Copies TEXT; a value that is NULL or "" counts as not set. A name that is set again
 * is replaced. */
MUST_CHECK int values_set(struct values *values, const char *name, const char *text);
MUST_CHECK int values_format(struct values *values, const char *name, const char *format, ...)
	PRINTF_LIKE(3, 4);
/* Sets NAME to "yes" if ON, so that a section of that name is written. */
MUST_CHECK int values_flag(struct values *values, const char *name, bool on);
/* Appends an item to the list NAME; *ret_item belongs to VALUES. */
MUST_CHECK int values_append(struct values *values, const char *name, struct values **ret_item);
/* The text set for NAME, or NULL. */
const char *values_get(const struct values *values, const char *name);
/* Calls FN for every name that was set, NULL and "" included, in this and in its items. */
void values_names(
	const struct values *values, void (*fn)(void *context, const char *name), void *context);

/* ---- Templates ---- */

struct template;

/* Parses SIZE bytes of TEXT; FILE names it in faults. Returns 0, FILE_FAULTY or -ENOMEM. */
MUST_CHECK int template_parse(const char *file, const char *text, size_t size,
	struct fault_list *faults, struct template **ret_template);
/* The same for a part of a file that begins on LINE. */
MUST_CHECK int template_parse_at(const char *file, unsigned line, const char *text, size_t size,
	struct fault_list *faults, struct template **ret_template);
struct template *template_free(struct template *template);
/* By which rule it chooses forms; PLURAL_ONE before. Adds a fault where the number of forms is
 * not that of the rule. */
void template_set_plural(
	struct template *template, enum plural_rule rule, struct fault_list *faults);

/* How {{>name}} finds another template; NULL if there is none. */
typedef const struct template *template_find_fn(void *context, const char *name);

/* Writes the template with VALUES into a new string of *ret_size bytes and a final NUL,
 * which the caller frees. -E2BIG beyond TEMPLATE_OUTPUT_MAX, -ELOOP for partials nested too
 * deeply, -ENOENT for a partial that does not exist. */
MUST_CHECK int template_render(const struct template *template, const struct values *values,
	template_find_fn *find, void *context, char **ret_text, size_t *ret_size);

/* Adds a fault for every name in the template that KNOWN does not know and every partial
 * that FIND does not find. */
void template_check(const struct template *template, bool (*known)(const char *name),
	template_find_fn *find, void *context, struct fault_list *faults);

/* Calls FN for every name and partial (SIGN '>') that the template uses, as often as it does:
 * SIGN is '\0' for a value, '|' for forms of a word, '#' or '^' for a section. */
void template_names(const struct template *template,
	void (*fn)(void *context, char sign, const char *name), void *context);

/* ---- Columns ---- */

/* Columns that SIZE bytes of UTF-8 take, combining marks none. */
size_t text_columns(const char *text, size_t size);
/* Folds every line of TEXT that is longer than TEMPLATE_COLUMNS, at blanks where possible,
 * but for the tags of PGN records; new string, the caller frees it. */
MUST_CHECK int text_fold(const char *text, char **ret_text);

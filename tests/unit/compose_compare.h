/*
 * Mails compared with files, tests/golden/en/NAME.eml-text: headers and the body as the reader
 * sees it.
 */
#pragma once

#include "tests/unit/compose_facts.h"

/* A folder: the files are written there anew instead, and compared with themselves. */
extern const char *sample_regenerate;

/* What the files of other languages are named after: LANGUAGE/GROUP-SYSTEM.txt. */
extern const char *sample_group;

/* The mail of the sample's facts; no line is too long, and what is set may be used. In the other
 * languages too: those are kept for sample_compare_collections. */
void sample_compare(struct sample *sample, const char *name);
/* All mails so far in the languages other than English; the last test of a group. */
void sample_compare_collections(void **state);
/* No line of TEXT is longer than mails may have it. */
void sample_lines_short(const char *text);
/* Whatever is set may be used in a template, so names.txt explains it. */
void sample_names_known(const struct compose_facts *facts);
/* TEXT against the file NAME of the folder. */
void sample_compare_text(const char *text, const char *name);

/*
 * Inside of the reader: the steps from raw bytes to a letter. letter_json.h is the way in.
 */
#pragma once

#include "daemon/reading/letter.h"
#include "daemon/reading/mime.h"

/* Builds the letter of a raw message. A message that cannot be read is a letter with
 * `unparsable`. -ENOMEM. */
MUST_CHECK int letter_parse(const void *raw, size_t size, struct letter **ret);

/* Chooses the parts that are the sender's text and decodes them into letter->text. */
MUST_CHECK int body_read(struct letter *letter, const struct mime_tree *tree);

/* Fills the report fields: from the machine-readable parts, else from a bounce in prose. */
MUST_CHECK int report_read(
	struct letter *letter, const struct header *header, const struct mime_tree *tree);

/* Adds a note once; NOTE is a constant. */
void letter_note(struct letter *letter, const char *note);

/* The header value as one clean line of the letter's pool, without control characters; NULL
 * only when there is no memory. */
MUST_CHECK const char *letter_line(
	struct letter *letter, const char *value, size_t size, const char *fallback_charset);

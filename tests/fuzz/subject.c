/*
 * A Subject as it stands in a raw mail: decoded, cleaned, and searched for game codes.
 */
#include "daemon/reading/subject.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/reading/letter_json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_columns(const char *subject)
{
	struct subject_columns columns;

	if (!subject_find_columns(subject, &columns))
		return;
	if (strlen(columns.code) != 4 || columns.move > 999)
		abort();
	for (size_t i = 0; i < 4; i++)
		if (!isdigit((unsigned char)columns.code[i]) &&
			!isupper((unsigned char)columns.code[i]))
			abort();
	if (columns.move ? columns.colour != 'b' && columns.colour != 'n' : columns.colour != 0)
		abort();
}

static void check_bracket(const char *subject)
{
	struct subject_bracket bracket;

	if (!subject_find_bracket(subject, &bracket))
		return;
	size_t size = strlen(bracket.event);
	if (size == 0 || size >= sizeof(bracket.event) || bracket.number > 999999 ||
		!strstr(subject, bracket.event))
		abort();
}

static void check_characters(const char *subject)
{
	for (; *subject; subject++)
		if ((unsigned char)*subject < 0x20 || *subject == 0x7f)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char head[] = "From: a@b.example\nSubject: ", tail[] = "\n\n1. e4\n";
	size_t n = sizeof(head) - 1 + size + sizeof(tail) - 1, json_size;
	char *raw = malloc(n), *json;
	struct letter *letter;

	if (!raw)
		abort();
	memcpy(raw, head, sizeof(head) - 1);
	memcpy(raw + sizeof(head) - 1, data, size);
	memcpy(raw + sizeof(head) - 1 + size, tail, sizeof(tail) - 1);
	if (letter_read_json(raw, n, &json, &json_size) != 0 ||
		letter_from_json(json, json_size, &letter) != 0)
		abort();
	check_characters(letter->subject);
	check_columns(letter->subject);
	check_bracket(letter->subject);
	letter_free(letter);
	free(json);
	free(raw);
	return 0;
}

/*
 * Raw mails through all of the reading: what the worker writes must be a letter to the main
 * process, and the grammar must never make a move that is not legal.
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/reading/letter_json.h"
#include "daemon/reading/sort.h"
#include "daemon/reading/trust.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const ids[] = {"mx.club.example", "topmost"};
	static const char *const ours[] = {"moves@club.example"};
	char *json;
	size_t json_size;
	struct letter *letter;

	if (letter_read_json(data, size, &json, &json_size) != 0)
		abort();
	if (letter_from_json(json, json_size, &letter) != 0)
		abort();
	free(json);
	(void)trust_authentication(letter, ids, ARRAY_SIZE(ids));
	enum letter_sort sort = sort_letter(letter, "club.example", ours, ARRAY_SIZE(ours));
	if (sort != SORT_PERSON && sort_may_answer(letter, sort))
		abort();
	letter_free(letter);
	return 0;
}

/*
 * Real mails of tests/data/mail through the whole reading: letter, sorting, trust, new text and
 * grammar. Every mail that must be read gives exactly its move, and no mail ever another one.
 */
#include "test.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "core/fen.h"
#include "core/notation.h"
#include "daemon/reading/grammar.h"
#include "daemon/reading/letter_json.h"
#include "daemon/reading/newtext.h"
#include "daemon/reading/sort.h"
#include "daemon/reading/trust.h"

#define MOVES_MAX_GAME 1000

struct sample {
	const json_t *index;
	const char *id, *expect, *level;
	uint16_t moves[MOVES_MAX_GAME];
	unsigned n;
	struct position start, now;
};

static const char *text_of(const json_t *index, const char *key)
{
	const char *text = json_string_value(json_object_get(index, key));
	return text ? text : "";
}

static bool has_feature(const struct sample *sample, const char *feature)
{
	size_t i;
	json_t *item;
	json_array_foreach (json_object_get(sample->index, "features"), i, item)
		if (strcmp(json_string_value(item), feature) == 0)
			return true;
	return false;
}

static uint16_t read_san(const struct position *position, const char *text, size_t size)
{
	struct move_reading reading;
	if (move_read(position, letters_find("en", 2), text, size, &reading) != MOVE_READ)
		return MOVE_NONE;
	return reading.move;
}

static void set_up(struct sample *sample, const json_t *index)
{
	*sample = (struct sample){.index = index,
		.id = text_of(index, "id"),
		.expect = text_of(index, "expect"),
		.level = text_of(index, "level")};
	sample->start = sample->now = position_initial();
	for (const char *at = text_of(index, "history"); *at;) {
		size_t size = strcspn(at, " ");
		uint16_t move = read_san(&sample->now, at, size);
		if (move == MOVE_NONE || sample->n == MOVES_MAX_GAME)
			fail_msg("%s: history stops at %s", sample->id, at);
		position_make(&sample->now, move);
		sample->moves[sample->n++] = move;
		at += size;
		at += strspn(at, " ");
	}
}

static char *load(const char *name, size_t *ret_size)
{
	char path[512];
	snprintf(path, sizeof(path), TEST_DATA "/mail/%s", name);
	FILE *file = fopen(path, "rb");
	if (!file)
		fail_msg("%s: %s", path, strerror(errno));
	fseek(file, 0, SEEK_END);
	size_t size = (size_t)ftell(file);
	rewind(file);
	/* No final NUL: whatever reads behind the end is found by the sanitizer. */
	char *bytes = malloc(size ? size : 1);
	assert_non_null(bytes);
	assert_int_equal(fread(bytes, 1, size, file), size);
	fclose(file);
	*ret_size = size;
	return bytes;
}

static struct letter *read_letter(const struct sample *sample)
{
	size_t size, json_size;
	char *raw = load(text_of(sample->index, "file"), &size), *json;
	struct letter *letter = NULL;
	expect_int(letter_read_json(raw, size, &json, &json_size), 0);
	int r = letter_from_json(json, json_size, &letter);
	if (r != 0)
		fail_msg("%s: letter_from_json says %d", sample->id, r);
	free(json);
	free(raw);
	return letter;
}

struct outcome {
	enum letter_sort sort;
	enum auth auth;
	bool known;  /* From is the player's address */
	bool played; /* repetition and one legal own move: would be accepted */
	bool answered;
	uint16_t move;
	struct message message;
	struct newtext newtext;
};

static const char *const authserv_ids[] = {"mx.scacchi.example"};
static const char *const our_addresses[] = {"relay@scacchi.example"};

static struct outcome read_outcome(const struct sample *sample, const struct letter *letter)
{
	struct outcome outcome = {.sort = sort_letter(letter, "relay.scacchi.example",
					  our_addresses, ARRAY_SIZE(our_addresses))};
	outcome.auth = trust_authentication(letter, authserv_ids, ARRAY_SIZE(authserv_ids));
	outcome.known = letter->from == FROM_USABLE &&
			address_same(letter->from_address, text_of(sample->index, "from_addr"));
	expect_int(newtext_find(letter, NULL, 0, NULL, &outcome.newtext), 0);
	const char *language = text_of(sample->index, "lang");
	struct grammar_context context = {.start = &sample->start,
		.moves = sample->moves,
		.n = sample->n,
		.ply = sample->n,
		.by = sample->now.turn == SIDE_WHITE ? SIDE_WHITE : SIDE_BLACK,
		.letters = letters_find(language, strlen(language))};
	expect_int(grammar_read(&outcome.newtext, &context, &outcome.message), 0);
	const struct message *message = &outcome.message;
	bool person = outcome.sort == SORT_PERSON && !letter->unparsable;
	bool trusted = outcome.known && outcome.auth == AUTH_PASS;
	outcome.played = person && trusted && message->has_own && !message->several_own &&
			 message->own.result == MOVE_READ && message->ply == sample->n &&
			 message->repetition == REPETITION_RIGHT && message->n_commands == 0;
	outcome.move = message->own.move;
	outcome.answered = person && trusted && sort_may_answer(letter, outcome.sort);
	return outcome;
}

static void explain(const struct sample *sample, const struct letter *letter,
	const struct outcome *outcome, const char *what)
{
	const struct message *message = &outcome->message;
	print_message("%s (%s): %s; sort %d from %d auth %d known %d ply %u/%u rep %d own %d/%d "
		      "several %d commands %zu; %s\n---\n%.600s\n---\n",
		sample->id, sample->level, what, (int)outcome->sort, (int)letter->from,
		(int)outcome->auth, outcome->known, message->ply, sample->n,
		(int)message->repetition, message->has_own, (int)message->own.result,
		message->several_own, message->n_commands,
		letter->unparsable ? letter->unparsable : "", outcome->newtext.text);
}

/* 1 if the mail came out as it must, 0 if something else that is no mistake, -1 if wrong. */
static int judge(const struct sample *sample, const struct letter *letter)
{
	struct outcome outcome = read_outcome(sample, letter);
	const char *wanted = text_of(sample->index, "new_move");
	uint16_t move = read_san(&sample->now, wanted, strlen(wanted));
	bool must = strcmp(sample->level, "must") == 0;
	/* The first of two mails with one Message-ID stands: that is for the store to know. */
	bool second = has_feature(sample, "same Message-ID, different move");
	/* A code of another game, and mails that only the game's directory can place. */
	bool other_game = strcmp(text_of(sample->index, "reason"), "wrong-game") == 0 ||
			  strcmp(text_of(sample->index, "reason"), "unknown-game") == 0;
	int result = 1;
	if (strcmp(sample->expect, "move") == 0) {
		if (outcome.played)
			result = outcome.move == move ? 1 : -1;
		else
			result = 0;
	} else if (outcome.played && !second && !other_game) {
		result = -1;
	} else {
		bool silent = strcmp(sample->expect, "silent") == 0 ||
			      strcmp(text_of(sample->index, "auto_respond"), "no") == 0;
		if (outcome.answered == silent)
			result = must && silent ? -1 : 0;
	}
	if (result < 1)
		explain(sample, letter, &outcome, result < 0 ? "WRONG" : "not as listed");
	newtext_release(&outcome.newtext);
	return result;
}

static void test_corpus(void **state)
{
	(void)state;
	size_t musts = 0, must_right = 0, policies = 0, policy_right = 0, wrong = 0;
	FILE *index = fopen(TEST_DATA "/mail/index.jsonl", "r");
	assert_non_null(index);
	char *line = NULL;
	size_t room = 0;
	while (getline(&line, &room, index) > 0) {
		json_t *entry = json_loads(line, 0, NULL);
		assert_non_null(entry);
		struct sample sample;
		set_up(&sample, entry);
		struct letter *letter = read_letter(&sample);
		int result = judge(&sample, letter);
		bool must = strcmp(sample.level, "must") == 0;
		musts += must;
		must_right += must && result == 1;
		policies += !must;
		policy_right += !must && result == 1;
		wrong += result < 0;
		letter_free(letter);
		json_decref(entry);
	}
	free(line);
	fclose(index);
	print_message("must %zu of %zu, policy %zu of %zu, wrong %zu\n", must_right, musts,
		policy_right, policies, wrong);
	expect_int(wrong, 0);
	expect_int(must_right, musts);
	assert_true(policy_right >= 76);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_corpus),
	};
	expect_int(letter_prepare(), 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

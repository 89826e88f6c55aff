/*
 * The words of mails to the club, in all languages: built in, and replaced file by file by those
 * of an override folder, which may also add languages: `words/LANGUAGE/commands.txt` of players
 * and `rulings.txt` of arbiters (product, section 4), `talk.txt` and `moves.txt` for sentences
 * about moves (config/talk.h).
 *
 * A file has lines `COMMAND: phrase | phrase`; a command may have several. Empty lines and
 * those that begin with '#' say nothing. Case and the number of blanks do not matter. `period`
 * lists the words that may stand before, between and behind dates and numbers.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "config/fault.h"
#include "config/talk.h"
#include "config/templates.h"
#include "core/base.h"
#include "rules/message.h"

struct words;

/* OVERRIDES may be NULL. Returns 0, FILE_FAULTY (a file of the override folder cannot be read,
 * has an unknown name, names no command, or gives a phrase to a second command) or -ENOMEM. */
MUST_CHECK int words_load(
	const char *overrides, struct fault_list *faults, struct words **ret_words);
struct words *words_free(struct words *words);

/* What arbiters write: rulings, and the words that may follow them. */
enum ruling_word {
	RULING_WORD_NONE = 0,
	RULING_WORD_UPHOLD,
	RULING_WORD_REJECT,
	RULING_WORD_BAR, /* behind reject */
	RULING_WORD_RESUME,
	RULING_WORD_RESULT,
	RULING_WORD_DRAW,
	RULING_WORD_ANNUL, /* also behind result */
	RULING_WORD_ADJUDICATE,
	RULING_WORD_PENALTY,
	RULING_WORD_LIFT, /* also behind penalty */
	RULING_WORD_LEAVE_APPROVE,
	RULING_WORD_LEAVE_REFUSE,
	RULING_WORD_ROLLBACK,
	RULING_WORD_UNCLEAR,
	RULING_WORD_CORRECT,
	RULING_WORD_CREDIT,
	RULING_WORD_MOVE,
	RULING_WORD_ACCEPT_ADDRESS,
	RULING_WORD_MOBILE,
	RULING_WORD_NO_ACCESS,
	RULING_WORD_ANNOUNCE,
	RULING_WORD_WHITE, /* a side */
	RULING_WORD_BLACK,
	RULING_WORD_SENT, /* a stamp, behind correct */
	RULING_WORD_DELIVERED,
	RULING_WORD_ON, /* behind mobile */
	RULING_WORD_OFF,
	RULING_WORD_REASON, /* what follows is the arbiter's reason */
	RULING_WORD_FILLER, /* says nothing: "days", "move" */
};

#define WORDS_LINE_MAX ((size_t)240)

/* SIZE bytes of a line as words_find takes them: one case, single blanks, with a final NUL.
 * ret_at[i] is where byte i of OUT comes from. Returns the length; 0 if it is empty or too
 * long. */
size_t words_fold(
	const char *line, size_t size, char out[WORDS_LINE_MAX], size_t ret_at[WORDS_LINE_MAX]);

/* The next phrase, from *INDEX (0 at first) on, that is the beginning of the folded LINE up to
 * a word's end. *ret_used bytes of it are the phrase. COMMAND_NONE: there is none. */
enum command words_find(
	const struct words *words, const char *line, size_t *index, size_t *ret_used);

/* The same for words of arbiters; RULING_WORD_NONE: there is none. */
enum ruling_word words_find_ruling(
	const struct words *words, const char *line, size_t *index, size_t *ret_used);

/* How many bytes at the start of the folded LINE are a word that may stand around dates; 0:
 * none. */
size_t words_period(const struct words *words, const char *line);

/* What words do in sentences about moves. */
const struct talk *words_talk(const struct words *words);

/* The bytes of a built-in file, by index. False behind the last. */
bool words_embedded(size_t index, struct embedded_template *ret_embedded);

/*
 * From a letter to a verdict: everything that is decided about a message, without
 * changing anything. The relay carries the outcome out (relay/receive.h); `zugpostctl read`
 * only looks at it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "daemon/reading/letter.h"
#include "daemon/reading/newtext.h"
#include "daemon/reading/ruling.h"
#include "daemon/relay/identify.h"
#include "daemon/relay/match.h"
#include "daemon/store/inbox.h"
#include "rules/decide.h"

struct judge_input {
	int64_t inbox; /* row of the message; 0 in a dry run */
	int64_t arrival;
	const struct letter *letter;
	bool again;      /* judged again on purpose: no duplicate of itself or others */
	bool confirmed;  /* its sender has proved it by a confirmation token */
	int64_t as_game; /* belongs to this game whatever it says; 0: find out */
	bool pretend;    /* a dry run: a game whose start has come counts as active */
};

struct judgement {
	struct arena arena;
	int64_t arrival;
	enum verdict verdict;
	struct identity identity;
	struct match *match; /* NULL if no game was found */
	struct newtext newtext;
	struct message message; /* of the game's message; zero if none was read */
	bool has_message;
	bool has_ruling; /* an arbiter's: of the game that was found */
	struct stated_ruling ruling;
	struct decision decision;
	bool capped; /* the sender has had his answers of the day */
	unsigned char new_digest[DIGEST_SIZE];
	const char *words;     /* the player's own words around the move, or NULL */
	const char *notes[24]; /* what was odd, in words */
	size_t n_notes;
};

MUST_CHECK int judge(
	struct club *club, const struct judge_input *input, struct judgement *ret_judgement);
void judgement_release(struct judgement *judgement);
#define CLEANUP_JUDGEMENT __attribute__((cleanup(judgement_release)))

/* Where answers to it go: to the address that it came from if that is one of the player's, else to
 * the first of his; NULL if he is not known and that cannot be used. */
const char *judgement_address(const struct judgement *judgement);

/* Would any mail go to the address that the message came from? */
bool judgement_answers(const struct judgement *judgement);

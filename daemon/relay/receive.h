/*
 * A judged message becomes rows: its verdict, the effects of its decision, what it asks for,
 * the answers; all in the caller's transaction.
 */
#pragma once

#include <stdint.h>

#include "daemon/relay/judge.h"

/* Writes a judged message. NOW is the present; the message's own instant is its arrival. */
MUST_CHECK int receive_message(struct club *club, const struct inbox_row *row,
	struct judgement *judgement, const struct letter *letter, int64_t now);

/* Judges a stored message that has been read, and writes it. HOW says what is special about
 * it; its row, arrival and letter are filled in. */
MUST_CHECK int receive_row(
	struct club *club, const struct inbox_row *row, const struct judge_input *how, int64_t now);

/* The game goes on, or begins: what was held is heard, in order of arrival. What waits for its
 * sender's confirmation goes on waiting. */
MUST_CHECK int receive_held(struct club *club, int64_t game, int64_t now);

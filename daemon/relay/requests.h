/*
 * Requests that concern a player and not one game alone: leave, stops, withdrawal. Asked
 * for by mail or by zugpostctl; both come here.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "daemon/relay/club.h"
#include "daemon/relay/judge.h"
#include "daemon/relay/post.h"
#include "daemon/store/arena.h"
#include "rules/leave.h"

struct request {
	enum command kind; /* COMMAND_LEAVE, _END_LEAVE, _STOP, _VACATION, _WITHDRAW */
	const char *player;
	const char *tournament; /* withdrawal: from this event; NULL: from all */
	int64_t at;             /* when it was made */
	int32_t from, to;       /* dates of a leave */
	int64_t start, end;     /* of a stop */
	bool approved, agreed;
	int64_t announced;  /* of a leave that had to be asked about; 0: at `at` */
	bool other_channel; /* a stop asked for inside a move message (MC-link 7ter.4) */
};

/* What became of it in one game. */
struct request_game {
	const char *game; /* "KO-50.2/1" */
	struct leave_outcome outcome;
};

struct request_result {
	enum verdict verdict; /* VERDICT_COMMAND or VERDICT_COMMAND_ERROR */
	enum refusal refusal;
	struct request_game *games;
	size_t n_games;
};

/* Carries the request out in the running transaction, in all games that it concerns, and
 * tells opponents and arbiters; the player himself is answered when ORIGIN (the post of
 * his message, with its judgement) is given, and told of it without one; HOME is its game, or NULL.
 * Strings of the result live in ARENA. */
MUST_CHECK int requests_carry(struct club *club, struct arena *arena, const struct request *request,
	const struct post *origin, struct match *home, int64_t now,
	struct request_result *ret_result);

/* The request that a message states; 0, or -EOPNOTSUPP for a service that is no request of
 * this kind. */
MUST_CHECK int requests_from_message(
	const struct judgement *judgement, struct request *ret_request);

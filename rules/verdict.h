/*
 * Verdicts: each message ends with exactly one (product, section 3).
 */
#pragma once

#include <stddef.h>

#include "core/base.h"

enum verdict {
	VERDICT_NONE = 0, /* not judged yet */
	VERDICT_UNPARSABLE_MAIL,
	VERDICT_IGNORED_LOOP,
	VERDICT_BOUNCE,
	VERDICT_IGNORED_AUTO,
	VERDICT_IGNORED_BULK,
	VERDICT_IGNORED_DUPLICATE,
	VERDICT_UNKNOWN_SENDER,
	VERDICT_UNTRUSTED,
	VERDICT_UNKNOWN_GAME,
	VERDICT_AMBIGUOUS_GAME,
	VERDICT_COMMAND,
	VERDICT_COMMAND_ERROR,
	VERDICT_REPEAT,
	VERDICT_GAME_OVER,
	VERDICT_STALE_MOVE,
	VERDICT_NOT_YOUR_TURN,
	VERDICT_HELD,
	VERDICT_NO_MOVE,
	VERDICT_REPETITION_MISSING,
	VERDICT_REPETITION_WRONG,
	VERDICT_UNREADABLE_MOVE,
	VERDICT_AMBIGUOUS_MOVE,
	VERDICT_ILLEGAL_MOVE,
	VERDICT_ACCEPTED,
	VERDICT_ACCEPTED_WITH_WARNING,
};

/* "illegal-move" and so on; what headers, the store and --json call it. */
const char *verdict_name(enum verdict verdict);
/* The verdict of that name, VERDICT_NONE if there is none. */
enum verdict verdict_find(const char *name);

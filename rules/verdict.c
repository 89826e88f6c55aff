#include "rules/verdict.h"

#include <string.h>

static const char *const names[] = {
	[VERDICT_NONE] = "",
	[VERDICT_UNPARSABLE_MAIL] = "unparsable-mail",
	[VERDICT_IGNORED_LOOP] = "ignored-loop",
	[VERDICT_BOUNCE] = "bounce",
	[VERDICT_IGNORED_AUTO] = "ignored-auto",
	[VERDICT_IGNORED_BULK] = "ignored-bulk",
	[VERDICT_IGNORED_DUPLICATE] = "ignored-duplicate",
	[VERDICT_UNKNOWN_SENDER] = "unknown-sender",
	[VERDICT_UNTRUSTED] = "untrusted",
	[VERDICT_UNKNOWN_GAME] = "unknown-game",
	[VERDICT_AMBIGUOUS_GAME] = "ambiguous-game",
	[VERDICT_COMMAND] = "command",
	[VERDICT_COMMAND_ERROR] = "command-error",
	[VERDICT_REPEAT] = "repeat",
	[VERDICT_GAME_OVER] = "game-over",
	[VERDICT_STALE_MOVE] = "stale-move",
	[VERDICT_NOT_YOUR_TURN] = "not-your-turn",
	[VERDICT_HELD] = "held",
	[VERDICT_NO_MOVE] = "no-move",
	[VERDICT_REPETITION_MISSING] = "repetition-missing",
	[VERDICT_REPETITION_WRONG] = "repetition-wrong",
	[VERDICT_UNREADABLE_MOVE] = "unreadable-move",
	[VERDICT_AMBIGUOUS_MOVE] = "ambiguous-move",
	[VERDICT_ILLEGAL_MOVE] = "illegal-move",
	[VERDICT_ACCEPTED] = "accepted",
	[VERDICT_ACCEPTED_WITH_WARNING] = "accepted-with-warning",
};

const char *verdict_name(enum verdict verdict)
{
	return names[verdict];
}

enum verdict verdict_find(const char *name)
{
	for (size_t i = 1; i < ARRAY_SIZE(names); i++)
		if (strcmp(names[i], name) == 0)
			return (enum verdict)i;
	return VERDICT_NONE;
}

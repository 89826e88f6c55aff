#include "daemon/reading/commands.h"

#include <string.h>

#include "daemon/reading/period.h"

/* What may stand behind the words. */
enum argument {
	ARGUMENT_NONE = 0,
	ARGUMENT_MOVE,         /* or nothing */
	ARGUMENT_PERIOD,       /* two dates */
	ARGUMENT_MAYBE_PERIOD, /* a date, or nothing */
	ARGUMENT_NUMBER,       /* or nothing */
	ARGUMENT_ADDRESS,      /* holds an '@' */
	ARGUMENT_WORD,         /* exactly one word */
};

static enum argument argument_of(enum command kind)
{
	static const enum argument arguments[] = {
		[COMMAND_CLAIM_THREEFOLD] = ARGUMENT_MOVE,
		[COMMAND_CLAIM_FIFTY] = ARGUMENT_MOVE,
		[COMMAND_CLAIM_TIME] = ARGUMENT_NUMBER,
		[COMMAND_LEAVE] = ARGUMENT_PERIOD,
		[COMMAND_END_LEAVE] = ARGUMENT_MAYBE_PERIOD,
		[COMMAND_STOP] = ARGUMENT_PERIOD,
		[COMMAND_VACATION] = ARGUMENT_PERIOD,
		[COMMAND_ADDRESS] = ARGUMENT_ADDRESS,
		[COMMAND_LANGUAGE] = ARGUMENT_WORD,
		[COMMAND_NOTATION] = ARGUMENT_WORD,
	};
	return (size_t)kind < ARRAY_SIZE(arguments) ? arguments[kind] : ARGUMENT_NONE;
}

bool command_takes_move(enum command kind)
{
	return argument_of(kind) == ARGUMENT_MOVE;
}

/* A line without the marks around it. */
struct plain {
	size_t begin, end;           /* in the text */
	char folded[WORDS_LINE_MAX]; /* see words_fold */
	size_t places[WORDS_LINE_MAX];
	size_t size;
};

static bool plain_line(const char *text, size_t at, size_t size, struct plain *ret)
{
	size_t begin = at, end = at + size;

	while (begin < end && strchr(" \t*_\"'([,;-", text[begin]))
		begin++;
	while (end > begin && strchr(" \t*_\"')].!?,;:-", text[end - 1]))
		end--;
	*ret = (struct plain){.begin = begin, .end = end};
	if (begin == end || end - begin >= WORDS_LINE_MAX)
		return false;
	ret->size = words_fold(text + begin, end - begin, ret->folded, ret->places);
	return ret->size > 0;
}

static bool read_period(const struct command_context *context, const char *rest, size_t wanted,
	struct stated_command *ret)
{
	struct period period;

	if (!period_read(rest, context->words, context->today, &period))
		return false;
	ret->has_period = period.valid && period.n >= wanted;
	if (!ret->has_period)
		return true;
	size_t last = period.n - 1;
	ret->from = period.dates[0];
	ret->to = period.dates[last];
	ret->from_minute = period.minutes[0];
	ret->to_minute = period.minutes[last];
	return true;
}

/* "2", "control 2": of a claim. */
static bool read_number(
	const struct command_context *context, const char *rest, struct stated_command *ret)
{
	for (size_t word = 0; *rest == ' ' || (word = words_period(context->words, rest)) > 0;)
		rest += *rest == ' ' ? 1 : word;
	size_t digits = strspn(rest, "0123456789");
	if (digits == 0 || digits > 2 || (rest[digits] && strcmp(rest + digits, ".") != 0))
		return false;
	for (size_t i = 0; i < digits; i++)
		ret->n = ret->n * 10 + (rest[i] - '0');
	return ret->n > 0;
}

static bool is_one_word(const char *rest)
{
	return *rest && !strchr(rest, ' ');
}

static bool read_argument(
	const struct command_context *context, const char *rest, struct stated_command *ret)
{
	switch (argument_of(ret->kind)) {
	case ARGUMENT_NONE:
		return !*rest;
	case ARGUMENT_MOVE:
		return true;
	case ARGUMENT_PERIOD:
		return read_period(context, rest, 2, ret);
	case ARGUMENT_MAYBE_PERIOD:
		return !*rest || read_period(context, rest, 1, ret);
	case ARGUMENT_NUMBER:
		return !*rest || read_number(context, rest, ret);
	case ARGUMENT_ADDRESS:
		return is_one_word(rest) && strchr(rest, '@');
	case ARGUMENT_WORD:
		return is_one_word(rest);
	}
	return false;
}

/* Behind the words and what parts them from the argument; words around dates, too. */
static size_t start_of_argument(const struct command_context *context, const struct plain *plain,
	enum command kind, size_t at)
{
	for (;;) {
		size_t word = 0;
		while (plain->folded[at] && strchr(" :=,", plain->folded[at]))
			at++;
		if (command_takes_move(kind))
			word = words_period(context->words, plain->folded + at);
		if (word == 0)
			return at;
		at += word;
	}
}

/* "Resign?" asks the other one; "draw?" is the usual way to offer it. */
static bool may_be_asked(enum command kind)
{
	return kind == COMMAND_DRAW || kind == COMMAND_STATUS || kind == COMMAND_RESEND ||
	       kind == COMMAND_HELP;
}

bool command_read(const struct command_context *context, const char *text, size_t at, size_t size,
	struct stated_command *ret)
{
	struct plain plain;
	size_t index = 0, used, longest = 0;
	enum command kind;

	if (!plain_line(text, at, size, &plain))
		return false;
	bool asks = memchr(text + plain.end, '?', at + size - plain.end) != NULL;
	while ((kind = words_find(context->words, plain.folded, &index, &used)) != COMMAND_NONE) {
		struct stated_command command = {.kind = kind, .line = {at, size}};
		size_t start = start_of_argument(context, &plain, kind, used);
		if (asks && !may_be_asked(kind))
			continue;
		if (used <= longest || !read_argument(context, plain.folded + start, &command))
			continue;
		size_t place = start < plain.size ? plain.begin + plain.places[start] : plain.end;
		command.argument = (struct excerpt){place, plain.end - place};
		*ret = command;
		longest = used;
	}
	return longest > 0;
}

/* Behind "and ..." and the like. */
static size_t skip_joint(const struct command_context *context, const char *text, size_t size)
{
	char word[WORDS_LINE_MAX];
	size_t places[WORDS_LINE_MAX];
	const char *blank = memchr(text, ' ', size);
	size_t n = blank ? (size_t)(blank - text) : 0;

	if (n == 0 || words_fold(text, n, word, places) == 0)
		return 0;
	return words_period(context->words, word) == strlen(word) ? n : 0;
}

enum command command_behind_move(
	const struct command_context *context, const char *text, size_t size)
{
	struct stated_command command;
	size_t skipped = skip_joint(context, text, size);
	bool fits = command_read(context, text, skipped, size - skipped, &command) &&
		    command.argument.size == 0;

	if (!fits || (command.kind != COMMAND_DRAW && command.kind != COMMAND_DEMAND_FIFTY &&
			     !command_takes_move(command.kind)))
		return COMMAND_NONE;
	return command.kind;
}

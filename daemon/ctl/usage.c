#include "daemon/ctl/usage.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config/value.h"
#include "core/pgn.h"
#include "rules/game.h"
#include "rules/verdict.h"

#define OPTIONS_MAX 5
#define ANY_NUMBER 1000000

/* The words that an option takes, by index; NULL behind the last. */
typedef const char *words_fn(size_t index);

struct usage_option {
	const char *name; /* ends in '=' if a value follows */
	words_fn *words;  /* NULL: any value */
};

struct usage_shape {
	const char *command;
	int least, most; /* operands without options */
	bool (*good)(char **operands);
	struct usage_option options[OPTIONS_MAX];
};

static const char *state_words(size_t index)
{
	return index <= GAME_FINISHED ? game_state_name((enum game_state)index) : NULL;
}

static const char *verdict_words(size_t index)
{
	return index < VERDICT_ACCEPTED_WITH_WARNING ? verdict_name((enum verdict)(index + 1))
						     : NULL;
}

static const char *style_words(size_t index)
{
	return pgn_style_name(index);
}

static bool is_id(char **operands)
{
	int64_t id;

	return value_number(operands[0], INT64_MAX, &id) == 0 && id > 0;
}

static bool is_leave(char **operands)
{
	int32_t from, to;

	return value_date(operands[1], &from) == 0 && value_date(operands[2], &to) == 0;
}

/* Commands that are not here see to it themselves, before anything else. */
static const struct usage_shape shapes[] = {
	{"import", 1, 1, NULL, {{NULL, NULL}}},
	{"games", 0, 0, NULL,
		{{"--tournament=", NULL}, {"--player=", NULL}, {"--state=", state_words}}},
	{"game", 1, 1, NULL, {{NULL, NULL}}},
	{"log", 1, 1, NULL, {{NULL, NULL}}},
	{"crosstable", 1, 1, NULL, {{NULL, NULL}}},
	{"pgn", 0, 1, NULL, {{"--tournament=", NULL}, {"--style=", style_words}}},
	{"players", 0, 0, NULL, {{NULL, NULL}}},
	{"player", 1, 1, NULL,
		{{"--email=", NULL}, {"--timezone=", NULL}, {"--language=", NULL},
			{"--notation=", NULL}}},
	{"messages", 0, 0, NULL, {{"--verdict=", verdict_words}}},
	{"message", 1, 1, is_id, {{"--raw", NULL}, {"--retry", NULL}, {"--as=", NULL}}},
	{"outbox", 0, 0, NULL, {{NULL, NULL}}},
	{"retry", 1, 1, is_id, {{NULL, NULL}}},
	{"rule", 2, ANY_NUMBER, NULL, {{"--reason=", NULL}, {"--bar", NULL}, {"--days=", NULL}}},
	{"leave", 3, 3, is_leave, {{"--approve", NULL}}},
	{"stop", 2, 4, NULL,
		{{"--vacation", NULL}, {"--grant", NULL}, {"--change=", NULL},
			{"--withdraw=", NULL}, {"--reason=", NULL}}},
	{"lotto", 1, 1, NULL, {{"--drawn=", NULL}}},
	{"bulletin", 1, 1, NULL, {{NULL, NULL}}},
	{"announce", 2, ANY_NUMBER, NULL, {{NULL, NULL}}},
	{"withdraw", 1, 1, NULL, {{NULL, NULL}}},
	{"read", 1, ANY_NUMBER, NULL, {{"--in-order", NULL}}},
	{"status", 0, 0, NULL, {{NULL, NULL}}},
	{"export", 1, 1, NULL, {{NULL, NULL}}},
	{"verify", 0, 0, NULL, {{NULL, NULL}}},
	{"backup", 1, 1, NULL, {{NULL, NULL}}},
	{"pause", 0, 0, NULL, {{"--until=", NULL}}},
	{"resume", 0, 0, NULL, {{NULL, NULL}}},
	{"reload", 0, 0, NULL, {{NULL, NULL}}},
};

static int refuse_word(struct ctl *ctl, const struct usage_option *option, const char *word)
{
	fprintf(ctl->err, "%.*s: \"%s\" is none of", (int)strlen(option->name) - 1, option->name,
		word);
	for (size_t i = 0; option->words(i); i++)
		fprintf(ctl->err, "%s %s", i > 0 ? "," : "", option->words(i));
	fputc('\n', ctl->err);
	return CTL_USAGE;
}

static int check_option(struct ctl *ctl, const struct usage_option *option, int *argc, char **argv)
{
	size_t size = strlen(option->name);
	bool valued = option->name[size - 1] == '=';
	const char *value = NULL;
	char name[32];

	(void)snprintf(name, sizeof(name), "%.*s", (int)(valued ? size - 1 : size), option->name);
	int r = ctl_option(argc, argv, name, valued ? &value : NULL);
	if (r < 0)
		return ctl_usage(ctl, argv[0]);
	if (!value || !option->words)
		return CTL_DONE;
	for (size_t i = 0; option->words(i); i++)
		if (strcmp(option->words(i), value) == 0)
			return CTL_DONE;
	return refuse_word(ctl, option, value);
}

static int check_shape(struct ctl *ctl, const struct usage_shape *shape, int argc, char **argv)
{
	for (size_t i = 0; i < OPTIONS_MAX && shape->options[i].name; i++) {
		int code = check_option(ctl, &shape->options[i], &argc, argv);
		if (code != CTL_DONE)
			return code;
	}
	if (argc - 1 < shape->least || argc - 1 > shape->most ||
		(shape->good && !shape->good(argv + 1)))
		return ctl_usage(ctl, shape->command);
	return CTL_DONE;
}

int usage_check(struct ctl *ctl, const struct ctl_command *command, int argc, char **argv)
{
	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++) {
		if (strcmp(shapes[i].command, command->name) != 0)
			continue;
		/* Options are taken out of a copy. */
		char **words = reallocarray(NULL, (size_t)argc + 1, sizeof(*words));
		if (!words)
			return ctl_fail(ctl, -ENOMEM);
		memcpy(words, argv, ((size_t)argc + 1) * sizeof(*words));
		int code = check_shape(ctl, &shapes[i], argc, words);
		free((void *)words);
		return code;
	}
	return CTL_DONE;
}

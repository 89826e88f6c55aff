#include "rules/parameters.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

static const char *const system_names[] = {
	[RULES_IECC] = "iecc",
	[RULES_RAZSH] = "razsh",
	[RULES_RAZSH_POST] = "razsh-post",
	[RULES_MCLINK] = "mclink",
};

const char *rule_system_name(enum rule_system system)
{
	return system_names[system];
}

int rule_system_find(const char *name, enum rule_system *ret)
{
	for (size_t i = 0; i < ARRAY_SIZE(system_names); i++) {
		if (strcmp(name, system_names[i]) == 0) {
			*ret = (enum rule_system)i;
			return 0;
		}
	}
	return -ENOENT;
}

enum {
	IN_IECC = 1 << RULES_IECC,
	IN_RAZSH = 1 << RULES_RAZSH,
	IN_POST = 1 << RULES_RAZSH_POST,
	IN_MCLINK = 1 << RULES_MCLINK,
	IN_DATES = IN_RAZSH | IN_POST,
};

#define NUMBER_MAX 100000

/* A parameter that is a whole number. */
struct number {
	const char *name;
	unsigned systems;
	size_t offset;
	int least;
	int most;
};

#define NUMBER(name, systems, field, least, most)                                    \
	{                                                                            \
		name, systems, offsetof(struct clock_parameters, field), least, most \
	}

static const struct number numbers[] = {
	NUMBER("window-moves", IN_IECC, window_moves, 1, 1000),
	NUMBER("window-days", IN_IECC, window_days, 1, NUMBER_MAX),
	NUMBER("move-days", IN_IECC, move_days, 1, NUMBER_MAX),
	NUMBER("remind-days", IN_IECC, remind_days, 1, NUMBER_MAX),
	NUMBER("leave-months", IN_IECC, leave_months, 0, 1200),
	NUMBER("penalty-days", IN_IECC | IN_DATES, penalty_days, 0, NUMBER_MAX),
	NUMBER("leave-quota", IN_IECC | IN_DATES, leave_quota, 0, NUMBER_MAX),
	NUMBER("control-moves", IN_DATES, control_moves, 1, 1000),
	NUMBER("control-days", IN_DATES, control_days, 1, NUMBER_MAX),
	NUMBER("grace-days", IN_DATES, grace_days, 0, NUMBER_MAX),
	NUMBER("repeat-days", IN_DATES, repeat_days, 1, NUMBER_MAX),
	NUMBER("silence-days", IN_DATES, silence_days, 1, NUMBER_MAX),
	NUMBER("cc-days", IN_DATES, cc_days, 0, NUMBER_MAX),
	NUMBER("standard-transmission", IN_DATES, standard_transmission, 0, NUMBER_MAX),
	NUMBER("objection-days", IN_DATES, objection_days, 0, NUMBER_MAX),
	NUMBER("repeat-grace", IN_DATES, repeat_grace, 0, NUMBER_MAX),
	NUMBER("penalty-again", IN_POST, penalty_again, 0, NUMBER_MAX),
	NUMBER("oversteps-lost", IN_POST, oversteps_lost, 1, 100),
	NUMBER("leave-total", IN_POST, leave_total, 0, NUMBER_MAX),
	NUMBER("moves-per-manche", IN_MCLINK, moves_per_manche, 1, 1000),
	NUMBER("standard-hours", IN_MCLINK, standard_hours, 1, NUMBER_MAX),
	NUMBER("month", IN_MCLINK, month, 1, 12),
	NUMBER("sd-days", IN_MCLINK, sd_days, 1, NUMBER_MAX),
	NUMBER("sd-hours", IN_MCLINK, sd_hours, 1, NUMBER_MAX),
};

/* A parameter that is one of two words. */
struct choice {
	const char *name;
	unsigned systems;
	size_t offset;
	const char *no;
	const char *yes;
	const char *fault;
};

static const struct choice choices[] = {
	{"conditional-charge", IN_IECC, offsetof(struct clock_parameters, charge_last), "first",
		"last", "must be first or last"},
	{"event", IN_IECC, offsetof(struct clock_parameters, two_player), "multi", "two_player",
		"must be multi or two_player"},
	{"leave-scope", IN_IECC, offsetof(struct clock_parameters, leave_player), "game", "player",
		"must be game or player"},
};

void parameters_default(enum rule_system system, struct clock_parameters *ret)
{
	*ret = (struct clock_parameters){
		.system = system,
		.window_moves = 10,
		.window_days = 30,
		.move_days = 10,
		.remind_days = 5,
		.penalty_days = 1,
		.leave_quota = 30,
		.leave_months = 6,
		.control_moves = 10,
		.control_days = 60,
		.grace_days = 3,
		.repeat_days = 14,
		.silence_days = 40,
		.cc_days = 5,
		.standard_transmission = 1,
		.objection_days = 14,
		.repeat_grace = 3,
		.oversteps_lost = 1,
		.start = INSTANT_NONE,
		.games = {1, 1},
		.sd_days = 210,
		.sd_hours = 1000,
	};
	if (system == RULES_RAZSH)
		ret->penalty_days = 2;
	if (system == RULES_RAZSH_POST) {
		ret->control_days = 30;
		ret->penalty_days = 5;
		ret->penalty_again = 10;
		ret->repeat_days = 30;
		ret->silence_days = 61;
		ret->cc_days = -1;
		ret->objection_days = 7;
		ret->repeat_grace = 0;
		ret->oversteps_lost = 2;
	}
}

/* Digits up to NUMBER_MAX; returns how many bytes were read, 0 if there is no number. */
static size_t number_read(const char *text, int *ret)
{
	size_t length = 0;
	int value = 0;

	while (text[length] >= '0' && text[length] <= '9') {
		value = value * 10 + (text[length++] - '0');
		if (value > NUMBER_MAX)
			return 0;
	}
	if (length > 0)
		*ret = value;
	return length;
}

static int number_set(struct clock_parameters *parameters, const struct number *number,
	const char *value, const char **ret_fault)
{
	int n;
	size_t length = number_read(value, &n);

	if (length == 0 || value[length] != '\0' || n < number->least || n > number->most) {
		*ret_fault = number->least > 0 ? "must be a whole number above 0"
					       : "must be a whole number";
		if (number->most <= 12)
			*ret_fault = "must be a month, 1 to 12";
		return PARAMETERS_VALUE;
	}
	memcpy((char *)parameters + number->offset, &n, sizeof(n));
	return 0;
}

static int choice_set(struct clock_parameters *parameters, const struct choice *choice,
	const char *value, const char **ret_fault)
{
	bool yes = strcmp(value, choice->yes) == 0;

	if (!yes && strcmp(value, choice->no) != 0) {
		*ret_fault = choice->fault;
		return PARAMETERS_VALUE;
	}
	memcpy((char *)parameters + choice->offset, &yes, sizeof(yes));
	return 0;
}

static size_t skip_blanks(const char *text)
{
	return strspn(text, " \t");
}

/* Keep the list in rising order; false if that number of games is in it. */
static bool increment_insert(
	struct clock_increment *list, int n, const struct clock_increment *increment)
{
	int i = n;

	while (i > 0 && list[i - 1].games > increment->games)
		i--;
	if (i > 0 && list[i - 1].games == increment->games)
		return false;
	memmove(list + i + 1, list + i, (size_t)(n - i) * sizeof(*list));
	list[i] = *increment;
	return true;
}

/* "GAMES:HOURS" and what separates it from the next; 0 if it is not so. */
static size_t increment_read(const char *text, struct clock_increment *ret)
{
	size_t games = number_read(text, &ret->games);

	if (games == 0 || text[games] != ':' || ret->games == 0)
		return 0;
	size_t hours = number_read(text + games + 1, &ret->hours);
	if (hours == 0)
		return 0;
	size_t at = games + 1 + hours;
	at += skip_blanks(text + at);
	if (text[at] == '\0')
		return at;
	if (text[at] != ',')
		return 0;
	at++;
	at += skip_blanks(text + at);
	return text[at] == '\0' ? 0 : at;
}

/* "2:48, 3:96" */
static int increments_set(
	struct clock_parameters *parameters, const char *value, const char **ret_fault)
{
	struct clock_increment list[INCREMENTS_MAX], increment;
	int n = 0;

	for (const char *p = value + skip_blanks(value); *p != '\0';) {
		size_t length = increment_read(p, &increment);
		if (length == 0 || n == INCREMENTS_MAX || !increment_insert(list, n, &increment)) {
			*ret_fault = "must be a list of games:hours such as 2:48, 3:96";
			return PARAMETERS_VALUE;
		}
		p += length;
		n++;
	}
	memcpy(parameters->increments, list, (size_t)n * sizeof(*list));
	parameters->n_increments = n;
	return 0;
}

enum parameter_form parameters_form(enum rule_system system, const char *name)
{
	unsigned bit = 1U << system;

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		if ((numbers[i].systems & bit) != 0 && strcmp(numbers[i].name, name) == 0)
			return PARAMETER_NUMBER;
	for (size_t i = 0; i < ARRAY_SIZE(choices); i++)
		if ((choices[i].systems & bit) != 0 && strcmp(choices[i].name, name) == 0)
			return PARAMETER_WORD;
	return system == RULES_MCLINK && strcmp(name, "increments") == 0 ? PARAMETER_LIST
									 : PARAMETER_UNKNOWN;
}

const char *parameters_missing(const struct clock_parameters *parameters)
{
	if (parameters->system != RULES_MCLINK)
		return NULL;
	if (parameters->moves_per_manche == 0)
		return "moves-per-manche";
	return parameters->standard_hours == 0 ? "standard-hours" : NULL;
}

int parameters_set(struct clock_parameters *parameters, const char *name, const char *value,
	const char **ret_fault)
{
	unsigned system = 1U << parameters->system;

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		if ((numbers[i].systems & system) != 0 && strcmp(numbers[i].name, name) == 0)
			return number_set(parameters, &numbers[i], value, ret_fault);
	for (size_t i = 0; i < ARRAY_SIZE(choices); i++)
		if ((choices[i].systems & system) != 0 && strcmp(choices[i].name, name) == 0)
			return choice_set(parameters, &choices[i], value, ret_fault);
	if (parameters->system == RULES_MCLINK && strcmp(name, "increments") == 0)
		return increments_set(parameters, value, ret_fault);
	*ret_fault = "is not a parameter of these rules";
	return PARAMETERS_UNKNOWN;
}

int parameters_check(const struct clock_parameters *parameters, const char **ret_fault)
{
	const char *missing = parameters_missing(parameters);

	if (!missing)
		return 0;
	*ret_fault = strcmp(missing, "standard-hours") == 0 ? "standard-hours is missing"
							    : "moves-per-manche is missing";
	return PARAMETERS_VALUE;
}

#include "daemon/ctl/clock_request.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "config/value.h"
#include "daemon/zone.h"

#define NUMBER_MAX 100000
#define PATH_SIZE 128
#define WANT_INCREMENTS "must be an object such as {\"2\": 48, \"3\": 96}"

PRINTF_LIKE(2, 3)
static int bad(char fault[CLOCK_FAULT_SIZE], const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	(void)vsnprintf(fault, CLOCK_FAULT_SIZE, format, arguments);
	va_end(arguments);
	return -EINVAL;
}

static int bad_member(
	char fault[CLOCK_FAULT_SIZE], const char *path, const char *name, const char *what)
{
	return bad(fault, "%s%s%.40s: %s", path, *path == '\0' ? "" : ".", name, what);
}

int request_keys(
	json_t *object, const char *path, const char *const *known, char fault[CLOCK_FAULT_SIZE])
{
	const char *key;
	json_t *value;

	if (!json_is_object(object))
		return bad(fault, "%s: must be an object", *path == '\0' ? "request" : path);
	json_object_foreach (object, key, value) {
		size_t i = 0;
		while (known[i] != NULL && strcmp(known[i], key) != 0)
			i++;
		if (known[i] == NULL)
			return bad_member(fault, path, key, "unknown field");
	}
	return 0;
}

int request_number(json_t *object, const char *path, const char *name, int least, int most,
	int *ret, char fault[CLOCK_FAULT_SIZE])
{
	const json_t *value = json_object_get(object, name);

	if (!json_is_integer(value) || json_integer_value(value) < least ||
		json_integer_value(value) > most)
		return bad_member(fault, path, name, "must be a whole number in its limits");
	*ret = (int)json_integer_value(value);
	return 0;
}

int request_date(json_t *object, const char *path, const char *name, int32_t *ret,
	char fault[CLOCK_FAULT_SIZE])
{
	const char *text = json_string_value(json_object_get(object, name));

	if (text == NULL || value_date(text, ret) < 0)
		return bad_member(fault, path, name, "must be a date such as 2006-07-04");
	return 0;
}

static int read_instant(json_t *object, const char *path, const char *name, int64_t *ret,
	char fault[CLOCK_FAULT_SIZE])
{
	const char *text = json_string_value(json_object_get(object, name));

	if (text == NULL || value_instant(text, ret) < 0)
		return bad_member(
			fault, path, name, "must be an instant such as 2006-07-04T05:59:00Z");
	return 0;
}

static int read_zone(json_t *object, const char *path, const char *name, const struct zone **ret,
	char fault[CLOCK_FAULT_SIZE])
{
	const char *text = json_string_value(json_object_get(object, name));

	if (text == NULL || zone_load(text, ret) < 0)
		return bad_member(fault, path, name, "must be a zone such as Europe/Rome");
	return 0;
}

/* ---- Events ---- */

enum member_type {
	MEMBER_SIDE,
	MEMBER_INSTANT,
	MEMBER_DATE,
	MEMBER_COUNT,
	MEMBER_BOOL,
	MEMBER_NOT, /* the opposite of a boolean */
	MEMBER_WORD,
};

/* A word of a list and the value of an int-sized enum or bool that it stands for. */
struct word {
	const char *word;
	int value;
};

static const struct word fault_words[] = {{"illegal", FAULT_ILLEGAL},
	{"ambiguous", FAULT_AMBIGUOUS}, {"illegible", FAULT_ILLEGIBLE}, {"empty", FAULT_EMPTY},
	{"bad_repetition", FAULT_BAD_REPETITION}, {"variant_unanswered", FAULT_VARIANT_UNANSWERED},
	{NULL, 0}};
static const struct word result_words[] = {{"1-0", RESULT_WHITE}, {"0-1", RESULT_BLACK},
	{"1/2-1/2", RESULT_DRAW}, {"*", RESULT_NONE}, {NULL, 0}};
static const struct word ruling_words[] = {
	{"resume", ACTION_RESUME}, {"result", ACTION_RESULT}, {NULL, 0}};
static const struct word stop_words[] = {{"normal", 0}, {"vacation", 1}, {NULL, 0}};
static const struct word channel_words[] = {{"mailbox", 0}, {"other", 1}, {NULL, 0}};

struct member {
	const char *name;
	enum member_type type;
	size_t offset;
	const struct word *words;
	bool optional;
};

#define FIELD(field) offsetof(struct clock_event, field)
#define SIDE                                              \
	{                                                 \
		"by", MEMBER_SIDE, FIELD(by), NULL, false \
	}
#define MUST(name, type, field)                       \
	{                                             \
		name, type, FIELD(field), NULL, false \
	}
#define MAY(name, type, field)                       \
	{                                            \
		name, type, FIELD(field), NULL, true \
	}
#define WORD(name, field, words, optional)                       \
	{                                                        \
		name, MEMBER_WORD, FIELD(field), words, optional \
	}
#define MEMBERS_MAX 8

enum {
	IN_IECC = 1 << RULES_IECC,
	IN_RAZSH = 1 << RULES_RAZSH | 1 << RULES_RAZSH_POST,
	IN_MCLINK = 1 << RULES_MCLINK,
	IN_ALL = IN_IECC | IN_RAZSH | IN_MCLINK,
};

struct event_type {
	const char *name;
	unsigned systems;
	enum clock_event_kind kind;
	enum clock_action action; /* CLOCK_EDIT */
	struct member members[MEMBERS_MAX];
};

static const struct event_type event_types[] = {
	{"start", IN_IECC, CLOCK_START, 0, {MUST("at", MEMBER_INSTANT, at)}},
	{"start", IN_RAZSH, CLOCK_START, 0, {MUST("date", MEMBER_DATE, date)}},
	{"move", IN_IECC, CLOCK_MOVE, 0,
		{SIDE, MUST("sent", MEMBER_INSTANT, at),
			MAY("delivered", MEMBER_INSTANT, delivered),
			MAY("accepts", MEMBER_COUNT, accepts),
			MAY("illegal_conditional", MEMBER_BOOL, illegal_conditional)}},
	{"move", IN_RAZSH, CLOCK_MOVE, 0,
		{SIDE, MUST("sent", MEMBER_INSTANT, at),
			MAY("delivered", MEMBER_INSTANT, delivered),
			MAY("accepts", MEMBER_COUNT, accepts),
			MAY("offers", MEMBER_COUNT, offers)}},
	{"move", IN_MCLINK, CLOCK_MOVE, 0,
		{SIDE, MUST("at", MEMBER_INSTANT, at), MAY("published", MEMBER_INSTANT, delivered),
			MAY("accepts", MEMBER_COUNT, accepts),
			MAY("format_ok", MEMBER_NOT, bad_format)}},
	{"auto_reply", IN_IECC, CLOCK_AUTO_REPLY, 0,
		{SIDE, MUST("delivered", MEMBER_INSTANT, delivered)}},
	{"illegal", IN_IECC, CLOCK_FAULT, 0,
		{SIDE, MUST("sent", MEMBER_INSTANT, at), WORD("kind", fault, fault_words, true),
			MAY("accepts", MEMBER_COUNT, accepts)}},
	{"bad_move", IN_RAZSH, CLOCK_FAULT, 0,
		{SIDE, MUST("sent", MEMBER_INSTANT, at), WORD("kind", fault, fault_words, false),
			MAY("accepts", MEMBER_COUNT, accepts),
			MAY("query_delivered", MEMBER_INSTANT, query_delivered),
			MAY("delivered", MEMBER_INSTANT, delivered)}},
	{"query", IN_RAZSH, CLOCK_QUERY, 0,
		{SIDE, MUST("sent", MEMBER_INSTANT, at),
			MAY("delivered", MEMBER_INSTANT, delivered)}},
	{"repeat", IN_RAZSH, CLOCK_REPEAT, 0,
		{SIDE, MUST("sent", MEMBER_INSTANT, at),
			MAY("delivered", MEMBER_INSTANT, delivered),
			MAY("original_lost", MEMBER_BOOL, flag)}},
	{"leave", IN_IECC, CLOCK_LEAVE, 0,
		{SIDE, MUST("announced", MEMBER_INSTANT, at), MUST("from", MEMBER_DATE, from),
			MUST("to", MEMBER_DATE, to), MAY("agreed", MEMBER_BOOL, agreed),
			MAY("td_approved", MEMBER_BOOL, approved)}},
	{"leave", IN_RAZSH, CLOCK_LEAVE, 0,
		{SIDE, MUST("announced", MEMBER_INSTANT, at), MUST("from", MEMBER_DATE, from),
			MUST("to", MEMBER_DATE, to), MAY("approved", MEMBER_BOOL, approved)}},
	{"leave_end", IN_RAZSH, CLOCK_LEAVE_END, 0, {SIDE, MUST("at", MEMBER_INSTANT, at)}},
	{"claim", IN_RAZSH, CLOCK_CLAIM, 0,
		{SIDE, MUST("at", MEMBER_INSTANT, at), MUST("control", MEMBER_COUNT, n)}},
	{"ruling", IN_RAZSH, CLOCK_RULING, 0,
		{MUST("at", MEMBER_INSTANT, at), MUST("upheld", MEMBER_BOOL, flag),
			MAY("ban", MEMBER_BOOL, ban)}},
	{"rollback", IN_ALL, CLOCK_ROLLBACK, 0,
		{MUST("at", MEMBER_INSTANT, at), MUST("plies", MEMBER_COUNT, plies)}},
	{"arbiter", IN_IECC, CLOCK_ARBITER, 0,
		{MUST("at", MEMBER_INSTANT, at), WORD("action", action, ruling_words, false),
			WORD("result", result, result_words, true)}},
	{"reopen", IN_ALL, CLOCK_REOPEN, 0,
		{MUST("at", MEMBER_INSTANT, at), MAY("delivered", MEMBER_INSTANT, delivered),
			MAY("days", MEMBER_COUNT, days)}},
	{"games", IN_MCLINK, CLOCK_GAMES, 0,
		{SIDE, MUST("at", MEMBER_INSTANT, at), MUST("count", MEMBER_COUNT, n)}},
	{"stop_request", IN_MCLINK, CLOCK_STOP_REQUEST, 0,
		{SIDE, MUST("at", MEMBER_INSTANT, at), MUST("from", MEMBER_INSTANT, start),
			MUST("to", MEMBER_INSTANT, end), WORD("kind", vacation, stop_words, true),
			WORD("channel", flag, channel_words, true)}},
	{"stop_grant", IN_MCLINK, CLOCK_STOP_GRANT, 0,
		{SIDE, MUST("at", MEMBER_INSTANT, at), MUST("from", MEMBER_INSTANT, start),
			MUST("to", MEMBER_INSTANT, end)}},
	{"stop_withdraw", IN_MCLINK, CLOCK_STOP_WITHDRAW, 0,
		{SIDE, MUST("at", MEMBER_INSTANT, at), MUST("index", MEMBER_COUNT, n),
			MAY("published", MEMBER_BOOL, flag)}},
	{"vacation_change", IN_MCLINK, CLOCK_VACATION_CHANGE, 0,
		{SIDE, MUST("at", MEMBER_INSTANT, at), MUST("index", MEMBER_COUNT, n),
			MAY("from", MEMBER_INSTANT, start), MUST("to", MEMBER_INSTANT, end)}},
	{"end", IN_ALL, CLOCK_END, 0,
		{MUST("at", MEMBER_INSTANT, at), WORD("result", result, result_words, false)}},
	{"edit penalty", IN_ALL, CLOCK_EDIT, ACTION_PENALTY,
		{SIDE, MUST("at", MEMBER_INSTANT, at), MUST("n", MEMBER_COUNT, n)}},
	{"edit lift", IN_ALL, CLOCK_EDIT, ACTION_LIFT,
		{SIDE, MUST("at", MEMBER_INSTANT, at), MUST("move", MEMBER_COUNT, move)}},
	{"edit correct", IN_ALL, CLOCK_EDIT, ACTION_CORRECT,
		{MUST("at", MEMBER_INSTANT, at), MUST("ply", MEMBER_COUNT, ply),
			MAY("sent", MEMBER_INSTANT, sent),
			MAY("delivered", MEMBER_INSTANT, delivered)}},
	{"edit credit", IN_ALL, CLOCK_EDIT, ACTION_CREDIT,
		{MUST("at", MEMBER_INSTANT, at), MUST("ply", MEMBER_COUNT, ply),
			MUST("n", MEMBER_COUNT, n)}},
};

static int read_side(json_t *object, const char *path, const char *name, enum side *ret,
	char fault[CLOCK_FAULT_SIZE])
{
	const char *text = json_string_value(json_object_get(object, name));

	if (text == NULL || (strcmp(text, "white") != 0 && strcmp(text, "black") != 0))
		return bad_member(fault, path, name, "must be white or black");
	*ret = strcmp(text, "white") == 0 ? SIDE_WHITE : SIDE_BLACK;
	return 0;
}

static int read_bool(json_t *object, const char *path, const char *name, bool wanted, bool *ret,
	char fault[CLOCK_FAULT_SIZE])
{
	const json_t *value = json_object_get(object, name);

	if (!json_is_boolean(value))
		return bad_member(fault, path, name, "must be true or false");
	*ret = json_is_true(value) == wanted;
	return 0;
}

static int read_word(json_t *object, const char *path, const struct member *member, void *field,
	char fault[CLOCK_FAULT_SIZE])
{
	const char *text = json_string_value(json_object_get(object, member->name));
	const struct word *word = member->words;

	while (text != NULL && word->word != NULL && strcmp(word->word, text) != 0)
		word++;
	if (text == NULL || word->word == NULL)
		return bad_member(fault, path, member->name, "is not one of its words");
	if (member->words == stop_words || member->words == channel_words)
		*(bool *)field = word->value != 0;
	else
		memcpy(field, &word->value, sizeof(word->value));
	return 0;
}

static int read_member(json_t *object, const char *path, const struct member *member,
	struct clock_event *event, char fault[CLOCK_FAULT_SIZE])
{
	void *field = (char *)event + member->offset;
	const json_t *value = json_object_get(object, member->name);

	if (value == NULL || (json_is_null(value) && member->optional))
		return member->optional ? 0 : bad_member(fault, path, member->name, "is missing");
	switch (member->type) {
	case MEMBER_SIDE:
		return read_side(object, path, member->name, field, fault);
	case MEMBER_INSTANT:
		return read_instant(object, path, member->name, field, fault);
	case MEMBER_DATE:
		return request_date(object, path, member->name, field, fault);
	case MEMBER_COUNT:
		return request_number(object, path, member->name, 0, NUMBER_MAX, field, fault);
	case MEMBER_BOOL:
		return read_bool(object, path, member->name, true, field, fault);
	case MEMBER_NOT:
		return read_bool(object, path, member->name, false, field, fault);
	case MEMBER_WORD:
		return read_word(object, path, member, field, fault);
	}
	return 0;
}

static int read_members(json_t *object, const char *path, const struct event_type *type,
	struct clock_event *event, char fault[CLOCK_FAULT_SIZE])
{
	const char *known[MEMBERS_MAX + 3] = {"type"};
	size_t n = 1;

	if (type->kind == CLOCK_EDIT)
		known[n++] = "action";
	for (size_t i = 0; i < MEMBERS_MAX && type->members[i].name != NULL; i++)
		known[n++] = type->members[i].name;
	int r = request_keys(object, path, known, fault);
	for (size_t i = 0; r == 0 && i < MEMBERS_MAX && type->members[i].name != NULL; i++)
		r = read_member(object, path, &type->members[i], event, fault);
	return r;
}

/* What the members leave open. */
static int complete(const struct clock_request *request, const char *path,
	struct clock_event *event, char fault[CLOCK_FAULT_SIZE])
{
	/* As the newest edition decides. */
	if (event->kind == CLOCK_LEAVE_END || event->kind == CLOCK_ROLLBACK)
		event->flag = true;
	if (event->kind == CLOCK_AUTO_REPLY)
		event->at = event->delivered;
	if (event->kind == CLOCK_START && request->parameters.system == RULES_IECC)
		event->delivered = event->at;
	if (event->kind == CLOCK_MOVE && request->parameters.system == RULES_MCLINK &&
		event->delivered == INSTANT_NONE)
		event->delivered = event->at;
	if (event->kind == CLOCK_ARBITER && event->action == ACTION_RESULT &&
		event->result == RESULT_NONE)
		return bad_member(fault, path, "result", "is missing");
	return 0;
}

int clock_request_event(const struct clock_request *request, size_t index, struct clock_event *ret,
	char fault[CLOCK_FAULT_SIZE])
{
	json_t *object = json_array_get(request->events, index);
	char path[PATH_SIZE], name[PATH_SIZE];

	(void)snprintf(path, sizeof(path), "events[%zu]", index);
	if (!json_is_object(object))
		return bad(fault, "%s: must be an object", path);
	const char *type = json_string_value(json_object_get(object, "type"));
	if (type == NULL)
		return bad_member(fault, path, "type", "is missing");
	(void)snprintf(name, sizeof(name), "%s", type);
	if (strcmp(type, "edit") == 0) {
		const char *action = json_string_value(json_object_get(object, "action"));
		if (action == NULL)
			return bad_member(fault, path, "action", "is missing");
		(void)snprintf(name, sizeof(name), "edit %s", action);
	}
	for (size_t i = 0; i < ARRAY_SIZE(event_types); i++) {
		const struct event_type *known = &event_types[i];
		if ((known->systems & 1U << request->parameters.system) == 0 ||
			strcmp(known->name, name) != 0)
			continue;
		*ret = CLOCK_EVENT_NONE;
		ret->kind = known->kind;
		ret->action = known->action;
		int r = read_members(object, path, known, ret, fault);
		return r < 0 ? r : complete(request, path, ret, fault);
	}
	return bad_member(fault, path, strcmp(type, "edit") == 0 ? "action" : "type",
		"there is no such event in these rules");
}

/* ---- The request ---- */

/* '-' and '_' are one in names; the tournament file writes the former, JSON the latter. */
static void put_for(char *name, char from, char to)
{
	for (; *name != '\0'; name++)
		if (*name == from)
			*name = to;
}

/* {"2": 48} as the tournament file writes it. */
static int write_increments(json_t *value, char text[PATH_SIZE], char fault[CLOCK_FAULT_SIZE])
{
	const char *games;
	json_t *hours;
	size_t used = 0;

	if (!json_is_object(value))
		return bad_member(fault, "config", "increments", WANT_INCREMENTS);
	json_object_foreach (value, games, hours) {
		if (!json_is_integer(hours) || used + 40 >= PATH_SIZE)
			return bad_member(
				fault, "config.increments", games, "must be a whole number");
		used += (size_t)snprintf(text + used, PATH_SIZE - used,
			"%s%.10s:%" JSON_INTEGER_FORMAT, used > 0 ? "," : "", games,
			json_integer_value(hours));
	}
	return 0;
}

/* A parameter in the form of the tournament file. What is of another type stays empty, which is
 * no value. */
static int read_parameter(struct clock_parameters *parameters, const char *key, json_t *value,
	char fault[CLOCK_FAULT_SIZE])
{
	char name[PATH_SIZE], text[PATH_SIZE] = "";
	const char *why = "";
	int r = 0;

	if (strlen(key) >= sizeof(name) || strchr(key, '-') != NULL)
		return bad_member(fault, "config", key, "unknown field");
	(void)snprintf(name, sizeof(name), "%s", key);
	put_for(name, '_', '-');
	enum parameter_form form = parameters_form(parameters->system, name);
	if (form == PARAMETER_LIST)
		r = write_increments(value, text, fault);
	else if (form == PARAMETER_NUMBER && json_is_integer(value))
		(void)snprintf(
			text, sizeof(text), "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	else if (form == PARAMETER_WORD && json_is_string(value))
		(void)snprintf(text, sizeof(text), "%s", json_string_value(value));
	if (r < 0)
		return r;
	r = parameters_set(parameters, name, text, &why);
	if (r == PARAMETERS_UNKNOWN)
		why = "unknown field";
	else if (r != 0 && form == PARAMETER_LIST)
		why = WANT_INCREMENTS;
	return r != 0 ? bad_member(fault, "config", key, why) : 0;
}

static int read_games(
	json_t *config, struct clock_parameters *parameters, char fault[CLOCK_FAULT_SIZE])
{
	static const char *const sides[] = {"white", "black", NULL};
	json_t *games = json_object_get(config, "games");

	if (!json_is_object(games))
		return bad_member(fault, "config", "games", "must be an object");
	int r = request_keys(games, "config.games", sides, fault);
	for (int side = 0; r == 0 && side < 2; side++)
		if (json_object_get(games, sides[side]) != NULL)
			r = request_number(games, "config.games", sides[side], 1, NUMBER_MAX,
				&parameters->games[side], fault);
	return r;
}

static int read_config_member(json_t *config, const char *key, json_t *value,
	struct clock_parameters *parameters, char fault[CLOCK_FAULT_SIZE])
{
	if (parameters->system == RULES_MCLINK) {
		if (strcmp(key, "tz") == 0)
			return read_zone(config, "config", key, &parameters->zone, fault);
		if (strcmp(key, "start") == 0)
			return read_instant(config, "config", key, &parameters->start, fault);
		if (strcmp(key, "games") == 0)
			return read_games(config, parameters, fault);
	}
	return read_parameter(parameters, key, value, fault);
}

static int read_config(
	json_t *json, struct clock_parameters *parameters, char fault[CLOCK_FAULT_SIZE])
{
	json_t *config = json_object_get(json, "config");
	const char *key, *missing;
	json_t *value;
	int r = 0;

	if (config != NULL && !json_is_object(config))
		return bad(fault, "config: must be an object");
	json_object_foreach (config, key, value) {
		r = read_config_member(config, key, value, parameters, fault);
		if (r < 0)
			return r;
	}
	if (parameters->system != RULES_MCLINK)
		return 0;
	if (parameters->zone == NULL && zone_load("Europe/Rome", &parameters->zone) < 0)
		return bad(fault, "config.tz: is missing");
	if (parameters->start == INSTANT_NONE)
		return bad(fault, "config.start: is missing");
	missing = parameters_missing(parameters);
	if (missing == NULL)
		return 0;
	char name[PATH_SIZE];
	(void)snprintf(name, sizeof(name), "%s", missing);
	put_for(name, '-', '_');
	return bad_member(fault, "config", name, "is missing");
}

static int read_players(json_t *json, struct clock_request *ret, char fault[CLOCK_FAULT_SIZE])
{
	static const char *const sides[] = {"white", "black", NULL};
	static const char *const members[] = {"tz", NULL};
	json_t *players = json_object_get(json, "players");

	if (!json_is_object(players))
		return bad(fault, "players: is missing");
	int r = request_keys(players, "players", sides, fault);
	for (int side = 0; r == 0 && side < 2; side++) {
		char path[PATH_SIZE];
		json_t *player = json_object_get(players, sides[side]);
		if (!json_is_object(player))
			return bad_member(fault, "players", sides[side], "is missing");
		(void)snprintf(path, sizeof(path), "players.%s", sides[side]);
		r = request_keys(player, path, members, fault);
		if (r == 0)
			r = read_zone(player, path, "tz", &ret->zones[side], fault);
	}
	return r;
}

int clock_request_read(json_t *json, struct clock_request *ret, char fault[CLOCK_FAULT_SIZE])
{
	static const char *const members[] = {"system", "players", "config", "events", "at", NULL};
	enum rule_system system;
	const char *name = json_string_value(json_object_get(json, "system"));

	if (name == NULL || rule_system_find(name, &system) < 0)
		return bad(fault, "system: must be iecc, razsh, razsh-post or mclink");
	*ret = (struct clock_request){.events = json_object_get(json, "events")};
	parameters_default(system, &ret->parameters);
	int r = request_keys(json, "", members, fault);
	if (r == 0 && (system != RULES_MCLINK || json_object_get(json, "players") != NULL))
		r = read_players(json, ret, fault);
	if (r == 0)
		r = read_config(json, &ret->parameters, fault);
	if (r == 0 && !json_is_array(ret->events))
		r = bad(fault, "events: must be an array");
	return r < 0 ? r : read_instant(json, "", "at", &ret->at, fault);
}

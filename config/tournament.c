#include "config/tournament.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config/ini.h"
#include "config/language.h"
#include "config/tournament_reading.h"

#define TAKE(name) \
	static int name(struct tournament_reading *reading, const char *value, unsigned line)

static int take_text(struct file_text *slot, const char *value, unsigned line, bool fit)
{
	if (!*value || !fit || !value_is_line(value))
		return -EINVAL;
	slot->text = strdup(value);
	if (!slot->text)
		return -ENOMEM;
	slot->line = line;
	return 0;
}

static int take_choice(
	struct file_choice *slot, const char *const *words, const char *value, unsigned line)
{
	for (int i = 0; words[i]; i++) {
		if (strcmp(words[i], value) == 0) {
			*slot = (struct file_choice){line, i};
			return 0;
		}
	}
	return -EINVAL;
}

static int take_bool(struct file_choice *slot, const char *value, unsigned line)
{
	static const char *const words[] = {"no", "yes", NULL};
	return take_choice(slot, words, value, line);
}

static int take_instant(struct file_instant *slot, const char *value, unsigned line)
{
	struct file_instant instant = {.line = line, .instant = INSTANT_NONE};

	if (value_date(value, &instant.date) == 0)
		instant.is_date = true;
	else if (value_instant(value, &instant.instant) < 0)
		return -EINVAL;
	*slot = instant;
	return 0;
}

static int take_mailbox(struct file_mailbox *slot, const char *value, unsigned line)
{
	int r = value_mailbox(value, &slot->mailbox);
	if (r == 0)
		slot->line = line;
	return r;
}

/* ---- [tournament CODE] ---- */

#define TOURNAMENT (&reading->file->tournament)

TAKE(tournament_name)
{
	return take_text(&TOURNAMENT->name, value, line, true);
}

TAKE(tournament_rules)
{
	enum rule_system system;

	if (rule_system_find(value, &system) < 0)
		return -EINVAL;
	TOURNAMENT->rules = (struct file_choice){line, (int)system};
	return 0;
}

TAKE(tournament_start)
{
	return take_instant(&TOURNAMENT->start, value, line);
}

TAKE(tournament_end)
{
	return take_instant(&TOURNAMENT->end, value, line);
}

TAKE(tournament_arbiter)
{
	return take_mailbox(&TOURNAMENT->arbiter, value, line);
}

TAKE(tournament_deputy)
{
	return take_mailbox(&TOURNAMENT->deputy, value, line);
}

TAKE(tournament_public)
{
	return take_mailbox(&TOURNAMENT->public, value, line);
}

TAKE(tournament_copies)
{
	static const char *const words[] = {
		[COPIES_ALL] = "all", [COPIES_REQUIRED] = "required", [COPIES_NONE] = "none", NULL};
	return take_choice(&TOURNAMENT->copies, words, value, line);
}

TAKE(tournament_site)
{
	return take_text(&TOURNAMENT->site, value, line, true);
}

TAKE(tournament_rated)
{
	return take_bool(&TOURNAMENT->rated, value, line);
}

TAKE(tournament_stage)
{
	static const char *const words[] = {[STAGE_LEAGUE] = "league",
		[STAGE_KNOCKOUT] = "knockout",
		[STAGE_FINAL] = "final",
		NULL};
	return take_choice(&TOURNAMENT->stage, words, value, line);
}

TAKE(tournament_repetition)
{
	static const char *const words[] = {
		[REPETITION_POLICY_LINE] = "line", [REPETITION_POLICY_TYPED] = "typed", NULL};
	return take_choice(&TOURNAMENT->repetition, words, value, line);
}

TAKE(tournament_fide_2014)
{
	return take_bool(&TOURNAMENT->fide_2014, value, line);
}

TAKE(tournament_bulletin_every)
{
	int64_t milliseconds;

	int r = value_duration(value, &milliseconds);
	if (r < 0 || milliseconds < 3600000)
		return -EINVAL;
	TOURNAMENT->bulletin_every = milliseconds;
	TOURNAMENT->bulletin_line = line;
	return 0;
}

/* ---- [player ID] ---- */

#define PLAYER (&reading->file->players[reading->file->n_players - 1])

TAKE(player_name)
{
	return take_text(&PLAYER->name, value, line, true);
}

TAKE(player_email)
{
	struct value_list list;

	int r = value_list(value, &list);
	if (r < 0)
		return r;
	for (size_t i = 0; i < list.n; i++) {
		bool doubled = false;
		for (size_t j = 0; j < i; j++)
			doubled |= strcasecmp(list.items[i], list.items[j]) == 0;
		if (!doubled && value_is_address(list.items[i]))
			continue;
		value_list_release(&list);
		return -EINVAL;
	}
	PLAYER->email = list;
	PLAYER->email_line = line;
	return 0;
}

TAKE(player_timezone)
{
	return take_text(&PLAYER->timezone, value, line, reading->zone_known(value));
}

TAKE(player_language)
{
	return take_text(&PLAYER->language, value, line, language_is_known(value));
}

TAKE(player_notation)
{
	return take_text(&PLAYER->notation, value, line, notation_is_known(value));
}

TAKE(player_country)
{
	bool fit = strlen(value) == 3;
	for (size_t i = 0; fit && i < 3; i++)
		fit = value[i] >= 'A' && value[i] <= 'Z';
	return take_text(&PLAYER->country, value, line, fit);
}

TAKE(player_elo)
{
	int64_t number;

	if (value_number(value, 4000, &number) < 0 || number == 0)
		return -EINVAL;
	PLAYER->elo = (struct file_choice){line, (int)number};
	return 0;
}

/* ---- [game NUMBER] ---- */

#define GAME (&reading->file->games[reading->file->n_games - 1])

TAKE(game_white)
{
	return take_text(&GAME->white, value, line, value_is_id(value));
}

TAKE(game_black)
{
	return take_text(&GAME->black, value, line, value_is_id(value));
}

TAKE(game_code)
{
	bool fit = strlen(value) == 4 && value_is_id(value);
	return take_text(&GAME->code, value, line, fit);
}

/* Moves and position are read together, at the end of the section. */
TAKE(game_moves)
{
	if (!value_is_line(value))
		return -EINVAL;
	reading->moves = strdup(value);
	if (!reading->moves)
		return -ENOMEM;
	GAME->moves_line = line;
	return 0;
}

TAKE(game_fen)
{
	return take_text(&GAME->fen, value, line, true);
}

#define WANT_INSTANT "an instant such as 2026-01-10T09:00:00+02:00, or a date such as 2026-01-10"
#define WANT_MAILBOX "one mailbox: an address or \"Name <address>\""
#define WANT_TEXT "text without control characters"
#define WANT_ID "the id of a player: up to 32 letters, digits, '.', '_' or '-'"

struct key {
	const char *section, *name;
	int (*take)(struct tournament_reading *reading, const char *value, unsigned line);
	const char *wanted;
};

static const struct key keys[] = {
	{"tournament", "name", tournament_name, WANT_TEXT},
	{"tournament", "rules", tournament_rules, "iecc, razsh, razsh-post or mclink"},
	{"tournament", "start", tournament_start, WANT_INSTANT},
	{"tournament", "end", tournament_end, WANT_INSTANT},
	{"tournament", "arbiter", tournament_arbiter, WANT_MAILBOX},
	{"tournament", "deputy", tournament_deputy, WANT_MAILBOX},
	{"tournament", "copies", tournament_copies, "all, required or none"},
	{"tournament", "public", tournament_public, WANT_MAILBOX},
	{"tournament", "site", tournament_site, WANT_TEXT},
	{"tournament", "rated", tournament_rated, "yes or no"},
	{"tournament", "stage", tournament_stage, "league, knockout or final"},
	{"tournament", "repetition", tournament_repetition, "line or typed"},
	{"tournament", "fide-2014", tournament_fide_2014, "yes or no"},
	{"tournament", "bulletin-every", tournament_bulletin_every,
		"a duration of an hour or more, such as 7d"},
	{"player", "name", player_name, WANT_TEXT},
	{"player", "email", player_email,
		"different plain addresses, local@domain, separated by commas"},
	{"player", "timezone", player_timezone, "a name of the system's list of time zones"},
	{"player", "language", player_language, "a language that mails can be written in"},
	{"player", "notation", player_notation,
		"san, san-fi, san-it, san-ru, figurine, long or iccf"},
	{"player", "country", player_country, "three capital letters"},
	{"player", "elo", player_elo, "a number from 1 to 4000"},
	{"game", "white", game_white, WANT_ID},
	{"game", "black", game_black, WANT_ID},
	{"game", "code", game_code, "four characters"},
	{"game", "moves", game_moves, WANT_TEXT},
	{"game", "fen", game_fen, WANT_TEXT},
};

const char *tournament_file_key(size_t index)
{
	static char names[ARRAY_SIZE(keys)][40];

	if (index >= ARRAY_SIZE(keys))
		return NULL;
	(void)snprintf(
		names[index], sizeof(names[index]), "%s.%s", keys[index].section, keys[index].name);
	return names[index];
}

int tournament_take_key(struct tournament_reading *reading, const char *kind, const char *name,
	const char *value, unsigned line)
{
	const struct key *key = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(keys) && !key; i++)
		if (strcmp(keys[i].section, kind) == 0 && strcmp(keys[i].name, name) == 0)
			key = &keys[i];
	if (!key)
		return TOURNAMENT_NO_KEY;
	int r = key->take(reading, value, line);
	if (r < 0 && r != -ENOMEM) {
		fault_add(reading->faults, reading->file->path, line,
			"%s: \"%s\" is refused: wanted is %s", name, value, key->wanted);
		r = tournament_refuse(reading, name);
	}
	return r;
}

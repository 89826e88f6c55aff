#include "daemon/compose/filling.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/language.h"
#include "config/text.h"
#include "daemon/compose/when.h"

void put(struct filling *filling, const char *name, const char *text)
{
	if (filling->r == 0)
		filling->r = values_set(filling->values, name, text);
}

void put_format(struct filling *filling, const char *name, const char *format, ...)
{
	va_list arguments;
	char *text = NULL;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0) {
		text = NULL;
		if (filling->r == 0)
			filling->r = -ENOMEM;
	}
	va_end(arguments);
	put(filling, name, text);
	free(text);
}

void put_flag(struct filling *filling, const char *name, bool on)
{
	if (filling->r == 0)
		filling->r = values_flag(filling->values, name, on);
}

bool instant_known(int64_t instant)
{
	return instant != INSTANT_NONE && instant != 0;
}

void put_instant(struct filling *filling, const char *name, int64_t instant)
{
	char local[WHEN_MAX] = "", utc[WHEN_MAX] = "";

	if (instant_known(instant)) {
		when_write(style_of(filling->facts), reader_zone(filling->facts), instant, local);
		when_utc(instant, utc);
	}
	put(filling, name, local);
	char utc_name[64];
	(void)snprintf(utc_name, sizeof(utc_name), "%s-utc", name);
	put(filling, utc_name, utc);
}

void put_name(struct filling *filling, const char *name, const char *registered)
{
	char text[STYLE_NAME_MAX];

	style_name(style_of(filling->facts), registered, text);
	put(filling, name, text);
}

void put_date(struct filling *filling, const char *name, int32_t date)
{
	char text[WHEN_MAX] = "";

	if (date != DATE_NONE)
		when_date(style_of(filling->facts), date, text);
	put(filling, name, text);
}

void put_article(struct filling *filling, const char *name, const char *article)
{
	char text[STYLE_ARTICLE_MAX];

	style_article(style_of(filling->facts), article, text);
	put(filling, name, text);
}

struct filling put_item(struct filling *filling, const char *name)
{
	struct filling item = {.facts = filling->facts, .r = filling->r};

	if (item.r == 0)
		item.r = values_append(filling->values, name, &item.values);
	return item;
}

const struct style *style_of(const struct compose_facts *facts)
{
	return templates_style(facts->templates, compose_language(facts));
}

const struct zone *reader_zone(const struct compose_facts *facts)
{
	if (is_player(facts) && facts->players[facts->reader] &&
		facts->players[facts->reader]->zone)
		return facts->players[facts->reader]->zone;
	return facts->zone;
}

int32_t zone_date_or_utc(const struct zone *zone, int64_t instant)
{
	static const struct zone_transition always[] = {{0, 0}};
	static const struct zone utc = {"UTC", always, 1};

	return zone_date(zone ? zone : &utc, instant);
}

void numbered_text(const struct position *position, uint16_t move, const char *notation,
	char out[NUMBERED_MAX])
{
	enum notation kind = NOTATION_SAN;
	const struct letters *letters = NULL;
	char text[NOTATION_MAX];

	if (notation && !notation_find(notation, &kind, &letters))
		kind = NOTATION_SAN;
	move_write(position, move, kind, letters, text);
	(void)snprintf(out, NUMBERED_MAX, "%u%s %s", position->fullmove,
		position->turn == SIDE_WHITE ? "." : "...", text);
}

void numbered_move(
	const struct game *game, size_t ply, const char *notation, char out[NUMBERED_MAX])
{
	struct position before = game_position(game, ply);

	numbered_text(&before, game->moves[ply], notation, out);
}

void put_tenths(struct filling *filling, const char *name, int tenths)
{
	char text[WHEN_MAX];

	when_tenths(style_of(filling->facts), tenths, text);
	put(filling, name, text);
}

bool is_razsh(enum rule_system system)
{
	return system == RULES_RAZSH || system == RULES_RAZSH_POST;
}

/* ---- Moves as the reader is shown them ---- */

struct shown {
	enum notation notation;
	const struct letters *letters;
};

/* The reader's own notation; SAN, the default, gives way to what the rules write. */
static struct shown shown_how(const struct compose_facts *facts)
{
	const struct compose_player *player =
		is_player(facts) ? facts->players[facts->reader] : NULL;
	const char *name = player ? player->notation : NULL;
	struct shown shown = {.notation = NOTATION_SAN};

	if (name && strcmp(name, "san") != 0 &&
		notation_find(name, &shown.notation, &shown.letters))
		return shown;
	if (facts->event && is_razsh(facts->event->rules))
		shown.notation = NOTATION_ICCF;
	else if (facts->event && facts->event->rules == RULES_MCLINK)
		shown.notation = NOTATION_MCLINK;
	return shown;
}

/* "12. Nf3", "12... d5"; MC-link's "12n Cg8-f6"; without a number if it is Black's and follows
 * White's. */
static void write_shown(const struct shown *shown, const struct position *position, uint16_t move,
	bool follows, char out[NUMBERED_MAX])
{
	char text[NOTATION_MAX];
	bool white = position->turn == SIDE_WHITE;

	move_write(position, move, shown->notation, shown->letters, text);
	if (shown->notation == NOTATION_MCLINK)
		(void)snprintf(
			out, NUMBERED_MAX, "%u%c %s", position->fullmove, white ? 'b' : 'n', text);
	else if (follows && !white)
		(void)snprintf(out, NUMBERED_MAX, "%s", text);
	else
		(void)snprintf(out, NUMBERED_MAX, "%u%s %s", position->fullmove,
			white ? "." : "...", text);
}

void shown_move(const struct compose_facts *facts, const struct position *position, uint16_t move,
	char out[NUMBERED_MAX])
{
	struct shown shown = shown_how(facts);

	write_shown(&shown, position, move, false, out);
}

char *shown_series(const struct compose_facts *facts, const struct position *position,
	const uint16_t *moves, size_t n)
{
	struct shown shown = shown_how(facts);
	struct position now = *position;
	struct text text = {0};
	char move[NUMBERED_MAX];
	int r = text_add(&text, "", 0);

	for (size_t i = 0; r >= 0 && i < n; i++) {
		write_shown(&shown, &now, moves[i], i > 0, move);
		if (i > 0)
			r = text_add(&text, " ", 1);
		if (r >= 0)
			r = text_add_string(&text, move);
		position_make(&now, moves[i]);
	}
	if (r < 0)
		text_release(&text);
	return r < 0 ? NULL : text.bytes;
}

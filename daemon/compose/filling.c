#include "daemon/compose/filling.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "config/language.h"
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
		when_write(reader_zone(filling->facts), instant, local);
		when_utc(instant, utc);
	}
	put(filling, name, local);
	char utc_name[64];
	(void)snprintf(utc_name, sizeof(utc_name), "%s-utc", name);
	put(filling, utc_name, utc);
}

struct filling put_item(struct filling *filling, const char *name)
{
	struct filling item = {.facts = filling->facts, .r = filling->r};

	if (item.r == 0)
		item.r = values_append(filling->values, name, &item.values);
	return item;
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

/*
 * Between the halves of compose: facts go into template values here.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "daemon/compose/compose.h"

/* `r` keeps the first error; nothing is done after it. */
struct filling {
	const struct compose_facts *facts;
	struct values *values;
	int r;
};

void put(struct filling *filling, const char *name, const char *text);
void put_format(struct filling *filling, const char *name, const char *format, ...)
	PRINTF_LIKE(3, 4);
void put_flag(struct filling *filling, const char *name, bool on);
/* The instant in the reader's zone as NAME, and in UTC as NAME-utc. */
void put_instant(struct filling *filling, const char *name, int64_t instant);
/* A name as sentences say it in the reader's language. */
void put_name(struct filling *filling, const char *name, const char *registered);
/* A date; not set for DATE_NONE. */
void put_date(struct filling *filling, const char *name, int32_t date);
void put_article(struct filling *filling, const char *name, const char *article);
/* A new item of the list NAME, as a filling of its own; its `r` is to be given back. */
struct filling put_item(struct filling *filling, const char *name);

/* Is the reader one of the players? */
static inline bool is_player(const struct compose_facts *facts)
{
	return facts->reader == READER_WHITE || facts->reader == READER_BLACK;
}
bool instant_known(int64_t instant);
/* How the language of the mail writes dates, numbers and names. */
const struct style *style_of(const struct compose_facts *facts);
/* The zone that the reader's dates are written in. */
const struct zone *reader_zone(const struct compose_facts *facts);
/* The local date of an instant; a zone of NULL is UTC. */
int32_t zone_date_or_utc(const struct zone *zone, int64_t instant);
/* "12. Nf3" or "12... d5": the move of PLY (from 0) in the notation NAME (NULL: SAN). */
#define NUMBERED_MAX (NOTATION_MAX + 16)
void numbered_move(
	const struct game *game, size_t ply, const char *notation, char out[NUMBERED_MAX]);
/* The same for a move that is not (or not yet) one of the game's. */
void numbered_text(const struct position *position, uint16_t move, const char *notation,
	char out[NUMBERED_MAX]);

/* compose.c: the language that the mail is written in. */
const char *compose_language(const struct compose_facts *facts);
/* Hours or days in tenths: "57.6". */
void put_tenths(struct filling *filling, const char *name, int tenths);
bool is_razsh(enum rule_system system);
/* Moves of a series from POSITION on, each numbered where it needs one, as mails of the game
 * show them to the reader: in his notation, or where he has chosen none in that of the rules.
 * The caller frees the text; NULL: no memory. */
char *shown_series(const struct compose_facts *facts, const struct position *position,
	const uint16_t *moves, size_t n);
/* One move so. */
void shown_move(const struct compose_facts *facts, const struct position *position, uint16_t move,
	char out[NUMBERED_MAX]);

/* compose_game.c: event, players, moves, board, result. */
void fill_game(struct filling *filling);
/* compose_message.c: what was read in the message that is answered or relayed. */
void fill_message(struct filling *filling);
/* compose_bounce.c: what could not be delivered. */
void fill_bounced(struct filling *filling);
/* compose_decision.c: what was decided and why, series of moves, leaves, rulings. */
void fill_decision(struct filling *filling);
/* compose_clock.c: clocks, limits; the two others by the rules. */
void put_side(struct filling *item, const struct compose_player *player);
void fill_clock(struct filling *filling);
void fill_clock_razsh(struct filling *filling, const struct clock_state *state);
void fill_clock_mclink(struct filling *filling, const struct clock_state *state);
/* compose_table.c: the form of RAZSh's appendix 3. */
void fill_table_form(struct filling *filling);
/* What the clock has for one ply: dates, days and the total after it, penalties included. */
struct table_half {
	bool counted;
	int32_t received, sent;
	int days, total;
	int penalty; /* days booked on the move */
};
struct table_half table_half(const struct compose_facts *facts, size_t ply);
/* compose_schedule.c: the table of RAZSh's appendix 1. */
void fill_schedule(struct filling *filling);
/* compose_games.c: mails about several games. */
void fill_games(struct filling *filling);
/* compose_service.c: what concerns no move. */
void fill_service(struct filling *filling);
/* compose_overstep.c: the report of an overstep or a claim, and the ledger. */
void fill_overstep(struct filling *filling);
void fill_ledger(struct filling *filling);

/* compose.c: all values of a mail; the caller frees them. */
MUST_CHECK int compose_values(const struct compose_facts *facts, struct values **ret_values);

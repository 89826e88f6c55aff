/*
 * RAZSh, appendix 1: how the moves passed and what time they took, a row for each move.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/compose/filling.h"

#define HALF_MAX 64

static void write_day(int32_t date, char out[16])
{
	unsigned month, day;
	int year;

	if (date == DATE_NONE) {
		(void)snprintf(out, 16, "---");
		return;
	}
	date_to_civil(date, &year, &month, &day);
	(void)snprintf(out, 16, "%02u/%02u", day, month);
}

/* "7163  12/05  16/05    4    12" */
static void write_half(const struct compose_facts *facts, const struct position *position,
	size_t ply, char out[HALF_MAX])
{
	char move[NOTATION_MAX], received[16], sent[16], days[16] = "-", total[16] = "-";
	struct table_half half = table_half(facts, ply);

	move_write(position, facts->game->moves[ply], NOTATION_ICCF, NULL, move);
	write_day(ply == facts->game->n_thematic ? DATE_NONE : half.received, received);
	write_day(half.sent, sent);
	if (half.counted) {
		(void)snprintf(days, sizeof(days), "%d", half.days);
		(void)snprintf(total, sizeof(total), "%d", half.total);
	}
	(void)snprintf(out, HALF_MAX, "%-5.5s  %-5.5s  %-5.5s  %3.4s  %4.5s", move, received, sent,
		days, total);
}

/* Penalties of the row's two moves: "+2", of both sides "+2/+5". */
static void write_remark(
	const struct table_half *white, const struct table_half *black, char out[32])
{
	*out = '\0';
	if (white->penalty > 0 && black->penalty > 0)
		(void)snprintf(out, 32, "  +%d/+%d", white->penalty, black->penalty);
	else if (white->penalty > 0)
		(void)snprintf(out, 32, "  +%d", white->penalty);
	else if (black->penalty > 0)
		(void)snprintf(out, 32, "  /+%d", black->penalty);
}

static size_t fill_row(struct filling *filling, struct position *position, size_t ply)
{
	const struct compose_facts *facts = filling->facts;
	const struct game *game = facts->game;
	char halves[2][HALF_MAX] = {"", ""}, remark[32];
	struct table_half counted[2] = {{.penalty = 0}, {.penalty = 0}};
	unsigned number = position->fullmove;

	for (int side = position->turn; side < 2 && ply < game->n_moves; side++) {
		write_half(facts, position, ply, halves[side]);
		counted[side] = table_half(facts, ply);
		position_make(position, game->moves[ply++]);
	}
	write_remark(&counted[SIDE_WHITE], &counted[SIDE_BLACK], remark);
	struct filling item = put_item(filling, "schedule-rows");
	put_format(&item, "schedule-row",
		*halves[SIDE_BLACK] || *remark ? "%3u  %-32s  %s%s" : "%3u  %s%s%s", number,
		halves[SIDE_WHITE], halves[SIDE_BLACK], remark);
	filling->r = item.r;
	return ply;
}

void fill_schedule(struct filling *filling)
{
	const struct compose_facts *facts = filling->facts;
	struct position position = facts->game->start;

	if (facts->game->n_moves == 0)
		return;
	put_flag(filling, "schedule", true);
	for (size_t ply = 0; ply < facts->game->n_moves;)
		ply = fill_row(filling, &position, ply);
}

int compose_schedule(const struct compose_facts *facts, char **ret_text)
{
	struct filling filling = {.facts = facts};

	int r = values_new(&filling.values);
	if (r < 0)
		return r;
	fill_game(&filling);
	fill_schedule(&filling);
	r = filling.r;
	if (r == 0)
		r = templates_render_part(facts->templates, compose_language(facts), "schedule",
			filling.values, ret_text);
	values_free(filling.values);
	return r;
}

/*
 * The form of RAZSh's appendix 3: nine columns, a row for each move. Dates are those of the
 * relay's count, in each player's own zone.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/compose/filling.h"

#define ROW_MAX 96
#define HALF_MAX 40

struct table_half table_half(const struct compose_facts *facts, size_t ply)
{
	const struct clock *clock = facts->clock;
	struct table_half half = {.received = DATE_NONE, .sent = DATE_NONE};
	size_t n = 0;

	if (!clock || ply < facts->game->n_thematic)
		return half;
	const struct clock_charge *charges = clock_charges(clock, &n);
	int own = (int)(ply - facts->game->n_thematic) + 1;
	enum side side = game_turn(facts->game, ply);
	for (size_t i = 0; i < n; i++) {
		const struct clock_charge *charge = &charges[i];
		if (charge->by != side || charge->ply > own || charge->ended)
			continue;
		half.total += TENTHS * charge->days + charge->tenths_penalty;
		if (charge->ply == own)
			half.penalty += charge->tenths_penalty;
		if (charge->ply != own || charge->tenths_penalty != 0)
			continue;
		half.counted = true;
		half.days = charge->days;
		half.received = charge->received_date;
		half.sent = charge->sent_date;
	}
	half.total /= TENTHS;
	half.penalty /= TENTHS;
	return half;
}

static void write_date(int32_t date, char *out, size_t room)
{
	int year;
	unsigned month, day;

	if (date == DATE_NONE) {
		(void)snprintf(out, room, "---");
		return;
	}
	date_to_civil(date, &year, &month, &day);
	(void)snprintf(out, room, "%02u/%02u", day, month);
}

/* "12/05  16/05  4/04" */
static void write_half(const struct compose_facts *facts, size_t ply, bool pad, char *out)
{
	struct table_half half = table_half(facts, ply);
	char received[16], sent[16], time[32] = "---";

	/* White's first move was received from nobody. */
	write_date(ply == facts->game->n_thematic ? DATE_NONE : half.received, received,
		sizeof(received));
	write_date(half.sent, sent, sizeof(sent));
	if (half.counted)
		(void)snprintf(time, sizeof(time), "%d/%02d", half.days, half.total);
	(void)snprintf(out, HALF_MAX, "%-7.7s%-7.7s%-*.12s", received, sent, pad ? 8 : 0, time);
}

static void write_move(
	const struct compose_facts *facts, const struct position *position, size_t ply, char *out)
{
	*out = '\0';
	if (ply < facts->game->n_moves)
		move_write(position, facts->game->moves[ply], NOTATION_ICCF, NULL, out);
}

/* The row of White's ply, or of Black's where the game begins with it; returns the next. */
static size_t fill_row(struct filling *filling, struct position *position, size_t ply)
{
	const struct compose_facts *facts = filling->facts;
	const struct game *game = facts->game;
	char white[HALF_MAX] = "", black[HALF_MAX] = "";
	char first[NOTATION_MAX] = "", second[NOTATION_MAX] = "";
	unsigned number = position->fullmove;

	if (position->turn == SIDE_WHITE) {
		write_half(facts, ply, true, white);
		write_move(facts, position, ply, first);
		position_make(position, game->moves[ply++]);
	}
	if (ply < game->n_moves) {
		write_half(facts, ply, false, black);
		write_move(facts, position, ply, second);
		position_make(position, game->moves[ply++]);
	}
	struct filling item = put_item(filling, "form-rows");
	if (*second)
		put_format(&item, "form-row", "%-22s%02u.  %-7s%-9s%s", white, number, first,
			second, black);
	else
		put_format(&item, "form-row", "%-22s%02u.  %s", white, number, first);
	filling->r = item.r;
	return ply;
}

/* "20/12-10/01, 01/05-14/05": the side's leaves. */
static void put_leaves(struct filling *filling, const char *name, enum side side)
{
	const struct clock *clock = filling->facts->clock;
	struct clock_leave leave;
	char text[512] = "", from[16], to[16];
	size_t n = 0;

	for (size_t i = 0; clock && clock_leave_at(clock, i, &leave); i++) {
		if (leave.by != side || n + 16 >= sizeof(text))
			continue;
		write_date(leave.from, from, sizeof(from));
		write_date(leave.to, to, sizeof(to));
		n += (size_t)snprintf(
			text + n, sizeof(text) - n, "%s%s-%s", n ? ", " : "", from, to);
	}
	put(filling, name, text);
}

/* Days of the last own move and the total: "4/12". */
static void put_time(struct filling *filling, const char *name, enum side side)
{
	const struct game *game = filling->facts->game;
	size_t n = game->n_moves;

	while (n > game->n_thematic && game_turn(game, n - 1) != side)
		n--;
	if (n <= game->n_thematic)
		return;
	struct table_half half = table_half(filling->facts, n - 1);
	if (half.counted)
		put_format(filling, name, "%d/%02d", half.days, half.total);
}

/* The other form of appendix 3 has the moves in the notation that was agreed on, and the dates of
 * the last one. */
static void fill_other_form(struct filling *filling)
{
	const struct compose_facts *facts = filling->facts;
	const struct game *game = facts->game;
	size_t last = game->n_moves - 1;

	struct position start = game->start;
	char *moves = shown_series(facts, &start, game->moves, game->n_moves);
	if (!moves && filling->r == 0)
		filling->r = -ENOMEM;
	put(filling, "form-moves", moves);
	free(moves);
	if (last > game->n_thematic)
		put_date(filling, "form-partner-sent", table_half(facts, last - 1).sent);
	struct table_half half = table_half(facts, last);
	if (last != game->n_thematic)
		put_date(filling, "form-received", half.received);
	put_date(filling, "form-sent", half.sent);
	put_time(filling, "form-time-white", SIDE_WHITE);
	put_time(filling, "form-time-black", SIDE_BLACK);
	put_flag(filling, "form-other", true);
}

/* A reader who has chosen a notation that is not numeric gets the form that admits it. */
static bool wants_other_form(const struct compose_facts *facts)
{
	const struct compose_player *player =
		is_player(facts) ? facts->players[facts->reader] : NULL;
	const char *notation = player ? player->notation : NULL;

	return notation && strcmp(notation, "san") != 0 && strcmp(notation, "iccf") != 0;
}

void fill_table_form(struct filling *filling)
{
	const struct compose_facts *facts = filling->facts;

	if (!facts->event || !is_razsh(facts->event->rules) || facts->game->n_moves == 0)
		return;
	struct position position = facts->game->start;
	const struct compose_player *sender =
		facts->players[side_other(game_turn(facts->game, facts->game->n_moves))];
	put_flag(filling, "form", true);
	put_leaves(filling, "white-leaves", SIDE_WHITE);
	put_leaves(filling, "black-leaves", SIDE_BLACK);
	if (facts->kind == MAIL_MOVE && sender) {
		put(filling, "signature", sender->name);
		put(filling, "sender-address", sender->address);
	}
	if (wants_other_form(facts)) {
		fill_other_form(filling);
		return;
	}
	for (size_t ply = 0; ply < facts->game->n_moves;)
		ply = fill_row(filling, &position, ply);
}

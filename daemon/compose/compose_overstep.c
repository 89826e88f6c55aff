/*
 * Reports: of an overstep (IECC 11.1, RAZSh 6.1, MC-link 7bis.1) and of a claim, and the
 * ledger in words.
 */
#include <stdio.h>
#include <stdlib.h>

#include "daemon/compose/filling.h"
#include "daemon/compose/ledger_words.h"
#include "daemon/compose/when.h"

#define STAMP_COLUMNS 25

/* The last stamp of a line needs no padding. */
static void put_stamp(struct filling *item, const char *name, const struct zone *zone,
	int64_t instant, bool pad_utc)
{
	char local[WHEN_MAX] = "-", utc[WHEN_MAX] = "", utc_name[64];

	if (instant_known(instant)) {
		when_short(style_of(item->facts), zone, instant, local);
		when_utc(instant, utc);
	}
	put_format(item, name, "%-*s", STAMP_COLUMNS, local);
	(void)snprintf(utc_name, sizeof(utc_name), "%s-utc", name);
	put_format(item, utc_name, "%-*s", pad_utc ? STAMP_COLUMNS : 0, utc);
}

static void fill_row(struct filling *table, const struct clock_charge *charge,
	const struct zone *zone, bool outage)
{
	struct filling row = put_item(table, "rows");

	put_format(&row, "row-move", "%4d", charge->move);
	put_stamp(&row, "row-received", charge->zone ? charge->zone : zone, charge->received, true);
	put_stamp(&row, "row-sent", charge->zone ? charge->zone : zone, charge->sent, false);
	put_format(&row, "row-days", "%4d", charge->days);
	put_format(&row, "row-penalty", "%4d", charge->tenths_penalty / TENTHS);
	put_format(&row, "row-sum", "%4d", charge->tenths_sum / TENTHS);
	put_flag(&row, "row-outage", outage);
	table->r = row.r;
}

/* The move that is thought about, up to the overstep. */
static void fill_running_row(
	struct filling *table, const struct clock_overstep *overstep, const struct zone *zone)
{
	struct filling row = put_item(table, "rows");

	put_format(&row, "row-move", "%4d", overstep->move);
	put_stamp(&row, "row-received", zone, table->facts->running_since, true);
	put_stamp(&row, "row-sent", zone, INSTANT_NONE, false);
	put_format(&row, "row-days", "%4d", overstep->days_on_move);
	put_format(&row, "row-penalty", "%4d", 0);
	put_format(&row, "row-sum", "%4d", overstep->window_sum);
	put_flag(&row, "row-running", true);
	table->r = row.r;
}

static void fill_table(
	struct filling *filling, enum side side, const struct clock_overstep *overstep, int window)
{
	const struct compose_facts *facts = filling->facts;
	const struct zone *zone = clock_zone(facts->clock, side);
	size_t n = 0;
	const struct clock_charge *charges = clock_charges(facts->clock, &n);
	struct filling table = put_item(filling, "tables");
	int last = 0;

	put_name(&table, "table-side", facts->players[side] ? facts->players[side]->name : NULL);
	put(&table, "table-zone", zone && zone->name ? zone->name : "UTC");
	for (size_t i = 0; i < n; i++)
		if (charges[i].by == side && !charges[i].ended && charges[i].move > last)
			last = charges[i].move;
	if (side == overstep->by && overstep->move > last)
		last = overstep->move;
	for (size_t i = 0; i < n; i++)
		if (charges[i].by == side && !charges[i].ended && charges[i].move > last - window)
			fill_row(&table, &charges[i], zone,
				i < facts->n_outages && facts->outages[i]);
	if (side == overstep->by)
		fill_running_row(&table, overstep, zone);
	filling->r = table.r;
}

/* The move that the waiting side sent last. */
static int64_t last_sent(const struct clock *clock, enum side side)
{
	size_t n = 0;
	const struct clock_charge *charges = clock_charges(clock, &n);
	int64_t sent = INSTANT_NONE;

	for (size_t i = 0; i < n; i++)
		if (charges[i].by == side && !charges[i].ended && charges[i].sent != INSTANT_NONE)
			sent = charges[i].sent;
	return sent;
}

static void put_person(struct filling *filling, const char *name, const char *address_name,
	const struct compose_player *player)
{
	char registered[64];

	if (!player)
		return;
	put_name(filling, name, player->name);
	(void)snprintf(registered, sizeof(registered), "%s-name", name);
	put(filling, registered, player->name);
	if (filling->facts->reader == READER_ARBITER)
		put(filling, address_name, player->address);
}

static void fill_kinds(struct filling *filling, const struct clock_overstep *overstep)
{
	put_flag(filling, "overstep-move", overstep->kinds & OVERSTEP_MOVE);
	put_flag(filling, "overstep-window", overstep->kinds & OVERSTEP_WINDOW);
	put_format(filling, "overstep-number", "%d", overstep->move);
	put_format(filling, "overstep-days", "%d", overstep->days_on_move);
	put_format(filling, "window-first", "%d", overstep->window_first);
	put_format(filling, "window-last", "%d", overstep->window_last);
	put_format(filling, "window-sum", "%d", overstep->window_sum);
}

/* In RAZSh an overstep is noted and open to a claim; in the others it is in force. */
static bool find_overstep(const struct compose_facts *facts, const struct clock_state *state,
	struct clock_overstep *ret)
{
	const struct clock_overstep *overstep = clock_overstep(facts->clock);

	if (overstep)
		*ret = *overstep;
	else if (state->has_overstep && state->passed)
		*ret = state->overstep;
	else
		return false;
	return true;
}

/* The account of the late player, as of the report: days of RAZSh, hours of MC-link. */
static void fill_account(struct filling *filling, const struct clock_state *state, enum side late)
{
	const struct clock_side *half = &state->side[late];
	const struct clock_parameters *parameters = clock_parameters(filling->facts->clock);

	if (clock_system(filling->facts->clock) == RULES_MCLINK) {
		put_format(filling, "late-hours", "%d", half->used + half->running);
		put_tenths(filling, "late-available", half->available);
		if (half->manche > 0)
			put_format(filling, "late-manche", "%d", half->manche);
		return;
	}
	put_format(filling, "late-days", "%d", half->total + half->running);
	put_format(filling, "late-limit", "%d", half->limit);
	if (parameters->control_days > 0)
		put_format(filling, "late-control", "%d",
			half->limit / parameters->control_days * parameters->control_moves);
}

/* What waits for the ruling, in the order of the list. */
static void fill_held(struct filling *filling)
{
	const struct compose_facts *facts = filling->facts;

	if (facts->reader != READER_ARBITER)
		return;
	put_flag(filling, "has-held", facts->n_held > 0);
	for (size_t i = 0; i < facts->n_held; i++) {
		struct filling item = put_item(filling, "held-messages");
		const struct compose_player *player = facts->players[facts->held[i].by];
		put_format(&item, "held-id", "%lld", (long long)facts->held[i].id);
		put_name(&item, "held-by", player ? player->name : NULL);
		put_instant(&item, "held-at", facts->held[i].at);
		filling->r = item.r;
	}
}

void fill_overstep(struct filling *filling)
{
	const struct compose_facts *facts = filling->facts;
	struct clock_overstep overstep;
	struct clock_state state;
	char local[WHEN_MAX], utc[WHEN_MAX];

	if (!facts->clock || !facts->game)
		return;
	fill_held(filling);
	clock_state_at(facts->clock, facts->now, &state);
	if (!find_overstep(facts, &state, &overstep))
		return;
	enum rule_system system = clock_system(facts->clock);
	enum side late = overstep.by, waiting = side_other(late);
	const struct zone *zone = system == RULES_MCLINK ? clock_parameters(facts->clock)->zone
							 : clock_zone(facts->clock, late);
	put_person(filling, "late", "late-address", facts->players[late]);
	put_person(filling, "waiting", "waiting-address", facts->players[waiting]);
	put_flag(filling, "late-is-you", is_player(facts) && (enum side)facts->reader == late);
	put_instant(filling, "last-sent", last_sent(facts->clock, waiting));
	put_instant(filling, "reminded", facts->reminded);
	when_write(style_of(facts), zone, overstep.at, local);
	when_utc(overstep.at, utc);
	put(filling, "overstep-local", local);
	put(filling, "overstep-utc", utc);
	fill_kinds(filling, &overstep);
	if (facts->turn_credit > 0) {
		put_format(filling, "turn-credit", "%d", facts->turn_credit);
		put_format(filling, "turn-ply", "%zu", facts->game->n_moves + 1);
	}
	if (system != RULES_IECC) {
		fill_account(filling, &state, late);
	} else if (facts->reader == READER_ARBITER) {
		int window = clock_parameters(facts->clock)->window_moves;
		fill_table(filling, SIDE_WHITE, &overstep, window);
		fill_table(filling, SIDE_BLACK, &overstep, window);
	}
}

/* ---- The ledger in words ---- */

static void fill_ledger_of(struct filling *filling, const struct ledger_words *words)
{
	size_t n = 0;
	const struct clock_charge *charges = clock_charges(words->clock, &n);

	put_flag(filling, "has-ledger", n > 0);
	for (size_t i = 0; i < n && filling->r == 0; i++) {
		char *line = NULL;
		struct filling item = put_item(filling, "ledger");
		if (item.r == 0)
			item.r = ledger_words_line(words, &charges[i], &line);
		put(&item, "ledger-line", line);
		free(line);
		filling->r = item.r;
	}
}

void fill_ledger(struct filling *filling)
{
	const struct compose_facts *facts = filling->facts;
	struct ledger_words words = {
		.templates = facts->templates,
		.language = compose_language(facts),
		.clock = facts->clock,
		.game = facts->game,
		.outages = facts->outages,
		.n_outages = facts->n_outages,
	};

	if (!facts->clock || !facts->game || facts->reader != READER_ARBITER)
		return;
	for (int side = 0; side < 2; side++)
		words.names[side] = facts->players[side] ? facts->players[side]->name : NULL;
	fill_ledger_of(filling, &words);
}

#include "daemon/compose/ledger_words.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/compose/when.h"

#define HOUR INT64_C(3600000)
#define MINUTE INT64_C(60000)

/* Values of the template; `r` keeps the first error. */
struct line {
	struct values *values;
	const struct ledger_words *words;
	const struct clock_charge *charge;
	const struct zone *zone;
	const struct style *style;
	int r;
};

static void put(struct line *line, const char *name, const char *text)
{
	if (line->r == 0)
		line->r = values_set(line->values, name, text);
}

static void put_flag(struct line *line, const char *name, bool on)
{
	if (line->r == 0)
		line->r = values_flag(line->values, name, on);
}

static void put_number(struct line *line, const char *name, int number)
{
	if (line->r == 0)
		line->r = values_format(line->values, name, "%d", number);
}

static void put_tenths(struct line *line, const char *name, int tenths)
{
	char text[WHEN_MAX];

	when_tenths(line->style, tenths, text);
	put(line, name, text);
}

static void put_instant(struct line *line, const char *name, int64_t instant)
{
	char text[WHEN_MAX] = "";

	if (instant != INSTANT_NONE)
		when_short(line->style, line->zone, instant, text);
	put(line, name, text);
}

static void put_date(struct line *line, const char *name, int32_t date)
{
	char text[WHEN_MAX] = "";

	if (date != DATE_NONE)
		when_date(line->style, date, text);
	put(line, name, text);
}

static void put_player(struct line *line, const char *registered)
{
	char name[STYLE_NAME_MAX];

	style_name(line->style, registered, name);
	put(line, "ledger-name", name);
}

/* "IECC 7.6b" as the section "by-iecc-7-6b". */
static void put_article(struct line *line)
{
	const char *article = line->charge->article ? line->charge->article : "";
	char name[40];
	size_t n = (size_t)snprintf(name, sizeof(name), "by-%s", article);

	char cited[STYLE_ARTICLE_MAX];

	/* What a ruling costs has no article. */
	style_article(line->style, strcmp(article, "ruling") == 0 ? "" : article, cited);
	put(line, "ledger-article", cited);
	if (n >= sizeof(name))
		return;
	for (char *at = name; *at; at++)
		*at = isalnum((unsigned char)*at) ? (char)tolower((unsigned char)*at) : '-';
	put_flag(line, name, *article != '\0');
}

unsigned ledger_words_number(const struct game *game, const struct clock_charge *charge)
{
	size_t ply = game->n_thematic + (size_t)(charge->ply > 0 ? charge->ply - 1 : 0);

	return game->start.fullmove + (unsigned)((ply + (game->start.turn == SIDE_BLACK)) / 2);
}

/* The hour that MC-link's clock counts a message for: the end of a stop, or as 7.4 rounds. */
static int64_t counted_hour(const struct line *line)
{
	const struct clock_charge *charge = line->charge;
	struct clock_state state;
	int64_t local = charge->sent + INT64_C(1000) * zone_offset(line->zone, charge->sent);
	int64_t rest = (local % HOUR + HOUR) % HOUR;
	int64_t at = charge->sent - rest + (rest < 31 * MINUTE ? 0 : HOUR);

	clock_state_at(line->words->clock, charge->sent, &state);
	for (size_t i = 0; i < state.n_stops; i++)
		if (!state.stops[i].removed && state.stops[i].from <= at && at < state.stops[i].to)
			at = state.stops[i].to;
	return at > charge->received ? at : charge->received;
}

/* What of the dates between the stamps is no day: leave, and what a ruling took off. */
static void put_days(struct line *line)
{
	const struct clock_charge *charge = line->charge;
	bool dated = charge->received_date != DATE_NONE && charge->sent_date != DATE_NONE;
	int dates = dated ? charge->sent_date - charge->received_date : 0;

	put_number(line, "ledger-days", charge->days);
	put_flag(line, "ledger-dates", dates > 0);
	put_date(line, "ledger-first-date", dates > 0 ? charge->received_date + 1 : DATE_NONE);
	put_date(line, "ledger-last-date", dates > 0 ? charge->sent_date : DATE_NONE);
	if (dates > charge->days)
		put_number(line, "ledger-free-days", dates - charge->days);
}

static void put_sums(struct line *line, enum rule_system system)
{
	const struct clock_parameters *parameters = clock_parameters(line->words->clock);
	const struct clock_charge *charge = line->charge;

	put_tenths(line, "ledger-sum", charge->tenths_sum);
	if (system == RULES_IECC) {
		put_number(line, "window-moves", parameters->window_moves);
		put_number(line, "window-days", parameters->window_days);
	} else if (system != RULES_MCLINK && parameters->control_moves > 0) {
		int control = (charge->move - 1) / parameters->control_moves + 1;
		put_number(line, "control-move", control * parameters->control_moves);
		put_number(line, "control-days", control * parameters->control_days);
	}
}

/* The charge is one of the clock's: its place among them tells. */
static bool touches_outage(const struct ledger_words *words, const struct clock_charge *charge)
{
	size_t n;
	const struct clock_charge *charges = clock_charges(words->clock, &n);

	for (size_t i = 0; i < n && i < words->n_outages; i++)
		if (&charges[i] == charge)
			return words->outages[i];
	return false;
}

static void fill(struct line *line)
{
	const struct ledger_words *words = line->words;
	const struct clock_charge *charge = line->charge;
	enum rule_system system = clock_system(words->clock);
	bool penalty = charge->tenths_penalty != 0;
	bool counted = !penalty && !charge->ended && charge->sent != INSTANT_NONE;

	put_flag(line, rule_system_name(system), true);
	put_flag(line, "any-razsh", system == RULES_RAZSH || system == RULES_RAZSH_POST);
	put_flag(line, "ledger-white", charge->by == SIDE_WHITE);
	put_flag(line, "ledger-black", charge->by == SIDE_BLACK);
	put_player(line, words->names[charge->by]);
	put_number(line, "ledger-move", (int)ledger_words_number(words->game, charge));
	put(line, "ledger-zone", line->zone && line->zone->name ? line->zone->name : "UTC");
	put_instant(line, "ledger-received", charge->received);
	put_instant(line, "ledger-sent", charge->sent);
	put_article(line);
	put_flag(line, "ledger-outage", touches_outage(words, charge));
	put_flag(line, "ledger-counted", counted);
	put_flag(line, "ledger-free", !penalty && !counted && !charge->ended);
	put_flag(line, "ledger-ended", charge->ended);
	if (penalty)
		put_tenths(line, "ledger-penalty", charge->tenths_penalty);
	if (counted && system == RULES_MCLINK) {
		put_number(line, "ledger-hours", charge->days);
		put_instant(line, "ledger-hour", counted_hour(line));
	} else if (counted) {
		put_days(line);
	}
	if (counted || penalty)
		put_sums(line, system);
}

static const struct zone *zone_of(
	const struct ledger_words *words, const struct clock_charge *charge)
{
	if (clock_system(words->clock) == RULES_MCLINK)
		return clock_parameters(words->clock)->zone;
	return charge->zone ? charge->zone : clock_zone(words->clock, charge->by);
}

/* The template may be laid out in lines: the words are one. */
static void join_lines(char *text)
{
	char *end = text;

	for (const char *at = text; *at; at++) {
		bool blank = *at == ' ' || *at == '\n' || *at == '\t';
		/* No blank where a line went on with a mark. */
		if (!blank && end > text && end[-1] == ' ' && strchr(",;:.)", *at))
			end--;
		if (!blank)
			*end++ = *at;
		else if (end > text && end[-1] != ' ')
			*end++ = ' ';
	}
	while (end > text && end[-1] == ' ')
		end--;
	*end = '\0';
}

int ledger_words_line(
	const struct ledger_words *words, const struct clock_charge *charge, char **ret_line)
{
	struct line line = {.words = words,
		.charge = charge,
		.zone = zone_of(words, charge),
		.style = templates_style(words->templates, words->language)};
	char *text = NULL;

	int r = values_new(&line.values);
	if (r < 0)
		return r;
	fill(&line);
	r = line.r;
	if (r == 0)
		r = templates_render_part(
			words->templates, words->language, "ledger", line.values, &text);
	values_free(line.values);
	if (r != 0)
		return r;
	join_lines(text);
	*ret_line = text;
	return 0;
}

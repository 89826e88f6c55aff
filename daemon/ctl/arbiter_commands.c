#include "daemon/ctl/arbiter_commands.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config/value.h"
#include "daemon/ctl/clock_words.h"
#include "daemon/ctl/print.h"
#include "daemon/ctl/scope.h"
#include "daemon/reading/ruling.h"
#include "daemon/relay/club.h"
#include "daemon/relay/orders.h"
#include "daemon/relay/rulings.h"

/* ---- Words of a ruling ---- */

bool arbiter_read_side(const char *word, enum side *ret_side)
{
	if (strcmp(word, "white") != 0 && strcmp(word, "black") != 0)
		return false;
	*ret_side = strcmp(word, "white") == 0 ? SIDE_WHITE : SIDE_BLACK;
	return true;
}

static bool read_count(const char *word, int64_t max, int64_t *ret_count)
{
	return value_number(word[0] == '+' ? word + 1 : word, max, ret_count) == 0;
}

/* A ruling of a command line leaves nothing out that could be filled in. */
static bool is_whole(const struct stated_ruling *stated)
{
	const struct ruling *ruling = &stated->ruling;

	if (stated->kind == STATED_RULING && ruling->kind == RULING_PENALTY)
		return stated->has_side && stated->has_number;
	if (stated->kind == STATED_RULING && ruling->kind == RULING_LIFT)
		return stated->has_side && stated->has_move;
	return true;
}

/* ---- rule ---- */

static int carry_stated(struct match *match, const struct stated_ruling *stated,
	const struct order *order, struct decision *decision, const char **ret_fault)
{
	const char *argument =
		arena_copy(&match->arena, order->text + stated->argument.at, stated->argument.size);

	if (stated->kind == STATED_RULING)
		return rulings_carry(
			match, &stated->ruling, order->text, order->origin, order->now, decision);
	return orders_carry(match, stated, argument, order, decision, ret_fault);
}

static int carry_ruling(struct ctl *ctl, int64_t id, const struct stated_ruling *stated,
	const char *text, const char *reason)
{
	const struct compose_facts also = {.reason = reason};
	const struct post post = {.also = &also, .received = INSTANT_NONE, .now = ctl->now};
	const struct order order = {.text = text, .origin = &post, .at = ctl->now, .now = ctl->now};
	struct match *match CLEANUP_MATCH = NULL;
	struct decision *decision = calloc(1, sizeof(*decision));
	const char *fault = NULL;
	int r = decision ? store_begin(ctl->club->store) : -ENOMEM;
	int code = CTL_DONE;

	if (r >= 0)
		r = match_open(ctl->club, id, &match);
	if (r >= 0)
		r = carry_stated(match, stated, &order, decision, &fault);
	if (r >= 0 && decision->verdict == VERDICT_COMMAND) {
		r = store_commit(ctl->club->store);
	} else {
		store_rollback(ctl->club->store);
		/* A fault may tell whose address it is. */
		if (fault && !scope_is_all(ctl))
			fault = "this is no address that he could be given";
		if (r >= 0)
			code = ctl_refuse(
				ctl, "%s", fault ? fault : refusal_text(decision->refusal));
	}
	free(decision);
	return r < 0 ? ctl_fail(ctl, r) : code;
}

/* The words that are no part of a ruling's line: options. */
static bool read_options(
	int *argc, char **argv, const char **ret_reason, bool *ret_bar, const char **ret_days)
{
	int64_t n;

	*ret_reason = *ret_days = NULL;
	*ret_bar = ctl_option(argc, argv, "--bar", NULL) > 0;
	return ctl_option(argc, argv, "--reason", ret_reason) >= 0 &&
	       ctl_option(argc, argv, "--days", ret_days) >= 0 && *argc >= 3 &&
	       (!*ret_days || read_count(*ret_days, 1000, &n));
}

static int print_ruling(struct ctl *ctl, const char *game, const char *text)
{
	if (ctl->json)
		return print_json(ctl, json_pack("{s:s, s:s, s:o}", "game", game, "ruling", text,
					       "at", json_instant(ctl->now)));
	fprintf(ctl->out, "%s: %s\n", game, text);
	return CTL_DONE;
}

/* An address holds for its player in all his games. */
static int check_reach(struct ctl *ctl, int64_t id, enum side side)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	struct game_row row;
	int r = games_load(ctl->club->store, &arena, id, &row);

	if (r <= 0)
		return ctl_fail(ctl, r < 0 ? r : -ENOENT);
	return scope_reach(ctl, row.players[side]);
}

int rule_command(struct ctl *ctl, int argc, char **argv)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	struct stated_ruling stated;
	const char *reason, *days;
	int64_t id, n = 0;
	bool bar;

	if (!read_options(&argc, argv, &reason, &bar, &days))
		return ctl_usage(ctl, "rule");
	const char *text = ctl_join(&arena, argc - 2, argv + 2);
	if (!ruling_read(ctl->club->words, text, 0, strlen(text), &stated) || !is_whole(&stated) ||
		stated.kind == STATED_LEAVE || stated.kind == STATED_ANNOUNCEMENT)
		return ctl_usage(ctl, "rule");
	struct ruling *ruling = &stated.ruling;
	ruling->at = ctl->now;
	ruling->bar = ruling->bar || bar;
	if (days && read_count(days, 1000, &n)) {
		if (ruling->kind == RULING_CREDIT)
			ruling->n = (int)n;
		else
			ruling->days = (int)n;
	}
	int code = scope_find_game(ctl, argv[1], &id);
	if (code == CTL_DONE && stated.kind == STATED_ACCEPT_ADDRESS)
		code = check_reach(ctl, id, stated.ruling.side);
	if (code == CTL_DONE)
		code = carry_ruling(ctl, id, &stated, text, reason);
	if (code != CTL_DONE)
		return code;
	ctl_kick(ctl);
	return print_ruling(ctl, argv[1], text);
}

/*
 * lotto GAME --drawn N: the first number on the Rome wheel decides a drawn game of a knockout
 * (MC-link 10).
 */
#include "config/value.h"
#include "daemon/ctl/arbiter_commands.h"
#include "daemon/ctl/clock_json.h"
#include "daemon/ctl/print.h"
#include "daemon/ctl/scope.h"
#include "daemon/relay/lotto.h"

static int print_lotto(
	struct ctl *ctl, const struct match *match, const struct compose_lotto *lotto)
{
	const struct lotto *lot = &lotto->lotto;

	if (ctl->json) {
		json_t *json = clock_json_lotto(lot);
		if (json) {
			json_object_set_new(json, "game", json_string(match->id));
			json_object_set_new(json, "drawn", json_integer(lotto->drawn));
		}
		return print_json(ctl, json);
	}
	fprintf(ctl->out,
		"%s: White has %d numbers from 1 up, Black the other %d; %d is drawn: %s is the"
		" virtual winner\n",
		match->id, lot->white_numbers, LOTTO_NUMBERS - lot->white_numbers, lotto->drawn,
		match->players[lot->winner].name);
	return CTL_DONE;
}

static int carry(struct ctl *ctl, struct match *match, int drawn)
{
	struct compose_lotto lotto;
	enum lotto_refusal refusal = LOTTO_DONE;
	int r = store_begin(ctl->club->store);

	if (r >= 0)
		r = lotto_carry(match, drawn, ctl->now, &refusal, &lotto);
	if (r >= 0 && refusal == LOTTO_DONE)
		r = store_commit(ctl->club->store);
	else
		store_rollback(ctl->club->store);
	if (r < 0)
		return ctl_fail(ctl, r);
	if (refusal != LOTTO_DONE)
		return ctl_refuse(ctl, "%s", lotto_refusal_text(refusal));
	ctl_kick(ctl);
	return print_lotto(ctl, match, &lotto);
}

int lotto_command(struct ctl *ctl, int argc, char **argv)
{
	struct match *match CLEANUP_MATCH = NULL;
	const char *word = NULL;
	int64_t id, drawn = 0;

	if (ctl_option(&argc, argv, "--drawn", &word) <= 0 || argc != 2 ||
		value_number(word, LOTTO_NUMBERS, &drawn) < 0 || drawn < 1)
		return ctl_usage(ctl, "lotto");
	int code = scope_find_game(ctl, argv[1], &id);
	if (code != CTL_DONE)
		return code;
	int r = match_open(ctl->club, id, &match);
	return r < 0 ? ctl_fail(ctl, r) : carry(ctl, match, (int)drawn);
}

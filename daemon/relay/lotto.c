#include "daemon/relay/lotto.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/fen.h"
#include "daemon/relay/carry.h"
#include "daemon/relay/input_log.h"
#include "daemon/relay/post.h"
#include "daemon/store/lottos.h"

const char *lotto_refusal_text(enum lotto_refusal refusal)
{
	static const char *const texts[] = {
		[LOTTO_DONE] = "",
		[LOTTO_OTHER_RULES] = "the rules of this event know no lots",
		[LOTTO_NOT_DRAWN] = "the game is not drawn",
		[LOTTO_SHARED] = "points are shared in a stage that is no knockout (MC-link 10.15)",
		[LOTTO_REPLAYED] = "another game decides, not a lot (MC-link 10.12, 10.13)",
		[LOTTO_ALREADY] = "its lot has been drawn already",
	};
	return texts[refusal];
}

static bool is_drawn(const struct match *match)
{
	return match->parameters.system == RULES_MCLINK && match->game.state == GAME_FINISHED &&
	       match->game.result == RESULT_DRAW;
}

/* Of the same two players in the same event. */
struct pairing {
	int drawn;      /* games up to this one */
	bool going_on;  /* one is not finished */
	int64_t newest; /* number of the event's last game, of whatever players */
};

static bool of_pairing(const struct match *match, const struct game_row *row)
{
	const char *white = match->row.players[SIDE_WHITE], *black = match->row.players[SIDE_BLACK];

	return (strcmp(row->players[SIDE_WHITE], white) == 0 &&
		       strcmp(row->players[SIDE_BLACK], black) == 0) ||
	       (strcmp(row->players[SIDE_WHITE], black) == 0 &&
		       strcmp(row->players[SIDE_BLACK], white) == 0);
}

static int count_pairing(const struct match *match, struct pairing *ret_pairing)
{
	const struct games_filter filter = {.tournament = match->row.tournament};
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	struct store *store = match->club->store;
	int64_t *ids;
	size_t n;
	int r = games_list(store, &arena, &filter, &ids, &n);

	*ret_pairing = (struct pairing){.drawn = 0};
	for (size_t i = 0; r >= 0 && i < n; i++) {
		struct game_row row;
		r = games_load(store, &arena, ids[i], &row);
		if (r <= 0)
			return r < 0 ? r : -EBADMSG;
		ret_pairing->newest = row.number;
		if (!of_pairing(match, &row))
			continue;
		if (row.state != GAME_FINISHED)
			ret_pairing->going_on = true;
		else if (row.result == RESULT_DRAW && row.number <= match->row.number)
			ret_pairing->drawn++;
	}
	return r < 0 ? r : 0;
}

static enum after_draw what_follows(const struct match *match, const struct pairing *pairing)
{
	bool final = strcmp(match->tournament.stage, "final") == 0;
	bool knockout = final || strcmp(match->tournament.stage, "knockout") == 0;

	return lotto_after_draw(knockout, final, pairing->drawn);
}

/* 10.11: when the draw was declared. */
static int64_t declared_at(const struct match *match)
{
	for (size_t i = match->n_ledger; i-- > 0;)
		if (match->ledger[i].event.kind == CLOCK_END)
			return match->ledger[i].event.at;
	return match->n_ledger > 0 ? match->ledger[match->n_ledger - 1].event.at : 0;
}

static int read_counters(const struct match *match, int64_t at, int ret_counters[2])
{
	int r = 0;

	for (int side = 0; r >= 0 && side < 2; side++)
		r = lottos_counter(
			match->club->store, match->row.players[side], at, &ret_counters[side]);
	return r;
}

int lotto_of(const struct match *match, struct compose_lotto *ret_lotto)
{
	struct pairing pairing;
	struct lotto_row row;

	if (!is_drawn(match))
		return 0;
	int r = lottos_load(match->club->store, match->row.id, &row);
	if (r > 0) {
		*ret_lotto = (struct compose_lotto){
			.after = AFTER_DRAW_LOTTO,
			.drawn = row.drawn,
			.before = {row.counters[0], row.counters[1]},
			.lotto = lotto_draw(row.counters[0], row.counters[1], row.drawn),
		};
		return 1;
	}
	if (r >= 0)
		r = count_pairing(match, &pairing);
	if (r < 0)
		return r;
	*ret_lotto = (struct compose_lotto){.after = what_follows(match, &pairing)};
	r = read_counters(match, declared_at(match), ret_lotto->before);
	if (r < 0)
		return r;
	ret_lotto->lotto = lotto_draw(ret_lotto->before[0], ret_lotto->before[1], 1);
	return ret_lotto->after == AFTER_DRAW_SHARED ? 0 : 1;
}

int lotto_has_followed(const struct match *match)
{
	const struct games_filter filter = {.tournament = match->row.tournament};
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	struct store *store = match->club->store;
	struct lotto_row lot;
	int64_t *ids;
	size_t n = 0;

	if (!is_drawn(match))
		return 0;
	int r = lottos_load(store, match->row.id, &lot);
	if (r == 0)
		r = games_list(store, &arena, &filter, &ids, &n);
	for (size_t i = 0; r == 0 && i < n; i++) {
		struct game_row row;
		r = games_load(store, &arena, ids[i], &row);
		/* Of itself begins only what follows from a draw. */
		if (r > 0)
			r = row.start && row.number > match->row.number && of_pairing(match, &row);
	}
	return r;
}

/* ---- Telling ---- */

static int tell(struct match *match, const struct compose_lotto *lotto, int64_t now)
{
	const struct compose_facts also = {.lotto = lotto};
	const struct post post = {
		.kind = MAIL_ANNOUNCEMENT,
		.also = &also,
		.article = "MC-link 10",
		.received = INSTANT_NONE,
		.cause_digest = arena_format(&match->arena, "lotto %d", lotto->drawn),
		.now = now,
	};
	int r = post_to_player(match, SIDE_WHITE, &post);

	if (r >= 0)
		r = post_to_player(match, SIDE_BLACK, &post);
	if (r >= 0)
		r = post_to_arbiters(match, &post);
	return r < 0 ? r : post_to_public(match, &post);
}

/* ---- The lot ---- */

static enum lotto_refusal refusal_of(
	const struct match *match, int found, const struct compose_lotto *lotto)
{
	if (match->parameters.system != RULES_MCLINK)
		return LOTTO_OTHER_RULES;
	if (!is_drawn(match))
		return LOTTO_NOT_DRAWN;
	if (found == 0)
		return LOTTO_SHARED;
	if (lotto->after != AFTER_DRAW_LOTTO)
		return LOTTO_REPLAYED;
	return lotto->drawn > 0 ? LOTTO_ALREADY : LOTTO_DONE;
}

static int keep(const struct match *match, const struct compose_lotto *lotto, int64_t now)
{
	const struct lotto_row row = {
		.game = match->row.id,
		.drawn = lotto->drawn,
		.at = now,
		.players = {match->row.players[SIDE_WHITE], match->row.players[SIDE_BLACK]},
		.counters = {lotto->before[SIDE_WHITE], lotto->before[SIDE_BLACK]},
		.winner = lotto->lotto.winner,
	};
	int r = lottos_insert(match->club->store, &row);

	return r < 0 ? r
		     : input_log(match->club, now, "lotto",
			       json_pack("{s:s, s:i, s:I}", "game", match->id, "drawn",
				       lotto->drawn, "at", (json_int_t)now));
}

int lotto_carry(struct match *match, int drawn, int64_t now, enum lotto_refusal *ret_refusal,
	struct compose_lotto *ret_lotto)
{
	int r = lotto_of(match, ret_lotto);

	if (r < 0)
		return r;
	*ret_refusal = refusal_of(match, r, ret_lotto);
	if (*ret_refusal != LOTTO_DONE)
		return 0;
	ret_lotto->drawn = drawn;
	ret_lotto->lotto = lotto_draw(ret_lotto->before[0], ret_lotto->before[1], drawn);
	r = keep(match, ret_lotto, now);
	return r < 0 ? r : tell(match, ret_lotto, now);
}

/* ---- Another game ---- */

/* The four characters that MC-link's subjects need: those of the number, or the next that no
 * unfinished game has. */
static int free_code(struct match *match, int64_t number, const char **ret_code)
{
	for (int64_t i = 0; i < 10000; i++) {
		int64_t other;
		*ret_code =
			arena_format(&match->arena, "%04lld", (long long)((number + i) % 10000));
		int r = games_find_code(match->club->store, *ret_code, &other);
		if (r <= 0)
			return r;
	}
	return -EBUSY;
}

static int insert_game(struct match *match, int64_t number, int64_t at, int64_t *ret_id)
{
	const struct game_row *before = &match->row;
	struct position start = game_position(&match->game, before->n_thematic);
	char fen[FEN_MAX];
	struct game_row row = {
		.tournament = before->tournament,
		.number = number,
		.players = {before->players[SIDE_BLACK], before->players[SIDE_WHITE]},
		.zones = {match->players[SIDE_BLACK].timezone, match->players[SIDE_WHITE].timezone},
		.state = GAME_SCHEDULED,
		.start_fen = before->start_fen,
		.fen = fen,
		.n_thematic = before->n_thematic,
		.moves = before->moves,
		.n_moves = before->n_thematic,
		.start = at,
	};
	int r = free_code(match, number, &row.code);

	fen_write(&start, fen);
	return r < 0 ? r : games_insert(match->club->store, &row, ret_id);
}

/* 10.12, 10.13: each game has the colours of the one before reversed, so the third those of the
 * first. */
static int begin_next(struct match *match, int64_t number, int64_t at, int64_t now)
{
	struct match *next CLEANUP_MATCH = NULL;
	int64_t id;
	int r = insert_game(match, number, at, &id);

	if (r >= 0)
		r = match_open(match->club, id, &next);
	return r < 0 ? r : carry_start(next, at, now);
}

int lotto_follow(struct match *match, int64_t at, int64_t now)
{
	struct compose_lotto lotto;
	struct pairing pairing;

	if (!is_drawn(match))
		return 0;
	int r = count_pairing(match, &pairing);
	if (r < 0)
		return r;
	lotto = (struct compose_lotto){.after = what_follows(match, &pairing)};
	if (lotto.after == AFTER_DRAW_SHARED || pairing.going_on)
		return 0;
	r = read_counters(match, at, lotto.before);
	if (r < 0)
		return r;
	lotto.lotto = lotto_draw(lotto.before[0], lotto.before[1], 1);
	r = tell(match, &lotto, now);
	if (r < 0 || lotto.after == AFTER_DRAW_LOTTO)
		return r;
	return begin_next(match, pairing.newest + 1, at, now);
}

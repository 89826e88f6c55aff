#include "daemon/relay/bulletin.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/compose/mask.h"
#include "daemon/relay/broadcast.h"
#include "daemon/relay/bulletin_leaves.h"
#include "daemon/relay/lotto.h"
#include "daemon/relay/match.h"
#include "daemon/relay/post.h"
#include "daemon/store/bulletins.h"
#include "daemon/store/timers.h"

#define WORDS_COLUMNS 1000 /* the mail breaks its lines itself */

struct issue {
	struct club *club;
	struct arena arena;
	const struct tournament_row *tournament;
	struct bulletin_row last;
	int64_t at;
	struct match **matches; /* of the event, in order of their numbers */
	size_t n_matches;
	struct compose_event event;
	struct compose_game *games;
	size_t n_games;
	struct compose_leave *leaves;
	size_t n_leaves;
	struct compose_note *notes;
	size_t n_notes;
};

static int open_matches(struct issue *issue)
{
	const struct games_filter filter = {.tournament = issue->tournament->code};
	int64_t *ids;
	size_t n;
	int r = games_list(issue->club->store, &issue->arena, &filter, &ids, &n);

	if (r < 0)
		return r;
	issue->matches = arena_alloc(&issue->arena, (n + 1) * sizeof(struct match *));
	issue->games = arena_alloc(&issue->arena, (n + 1) * sizeof(*issue->games));
	for (size_t i = 0; r >= 0 && i < n; i++) {
		r = match_open(issue->club, ids[i], &issue->matches[issue->n_matches]);
		if (r >= 0)
			clock_advance(issue->matches[issue->n_matches++]->clock, issue->at);
	}
	return r;
}

static const struct match *find_match(const struct issue *issue, int64_t game)
{
	for (size_t i = 0; i < issue->n_matches; i++)
		if (issue->matches[i]->row.id == game)
			return issue->matches[i];
	return NULL;
}

/* ---- Games ---- */

static int describe_game(struct issue *issue, const struct match *match, size_t since, bool ended)
{
	struct post_game *described = arena_alloc(&issue->arena, sizeof(*described));
	int r = post_describe_game(match, described);

	if (r < 0)
		return r;
	struct compose_game *game = &issue->games[issue->n_games++];
	*game = described->game;
	game->since = since < match->game.n_moves ? since : match->game.n_moves;
	game->ended = ended;
	return 0;
}

/* A game that had ended before the last bulletin is in it no more. */
static int add_game(struct issue *issue, const struct match *match)
{
	bool finished = match->game.state == GAME_FINISHED, before = false;
	size_t since = match->game.n_thematic;
	int r = bulletins_game(issue->club->store, match->row.id, &since, &before);

	if (r >= 0 && !(finished && before))
		r = describe_game(issue, match, since, finished);
	if (r < 0)
		return r;
	return bulletins_put_game(issue->club->store, match->row.id, match->game.n_moves, finished);
}

static int add_games(struct issue *issue)
{
	const struct tournament_row *tournament = issue->tournament;
	int r = 0;

	if (issue->n_matches > 0)
		issue->event = (struct compose_event){
			.code = tournament->code,
			.name = tournament->name,
			.rules = issue->matches[0]->parameters.system,
			.site = tournament->site,
			.start = tournament->start,
		};
	for (size_t i = 0; r >= 0 && i < issue->n_matches; i++)
		r = add_game(issue, issue->matches[i]);
	return r;
}

/* Words that all may read: without addresses, in one line. */
static const char *public_words(struct issue *issue, const char *words)
{
	char *masked = NULL;

	if (!words || mask_words(words, WORDS_COLUMNS, &masked) < 0)
		return words ? "" : NULL;
	for (char *at = masked; *at; at++)
		if (*at == '\n')
			*at = ' ';
	const char *kept = arena_string(&issue->arena, masked);
	free(masked);
	return kept;
}

/* ---- Stops (7ter.12, 7ter.20), leave ---- */

static struct leave_outcome *outcome_of(struct issue *issue, const struct stop_row *row)
{
	struct leave_outcome *outcome = arena_alloc(&issue->arena, sizeof(*outcome));

	outcome->granted = row->granted;
	outcome->act = row->act;
	outcome->hours = row->hours;
	outcome->reasons = row->reasons;
	outcome->from = outcome->to = DATE_NONE;
	return outcome;
}

static int add_stops(struct issue *issue)
{
	struct stop_row *rows;
	size_t n;
	int r = bulletins_stops(issue->club->store, &issue->arena, issue->tournament->code,
		issue->last.last_stop, &rows, &n);

	if (r < 0)
		return r;
	if (issue->n_matches > 0 && issue->event.rules != RULES_MCLINK) {
		bulletin_leaves(&issue->arena, issue->matches, issue->n_matches,
			issue->last.number > 0 ? issue->last.at : INT64_MIN, issue->at,
			&issue->leaves, &issue->n_leaves);
		return 0;
	}
	issue->leaves = arena_alloc(&issue->arena, (n + 1) * sizeof(*issue->leaves));
	for (size_t i = 0; i < n; i++) {
		const struct match *match = find_match(issue, rows[i].game);
		if (!match)
			return -EBADMSG;
		issue->leaves[issue->n_leaves++] = (struct compose_leave){
			.command = rows[i].vacation ? COMMAND_VACATION : COMMAND_STOP,
			.by = rows[i].side,
			.game = match->id,
			.opponent = match->players[side_other(rows[i].side)].name,
			.player = match->players[rows[i].side].name,
			.outcome = outcome_of(issue, &rows[i]),
			.start = rows[i].start,
			.end = rows[i].end,
			.reason = public_words(issue, rows[i].reason),
		};
	}
	return 0;
}

/* ---- Decisions ---- */

/* A ruling as it was given; of a lot, whom it made the virtual winner. */
static const char *decision_text(struct issue *issue, const struct decision_row *row)
{
	json_t *data = json_loads(row->data, 0, NULL);
	const char *ruling = json_string_value(json_object_get(data, "ruling"));
	const char *reason = json_string_value(json_object_get(data, "reason"));
	const char *text = arena_format(&issue->arena, "%s%s%s%s", ruling ? ruling : "",
		reason ? " (" : "", reason ? reason : "", reason ? ")" : "");
	struct compose_lotto lotto;

	json_decref(data);
	text = public_words(issue, text);
	for (size_t i = 0; !ruling && i < issue->n_matches; i++) {
		const struct match *match = issue->matches[i];
		if (strcmp(match->id, row->game) == 0 && lotto_of(match, &lotto) > 0)
			text = arena_format(&issue->arena, "lotto %d: %s", lotto.drawn,
				match->players[lotto.lotto.winner].name);
	}
	return text;
}

static int add_notes(struct issue *issue)
{
	struct decision_row *rows;
	size_t n;
	int r = bulletins_decisions(issue->club->store, &issue->arena, issue->tournament->code,
		issue->last.last_event, &rows, &n);

	if (r < 0)
		return r;
	issue->notes = arena_alloc(&issue->arena, (n + 1) * sizeof(*issue->notes));
	for (size_t i = 0; i < n; i++)
		issue->notes[issue->n_notes++] = (struct compose_note){
			.game = rows[i].game,
			.at = rows[i].at,
			.text = decision_text(issue, &rows[i]),
		};
	return 0;
}

/* ---- All of it ---- */

static int64_t next_after(const struct tournament_row *tournament, int64_t at)
{
	int64_t every = tournament->bulletin_every;

	if (every <= 0)
		return INSTANT_NONE;
	if (at < tournament->start)
		return tournament->start + every;
	return tournament->start + ((at - tournament->start) / every + 1) * every;
}

static int post(struct issue *issue, int64_t now)
{
	const struct compose_bulletin bulletin = {
		.number = (unsigned)issue->last.number + 1,
		.from = issue->last.number > 0 ? issue->last.at : INSTANT_NONE,
		.next = next_after(issue->tournament, issue->at),
	};
	const struct compose_facts facts = {
		.kind = MAIL_BULLETIN,
		.bulletin = &bulletin,
		.games = issue->games,
		.n_games = issue->n_games,
		.leaves = issue->leaves,
		.n_leaves = issue->n_leaves,
		.notes = issue->notes,
		.n_notes = issue->n_notes,
		.cause_digest = arena_format(&issue->arena, "bulletin %u", bulletin.number),
		/* It speaks of that instant, whenever it is written. */
		.now = issue->at,
	};
	return broadcast(issue->club, issue->tournament, &facts, now);
}

int bulletin_carry(struct club *club, const struct tournament_row *tournament, int64_t at,
	int64_t now, int64_t *ret_number)
{
	struct issue issue = {
		.club = club, .arena = ARENA_INIT, .tournament = tournament, .at = at};
	int r = bulletins_last(club->store, tournament->code, &issue.last);

	if (r >= 0)
		r = open_matches(&issue);
	if (r >= 0)
		r = add_games(&issue);
	if (r >= 0)
		r = add_stops(&issue);
	if (r >= 0)
		r = add_notes(&issue);
	if (r >= 0)
		r = post(&issue, now);
	if (r >= 0)
		r = bulletins_add(club->store, tournament->code, at);
	*ret_number = issue.last.number + 1;
	for (size_t i = 0; i < issue.n_matches; i++)
		match_free(issue.matches[i]);
	arena_clear(&issue.arena);
	return r;
}

/* ---- Its timer ---- */

/* The first game that is not finished; 0: all are. */
static int find_first(struct club *club, const struct tournament_row *tournament, int64_t *ret_game)
{
	const struct games_filter filter = {.tournament = tournament->code};
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	int64_t *ids;
	size_t n;
	int r = games_list(club->store, &arena, &filter, &ids, &n);

	*ret_game = 0;
	for (size_t i = 0; r >= 0 && i < n && *ret_game == 0; i++) {
		struct game_row row;
		r = games_load(club->store, &arena, ids[i], &row);
		if (r > 0 && row.state != GAME_FINISHED)
			*ret_game = row.id;
	}
	return r < 0 ? r : 0;
}

static int arm(struct club *club, const struct tournament_row *tournament, int64_t after)
{
	int64_t game, at = next_after(tournament, after);
	int r = find_first(club, tournament, &game);

	if (r < 0 || game == 0 || at == INSTANT_NONE)
		return r;
	const struct timer_row timer = {
		.game = game,
		.kind = BULLETIN_TIMER,
		.ply = (at - tournament->start) / tournament->bulletin_every,
		.at = at,
	};
	return timers_arm(club->store, &timer);
}

int bulletin_arm(struct club *club, const struct tournament_row *tournament)
{
	int64_t game, ply, at, every = tournament->bulletin_every, after = tournament->start;
	struct bulletin_row last;
	int r = bulletins_armed(club->store, tournament->code, BULLETIN_TIMER, &game, &ply, &at);

	if (r > 0 && every > 0 && at == tournament->start + ply * every)
		return 0;
	if (r > 0)
		r = timers_disarm(club->store, game, BULLETIN_TIMER);
	if (r >= 0)
		r = bulletins_activity(club->store, tournament->code, &after);
	if (r >= 0)
		r = bulletins_last(club->store, tournament->code, &last);
	if (r < 0)
		return r;
	return arm(club, tournament, last.at > after ? last.at : after);
}

int bulletin_fire(struct club *club, int64_t game, int64_t at, int64_t now)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	struct tournament_row tournament;
	struct game_row row;
	int64_t number;
	int r = games_load(club->store, &arena, game, &row);

	if (r > 0)
		r = people_tournament(club->store, &arena, row.tournament, &tournament);
	if (r <= 0)
		return r < 0 ? r : -EBADMSG;
	r = bulletin_carry(club, &tournament, at, now, &number);
	return r < 0 ? r : arm(club, &tournament, at);
}

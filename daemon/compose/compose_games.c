/*
 * Mails about several games: a player's status, what was entered for him, the bulletin of an event.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/compose/filling.h"
#include "daemon/compose/ledger_words.h"

/* The facts of one of the games, as if the mail were about it alone. */
static struct compose_facts facts_of(
	const struct compose_facts *facts, const struct compose_game *game)
{
	struct compose_facts of = *facts;

	of.event = game->event;
	of.players[0] = game->players[0];
	of.players[1] = game->players[1];
	of.number = game->number;
	of.code = game->code;
	of.game = game->game;
	of.clock = game->clock;
	if (facts->kind != MAIL_BULLETIN)
		of.reader = game->reader;
	/* Whose game it is does not change the language and the zone of the mail. */
	of.language = compose_language(facts);
	of.message = NULL;
	of.decision = NULL;
	return of;
}

static void fill_state(struct filling *item, const struct compose_game *game)
{
	const struct compose_player *turn = game->players[game->game->now.turn];

	put_format(item, "game-id", "%s/%u", game->event->code, game->number);
	put_flag(item, "scheduled", game->game->state == GAME_SCHEDULED);
	put_flag(item, "active", game->game->state == GAME_ACTIVE);
	put_flag(item, "suspended", game->game->state == GAME_SUSPENDED);
	put_name(item, "turn", turn ? turn->name : NULL);
	put_instant(item, "turn-limit", game->deadline);
	if (game->held > 0)
		put_format(item, "game-held", "%zu", game->held);
	put_flag(item, "ended", game->ended);
}

/* What was played since the last bulletin. */
static void fill_since(struct filling *item, const struct compose_game *game)
{
	const struct game *played = game->game;

	if (game->since >= played->n_moves)
		return;
	struct position position = game_position(played, game->since);
	char *moves = shown_series(
		item->facts, &position, played->moves + game->since, played->n_moves - game->since);
	if (!moves && item->r == 0)
		item->r = -ENOMEM;
	put(item, "moves-since", moves);
	free(moves);
}

static void fill_one(struct filling *filling, const struct compose_game *game)
{
	struct compose_facts facts = facts_of(filling->facts, game);
	struct filling item = put_item(filling, "games");

	item.facts = &facts;
	put_flag(&item, "to-white", facts.reader == READER_WHITE);
	put_flag(&item, "to-black", facts.reader == READER_BLACK);
	fill_game(&item);
	fill_clock(&item);
	fill_state(&item, game);
	fill_since(&item, game);
	filling->r = item.r;
}

/* Penalties that were booked since the last bulletin (MC-link 7bis.2, 7bis.3). */
static void fill_booked(
	struct filling *filling, const struct compose_game *game, int64_t from, bool *some)
{
	size_t n = 0;
	const struct clock_charge *charges = game->clock ? clock_charges(game->clock, &n) : NULL;

	for (size_t i = 0; i < n; i++) {
		const struct clock_charge *charge = &charges[i];
		bool old = instant_known(from) &&
			   (charge->sent != INSTANT_NONE ? charge->sent < from
							 : charge->ply <= (int)game->since);
		if (charge->tenths_penalty == 0 || old)
			continue;
		struct filling item = put_item(filling, "booked");
		const struct compose_player *player = game->players[charge->by];
		put_format(&item, "game-id", "%s/%u", game->event->code, game->number);
		put_name(&item, "penalty-side", player ? player->name : NULL);
		put_format(&item, "penalty-move", "%u", ledger_words_number(game->game, charge));
		put_tenths(&item, "penalty-days", charge->tenths_penalty);
		if (strcmp(charge->article, "ruling") != 0)
			put_article(&item, "penalty-article", charge->article);
		*some = true;
		filling->r = item.r;
	}
}

static void fill_notes(struct filling *filling)
{
	const struct compose_facts *facts = filling->facts;

	put_flag(filling, "has-notes", facts->n_notes > 0);
	for (size_t i = 0; i < facts->n_notes; i++) {
		struct filling item = put_item(filling, "notes");
		put(&item, "note-game", facts->notes[i].game);
		put_instant(&item, "note-at", facts->notes[i].at);
		put(&item, "note-text", facts->notes[i].text);
		filling->r = item.r;
	}
}

static void fill_bulletin(struct filling *filling)
{
	const struct compose_facts *facts = filling->facts;
	const struct compose_bulletin *bulletin = facts->bulletin;
	bool booked = false, ended = false;

	put_format(filling, "bulletin-number", "%u", bulletin->number);
	put_instant(filling, "bulletin-from", bulletin->from);
	put_instant(filling, "bulletin-to", facts->now);
	put_instant(filling, "bulletin-next", bulletin->next);
	for (size_t i = 0; i < facts->n_games; i++) {
		fill_booked(filling, &facts->games[i], bulletin->from, &booked);
		ended |= facts->games[i].ended;
	}
	put_flag(filling, "has-booked", booked);
	put_flag(filling, "has-ended", ended);
	fill_notes(filling);
}

void fill_games(struct filling *filling)
{
	const struct compose_facts *facts = filling->facts;

	if (facts->kind != MAIL_STATUS && facts->kind != MAIL_BULLETIN && !facts->entered)
		return;
	put_instant(filling, "as-of", facts->now);
	put_flag(filling, "has-games", facts->n_games > 0);
	for (size_t i = 0; i < facts->n_games; i++)
		fill_one(filling, &facts->games[i]);
	if (facts->bulletin)
		fill_bulletin(filling);
}

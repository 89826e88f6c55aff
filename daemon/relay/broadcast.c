#include "daemon/relay/broadcast.h"

#include <errno.h>
#include <string.h>

#include "daemon/reading/trust.h"
#include "daemon/relay/match.h"
#include "daemon/relay/post.h"
#include "daemon/store/games.h"
#include "daemon/store/outbox.h"
#include "daemon/zone.h"

struct round {
	struct club *club;
	struct arena arena;
	const struct tournament_row *tournament;
	const struct compose_facts *facts;
	struct compose_event event;
	struct clock_parameters parameters;
	const char **told; /* addresses */
	size_t n_told;
	int64_t now;
};

/* Whom a mail goes to. */
struct reader {
	enum mail_reader kind; /* of a player: either side */
	const char *player;    /* id, or NULL */
	const char *address, *name, *language;
	const struct zone *zone;
};

/* Somebody who has two parts in an event gets one mail. */
static bool is_told(struct round *round, const char *address)
{
	for (size_t i = 0; i < round->n_told; i++)
		if (address_same(round->told[i], address))
			return true;
	round->told[round->n_told++] = address;
	return false;
}

static int tell(struct round *round, const struct reader *reader)
{
	struct compose_facts facts = *round->facts;
	struct mail mail = {0};
	int64_t id;

	if (is_told(round, reader->address))
		return 0;
	facts.configuration = round->club->configuration;
	facts.templates = round->club->templates;
	facts.event = &round->event;
	facts.reader = reader->kind;
	facts.to = reader->address;
	facts.to_name = reader->name;
	facts.language = reader->language;
	facts.zone = reader->zone;
	facts.received = INSTANT_NONE;
	int r = post_compose(round->club->store, &facts, &mail);
	if (r < 0)
		return r;
	const struct outbox_row row = {
		.message_id = mail.message_id,
		.kind = mail_kind_name(facts.kind),
		.ply = -1,
		.player = reader->player,
		.recipient = mail.to,
		.envelope_from = mail.envelope_from,
		.subject = mail.subject,
		.text = mail.text,
		.raw = mail.raw,
		.raw_size = mail.raw_size,
		.created = round->now,
		.next_attempt = round->now,
	};
	r = outbox_insert(round->club->store, &row, &id);
	mail_release(&mail);
	return r;
}

static int tell_player(struct round *round, const char *id)
{
	struct player_row row;
	int r = people_player(round->club->store, &round->arena, id, &row);

	if (r <= 0 || row.n_addresses == 0)
		return r < 0 ? r : -EBADMSG;
	struct reader reader = {
		.kind = READER_WHITE,
		.player = row.id,
		.address = row.addresses[0],
		.name = row.name,
		.language = row.language,
	};
	r = zone_load(row.timezone, &reader.zone);
	return r < 0 ? r : tell(round, &reader);
}

static int tell_players(struct round *round, const int64_t *ids, size_t n)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < n; i++) {
		struct game_row row;
		r = games_load(round->club->store, &round->arena, ids[i], &row);
		if (r <= 0)
			return r < 0 ? r : -EBADMSG;
		for (int side = 0; r >= 0 && side < 2; side++)
			r = tell_player(round, row.players[side]);
	}
	return r;
}

static int tell_others(struct round *round)
{
	const struct tournament_row *tournament = round->tournament;
	const struct configuration *configuration = round->club->configuration;
	struct reader reader = {.kind = READER_ARBITER, .language = configuration->club.language};
	int r = zone_load(configuration->club.timezone, &reader.zone);

	reader.address = tournament->arbiter_address;
	reader.name = tournament->arbiter_name;
	if (!reader.address && !tournament->deputy) {
		reader.address = configuration->club.arbiter;
		reader.name = configuration->club.arbiter_name;
	}
	if (r >= 0 && reader.address)
		r = tell(round, &reader);
	reader.address = tournament->deputy;
	reader.name = NULL;
	if (r >= 0 && reader.address)
		r = tell(round, &reader);
	reader.kind = READER_PUBLIC;
	reader.address = tournament->public_area;
	/* MC-link 7.2: its own clock. */
	if (round->parameters.zone)
		reader.zone = round->parameters.zone;
	return r < 0 || !reader.address ? r : tell(round, &reader);
}

static void describe(struct round *round)
{
	const struct tournament_row *tournament = round->tournament;
	const struct configuration *configuration = round->club->configuration;
	bool own = tournament->arbiter_address != NULL;

	round->event = (struct compose_event){
		.code = tournament->code,
		.name = tournament->name,
		.rules = round->parameters.system,
		.site = tournament->site,
		.start = tournament->start,
		.arbiter = own ? tournament->arbiter_address : configuration->club.arbiter,
		.arbiter_name = own ? tournament->arbiter_name : configuration->club.arbiter_name,
	};
}

int broadcast(struct club *club, const struct tournament_row *tournament,
	const struct compose_facts *facts, int64_t now)
{
	struct round round = {
		.club = club,
		.arena = ARENA_INIT,
		.tournament = tournament,
		.facts = facts,
		.now = now,
	};
	const struct games_filter filter = {.tournament = tournament->code};
	int64_t *ids;
	size_t n;
	int r = match_parameters(tournament, &round.parameters);

	if (r >= 0)
		r = games_list(club->store, &round.arena, &filter, &ids, &n);
	if (r >= 0) {
		describe(&round);
		round.told = arena_alloc(&round.arena, (2 * n + 4) * sizeof(char *));
		r = tell_players(&round, ids, n);
	}
	if (r >= 0)
		r = tell_others(&round);
	arena_clear(&round.arena);
	return r;
}

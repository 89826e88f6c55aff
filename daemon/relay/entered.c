#include "daemon/relay/entered.h"

#include <string.h>

#include "daemon/reading/trust.h"
#include "rules/edition.h"

/* ---- Leaves, stops, withdrawals ---- */

/* Has it anything to do with the rules of that game? */
static bool is_concerned(const struct compose_leave *leave)
{
	const struct leave_outcome *outcome = leave->outcome;

	return outcome->granted || outcome->ask_arbiter || outcome->ask_opponent ||
	       outcome->reason || outcome->reasons;
}

static int describe(const struct match *match, const char *player, struct post_game *ret_game)
{
	int r = post_describe_game(match, ret_game);

	if (r >= 0)
		ret_game->game.reader =
			match_side(match, player) == (int)SIDE_WHITE ? READER_WHITE : READER_BLACK;
	return r;
}

int entered_request(struct club *club, struct arena *arena, const char *player,
	struct match *const *matches, size_t n, const struct post *post)
{
	struct compose_leave *leaves = arena_alloc(arena, (n + 1) * sizeof(*leaves));
	struct post_game *games = arena_alloc(arena, (n + 1) * sizeof(*games));
	struct compose_game *listed = arena_alloc(arena, (n + 1) * sizeof(*listed));
	size_t kept = 0;
	int r = 0;

	if (!edition_includes(club->edition, EDITION_2))
		return 0;
	for (size_t i = 0; r >= 0 && i < n; i++) {
		if (post->n_leaves > 0 && !is_concerned(&post->leaves[i]))
			continue;
		r = describe(matches[i], player, &games[i]);
		listed[kept] = games[i].game;
		if (post->n_leaves > 0) {
			leaves[kept] = post->leaves[i];
			leaves[kept].player = matches[i]->players[leaves[kept].by].name;
		}
		kept++;
	}
	if (r < 0 || kept == 0)
		return r;
	const struct compose_facts also = {
		.entered = post->n_leaves > 0 ? ENTERED_LEAVE : ENTERED_WITHDRAWAL,
		.games = listed,
		.n_games = kept,
	};
	struct post mail = *post;
	mail.kind = post->n_leaves > 0 ? MAIL_LEAVE : MAIL_ANNOUNCEMENT;
	mail.leaves = leaves;
	mail.n_leaves = post->n_leaves > 0 ? kept : 0;
	mail.also = &also;
	return post_to_person(club, player, &mail);
}

/* ---- What the club knows of him ---- */

static bool has_address(const struct player_row *row, const char *address)
{
	for (size_t i = 0; i < row->n_addresses; i++)
		if (address_same(row->addresses[i], address))
			return true;
	return false;
}

static const char *changed(const char *before, const char *after)
{
	return strcmp(before, after) == 0 ? NULL : after;
}

static bool same_addresses(const struct player_row *a, const struct player_row *b)
{
	bool same = a->n_addresses == b->n_addresses;

	for (size_t i = 0; same && i < a->n_addresses; i++)
		same = strcmp(a->addresses[i], b->addresses[i]) == 0;
	return same;
}

int entered_change(struct club *club, struct arena *arena, const struct player_row *before,
	const struct player_row *after, int64_t now)
{
	const char **gone = arena_alloc(arena, (before->n_addresses + 1) * sizeof(*gone));
	bool addresses = !same_addresses(before, after);
	struct compose_change change = {
		.addresses = after->addresses,
		.n_addresses = addresses ? after->n_addresses : 0,
		.gone = gone,
		.timezone = changed(before->timezone, after->timezone),
		.language = changed(before->language, after->language),
		.notation = changed(before->notation, after->notation),
	};

	for (size_t i = 0; i < before->n_addresses; i++)
		if (!has_address(after, before->addresses[i]))
			gone[change.n_gone++] = before->addresses[i];
	if (!addresses && !change.timezone && !change.language && !change.notation)
		return 0;
	if (!edition_includes(club->edition, EDITION_2))
		return 0;
	const struct compose_facts also = {.entered = ENTERED_CHANGE, .change = &change};
	struct post post = {
		.kind = MAIL_ANNOUNCEMENT,
		.also = &also,
		.received = INSTANT_NONE,
		.cause_digest = arena_format(arena, "entered %s %lld", after->id, (long long)now),
		.now = now,
	};
	int r = 0;
	for (size_t i = 0; r >= 0 && i < change.n_gone; i++) {
		post.to = gone[i];
		r = post_to_person(club, after->id, &post);
	}
	post.to = NULL;
	return r < 0 ? r : post_to_person(club, after->id, &post);
}

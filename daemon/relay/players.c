#include "daemon/relay/players.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config/language.h"
#include "config/value.h"
#include "daemon/reading/trust.h"
#include "daemon/relay/alert.h"
#include "daemon/relay/bounce.h"
#include "daemon/relay/entered.h"
#include "daemon/relay/match.h"
#include "daemon/relay/post.h"
#include "daemon/store/ledger.h"
#include "daemon/zone.h"

struct change {
	struct club *club;
	struct arena *arena;
	struct player_row before, *row;
	const char **keys;
	const char **ret_fault;
	int64_t now;
};

static int refuse(const struct change *change, const char *fault)
{
	*change->ret_fault = fault;
	return 1;
}

/* ---- Addresses ---- */

static bool has_key(const char *const *keys, size_t n, const char *key)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(keys[i], key) == 0)
			return true;
	return false;
}

/* Fills in the forms for comparison; 1 with a fault if an address is none or not his. */
static int key_addresses(struct change *change)
{
	const struct player_row *row = change->row;

	change->keys = arena_alloc(change->arena, (row->n_addresses + 1) * sizeof(char *));
	for (size_t i = 0; i < row->n_addresses; i++) {
		const char *address = row->addresses[i], *owner = NULL;
		char *key = NULL;
		int r = value_is_address(address) ? address_key(address, &key) : -EINVAL;
		if (r == -EINVAL)
			return refuse(
				change, arena_format(change->arena, "%s is no address", address));
		if (r < 0)
			return r;
		change->keys[i] = arena_string(change->arena, key);
		free(key);
		if (club_is_own_address(change->club, change->keys[i]))
			return refuse(change, arena_format(change->arena,
						      "%s is the club's own address", address));
		if (has_key(change->keys, i, change->keys[i]))
			return refuse(
				change, arena_format(change->arena, "%s is named twice", address));
		r = people_by_address(change->club->store, change->arena, change->keys[i], &owner);
		if (r < 0)
			return r;
		if (r > 0 && strcmp(owner, row->id) != 0)
			return refuse(
				change, arena_format(change->arena, "%s is an address of player %s",
						address, owner));
	}
	return 0;
}

static int set_addresses(struct change *change, const char *email, const char *added)
{
	struct player_row *row = change->row;
	struct value_list list = {.n = 0};
	size_t n = 0;

	if (email && value_list(email, &list) < 0)
		return refuse(change, "the addresses cannot be read");
	size_t room = list.n + row->n_addresses + 1;
	const char **addresses = arena_alloc(change->arena, room * sizeof(char *));
	for (size_t i = 0; i < list.n; i++)
		addresses[n++] = arena_string(change->arena, list.items[i]);
	value_list_release(&list);
	for (size_t i = 0; !email && i < row->n_addresses; i++)
		addresses[n++] = row->addresses[i];
	if (added)
		addresses[n++] = added;
	row->addresses = addresses;
	row->n_addresses = n;
	return key_addresses(change);
}

static bool same_addresses(const struct player_row *a, const struct player_row *b)
{
	bool same = a->n_addresses == b->n_addresses;

	for (size_t i = 0; same && i < a->n_addresses; i++)
		same = strcmp(a->addresses[i], b->addresses[i]) == 0;
	return same;
}

static int tell_game(const struct change *change, int64_t id)
{
	struct match *match CLEANUP_MATCH = NULL;
	int r = match_open(change->club, id, &match);

	if (r < 0)
		return r;
	if (match->game.state != GAME_ACTIVE && match->game.state != GAME_SUSPENDED)
		return 0;
	const struct compose_facts also = {
		.new_address = change->row->addresses[0],
		.old_address = change->before.addresses[0],
		.address_of = (enum side)match_side(match, change->row->id),
	};
	const struct post post = {
		.kind = MAIL_ANNOUNCEMENT,
		.also = &also,
		.received = INSTANT_NONE,
		.cause_digest = arena_format(change->arena, "address %s %s %lld", change->row->id,
			also.new_address, (long long)change->now),
		.now = change->now,
	};
	r = post_to_player(match, SIDE_WHITE, &post);
	if (r >= 0)
		r = post_to_player(match, SIDE_BLACK, &post);
	return r < 0 ? r : post_to_arbiters(match, &post);
}

static int tell(const struct change *change)
{
	const struct games_filter filter = {.player = change->row->id, .unfinished = true};
	int64_t *ids;
	size_t n;
	int r = games_list(change->club->store, change->arena, &filter, &ids, &n);

	for (size_t i = 0; r >= 0 && i < n; i++)
		r = tell_game(change, ids[i]);
	return r < 0 ? r : 0;
}

/* The administrator too (IECC 4.1). */
static int tell_administrator(const struct change *change)
{
	const struct player_row *row = change->row;
	const struct alert alert = {
		.kind = ALERT_ADDRESS,
		.about = arena_format(change->arena, "%s (%s)", row->name, row->id),
		.since = INSTANT_NONE,
		.old_address = change->before.addresses[0],
		.new_address = row->addresses[0],
		.address_done = true,
	};

	return address_same(alert.old_address, alert.new_address)
		       ? 0
		       : alert_tell(change->club, &alert, change->now);
}

/* ---- All of it ---- */

static int set_words(struct change *change, const struct player_change *wanted)
{
	struct player_row *row = change->row;

	if (wanted->timezone && !zone_known(wanted->timezone))
		return refuse(change,
			arena_format(change->arena, "there is no time zone %s", wanted->timezone));
	if (wanted->language && !language_is_known(wanted->language))
		return refuse(change,
			arena_format(change->arena, "there is no language %s", wanted->language));
	if (wanted->notation && !notation_is_known(wanted->notation))
		return refuse(change,
			arena_format(change->arena, "there is no notation %s", wanted->notation));
	if (wanted->timezone)
		row->timezone = wanted->timezone;
	if (wanted->language)
		row->language = wanted->language;
	if (wanted->notation)
		row->notation = wanted->notation;
	return 0;
}

static int carry(struct change *change, bool renew, bool entered)
{
	struct store *store = change->club->store;
	bool addresses = !same_addresses(&change->before, change->row);
	int r = people_put_player(store, change->row, change->keys);

	if (r >= 0 && addresses && renew) {
		r = people_renew_tokens(store, change->row->id);
		change->row->generation++;
	}
	if (r >= 0 && addresses)
		r = bounce_new_address(change->club, change->row->id);
	if (r >= 0 && strcmp(change->before.timezone, change->row->timezone) != 0)
		r = players_zone(change->club, change->arena, change->row, change->now);
	if (r >= 0 && entered)
		r = entered_change(
			change->club, change->arena, &change->before, change->row, change->now);
	if (r >= 0 && addresses)
		r = tell_administrator(change);
	return r < 0 || !addresses || !renew ? r : tell(change);
}

int players_change(struct club *club, struct arena *arena, const char *player,
	const struct player_change *change, int64_t now, struct player_row *ret_row,
	const char **ret_fault)
{
	struct change work = {
		.club = club, .arena = arena, .row = ret_row, .ret_fault = ret_fault, .now = now};
	int r = people_player(club->store, arena, player, &work.before);

	if (r < 0)
		return r;
	if (r == 0)
		return refuse(&work, arena_format(arena, "there is no player %s", player));
	*ret_row = work.before;
	r = set_words(&work, change);
	if (r == 0)
		r = set_addresses(&work, change->email, change->added);
	return r != 0 ? r : carry(&work, change->email != NULL, change->entered);
}

int players_zone(struct club *club, struct arena *arena, const struct player_row *row, int64_t now)
{
	const struct games_filter filter = {.player = row->id, .unfinished = true};
	struct store *store = club->store;
	int64_t *ids;
	size_t n;
	int r = games_list(store, arena, &filter, &ids, &n);

	for (size_t i = 0; r >= 0 && i < n; i++) {
		struct match *match CLEANUP_MATCH = NULL;
		int64_t seq;
		r = match_open(club, ids[i], &match);
		if (r < 0)
			return r;
		enum side side = (enum side)match_side(match, row->id);
		if (match->row.state == GAME_FINISHED)
			continue;
		if (match->row.state == GAME_SCHEDULED) {
			r = games_set_zone(store, ids[i], side, row->timezone);
			continue;
		}
		struct ledger_row zone = {
			.event = CLOCK_EVENT_NONE,
			.zone_name = row->timezone,
			.ply = match->row.n_moves,
		};
		int64_t last = match->n_ledger ? match->ledger[match->n_ledger - 1].event.at : 0;
		zone.event.kind = CLOCK_ZONE;
		zone.event.by = side;
		zone.event.at = last > now ? last : now;
		r = ledger_append(store, ids[i], &zone, &seq);
	}
	return r < 0 ? r : 0;
}

#include "daemon/relay/services.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config/language.h"
#include "config/value.h"
#include "daemon/reading/trust.h"
#include "daemon/relay/alert.h"
#include "daemon/relay/match.h"
#include "daemon/relay/players.h"
#include "daemon/relay/requests.h"
#include "daemon/store/games.h"
#include "daemon/store/inbox.h"
#include "daemon/store/pending.h"
#include "daemon/store/people.h"
#include "daemon/store/timers.h"
#include "daemon/store/tokens.h"
#include "rules/edition.h"

/* A service in hand. */
struct service {
	struct club *club;
	struct judgement *judgement;
	struct match *match; /* NULL if it names no game */
	const struct stated_command *command;
	struct post post;
	struct compose_facts also;
	struct decision decision;
};

static struct service service_of(
	struct club *club, struct judgement *judgement, const struct post *origin)
{
	struct service service = {
		.club = club,
		.judgement = judgement,
		.match = judgement->match,
		.post = *origin,
	};

	if (judgement->has_message && judgement->decision.request >= 0)
		service.command = &judgement->message.commands[judgement->decision.request];
	return service;
}

/* The answer, with what `also` holds; to his game's thread if there is one. */
static int answer(struct service *service, enum mail_kind kind)
{
	const char *player = service->judgement->identity.player;
	struct match *match = service->match;

	service->decision.verdict = service->judgement->verdict;
	service->decision.request = -1;
	service->post.kind = kind;
	service->post.also = &service->also;
	service->post.decision = &service->decision;
	return match ? post_to_player(match, (enum side)match_side(match, player), &service->post)
		     : post_to_person(service->club, player, &service->post);
}

static int refuse(struct service *service, enum refusal refusal)
{
	service->judgement->verdict = VERDICT_COMMAND_ERROR;
	service->judgement->decision.refusal = refusal;
	service->decision.refusal = refusal;
	return answer(service, MAIL_REFUSAL);
}

static const char *argument_of(const struct service *service)
{
	const struct excerpt *argument = &service->command->argument;

	return arena_copy(&service->judgement->arena,
		service->judgement->newtext.text + argument->at, argument->size);
}

/* ---- My games ---- */

static int add_game(struct service *service, int64_t id, struct match **matches,
	struct post_game *games, size_t *n)
{
	int r = match_open(service->club, id, &matches[*n]);

	if (r < 0)
		return r;
	struct match *match = matches[(*n)++];
	struct post_game *game = &games[*n - 1];
	if (match->game.state == GAME_FINISHED) {
		(*n)--;
		match_free(match);
		return 0;
	}
	clock_advance(match->clock, service->post.now);
	r = post_describe_game(match, game);
	bool white = match_side(match, service->judgement->identity.player) == (int)SIDE_WHITE;
	game->game.reader = white ? READER_WHITE : READER_BLACK;
	return r;
}

static int send_status(struct service *service)
{
	const struct games_filter filter = {
		.player = service->judgement->identity.player, .unfinished = true};
	struct arena *arena = &service->judgement->arena;
	int64_t *ids;
	size_t n_ids, n = 0;
	int r = games_list(service->club->store, arena, &filter, &ids, &n_ids);

	if (r < 0)
		return r;
	struct match **matches = arena_alloc(arena, (n_ids + 1) * sizeof(struct match *));
	struct post_game *games = arena_alloc(arena, (n_ids + 1) * sizeof(*games));
	struct compose_game *listed = arena_alloc(arena, (n_ids + 1) * sizeof(*listed));
	for (size_t i = 0; r >= 0 && i < n_ids; i++)
		r = add_game(service, ids[i], matches, games, &n);
	for (size_t i = 0; i < n; i++)
		listed[i] = games[i].game;
	service->also.games = listed;
	service->also.n_games = n;
	service->match = NULL;
	if (r >= 0)
		r = answer(service, MAIL_STATUS);
	for (size_t i = 0; i < n; i++)
		match_free(matches[i]);
	return r < 0 ? r : 0;
}

/* ---- The last mail once more ---- */

static int resend(struct service *service)
{
	const struct match *match = service->match;
	const char *player = service->judgement->identity.player;

	if (!match)
		return refuse(service, REFUSAL_NO_GAME);
	bool to_move =
		(int)game_turn(&match->game, match->game.n_moves) == match_side(match, player);
	if (match->game.state == GAME_FINISHED)
		return answer(service, MAIL_RESULT);
	if (match->game.n_moves == match->game.n_thematic)
		return answer(service, MAIL_PAIRING);
	/* His own move was the last one: the receipt tells where the game stands. */
	return answer(service, to_move ? MAIL_MOVE : MAIL_RECEIPT);
}

/* ---- Language and notation ---- */

static int change_words(struct service *service)
{
	bool language = service->command->kind == COMMAND_LANGUAGE;
	const char *value = argument_of(service), *fault = NULL;
	const char *known = language ? language_find(value) : value;
	const struct player_change change = {
		.language = language ? known : NULL,
		.notation = language ? NULL : value,
	};
	struct player_row row;
	int r = known ? players_change(service->club, &service->judgement->arena,
				service->judgement->identity.player, &change, service->post.now,
				&row, &fault)
		      : 1;

	if (r < 0)
		return r;
	if (r > 0)
		return refuse(service, REFUSAL_UNREADABLE);
	if (service->match) {
		enum side side = (enum side)match_side(service->match, row.id);
		service->match->players[side].language = row.language;
		service->match->players[side].notation = row.notation;
	}
	service->also.service_value = language ? row.language : row.notation;
	return answer(service, MAIL_RECEIPT);
}

/* ---- Another address ---- */

/* Any game of his: its tokens prove him everywhere. */
static int any_game(struct service *service, int64_t *ret_game)
{
	const struct games_filter filter = {.player = service->judgement->identity.player};
	int64_t *ids;
	size_t n;

	if (service->match) {
		*ret_game = service->match->row.id;
		return 1;
	}
	int r = games_list(service->club->store, &service->judgement->arena, &filter, &ids, &n);
	if (r < 0 || n == 0)
		return r < 0 ? r : 0;
	*ret_game = ids[0];
	return 1;
}

/* Can it become this player's? */
static int check_address(struct service *service, const char *address, bool *ret_good)
{
	const char *owner = NULL;
	char *key = NULL;
	int r = 0;

	*ret_good = false;
	if (!value_is_address(address) ||
		address_same(address, service->club->configuration->club.address))
		return 0;
	r = address_key(address, &key);
	if (r < 0)
		return r == -EINVAL ? 0 : r;
	r = people_by_address(service->club->store, &service->judgement->arena, key, &owner);
	free(key);
	*ret_good = r == 0 || (r > 0 && strcmp(owner, service->judgement->identity.player) == 0);
	return r < 0 ? r : 0;
}

static int ask_address(struct service *service, int64_t game, bool new)
{
	const char *player = service->judgement->identity.player;
	char token[TOKEN_LENGTH + 1];
	int r = tokens_address(service->club->store, game, player, service->post.inbox, new, token);

	if (r < 0)
		return r;
	service->also.to_new_address = new;
	service->post.kind = MAIL_CONFIRM;
	service->post.to = new ? service->also.new_address : service->also.old_address;
	service->post.confirm_token = token;
	service->post.also = &service->also;
	service->post.decision = &service->decision;
	r = post_to_person(service->club, player, &service->post);
	service->post.to = NULL;
	service->post.confirm_token = NULL;
	return r;
}

static int change_address(struct service *service)
{
	const char *address = argument_of(service);
	struct player_row player;
	int64_t game = 0;
	bool good = false;
	int r = check_address(service, address, &good);

	if (r >= 0)
		r = any_game(service, &game);
	if (r < 0)
		return r;
	if (!good || r == 0)
		return refuse(service, REFUSAL_UNREADABLE);
	r = people_player(service->club->store, &service->judgement->arena,
		service->judgement->identity.player, &player);
	if (r <= 0)
		return r < 0 ? r : -EBADMSG;
	const struct pending_address pending = {
		.inbox = service->post.inbox,
		.player = player.id,
		.old = player.addresses[0],
		.new = address,
		.asked = service->post.received,
	};
	const struct timer_row timer = {
		.game = game,
		.kind = ADDRESS_TIMER,
		.ply = pending.inbox,
		.at = pending.asked + service->club->configuration->trust.confirm_within,
	};
	service->also.old_address = pending.old;
	service->also.new_address = pending.new;
	r = pending_address_insert(service->club->store, &pending);
	if (r >= 0 && edition_includes(service->club->edition, EDITION_2))
		r = timers_arm(service->club->store, &timer);
	if (r >= 0)
		r = ask_address(service, game, false);
	if (r >= 0)
		r = ask_address(service, game, true);
	return r < 0 ? r : answer(service, MAIL_RECEIPT);
}

int services_address_waits(struct club *club, int64_t inbox, int64_t at)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	struct pending_address pending;
	int r = pending_address_load(club->store, &arena, inbox, &pending);

	return r <= 0 ? r : at - pending.asked < club->configuration->trust.confirm_within;
}

int services_address_lapse(struct club *club, int64_t inbox, int64_t now)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	struct pending_address pending;
	struct player_row player;
	int r = pending_address_load(club->store, &arena, inbox, &pending);

	if (r > 0)
		r = people_player(club->store, &arena, pending.player, &player);
	if (r <= 0)
		return r;
	r = pending_address_drop(club->store, inbox);
	if (r < 0)
		return r;
	const struct alert alert = {
		.kind = ALERT_ADDRESS,
		.about = arena_format(&arena, "%s (%s)", player.name, player.id),
		.since = pending.asked,
		.old_address = pending.old,
		.new_address = pending.new,
	};
	return alert_tell(club, &alert, now);
}

/* Both have confirmed: the new address takes the place of the old one. */
static int set_address(struct service *service, const struct pending_address *pending)
{
	struct arena *arena = &service->judgement->arena;
	const char *emails = pending->new, *fault = NULL;
	struct player_row player;
	int r = people_player(service->club->store, arena, pending->player, &player);

	if (r <= 0)
		return r < 0 ? r : -EBADMSG;
	for (size_t i = 0; i < player.n_addresses; i++)
		if (!address_same(player.addresses[i], pending->old) &&
			!address_same(player.addresses[i], pending->new))
			emails = arena_format(arena, "%s, %s", emails, player.addresses[i]);
	const struct player_change change = {.email = emails};
	r = players_change(
		service->club, arena, pending->player, &change, service->post.now, &player, &fault);
	service->also.address_done = r == 0;
	if (r < 0)
		return r;
	int dropped = pending_address_drop(service->club->store, pending->inbox);
	if (dropped < 0)
		return dropped;
	/* Somebody else has it by now. */
	return r > 0 ? refuse(service, REFUSAL_UNREADABLE) : 0;
}

int services_confirm(struct club *club, struct judgement *judgement, const struct post *origin)
{
	struct service service = service_of(club, judgement, origin);
	const struct identity *identity = &judgement->identity;
	bool new = identity->confirmation == CONFIRM_NEW_ADDRESS;
	struct pending_address pending;
	int r = tokens_use(club->store, identity->token);

	if (r >= 0)
		r = pending_address_confirm(club->store, identity->confirms, new);
	if (r >= 0)
		r = pending_address_load(
			club->store, &judgement->arena, identity->confirms, &pending);
	if (r <= 0)
		return r < 0 ? r : -ENOENT;
	if (!pending.old_confirmed || !pending.new_confirmed)
		return 0;
	const struct timer_row timer = {
		.game = identity->game,
		.kind = ADDRESS_TIMER,
		.ply = pending.inbox,
	};
	r = timers_settle(club->store, &timer, origin->now);
	if (r < 0)
		return r;
	service.also.old_address = pending.old;
	service.also.new_address = pending.new;
	return set_address(&service, &pending);
}

/* ---- A leave that somebody was asked about ---- */

/* He who asked is told what was answered. */
static int tell_asker(struct match *match, const struct pending_leave *leave,
	enum compose_consent consent, const struct post *post)
{
	const int side = match_side(match, leave->player);
	const struct leave_outcome outcome = {
		.granted = consent == CONSENT_AGREED || consent == CONSENT_APPROVED,
		.from = leave->first,
		.to = leave->last,
	};
	const struct compose_leave told = {
		.command = COMMAND_LEAVE,
		.by = (enum side)side,
		.game = match->id,
		.opponent = match->players[side_other((enum side)side)].name,
		.outcome = &outcome,
		.start = INSTANT_NONE,
		.end = INSTANT_NONE,
	};
	const struct compose_facts also = {.consent = consent};
	struct post mail = *post;

	mail.kind = MAIL_LEAVE;
	mail.also = &also;
	mail.judgement = NULL;
	mail.leaves = &told;
	mail.n_leaves = 1;
	return post_to_player(match, (enum side)side, &mail);
}

static int grant(struct match *match, const struct pending_leave *leave, bool approved,
	const struct post *post)
{
	const struct request request = {
		.kind = COMMAND_LEAVE,
		.player = leave->player,
		.tournament = match->row.tournament,
		.at = post->received,
		.announced = leave->announced,
		.from = leave->first,
		.to = leave->last,
		.start = INSTANT_NONE,
		.end = INSTANT_NONE,
		.approved = approved,
		.agreed = !approved,
	};
	struct post origin = *post;
	struct request_result result;

	origin.judgement = NULL;
	origin.also = NULL;
	return requests_carry(
		match->club, &match->arena, &request, &origin, match, post->now, &result);
}

int services_leave_ruled(struct match *match, bool approve, const struct post *post)
{
	struct pending_leave leave;
	int r = pending_leave_find(
		match->club->store, &match->arena, match->row.id, true, NULL, &leave);

	if (r <= 0)
		return r;
	r = pending_leave_settle(match->club->store, &leave);
	if (r >= 0 && approve)
		r = grant(match, &leave, true, post);
	if (r >= 0)
		r = tell_asker(match, &leave, approve ? CONSENT_APPROVED : CONSENT_DENIED, post);
	return r < 0 ? r : 1;
}

/* IECC 8.2. */
static int answer_leave(struct service *service)
{
	struct match *match = service->match;
	const char *player = service->judgement->identity.player;
	bool agree = service->command->kind == COMMAND_AGREE;
	struct pending_leave leave;
	int r = match ? pending_leave_find(service->club->store, &match->arena, match->row.id,
				false, player, &leave)
		      : 0;

	if (r < 0)
		return r;
	if (r == 0)
		return refuse(service, REFUSAL_NOTHING);
	r = pending_leave_settle(service->club->store, &leave);
	if (r >= 0 && agree)
		r = grant(match, &leave, false, &service->post);
	if (r >= 0)
		r = tell_asker(
			match, &leave, agree ? CONSENT_AGREED : CONSENT_REFUSED, &service->post);
	return r < 0 ? r : answer(service, MAIL_RECEIPT);
}

/* ---- All of them ---- */

bool services_need_no_game(const struct message *message)
{
	for (size_t i = 0; i < message->n_commands; i++)
		switch ((int)message->commands[i].kind) {
		case COMMAND_STATUS:
		case COMMAND_HELP:
		case COMMAND_ADDRESS:
		case COMMAND_LANGUAGE:
		case COMMAND_NOTATION:
		case COMMAND_LEAVE:
		case COMMAND_END_LEAVE:
			break;
		default:
			return false;
		}
	return message->n_commands > 0;
}

int services_carry(struct club *club, struct judgement *judgement, const struct post *origin)
{
	struct service service = service_of(club, judgement, origin);

	if (!service.command)
		return -EINVAL;
	switch ((int)service.command->kind) {
	case COMMAND_STATUS:
		return send_status(&service);
	case COMMAND_HELP:
		return answer(&service, MAIL_HELP);
	case COMMAND_RESEND:
		return resend(&service);
	case COMMAND_LANGUAGE:
	case COMMAND_NOTATION:
		return change_words(&service);
	case COMMAND_ADDRESS:
		return change_address(&service);
	case COMMAND_AGREE:
	case COMMAND_REFUSE:
		return answer_leave(&service);
	default:
		return refuse(&service, REFUSAL_OTHER_RULES);
	}
}

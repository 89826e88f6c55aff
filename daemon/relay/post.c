#include "daemon/relay/post.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/compose/compose.h"
#include "daemon/reading/trust.h"
#include "daemon/relay/caps.h"
#include "daemon/relay/outages.h"
#include "daemon/relay/receipts.h"
#include "daemon/store/outbox.h"
#include "daemon/store/timers.h"
#include "daemon/store/tokens.h"
#include "daemon/zone.h"
#include "rules/edition.h"

#define THREAD_MAX 20
#define ARBITERS_MAX 3

static void describe_player(
	const struct match *match, enum side side, struct compose_player *player)
{
	const struct player_row *row = &match->players[side];

	*player = (struct compose_player){
		.id = row->id,
		.name = row->name,
		.language = row->language,
		.notation = row->notation,
		.zone = match->zones[side],
		.country = row->country,
		.elo = (int)row->elo,
	};
}

/* Facts that come from the match alone. */
struct scene {
	struct compose_event event;
	struct compose_player players[2];
	struct compose_facts facts;
};

static void describe_post(struct scene *scene, const struct post *post, const struct club *club)
{
	const struct judgement *judgement = post->judgement;

	struct compose_facts *facts = &scene->facts;
	*facts = post->also ? *post->also : (struct compose_facts){.kind = post->kind};
	facts->kind = post->kind;
	facts->configuration = club->configuration;
	facts->templates = club->templates;
	facts->article = post->article;
	facts->penalty_days = post->penalty_days;
	facts->decision = post->decision;
	facts->timer = post->timer;
	facts->ruling = post->ruling;
	facts->leaves = post->leaves;
	facts->n_leaves = post->n_leaves;
	facts->received = post->inbox ? post->received : INSTANT_NONE;
	facts->bounced_subject = post->bounced_subject;
	facts->bounced_player = post->bounced_player;
	facts->bounced_side = post->bounced_side;
	facts->bounced_own = post->bounced_own;
	facts->bounced_reason = post->bounced_reason;
	facts->cause_digest = post->cause_digest ? post->cause_digest : "";
	facts->now = post->now;
	if (!judgement)
		return;
	scene->facts.verdict = judgement->verdict;
	scene->facts.message = judgement->has_message ? &judgement->message : NULL;
	scene->facts.warnings = judgement->decision.warnings;
	scene->facts.n_warnings = judgement->decision.n_warnings;
	scene->facts.confirmation_late =
		judgement->verdict == VERDICT_COMMAND_ERROR && judgement->identity.confirms != 0;
	if (!judgement->identity.registered && judgement->identity.trust == TRUST_TOKEN)
		scene->facts.marked_address = judgement->identity.address;
}

static void describe_event(const struct match *match, struct compose_event *event)
{
	*event = (struct compose_event){
		.code = match->tournament.code,
		.name = match->tournament.name,
		.rules = match->parameters.system,
		.site = match->tournament.site,
		.start = match->row.start ? match->row.start : match->tournament.start,
		.arbiter = match->tournament.arbiter_address
				   ? match->tournament.arbiter_address
				   : match->club->configuration->club.arbiter,
		.arbiter_name = match->tournament.arbiter_address
					? match->tournament.arbiter_name
					: match->club->configuration->club.arbiter_name,
	};
}

static void describe_match(struct scene *scene, const struct match *match)
{
	for (int side = 0; side < 2; side++) {
		describe_player(match, (enum side)side, &scene->players[side]);
		scene->facts.players[side] = &scene->players[side];
	}
	describe_event(match, &scene->event);
	scene->facts.event = &scene->event;
	scene->facts.number = (unsigned)match->row.number;
	scene->facts.code = match->row.code;
	scene->facts.game = &match->game;
	scene->facts.clock = match->clock;
}

/* Which charges an outage touches. */
static int mark_outages(struct match *match, struct scene *scene)
{
	bool *marks;
	int r = outages_marks(match, &marks, &scene->facts.n_outages);

	if (r >= 0)
		scene->facts.outages = marks;
	if (r >= 0 && scene->facts.kind == MAIL_OVERSTEP)
		r = outages_of_turn(match, scene->facts.now, &scene->facts.turn_credit);
	return r;
}

/* What reports say beside the clock: since when the side on the move had its time, and which
 * messages wait for the ruling. */
static int add_report(struct match *match, struct arena *arena, struct scene *scene)
{
	struct inbox_row row;
	int64_t *ids;
	size_t n;

	for (size_t i = 0; i < match->n_ledger; i++) {
		const struct clock_event *event = &match->ledger[i].event;
		if (event->kind == CLOCK_START || event->kind == CLOCK_MOVE ||
			event->kind == CLOCK_AUTO_REPLY)
			scene->facts.running_since = event->delivered;
	}
	int r = inbox_held(match->club->store, arena, match->row.id, &ids, &n);
	if (r < 0)
		return r;
	struct compose_held *held = arena_alloc(arena, (n + 1) * sizeof(*held));
	for (size_t i = 0; i < n; i++) {
		r = inbox_load(match->club->store, arena, ids[i], &row);
		if (r < 0)
			return r;
		int side = row.player ? match_side(match, row.player) : -ENOENT;
		held[i] = (struct compose_held){.id = ids[i],
			.by = side == SIDE_BLACK ? SIDE_BLACK : SIDE_WHITE,
			.at = row.arrival};
	}
	scene->facts.held = held;
	scene->facts.n_held = n;
	return 0;
}

/* In-Reply-To and References: the player's own mail when it is answered, and the thread of
 * the game as this recipient has it. */
static int thread(struct arena *arena, struct store *store, int64_t game, const struct post *post,
	bool answer, struct compose_facts *facts)
{
	const char **ids = NULL;
	size_t n = 0;
	int r = game ? outbox_thread(store, arena, game, facts->to, THREAD_MAX, &ids, &n) : 0;

	if (r < 0)
		return r;
	const char *references = NULL;
	for (size_t i = 0; i < n; i++)
		references = references ? arena_format(arena, "%s <%s>", references, ids[i])
					: arena_format(arena, "<%s>", ids[i]);
	facts->references = references;
	if (answer && post->letter && post->letter->message_id) {
		facts->answered_message_id = post->letter->message_id;
		facts->in_reply_to = post->letter->message_id;
	} else if (n > 0) {
		facts->in_reply_to = ids[n - 1];
	}
	return 0;
}

int post_compose(struct store *store, struct compose_facts *facts, struct mail *ret_mail)
{
	int64_t id;

	for (;; facts->sequence++) {
		int r = compose_mail(facts, ret_mail);
		if (r < 0)
			return r;
		r = outbox_find(store, ret_mail->message_id, &id);
		if (r == 0)
			return 0;
		mail_release(ret_mail);
		if (r < 0)
			return r;
	}
}

/* Is it one refusal too many for one address? */
static int leave_out(struct club *club, const struct post *post, const char *to)
{
	int r = edition_includes(club->edition, EDITION_2) ? caps_reached(club, to, post->received)
							   : 0;

	if (r <= 0)
		return r;
	r = caps_left_out(club, to, post->inbox, post->received, post->now);
	return r < 0 ? r : 1;
}

static int put(struct club *club, const struct post *post, const struct match *match,
	const char *player, struct compose_facts *facts)
{
	struct store *store = club->store;
	struct mail mail = {0};
	int64_t id, already = 0;
	int r = post->kind == MAIL_REFUSAL ? leave_out(club, post, facts->to) : 0;

	if (r != 0)
		return r < 0 ? r : 0;

	/* A message that is judged again must not reuse the Message-IDs of its first answer. */
	if (post->inbox)
		r = outbox_count_caused(
			store, post->inbox, mail_kind_name(post->kind), facts->to, &already);
	if (r < 0)
		return r;
	facts->sequence = (int)already;
	r = post_compose(store, facts, &mail);
	if (r < 0)
		return r;
	const struct outbox_row row = {
		.message_id = mail.message_id,
		.kind = mail_kind_name(post->kind),
		.game = match ? match->row.id : 0,
		.ply = match ? (int64_t)match->game.n_moves : -1,
		.player = player,
		.recipient = mail.to,
		.envelope_from = mail.envelope_from,
		.verdict = facts->verdict == VERDICT_NONE ? NULL : verdict_name(facts->verdict),
		.subject = mail.subject,
		.text = mail.text,
		.raw = mail.raw,
		.raw_size = mail.raw_size,
		.cause = post->inbox,
		.clock_seq = post->clock_seq,
		.clock_query = post->clock_query,
		.created = post->now,
		.next_attempt = post->now,
	};
	r = outbox_insert(store, &row, &id);
	mail_release(&mail);
	return r;
}

/* An answer goes to the address that the message came from, if it is one of his. */
static const char *address_for(
	const struct player_row *player, const struct post *post, bool answer)
{
	const struct judgement *judgement = post->judgement;

	if (answer && judgement && judgement->identity.registered && judgement->identity.player &&
		strcmp(judgement->identity.player, player->id) == 0 && post->kind != MAIL_CONFIRM)
		return judgement->identity.address;
	return player->addresses[0];
}

/* `copies` of the event: all moves, only those that the rules demand (no rule of IECC's
 * demands one outside the mobile play of 10.4), or none. What is no move is not asked. */
static bool copy_wanted(const struct match *match, enum mail_kind kind, bool move)
{
	return kind != MAIL_COPY || !move || strcmp(match->tournament.copies, "all") == 0;
}

static bool is_of_a_move(const struct post *post)
{
	return post->judgement &&
	       (post->judgement->verdict == VERDICT_ACCEPTED ||
		       post->judgement->verdict == VERDICT_ACCEPTED_WITH_WARNING);
}

/* He is shown what was new in his message, and held no move. */
static bool is_of_no_move(const struct post *post)
{
	return post->kind == MAIL_REFUSAL && post->judgement &&
	       post->judgement->verdict == VERDICT_NO_MOVE;
}

static bool is_answer(enum mail_kind kind)
{
	return kind == MAIL_RECEIPT || kind == MAIL_REFUSAL || kind == MAIL_CONFIRM;
}

/* RAZSh 2.1: a move message is signed with the sender's address. */
static void show_sender(struct scene *scene, const struct match *match, enum side reader)
{
	const struct player_row *sender = &match->players[side_other(reader)];
	bool razsh = match->parameters.system == RULES_RAZSH ||
		     match->parameters.system == RULES_RAZSH_POST;

	if (razsh && scene->facts.kind == MAIL_MOVE && sender->n_addresses > 0)
		scene->players[side_other(reader)].address = sender->addresses[0];
}

int post_to_player(struct match *match, enum side side, const struct post *post)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	const struct player_row *player = &match->players[side];
	struct store *store = match->club->store;
	bool answer = is_answer(post->kind);
	char token[TOKEN_LENGTH + 1];
	struct scene scene;

	if (player->n_addresses == 0)
		return -EBADMSG;
	describe_post(&scene, post, match->club);
	describe_match(&scene, match);
	int r = mark_outages(match, &scene);
	if (r >= 0)
		r = tokens_reply(store, match->row.id, player->id, player->generation, token);
	if (r < 0)
		return r;
	show_sender(&scene, match, side);
	scene.facts.reader = side == SIDE_WHITE ? READER_WHITE : READER_BLACK;
	scene.facts.to = post->to ? post->to : address_for(player, post, answer);
	scene.facts.to_name = player->name;
	scene.facts.language = player->language;
	scene.facts.zone = match->zones[side];
	scene.facts.token = post->kind == MAIL_CONFIRM ? post->confirm_token : token;
	/* The words around a move are for the opponent; so is the warning of a strange
	 * address. */
	scene.facts.copies = post->kind == MAIL_MOVE && copy_wanted(match, MAIL_COPY, true);
	if (post->judgement && (post->kind == MAIL_MOVE || is_of_no_move(post)))
		scene.facts.words = post->judgement->words;
	r = thread(&arena, store, match->row.id, post, answer, &scene.facts);
	if (r >= 0 && post->kind == MAIL_RECEIPT)
		r = receipts_before(store, &arena, match->row.id, player->id, &scene.facts.before);
	return r < 0 ? r : put(match->club, post, match, player->id, &scene.facts);
}

/* ---- Arbiters ---- */

struct arbiters {
	const char *addresses[ARBITERS_MAX];
	const char *names[ARBITERS_MAX];
	size_t n;
};

static void add_arbiter(struct arbiters *arbiters, const char *address, const char *name)
{
	if (!address)
		return;
	for (size_t i = 0; i < arbiters->n; i++)
		if (address_same(arbiters->addresses[i], address))
			return;
	arbiters->addresses[arbiters->n] = address;
	arbiters->names[arbiters->n++] = name;
}

/* The event's own arbiter comes first, else the club's; the deputy gets the same. An IECC
 * overstep is told to both (7.10). */
static void find_arbiters(const struct match *match, enum mail_kind kind, struct arbiters *arbiters)
{
	const struct tournament_row *tournament = &match->tournament;
	const struct configuration *configuration = match->club->configuration;

	*arbiters = (struct arbiters){.n = 0};
	add_arbiter(arbiters, tournament->arbiter_address, tournament->arbiter_name);
	add_arbiter(arbiters, tournament->deputy, NULL);
	bool both = kind == MAIL_OVERSTEP && match->parameters.system == RULES_IECC;
	if (both || arbiters->n == 0)
		add_arbiter(
			arbiters, configuration->club.arbiter, configuration->club.arbiter_name);
}

/* When the last message was repeated to the side on move (IECC 7.11, RAZSh 5.1). */
static int find_reminder(const struct match *match, int64_t *ret_reminded)
{
	const struct timer_row timer = {
		.game = match->row.id,
		.kind = clock_timer_name(
			match->parameters.system == RULES_IECC ? TIMER_REMIND : TIMER_REPEAT),
		.ply = (int64_t)match->row.n_moves,
	};
	*ret_reminded = INSTANT_NONE;
	int r = timers_last_fired(match->club->store, &timer, ret_reminded);
	return r < 0 ? r : 0;
}

/* A mail to somebody who is no player: in the club's language, an arbiter's in its time, the
 * public area's in that of MC-link's clock. */
static int post_to_other(struct match *match, const struct post *post, enum mail_reader reader,
	const char *address, const char *name)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	const struct configuration *configuration = match->club->configuration;
	char token[TOKEN_LENGTH + 1];
	struct scene scene;

	describe_post(&scene, post, match->club);
	describe_match(&scene, match);
	/* Only the arbiter's report may show addresses. */
	bool report = post->kind == MAIL_OVERSTEP && reader == READER_ARBITER;
	for (int side = 0; report && side < 2; side++)
		if (match->players[side].n_addresses > 0)
			scene.players[side].address = match->players[side].addresses[0];
	scene.facts.reader = reader;
	scene.facts.to = address;
	scene.facts.to_name = name;
	scene.facts.language = configuration->club.language;
	if (post->kind == MAIL_COPY && post->judgement)
		scene.facts.words = post->judgement->words;
	int r = 0;
	if (reader == READER_ARBITER) {
		r = tokens_reply(match->club->store, match->row.id,
			arena_format(&arena, "@%s", address), 0, token);
		scene.facts.token = token;
	}
	if (r < 0)
		return r;
	if (reader == READER_PUBLIC && match->parameters.zone)
		scene.facts.zone = match->parameters.zone;
	else
		r = zone_load(configuration->club.timezone, &scene.facts.zone);
	if (r >= 0)
		r = find_reminder(match, &scene.facts.reminded);
	if (r >= 0)
		r = mark_outages(match, &scene);
	if (r >= 0 && (post->kind == MAIL_OVERSTEP || post->kind == MAIL_CLAIM))
		r = add_report(match, &arena, &scene);
	if (r >= 0)
		r = thread(&arena, match->club->store, match->row.id, post, is_answer(post->kind),
			&scene.facts);
	return r < 0 ? r : put(match->club, post, match, NULL, &scene.facts);
}

int post_to_arbiter(struct match *match, const char *address, const struct post *post)
{
	const struct tournament_row *tournament = &match->tournament;
	const struct configuration *configuration = match->club->configuration;
	const char *name = NULL;

	if (tournament->arbiter_address && address_same(tournament->arbiter_address, address))
		name = tournament->arbiter_name;
	else if (address_same(configuration->club.arbiter, address))
		name = configuration->club.arbiter_name;
	return post_to_other(match, post, READER_ARBITER, address, name);
}

bool post_is_told(const struct match *match, enum mail_kind kind, const char *address)
{
	struct arbiters arbiters;

	find_arbiters(match, kind, &arbiters);
	for (size_t i = 0; i < arbiters.n; i++)
		if (address_same(arbiters.addresses[i], address))
			return true;
	return false;
}

int post_to_arbiters(struct match *match, const struct post *post)
{
	struct arbiters arbiters;
	int r = 0;

	if (!post->required && !copy_wanted(match, post->kind, is_of_a_move(post)))
		return 0;
	find_arbiters(match, post->kind, &arbiters);
	for (size_t i = 0; r >= 0 && i < arbiters.n; i++)
		r = post_to_other(
			match, post, READER_ARBITER, arbiters.addresses[i], arbiters.names[i]);
	return r;
}

int post_to_public(struct match *match, const struct post *post)
{
	const char *area = match->tournament.public_area;

	return area ? post_to_other(match, post, READER_PUBLIC, area, NULL) : 0;
}

int post_to_person(struct club *club, const char *id, const struct post *post)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	bool answer = is_answer(post->kind) || post->kind == MAIL_STATUS || post->kind == MAIL_HELP;
	struct player_row player;
	struct scene scene;
	int r = people_player(club->store, &arena, id, &player);

	if (r <= 0)
		return r < 0 ? r : -EBADMSG;
	describe_post(&scene, post, club);
	scene.facts.reader = READER_WHITE;
	scene.facts.to = post->to ? post->to : address_for(&player, post, answer);
	scene.facts.to_name = player.name;
	scene.facts.language = player.language;
	scene.facts.token = post->confirm_token;
	r = zone_load(player.timezone, &scene.facts.zone);
	if (r >= 0)
		r = thread(&arena, club->store, 0, post, answer && !post->to, &scene.facts);
	return r < 0 ? r : put(club, post, NULL, player.id, &scene.facts);
}

int post_describe_game(const struct match *match, struct post_game *ret_game)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	int64_t *held;
	size_t n_held;
	int64_t deadline;
	int r = inbox_held(match->club->store, &arena, match->row.id, &held, &n_held);

	if (r >= 0)
		r = match_deadline(match, &deadline);
	if (r < 0)
		return r;
	for (int side = 0; side < 2; side++)
		describe_player(match, (enum side)side, &ret_game->players[side]);
	describe_event(match, &ret_game->event);
	ret_game->game = (struct compose_game){
		.event = &ret_game->event,
		.players = {&ret_game->players[SIDE_WHITE], &ret_game->players[SIDE_BLACK]},
		.number = (unsigned)match->row.number,
		.code = match->row.code,
		.game = &match->game,
		.clock = match->game.state == GAME_SCHEDULED ? NULL : match->clock,
		.reader = READER_PUBLIC,
		.deadline = deadline,
		.held = n_held,
	};
	return 0;
}

int post_record(const struct match *match, const enum pgn_style *style, char **ret_text)
{
	const struct post post = {.received = INSTANT_NONE, .now = INSTANT_NONE};
	struct scene scene;

	describe_post(&scene, &post, match->club);
	describe_match(&scene, match);
	int r = zone_load(match->club->configuration->club.timezone, &scene.facts.zone);
	if (r < 0)
		return r;
	scene.facts.reader = READER_ARBITER;
	return compose_record(&scene.facts,
		style ? *style : compose_record_style(match->parameters.system), ret_text);
}

#include "daemon/relay/receive.h"

#include <assert.h>
#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "daemon/log.h"
#include "daemon/reading/letter_json.h"
#include "daemon/relay/bounce.h"
#include "daemon/relay/caps.h"
#include "daemon/relay/carry.h"
#include "daemon/relay/input_log.h"
#include "daemon/relay/post.h"
#include "daemon/relay/requests.h"
#include "daemon/relay/rulings.h"
#include "daemon/relay/services.h"
#include "daemon/store/timers.h"
#include "rules/edition.h"

/* What is in hand while one message is carried out. */
struct hand {
	struct club *club;
	const struct inbox_row *row;
	struct judgement *judgement;
	const struct letter *letter;
	int64_t now;
	char digest[2 * DIGEST_SIZE + 1];
};

static struct post post_of(const struct hand *hand)
{
	return (struct post){
		.judgement = hand->judgement,
		.decision = &hand->judgement->decision,
		.letter = hand->letter,
		.inbox = hand->row->id,
		.cause_digest = hand->digest,
		.received = hand->row->arrival,
		.now = hand->now,
	};
}

static const char *join_notes(struct judgement *judgement)
{
	const char *notes = NULL;

	for (size_t i = 0; i < judgement->n_notes; i++)
		notes = notes ? arena_format(
					&judgement->arena, "%s\n%s", notes, judgement->notes[i])
			      : judgement->notes[i];
	return notes;
}

static int record_outcome(const struct hand *hand)
{
	struct judgement *judgement = hand->judgement;
	const struct match *match = judgement->match;
	const struct inbox_outcome outcome = {
		.verdict = verdict_name(judgement->verdict),
		.game = judgement->identity.game,
		.ply = match ? (int64_t)match->row.n_moves : -1,
		.player = judgement->identity.player,
		.trust = trust_name(judgement->identity.trust),
		.message_id = hand->letter->message_id,
		.new_text = judgement->newtext.text,
		.notes = join_notes(judgement),
		.new_digest = judgement->newtext.text ? judgement->new_digest : NULL,
		.decided = hand->now,
	};
	return inbox_decide(hand->club->store, hand->row->id, &outcome);
}

/* A valid move that nothing proves: its owner is asked, and his deadline waits. */
static int hold(const struct hand *hand, struct post *post, char token[TOKEN_LENGTH + 1])
{
	struct match *match = hand->judgement->match;
	/* What had to wait for its game is asked about when it is heard. */
	int64_t heard = hand->row->verdict ? hand->now : hand->row->arrival;
	const struct timer_row timer = {
		.game = match->row.id,
		.kind = CONFIRM_TIMER,
		.ply = hand->row->id,
		.at = heard + hand->club->configuration->trust.confirm_within,
	};
	int r = tokens_confirm(hand->club->store, match->row.id, hand->judgement->identity.player,
		hand->row->id, token);

	post->confirm_token = token;
	return r < 0 ? r : timers_arm(hand->club->store, &timer);
}

/* The deadline has passed only through the penalty that this message cost (IECC 7.10). */
static int overstep_by_penalty(struct match *match, int64_t now)
{
	if (match->row.state != GAME_ACTIVE || clock_status(match->clock) != CLOCK_SUSPENDED)
		return 0;
	int held = timers_armed(match->club->store, match->row.id, CONFIRM_TIMER);
	if (held != 0)
		return held < 0 ? held : 0; /* then when that is settled */
	const struct clock_overstep *overstep = clock_overstep(match->clock);
	const struct clock_timer timer = {
		.kind = TIMER_OVERSTEP,
		.at = overstep ? overstep->at : now,
		.ply = (int)match->row.n_moves,
	};
	return carry_timer(match, &timer, now);
}

/* What the player asks for beside his game. */
static int carry_request(const struct hand *hand)
{
	struct judgement *judgement = hand->judgement;
	struct post post = post_of(hand);
	struct request_result result;
	struct request request;
	int r = requests_from_message(judgement, &request);

	if (r >= 0) {
		r = requests_carry(hand->club, &judgement->arena, &request, &post, judgement->match,
			hand->now, &result);
		if (r < 0 || result.verdict == judgement->verdict ||
			judgement->verdict != VERDICT_COMMAND)
			return r;
		judgement->verdict = result.verdict;
		return record_outcome(hand);
	}
	/* Beside a move nothing but the move is answered. */
	if (r != -EOPNOTSUPP || judgement->verdict != VERDICT_COMMAND)
		return r == -EOPNOTSUPP ? 0 : r;
	r = services_carry(hand->club, judgement, &post);
	return r < 0 || judgement->verdict == VERDICT_COMMAND ? r : record_outcome(hand);
}

/* A message that arrived before a deadline which has fired, but was found later, belongs to
 * the dossier: the arbiter gets it (contract, section 1). */
static int add_to_dossier(const struct hand *hand, struct post *post)
{
	struct match *match = hand->judgement->match;
	const struct clock_overstep *overstep = clock_overstep(match->clock);

	if (hand->judgement->verdict != VERDICT_HELD || match->game.state != GAME_SUSPENDED ||
		!overstep || hand->row->arrival >= overstep->at)
		return 0;
	post->kind = MAIL_COPY;
	post->required = true;
	return post_to_arbiters(match, post);
}

static int carry_decision(const struct hand *hand)
{
	struct judgement *judgement = hand->judgement;
	struct match *match = judgement->match;
	struct post post = post_of(hand);
	char token[TOKEN_LENGTH + 1];
	int r = 0;

	assert(match); /* a message is always read for a game */
	if (judgement->decision.unproven)
		r = hold(hand, &post, token);
	if (r >= 0 && judgement->decision.unproven && judgement->identity.trust == TRUST_UNKNOWN)
		r = store_set_fact(hand->club->store,
			arena_format(&judgement->arena, "stranger:%s", match->id),
			hand->row->arrival);
	if (r >= 0)
		r = carry_decided(match, &judgement->decision, &post);
	/* A move has been made: what else waits for a confirmation comes too late. */
	if (r >= 0 && (judgement->verdict == VERDICT_ACCEPTED ||
			      judgement->verdict == VERDICT_ACCEPTED_WITH_WARNING))
		r = timers_lapse(hand->club->store, match->row.id, CONFIRM_TIMER, hand->now);
	if (r >= 0)
		r = add_to_dossier(hand, &post);
	if (r >= 0)
		r = overstep_by_penalty(match, hand->now);
	if (r >= 0)
		r = carry_deadlines(match);
	return r < 0 || judgement->decision.request < 0 ? r : carry_request(hand);
}

/* A registered player whose message names no game, or too many, is asked. */
static int ask_for_game(const struct hand *hand)
{
	struct post post = post_of(hand);
	/* Since then it is so with every refusal (post.c). */
	int r = edition_includes(hand->club->edition, EDITION_2)
			? 0
			: caps_reached(hand->club, hand->judgement->identity.address,
				  hand->row->arrival);

	if (r != 0)
		return r < 0 ? r : 0;
	post.kind = MAIL_REFUSAL;
	return post_to_person(hand->club, hand->judgement->identity.player, &post);
}

/* It may be too late: somebody else may have the address by now. */
static int confirm_address(const struct hand *hand, const struct post *post)
{
	int r = services_confirm(hand->club, hand->judgement, post);

	return r < 0 || hand->judgement->verdict == VERDICT_COMMAND ? r : record_outcome(hand);
}

/* The owner of a held move has answered its confirmation: it is judged as if he had proved
 * himself at once, with its own arrival. */
static int confirm(const struct hand *hand)
{
	struct club *club = hand->club;
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	struct inbox_row row;
	const struct judge_input as_confirmed = {.again = true, .confirmed = true};
	const struct timer_row timer = {
		.game = hand->judgement->identity.game,
		.kind = CONFIRM_TIMER,
		.ply = hand->judgement->identity.confirms,
	};
	const struct post post = post_of(hand);
	if (hand->judgement->identity.confirmation != CONFIRM_MOVE)
		return confirm_address(hand, &post);
	int r = tokens_use(club->store, hand->judgement->identity.token);

	if (r >= 0)
		r = timers_settle(club->store, &timer, hand->now);
	if (r >= 0)
		r = inbox_load(club->store, &arena, timer.ply, &row);
	if (r > 0)
		r = receive_row(club, &row, &as_confirmed, hand->now);
	/* What came after its deadline was held behind it. */
	return r < 0 ? r : receive_held(club, timer.game, hand->now);
}

/* An arbiter who wrote gets an answer unless the ruling itself has come to him. */
static int answer_arbiter(const struct hand *hand)
{
	const struct judgement *judgement = hand->judgement;
	struct match *match = judgement->match;
	struct post post = post_of(hand);

	if (judgement->verdict == VERDICT_COMMAND &&
		post_is_told(match, MAIL_RULING, judgement->identity.arbiter))
		return 0;
	post.kind = judgement->verdict == VERDICT_COMMAND ? MAIL_RECEIPT : MAIL_REFUSAL;
	return post_to_arbiter(match, judgement->identity.arbiter, &post);
}

/* A ruling by mail. */
static int receive_arbiter(const struct hand *hand)
{
	struct judgement *judgement = hand->judgement;
	int r = 0;

	if (judgement->has_ruling)
		r = rulings_receive(judgement, hand->row->id, hand->digest, hand->now);
	if (r >= 0 && judgement->has_ruling && judgement->verdict != VERDICT_COMMAND)
		r = record_outcome(hand);
	return r < 0 ? r : answer_arbiter(hand);
}

static int refuse_command(const struct hand *hand)
{
	const char *player = hand->judgement->identity.player;
	struct match *match = hand->judgement->match;
	struct post post = post_of(hand);

	post.kind = MAIL_REFUSAL;
	return match ? post_to_player(match, (enum side)match_side(match, player), &post)
		     : post_to_person(hand->club, player, &post);
}

static int log_message(const struct hand *hand)
{
	return input_log(hand->club, hand->now, "message",
		json_pack("{s:I, s:s, s:I}", "message", (json_int_t)hand->row->id, "digest",
			hand->digest, "arrival", (json_int_t)hand->row->arrival));
}

int receive_message(struct club *club, const struct inbox_row *row, struct judgement *judgement,
	const struct letter *letter, int64_t now)
{
	struct hand hand = {
		.club = club,
		.row = row,
		.judgement = judgement,
		.letter = letter,
		.now = now,
	};
	int r;

	inbox_digest_text(row->digest, hand.digest);
	r = log_message(&hand);
	if (r >= 0)
		r = record_outcome(&hand);
	if (r >= 0 && judgement->verdict == VERDICT_BOUNCE)
		r = bounce_receive(club, row, letter, now);
	if (r < 0)
		return r;
	if (judgement->identity.arbiter && judgement->match)
		r = receive_arbiter(&hand);
	else if (judgement->has_message && judgement->match)
		r = carry_decision(&hand);
	else if (judgement->verdict == VERDICT_COMMAND && judgement->identity.confirms)
		r = confirm(&hand);
	else if (judgement->verdict == VERDICT_COMMAND)
		r = carry_request(&hand);
	else if (judgement->verdict == VERDICT_COMMAND_ERROR)
		r = refuse_command(&hand);
	else if ((judgement->verdict == VERDICT_UNKNOWN_GAME ||
			 judgement->verdict == VERDICT_AMBIGUOUS_GAME) &&
		 judgement->identity.player)
		r = ask_for_game(&hand);
	if (r < 0)
		return r;
	log_with(LOG_INFO,
		&(struct log_fields){
			.event = "message",
			.game = judgement->match ? judgement->match->id : NULL,
			.ply = judgement->match ? (int64_t)judgement->match->row.n_moves : 0,
			.player = judgement->identity.player,
			.message = row->id,
			.verdict = verdict_name(judgement->verdict),
		},
		"message %lld: %s%s%s", (long long)row->id, verdict_name(judgement->verdict),
		judgement->match ? " in game " : "", judgement->match ? judgement->match->id : "");
	return 0;
}

int receive_row(
	struct club *club, const struct inbox_row *row, const struct judge_input *how, int64_t now)
{
	struct judgement judgement CLEANUP_JUDGEMENT = {.verdict = VERDICT_NONE};
	struct judge_input input = *how;
	struct letter *letter = NULL;
	int r = letter_from_json(row->letter, strlen(row->letter), &letter);

	if (r < 0)
		return r;
	input.inbox = row->id;
	input.arrival = row->arrival;
	input.letter = letter;
	r = judge(club, &input, &judgement);
	if (r >= 0)
		r = receive_message(club, row, &judgement, letter, now);
	letter_free(letter);
	return r;
}

/* Is it kept until its sender confirms it? */
static int waits_for_confirmation(struct club *club, const struct inbox_row *row)
{
	const struct timer_row timer = {.game = row->game, .kind = CONFIRM_TIMER, .ply = row->id};

	return timers_is_armed(club->store, &timer);
}

/* Does it rest because of a withdrawal? What is held for it stays so. */
static int rests(struct club *club, struct arena *arena, int64_t game)
{
	struct game_row row;
	int r = games_load(club->store, arena, game, &row);

	if (r <= 0)
		return r < 0 ? r : -ENOENT;
	return row.state == GAME_SUSPENDED && (row.withdrew[0] || row.withdrew[1]);
}

int receive_held(struct club *club, int64_t game, int64_t now)
{
	const struct judge_input again = {.again = true};
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	int64_t *ids;
	size_t n;
	int r = rests(club, &arena, game);

	if (r != 0)
		return r < 0 ? r : 0;
	r = inbox_held(club->store, &arena, game, &ids, &n);
	for (size_t i = 0; r >= 0 && i < n; i++) {
		struct inbox_row row;
		r = inbox_load(club->store, &arena, ids[i], &row);
		if (r <= 0)
			return r;
		r = waits_for_confirmation(club, &row);
		if (r == 0 && row.letter)
			r = receive_row(club, &row, &again, now);
	}
	return r < 0 ? r : 0;
}

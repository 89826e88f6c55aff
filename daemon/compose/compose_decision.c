/*
 * What was decided, and what it did: the matter and the refusal, series of moves that were
 * accepted, offered or played by themselves, leaves and stops, rulings.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/compose/filling.h"
#include "daemon/compose/mask.h"
#include "daemon/compose/when.h"

#define LINE_COLUMNS 70

/* ---- Matters, refusals, commands: a section each ---- */

static void fill_matter(struct filling *filling, enum matter matter)
{
	static const char *const names[] = {
		[MATTER_OVERSTEP] = "about-overstep",
		[MATTER_REMINDER] = "about-reminder",
		[MATTER_SILENCE] = "about-silence",
		[MATTER_NO_MOVES] = "about-no-moves",
		[MATTER_COPIES] = "about-copies",
		[MATTER_BACK] = "about-back",
		[MATTER_STOP] = "about-stop",
		[MATTER_OFFER_DECLINED] = "about-declined",
		[MATTER_CLAIM_REJECTED] = "about-claim-rejected",
		[MATTER_CLAIM_THREEFOLD] = "about-threefold",
		[MATTER_CLAIM_FIFTY] = "about-fifty",
		[MATTER_DEMAND] = "about-demand",
		[MATTER_AGREEMENT] = "about-agreement",
		[MATTER_DEAD_POSITION] = "about-dead-position",
		[MATTER_FIVEFOLD] = "about-fivefold",
		[MATTER_SEVENTYFIVE] = "about-seventyfive",
		[MATTER_RESIGNATION] = "about-resignation",
		[MATTER_TIME_CLAIM] = "about-time-claim",
		[MATTER_OBJECTION] = "about-objection",
		[MATTER_WITHDRAWAL] = "about-withdrawal",
		[MATTER_EVENT_END] = "about-event-end",
		[MATTER_PAPERS] = "about-papers",
		[MATTER_ACCESS] = "about-access",
		[MATTER_TRANSMISSION] = "about-transmission",
		[MATTER_LEAVE] = "about-leave",
		[MATTER_RULING] = "about-ruling",
	};

	if (matter != MATTER_NONE && (size_t)matter < ARRAY_SIZE(names))
		put_flag(filling, names[matter], true);
}

static void fill_refusal(struct filling *filling, enum refusal refusal)
{
	static const char *const names[] = {
		[REFUSAL_UNPROVEN] = "why-unproven",
		[REFUSAL_WITH_MOVE] = "why-with-move",
		[REFUSAL_CONTRADICTION] = "why-contradiction",
		[REFUSAL_OTHER_RULES] = "why-other-rules",
		[REFUSAL_GAME_OVER] = "why-game-over",
		[REFUSAL_NOT_STARTED] = "why-not-started",
		[REFUSAL_SUSPENDED] = "why-suspended",
		[REFUSAL_NO_OFFER] = "why-no-offer",
		[REFUSAL_OFFER_ALONE] = "why-offer-alone",
		[REFUSAL_NOT_YOUR_TURN] = "why-not-your-turn",
		[REFUSAL_UNREADABLE] = "why-unreadable",
		[REFUSAL_NO_OVERSTEP] = "why-no-overstep",
		[REFUSAL_TOO_LATE] = "why-too-late",
		[REFUSAL_BARRED] = "why-barred",
		[REFUSAL_CLAIMED] = "why-claimed",
		[REFUSAL_NO_GAME] = "why-no-game",
		[REFUSAL_NOT_ALLOWED] = "why-not-allowed",
		[REFUSAL_NOTHING] = "why-nothing",
		[REFUSAL_ORDER] = "why-order",
		[REFUSAL_MOVE] = "why-move",
		[REFUSAL_STAMPS] = "why-stamps",
		[REFUSAL_BOARD] = "why-board",
		[REFUSAL_CODE] = "why-code",
		[REFUSAL_FOLLOWED] = "why-followed",
	};

	put_flag(filling, "why", refusal != REFUSAL_NONE);
	if (refusal != REFUSAL_NONE && (size_t)refusal < ARRAY_SIZE(names))
		put_flag(filling, names[refusal], true);
}

static void put_command(struct filling *filling, enum command command)
{
	static const char *const names[] = {
		[COMMAND_RESIGN] = "command-resign",
		[COMMAND_DRAW] = "command-draw",
		[COMMAND_ACCEPT] = "command-accept",
		[COMMAND_DECLINE] = "command-decline",
		[COMMAND_CLAIM_THREEFOLD] = "command-claim",
		[COMMAND_CLAIM_FIFTY] = "command-claim",
		[COMMAND_DEMAND_FIFTY] = "command-demand",
		[COMMAND_CLAIM_TIME] = "command-claim-time",
		[COMMAND_LEAVE] = "command-leave",
		[COMMAND_END_LEAVE] = "command-end-leave",
		[COMMAND_STOP] = "command-stop",
		[COMMAND_VACATION] = "command-vacation",
		[COMMAND_WITHDRAW] = "command-withdraw",
		[COMMAND_AGREE] = "command-agree",
		[COMMAND_REFUSE] = "command-refuse",
		[COMMAND_STATUS] = "command-status",
		[COMMAND_RESEND] = "command-resend",
		[COMMAND_ADDRESS] = "command-address",
		[COMMAND_LANGUAGE] = "command-language",
		[COMMAND_NOTATION] = "command-notation",
		[COMMAND_HELP] = "command-help",
	};

	if (command != COMMAND_NONE && (size_t)command < ARRAY_SIZE(names))
		put_flag(filling, names[command], true);
}

/* The command that is answered: the one that the shell carries out, else the first. */
static void fill_command(struct filling *filling)
{
	const struct compose_facts *facts = filling->facts;
	const struct message *message = facts->message;
	int request = facts->decision ? facts->decision->request : -1;
	size_t at = request >= 0 ? (size_t)request : 0;

	if ((facts->verdict != VERDICT_COMMAND && facts->verdict != VERDICT_COMMAND_ERROR) ||
		!message || at >= message->n_commands)
		return;
	const struct stated_command *command = &message->commands[at];
	put_command(filling, command->kind);
	char *line = NULL;
	if (filling->r == 0 && command->line.at + command->line.size <= message->text_size)
		filling->r = mask_line(
			message->text + command->line.at, command->line.size, LINE_COLUMNS, &line);
	put(filling, "command-line", line);
	free(line);
}

/* ---- Series of moves ---- */

static void put_series(struct filling *filling, const char *name, size_t from, size_t to)
{
	const struct game *game = filling->facts->game;

	if (from >= to || to > game->n_moves)
		return;
	struct position position = game_position(game, from);
	char *text = shown_series(filling->facts, &position, game->moves + from, to - from);
	if (!text && filling->r == 0)
		filling->r = -ENOMEM;
	put(filling, name, text);
	free(text);
}

/* Of the plies that the message made: pairs that it accepted, its own move, replies that were
 * waiting for it. */
static void fill_made(struct filling *filling)
{
	const struct compose_facts *facts = filling->facts;
	const struct decision *decision = facts->decision;
	const struct game *game = facts->game;

	if (decision->made == 0 || decision->made > game->n_moves ||
		decision->accepted + decision->replies > decision->made)
		return;
	size_t first = game->n_moves - decision->made;
	size_t own = first + decision->accepted, replies = game->n_moves - decision->replies;
	put_series(filling, "accepted-moves", first, own);
	put_series(filling, "own-played", own, replies);
	put_flag(filling, "only-accepted", decision->accepted == decision->made);
	put_series(filling, "reply-moves", replies, game->n_moves);
	put_flag(filling, "from-sender",
		is_player(facts) && facts->message &&
			(enum side)facts->reader != facts->message->by);
}

/* What waits for the side on the move, numbered. */
static void fill_offers(struct filling *filling)
{
	const struct compose_facts *facts = filling->facts;
	const struct game *game = facts->game;
	const struct conditionals *offered = &game->conditionals;

	put_flag(filling, "has-offers", offered->n_lines > 0);
	for (size_t i = 0; i < offered->n_lines; i++) {
		const struct conditional_line *line = &offered->lines[i];
		struct filling item = put_item(filling, "offers");
		char *text = shown_series(facts, &game->now, line->moves, line->n);
		if (!text && item.r == 0)
			item.r = -ENOMEM;
		put_format(&item, "offer-number", "%zu", i + 1);
		put(&item, "offer-moves", text);
		free(text);
		filling->r = item.r;
	}
	if (is_player(facts) && offered->n_lines > 0)
		put_flag(filling, "offers-are-yours", (enum side)facts->reader == offered->by);
}

/* ---- Who is concerned ---- */

static const char *name_of(const struct compose_facts *facts, enum side side)
{
	return facts->players[side] ? facts->players[side]->name : NULL;
}

static void fill_awaiting(struct filling *filling)
{
	const struct compose_facts *facts = filling->facts;
	const struct game *game = facts->game;

	put_flag(filling, "suspended", game->state == GAME_SUSPENDED);
	put_flag(filling, "goes-on", game->state == GAME_ACTIVE);
	put_flag(filling, "not-started", game->state == GAME_SCHEDULED);
	if (game->awaiting == AWAITING_NONE)
		return;
	put_name(filling, "claimant", name_of(facts, game->awaiting_by));
	put_name(filling, "other", name_of(facts, side_other(game->awaiting_by)));
	if (is_player(facts))
		put_flag(filling, "claimant-is-you", (enum side)facts->reader == game->awaiting_by);
}

static void fill_timer(struct filling *filling)
{
	const struct compose_facts *facts = filling->facts;
	bool of_all = !facts->timer || facts->timer->kind == TIMER_STOP_START ||
		      facts->timer->kind == TIMER_STOP_END;

	if (!facts->timer)
		return;
	put_instant(filling, "due", facts->timer->at);
	if (of_all)
		return;
	put_name(filling, "concerned", name_of(facts, facts->timer->by));
	if (is_player(facts))
		put_flag(filling, "concerned-is-you", (enum side)facts->reader == facts->timer->by);
}

static void fill_withdrawn(struct filling *filling)
{
	const struct compose_facts *facts = filling->facts;
	const struct game *game = facts->game;
	enum side side = facts->decision->withdrawn;

	if (facts->decision->matter != MATTER_WITHDRAWAL)
		return;
	put_name(filling, "withdrawn", name_of(facts, side));
	put_flag(filling, "withdrawal-waits",
		game->awaiting == AWAITING_WITHDRAWAL && game->awaiting_by == side);
}

static void fill_can_mate(struct filling *filling)
{
	const struct decision *decision = filling->facts->decision;

	if (!decision->asks_mate)
		return;
	put_flag(filling, "asks-mate", true);
	put_flag(filling, "can-mate", decision->can_mate == DRAWS_YES);
	put_flag(filling, "cannot-mate", decision->can_mate == DRAWS_NO);
}

static void fill_claim(struct filling *filling)
{
	const struct compose_facts *facts = filling->facts;
	const struct decision *decision = facts->decision;

	if (decision->matter != MATTER_TIME_CLAIM)
		return;
	put_format(filling, "claim-spent", "%d", decision->claim_spent);
	put_format(filling, "claim-limit", "%d", decision->claim_limit);
	put_flag(filling, "claim-borne-out", decision->claim_borne_out);
	if (facts->clock)
		put_format(filling, "objection-days", "%d",
			clock_parameters(facts->clock)->objection_days);
}

/* ---- Leaves and stops ---- */

/* "over quota" as the section "because-over-quota". */
static void put_reason(struct filling *item, const char *reason)
{
	char name[48];
	size_t n = (size_t)snprintf(name, sizeof(name), "because-%s", reason ? reason : "");

	if (!reason || n >= sizeof(name))
		return;
	for (char *at = name; *at; at++)
		if (*at == ' ')
			*at = '-';
	put_flag(item, name, true);
}

static void put_stop_reasons(struct filling *item, unsigned reasons)
{
	static const struct {
		enum stop_reason reason;
		const char *name;
	} names[] = {
		{STOP_INTERVAL, "because-interval"},
		{STOP_RETROACTIVE, "because-retroactive"},
		{STOP_TWO_ALREADY, "because-two-already"},
		{STOP_TOO_LITTLE_TIME, "because-too-little-time"},
		{STOP_OVER_STANDARD, "because-over-standard"},
		{STOP_OVER_200, "because-over-200"},
		{STOP_UNDER_250, "because-under-250"},
		{STOP_SUDDEN_DEATH, "because-sudden-death"},
		{STOP_NOT_JUNE, "because-not-june"},
		{STOP_USED, "because-used"},
		{STOP_OUTSIDE, "because-outside"},
		{STOP_OVER_1500, "because-over-1500"},
		{STOP_NOTICE, "because-notice"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (reasons & names[i].reason)
			put_flag(item, names[i].name, true);
}

static void put_years(struct filling *item, const struct leave_outcome *outcome)
{
	char text[64] = "";
	size_t n = 0;

	for (int i = 0; i < outcome->n_years; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%d: %d", i ? ", " : "",
			outcome->years[i].year, outcome->years[i].days);
	put(item, "leave-years", text);
}

static void fill_leave(struct filling *item, const struct compose_leave *leave)
{
	const struct compose_facts *facts = item->facts;
	const struct leave_outcome *outcome = leave->outcome;
	bool stop = leave->command == COMMAND_STOP || leave->command == COMMAND_VACATION;

	put(item, "leave-game", leave->game);
	put_name(item, "leave-opponent", leave->opponent);
	/* In answers he who asked; his side differs from game to game. */
	put_name(item, "leave-player",
		leave->player               ? leave->player
		: facts->kind == MAIL_LEAVE ? name_of(facts, leave->by)
					    : facts->to_name);
	put(item, "leave-note", leave->reason);
	put_flag(item, "leave-begun", leave->begun && !leave->over);
	put_flag(item, "leave-over", leave->over);
	put_flag(item, "leave-begins", leave->command == COMMAND_LEAVE);
	put_flag(item, "leave-ends", leave->command == COMMAND_END_LEAVE);
	put_flag(item, "leave-stop", stop);
	put_flag(item, "leave-vacation", leave->command == COMMAND_VACATION);
	put_flag(item, "leave-changed", stop && outcome->act == STOP_CHANGED);
	put_flag(item, "leave-withdrawn", stop && outcome->act == STOP_WITHDRAWN);
	put_flag(item, "leave-given", stop && outcome->act == STOP_GIVEN);
	put_flag(item, "leave-granted", outcome->granted);
	put_flag(item, "leave-late", outcome->late);
	put_flag(item, "leave-asks-arbiter", outcome->ask_arbiter);
	put_flag(item, "leave-asks-opponent", outcome->ask_opponent);
	put_flag(item, "leave-may-annul", outcome->may_annul);
	put_date(item, "leave-from", outcome->from);
	put_date(item, "leave-to", outcome->to);
	if (outcome->total > 0)
		put_format(item, "leave-total", "%d", outcome->total);
	put_years(item, outcome);
	put_reason(item, outcome->reason);
	put_flag(item, "leave-has-reason", outcome->reason || outcome->reasons);
	if (!stop)
		return;
	put_instant(item, "stop-from", leave->start);
	put_instant(item, "stop-to", leave->end);
	put_format(item, "stop-hours", "%d", outcome->hours);
	put_stop_reasons(item, outcome->reasons);
}

static void fill_leaves(struct filling *filling)
{
	const struct compose_facts *facts = filling->facts;

	put_flag(filling, "has-leaves", facts->n_leaves > 0);
	for (size_t i = 0; i < facts->n_leaves; i++) {
		struct filling item = put_item(filling, "leaves");
		fill_leave(&item, &facts->leaves[i]);
		filling->r = item.r;
	}
}

/* ---- Rulings ---- */

/* The move that made PLY of the game, if it still stands. */
static void put_ruled_move(struct filling *filling, size_t ply)
{
	const struct game *game = filling->facts->game;

	if (ply < 1)
		return;
	unsigned number =
		game->start.fullmove + (unsigned)((ply - 1 + (game->start.turn == SIDE_BLACK)) / 2);
	bool white = (game->start.turn == SIDE_WHITE) == (ply % 2 == 1);
	if (ply > game->n_moves) {
		put_format(filling, "ruled-move", "%u%s", number, white ? "." : "...");
		return;
	}
	struct position before = game_position(game, ply - 1);
	char text[NUMBERED_MAX];
	shown_move(filling->facts, &before, game->moves[ply - 1], text);
	put(filling, "ruled-move", text);
}

static void fill_ruling(struct filling *filling)
{
	static const char *const names[] = {
		[RULING_UPHOLD] = "ruling-uphold",
		[RULING_REJECT] = "ruling-reject",
		[RULING_RESUME] = "ruling-resume",
		[RULING_CREDIT] = "ruling-credit",
		[RULING_RESULT] = "ruling-result",
		[RULING_DRAW] = "ruling-draw",
		[RULING_ANNUL] = "ruling-annul",
		[RULING_ADJUDICATE] = "ruling-adjudicate",
		[RULING_PENALTY] = "ruling-penalty",
		[RULING_LIFT] = "ruling-lift",
		[RULING_ROLLBACK] = "ruling-rollback",
		[RULING_UNCLEAR] = "ruling-unclear",
		[RULING_CORRECT] = "ruling-correct",
		[RULING_NO_ACCESS] = "ruling-no-access",
	};
	const struct ruling *ruling = filling->facts->ruling;

	if (!ruling)
		return;
	put_flag(filling, names[ruling->kind], true);
	put_flag(filling, "reopened",
		filling->facts->decision && filling->facts->decision->reopened);
	put_instant(filling, "ruled", ruling->at);
	put_name(filling, "ruled-side", name_of(filling->facts, ruling->side));
	put_format(filling, "ruled-number", "%d", ruling->n);
	if (ruling->move > 0)
		put_format(filling, "ruled-move-number", "%d", ruling->move);
	if (ruling->days > 0)
		put_format(filling, "ruled-days", "%d", ruling->days);
	put_flag(filling, "ruling-bar", ruling->bar);
	if (ruling->kind != RULING_ROLLBACK)
		put_ruled_move(filling, ruling->ply);
	put_instant(filling, "ruled-sent", ruling->sent);
	put_instant(filling, "ruled-delivered", ruling->delivered);
}

void fill_decision(struct filling *filling)
{
	const struct compose_facts *facts = filling->facts;
	const struct decision *decision = facts->decision;

	fill_command(filling);
	fill_leaves(filling);
	if (facts->game) {
		fill_awaiting(filling);
		fill_offers(filling);
		fill_timer(filling);
		fill_ruling(filling);
	}
	if (!decision)
		return;
	fill_matter(filling, decision->matter);
	fill_refusal(filling, decision->refusal);
	put_flag(filling, "registered", decision->registered);
	if (!facts->game)
		return;
	fill_made(filling);
	fill_withdrawn(filling);
	fill_can_mate(filling);
	fill_claim(filling);
}

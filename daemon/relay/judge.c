#include "daemon/relay/judge.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config/language.h"
#include "core/notation.h"
#include "daemon/compose/compose.h"
#include "daemon/reading/commands.h"
#include "daemon/reading/grammar.h"
#include "daemon/reading/sort.h"
#include "daemon/relay/caps.h"
#include "daemon/relay/services.h"
#include "daemon/store/outbox.h"
#include "daemon/store/timers.h"
#include "rules/edition.h"

#define SENT_TEXTS_MAX 12
#define WORDS_LINES_MAX 40
#define DAY_MS (24 * INT64_C(3600000))

struct work {
	struct club *club;
	const struct judge_input *input;
	struct judgement *judgement;
	struct outbox_row answered; /* the mail that the letter answers; id 0 if none */
};

static void note(struct judgement *judgement, const char *text)
{
	if (text && judgement->n_notes < ARRAY_SIZE(judgement->notes))
		judgement->notes[judgement->n_notes++] = arena_string(&judgement->arena, text);
}

/* ---- Group 1: what is no letter of a person ---- */

static enum verdict sort_verdict(const struct club *club, const struct letter *letter)
{
	const char *ours[] = {club->configuration->club.address};

	if (letter->unparsable)
		return VERDICT_UNPARSABLE_MAIL;
	switch (sort_letter(letter, club->domain, ours, ARRAY_SIZE(ours))) {
	case SORT_PERSON:
		return VERDICT_NONE;
	case SORT_LOOP:
		return VERDICT_IGNORED_LOOP;
	case SORT_BOUNCE:
		return VERDICT_BOUNCE;
	case SORT_AUTO:
		return VERDICT_IGNORED_AUTO;
	case SORT_BULK:
		return VERDICT_IGNORED_BULK;
	}
	return VERDICT_UNPARSABLE_MAIL;
}

static int judge_sort(struct work *work)
{
	struct judgement *judgement = work->judgement;
	const struct letter *letter = work->input->letter;

	note(judgement, letter->unparsable);
	for (size_t i = 0; i < letter->n_notes; i++)
		note(judgement, letter->notes[i]);
	judgement->verdict = sort_verdict(work->club, letter);
	if (judgement->verdict != VERDICT_NONE || work->input->again || !work->input->inbox)
		return 0;
	int r = inbox_seen_raw(work->club->store, work->input->inbox);
	if (r > 0)
		judgement->verdict = VERDICT_IGNORED_DUPLICATE;
	return r < 0 ? r : 0;
}

/* The same Message-ID with the same new text, come by another way. */
static int judge_copy(struct work *work)
{
	struct judgement *judgement = work->judgement;
	const char *message_id = work->input->letter->message_id;

	inbox_digest(judgement->newtext.text ? judgement->newtext.text : "",
		judgement->newtext.size, judgement->new_digest);
	if (!message_id || work->input->again || !work->input->inbox)
		return 0;
	int r = inbox_seen_text(work->club->store, work->input->inbox, message_id,
		judgement->new_digest, judgement->identity.player,
		trust_name(judgement->identity.trust));
	if (r > 0)
		judgement->verdict = VERDICT_IGNORED_DUPLICATE;
	return r < 0 ? r : 0;
}

/* ---- Sender and game ---- */

static int open_match(struct work *work)
{
	struct judgement *judgement = work->judgement;
	struct identity *identity = &judgement->identity;

	if (work->input->as_game) {
		identity->game = work->input->as_game;
		if (identity->verdict == VERDICT_UNKNOWN_GAME ||
			identity->verdict == VERDICT_AMBIGUOUS_GAME)
			identity->verdict = VERDICT_NONE;
	}
	if (!identity->game)
		return 0;
	int r = match_open(work->club, identity->game, &judgement->match);
	if (r < 0)
		return r;
	if (!identity->arbiter && match_side(judgement->match, identity->player) < 0) {
		identity->verdict = VERDICT_UNKNOWN_GAME;
		match_free(judgement->match);
		judgement->match = NULL;
		return 0;
	}
	if (work->input->pretend)
		match_pretend_started(judgement->match, work->input->arrival);
	if (!identity->answered)
		return 0;
	r = outbox_load(work->club->store, &judgement->arena, identity->answered, &work->answered);
	return r < 0 ? r : 0;
}

/* ---- What is new ---- */

/* The ply whose position the sender saw: that of the answered mail, if he was on move
 * there; else the present one. */
static size_t ply_seen(const struct work *work, enum side side)
{
	const struct match *match = work->judgement->match;
	int64_t ply = work->answered.id ? work->answered.ply : -1;

	if (ply < 0 || (size_t)ply > match->game.n_moves ||
		game_turn(&match->game, (size_t)ply) != side)
		return match->game.n_moves;
	return (size_t)ply;
}

static int find_new_text(struct work *work, size_t ply, enum side side, bool *ret_line)
{
	struct judgement *judgement = work->judgement;
	const char *texts[SENT_TEXTS_MAX + 1], **stored = NULL;
	char line[REPLY_LINE_MAX];
	size_t n = 0, n_stored = 0;

	*ret_line = false;
	if (!judgement->match)
		return newtext_find(work->input->letter, NULL, 0, NULL, &judgement->newtext);
	if (work->answered.id)
		texts[n++] = work->answered.text;
	int r = outbox_texts(work->club->store, &judgement->arena, judgement->match->row.id,
		judgement->identity.player, SENT_TEXTS_MAX, &stored, &n_stored);
	if (r < 0)
		return r;
	for (size_t i = 0; i < n_stored; i++)
		texts[n++] = stored[i];
	/* Mails to arbiters end with none. */
	*ret_line = !judgement->identity.arbiter &&
		    compose_reply_line(judgement->match->parameters.system, &judgement->match->game,
			    ply, side, line) > 0;
	return newtext_find(
		work->input->letter, texts, n, *ret_line ? line : NULL, &judgement->newtext);
}

/* ---- What it says ---- */

static bool overlaps(const struct newtext_line *line, struct excerpt excerpt)
{
	return excerpt.size > 0 && line->at < excerpt.at + excerpt.size &&
	       excerpt.at < line->at + line->size;
}

/* Is the line told to the opponent as moves already? */
static bool states_moves(const struct newtext_line *line, const struct message *message)
{
	bool stated = overlaps(line, message->own_line) || overlaps(line, message->own_text) ||
		      overlaps(line, message->repetition_text) ||
		      overlaps(line, message->accepted_text);

	for (size_t i = 0; i < message->n_conditionals; i++)
		stated |= message->conditionals[i].fault == MOVE_READ &&
			  overlaps(line, message->conditionals[i].text);
	return stated;
}

static bool holds_words(const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (isalpha((unsigned char)text[i]) || (unsigned char)text[i] >= 0x80)
			return true;
	return false;
}

/* Copies what a line that states moves holds besides the sentence that does; returns its size. */
static size_t copy_besides(const struct newtext *newtext, const struct newtext_line *line,
	struct excerpt own, char *out)
{
	size_t end = line->at + line->size, from = own.at, to = own.at + own.size;

	from = from > line->at ? from : line->at;
	to = to < end ? to : end;
	if (from >= to)
		return 0;
	/* Its stop goes with the sentence. */
	while (to < end && strchr(".!?,; ", newtext->text[to]))
		to++;
	memcpy(out, newtext->text + line->at, from - line->at);
	memcpy(out + (from - line->at), newtext->text + to, end - to);
	size_t size = from - line->at + (end - to);
	return holds_words(out, size) ? size : 0;
}

/* The player's words around the move: the new text without what speaks of it. */
static int collect_words(struct work *work)
{
	struct judgement *judgement = work->judgement;
	const struct newtext *newtext = &judgement->newtext;
	const struct message *message = &judgement->message;
	char *words = arena_alloc(&judgement->arena, newtext->size + newtext->n_lines + 2);
	size_t size = 0, kept = 0, end = 0;

	for (size_t i = 0; i < newtext->n_lines && kept < WORDS_LINES_MAX; i++) {
		const struct newtext_line *line = &newtext->lines[i];
		const char *text = newtext->text + line->at;
		bool states = states_moves(line, message);
		size_t rest = line->size;
		if (states)
			rest = copy_besides(newtext, line, message->own_line, words + size);
		bool blank = strspn(text, " \t") >= line->size;
		/* What is left out leaves no second blank line. */
		bool above = size == 0 || end < size;
		if ((states && rest == 0) || (blank && above))
			continue;
		if (!states)
			memcpy(words + size, text, line->size);
		size += rest;
		words[size++] = '\n';
		kept++;
		if (!blank)
			end = size;
	}
	words[end] = '\0';
	judgement->words = end ? words : NULL;
	return identify_hide_tokens(work->club, words);
}

static int read_message(struct work *work, size_t ply, enum side side, bool answered_line)
{
	struct judgement *judgement = work->judgement;
	const struct match *match = judgement->match;
	const char *language = match->players[side].language;
	const struct letters *written = NULL;
	enum notation kind;
	if (!notation_find(match->players[side].notation, &kind, &written))
		written = NULL;
	/* MC-link 7.2: its own clock. */
	const struct zone *zone = match->parameters.system == RULES_MCLINK ? match->parameters.zone
									   : match->zones[side];
	const struct grammar_context context = {
		.start = &match->game.start,
		.moves = match->game.moves,
		.n = (unsigned)match->game.n_moves,
		.ply = (unsigned)ply,
		.by = side,
		.letters = letters_find(language, strlen(language)),
		.written = written,
		.answered_line = answered_line,
		.typed = strcmp(match->tournament.repetition, "typed") == 0,
		.conditionals = &match->game.conditionals,
		.words = work->club->words,
		.today = zone_date(zone, work->input->arrival),
		.system = match->parameters.system,
		.subject = work->input->letter->subject,
		.code = match->row.code,
		.number = (unsigned)match->row.number,
		.name = match->players[side].name,
	};
	int r = grammar_read(&judgement->newtext, &context, &judgement->message);

	if (r < 0)
		return r;
	judgement->has_message = true;
	if (judgement->message.move_in_quote)
		note(judgement, "move-in-quote");
	judgement->message.by = side;
	judgement->message.trust = work->input->confirmed ? TRUST_TOKEN : judgement->identity.trust;
	judgement->message.sent = work->input->arrival;
	return collect_words(work);
}

/* ---- The decision ---- */

static int find_cap(struct work *work, struct rules_context *context)
{
	const struct identity *identity = &work->judgement->identity;
	const char *address = judgement_address(work->judgement);
	int64_t arrival = work->input->arrival;
	int side = match_side(work->judgement->match, identity->player);

	/* Until then all was counted by the address that is written to first. */
	if (side >= 0 && !edition_includes(work->club->edition, EDITION_2))
		address = work->judgement->match->players[side].addresses[0];
	int r = caps_reached(work->club, address, arrival);

	context->answers_capped = r > 0;
	if (context->answers_capped)
		r = outbox_cap_told(
			work->club->store, identity->game, identity->player, arrival - DAY_MS);
	context->cap_told = context->answers_capped && r > 0;
	return r < 0 ? r : 0;
}

/* A deadline has passed, and a held move that came before it keeps it from firing. Nothing that
 * its sender sends later may profit from that; in MC-link, where a time-out ends the game, nothing
 * that anybody sends. */
static bool is_overdue(const struct work *work)
{
	const struct match *match = work->judgement->match;
	int64_t deadline = clock_overstep_at(match->clock);
	bool own = game_turn(&match->game, match->game.n_moves) == work->judgement->message.by;
	enum rule_system system = match->parameters.system;

	return (system == RULES_MCLINK || (system == RULES_IECC && own)) &&
	       match->game.state == GAME_ACTIVE && deadline != INSTANT_NONE &&
	       work->input->arrival >= deadline;
}

/* Could the sender's last move not be delivered (RAZSh 4.9, 5.1)? */
static int find_lost(const struct match *match, enum side by, struct rules_context *context)
{
	size_t i = match->n_ledger;

	while (i > 0 && (match->ledger[i - 1].event.kind != CLOCK_MOVE ||
				match->ledger[i - 1].event.by != by))
		i--;
	int r = i == 0 ? 0
		       : outbox_lost(match->club->store, match->row.id, match->ledger[i - 1].seq);
	context->original_lost = r > 0;
	return r < 0 ? r : 0;
}

static int decide_message(struct work *work)
{
	struct judgement *judgement = work->judgement;
	const struct match *match = judgement->match;
	struct rules_context context;
	struct game game = match->game;

	if (is_overdue(work))
		game.state = GAME_SUSPENDED;
	/* In a dry run the deadlines before it have not fired: the clock stays where it is. */
	if (!work->input->pretend)
		clock_advance(match->clock, work->input->arrival);
	match_context(match, &context);
	int r = find_cap(work, &context);

	if (r < 0)
		return r;
	r = inbox_seen_fault(work->club->store, match->row.id, (int64_t)match->game.n_moves,
		judgement->identity.player, judgement->new_digest);
	if (r < 0)
		return r;
	context.fault_seen = r > 0;
	r = find_lost(match, judgement->message.by, &context);
	if (r < 0)
		return r;
	judgement->capped = context.answers_capped;
	decide(&context, &game, &judgement->message, work->input->arrival, &judgement->decision);
	judgement->verdict = judgement->decision.verdict;
	return 0;
}

/* What may be a robot's gets no answer and costs nothing; a move that is one counts. */
static void hush(struct work *work)
{
	struct judgement *judgement = work->judgement;
	const struct letter *letter = work->input->letter;
	bool counts = judgement->verdict == VERDICT_ACCEPTED ||
		      judgement->verdict == VERDICT_ACCEPTED_WITH_WARNING ||
		      judgement->decision.unproven;

	if (counts || judgement->verdict < VERDICT_UNKNOWN_GAME ||
		sort_may_answer(letter, SORT_PERSON))
		return;
	judgement->verdict = letter->list ? VERDICT_IGNORED_BULK : VERDICT_IGNORED_AUTO;
	judgement->has_message = false;
}

/* The answer to a confirmation counts as long as the held message waits for it. */
static int judge_confirmation(struct work *work)
{
	const struct identity *identity = &work->judgement->identity;
	const struct timer_row timer = {
		.game = identity->game,
		.kind = "confirm",
		.ply = identity->confirms,
	};
	int r = 0;

	if (!sort_may_confirm(work->input->letter, SORT_PERSON)) {
		work->judgement->verdict = VERDICT_IGNORED_AUTO;
		return 0;
	}
	if (identity->confirmation == CONFIRM_MOVE)
		r = timers_is_armed(work->club->store, &timer);
	else
		r = services_address_waits(work->club, identity->confirms, work->input->arrival);
	work->judgement->verdict = r > 0 ? VERDICT_COMMAND : VERDICT_COMMAND_ERROR;
	return r < 0 ? r : 0;
}

/* The arbiter's own words beside his ruling are its reason. */
static void collect_reason(struct judgement *judgement)
{
	const struct newtext *newtext = &judgement->newtext;
	const struct excerpt *line = &judgement->ruling.line, *given = &judgement->ruling.reason;
	const char *reason = "";

	if (given->size > 0)
		reason = arena_copy(&judgement->arena, newtext->text + given->at, given->size);
	for (size_t i = 0; i < newtext->n_lines; i++) {
		const struct newtext_line *other = &newtext->lines[i];
		if (other->at == line->at || other->size == 0)
			continue;
		reason = arena_format(&judgement->arena, "%s%s%.*s", reason, *reason ? "\n" : "",
			(int)other->size, newtext->text + other->at);
	}
	judgement->words = *reason ? reason : NULL;
}

/* An arbiter rules, and needs a proof for it (product, section 2). */
static void judge_arbiter(struct work *work)
{
	struct judgement *judgement = work->judgement;
	enum rulings_found found =
		ruling_find(work->club->words, &judgement->newtext, &judgement->ruling);

	if (found == RULINGS_NONE) {
		judgement->verdict = VERDICT_NO_MOVE;
		return;
	}
	judgement->verdict = VERDICT_COMMAND_ERROR;
	judgement->decision.verdict = VERDICT_COMMAND_ERROR;
	judgement->decision.request = -1;
	if (found == RULINGS_SEVERAL) {
		judgement->decision.refusal = REFUSAL_CONTRADICTION;
		return;
	}
	if (judgement->identity.trust != TRUST_TOKEN &&
		judgement->identity.trust != TRUST_AUTHENTICATED) {
		judgement->decision.refusal = REFUSAL_UNPROVEN;
		return;
	}
	judgement->verdict = VERDICT_COMMAND;
	judgement->has_ruling = true;
	collect_reason(judgement);
}

/* The move of an address that nobody has registered fits a game: the registered address of
 * the player to move is asked, at most once a day and game (product, section 2). */
static int judge_stranger(struct work *work)
{
	struct judgement *judgement = work->judgement;
	struct identity *identity = &judgement->identity;
	struct store *store = work->club->store;
	bool confirmed = work->input->confirmed, line;
	int64_t asked = INSTANT_NONE;

	if (!sort_may_answer(work->input->letter, SORT_PERSON))
		return 0;
	int r = match_open(work->club, identity->hinted, &judgement->match);
	if (r < 0)
		return r;
	const struct match *match = judgement->match;
	enum side side = game_turn(&match->game, match->game.n_moves);
	const char *name = arena_format(&judgement->arena, "stranger:%s", match->id);
	r = find_new_text(work, match->game.n_moves, side, &line);
	if (r >= 0)
		r = judge_copy(work);
	if (r < 0 || judgement->verdict == VERDICT_IGNORED_DUPLICATE)
		return r;
	r = store_fact(store, name, &asked);
	if (r >= 0)
		r = read_message(work, match->game.n_moves, side, line);
	if (r < 0)
		return r;
	judgement->message.trust = confirmed ? TRUST_TOKEN : TRUST_REGISTERED;
	r = decide_message(work);
	bool recent = asked != INSTANT_NONE && work->input->arrival - asked < DAY_MS;
	bool fits = judgement->decision.unproven && !recent;
	if (r < 0 || fits || confirmed) {
		identity->player = match->row.players[side];
		identity->game = match->row.id;
		identity->trust = confirmed ? TRUST_TOKEN : TRUST_UNKNOWN;
		return r;
	}
	judgement->has_message = false;
	judgement->decision = (struct decision){.verdict = VERDICT_UNKNOWN_SENDER, .request = -1};
	judgement->verdict = VERDICT_UNKNOWN_SENDER;
	return 0;
}

/* Does any line that is no command look as if it held a move? */
static bool looks_like_move(const char *text, size_t size)
{
	for (size_t i = 0; i + 1 < size; i++) {
		bool square = strchr("abcdefghABCDEFGH", text[i]) && text[i] &&
			      text[i + 1] >= '1' && text[i + 1] <= '8';
		bool castling = i + 2 < size && strchr("oO0", text[i]) && text[i] &&
				text[i + 1] == '-' && text[i + 2] == text[i];
		if (square || castling)
			return true;
	}
	return false;
}

/* Commands that need no game are carried out although none was found. */
static void judge_gameless(struct work *work)
{
	struct judgement *judgement = work->judgement;
	const struct newtext *newtext = &judgement->newtext;
	struct message *message = &judgement->message;
	const struct command_context context = {
		.words = work->club->words,
		.today = (int32_t)(work->input->arrival / DAY_MS),
	};

	for (size_t i = 0; i < newtext->n_lines && message->n_commands < STATED_COMMANDS_MAX; i++) {
		const struct newtext_line *line = &newtext->lines[i];
		struct stated_command *command = &message->commands[message->n_commands];
		if (command_read(&context, newtext->text, line->at, line->size, command))
			message->n_commands++;
		else if (looks_like_move(newtext->text + line->at, line->size))
			return;
	}
	if (message->n_commands != 1 || !services_need_no_game(message))
		return;
	bool changes = message->commands[0].kind != COMMAND_STATUS &&
		       message->commands[0].kind != COMMAND_HELP;
	bool proven = judgement->identity.trust == TRUST_TOKEN ||
		      judgement->identity.trust == TRUST_AUTHENTICATED;
	message->text = newtext->text;
	message->text_size = newtext->size;
	message->trust = judgement->identity.trust;
	message->sent = work->input->arrival;
	judgement->has_message = true;
	judgement->decision.request = changes && !proven ? -1 : 0;
	judgement->decision.refusal = changes && !proven ? REFUSAL_UNPROVEN : REFUSAL_NONE;
	judgement->verdict = changes && !proven ? VERDICT_COMMAND_ERROR : VERDICT_COMMAND;
	judgement->decision.verdict = judgement->verdict;
}

static int judge_message(struct work *work)
{
	struct judgement *judgement = work->judgement;
	struct identity *identity = &judgement->identity;
	int r = identify(work->club, &judgement->arena, work->input->letter, identity);

	if (r >= 0)
		r = open_match(work);
	if (r < 0)
		return r;
	if (identity->verdict == VERDICT_UNKNOWN_SENDER && identity->hinted) {
		judgement->verdict = VERDICT_UNKNOWN_SENDER;
		return judge_stranger(work);
	}
	enum side side = SIDE_WHITE;
	size_t ply = 0;
	bool line;
	if (judgement->match && !identity->arbiter) {
		side = (enum side)match_side(judgement->match, identity->player);
		ply = ply_seen(work, side);
	}
	r = find_new_text(work, ply, side, &line);
	if (r >= 0)
		r = judge_copy(work);
	if (r < 0 || judgement->verdict != VERDICT_NONE)
		return r;
	judgement->verdict = identity->verdict;
	if (judgement->verdict == VERDICT_NONE && identity->confirms && !work->input->confirmed)
		return judge_confirmation(work);
	if (identity->player && (judgement->verdict == VERDICT_UNKNOWN_GAME ||
					judgement->verdict == VERDICT_AMBIGUOUS_GAME))
		judge_gameless(work);
	if (judgement->verdict != VERDICT_NONE)
		return 0;
	if (identity->arbiter) {
		r = identify_hide_tokens(work->club, judgement->newtext.text);
		if (r >= 0)
			judge_arbiter(work);
		return r;
	}
	r = read_message(work, ply, side, line);
	return r < 0 ? r : decide_message(work);
}

int judge(struct club *club, const struct judge_input *input, struct judgement *ret_judgement)
{
	struct work work = {
		.club = club,
		.input = input,
		.judgement = ret_judgement,
	};

	*ret_judgement = (struct judgement){.arrival = input->arrival, .verdict = VERDICT_NONE};
	int r = judge_sort(&work);
	if (r >= 0 && ret_judgement->verdict == VERDICT_NONE)
		r = judge_message(&work);
	if (r >= 0)
		hush(&work);
	if (r < 0)
		judgement_release(ret_judgement);
	return r;
}

void judgement_release(struct judgement *judgement)
{
	if (judgement->match)
		match_free(judgement->match);
	newtext_release(&judgement->newtext);
	arena_clear(&judgement->arena);
	*judgement = (struct judgement){.verdict = VERDICT_NONE};
}

const char *judgement_address(const struct judgement *judgement)
{
	const struct identity *identity = &judgement->identity;
	const struct match *match = judgement->match;
	int side = match && identity->player ? match_side(match, identity->player) : -ENOENT;

	return identity->registered || side < 0 ? identity->address
						: match->players[side].addresses[0];
}

bool judgement_answers(const struct judgement *judgement)
{
	const struct decision *decision = &judgement->decision;

	if (judgement->verdict == VERDICT_UNKNOWN_GAME ||
		judgement->verdict == VERDICT_AMBIGUOUS_GAME ||
		judgement->verdict == VERDICT_COMMAND ||
		judgement->verdict == VERDICT_COMMAND_ERROR || judgement->identity.arbiter)
		return judgement->identity.registered;
	if (!judgement->identity.registered || !judgement->has_message)
		return false;
	enum mail_reader sender = judgement->message.by == SIDE_WHITE ? READER_WHITE : READER_BLACK;
	for (size_t i = 0; i < decision->n_effects; i++)
		if (decision->effects[i].kind == EFFECT_MAIL && decision->effects[i].to == sender)
			return true;
	return false;
}

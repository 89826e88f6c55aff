#include "daemon/reading/statement.h"

#include <string.h>

#include "daemon/reading/clause.h"
#include "daemon/reading/moveline.h"

#define HEADING_MAX 10      /* items of a heading such as "KO-50.2, game 1:" */
#define POLITE_WORDS_MAX 5  /* of a sentence that only greets */
#define CANCEL_WORDS_MAX 14 /* of one that takes something back */

/* Do only "or" and "perhaps" stand between two moves? */
static bool is_choice(const struct view *view, const struct run *a, const struct run *b)
{
	uint64_t uses = 0;
	for (size_t i = a->to; i < b->from; i++) {
		if (!view_is_mark(view, i) && !view_does(view, i, TALK(TALK_OR) | TALK(TALK_MAYBE)))
			return false;
		uses |= view->uses[i];
	}
	return (uses & TALK(TALK_OR)) && !view->sentence->asks &&
	       !(view_uses(view, 0, view->sentence->n) &
		       (TALK(TALK_NOT) | TALK(TALK_TALE) | TALK(TALK_IF) | TALK(TALK_LATER)));
}

/* "Nd7 and b4", "Nd7, then b4": is the second said as the first is? */
static bool is_joined(const struct view *view, const struct run *a, const struct run *b)
{
	const uint64_t joining = TALK(TALK_JOINT) | TALK(TALK_SO) | TALK(TALK_AFTER) |
				 TALK(TALK_FILL) | TALK(TALK_OR) | TALK(TALK_MAYBE);
	size_t end = view_clause_end(view, b->to);
	for (size_t i = a->to; i < b->from; i++)
		if (!view_is_mark(view, i) && !view_does(view, i, joining))
			return false;
	return clause_look_behind(view, b, GRADE_STRONG, &end) != BEHIND_OTHER;
}

static unsigned side_flags(const struct view *view, const struct run *run)
{
	uint64_t uses = view_uses(view, view_clause_start(view, run->from), run->from);
	if (run->from > 1 && view_item(view, run->from - 1)->mark == ':')
		uses |= view_uses(view, view_clause_start(view, run->from - 1), run->from - 1);
	return (uses & TALK(TALK_WHITE) ? MENTION_WHITE : 0U) |
	       (uses & TALK(TALK_BLACK) ? MENTION_BLACK : 0U);
}

static unsigned flags_of(const struct view *view, const char *text, const struct run *run)
{
	uint64_t clause =
		view_uses(view, view_clause_start(view, run->from), view_clause_end(view, run->to));
	uint64_t all = view_uses(view, 0, view->sentence->n);
	unsigned flags = 0;
	switch (clause_grade(view, text, run)) {
	case GRADE_NONE:
		break;
	case GRADE_STRONG:
		flags |= MENTION_STATED | MENTION_STRONG;
		break;
	case GRADE_BARE:
	case GRADE_WEAK:
		flags |= MENTION_STATED;
		break;
	}
	if (clause & (TALK(TALK_TALE) | TALK(TALK_AWAY) | TALK(TALK_NOT)))
		flags |= MENTION_TOLD;
	/* "Sorry, Nd7", "Nd7, no wait, b4" */
	bool retracted = view_uses(view, 0, run->from) & (TALK(TALK_RETRACT) | TALK(TALK_HALT));
	if ((all & TALK(TALK_CORRECT)) || retracted)
		flags |= MENTION_CORRECTS;
	return flags | side_flags(view, run);
}

/* From the first item to the last. */
static struct excerpt excerpt_of_items(const struct view *view)
{
	const struct sentence *sentence = view->sentence;
	const struct sentence_item *last = view_item(view, sentence->n - 1);
	size_t at = view_item(view, 0)->at;
	return (struct excerpt){at, last->at + last->size - at};
}

static struct mention *add_mention(
	struct mentions *mentions, const struct view *view, const struct run *run, unsigned flags)
{
	const struct sentence_item *first = view_item(view, run->from);
	const struct sentence_item *last = view_item(view, run->to - 1);
	if (mentions->n == MENTIONS_MAX)
		return NULL;
	struct mention *mention = &mentions->items[mentions->n++];
	*mention = (struct mention){.at = first->at,
		.size = last->at + last->size - first->at,
		.moves = run->moves,
		.token = *run->first,
		.flags = flags,
		.sentence = excerpt_of_items(view)};
	return mention;
}

/* Returns whether a move is stated. */
static bool read_moves(const struct view *view, const char *text, struct mentions *ret)
{
	struct run run, before = {.moves = 0};
	struct mention *last = NULL;
	bool stated = false;
	for (size_t i = 0; view_next_run(view, text, i, &run); i = run.to) {
		if (run.moves == 0)
			continue;
		if (last && before.moves == 1 && run.moves == 1 && is_choice(view, &before, &run))
			last->flags |= MENTION_CHOICE;
		bool joined = last && (last->flags & MENTION_STATED) && before.moves == 1 &&
			      run.moves == 1 && is_joined(view, &before, &run);
		last = add_mention(ret, view, &run, flags_of(view, text, &run));
		if (last && joined)
			last->flags |= MENTION_CORRECTS;
		stated |= last && (last->flags & MENTION_STATED);
		before = run;
	}
	return stated;
}

/* ---- commands ---- */

static bool may_be_said(enum command kind)
{
	return kind == COMMAND_RESIGN || kind == COMMAND_DRAW || kind == COMMAND_ACCEPT ||
	       kind == COMMAND_DECLINE;
}

/* Words that may stand before "I resign" or behind it, items FROM to TO. */
static bool is_courtesy(const struct view *view, size_t from, size_t to, bool before)
{
	const uint64_t spoiling =
		CLAUSE_DOUBT | TALK(TALK_OR) | TALK(TALK_BUT) | TALK(TALK_OTHERS) | TALK(TALK_ASK);
	for (size_t i = from; i < to; i++)
		if (view_item(view, i)->kind == SENTENCE_MOVE)
			return false;
	if (view_uses(view, from, to) & spoiling)
		return false;
	return !before || from == to || clause_is_greeting(view, from, to) ||
	       clause_opens(view, from, to);
}

/* "Thanks, I resign." and "I accept the draw, it was a nice game": one clause is a command, and
 * the others are only polite. */
static bool find_command(const struct view *view, const char *text, struct stated_command *ret)
{
	const struct sentence *sentence = view->sentence;
	if (memchr(text + sentence->at, '"', sentence->end - sentence->at))
		return false;
	for (size_t from = 0; from < sentence->n; from++) {
		size_t end = view_clause_end(view, from);
		if (end > from) {
			const struct sentence_item *last = view_item(view, end - 1);
			size_t at = view_item(view, from)->at;
			bool whole = command_read(
				view->context, text, at, last->at + last->size - at, ret);
			if (whole && may_be_said(ret->kind))
				return (!sentence->asks || ret->kind == COMMAND_DRAW) &&
				       is_courtesy(view, 0, from > 0 ? from - 1 : 0, true) &&
				       is_courtesy(view, end, sentence->n, false);
			if (!is_courtesy(view, from, end, true))
				return false;
		}
		from = end;
	}
	return false;
}

/* Words between moves and marks, items FROM to TO, without those that join them. */
static bool is_offer(const struct view *view, const char *text, size_t from, size_t to,
	struct stated_command *ret)
{
	const uint64_t joining = TALK(TALK_JOINT) | TALK(TALK_FILL) | TALK(TALK_PREP);
	for (; from < to; from++) {
		for (size_t end = to; end > from; end--) {
			const struct sentence_item *last = view_item(view, end - 1);
			size_t at = view_item(view, from)->at;
			if (command_read(
				    view->context, text, at, last->at + last->size - at, ret) &&
				ret->kind == COMMAND_DRAW)
				return true;
			if (!view_does(view, end - 1, joining))
				break;
		}
		if (!view_does(view, from, joining))
			break;
	}
	return false;
}

/* "I play Nd7 and offer a draw", "I offer a draw with Nd7" */
static bool find_command_beside(
	const struct view *view, const char *text, struct stated_command *ret)
{
	const struct sentence *sentence = view->sentence;
	size_t end = sentence->end;
	while (end > sentence->at && strchr(" \n.!", text[end - 1]))
		end--;
	size_t size = end - sentence->at;
	enum command kind = moveline_cut_command(view->context, text, sentence->at, &size);
	*ret = (struct stated_command){.kind = kind, .line = {sentence->at, end - sentence->at}};
	if (kind != COMMAND_NONE)
		return true;
	for (size_t from = 0, to; from < sentence->n; from = to + 1) {
		for (to = from; to < sentence->n && view_item(view, to)->kind == SENTENCE_WORD;
			to++)
			;
		if (is_offer(view, text, from, to, ret))
			return true;
	}
	return false;
}

static void read_commands(
	const struct view *view, const char *text, bool stated, struct mentions *ret)
{
	struct stated_command command;
	bool found = stated ? find_command_beside(view, text, &command)
			    : find_command(view, text, &command);
	if (found && ret->n_commands < STATED_COMMANDS_MAX)
		ret->commands[ret->n_commands++] = command;
}

/* Does the sentence take back what was written before? */
static bool is_cancel(const struct view *view)
{
	const struct sentence *sentence = view->sentence;
	uint64_t all = view_uses(view, 0, sentence->n);
	bool halts = true, any = false, digits, denied = false;
	for (size_t i = 0; i < sentence->n; i++)
		denied |= view_does(view, i, TALK(TALK_NOT)) &&
			  !view_does(view, i, TALK(TALK_HALT) | TALK(TALK_CANCEL));
	/* "If you are not the addressee, ignore this" */
	if ((all & (TALK(TALK_EARLIER) | TALK(TALK_IF))) ||
		view_count_words(view, &digits) > CANCEL_WORDS_MAX)
		return false;
	if ((all & TALK(TALK_CANCEL)) && !denied)
		return true;
	/* "Hmm, wait for my next mail" */
	if (sentence->n > 2 && view_does(view, 0, TALK(TALK_HALT)) && view_is_mark(view, 1) &&
		view_does(view, 2, TALK(TALK_LATER)))
		return true;
	/* "No, wait.", also behind a move: "Nd7 - no wait". */
	for (size_t i = 0; i < sentence->n; i++) {
		if (view_item(view, i)->kind == SENTENCE_MOVE) {
			halts = true;
			any = false;
		}
		any |= view_does(view, i, TALK(TALK_HALT));
		halts &= view_is_mark(view, i) || view_does(view, i, TALK(TALK_HALT)) ||
			 view_item(view, i)->kind == SENTENCE_MOVE;
	}
	return halts && any;
}

static bool is_polite(const struct view *view)
{
	bool digits;
	const uint64_t polite = TALK(TALK_GREET) | TALK(TALK_CLOSE) | TALK(TALK_SO);
	return view_count_words(view, &digits) <= POLITE_WORDS_MAX && !digits &&
	       (view_uses(view, 0, view->sentence->n) & polite) &&
	       !(view_uses(view, 0, view->sentence->n) & CLAUSE_DOUBT);
}

/* Where a cancelling sentence counts from: behind its last move. */
static size_t cancel_place(const struct view *view)
{
	size_t at = view->sentence->at;
	for (size_t i = 0; i < view->sentence->n; i++)
		if (view_item(view, i)->kind == SENTENCE_MOVE)
			at = view_item(view, i)->at + view_item(view, i)->size;
	return at;
}

void statement_read(const struct command_context *context, const char *text, size_t at, size_t end,
	bool commands, struct mentions *ret)
{
	struct sentence_scan scan = {words_talk(context->words), text, at, end};
	struct sentence sentence;
	struct view view = {.context = context, .sentence = &sentence};
	bool cancelled = false, polite = true;
	while (sentence_next(&scan, &sentence)) {
		if (sentence.n == 0)
			continue;
		view.cancelled = cancelled;
		view.polite = polite;
		view.starts = sentence.at == at;
		view.whole = sentence.end == end;
		view_look(&view);
		cancelled = is_cancel(&view);
		polite &= is_polite(&view);
		if (cancelled && ret->n_cancels < CANCELS_MAX)
			ret->cancels[ret->n_cancels++] = cancel_place(&view);
		bool stated = read_moves(&view, text, ret);
		if (commands)
			read_commands(&view, text, stated, ret);
	}
}

unsigned statement_game(
	const struct command_context *context, const char *text, size_t at, size_t end)
{
	struct sentence_scan scan = {words_talk(context->words), text, at, end};
	struct sentence sentence;
	struct view view = {.context = context, .sentence = &sentence};
	unsigned number = 0;
	if (!sentence_next(&scan, &sentence) || scan.at < end || sentence.n > HEADING_MAX)
		return 0;
	view_look(&view);
	for (size_t i = 0; i < sentence.n; i++) {
		bool code = view_is_unknown(&view, i) && view_item(&view, i)->capital;
		if (!view_is_mark(&view, i) && !view_does(&view, i, TALK(TALK_GAME)) && !code &&
			!view_item(&view, i)->digits)
			return 0;
		if (i + 1 < sentence.n && number == 0)
			number = clause_game_number(&view, i);
	}
	return number;
}

bool statement_leads_away(
	const struct command_context *context, const char *text, size_t at, size_t end)
{
	struct sentence_scan scan = {words_talk(context->words), text, at, end};
	struct sentence sentence;
	struct view view = {.context = context, .sentence = &sentence};
	do {
		if (!sentence_next(&scan, &sentence))
			return false;
	} while (scan.at < end);
	size_t n = sentence.n;
	if (n == 0 || view_item(&view, n - 1)->mark != ':')
		return false;
	view_look(&view);
	const struct run run = {.from = n - 1, .to = n - 1};
	size_t from = view_clause_start(&view, n - 1);
	const uint64_t doubt = CLAUSE_DOUBT & ~(TALK(TALK_IF) | TALK(TALK_HEADING));
	const uint64_t corrects = TALK(TALK_CORRECT) | TALK(TALK_RETRACT) | TALK(TALK_HALT);
	return !(view_uses(&view, 0, n) & corrects) && (view_uses(&view, from, n - 1) & doubt) &&
	       clause_grade_before(&view, &run, &from) == GRADE_NONE;
}

bool statement_second(const char *list, size_t size, const struct position *position,
	const struct letters *letters, const struct movelist_reading *reading,
	struct movelist_token *ret_token)
{
	struct movelist_scan scan = movelist_scan(list, size);
	struct move_reading other;
	size_t end = reading->own_token.at + reading->own_token.size;
	/* A stroke behind the move is a mark of it. */
	bool stroke = end > 0 && list[end - 1] == '/';
	while (movelist_next(&scan, ret_token)) {
		/* The own move may span what are several tokens to this scan. */
		if (ret_token->at < end || ret_token->kind != MOVELIST_MOVE)
			continue;
		bool apart = stroke || ret_token->line > reading->own_token.line ||
			     memchr(list + end - 1, ',', ret_token->at - end + 1);
		return apart && ret_token->number == 0 &&
		       move_read(position, letters, list + ret_token->move_at, ret_token->move_size,
			       &other) == MOVE_READ &&
		       other.move != reading->own.move;
	}
	return false;
}

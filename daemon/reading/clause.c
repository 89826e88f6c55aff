#include "daemon/reading/clause.h"

#include <string.h>

#define WORDS_MAX 14       /* of a sentence in which a move stands by itself */
#define WORDS_MAX_SQUARE 5 /* ... a bare square, which may stand in chat by chance */
#define NAMES_MAX 3        /* words behind a greeting or in front of a colon */
#define NUMBER_MAX 6       /* digits of a game's number */
#define COUNT_MAX 3        /* bytes of "12" or "2d" behind a move: the time that it took */

#define LEADS (TALK(TALK_PLAY) | TALK(TALK_DONE) | TALK(TALK_MOVE))
#define FOLLOWS (TALK(TALK_AFTER) | TALK(TALK_UNIT) | TALK(TALK_SO))

/* ---- in front of the move ---- */

/* What the words up to the move have been found to hold, from the right. */
struct lead {
	uint64_t seen;
	size_t stop;  /* the item at which the search ended */
	bool stopped; /* it did, before the clause began */
	unsigned side;
};

/* Goes back from TO over words that lead to a move. False if one does not. */
static bool walk_back(const struct view *view, size_t from, size_t to, struct lead *lead)
{
	const uint64_t leading = LEADS | TALK(TALK_FILL) | TALK(TALK_PREP) | TALK(TALK_SO) |
				 TALK(TALK_GREET) | TALK(TALK_YOUR) | TALK(TALK_GAME) |
				 TALK(TALK_UNIT) | TALK(TALK_JOINT);
	*lead = (struct lead){.stop = to};
	while (lead->stop > from) {
		size_t i = lead->stop - 1;
		uint64_t uses = view->uses[i];
		bool word = view_item(view, i)->kind == SENTENCE_WORD;
		bool side = (uses & (TALK(TALK_WHITE) | TALK(TALK_BLACK))) != 0;
		if (word && (uses & (TALK(TALK_OWN) | TALK(TALK_WISH) | TALK(TALK_DO))) | side) {
			lead->seen |= uses;
			lead->stop = i;
			lead->stopped = true;
			return true;
		}
		if (word && !(uses & leading) && !view_item(view, i)->digits)
			return false;
		if (i + 1 == to && (uses & TALK(TALK_PREP)) && !(uses & TALK(TALK_FILL)))
			return false;
		lead->seen |= uses;
		lead->stop = i;
	}
	return true;
}

/* May nothing but these words stand before the writer, items FROM to TO? */
bool clause_opens(const struct view *view, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (!view_does(view, i, TALK(TALK_SO) | TALK(TALK_GREET) | TALK(TALK_JOINT)))
			return false;
	return true;
}

/* "Hi Anna Nd7": a greeting and a name or two. */
bool clause_is_greeting(const struct view *view, size_t from, size_t to)
{
	size_t unknown = 0;
	for (size_t i = from; i < to; i++) {
		unknown += view_is_unknown(view, i);
		if (!view_is_unknown(view, i) && !view_does(view, i, TALK(TALK_GREET)))
			return false;
	}
	return from < to && view_does(view, from, TALK(TALK_GREET)) && unknown <= NAMES_MAX;
}

/* "You think I play Nd7", but not "I send you my move Nd7". */
static bool others_act(const struct view *view, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		if (view_does(view, i, TALK(TALK_OTHERS)))
			return true;
		if (view_does(view, i, TALK(TALK_OWN)))
			return false;
	}
	return false;
}

/* "Can I play Nd7", "is my move Nd7" without a question mark; but "here is my move Nd7". */
static bool is_asked(const struct view *view, size_t from, size_t stop)
{
	if (stop == from)
		return false;
	bool may = view_does(view, stop - 1, TALK(TALK_FILL)) && stop - 1 > from;
	return view_does(view, stop - 1, TALK(TALK_YOUR)) ||
	       (view_does(view, stop - 1, TALK(TALK_ASK)) && !may);
}

/* "You refused my move Nd7": something is done to it. */
static bool is_object(
	const struct view *view, size_t from, const struct lead *lead, const struct run *run)
{
	const uint64_t acting = TALK(TALK_PLAY) | TALK(TALK_DONE) | TALK(TALK_DO) | TALK(TALK_FILL);
	for (size_t i = lead->stop; i < run->from; i++)
		if (view_does(view, i, acting) && !view_does(view, i, TALK(TALK_MOVE)))
			return false;
	for (size_t i = from; i < lead->stop; i++)
		if (view_is_unknown(view, i))
			return !clause_is_greeting(view, from, lead->stop);
	return false;
}

/* "Virtanen - Rossi 12. g5 Nd7": names in front of the repetition and the own move. */
static bool is_titled(const struct view *view, size_t from, const struct run *run)
{
	if (run->moves < 2 || run->first->number == 0 || run->from - from > NAMES_MAX)
		return false;
	for (size_t i = from; i < run->from; i++)
		if (view->uses[i] != 0 && view->uses[i] != VIEW_OWN_NAME)
			return false;
	return true;
}

/* The writer, a side, or a verb that says who it is stands at lead->stop. */
static enum grade grade_of_writer(
	const struct view *view, size_t from, const struct lead *lead, const struct run *run)
{
	size_t stop = lead->stop;
	bool verb_behind = run->to < view->sentence->n && view_does(view, run->to, TALK(TALK_PLAY));
	bool does_it = (lead->seen & (LEADS | TALK(TALK_DO))) || run->spoken || verb_behind;
	bool side = lead->seen & (TALK(TALK_WHITE) | TALK(TALK_BLACK));
	if (!does_it && is_titled(view, from, run))
		return GRADE_WEAK;
	if ((!does_it && !side) || others_act(view, from, stop) || is_asked(view, from, stop) ||
		is_object(view, from, lead, run))
		return GRADE_NONE;
	if (!does_it) /* "Black Nd7" */
		return GRADE_WEAK;
	if ((lead->seen & TALK(TALK_DONE)) && !(lead->seen & TALK(TALK_MOVE)) &&
		!clause_opens(view, from, stop))
		return GRADE_NONE;
	return lead->seen & TALK(TALK_WISH) ? GRADE_WEAK : GRADE_STRONG;
}

/* "Greetings from my castle", "Dear Mrs Castle": the word behind item I means no move. */
static bool is_building(const struct view *view, size_t i)
{
	const uint64_t meant = LEADS | TALK(TALK_OWN) | TALK(TALK_WISH) | TALK(TALK_DO) |
			       TALK(TALK_FILL) | TALK(TALK_SO) | TALK(TALK_JOINT) |
			       TALK(TALK_WHITE) | TALK(TALK_BLACK);
	const uint64_t parting =
		TALK(TALK_ARTICLE) | TALK(TALK_PREP) | TALK(TALK_UPON) | TALK(TALK_YOUR);
	return !view_does(view, i, meant) || view_does(view, i, parting) ||
	       view->uses[i] == VIEW_OWN_NAME;
}

/* The clause from FROM up to the move. */
static enum grade grade_clause(const struct view *view, size_t from, const struct run *run)
{
	struct lead lead;
	size_t to = run->from;
	if (from == to)
		return GRADE_BARE;
	/* "the b4", "I take b4": with what? */
	if (run_is_bare_square(run) &&
		view_does(view, to - 1, TALK(TALK_ARTICLE) | TALK(TALK_TAKES)))
		return GRADE_NONE;
	if ((view_uses(view, from, to) & CLAUSE_DOUBT) ||
		(run->castles && is_building(view, to - 1)))
		return GRADE_NONE;
	if (!walk_back(view, from, to, &lead))
		return clause_is_greeting(view, from, to) || is_titled(view, from, run)
			       ? GRADE_WEAK
			       : GRADE_NONE;
	if (lead.stopped)
		return grade_of_writer(view, from, &lead, run);
	if (lead.seen & (TALK(TALK_YOUR) | TALK(TALK_OTHERS)))
		return GRADE_NONE;
	bool leads = (lead.seen & (LEADS | TALK(TALK_SO) | TALK(TALK_GREET))) || run->spoken;
	return leads ? GRADE_WEAK : GRADE_NONE;
}

/* ... of which a part may be a clause by itself: "I was ill, but now I play Nd7". *FROM moves
 * to its beginning. */
enum grade clause_grade_before(const struct view *view, const struct run *run, size_t *from)
{
	size_t start = *from;
	for (size_t i = run->from; i > start; i--) {
		if (!view_does(view, i - 1, TALK(TALK_JOINT)))
			continue;
		enum grade grade = grade_clause(view, i, run);
		if (grade == GRADE_BARE && view_does(view, i - 1, TALK(TALK_SO)))
			grade = GRADE_WEAK;
		if (grade == GRADE_NONE)
			continue;
		*from = i - 1;
		return grade;
	}
	return grade_clause(view, start, run);
}

/* What stands before a colon, items FROM to TO. */
static enum grade grade_head(const struct view *view, size_t from, size_t to, const struct run *run)
{
	const struct run end = {.from = to, .to = to};
	size_t unknown = 0;
	enum grade grade = clause_grade_before(view, &end, &from);
	if (grade == GRADE_STRONG || (grade == GRADE_WEAK && from < to))
		return grade;
	uint64_t uses = view_uses(view, from, to);
	if ((uses & CLAUSE_DOUBT) ||
		(uses & (TALK(TALK_OTHERS) | TALK(TALK_YOUR) | TALK(TALK_OR))) ||
		(run_is_bare_square(run) && run->first->number == 0))
		return GRADE_NONE;
	for (size_t i = from; i < to; i++)
		unknown += view_is_unknown(view, i);
	bool meant = uses & (LEADS | TALK(TALK_DO) | TALK(TALK_SO) | TALK(TALK_OWN));
	return meant || unknown <= NAMES_MAX || run->first->number > 0 ? GRADE_WEAK : GRADE_NONE;
}

/* ---- behind the move ---- */

/* "is my move", "as my answer": items FROM to TO. */
static bool is_named(const struct view *view, size_t from, size_t to)
{
	uint64_t uses = view_uses(view, from, to);
	const uint64_t naming = TALK(TALK_OWN) | TALK(TALK_MOVE) | TALK(TALK_FILL) |
				TALK(TALK_PREP) | TALK(TALK_SO) | TALK(TALK_AFTER);
	for (size_t i = from; i < to; i++)
		if (view_item(view, i)->kind == SENTENCE_WORD && !view_does(view, i, naming))
			return false;
	return (uses & TALK(TALK_OWN)) && (uses & TALK(TALK_MOVE)) && !(uses & TALK(TALK_YOUR));
}

/* "Nd7 Bruno": one word with a capital, alone with the move. */
static bool is_signed(const struct view *view, const struct run *run, size_t end)
{
	return run->from == 0 && end == run->to + 1 && end == view->sentence->n && view->starts &&
	       view->whole && view_is_unknown(view, run->to) && view_item(view, run->to)->capital &&
	       !run->spoken && !run_is_bare_square(run);
}

/* The repetition with the own move at the start of a line: whatever follows is only a remark. */
static bool is_whole(const struct view *view, const struct run *run)
{
	return run->moves > 1 && run->first->number > 0 && run->from == 0 && view->starts;
}

/* *END moves to where what belongs to the move ends. */
enum behind clause_look_behind(
	const struct view *view, const struct run *run, enum grade grade, size_t *end)
{
	size_t stop = run->to;
	while (stop < *end && !view_does(view, stop, TALK(TALK_JOINT)))
		stop++;
	if (stop < *end && stop == run->to && view_does(view, stop, TALK(TALK_BUT)) &&
		grade != GRADE_STRONG)
		return BEHIND_OTHER;
	uint64_t uses = view_uses(view, run->to, stop);
	if (is_whole(view, run))
		return uses & (CLAUSE_DOUBT & ~TALK(TALK_IF)) ? BEHIND_OTHER : BEHIND_NOTHING;
	if (uses & (TALK(TALK_OR) | TALK(TALK_IF) | TALK(TALK_CANCEL)))
		return BEHIND_OTHER;
	if (is_named(view, run->to, stop)) {
		*end = stop;
		return BEHIND_NAMED;
	}
	for (size_t i = run->to; i < stop; i++) {
		if (view_does(view, i, TALK(TALK_CLOSE)))
			return BEHIND_NOTHING;
		if (view_does(view, i, CLAUSE_DOUBT))
			return BEHIND_OTHER;
		bool count = view_item(view, i)->digits && view_item(view, i)->size <= COUNT_MAX;
		/* "to Anna", "for Carla" */
		if (grade == GRADE_STRONG && !run_is_bare_square(run) &&
			view_does(view, i, TALK(TALK_PREP)) && i + 1 < stop &&
			view_is_unknown(view, i + 1) && view_item(view, i + 1)->capital) {
			i++;
			continue;
		}
		if (!view_does(view, i, FOLLOWS) && !count)
			return is_signed(view, run, *end) ? BEHIND_NOTHING : BEHIND_OTHER;
	}
	*end = stop;
	return BEHIND_NOTHING;
}

/* ---- the rest of the sentence ---- */

static bool has_move(const struct view *view, size_t from)
{
	for (size_t i = from; i < view->sentence->n; i++)
		if (view_item(view, i)->kind == SENTENCE_MOVE)
			return true;
	return false;
}

/* A "perhaps" behind a whole statement counts if it is all of its clause; a condition if it is
 * none of conditional moves. */
static bool spoils_behind(const struct view *view, const struct run *run, size_t end)
{
	for (size_t i = end; i < view->sentence->n; i++) {
		size_t from = view_clause_start(view, i), to = view_clause_end(view, i);
		if (view_does(view, i, TALK(TALK_CANCEL)) ||
			(view_does(view, i, TALK(TALK_IF)) && !has_move(view, i) &&
				!is_whole(view, run)) ||
			(view_does(view, i, TALK(TALK_MAYBE) | TALK(TALK_LATER)) && to - from <= 2))
			return true;
	}
	return false;
}

/* The number of the game that items I and I + 1 name, or 0. */
unsigned clause_game_number(const struct view *view, size_t i)
{
	unsigned number = 0;
	const struct sentence_item *next = view_item(view, i + 1);
	if (!view_does(view, i, TALK(TALK_GAME)) || next->kind == SENTENCE_MOVE || !next->digits ||
		next->size > NUMBER_MAX)
		return 0;
	const char *digits = view->sentence->folded[i + 1];
	for (; *digits >= '0' && *digits <= '9'; digits++)
		number = number * 10 + (unsigned)(*digits - '0');
	return *digits ? 0 : number;
}

/* Another game's number: "In game 2 I play Nd7". */
static bool is_other_game(const struct view *view, size_t to)
{
	for (size_t i = 0; i + 1 < to; i++) {
		unsigned number = clause_game_number(view, i);
		if (number > 0 && view->context->number > 0 && number != view->context->number)
			return true;
	}
	return false;
}

static bool ends_sentence(const struct view *view, size_t i)
{
	while (i < view->sentence->n && view_is_mark(view, i))
		i++;
	return i == view->sentence->n;
}

/* The sentence around the clause from FROM to END. */
static bool is_spoilt(
	const struct view *view, const struct run *run, enum grade grade, size_t from, size_t end)
{
	const struct sentence *sentence = view->sentence;
	uint64_t before = view_uses(view, 0, from), behind = view_uses(view, end, sentence->n);
	const uint64_t always = TALK(TALK_IF) | TALK(TALK_MAYBE) | TALK(TALK_LATER) |
				TALK(TALK_CANCEL) | TALK(TALK_HEADING);
	const uint64_t doubts = TALK(TALK_NOT) | TALK(TALK_TALE) | TALK(TALK_AWAY);
	bool concludes = grade == GRADE_STRONG || (grade == GRADE_WEAK && from < run->from &&
							  view_does(view, from, TALK(TALK_JOINT)));
	if ((before & always) || spoils_behind(view, run, end) || is_other_game(view, end))
		return true;
	if (sentence->asks && (grade != GRADE_STRONG || ends_sentence(view, end)))
		return true;
	if (!concludes && (before & doubts))
		return true;
	/* "I'd like to play Nd7, but ..." */
	if (grade != GRADE_STRONG && (behind & TALK(TALK_BUT)))
		return true;
	return grade != GRADE_STRONG && (behind & (doubts | TALK(TALK_MAYBE) | TALK(TALK_LATER)));
}

/* Does nothing stand before it on its line but "Hi Anna," or "ok,"? */
static bool begins_line(const struct view *view, const struct run *run)
{
	if (!view->starts)
		return false;
	return run->from == 0 || (view_item(view, run->from - 1)->mark == ',' &&
					 (clause_is_greeting(view, 0, run->from - 1) ||
						 clause_opens(view, 0, run->from - 1)));
}

/* May a move be one that nobody is said to make? */
static bool stands_alone(const struct view *view, const struct run *run, enum grade grade)
{
	bool digits;
	bool greeted = (view_uses(view, 0, run->from) & TALK(TALK_GREET)) != 0;
	size_t words = view_count_words(view, &digits);
	/* "b) Nd7" */
	bool counted =
		run->from == 2 && view_item(view, 1)->mark == ')' && view_item(view, 0)->size == 1;
	if (view->cancelled || words > WORDS_MAX || counted ||
		(run->castles && grade == GRADE_BARE && !begins_line(view, run)))
		return false;
	if (!run_is_bare_square(run) || run->first->number > 0)
		return true;
	if (view_item(view, run->from)->capital || run->first->shape == MOVELIST_SHAPE_NUMERIC)
		return false;
	/* "so e4 it is" */
	if (grade == GRADE_WEAK && run->from > 0 && !greeted)
		return true;
	return words <= WORDS_MAX_SQUARE && !digits && (run->from == 0 || greeted) &&
	       (view->starts || view->polite);
}

/* "13. Bg5?" asks; nobody calls his own move bad. */
static bool is_questioned(const char *text, const struct run *run)
{
	const char *move = text + run->first->move_at;
	size_t size = run->first->at + run->first->size - run->first->move_at;
	return memchr(move, '?', size) && !memchr(move, '!', size);
}

enum grade clause_grade(const struct view *view, const char *text, const struct run *run)
{
	size_t from = view_clause_start(view, run->from), end = view_clause_end(view, run->to);
	bool colon = from == run->from && from > 0 && view_item(view, from - 1)->mark == ':';
	enum grade grade = clause_grade_before(view, run, &from);
	if (colon) {
		from = view_clause_start(view, from - 1);
		grade = grade_head(view, from, run->from - 1, run);
	}
	/* "Nd7 is my move" needs nothing in front. */
	enum behind behind = clause_look_behind(view, run, grade, &end);
	if (behind == BEHIND_NAMED && !(view_uses(view, from, run->from) & CLAUSE_DOUBT))
		grade = GRADE_STRONG;
	if (grade == GRADE_NONE || behind == BEHIND_OTHER || is_questioned(text, run) ||
		run->first->depth > 0 || is_spoilt(view, run, grade, from, end))
		return GRADE_NONE;
	if (grade != GRADE_STRONG && !colon && !stands_alone(view, run, grade))
		return GRADE_NONE;
	return grade;
}

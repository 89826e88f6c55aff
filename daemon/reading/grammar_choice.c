#include "daemon/reading/grammar_inside.h"

#include <string.h>

bool grammar_is_read(const struct found *found)
{
	return found->own && found->reading.own.result == MOVE_READ;
}

/* The last ply up to PLY at which the sender is on move. */
static unsigned own_ply(const struct grammar_context *context, unsigned ply)
{
	return ply > 0 && grammar_turn_at(context, ply) != context->by ? ply - 1 : ply;
}

static bool is_sure(const struct found *found)
{
	return found->own && found->repetition == REPETITION_RIGHT;
}

/* Reads at the expected ply; when that does not fit, where the game stands now, and where the
 * numbers point. Returns the ply the message speaks of. */
static unsigned read_best(struct grammar *grammar)
{
	const struct grammar_context *context = grammar->context;
	unsigned first = own_ply(context, context->ply < context->n ? context->ply : context->n);
	unsigned now = own_ply(context, context->n);
	grammar_read_ply(grammar, first);
	if (is_sure(&grammar->found))
		return first;
	struct found kept = grammar->found;
	if (now != first) {
		grammar_read_ply(grammar, now);
		if (is_sure(&grammar->found))
			return now;
		if (!kept.own && grammar->found.own)
			return now;
	}
	if (!kept.own && kept.repetition == REPETITION_NONE && kept.elsewhere) {
		if (kept.elsewhere_ply <= (long)context->n) {
			grammar_read_ply(grammar, own_ply(context, (unsigned)kept.elsewhere_ply));
			if (grammar->found.own || grammar->found.repetition != REPETITION_NONE)
				return grammar->ply;
		}
	}
	grammar->ply = first;
	grammar->found = kept;
	return first;
}

/* Is it the sender's next ply, or a later one; or the opponent's, who is to move now? */
static bool is_ahead(const struct grammar_context *context, long ply)
{
	if (ply == (long)context->n)
		return grammar_turn_at(context, context->n) != context->by;
	return ply > (long)context->n && ply <= 2000;
}

/* A move with the number of a ply that is not reached: read in the position that is. */
static bool read_future(struct grammar *grammar, unsigned *ret_ply)
{
	struct found *found = &grammar->found;
	if (found->own || found->repetition != REPETITION_NONE || !found->elsewhere ||
		!is_ahead(grammar->context, found->elsewhere_ply))
		return false;
	struct movelist_game game = grammar_game_at(grammar, grammar->ply);
	for (size_t i = 0; i < grammar->lines->n && i < STRETCHES_MAX; i++) {
		const struct text_line *line = &grammar->lines->items[i];
		struct movelist_reading reading;
		if (!line->list)
			continue;
		movelist_read(&game, grammar->text + line->part.at, line->part.size, &reading);
		if (reading.own_state != MOVELIST_OWN_FUTURE)
			continue;
		struct stretch stretch = {.text = grammar->text,
			.at = line->part.at,
			.size = line->part.size,
			.list = true};
		reading.own_state = MOVELIST_OWN_ONE;
		grammar_take_own(grammar, &stretch, &reading);
		*ret_ply = (unsigned)found->elsewhere_ply;
		return true;
	}
	return false;
}

/* ---- letters ---- */

/* Was the repetition read with letters that are not the ones asked for? */
static bool borrowed_letters(const struct found *found)
{
	return found->reading.repetition == MOVELIST_REPETITION_RIGHT &&
	       (found->reading.last_reading.warnings &
		       (MOVE_WARN_OTHER_LETTERS | MOVE_WARN_FALLBACK)) != 0;
}

/* "Kg8" for castling is an odd way to write it, if it can be read as a plain move. */
static bool is_odd_castling(const struct grammar *grammar)
{
	const struct movelist_reading *reading = &grammar->found.reading;
	struct movelist_game game = grammar_game_at(grammar, grammar->ply);
	struct position position = movelist_position(&game, grammar->ply);
	unsigned from = move_from(reading->own.move), to = move_to(reading->own.move);
	return position.board[from] == PIECE_KING && (from > to ? from - to : to - from) == 2 &&
	       reading->own_token.shape != MOVELIST_SHAPE_CASTLING;
}

/* Was the own move typed in Cyrillic letters, and read as the Latin ones that look like them? */
static bool other_script(const struct grammar *grammar)
{
	static const char *const cyrillic[] = {"ru", "uk", "bg"};
	const struct movelist_token *token = &grammar->found.reading.own_token;
	const char *move = grammar->text + grammar->found.base + token->move_at;
	const char *language = grammar->letters ? letters_language(grammar->letters) : "";
	for (size_t i = 0; i < ARRAY_SIZE(cyrillic); i++)
		if (strcmp(language, cyrillic[i]) == 0)
			return false;
	return grammar->found.own &&
	       (memchr(move, 0xD0, token->move_size) || memchr(move, 0xD1, token->move_size));
}

enum choice {
	CHOICE_FIRST = 0,
	CHOICE_SECOND,
	CHOICE_NONE, /* both are as good, and differ */
};

/* Two readings of one text, with two sets of letters. The repetition shows which letters the
 * writer uses. */
static enum choice choose(const struct grammar *a, const struct grammar *b)
{
	bool a_right = a->found.repetition == REPETITION_RIGHT;
	bool b_right = b->found.repetition == REPETITION_RIGHT;
	if (a_right != b_right)
		return b_right ? CHOICE_SECOND : CHOICE_FIRST;
	if (a->found.own && b->found.own && other_script(a) != other_script(b))
		return other_script(a) ? CHOICE_SECOND : CHOICE_FIRST;
	if (grammar_is_read(&a->found) != grammar_is_read(&b->found))
		return grammar_is_read(&b->found) ? CHOICE_SECOND : CHOICE_FIRST;
	if (!grammar_is_read(&a->found))
		return CHOICE_FIRST;
	/* A correction may be in letters that only one of them reads. */
	if (grammar_same_own(&a->found.reading, &b->found.reading))
		return b->found.corrected && !a->found.several ? CHOICE_SECOND : CHOICE_FIRST;
	if (borrowed_letters(&a->found) != borrowed_letters(&b->found))
		return borrowed_letters(&a->found) ? CHOICE_SECOND : CHOICE_FIRST;
	if (is_odd_castling(a) != is_odd_castling(b))
		return is_odd_castling(a) ? CHOICE_SECOND : CHOICE_FIRST;
	return CHOICE_NONE;
}

static unsigned read_whole(struct grammar *grammar)
{
	unsigned ply = read_best(grammar);
	(void)read_future(grammar, &ply);
	return ply;
}

/* Both readings stand: the move is ambiguous between them. */
static void set_ambiguous(struct grammar *grammar, const struct grammar *other)
{
	struct move_reading *own = &grammar->found.reading.own;
	uint16_t first = own->move;
	own->result = MOVE_AMBIGUOUS;
	own->move = MOVE_NONE;
	own->candidates[0] = first;
	own->candidates[1] = other->found.reading.own.move;
	own->n_candidates = 2;
}

#define SETS 3 /* of letters that are tried, besides those of our mails */

unsigned grammar_choose(struct grammar *grammar)
{
	const struct grammar_context *context = grammar->context;
	const struct letters *english = letters_find("en", 2);
	const struct letters *written = context->written ? context->written : english;
	/* MC-link's mails show Italian letters to everybody. */
	const struct letters *italian =
		context->system == RULES_MCLINK ? letters_find("it", 2) : NULL;
	const struct letters *const sets[SETS] = {context->letters, italian, english};
	grammar->letters = written;
	unsigned ply = read_whole(grammar);
	for (size_t i = 0; i < SETS; i++) {
		if (!sets[i] || sets[i] == written || (i > 0 && sets[i] == context->letters))
			continue;
		struct grammar other = *grammar;
		other.letters = sets[i];
		unsigned other_ply = read_whole(&other);
		enum choice choice = choose(grammar, &other);
		if (choice == CHOICE_SECOND) {
			*grammar = other;
			ply = other_ply;
		} else if (choice == CHOICE_NONE &&
			   (sets[i] == context->letters || sets[i] == italian)) {
			/* Our mails to him have other letters than his language. */
			set_ambiguous(grammar, &other);
			return ply;
		}
	}
	if (!is_sure(&grammar->found)) {
		struct grammar any = *grammar;
		any.letters = NULL;
		unsigned any_ply = read_whole(&any);
		if (is_sure(&any.found) && grammar_is_read(&any.found)) {
			*grammar = any;
			ply = any_ply;
		}
	}
	return ply;
}

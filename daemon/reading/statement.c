#include "daemon/reading/statement.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/reading/chat.h"
#include "daemon/reading/moveline.h"

#define SIZE_MAX_LINE ((size_t)1000)
#define WORDS_MAX 14 /* of a line that states a move: nobody hides his move in a long sentence */
#define WORDS_MAX_SQUARE 5 /* ... a bare square, which may stand in chat by chance */

/* In front of the move: "I will play", "my move is". */
static const char *const leading[] = {"play", "move", "answer", "reply", "respond", "continue",
	"choose", "go", "try", "take", "gioco", "mossa", "muovo", "rispondo", "risposta", "siirto",
	"siirtoni", "siirrän", "pelaan", "vastaan", "vastaus", "vastaukseni", "ход", "хожу",
	"играю", "отвечаю", "ответ"};
static const char *const between[] = {"is", "with", "now", "on", "è", "con", "ora", "nyt"};
/* Behind the move, when it ends a phrase without a mark. */
static const char *const trailing[] = {"now", "here", "please", "thanks", "thank", "and", "it"};
/* Words that begin an English phrase about oneself. */
static const char *const own_words[] = {"i", "i'll", "my", "we", "let's", "here", "please"};
static const char *const english[] = {
	"play", "move", "answer", "reply", "respond", "continue", "choose", "go", "try", "take"};
static const char *const others[] = {
	"you", "your", "he", "his", "she", "her", "they", "their", "opponent", "opponent's"};
static const char *const greeting[] = {"hi", "hello", "hey", "dear", "thanks", "thank", "ok",
	"okay", "well", "hmm", "yes", "good", "so", "sorry"};
static const char *const doubting[] = {"or", "should", "can", "can't", "cannot", "want", "wanted",
	"planned", "planning", "hope", "i'd", "always", "usually", "normally", "often", "other",
	"looks", "looked", "look", "seems", "like", "likes", "loses", "lost", "wins", "won",
	"threatens", "threatening", "avoid", "prevent", "prevents", "allow", "allows", "yesterday",
	"today", "saw", "when", "until", "before", "unless", "let", "no"};
static const char *const correcting[] = {"mean", "meant", "correction", "oops", "mistake", "typo"};
static const char *const retracting[] = {"sorry", "no", "wait"};
static const char *const choosing[] = {"or", "maybe", "perhaps", "either"};

#define IS_ONE_OF(word, list) is_one_of(word, list, ARRAY_SIZE(list))

static bool is_one_of(const char *word, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(word, list[i]) == 0)
			return true;
	return false;
}

/* What a line holds besides moves, gathered word by word. */
struct facts {
	size_t words, digits; /* words; words with digits in them */
	bool doubt, others, own, correction;
	bool only_choice; /* no word but "or" and the like */
	bool greeted;     /* the first word is a greeting */
	bool retracts;    /* ... "sorry" or "no" */
};

static void take_word(struct facts *facts, const char *word)
{
	facts->greeted |= facts->words == 0 && IS_ONE_OF(word, greeting);
	facts->words++;
	facts->digits += strcspn(word, "0123456789") < strlen(word);
	facts->retracts |= facts->words == 1 && IS_ONE_OF(word, retracting);
	facts->doubt |= IS_ONE_OF(word, doubting) && !(facts->words == 1 && facts->retracts);
	facts->others |= IS_ONE_OF(word, others);
	facts->own |= IS_ONE_OF(word, own_words);
	facts->correction |= IS_ONE_OF(word, correcting);
	facts->only_choice &= IS_ONE_OF(word, choosing);
}

static void take_words(struct facts *facts, const char *text, size_t size)
{
	char word[CHAT_WORD_MAX];
	size_t start;
	for (size_t at = 0; chat_next_word(text, size, &at, &start, word);)
		take_word(facts, word);
}

/* The last two words in front of the move are "play" or "move is"; ret_english if the phrase
 * must be about oneself. */
static bool is_led(const char *text, size_t size, bool *ret_english)
{
	char word[CHAT_WORD_MAX], before[CHAT_WORD_MAX] = "", last[CHAT_WORD_MAX] = "";
	size_t start;
	for (size_t at = 0; chat_next_word(text, size, &at, &start, word);) {
		memcpy(before, last, sizeof(before));
		memcpy(last, word, sizeof(last));
	}
	const char *lead = IS_ONE_OF(last, between) ? before : last;
	*ret_english = IS_ONE_OF(lead, english);
	return IS_ONE_OF(lead, leading);
}

static bool is_blank(char c)
{
	return strchr(" \t*_~\"'", c) != NULL;
}

/* Does a clause begin or end there? */
static bool is_mark(char c)
{
	return strchr(".!,;:()-", c) != NULL;
}

/* Where the text before the move ends, blanks off. */
static size_t end_before(const char *line, const struct movelist_token *token)
{
	size_t end = token->at;
	while (end > 0 && is_blank(line[end - 1]))
		end--;
	return end;
}

static size_t start_behind(const char *line, size_t size, const struct movelist_token *token)
{
	size_t at = token->at + token->size;
	while (at < size && is_blank(line[at]))
		at++;
	return at;
}

/* "Nd7 is my move" */
static bool is_named(const char *text, size_t size)
{
	static const char *const nouns[] = {"move", "answer", "reply", "choice"};
	char word[CHAT_WORD_MAX];
	size_t at = 0, start;
	return chat_next_word(text, size, &at, &start, word) && strcmp(word, "is") == 0 &&
	       chat_next_word(text, size, &at, &start, word) && strcmp(word, "my") == 0 &&
	       chat_next_word(text, size, &at, &start, word) && IS_ONE_OF(word, nouns);
}

/* Is the move the last thing of its clause? */
static bool ends_clause(const char *line, size_t size, const struct movelist_token *token)
{
	char word[CHAT_WORD_MAX];
	size_t at = start_behind(line, size, token), from = 0, start;
	if (at == size || is_mark(line[at]) || is_mark(line[token->at + token->size - 1]))
		return true;
	return is_named(line + at, size - at) ||
	       (chat_next_word(line + at, size - at, &from, &start, word) && start == 0 &&
		       IS_ONE_OF(word, trailing));
}

static bool is_bare_square(const struct movelist_token *token)
{
	return token->shape == MOVELIST_SHAPE_SQUARE || token->shape == MOVELIST_SHAPE_FILES ||
	       token->shape == MOVELIST_SHAPE_NUMERIC;
}

/* Is it the own move? It is the only one of the line, and nothing there is in doubt. */
static bool states(const char *line, size_t size, const struct movelist_token *token,
	const struct facts *facts)
{
	size_t end = end_before(line, token);
	/* What follows a colon is for moveline.h. */
	bool is_english, starts = end == 0,
			 clause = starts || (is_mark(line[end - 1]) && line[end - 1] != ':');
	if (token->depth > 0 || facts->words > WORDS_MAX || !ends_clause(line, size, token))
		return false;
	if (is_led(line, end, &is_english) && !clause)
		return !facts->others && (facts->own || !is_english);
	if (!clause)
		return false;
	return !is_bare_square(token) || (facts->words <= WORDS_MAX_SQUARE && facts->digits == 0 &&
						 (starts || facts->greeted));
}

bool statement_is_clause(const char *line, size_t size, size_t at, size_t n)
{
	const struct movelist_token run = {.at = at, .size = n};
	struct facts facts = {.only_choice = true};
	size_t end = end_before(line, &run), behind = at + n;
	if (size > SIZE_MAX_LINE || memchr(line, '?', size))
		return false;
	take_words(&facts, line, at);
	take_words(&facts, line + behind, size - behind);
	bool begins = end == 0 || (is_mark(line[end - 1]) && line[end - 1] != ':');
	return begins && ends_clause(line, size, &run) && facts.words <= WORDS_MAX &&
	       !facts.doubt && !facts.others && !facts.correction;
}

struct statement statement_find(const char *line, size_t size)
{
	struct movelist_scan scan = movelist_scan(line, size);
	struct movelist_token token;
	struct statement found = {.kind = STATEMENT_NONE};
	struct facts facts = {.only_choice = true};
	size_t moves = 0, from = 0;
	bool asks = false;
	if (size > SIZE_MAX_LINE)
		return found;
	while (movelist_next(&scan, &token)) {
		if (!moveline_is_move(&token))
			continue;
		take_words(&facts, line + from, token.at - from);
		asks |= memchr(line + from, '?', token.at - from) != NULL;
		from = token.at + token.size;
		if (moves++ == 0)
			found.first = token;
		else if (moves == 2)
			found.second = token;
	}
	if (moves == 0)
		return found;
	take_words(&facts, line + from, size - from);
	asks |= memchr(line + from, '?', size - from) != NULL;
	bool hedged = (chat_words(line, size) & CHAT_HEDGES) || chat_condition(line, size) < size;
	if (asks)
		found.kind = STATEMENT_NONE;
	else if (moves == 2 && facts.words > 0 && facts.only_choice)
		found.kind = STATEMENT_CHOICE;
	else if (facts.correction)
		found.kind = STATEMENT_CORRECTION;
	else if (moves == 1 && !hedged && !facts.doubt && states(line, size, &found.first, &facts))
		found.kind = STATEMENT_MOVE;
	found.retracts = facts.retracts;
	return found;
}

bool statement_second(const char *list, size_t size, const struct position *position,
	const struct letters *letters, const struct movelist_reading *reading,
	struct movelist_token *ret_token)
{
	struct movelist_scan scan = movelist_scan(list, size);
	struct move_reading other;
	size_t end = reading->own_token.at + reading->own_token.size;
	while (movelist_next(&scan, ret_token)) {
		/* The own move may span what are several tokens to this scan. */
		if (ret_token->at < end || ret_token->kind != MOVELIST_MOVE)
			continue;
		bool apart = ret_token->line > reading->own_token.line ||
			     memchr(list + end - 1, ',', ret_token->at - end + 1);
		return apart && ret_token->number == 0 &&
		       move_read(position, letters, list + ret_token->move_at, ret_token->move_size,
			       &other) == MOVE_READ &&
		       other.move != reading->own.move;
	}
	return false;
}

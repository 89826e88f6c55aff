#include "daemon/reading/spoken.h"

#include <string.h>

#include "core/fold.h"
#include "core/moveform.h"
#include "daemon/reading/word.h"

#define WORDS_MAX 400 /* of a line; what lies behind is not rewritten */
#define OUT_MAX 24
#define PLAIN_MAX 8
#define PIECE_LETTERS "KQRBNDTLACFSPJVGHWO" /* of some language */

static const char *const figurines[] = {"♔", "♕", "♖", "♗", "♘", "♙"};

#define PHRASES_MAX 3 /* that begin with one word */

struct found_phrase {
	const struct talk_phrase *phrase;
	size_t words;
};

struct found_phrases {
	struct found_phrase phrases[PHRASES_MAX];
	size_t n;
};

/* A line taken apart, for one language at a time. */
struct speech {
	const struct talk *talk;
	size_t language;
	char *line;
	size_t size;
	struct word words[WORDS_MAX];
	const char *folded[WORDS_MAX];
	char plain[WORDS_MAX][PLAIN_MAX]; /* short words in Latin letters; else "" */
	struct found_phrases found[WORDS_MAX];
	size_t n;
};

/* A move that is being read. */
struct spoken {
	size_t next; /* word behind what has been read */
	char out[OUT_MAX];
	size_t n;
	bool verb; /* "to", "takes", an arrow */
};

static void put(struct spoken *spoken, const char *text, size_t size)
{
	if (spoken->n + size >= OUT_MAX)
		return;
	memcpy(spoken->out + spoken->n, text, size);
	spoken->n += size;
}

static void put_char(struct spoken *spoken, char c)
{
	put(spoken, &c, 1);
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c;
}

/* ---- what lies between words ---- */

/* The bytes between word I - 1 and word I. */
static size_t gap_at(const struct speech *speech, size_t i, const char **ret)
{
	size_t from = i > 0 ? speech->words[i - 1].at + speech->words[i - 1].size : 0;
	size_t to = i < speech->n ? speech->words[i].at : speech->size;
	*ret = speech->line + from;
	return to - from;
}

/* Is there nothing between word I - 1 and word I but blanks and these characters? */
static bool gap_is(const struct speech *speech, size_t i, const char *marks)
{
	const char *gap;
	size_t n = gap_at(speech, i, &gap);
	for (size_t k = 0; k < n; k++)
		if (!strchr(" \t", gap[k]) && !strchr(marks, gap[k]))
			return false;
	return true;
}

static bool gap_is_arrow(const struct speech *speech, size_t i)
{
	static const char *const arrows[] = {"->", "-->", ">", "=>", "→", "➔", "➡", "⇒"};
	const char *gap;
	size_t n = gap_at(speech, i, &gap);
	while (n > 0 && *gap == ' ') {
		gap++;
		n--;
	}
	while (n > 0 && gap[n - 1] == ' ')
		n--;
	for (size_t k = 0; k < ARRAY_SIZE(arrows); k++)
		if (n == strlen(arrows[k]) && memcmp(gap, arrows[k], n) == 0)
			return true;
	return false;
}

/* Does a clause end behind word I - 1? */
static bool ends_at(const struct speech *speech, size_t i)
{
	const char *gap;
	size_t n = gap_at(speech, i, &gap);
	for (size_t k = 0; k < n; k++)
		if (strchr(".,;!?()", gap[k]))
			return true;
	return i == speech->n || memmem(gap, n, " - ", 3) != NULL;
}

/* Does a clause begin with word I? */
static bool begins_at(const struct speech *speech, size_t i)
{
	const char *gap;
	size_t n = gap_at(speech, i, &gap);
	for (size_t k = 0; k < n; k++)
		if (strchr(".,;:!?()-", gap[k]))
			return true;
	return i == 0;
}

/* ---- words ---- */

/* The phrase of a use that begins at word I, of the language; returns its words, or 0. */
static size_t match(const struct speech *speech, size_t i, uint64_t uses)
{
	for (size_t k = 0; i < speech->n && k < speech->found[i].n; k++) {
		const struct found_phrase *found = &speech->found[i].phrases[k];
		if (talk_uses(speech->talk, found->phrase, speech->language) & uses)
			return found->words;
	}
	return 0;
}

/* Looks phrases up once for all languages, longer ones first. */
static void find_phrases(struct speech *speech, size_t i)
{
	struct found_phrases *found = &speech->found[i];
	size_t n = 1;
	found->n = 0;
	/* No phrase goes over a mark. */
	while (n < TALK_WORDS_MAX && i + n < speech->n && gap_is(speech, i + n, "-"))
		n++;
	while (n > 0 && found->n < PHRASES_MAX) {
		struct found_phrase *next = &found->phrases[found->n];
		next->words = talk_match(speech->talk, speech->folded + i, n, &next->phrase);
		if (next->words == 0)
			break;
		found->n++;
		n = next->words - 1;
	}
}

static size_t match_piece(const struct speech *speech, size_t i, enum talk_use *ret_piece)
{
	for (int use = TALK_KING; use <= TALK_PAWN; use++) {
		size_t n = match(speech, i, TALK(use));
		if (n > 0) {
			*ret_piece = (enum talk_use)use;
			return n;
		}
	}
	return 0;
}

/* "the", "on the", "your". */
static size_t skip_upon(const struct speech *speech, size_t i)
{
	size_t n;
	while ((n = match(speech, i, TALK(TALK_UPON))) > 0 && gap_is(speech, i + n, ""))
		i += n;
	return i;
}

static const char *bytes(const struct speech *speech, size_t i)
{
	return speech->line + speech->words[i].at;
}

/* A word as if it were typed in Latin letters; "" if it is longer than anything in notation. */
static const char *plain(const struct speech *speech, size_t i)
{
	return i < speech->n ? speech->plain[i] : "";
}

static void make_plain(const char *text, size_t size, char out[PLAIN_MAX])
{
	size_t n = 0, at = 0;
	while (at < size && n + 1 < PLAIN_MAX) {
		uint32_t symbol = fold_decode(text, size, &at);
		uint32_t twin = symbol < 0x80 ? symbol : fold_latin_twin(symbol);
		if (!twin)
			break;
		out[n++] = (char)twin;
	}
	out[at < size ? 0 : n] = '\0';
}

static bool is_file(char c)
{
	return lower(c) >= 'a' && lower(c) <= 'h';
}

static bool is_rank(char c)
{
	return c >= '1' && c <= '8';
}

/* "d5" as a word. */
static bool is_square(const struct speech *speech, size_t i)
{
	const char *text = plain(speech, i);
	return strlen(text) == 2 && is_file(text[0]) && is_rank(text[1]);
}

static bool is_file_word(const struct speech *speech, size_t i)
{
	return strlen(plain(speech, i)) == 1 && is_file(*plain(speech, i));
}

/* A digit or its word: '1'-'8', or 0. */
static char rank_word(const struct speech *speech, size_t i)
{
	if (strlen(plain(speech, i)) == 1 && is_rank(*plain(speech, i)))
		return *plain(speech, i);
	for (int use = TALK_ONE; use <= (int)TALK_EIGHT; use++)
		if (match(speech, i, TALK(use)) == 1)
			return (char)('1' + use - TALK_ONE);
	return 0;
}

/* "d7:ään" */
static void take_ending(const struct speech *speech, struct spoken *spoken)
{
	const char *gap;
	size_t i = spoken->next;
	if (i < speech->n && gap_at(speech, i, &gap) == 1 && *gap == ':' &&
		match(speech, i, TALK(TALK_UPON)) == 1)
		spoken->next++;
}

/* "d5", "d 5", "d five", "d-5". FOLLOWS: it belongs to the words before. */
static bool take_square(const struct speech *speech, struct spoken *spoken, bool follows)
{
	size_t i = spoken->next;
	if (follows && !gap_is(speech, i, "-") && !gap_is_arrow(speech, i))
		return false;
	if (is_square(speech, i)) {
		put_char(spoken, lower(plain(speech, i)[0]));
		put_char(spoken, plain(speech, i)[1]);
		spoken->next = i + 1;
		take_ending(speech, spoken);
		return true;
	}
	char rank = is_file_word(speech, i) && gap_is(speech, i + 1, "-") ? rank_word(speech, i + 1)
									  : 0;
	if (!rank)
		return false;
	put_char(spoken, lower(*plain(speech, i)));
	put_char(spoken, rank);
	spoken->next = i + 2;
	return true;
}

static bool take_verb(const struct speech *speech, struct spoken *spoken)
{
	size_t i = spoken->next, n;
	if (i < speech->n && gap_is_arrow(speech, i)) {
		spoken->verb = true;
		return true;
	}
	if (!gap_is(speech, i, "-"))
		return false;
	n = match(speech, i, TALK(TALK_TAKES));
	if (n > 0)
		put_char(spoken, 'x');
	else
		n = match(speech, i, TALK(TALK_TO));
	spoken->verb |= n > 0;
	spoken->next += n;
	return n > 0;
}

/* What is taken may be named: "the pawn on". */
static void skip_victim(const struct speech *speech, struct spoken *spoken)
{
	enum talk_use piece;
	size_t i = skip_upon(speech, spoken->next), n = match_piece(speech, i, &piece);
	if (n > 0 && gap_is(speech, i + n, ""))
		i = skip_upon(speech, i + n);
	if (gap_is(speech, i, ""))
		spoken->next = i;
}

/* "promotes to a queen", "= queen", "queen" behind a step to the last rank. */
static void take_promotion(const struct speech *speech, struct spoken *spoken)
{
	enum talk_use piece;
	size_t i = spoken->next, n;
	char rank = spoken->n > 0 ? spoken->out[spoken->n - 1] : '\0';
	if ((rank != '1' && rank != '8') || i >= speech->n || !gap_is(speech, i, "=/(,-"))
		return;
	while ((n = match(speech, i, TALK(TALK_PROMOTES))) > 0 && gap_is(speech, i + n, ""))
		i += n;
	i = skip_upon(speech, i);
	n = match_piece(speech, i, &piece);
	/* A comma parts it from what is no promotion: "e8, queen and king are mated". */
	if (n == 0 || piece == TALK_KING || piece == TALK_PAWN ||
		(i == spoken->next && !gap_is(speech, i, "=/(-")))
		return;
	put_char(spoken, '=');
	put(spoken, figurines[piece - TALK_KING], strlen(figurines[0]));
	spoken->next = i + n;
}

/* Behind the piece: "d7", "to d7", "f6 to d7", "from f6 to d7", "b to d7", "takes the pawn on
 * d5". BEGINS: "on d7" will do for "to d7". */
static bool take_way(const struct speech *speech, struct spoken *spoken, bool begins)
{
	size_t i = spoken->next, n = match(speech, i, TALK(TALK_FROM));
	struct spoken first = *spoken;
	if (!gap_is(speech, i, "-"))
		return false;
	first.next += n;
	bool source = take_square(speech, &first, true);
	if (source) {
		struct spoken second = first;
		bool verb = take_verb(speech, &second);
		if (verb)
			skip_victim(speech, &second);
		if ((verb || gap_is(speech, second.next, "-")) &&
			take_square(speech, &second, true)) {
			*spoken = second;
			return true;
		}
		/* Only the square of arrival. */
		if (n == 0)
			*spoken = first;
		return n == 0;
	}
	if (n > 0)
		return false;
	/* A file that tells two pieces apart, unless it is a word: "caballo a d7" */
	first = *spoken;
	if (match(speech, first.next, TALK(TALK_TO)) == 0 && is_file_word(speech, first.next)) {
		put_char(&first, lower(*plain(speech, first.next)));
		first.next++;
	}
	if (take_verb(speech, &first))
		skip_victim(speech, &first);
	else if (first.next == spoken->next && begins)
		first.next = skip_upon(speech, first.next);
	if (!take_square(speech, &first, true))
		return false;
	*spoken = first;
	return true;
}

/* A letter of notation with what it knows of its square: "N", "Nf6", "Qd1", "Nc"; in Cyrillic
 * the letter alone. */
static bool is_fragment(const struct speech *speech, size_t i)
{
	static const char *const cyrillic[] = {"КР", "Ф", "Л", "С", "К"};
	const char *text = plain(speech, i);
	size_t size = strlen(text);
	for (size_t k = 0; k < ARRAY_SIZE(cyrillic); k++)
		if (speech->words[i].capital && strcmp(speech->folded[i], cyrillic[k]) == 0)
			return true;
	return size > 0 && size <= 3 && strchr(PIECE_LETTERS, text[0]) && !is_square(speech, i) &&
	       (size < 2 || is_file(text[1])) && (size < 3 || is_rank(text[2]));
}

/* ---- whole moves, each from word I on ---- */

/* "put the knight on d7" */
static bool follows_verb(const struct speech *speech, size_t i)
{
	while (i > 0 && gap_is(speech, i, "")) {
		i--;
		if (match(speech, i, TALK(TALK_PLAY)) == 1)
			return true;
		if (match(speech, i, TALK(TALK_UPON)) != 1)
			return false;
	}
	return false;
}

static bool read_piece(const struct speech *speech, size_t i, struct spoken *spoken)
{
	enum talk_use piece;
	size_t n = match_piece(speech, i, &piece);
	if (n == 0)
		return false;
	put(spoken, figurines[piece - TALK_KING], strlen(figurines[0]));
	spoken->next = i + n;
	if (!take_way(speech, spoken, begins_at(speech, i) || follows_verb(speech, i)))
		return false;
	take_promotion(speech, spoken);
	return true;
}

/* "e pawn takes d5", "e-pawn to e4" */
static bool read_pawn(const struct speech *speech, size_t i, struct spoken *spoken)
{
	size_t n = is_file_word(speech, i) && gap_is(speech, i + 1, "-")
			   ? match(speech, i + 1, TALK(TALK_PAWN))
			   : 0;
	char file = lower(*plain(speech, i));
	if (n == 0)
		return false;
	spoken->next = i + 1 + n;
	struct spoken way = *spoken;
	if (!take_way(speech, &way, false))
		return false;
	if (way.n > 0 && way.out[0] == 'x')
		put_char(spoken, file);
	else if (way.n == 2 && way.out[0] != file)
		return false;
	put(spoken, way.out, way.n);
	spoken->next = way.next;
	spoken->verb = way.verb;
	take_promotion(speech, spoken);
	return true;
}

/* "Nf6 to d7", "N -> d7", "Q takes d5" */
static bool read_fragment(const struct speech *speech, size_t i, struct spoken *spoken)
{
	if (!is_fragment(speech, i))
		return false;
	put(spoken, bytes(speech, i), speech->words[i].size);
	spoken->next = i + 1;
	if (!take_verb(speech, spoken))
		return false;
	skip_victim(speech, spoken);
	return take_square(speech, spoken, true);
}

/* "e2 to e4", "from e2 to e4", "e5 takes d6", "e takes d6", "e takes d" */
static bool read_squares(const struct speech *speech, size_t i, struct spoken *spoken)
{
	size_t n = match(speech, i, TALK(TALK_FROM));
	spoken->next = i + n;
	bool file = n == 0 && is_file_word(speech, i);
	if (!take_square(speech, spoken, n > 0)) {
		if (!file)
			return false;
		put_char(spoken, lower(*plain(speech, i)));
		spoken->next = i + 1;
	} else {
		file = false;
	}
	if (!take_verb(speech, spoken) || (file && spoken->out[1] != 'x'))
		return false;
	skip_victim(speech, spoken);
	if (!take_square(speech, spoken, true)) {
		if (!file || !is_file_word(speech, spoken->next))
			return false;
		put_char(spoken, lower(*plain(speech, spoken->next)));
		spoken->next++;
	}
	take_promotion(speech, spoken);
	return true;
}

/* "takes on d5 with the queen" */
static bool read_taking(const struct speech *speech, size_t i, struct spoken *spoken)
{
	enum talk_use piece;
	size_t n = match(speech, i, TALK(TALK_TAKES)), m;
	struct spoken square = {.next = i + n};
	if (n == 0)
		return false;
	skip_victim(speech, &square);
	if (!take_square(speech, &square, true))
		return false;
	size_t behind = skip_upon(speech, square.next);
	m = match_piece(speech, behind, &piece);
	if (behind == square.next || m == 0 || !gap_is(speech, square.next, ""))
		return false;
	put(spoken, figurines[piece - TALK_KING], strlen(figurines[0]));
	put_char(spoken, 'x');
	put(spoken, square.out, square.n);
	spoken->next = behind + m;
	spoken->verb = true;
	return true;
}

static bool read_castling(const struct speech *speech, size_t i, struct spoken *spoken)
{
	static const struct {
		enum talk_use use;
		const char *text;
	} castlings[] = {
		{TALK_SHORT, "O-O"}, {TALK_LONG, "OOO"}, {TALK_CASTLING, MOVEFORM_CASTLES}};
	size_t longest = 0;
	for (size_t k = 0; k < ARRAY_SIZE(castlings); k++) {
		size_t n = match(speech, i, TALK(castlings[k].use));
		if (n <= longest)
			continue;
		longest = n;
		spoken->n = 0;
		put(spoken, castlings[k].text, strlen(castlings[k].text));
	}
	spoken->next = i + longest;
	spoken->verb = true;
	return longest > 0;
}

/* A pawn's move in notation, and its promotion in words: "axb8 promoting to a queen" */
static bool read_promotion(const struct speech *speech, size_t i, struct spoken *spoken)
{
	const char *text = plain(speech, i);
	size_t size = strlen(text);
	if (size < 2 || !is_file(text[0]))
		return false;
	for (size_t k = 1; k < size; k++)
		if (!is_file(text[k]) && !is_rank(text[k]) && text[k] != 'x')
			return false;
	put(spoken, text, size);
	spoken->next = i + 1;
	take_promotion(speech, spoken);
	return spoken->n > size;
}

/* "Nd 7", "N d 7": a blank that a telephone has put there. */
static bool read_parted(const struct speech *speech, size_t i, struct spoken *spoken)
{
	const struct word *word = &speech->words[i];
	size_t size = strlen(plain(speech, i)), k = i + 1;
	if (!is_fragment(speech, i) || size > 2)
		return false;
	put(spoken, bytes(speech, i), word->size);
	if (size < 2) {
		if (!is_file_word(speech, k) || !gap_is(speech, k, ""))
			return false;
		put_char(spoken, lower(*plain(speech, k)));
		k++;
	}
	if (strlen(plain(speech, k)) != 1 || !is_rank(*plain(speech, k)) ||
		!gap_is(speech, k, "") || !ends_at(speech, k + 1))
		return false;
	put_char(spoken, *plain(speech, k));
	spoken->next = k + 1;
	return true;
}

/* "e 4" or "e four", if there is nothing else but a number in front. */
static bool read_alone(const struct speech *speech, size_t i, struct spoken *spoken)
{
	spoken->next = i;
	if (i > 1 || !is_file_word(speech, i) || !take_square(speech, spoken, false) ||
		spoken->next != speech->n)
		return false;
	return i == 0 || (speech->words[0].digits && speech->words[0].size < 4);
}

/* "Knd7": an abbreviation of two letters and more. */
static bool read_glued(const struct speech *speech, size_t i, struct spoken *spoken)
{
	const struct word *word = &speech->words[i];
	const struct talk_phrase *phrase;
	char folded[WORD_MAX];
	const char *list[] = {folded};
	size_t size = strlen(word->folded);
	if (size < 4 || !is_file(word->folded[size - 2]) || !is_rank(word->folded[size - 1]))
		return false;
	memcpy(folded, word->folded, size - 2);
	folded[size - 2] = '\0';
	if (talk_match(speech->talk, list, 1, &phrase) == 0)
		return false;
	uint64_t uses = talk_uses(speech->talk, phrase, speech->language);
	for (int use = TALK_KING; use <= TALK_PAWN; use++) {
		if (!(uses & TALK(use)))
			continue;
		/* There is room for an English letter at least. */
		if (size > strlen(figurines[0]) + 1)
			put(spoken, figurines[use - TALK_KING], strlen(figurines[0]));
		else
			put_char(spoken, "KQRBNP"[use - TALK_KING]);
		put_char(spoken, lower(word->folded[size - 2]));
		put_char(spoken, word->folded[size - 1]);
		spoken->next = i + 1;
		return true;
	}
	return false;
}

/* May a move in words begin here at all? */
static bool may_begin(const struct speech *speech, size_t i)
{
	return speech->found[i].n > 0 || *plain(speech, i) || is_fragment(speech, i);
}

static struct spoken read_any(const struct speech *speech, size_t i)
{
	static bool (*const readers[])(const struct speech *, size_t, struct spoken *) = {
		read_piece, read_pawn, read_fragment, read_squares, read_taking, read_castling,
		read_promotion, read_parted, read_alone, read_glued};
	struct spoken best = {.next = i};
	for (size_t k = 0; k < ARRAY_SIZE(readers); k++) {
		struct spoken spoken = {.next = i};
		if (readers[k](speech, i, &spoken) && spoken.n > 0 && spoken.next > best.next)
			best = spoken;
	}
	return best;
}

/* Writes the notation over the words from I on. */
static void write_over(struct speech *speech, size_t i, const struct spoken *spoken)
{
	const struct word *last = &speech->words[spoken->next - 1];
	char *start = speech->line + speech->words[i].at;
	size_t room = last->at + last->size - speech->words[i].at;
	if (spoken->n > room)
		return;
	memcpy(start, spoken->out, spoken->n);
	memset(start + spoken->n, SPOKEN_FILLER, room - spoken->n);
}

static void take_apart(struct speech *speech)
{
	speech->n = 0;
	for (size_t at = 0; speech->n < WORDS_MAX &&
			    word_next(speech->line, speech->size, &at, &speech->words[speech->n]);
		speech->n++) {
		const struct word *word = &speech->words[speech->n];
		speech->folded[speech->n] = word->folded;
		make_plain(speech->line + word->at, word->size, speech->plain[speech->n]);
	}
	for (size_t i = 0; i < speech->n; i++)
		find_phrases(speech, i);
}

void spoken_rewrite(const struct talk *talk, char *line, size_t size)
{
	struct speech speech = {.talk = talk, .line = line, .size = size};
	take_apart(&speech);
	for (size_t i = 0; i < speech.n; i++) {
		struct spoken best = {.next = i};
		for (size_t k = 0; may_begin(&speech, i) && k < talk_languages(talk); k++) {
			speech.language = k;
			struct spoken spoken = read_any(&speech, i);
			if (spoken.next > best.next)
				best = spoken;
		}
		if (best.n == 0)
			continue;
		write_over(&speech, i, &best);
		i = best.next - 1;
	}
}

bool spoken_is_castles(const char *text, size_t size)
{
	return memmem(text, size, MOVEFORM_CASTLES, strlen(MOVEFORM_CASTLES)) != NULL;
}

bool spoken_is(const char *text, size_t size)
{
	return memchr(text, SPOKEN_FILLER, size) != NULL || spoken_is_castles(text, size);
}

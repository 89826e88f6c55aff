/* Comparison of a mail with what we sent, for lines.h. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/reading/lines.h"

#define BROKEN_MAX ((size_t)300) /* of the two halves of a reply line */
#define NOWHERE SIZE_MAX
#define WORDS_MAX ((size_t)200000)
#define CANDIDATES_MAX 64 /* places of one word that are tried */
#define RUN_MIN 4         /* so many words in a row are no chance */
#define WITNESS_LINES 60
#define ALONE_MIN 12 /* ... and so many are ours even without their neighbours */

struct word {
	uint64_t hash;
	size_t next; /* place of the same word before this one */
	bool starts_line;
};

/* All words that we sent, in order, and where each of them stands. */
struct sent {
	struct word *words;
	size_t n;
	size_t *heads;
	size_t mask;
};

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static uint64_t hash_bytes(const char *text, size_t size)
{
	uint64_t hash = 1469598103934665603U;
	for (size_t i = 0; i < size; i++)
		hash = (hash ^ (unsigned char)text[i]) * 1099511628211U;
	return hash;
}

/* The next word of a line; false at its end. */
static bool next_word(const char *text, size_t size, size_t *at, size_t *ret_start)
{
	while (*at < size && is_space(text[*at]))
		(*at)++;
	*ret_start = *at;
	while (*at < size && !is_space(text[*at]))
		(*at)++;
	return *at > *ret_start;
}

static void index_word(struct sent *sent, uint64_t hash, bool starts_line)
{
	size_t slot = hash & sent->mask;
	sent->words[sent->n] = (struct word){hash, sent->heads[slot], starts_line};
	sent->heads[slot] = sent->n++;
}

static size_t count_words(const char *const *texts, size_t n)
{
	size_t words = 0;
	for (size_t i = 0; i < n; i++) {
		size_t at = 0, start, size = strlen(texts[i]);
		while (next_word(texts[i], size, &at, &start))
			words++;
	}
	return words;
}

static void index_text(struct sent *sent, const char *text, size_t room)
{
	size_t size = strlen(text);
	for (size_t line = 0; line < size;) {
		const char *lf = memchr(text + line, '\n', size - line);
		size_t end = lf ? (size_t)(lf - text) : size;
		size_t at = line, start;
		bool first = true;
		while (next_word(text, end, &at, &start) && sent->n < room) {
			index_word(sent, hash_bytes(text + start, at - start), first);
			first = false;
		}
		line = end + 1;
	}
	/* No run goes on from one text into the next. */
	if (sent->n < room)
		index_word(sent, 0, true);
}

static int sent_init(struct sent *sent, const char *const *texts, size_t n)
{
	size_t words = count_words(texts, n) + n;
	if (words > WORDS_MAX)
		words = WORDS_MAX;
	size_t slots = 64;
	while (slots < words)
		slots *= 2;
	*sent = (struct sent){.mask = slots - 1};
	sent->words = calloc(words + 1, sizeof(*sent->words));
	sent->heads = malloc(slots * sizeof(*sent->heads));
	if (!sent->words || !sent->heads) {
		free(sent->words);
		free(sent->heads);
		return -ENOMEM;
	}
	for (size_t i = 0; i < slots; i++)
		sent->heads[i] = NOWHERE;
	for (size_t i = 0; i < n; i++)
		index_text(sent, texts[i], words);
	return 0;
}

static void sent_release(struct sent *sent)
{
	free(sent->words);
	free(sent->heads);
}

#define LINE_WORDS_MAX 256

/* A line of the mail taken apart. */
struct words {
	uint64_t hash[LINE_WORDS_MAX];
	size_t start[LINE_WORDS_MAX], end[LINE_WORDS_MAX];
	bool covered[LINE_WORDS_MAX];
	size_t n;
};

/* What of a line stands in our mails. */
struct match {
	size_t words, covered;
	size_t begin, end;         /* places of the first and behind the last covered word */
	size_t open_at, open_size; /* bytes from the first to the last word that is not ours */
};

static void split(const struct mail_line *line, struct words *words)
{
	size_t at = 0, start;
	words->n = 0;
	while (words->n < LINE_WORDS_MAX && next_word(line->body, line->body_size, &at, &start)) {
		words->hash[words->n] = hash_bytes(line->body + start, at - start);
		words->start[words->n] = start;
		words->end[words->n] = at;
		words->covered[words->n++] = false;
	}
}

static size_t run_length(const struct sent *sent, size_t place, const struct words *words, size_t i)
{
	size_t n = 0;
	while (i + n < words->n && place + n < sent->n &&
		sent->words[place + n].hash == words->hash[i + n])
		n++;
	return n;
}

/* Is a run from PLACE of N words enough to be ours? A whole line of ours is, however short, if
 * it is the whole line of the mail too. */
static bool run_counts(const struct sent *sent, size_t place, size_t n, const struct words *words)
{
	if (n >= RUN_MIN)
		return true;
	bool whole = n == words->n && sent->words[place].starts_line &&
		     (place + n >= sent->n || sent->words[place + n].starts_line);
	return n > 0 && whole;
}

/* The place where the longest run of ours begins that fits from word I on. EXPECTED, where the
 * run before ended, wins unless another mail of ours goes on longer: mails repeat each other. */
static size_t best_place(const struct sent *sent, const struct words *words, size_t i,
	size_t expected, size_t *ret_n)
{
	size_t best = NOWHERE, best_n = 0, tries = 0;
	if (expected != NOWHERE) {
		best_n = run_length(sent, expected, words, i);
		best = best_n > 0 ? expected : NOWHERE;
		if (i + best_n == words->n) {
			*ret_n = best_n;
			return best;
		}
	}
	for (size_t place = sent->heads[words->hash[i] & sent->mask];
		place != NOWHERE && tries < CANDIDATES_MAX; place = sent->words[place].next) {
		if (sent->words[place].hash != words->hash[i])
			continue;
		tries++;
		size_t n = run_length(sent, place, words, i);
		if (n > best_n && run_counts(sent, place, n, words)) {
			best = place;
			best_n = n;
		}
	}
	*ret_n = best_n;
	return best;
}

static struct match match_line(
	const struct sent *sent, const struct mail_line *line, size_t expected)
{
	struct words words;
	split(line, &words);
	struct match match = {.words = words.n, .begin = NOWHERE, .end = NOWHERE};
	for (size_t i = 0; i < words.n;) {
		size_t n, place = best_place(sent, &words, i, expected, &n);
		if (place == NOWHERE) {
			i++;
			continue;
		}
		if (match.begin == NOWHERE)
			match.begin = place;
		for (size_t k = 0; k < n; k++)
			words.covered[i + k] = true;
		match.covered += n;
		match.end = expected = place + n;
		i += n;
	}
	size_t first = NOWHERE, last = 0;
	for (size_t i = 0; i < words.n; i++)
		if (!words.covered[i]) {
			first = first == NOWHERE ? i : first;
			last = i;
		}
	if (first != NOWHERE) {
		match.open_at = words.start[first];
		match.open_size = words.end[last] - words.start[first];
	}
	return match;
}

/* The neighbour of line I in direction STEP that is not blank; NOWHERE if none. */
static size_t neighbour(const struct mail_lines *lines, size_t i, int step)
{
	for (size_t k = i + (size_t)step; k < lines->n; k += (size_t)step)
		if (lines->items[k].body_size > 0 && lines->items[k].state != STATE_BLANK)
			return k;
	return NOWHERE;
}

static bool is_quoted(const struct mail_line *line)
{
	return line->depth > 0;
}

/* Does line I go on where its neighbour ends, or the reverse? The neighbour must be quoted or
 * not like itself, unless both sides fit: then a long line was broken without a mark. */
static bool in_context(const struct mail_lines *lines, const struct match *matches, size_t i)
{
	size_t before = neighbour(lines, i, -1), after = neighbour(lines, i, 1);
	bool quoted = is_quoted(&lines->items[i]);
	bool follows = before != NOWHERE && matches[before].end != NOWHERE &&
		       matches[before].end == matches[i].begin;
	bool precedes = after != NOWHERE && matches[i].end != NOWHERE &&
			matches[after].begin == matches[i].end;
	return (follows && precedes) || (follows && is_quoted(&lines->items[before]) == quoted) ||
	       (precedes && is_quoted(&lines->items[after]) == quoted);
}

/* Moves that stand without a mark may have been typed, as we offer them: they are ours if the text
 * that goes on around them is words or quoted. */
static bool has_witness(const struct mail_lines *lines, const struct match *matches, size_t i)
{
	for (int step = -1; step <= 1; step += 2) {
		size_t at = i, next;
		for (int n = 0; n < WITNESS_LINES; n++, at = next) {
			next = neighbour(lines, at, step);
			if (next == NOWHERE || matches[next].begin == NOWHERE ||
				(step < 0 ? matches[next].end != matches[at].begin
					  : matches[at].end != matches[next].begin))
				break;
			const struct mail_line *line = &lines->items[next];
			bool whole = matches[next].covered == matches[next].words &&
				     matches[next].words >= RUN_MIN;
			if (is_quoted(line) ||
				(whole && !line_looks_like_move(line->body, line->body_size)))
				return true;
		}
	}
	return false;
}

/* The length of LINE's part that equals all of STEM, blanks aside; 0 if it does not begin so. */
static size_t stem_size(const char *line, size_t size, const char *stem)
{
	size_t i = 0;
	for (; *stem; stem++) {
		if (is_space(*stem))
			continue;
		while (i < size && is_space(line[i]))
			i++;
		if (i == size || line[i] != *stem)
			return 0;
		i++;
	}
	return i;
}

/* Where what was typed behind the reply line begins, over what stands for the move. */
static size_t typed_at(const struct mail_line *line, size_t stem)
{
	size_t at = stem;
	while (at < line->body_size && strchr(" \t.?_", line->body[at]))
		at++;
	return at;
}

static void take_reply_line(struct mail_line *line, size_t stem, struct ours *ours)
{
	size_t at = typed_at(line, stem);
	ours->reply_line = true;
	line->state = STATE_OURS;
	if (at == line->body_size)
		return;
	ours->reply_line_typed = true;
	line->state = STATE_TYPED;
	line->typed = line->body + at;
	line->typed_size = line->body_size - at;
}

/* ---- whose quote? ---- */

/* Quoted lines that follow each other. */
struct quote {
	size_t begin, end;
	size_t lines, known; /* that are not blank; ours, as a whole or most of them */
};

enum reply_line_kind {
	REPLY_LINE_NONE = 0,
	REPLY_LINE_UNALTERED,
	REPLY_LINE_TYPED, /* something stands behind it */
};

static enum reply_line_kind reply_line_kind(const struct mail_line *line, const char *stem)
{
	size_t size = *stem ? stem_size(line->body, line->body_size, stem) : 0;
	if (size == 0)
		return REPLY_LINE_NONE;
	return typed_at(line, size) < line->body_size ? REPLY_LINE_TYPED : REPLY_LINE_UNALTERED;
}

/* Where the reply line stands as it was sent, over the whole mail. */
struct unaltered {
	size_t first, last; /* NOWHERE: nowhere */
};

static struct unaltered find_unaltered(const struct mail_lines *lines, const char *stem)
{
	struct unaltered found = {NOWHERE, NOWHERE};
	for (size_t i = 0; i < lines->n; i++) {
		if (reply_line_kind(&lines->items[i], stem) != REPLY_LINE_UNALTERED)
			continue;
		found.first = found.first == NOWHERE ? i : found.first;
		found.last = i;
	}
	return found;
}

static struct quote read_quote(
	const struct mail_lines *lines, const struct match *matches, size_t begin, const char *stem)
{
	struct quote quote = {.begin = begin, .end = begin};
	for (; quote.end < lines->n; quote.end++) {
		const struct mail_line *line = &lines->items[quote.end];
		const struct match *match = &matches[quote.end];
		if (!is_quoted(line) && line->state != STATE_BLANK)
			break;
		enum reply_line_kind kind = reply_line_kind(line, stem);
		/* The reply line with something behind it is what is in question. */
		if (match->words == 0 || kind == REPLY_LINE_TYPED)
			continue;
		bool most = match->covered >= RUN_MIN && match->covered * 2 >= match->words;
		quote.lines++;
		quote.known +=
			most || match->covered == match->words || kind == REPLY_LINE_UNALTERED;
	}
	return quote;
}

/* Others quote moves of the same game, too: a quote is ours if half of its lines are. If nothing
 * is left of it but the reply line with something behind it, that line must not stand elsewhere
 * as we sent it. */
static bool is_ours(const struct quote *quote, const struct unaltered *unaltered)
{
	bool elsewhere = unaltered->first != NOWHERE &&
			 (unaltered->first < quote->begin || unaltered->last >= quote->end);
	return quote->known * 2 >= quote->lines && !(quote->known == 0 && elsewhere);
}

/* Somebody pressed return inside of the reply line: its two halves stand below each other. */
static void find_broken_reply_line(
	const struct mail_lines *lines, const char *stem, struct ours *ours)
{
	char joined[BROKEN_MAX];
	for (size_t i = 0; *stem && !ours->reply_line && i < lines->n; i++) {
		const struct mail_line *line = &lines->items[i];
		size_t next = line->state == STATE_OURS ? neighbour(lines, i, 1) : NOWHERE;
		if (next == NOWHERE || lines->items[next].depth != line->depth ||
			line->body_size + lines->items[next].body_size >= sizeof(joined))
			continue;
		memcpy(joined, line->body, line->body_size);
		memcpy(joined + line->body_size, lines->items[next].body,
			lines->items[next].body_size);
		size_t size =
			stem_size(joined, line->body_size + lines->items[next].body_size, stem);
		ours->reply_line = size > line->body_size;
	}
}

/* Does the line begin like the reply line, with the same first word? Then somebody changed it. */
static bool is_changed_reply_line(const struct mail_line *line, const char *stem)
{
	size_t n = strcspn(stem, " \t");
	size_t at = 0;
	while (at < line->body_size && is_space(line->body[at]))
		at++;
	return n > 1 && line->body_size - at >= n && memcmp(line->body + at, stem, n) == 0 &&
	       line->body_size - at < 80;
}

static void judge_line(struct mail_lines *lines, const struct match *matches, size_t i,
	const char *stem, bool our_quote, struct ours *ours)
{
	struct mail_line *line = &lines->items[i];
	const struct match *match = &matches[i];
	if (match->words == 0)
		return;
	bool context = is_quoted(line) ? our_quote : in_context(lines, matches, i);
	if (context && !is_quoted(line) && line_looks_like_move(line->body, line->body_size))
		context = has_witness(lines, matches, i);
	size_t size = *stem && context ? stem_size(line->body, line->body_size, stem) : 0;
	if (size > 0) {
		take_reply_line(line, size, ours);
		return;
	}
	if (match->covered == match->words && (context || match->words >= ALONE_MIN)) {
		line->state = STATE_OURS;
		return;
	}
	if (!context || match->covered == 0)
		return;
	if (match->covered * 2 >= match->words || match->covered >= RUN_MIN) {
		line->state = STATE_TYPED;
		line->typed = line->body + match->open_at;
		line->typed_size = match->open_size;
		if (*stem && is_changed_reply_line(line, stem)) {
			line->typed = line->body;
			line->typed_size = line->body_size;
		}
	}
}

/* A quoted line that is not ours, right behind one of ours and not the beginning of another
 * quote, was typed there. */
static void judge_inserted(struct mail_lines *lines, size_t i)
{
	struct mail_line *line = &lines->items[i];
	if (line->state != STATE_QUOTED || line->body_size == 0)
		return;
	size_t before = neighbour(lines, i, -1), after = neighbour(lines, i, 1);
	if (before == NOWHERE)
		return;
	const struct mail_line *above = &lines->items[before];
	if (above->depth != line->depth ||
		(above->state != STATE_OURS && above->state != STATE_TYPED))
		return;
	if (after != NOWHERE && lines->items[after].depth == line->depth &&
		lines->items[after].state != STATE_OURS)
		return;
	line->state = STATE_TYPED;
	line->typed = line->body;
	line->typed_size = line->body_size;
}

int ours_mark(struct mail_lines *lines, const char *const *sent_texts, size_t n_sent,
	const char *reply_line, struct ours *ret)
{
	*ret = (struct ours){.found = false};
	if (n_sent == 0 || lines->n == 0)
		return 0;
	char stem[256] = "";
	if (reply_line && strlen(reply_line) < sizeof(stem)) {
		strncpy(stem, reply_line, sizeof(stem) - 1);
		/* The placeholder, if there is one; the number's own dots follow a digit. */
		size_t n = strlen(stem);
		while (n > 0 && strchr(" \t?_", stem[n - 1]))
			stem[--n] = '\0';
		if (n > 4 && strcmp(stem + n - 4, " ...") == 0)
			stem[n - 4] = '\0';
	}
	struct sent sent;
	struct match *matches = calloc(lines->n, sizeof(*matches));
	int r = matches ? sent_init(&sent, sent_texts, n_sent) : -ENOMEM;
	if (r < 0) {
		free(matches);
		return r;
	}
	size_t expected = NOWHERE;
	for (size_t i = 0; i < lines->n; i++) {
		matches[i] = match_line(&sent, &lines->items[i], expected);
		if (matches[i].end != NOWHERE)
			expected = matches[i].end;
	}
	const struct unaltered unaltered = find_unaltered(lines, stem);
	struct quote quote = {.end = 0};
	for (size_t i = 0; i < lines->n; i++) {
		if (is_quoted(&lines->items[i]) && i >= quote.end)
			quote = read_quote(lines, matches, i, stem);
		if (lines->items[i].state != STATE_BLANK)
			judge_line(lines, matches, i, stem, is_ours(&quote, &unaltered), ret);
		ret->found |= lines->items[i].state == STATE_OURS;
	}
	for (size_t i = 0; i < lines->n; i++)
		judge_inserted(lines, i);
	find_broken_reply_line(lines, stem, ret);
	sent_release(&sent);
	free(matches);
	return 0;
}

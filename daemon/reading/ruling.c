#include "daemon/reading/ruling.h"

#include <string.h>

#include "config/value.h"

/* A line that is being read word by word. */
struct line {
	const struct words *words;
	const char *text;
	size_t begin;                /* of the line, in the text */
	size_t end;                  /* ... without the marks behind it */
	char folded[WORDS_LINE_MAX]; /* see words_fold */
	size_t places[WORDS_LINE_MAX];
	size_t size, at;
	struct stated_ruling *ruling;
	bool has_ply, has_result, has_stamp;
};

static bool open_line(struct line *line, size_t at, size_t size)
{
	const char *text = line->text;
	size_t begin = at, end = at + size;

	while (begin < end && strchr(" \t*_\"'([,;-", text[begin]))
		begin++;
	while (end > begin && strchr(" \t*_\"')].!,;:", text[end - 1]))
		end--;
	line->begin = begin;
	line->end = end;
	if (begin == end || end - begin >= WORDS_LINE_MAX)
		return false;
	line->size = words_fold(text + begin, end - begin, line->folded, line->places);
	return line->size > 0;
}

static void skip_blanks(struct line *line)
{
	while (line->at < line->size && strchr(" ,:;=", line->folded[line->at]))
		line->at++;
}

static enum ruling_word next_word(struct line *line)
{
	enum ruling_word word = RULING_WORD_FILLER;

	while (word == RULING_WORD_FILLER) {
		size_t index = 0, used = 0;
		skip_blanks(line);
		word = words_find_ruling(line->words, line->folded + line->at, &index, &used);
		line->at += used;
	}
	return word;
}

/* All that is left of the line, as it was written. */
static struct excerpt rest_of(struct line *line)
{
	skip_blanks(line);
	size_t from = line->at < line->size ? line->begin + line->places[line->at] : line->end;

	line->at = line->size;
	return (struct excerpt){.at = from, .size = line->end - from};
}

/* The next word that is none of ours: copied, up to a blank. False at the end. */
static bool next_operand(struct line *line, char out[WORDS_LINE_MAX])
{
	skip_blanks(line);
	size_t n = strcspn(line->folded + line->at, " ,;=");

	memcpy(out, line->folded + line->at, n);
	out[n] = '\0';
	line->at += n;
	return n > 0;
}

/* ---- Operands ---- */

/* Sets FLAG; false if it was set: an operand that comes twice. */
static bool set_once(bool *flag)
{
	bool first = !*flag;

	*flag = true;
	return first;
}

static bool read_result(struct line *line, const char *word)
{
	static const struct {
		const char *word;
		enum clock_result result;
	} results[] = {
		{"1-0", RESULT_WHITE},
		{"1:0", RESULT_WHITE},
		{"0-1", RESULT_BLACK},
		{"0:1", RESULT_BLACK},
		{"1/2", RESULT_DRAW},
		{"1/2-1/2", RESULT_DRAW},
		{"½", RESULT_DRAW},
		{"½-½", RESULT_DRAW},
		{"½:½", RESULT_DRAW},
	};

	for (size_t i = 0; i < ARRAY_SIZE(results); i++)
		if (strcmp(word, results[i].word) == 0) {
			line->ruling->ruling.result = results[i].result;
			line->has_result = true;
			return true;
		}
	return false;
}

/* A number is the ply, the move, the days or the size of a penalty, as the ruling wants it. */
static bool read_number(struct line *line, const char *word)
{
	struct stated_ruling *stated = line->ruling;
	struct ruling *ruling = &stated->ruling;
	int64_t number;

	if (value_number(*word == '+' ? word + 1 : word, 100000, &number) < 0)
		return false;
	switch (ruling->kind) {
	case RULING_CREDIT:
	case RULING_ROLLBACK:
	case RULING_UNCLEAR:
	case RULING_CORRECT:
		if (line->has_ply && ruling->kind == RULING_CREDIT && !stated->has_number) {
			ruling->n = (int)number;
			stated->has_number = true;
			return number <= 1000;
		}
		ruling->ply = (size_t)number;
		return set_once(&line->has_ply);
	case RULING_PENALTY:
		ruling->n = (int)number;
		return number <= 1000 && set_once(&stated->has_number);
	case RULING_LIFT:
		ruling->move = (int)number;
		return set_once(&stated->has_move);
	case RULING_RESUME:
		ruling->days = (int)number;
		return number <= 1000 && set_once(&stated->has_days);
	case RULING_UPHOLD:
	case RULING_REJECT:
	case RULING_RESULT:
	case RULING_DRAW:
	case RULING_ANNUL:
	case RULING_ADJUDICATE:
	case RULING_NO_ACCESS:
		return false;
	}
	return false;
}

static bool read_instant(struct line *line, const char *word, int64_t *stamp)
{
	if (!stamp || value_instant(word, stamp) < 0)
		return false;
	line->has_stamp = true;
	return true;
}

/* A word of ours behind the first one. STAMP is the stamp that an instant would set. */
static bool take_word(struct line *line, enum ruling_word word, int64_t **stamp)
{
	struct stated_ruling *stated = line->ruling;
	struct ruling *ruling = &stated->ruling;

	switch ((int)word) {
	case RULING_WORD_BAR:
		ruling->bar = true;
		return ruling->kind == RULING_REJECT;
	case RULING_WORD_WHITE:
	case RULING_WORD_BLACK:
		ruling->side = word == RULING_WORD_WHITE ? SIDE_WHITE : SIDE_BLACK;
		return set_once(&stated->has_side);
	case RULING_WORD_SENT:
		*stamp = &ruling->sent;
		return ruling->kind == RULING_CORRECT;
	case RULING_WORD_DELIVERED:
		*stamp = &ruling->delivered;
		return ruling->kind == RULING_CORRECT;
	case RULING_WORD_LIFT:
		ruling->kind = RULING_LIFT;
		return !stated->has_number;
	case RULING_WORD_DRAW:
		ruling->result = RESULT_DRAW;
		return ruling->kind == RULING_RESULT && set_once(&line->has_result);
	case RULING_WORD_ANNUL:
		if (ruling->kind != RULING_RESULT || line->has_result)
			return false;
		ruling->kind = RULING_ANNUL;
		return true;
	case RULING_WORD_REASON:
		stated->reason = rest_of(line);
		return stated->reason.size > 0;
	default:
		return false;
	}
}

static bool read_operands(struct line *line)
{
	char word[WORDS_LINE_MAX];
	int64_t *stamp = NULL;

	for (;;) {
		enum ruling_word known = next_word(line);
		if (known != RULING_WORD_NONE) {
			if (!take_word(line, known, &stamp))
				return false;
			continue;
		}
		if (!next_operand(line, word))
			return true;
		if (!read_result(line, word) && !read_number(line, word) &&
			!read_instant(line, word, stamp))
			return false;
	}
}

/* Is all there that cannot be filled in by the caller? */
static bool is_whole(const struct line *line)
{
	switch (line->ruling->ruling.kind) {
	case RULING_CREDIT:
	case RULING_ROLLBACK:
	case RULING_UNCLEAR:
		return line->has_ply;
	case RULING_CORRECT:
		return line->has_ply && line->has_stamp;
	case RULING_RESULT:
	case RULING_ADJUDICATE:
		return line->has_result;
	case RULING_NO_ACCESS:
		return line->ruling->has_side;
	case RULING_UPHOLD:
	case RULING_REJECT:
	case RULING_RESUME:
	case RULING_DRAW:
	case RULING_ANNUL:
	case RULING_PENALTY:
	case RULING_LIFT:
		return !line->has_result;
	}
	return false;
}

/* ---- Those that are no struct ruling ---- */

static bool read_leave(struct line *line, bool approve)
{
	line->ruling->kind = STATED_LEAVE;
	line->ruling->approve = approve;
	return read_operands(line);
}

static bool read_text(struct line *line, enum stated_ruling_kind kind)
{
	line->ruling->kind = kind;
	line->ruling->argument = rest_of(line);
	return line->ruling->argument.size > 0 || kind == STATED_ANNOUNCEMENT;
}

static bool read_address(struct line *line)
{
	enum ruling_word side = next_word(line);

	if (side != RULING_WORD_WHITE && side != RULING_WORD_BLACK)
		return false;
	line->ruling->ruling.side = side == RULING_WORD_WHITE ? SIDE_WHITE : SIDE_BLACK;
	line->ruling->has_side = true;
	return read_text(line, STATED_ACCEPT_ADDRESS);
}

static bool read_mobile(struct line *line)
{
	enum ruling_word word = next_word(line);

	line->ruling->kind = STATED_MOBILE;
	line->ruling->on = word == RULING_WORD_ON;
	return (word == RULING_WORD_ON || word == RULING_WORD_OFF) && line->at == line->size;
}

/* ---- A line ---- */

static bool ruling_of(enum ruling_word word, enum ruling_kind *ret_kind)
{
	static const struct {
		enum ruling_word word;
		enum ruling_kind kind;
	} kinds[] = {
		{RULING_WORD_UPHOLD, RULING_UPHOLD},
		{RULING_WORD_REJECT, RULING_REJECT},
		{RULING_WORD_RESUME, RULING_RESUME},
		{RULING_WORD_RESULT, RULING_RESULT},
		{RULING_WORD_DRAW, RULING_DRAW},
		{RULING_WORD_ANNUL, RULING_ANNUL},
		{RULING_WORD_ADJUDICATE, RULING_ADJUDICATE},
		{RULING_WORD_PENALTY, RULING_PENALTY},
		{RULING_WORD_LIFT, RULING_LIFT},
		{RULING_WORD_ROLLBACK, RULING_ROLLBACK},
		{RULING_WORD_UNCLEAR, RULING_UNCLEAR},
		{RULING_WORD_CORRECT, RULING_CORRECT},
		{RULING_WORD_CREDIT, RULING_CREDIT},
		{RULING_WORD_NO_ACCESS, RULING_NO_ACCESS},
	};

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (kinds[i].word == word) {
			*ret_kind = kinds[i].kind;
			return true;
		}
	return false;
}

static bool read_line(struct line *line)
{
	enum ruling_word word = next_word(line);

	if (ruling_of(word, &line->ruling->ruling.kind))
		return read_operands(line) && is_whole(line);
	switch ((int)word) {
	case RULING_WORD_LEAVE_APPROVE:
		return read_leave(line, true);
	case RULING_WORD_LEAVE_REFUSE:
		return read_leave(line, false);
	case RULING_WORD_MOVE:
		return read_text(line, STATED_MOVE);
	case RULING_WORD_ACCEPT_ADDRESS:
		return read_address(line);
	case RULING_WORD_MOBILE:
		return read_mobile(line);
	case RULING_WORD_ANNOUNCE:
		return read_text(line, STATED_ANNOUNCEMENT);
	default:
		return false;
	}
}

bool ruling_read(const struct words *words, const char *text, size_t at, size_t size,
	struct stated_ruling *ret_ruling)
{
	struct line line = {.words = words, .text = text, .ruling = ret_ruling};

	*ret_ruling = (struct stated_ruling){
		.line = {.at = at, .size = size},
		.ruling = {.sent = INSTANT_NONE, .delivered = INSTANT_NONE},
	};
	return open_line(&line, at, size) && read_line(&line);
}

enum rulings_found ruling_find(
	const struct words *words, const struct newtext *newtext, struct stated_ruling *ret_ruling)
{
	enum rulings_found found = RULINGS_NONE;

	for (size_t i = 0; i < newtext->n_lines; i++) {
		const struct newtext_line *line = &newtext->lines[i];
		struct stated_ruling ruling;
		if (!ruling_read(words, newtext->text, line->at, line->size, &ruling))
			continue;
		if (found != RULINGS_NONE)
			return RULINGS_SEVERAL;
		found = RULINGS_ONE;
		*ret_ruling = ruling;
		if (ruling.kind == STATED_ANNOUNCEMENT)
			break; /* what follows is its text */
	}
	return found;
}

#include <string.h>

#include "core/letters.h"
#include "core/movegen.h"
#include "core/pgn.h"
#include "core/san.h"

/* Movetext being read. */
struct movetext {
	const char *at, *end, *begin;
	struct position position;
	uint16_t *moves;
	size_t max, n;
	bool check_numbers;
	struct pgn_slice result;
	enum movetext_fault fault;
	const char *fault_at;
	size_t fault_size;
};

const char *movetext_fault_text(enum movetext_fault fault)
{
	switch (fault) {
	case MOVETEXT_FINE:
		return "no fault";
	case MOVETEXT_ILLEGAL:
		return "illegal move";
	case MOVETEXT_AMBIGUOUS:
		return "ambiguous move";
	case MOVETEXT_UNREADABLE:
		return "no move";
	case MOVETEXT_NUMBER:
		return "the move number does not fit";
	case MOVETEXT_BRACKET:
		return "a comment or variation does not end";
	case MOVETEXT_LENGTH:
		return "too many moves";
	}
	return "unknown";
}

static bool is_blank(char byte)
{
	return byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r' || byte == '\f' ||
	       byte == '\v';
}

static bool is_digit(char byte)
{
	return byte >= '0' && byte <= '9';
}

static void set_fault(struct movetext *m, enum movetext_fault fault, const char *at, size_t size)
{
	m->fault = fault;
	m->fault_at = at;
	m->fault_size = size;
}

static const char *line_end(const char *at, const char *end)
{
	const char *found = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;

	return found ? found : end;
}

/* Behind the comment at AT, or NULL when it does not end. */
static const char *comment_end(const char *at, const char *end)
{
	const char *found = memchr(at, '}', (size_t)(end - at));

	return found ? found + 1 : NULL;
}

/* Behind the variation at AT (nested ones and comments in it included), or NULL. */
static const char *variation_end(const char *at, const char *end)
{
	size_t depth = 0;

	while (at && at < end) {
		char byte = *at;

		if (byte == '{') {
			at = comment_end(at, end);
			continue;
		}
		if (byte == ';')
			at = line_end(at, end);
		else
			at++;
		depth += byte == '(';
		if (byte == ')' && !--depth)
			return at;
	}
	return NULL;
}

static void skip_bracket(struct movetext *m)
{
	const char *after =
		*m->at == '{' ? comment_end(m->at, m->end) : variation_end(m->at, m->end);

	if (after) {
		m->at = after;
		return;
	}
	set_fault(m, MOVETEXT_BRACKET, m->at, 1);
	m->at = m->end;
}

static bool take_result(struct movetext *m)
{
	static const char *const results[] = {"1/2-1/2", "1-0", "0-1", "*", "1/2"};
	size_t left = (size_t)(m->end - m->at);

	for (size_t i = 0; i < ARRAY_SIZE(results); i++) {
		size_t size = strlen(results[i]);

		if (size > left || memcmp(m->at, results[i], size) != 0)
			continue;
		if (size < left && (is_digit(m->at[size]) || m->at[size] == '-'))
			continue;
		m->result = (struct pgn_slice){m->at, size};
		m->at += size;
		return true;
	}
	return false;
}

static const char *token_end(const char *at, const char *end)
{
	while (at < end && !is_blank(*at) && *at != '{' && *at != '}' && *at != ';' && *at != '$' &&
		*at != '.' && *at != '[' && *at != '*') {
		if (*at == '(' && at + 1 < end &&
			(is_blank(at[1]) || is_digit(at[1]) || at[1] == '{'))
			break;
		at++;
	}
	return at;
}

static void add_move(struct movetext *m, uint16_t move)
{
	m->moves[m->n++] = move;
	if (m->position.turn == SIDE_WHITE)
		movegen_make(&m->position, SIDE_WHITE, move);
	else
		movegen_make(&m->position, SIDE_BLACK, move);
}

/* Whatever move_read can make of it in English. */
static void read_slowly(struct movetext *m)
{
	const char *end = token_end(m->at, m->end);
	struct move_reading reading;
	size_t size = (size_t)(end - m->at);

	if (!size)
		size = 1;
	switch (move_read(&m->position, LETTERS_ENGLISH, m->at, size, &reading)) {
	case MOVE_READ:
		add_move(m, reading.move);
		break;
	case MOVE_ILLEGAL:
		set_fault(m, MOVETEXT_ILLEGAL, m->at, size);
		break;
	case MOVE_AMBIGUOUS:
		set_fault(m, MOVETEXT_AMBIGUOUS, m->at, size);
		break;
	case MOVE_UNREADABLE:
		set_fault(m, MOVETEXT_UNREADABLE, m->at, size);
		break;
	}
	m->at += size;
}

static void read_move(struct movetext *m)
{
	size_t used;
	uint16_t move;

	if (m->n == m->max) {
		set_fault(m, MOVETEXT_LENGTH, m->at, 1);
		return;
	}
	move = san_quick(&m->position, m->at, (size_t)(m->end - m->at), &used);
	if (move == MOVE_NONE) {
		read_slowly(m);
		return;
	}
	m->at += used;
	add_move(m, move);
}

static bool is_passing_word(const struct movetext *m)
{
	return m->end - m->at >= 3 && m->at[0] == 'e' && m->at[1] == '.' && m->at[2] == 'p';
}

/* A number and its dots; what has no dots and is no result may be a move in digits. */
static void read_number(struct movetext *m)
{
	const char *start = m->at, *at = m->at;
	unsigned number = 0;

	if (take_result(m))
		return;
	while (at < m->end && is_digit(*at) && at < start + 6)
		number = number * 10 + (unsigned)(*at++ - '0');
	if (at < m->end && !is_blank(*at) && *at != '.') {
		if (at - start < 4 && *at != '-' && number) { /* 1e4 */
			m->at = at;
			return;
		}
		read_move(m);
		return;
	}
	if (at - start >= 4 && (at == m->end || *at != '.')) {
		read_move(m);
		return;
	}
	if (m->check_numbers && number != m->position.fullmove)
		set_fault(m, MOVETEXT_NUMBER, start, (size_t)(at - start));
	m->at = at;
}

/* Reads until a result, the tags of a next game, a fault or the end of the text. */
static void movetext_run(struct movetext *m)
{
	while (m->at < m->end && !m->fault && !m->result.at) {
		char byte = *m->at;

		if (byte >= 'A') {
			if (byte == '[')
				return;
			if (is_passing_word(m))
				m->at += m->end - m->at >= 4 && m->at[3] == '.' ? 4 : 3;
			else if (byte == '{')
				skip_bracket(m);
			else
				read_move(m);
		} else if (is_blank(byte) || byte == '.' || byte == '!' || byte == '?') {
			m->at++;
		} else if (is_digit(byte)) {
			read_number(m);
		} else if (byte == '(') {
			skip_bracket(m);
		} else if (byte == '$') {
			m->at++;
			while (m->at < m->end && is_digit(*m->at))
				m->at++;
		} else if (byte == ';' ||
			   (byte == '%' && (m->at == m->begin || m->at[-1] == '\n'))) {
			m->at = line_end(m->at, m->end);
		} else if (byte != '*' || !take_result(m)) {
			read_move(m);
		}
	}
}

/* The quick moves leave an en-passant square that nobody may use. */
static void settle(struct position *position)
{
	char fen[FEN_MAX];
	size_t at;

	if (position->en_passant != SQUARE_NONE &&
		fen_parse(fen, fen_write(position, fen), position, &at) != FEN_FINE)
		position->en_passant = SQUARE_NONE;
}

enum movetext_fault movetext_read(const struct position *position, const char *text, size_t size,
	uint16_t *moves, size_t max, size_t *ret_n, size_t *ret_at)
{
	struct movetext m = {.at = text,
		.begin = text,
		.end = text + size,
		.position = *position,
		.moves = moves,
		.max = max,
		.check_numbers = true};

	movetext_run(&m);
	if (!m.fault && !m.result.at && m.at < m.end)
		set_fault(&m, MOVETEXT_UNREADABLE, m.at, 1);
	*ret_n = m.n;
	if (m.fault)
		*ret_at = (size_t)(m.fault_at - text);
	return m.fault;
}

static const char *skip_blank(const char *at, const char *end)
{
	while (at < end && is_blank(*at))
		at++;
	return at;
}

/* Comments, escaped lines and blanks before a game. */
static const char *skip_preface(const char *at, const char *begin, const char *end)
{
	for (;;) {
		const char *after;

		at = skip_blank(at, end);
		if (end - at >= 3 && !memcmp(at, "\xef\xbb\xbf", 3)) {
			at += 3;
		} else if (at < end && *at == '{') {
			after = comment_end(at, end);
			if (!after)
				return at;
			at = after;
		} else if (at < end &&
			   (*at == ';' || (*at == '%' && (at == begin || at[-1] == '\n')))) {
			at = line_end(at, end);
		} else {
			return at;
		}
	}
}

static bool is_name_byte(char byte)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || is_digit(byte) ||
	       byte == '_';
}

static const char *value_end(const char *at, const char *end)
{
	while (at < end && *at != '"' && *at != '\n')
		at += *at == '\\' && at + 1 < end && at[1] != '\n' ? 2 : 1;
	return at < end && *at == '"' ? at : NULL;
}

/* One tag pair at AT; returns what is behind it, or NULL when it is not well formed. */
static const char *read_tag(const char *at, const char *end, struct pgn_record *record)
{
	struct pgn_slice name, value;
	const char *after;

	at = skip_blank(at + 1, end);
	name.at = at;
	while (at < end && is_name_byte(*at))
		at++;
	name.size = (size_t)(at - name.at);
	at = skip_blank(at, end);
	if (!name.size || at == end || *at != '"')
		return NULL;
	value.at = ++at;
	after = value_end(at, end);
	if (!after)
		return NULL;
	value.size = (size_t)(after - at);
	at = skip_blank(after + 1, end);
	if (at == end || *at != ']')
		return NULL;
	if (record->n_tags < PGN_TAGS_MAX) {
		record->tags[record->n_tags].name = name;
		record->tags[record->n_tags++].value = value;
	}
	return at + 1;
}

struct pgn_slice pgn_tag_value(const struct pgn_record *record, const char *name)
{
	size_t size = strlen(name);

	for (size_t i = 0; i < record->n_tags; i++)
		if (record->tags[i].name.size == size &&
			!memcmp(record->tags[i].name.at, name, size))
			return record->tags[i].value;
	return (struct pgn_slice){NULL, 0};
}

static size_t count_lines(const char *from, const char *to)
{
	size_t n = 0;

	while (from < to && (from = memchr(from, '\n', (size_t)(to - from)))) {
		n++;
		from++;
	}
	return n;
}

struct faulting {
	struct pgn_scan *scan;
	struct pgn_record *record;
	const char *line_at; /* where record->line stands */
};

static void record_fault(struct faulting *f, enum pgn_fault fault, const char *at, size_t size)
{
	if (f->record->fault)
		return;
	f->record->fault = fault;
	f->record->fault_line = f->record->line + count_lines(f->line_at, at);
	f->record->faulty = (struct pgn_slice){at, size};
}

static const char *read_tags(struct faulting *f, const char *at, const char *end)
{
	const char *begin = f->scan->text;

	for (;;) {
		const char *after;

		at = skip_preface(at, begin, end);
		if (at == end || *at != '[')
			return at;
		after = read_tag(at, end, f->record);
		if (!after) {
			after = line_end(at, end);
			record_fault(f, PGN_FAULT_TAG, at, (size_t)(after - at));
		}
		at = after;
	}
}

static void read_start(struct faulting *f)
{
	struct pgn_slice fen = pgn_tag_value(f->record, "FEN");
	size_t at;

	f->record->start = position_initial();
	if (fen.at && fen_parse(fen.at, fen.size, &f->record->start, &at) != FEN_FINE)
		record_fault(f, PGN_FAULT_FEN, fen.at, fen.size);
}

/* Behind a fault nothing counts but where the game ends. */
static const char *skip_game(const char *at, const char *end, struct pgn_slice *ret_result)
{
	struct movetext m = {.end = end};

	while (at < end && *at != '[') {
		const char *after = at + 1;

		if (*at == '{')
			after = comment_end(at, end);
		else if (*at == '(')
			after = variation_end(at, end);
		else if (*at == ';')
			after = line_end(at, end);
		m.at = at;
		if ((is_digit(*at) || *at == '*') && is_blank(at[-1]) && take_result(&m)) {
			*ret_result = m.result;
			return m.at;
		}
		at = after ? after : at + 1;
	}
	return at;
}

static void check_result(struct faulting *f, const char *at)
{
	struct pgn_slice tag = pgn_tag_value(f->record, "Result"), result = f->record->result;

	if (!tag.at)
		return;
	if (!result.at)
		record_fault(f, PGN_FAULT_NO_RESULT, at, 0);
	else if (tag.size != result.size || memcmp(tag.at, result.at, tag.size) != 0)
		record_fault(f, PGN_FAULT_RESULT, result.at, result.size);
}

static const char *read_movetext(struct faulting *f, const char *at, const char *end)
{
	struct pgn_record *record = f->record;
	struct movetext m = {.at = at,
		.begin = f->scan->text,
		.end = end,
		.position = record->start,
		.moves = record->moves,
		.max = PGN_MOVES_MAX};

	if (record->fault != PGN_FAULT_FEN)
		movetext_run(&m);
	record->n_moves = m.n;
	record->end = m.position;
	settle(&record->end);
	record->result = m.result;
	if (m.fault) {
		if (!record->fault) {
			record->move_fault = m.fault;
			record->ply = m.n + 1;
		}
		record_fault(f, PGN_FAULT_MOVE, m.fault_at, m.fault_size);
	}
	if (m.fault || record->fault == PGN_FAULT_FEN)
		return skip_game(m.at, end, &record->result);
	check_result(f, m.at);
	return m.at;
}

bool pgn_next(struct pgn_scan *scan, struct pgn_record *ret_record)
{
	const char *end = scan->text + scan->size, *begin = scan->text + scan->at, *at;
	struct faulting f = {.scan = scan, .record = ret_record};

	at = skip_preface(begin, scan->text, end);
	if (at == end)
		return false;
	ret_record->n_tags = 0;
	ret_record->fault = PGN_FINE;
	ret_record->move_fault = MOVETEXT_FINE;
	ret_record->ply = ret_record->fault_line = 0;
	ret_record->faulty = (struct pgn_slice){NULL, 0};
	if (!scan->line)
		scan->line = 1;
	ret_record->line = scan->line + count_lines(begin, at);
	f.line_at = at;
	at = read_tags(&f, at, end);
	read_start(&f);
	at = read_movetext(&f, at, end);
	scan->line = ret_record->line + count_lines(f.line_at, at);
	scan->at = (size_t)(at - scan->text);
	return true;
}

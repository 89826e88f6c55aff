#include "daemon/reading/conditional.h"

#include <string.h>

#include "daemon/reading/chat.h"
#include "daemon/reading/text_lines.h"

/* ---- Which parts of the text are series ---- */

/* What a clause behind "if" holds. */
struct clause {
	size_t size;  /* up to a sentence of other words */
	size_t moves; /* and words that may be meant for moves */
	bool chat;    /* it holds other words, or asks */
	bool numbered;
	long first, last; /* half moves that the numbers name; 0 where the first has none */
};

static bool is_punctuation(const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (!strchr(".,:;!()[]*_\"'-=>/&", text[i]))
			return false;
	return true;
}

/* Are all words of the token such as conditions are made of? */
static bool is_usual(
	const struct command_context *context, const char *text, const struct movelist_token *token)
{
	bool any;
	return chat_is_conditional(context, text + token->at, token->size, &any) &&
	       (any || is_punctuation(text + token->at, token->size));
}

static long half_move(const struct movelist_token *token)
{
	bool black = token->colour ? token->colour == 'n' : token->dots > 1;
	return 2L * (long)token->number + black;
}

static bool is_question(const char *text, const struct movelist_token *token)
{
	size_t from = token->kind == MOVELIST_MOVE ? token->move_at : token->at;
	size_t size = token->at + token->size - from;
	return memchr(text + from, '?', size) && !memchr(text + from, '!', size);
}

static bool is_stated(const struct movelist_token *token)
{
	return token->kind == MOVELIST_MOVE || (token->kind == MOVELIST_WORD && token->move_like);
}

static void take_token(struct clause *clause, const struct movelist_token *token)
{
	if (token->number > 0) {
		clause->last = half_move(token);
		if (clause->moves == 0)
			clause->first = clause->last;
		clause->numbered = true;
	}
	clause->moves += is_stated(token);
}

/* Reads SIZE bytes of one line. */
static struct clause read_clause(
	const struct command_context *context, const char *text, size_t size)
{
	struct clause clause = {.size = size};
	struct movelist_scan scan = movelist_scan(text, size);
	struct movelist_token token, number = {.number = 0};
	bool ended = false, asks = false;
	while (movelist_next(&scan, &token)) {
		bool is_number = moveline_is_number(text, &token);
		if (is_number)
			number = token;
		if (is_stated(&token) && token.number == 0 && number.number > 0) {
			token.number = number.number;
			token.dots = number.dots;
			token.colour = number.colour;
		}
		if (is_stated(&token)) {
			take_token(&clause, &token);
			asks = is_question(text, &token);
			number.number = 0;
		} else if (!is_number && token.kind == MOVELIST_WORD &&
			   !is_usual(context, text, &token)) {
			/* A sentence of other words behind a whole series. */
			clause.chat = !ended || clause.moves < 2;
			clause.size = token.at;
			break;
		} else if (token.kind == MOVELIST_RESULT) {
			clause.chat = true;
		}
		ended = strchr(".!)", text[token.at + token.size - 1]) != NULL;
	}
	clause.chat |= asks;
	/* How many there are altogether tells talk of moves from talk. */
	while (clause.chat && movelist_next(&scan, &token))
		clause.moves += is_stated(&token);
	return clause;
}

/* Going through the lines. */
struct finder {
	const struct command_context *context;
	const char *text;
	struct conditional_parts *parts;
	bool open;    /* the line before is part of a series, or of a heading */
	bool heading; /* ... which every further line of moves is a series of */
	bool above;   /* a line of moves stands above the series */
	long reached; /* half move that it reached by its numbers */
	size_t moves; /* of the last series */
	long last;    /* half move that it reached by its numbers, 0: none */
};

static void add_part(struct finder *finder, size_t at, const struct clause *clause, bool begins)
{
	struct conditional_parts *parts = finder->parts;
	if (parts->n == CONDITIONAL_PARTS_MAX) {
		parts->unclear = true;
		return;
	}
	parts->items[parts->n++] =
		(struct conditional_part){at, clause->size, clause->moves, begins};
	finder->moves = clause->moves + (begins ? 0 : finder->moves);
	finder->last = clause->last || begins ? clause->last : finder->last;
	finder->open = true;
}

/* The clauses of one line from AT on: parted by semicolons and by further "if"s. */
static void take_clauses(struct finder *finder, size_t at, size_t size, bool begins)
{
	while (size > 0) {
		const char *semicolon = memchr(finder->text + at, ';', size);
		size_t part = semicolon ? (size_t)(semicolon - (finder->text + at)) : size;
		size_t next = chat_condition(finder->context, finder->text + at, part), marker = 0;
		bool heading;
		if (next < part)
			marker = chat_condition_word(
				finder->context, finder->text + at + next, part - next, &heading);
		struct clause clause = read_clause(finder->context, finder->text + at, next);
		if (clause.chat && clause.moves > 1)
			finder->parts->unclear = true;
		if (!clause.chat && clause.moves > 0)
			add_part(finder, at, &clause, begins);
		else if (clause.chat)
			finder->open = false;
		size_t used = next < part ? next + marker : part + (semicolon != NULL);
		at += used;
		size -= used;
		begins = true;
	}
}

/* Does a line go on with the series of the line before? */
static bool continues(const struct finder *finder, const struct text_line *line)
{
	if (!finder->open || line->typed || line->part.led)
		return false;
	struct clause clause = read_clause(finder->context, finder->text + line->at, line->size);
	if (clause.moves == 0)
		return false;
	if (finder->heading)
		return !clause.chat &&
		       (!finder->above || clause.first == 0 || clause.first > finder->reached);
	if (clause.first > 0)
		return finder->last > 0 && clause.first >= finder->last;
	return finder->moves % 2 == 1 || (line->list && finder->above && !clause.chat);
}

static void note_list(struct finder *finder, const struct text_line *line)
{
	if (!line->list)
		return;
	struct clause clause =
		read_clause(finder->context, finder->text + line->part.at, line->part.size);
	finder->above = true;
	finder->reached = clause.last;
}

static void take_condition(struct finder *finder, struct text_line *line)
{
	const char *text = finder->text + line->at;
	size_t at = chat_condition(finder->context, text, line->size);
	bool heading;
	size_t behind =
		at + chat_condition_word(finder->context, text + at, line->size - at, &heading);
	struct clause before = read_clause(finder->context, text, at);
	struct clause clause = read_clause(finder->context, text + behind, line->size - behind);
	note_list(finder, line);
	finder->open = finder->heading = false;
	finder->moves = 0;
	finder->last = 0;
	take_clauses(finder, line->at + behind, line->size - behind, true);
	/* "Conditional moves:" alone, or an "if" that the line breaks off behind. */
	if (clause.moves == 0 && !clause.chat && (heading || finder->above))
		finder->open = finder->heading = true;
	line->conditional = finder->open && before.moves == 0;
}

/* Nothing else may be read in it. */
static void set_continuing(struct text_line *line)
{
	line->list = line->commands = false;
	line->part = (struct moveline){.at = line->at};
	line->conditional = true;
}

void conditional_find(const struct command_context *context, const char *text,
	struct text_lines *lines, struct conditional_parts *ret)
{
	struct finder finder = {.context = context, .text = text, .parts = ret};
	*ret = (struct conditional_parts){.n = 0};
	for (size_t i = 0; i < lines->n; i++) {
		struct text_line *line = &lines->items[i];
		if (line->size == 0 || line->size > TEXT_LINE_MAX || line->elsewhere) {
			finder.open = false;
		} else if (chat_condition(context, text + line->at, line->size) < line->size) {
			take_condition(&finder, line);
		} else if (continues(&finder, line)) {
			take_clauses(&finder, line->at, line->size, finder.heading);
			set_continuing(line);
		} else {
			finder.open = false;
			note_list(&finder, line);
		}
	}
}

/* ---- What they say ---- */

struct reader {
	const char *text;
	struct position start; /* after the own move */
	const struct letters *letters;
	struct stated_conditional *out;
	size_t n;
	struct stated_conditional *series; /* the present one, NULL: its rest is not read */
	struct position now;               /* behind its moves */
	bool left_out;
};

/* Half moves from the start of the series to the one that a number names, for SIDE. */
static long ply_of(const struct reader *reader, const struct movelist_token *token, bool black)
{
	long start = 2L * reader->start.fullmove + (reader->start.turn == SIDE_BLACK);
	return 2L * (long)token->number + black - start;
}

static bool names_other_side(const struct movelist_token *token, bool black)
{
	return token->colour ? (token->colour == 'n') != black : token->dots > 1 && !black;
}

static struct position position_behind(const struct reader *reader, const uint16_t *moves, size_t n)
{
	struct position position = reader->start;
	for (size_t i = 0; i < n; i++)
		position_make(&position, moves[i]);
	return position;
}

static enum move_result read_move(const struct reader *reader, const struct position *position,
	const struct movelist_token *token, uint16_t *ret_move)
{
	struct move_reading reading;
	if (token->kind != MOVELIST_MOVE)
		return MOVE_UNREADABLE;
	enum move_result result = move_read(position, reader->letters,
		reader->text + token->move_at, token->move_size, &reading);
	*ret_move = reading.move;
	return result;
}

/* Begins a series behind N plies of the one before, or goes on with that. */
static void begin_series(struct reader *reader, size_t n, const struct movelist_token *token)
{
	struct stated_conditional *before = reader->n > 0 ? &reader->out[reader->n - 1] : NULL;
	reader->series = NULL;
	if (n > 0 && before->line.n == n && before->fault == MOVE_READ) {
		reader->series = before;
	} else if (reader->n < CONDITIONAL_LINES_MAX) {
		reader->series = &reader->out[reader->n++];
		*reader->series = (struct stated_conditional){
			.fault = MOVE_READ, .text = {token->at, token->size}};
		reader->series->line.n = n;
		if (n > 0)
			memcpy(reader->series->line.moves, before->line.moves,
				n * sizeof(uint16_t));
	} else {
		reader->left_out = true;
		return;
	}
	reader->now = position_behind(reader, reader->series->line.moves, n);
}

static void set_fault(
	struct reader *reader, const struct movelist_token *token, enum move_result fault)
{
	if (!reader->series)
		return;
	reader->series->fault = fault;
	reader->series->fault_text = token->kind == MOVELIST_MOVE
					     ? (struct excerpt){token->move_at, token->move_size}
					     : (struct excerpt){token->at, token->size};
	reader->series->text.size = token->at + token->size - reader->series->text.at;
	reader->series = NULL;
}

static void add_move(struct reader *reader, const struct movelist_token *token)
{
	struct stated_conditional *series = reader->series;
	uint16_t move = MOVE_NONE;
	enum move_result result = read_move(reader, &reader->now, token, &move);
	if (result == MOVE_READ && series->line.n == CONDITIONAL_PLIES_MAX)
		result = MOVE_UNREADABLE;
	if (result != MOVE_READ) {
		set_fault(reader, token, result);
		return;
	}
	series->line.moves[series->line.n++] = move;
	series->text.size = token->at + token->size - series->text.at;
	position_make(&reader->now, move);
}

/* How many plies of the series before stand in front of a new one, by its first move without a
 * number: none if that can be made at once, else as many as make it a move. -1: that is not
 * sure. */
static long find_beginning(const struct reader *reader, const struct movelist_token *token)
{
	uint16_t move;
	long found = 0;
	if (reader->n == 0 || read_move(reader, &reader->start, token, &move) == MOVE_READ)
		return 0;
	const struct conditional_line *before = &reader->out[reader->n - 1].line;
	for (size_t n = 2; n <= before->n; n += 2) {
		struct position position = position_behind(reader, before->moves, n);
		if (read_move(reader, &position, token, &move) != MOVE_READ)
			continue;
		if (found > 0)
			return -1;
		found = (long)n;
	}
	return found;
}

static void take_first(struct reader *reader, const struct movelist_token *token)
{
	bool black = reader->start.turn == SIDE_BLACK;
	long reached = reader->n > 0 ? (long)reader->out[reader->n - 1].line.n : 0;
	long ply = token->number ? ply_of(reader, token, black) : find_beginning(reader, token);
	/* Talk about what might have been. */
	if (token->number && ply < 0) {
		reader->left_out = true;
		reader->series = NULL;
		return;
	}
	bool sure =
		ply >= 0 && ply <= reached && !(token->number && names_other_side(token, black));
	begin_series(reader, sure ? (size_t)ply : 0, token);
	if (reader->series && sure)
		add_move(reader, token);
	else if (reader->series)
		set_fault(reader, token, MOVE_UNREADABLE);
}

/* The move before, stated once more. */
static bool is_again(const struct reader *reader, const struct movelist_token *token, long ply)
{
	const struct conditional_line *line = &reader->series->line;
	uint16_t move;
	if (ply + 1 != (long)line->n)
		return false;
	struct position before = position_behind(reader, line->moves, line->n - 1);
	return read_move(reader, &before, token, &move) == MOVE_READ &&
	       move == line->moves[line->n - 1];
}

static void take_further(struct reader *reader, const struct movelist_token *token)
{
	bool black = reader->now.turn == SIDE_BLACK;
	long n = (long)reader->series->line.n;
	bool named = token->number > 0;
	if (!named || (ply_of(reader, token, black) == n && !names_other_side(token, black))) {
		add_move(reader, token);
		return;
	}
	bool says_black = token->colour ? token->colour == 'n' : token->dots > 1;
	if (is_again(reader, token, ply_of(reader, token, says_black)))
		return;
	/* "13... Bf8 14. Ng3, 13... h6 14. b3": the number begins a series. */
	bool theirs = reader->start.turn == SIDE_BLACK;
	long ply = ply_of(reader, token, theirs);
	if (n % 2 == 0 && ply >= 0 && ply <= n && !names_other_side(token, theirs))
		take_first(reader, token);
	else
		set_fault(reader, token, MOVE_UNREADABLE);
}

static void read_part(struct reader *reader, const struct conditional_part *part)
{
	struct movelist_scan scan = movelist_scan(reader->text + part->at, part->size);
	struct movelist_token token, number = {.number = 0};
	bool first = part->begins;
	while (movelist_next(&scan, &token)) {
		if (moveline_is_number(reader->text + part->at, &token)) {
			number = token;
			continue;
		}
		if (!is_stated(&token))
			continue;
		if (token.number == 0 && number.number > 0) {
			token.number = number.number;
			token.dots = number.dots;
			token.colour = number.colour;
		}
		number.number = 0;
		token.at += part->at;
		token.move_at += part->at;
		if (first)
			take_first(reader, &token);
		else if (reader->series)
			take_further(reader, &token);
		first = false;
	}
}

/* An expected move alone offers nothing. */
static void drop_empty(struct reader *reader)
{
	size_t kept = 0;
	for (size_t i = 0; i < reader->n; i++)
		if (reader->out[i].line.n > 1 || reader->out[i].fault != MOVE_READ)
			reader->out[kept++] = reader->out[i];
	reader->n = kept;
}

/* How many moves the series holds that begins with part I. */
static size_t count_moves(const struct conditional_parts *parts, size_t i)
{
	size_t moves = 0;
	do {
		const struct conditional_part *part = &parts->items[i];
		moves += part->moves;
		i++;
	} while (i < parts->n && !parts->items[i].begins);
	return moves;
}

size_t conditional_read(const char *text, const struct conditional_parts *parts,
	const struct position *position, const struct letters *letters,
	struct stated_conditional out[CONDITIONAL_LINES_MAX], bool *ret_left_out)
{
	struct reader reader = {.text = text, .start = *position, .letters = letters, .out = out};
	bool whole = false;
	for (size_t i = 0; i < parts->n; i++) {
		if (parts->items[i].begins)
			whole = count_moves(parts, i) > 1;
		if (whole)
			read_part(&reader, &parts->items[i]);
	}
	drop_empty(&reader);
	*ret_left_out = reader.left_out;
	return reader.n;
}

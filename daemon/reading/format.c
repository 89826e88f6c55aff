#include "daemon/reading/format.h"

#include <ctype.h>
#include <string.h>

#include "daemon/reading/subject.h"

/* ---- Subject ---- */

static bool same_code(const char *a, const char *b)
{
	size_t i = 0;
	while (a[i] && toupper((unsigned char)a[i]) == toupper((unsigned char)b[i]))
		i++;
	return !a[i] && !b[i];
}

/* Do the columns name the move of this ply? */
static bool name_ply(const struct grammar *grammar, const struct subject_columns *columns, long ply)
{
	bool black = columns->colour == 'n';
	return ply >= 0 && columns->colour &&
	       grammar_ply_of(grammar->context, columns->move, black) == ply;
}

static bool subject_is_right(const struct grammar *grammar, const struct message *message)
{
	const struct grammar_context *context = grammar->context;
	struct subject_columns columns;
	if (!subject_find_columns(context->subject, &columns))
		return false;
	if (context->code && !same_code(columns.code, context->code))
		return false;
	/* A mail with the reply line may be a general one: the game begins, or a ruling. */
	if (!columns.colour && context->answered_line)
		return true;
	/* Those of the own move, or of the mail that is answered. */
	return name_ply(grammar, &columns, (long)grammar->ply) ||
	       name_ply(grammar, &columns, (long)message->ply - 1) ||
	       name_ply(grammar, &columns, (long)context->ply - 1);
}

/* ---- Statements ---- */

struct statements {
	const struct grammar *grammar;
	struct position position; /* before the own move */
	uint16_t move;            /* as read, or MOVE_NONE */
	unsigned count;           /* how often it is stated */
	bool typed;               /* into our line */
	bool numbered;            /* something has the number and side of the own move: this */
	enum move_result result;
	uint16_t result_move;
	bool differ;
	unsigned faults;
};

static bool has_squares(const char *text, const struct movelist_token *token)
{
	size_t squares = 0;
	if (token->shape == MOVELIST_SHAPE_CASTLING || token->shape == MOVELIST_SHAPE_NUMERIC)
		return true;
	for (size_t i = token->move_at; i + 1 < token->move_at + token->move_size; i++) {
		char file = (char)tolower((unsigned char)text[i]);
		squares += file >= 'a' && file <= 'h' && text[i + 1] >= '1' && text[i + 1] <= '8';
	}
	return squares >= 2;
}

/* The number alone, not its side. */
static bool has_number(const struct statements *statements, const struct movelist_token *token)
{
	return token->number == statements->position.fullmove;
}

/* The form wants 'b' or 'n' behind the number. */
static bool has_colour(const struct statements *statements, const struct movelist_token *token)
{
	return token->colour == (statements->position.turn == SIDE_WHITE ? 'b' : 'n');
}

static bool names_other_side(
	const struct statements *statements, const struct movelist_token *token)
{
	bool black = statements->position.turn == SIDE_BLACK;
	return token->colour ? !has_colour(statements, token) : token->dots > 1 && !black;
}

/* What has the number and side of the own move states it, whatever it is. */
static void compare(
	struct statements *statements, enum move_result result, const struct move_reading *reading)
{
	uint16_t move = result == MOVE_READ ? reading->move : MOVE_NONE;
	bool first = !statements->numbered;
	if (statements->move != MOVE_NONE)
		statements->differ |= move != statements->move;
	else if (!first)
		statements->differ |=
			result != statements->result || move != statements->result_move;
	statements->numbered = true;
	statements->result = result;
	statements->result_move = move;
}

static void take_statement(struct statements *statements, const char *text,
	const struct movelist_token *token, bool typed)
{
	struct move_reading reading;
	bool number = has_number(statements, token);
	if ((token->number > 0 && !number) || names_other_side(statements, token))
		return;
	enum move_result result = move_read(&statements->position, statements->grammar->letters,
		text + token->move_at, token->move_size, &reading);
	if (number && has_colour(statements, token))
		compare(statements, result, &reading);
	if (result != MOVE_READ || reading.move != statements->move)
		return;
	statements->count++;
	statements->typed |= typed;
	if (!number || !has_colour(statements, token))
		statements->faults |= FORMAT_NUMBER;
	if (!has_squares(text, token))
		statements->faults |= FORMAT_SQUARES;
	if (move_promotion(reading.move) != PIECE_NONE &&
		!memchr(text + token->move_at, '=', token->move_size))
		statements->faults |= FORMAT_PROMOTION;
}

/* "e2 e4": two tokens, one move. */
static void join_pair(const struct statements *statements, const char *text,
	struct movelist_token *token, struct movelist_scan *scan)
{
	struct movelist_scan ahead = *scan;
	struct movelist_token next;
	struct move_reading alone;
	if (token->shape != MOVELIST_SHAPE_SQUARE || !movelist_next(&ahead, &next) ||
		next.kind != MOVELIST_MOVE || next.number > 0 || next.line != token->line ||
		(next.shape != MOVELIST_SHAPE_SQUARE && next.shape != MOVELIST_SHAPE_PAWN) ||
		move_read(&statements->position, statements->grammar->letters,
			text + token->move_at, token->move_size, &alone) == MOVE_READ)
		return;
	token->move_size = next.move_at + next.move_size - token->move_at;
	token->shape = MOVELIST_SHAPE_COORDINATE;
	*scan = ahead;
}

static void take_line(struct statements *statements, const struct text_line *line)
{
	const char *text = statements->grammar->text + line->at;
	size_t size = line->list ? line->part.at + line->part.size - line->at : line->size;
	struct movelist_scan scan = movelist_scan(text, size);
	struct movelist_token token, number = {.number = 0};
	while (movelist_next(&scan, &token)) {
		if (moveline_is_number(text, &token)) {
			number = token;
			continue;
		}
		if (token.kind != MOVELIST_MOVE)
			continue;
		if (token.number == 0 && number.number > 0) {
			token.number = number.number;
			token.dots = number.dots;
			token.colour = number.colour;
		}
		number.number = 0;
		join_pair(statements, text, &token, &scan);
		take_statement(statements, text, &token, line->typed);
	}
}

bool format_read(const struct grammar *grammar, bool at_line, struct message *message)
{
	struct movelist_game game = grammar_game_at(grammar, grammar->ply);
	struct statements statements = {.grammar = grammar,
		.position = movelist_position(&game, grammar->ply),
		.move = message->own.result == MOVE_READ ? message->own.move : MOVE_NONE};
	for (size_t i = 0; i < grammar->lines->n; i++) {
		const struct text_line *line = &grammar->lines->items[i];
		if (line->list || (line->part.numbered && !line->conditional))
			take_line(&statements, line);
	}
	unsigned faults = statements.faults;
	bool readable = statements.move != MOVE_NONE;
	if (statements.differ || (readable && statements.count < 2))
		faults |= FORMAT_STATEMENT;
	unsigned own = FORMAT_PROMOTION | (statements.differ ? FORMAT_STATEMENT : 0U);
	message->line_faults = at_line ? faults & ~own : 0;
	if (statements.typed)
		faults &= own;
	if (grammar->context->subject && !subject_is_right(grammar, message))
		faults |= FORMAT_SUBJECT;
	message->format_faults = faults;
	return statements.differ;
}

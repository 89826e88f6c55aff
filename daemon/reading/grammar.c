#include "daemon/reading/grammar.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/reading/accepted.h"
#include "daemon/reading/format.h"
#include "daemon/reading/grammar_inside.h"

struct movelist_game grammar_game_at(const struct grammar *grammar, unsigned ply)
{
	const struct grammar_context *context = grammar->context;
	return (struct movelist_game){context->start, context->moves, ply, grammar->letters};
}

enum side grammar_turn_at(const struct grammar_context *context, unsigned ply)
{
	enum side start = context->start->turn == SIDE_WHITE ? SIDE_WHITE : SIDE_BLACK;
	return ply % 2 ? side_other(start) : start;
}

long grammar_ply_of(const struct grammar_context *context, unsigned number, bool black)
{
	long start = 2L * (context->start->fullmove - 1) + (context->start->turn == SIDE_BLACK);
	return 2L * ((long)number - 1) + black - start;
}

/* ---- one stretch ---- */

static struct excerpt excerpt_of(const struct stretch *stretch, const struct movelist_token *token)
{
	return (struct excerpt){stretch->at + token->move_at, token->move_size};
}

/* The line around a byte of the text. */
static struct excerpt line_around(const char *text, size_t size, size_t at)
{
	size_t start = at, end = at;
	while (start > 0 && text[start - 1] != '\n')
		start--;
	while (end < size && text[end] != '\n')
		end++;
	return (struct excerpt){start, end - start};
}

static bool has_own(const struct movelist_reading *reading)
{
	return reading->own_state == MOVELIST_OWN_ONE || reading->own_state == MOVELIST_OWN_TWICE ||
	       reading->own_state == MOVELIST_OWN_DIFFERS;
}

static bool repeats_right(const struct movelist_reading *reading)
{
	return reading->repetition == MOVELIST_REPETITION_RIGHT;
}

bool grammar_number_fits(const struct grammar *grammar, const struct movelist_token *token)
{
	if (token->number == 0)
		return false;
	bool black = grammar_turn_at(grammar->context, grammar->ply) == SIDE_BLACK;
	if (token->colour && (token->colour == 'n') != black)
		return false;
	return grammar_ply_of(grammar->context, token->number, black) == (long)grammar->ply &&
	       (black || token->dots < 2);
}

void grammar_take_repetition(struct grammar *grammar, const struct stretch *stretch,
	const struct movelist_reading *reading)
{
	struct found *found = &grammar->found;
	if (reading->repetition == MOVELIST_REPETITION_NONE ||
		found->repetition == REPETITION_RIGHT)
		return;
	/* What prose says about other moves is no repetition. */
	if (!stretch->list && !repeats_right(reading))
		return;
	found->repetition = repeats_right(reading) ? REPETITION_RIGHT : REPETITION_WRONG;
	found->repetition_in_list = stretch->list;
	found->repetition_text = excerpt_of(stretch, &reading->last);
	found->repetition_move =
		reading->last_reading.result == MOVE_READ ? reading->last_reading.move : MOVE_NONE;
	if (repeats_right(reading))
		found->repetition_move = grammar->context->moves[grammar->ply - 1];
}

bool grammar_same_own(const struct movelist_reading *a, const struct movelist_reading *b)
{
	return a->own.result == MOVE_READ && b->own.result == MOVE_READ &&
	       a->own.move == b->own.move;
}

/* Is this a statement of the own move, and not just a move that somebody mentions? */
static bool is_statement(const struct grammar *grammar, const struct stretch *stretch,
	const struct movelist_reading *reading)
{
	if (repeats_right(reading) || grammar_number_fits(grammar, &reading->own_token))
		return true;
	return stretch->list && reading->own.result == MOVE_READ;
}

void grammar_take_own(struct grammar *grammar, const struct stretch *stretch,
	const struct movelist_reading *reading)
{
	struct found *found = &grammar->found;
	if (found->own) {
		bool stronger = repeats_right(reading) && !repeats_right(&found->reading);
		found->last_at = stretch->at + reading->own_token.at;
		if (grammar_same_own(&found->reading, reading) && !stronger)
			return;
		if (!grammar_same_own(&found->reading, reading)) {
			if (!is_statement(grammar, stretch, reading)) {
				found->continuation = true;
				return;
			}
			/* A number of this ply or a repetition beats a bare, unreadable text. */
			if (found->reading.own.result == MOVE_READ ||
				grammar_number_fits(grammar, &found->reading.own_token) ||
				repeats_right(&found->reading)) {
				found->several = true;
				found->second = excerpt_of(stretch, &reading->own_token);
				return;
			}
		}
	}
	found->own = true;
	found->last_at = stretch->at + reading->own_token.at;
	found->own_in_list = stretch->list;
	found->reading = *reading;
	found->base = stretch->at;
	found->own_line =
		line_around(grammar->text, grammar->size, stretch->at + reading->own_token.move_at);
	if (reading->own_state == MOVELIST_OWN_DIFFERS) {
		found->several = true;
		found->second = excerpt_of(stretch, &reading->other_token);
	}
	found->continuation |= reading->n_further > 0 || reading->further_faulty;
}

/* Is a lone group of four digits, or two letters, chat after all? */
static bool is_chance(const struct movelist_reading *reading)
{
	const struct movelist_token *token = &reading->own_token;
	return has_own(reading) && reading->own.result != MOVE_READ && token->number == 0 &&
	       reading->repetition == MOVELIST_REPETITION_NONE &&
	       (token->shape == MOVELIST_SHAPE_NUMERIC || token->shape == MOVELIST_SHAPE_FILES);
}

/* A list that goes on to a result behind the own move is a game that somebody has played. */
static bool is_other_game(const struct movelist_reading *reading)
{
	return has_own(reading) && (reading->n_further > 0 || reading->further_faulty) &&
	       *reading->result && strcmp(reading->result, "*") != 0;
}

/* "13. Bg5?" asks; nobody calls his own move bad. */
static bool is_question(const struct stretch *stretch, const struct movelist_reading *reading)
{
	const struct movelist_token *token = &reading->own_token;
	const char *move = stretch->text + stretch->at + token->move_at;
	size_t size = token->at + token->size - token->move_at;
	return memchr(move, '?', size) && !memchr(move, '!', size);
}

static void take_elsewhere(struct grammar *grammar, const struct movelist_reading *reading)
{
	const struct movelist_token *token = &reading->own_token;
	struct found *found = &grammar->found;
	if (found->elsewhere || token->number == 0)
		return;
	long ply = reading->own_state == MOVELIST_OWN_PAST
			   ? (long)reading->past_ply
			   : grammar_ply_of(grammar->context, token->number,
				     token->colour ? token->colour == 'n' : token->dots > 1);
	/* One dot is written before moves of either side. */
	bool names_side = token->dots > 1 || token->colour;
	if (ply >= 0 && !names_side &&
		grammar_turn_at(grammar->context, (unsigned)ply) != grammar->context->by)
		ply++;
	found->elsewhere = ply >= 0;
	found->elsewhere_ply = ply;
}

static void look_below(struct grammar *grammar, const struct stretch *stretch,
	const struct movelist_game *game, const struct movelist_reading *reading)
{
	struct position position = movelist_position(game, grammar->ply);
	struct movelist_token token;
	if (!statement_second(stretch->text + stretch->at, stretch->size, &position, game->letters,
		    reading, &token))
		return;
	grammar->found.several = true;
	grammar->found.second = excerpt_of(stretch, &token);
}

static void read_list(struct grammar *grammar, const struct stretch *stretch)
{
	struct movelist_game game = grammar_game_at(grammar, grammar->ply);
	struct movelist_reading reading;
	if (grammar->stretches++ >= STRETCHES_MAX)
		return;
	movelist_read(&game, stretch->text + stretch->at, stretch->size, &reading);
	if (!has_own(&reading) && reading.own_state != MOVELIST_OWN_NONE) {
		take_elsewhere(grammar, &reading);
		return;
	}
	if (!has_own(&reading))
		grammar_find_unreadable(grammar, stretch, &reading);
	if (is_other_game(&reading))
		grammar->found.foreign = (struct excerpt){stretch->at, stretch->size};
	if (is_chance(&reading) || is_other_game(&reading))
		return;
	grammar_take_repetition(grammar, stretch, &reading);
	if (!has_own(&reading) || is_question(stretch, &reading) ||
		stretch->at + reading.own_token.at < stretch->theirs)
		return;
	grammar_take_own(grammar, stretch, &reading);
	if (reading.own_state == MOVELIST_OWN_ONE && reading.own.result == MOVE_READ)
		look_below(grammar, stretch, &game, &reading);
	grammar->found.draw_offer |= reading.draw_offer;
}

/* ---- prose ---- */

/* Reads a mention of moves; *ret_stretch is where it stands. */
static void read_mention(const struct grammar *grammar, const struct mention *mention,
	struct stretch *ret_stretch, struct movelist_reading *ret)
{
	struct movelist_game game = grammar_game_at(grammar, grammar->ply);
	*ret_stretch =
		(struct stretch){.text = grammar->text, .at = mention->at, .size = mention->size};
	movelist_read(&game, grammar->text + mention->at, mention->size, ret);
}

static bool is_own_read(const struct movelist_reading *reading)
{
	return has_own(reading) && reading->own.result == MOVE_READ;
}

/* "White plays e4" says nothing about Black. */
static bool is_of_other_side(const struct grammar *grammar, const struct mention *mention)
{
	bool white = grammar_turn_at(grammar->context, grammar->ply) == SIDE_WHITE;
	unsigned sides = mention->flags & (MENTION_WHITE | MENTION_BLACK);
	return sides == (white ? (unsigned)MENTION_BLACK : (unsigned)MENTION_WHITE);
}

/* Does the mention state the own move: alone, or behind the repetition? */
static bool is_stated(const struct grammar *grammar, const struct mention *mention,
	const struct movelist_reading *reading)
{
	if (!(mention->flags & MENTION_STATED) || !has_own(reading) ||
		is_of_other_side(grammar, mention))
		return false;
	/* A longer line of moves is told. */
	if (mention->moves > 1)
		return repeats_right(reading) && reading->n_further <= 1;
	return reading->own.result == MOVE_READ &&
	       (mention->token.number == 0 || grammar_number_fits(grammar, &mention->token));
}

static void set_several(struct grammar *grammar, const struct stretch *stretch,
	const struct movelist_reading *reading)
{
	grammar->found.several = grammar->found.corrected = true;
	grammar->found.second = excerpt_of(stretch, &reading->own_token);
}

/* "Nd7 or b4": the second one. */
static void read_choice(
	struct grammar *grammar, const struct mention *second, const struct movelist_reading *first)
{
	struct movelist_reading reading;
	struct stretch stretch;
	read_mention(grammar, second, &stretch, &reading);
	if (is_own_read(&reading) && !grammar_same_own(first, &reading))
		set_several(grammar, &stretch, &reading);
}

/* Is the own move so far a bare text that is no legal move? */
static bool is_doubtful(const struct grammar *grammar)
{
	const struct movelist_reading *reading = &grammar->found.reading;
	return reading->own.result != MOVE_READ && !repeats_right(reading) &&
	       !grammar_number_fits(grammar, &reading->own_token);
}

/* "My move is Nb7": said beyond doubt, and no legal move. A bare square says less. */
static bool is_faulty(const struct grammar *grammar, const struct mention *mention,
	const struct movelist_reading *reading)
{
	bool numbered = mention->token.number == 0 || grammar_number_fits(grammar, &mention->token);
	return (mention->flags & MENTION_STRONG) && mention->moves == 1 && has_own(reading) &&
	       (reading->own.result == MOVE_ILLEGAL || reading->own.result == MOVE_AMBIGUOUS) &&
	       mention->token.shape != MOVELIST_SHAPE_SQUARE &&
	       mention->token.shape != MOVELIST_SHAPE_NUMERIC && numbered &&
	       !is_of_other_side(grammar, mention);
}

/* If nothing else is stated, a faulty move is. */
static void take_faulty(struct grammar *grammar)
{
	const struct mention *mention = grammar->found.faulty;
	struct movelist_reading reading;
	struct stretch stretch;
	if (!mention || grammar->found.own)
		return;
	read_mention(grammar, mention, &stretch, &reading);
	grammar_take_own(grammar, &stretch, &reading);
	grammar->found.own_line = mention->sentence;
}

/* HAD_OWN: a list has stated the own move; then prose can only gainsay it. */
static void take_mention(struct grammar *grammar, const struct mention *mention, bool had_own)
{
	struct found *found = &grammar->found;
	struct movelist_reading reading;
	struct stretch stretch;
	if (grammar->stretches++ >= STRETCHES_MAX)
		return;
	read_mention(grammar, mention, &stretch, &reading);
	if (reading.own_state == MOVELIST_OWN_NONE && repeats_right(&reading))
		grammar_take_repetition(grammar, &stretch, &reading);
	bool stated = is_stated(grammar, mention, &reading);
	bool chosen = (mention->flags & MENTION_CHOICE) && !had_own && is_own_read(&reading);
	bool corrects = (mention->flags & MENTION_CORRECTS) && is_own_read(&reading);
	bool whole = stated && repeats_right(&reading);
	bool differs = found->own && (stated || corrects) && reading.own.result == MOVE_READ &&
		       !grammar_same_own(&found->reading, &reading);
	/* What is said beats a line that only looks like a move. */
	if (differs && stated && is_doubtful(grammar))
		found->own = had_own = differs = false;
	if (differs) {
		set_several(grammar, &stretch, &reading);
	} else if ((stated && (whole || !had_own)) || chosen) {
		grammar_take_repetition(grammar, &stretch, &reading);
		grammar_take_own(grammar, &stretch, &reading);
		found->draw_offer |= reading.draw_offer;
		if (found->base == stretch.at)
			found->own_line = mention->sentence;
	} else if (is_faulty(grammar, mention, &reading) && !found->faulty) {
		found->faulty = mention;
	}
	if (stated)
		found->last_at = stretch.at + stretch.size;
	if (chosen)
		read_choice(grammar, mention + 1, &reading);
}

static void read_mentions(struct grammar *grammar)
{
	bool had_own = grammar->found.own;
	for (size_t i = 0; i < grammar->lines->mentions->n; i++)
		take_mention(grammar, &grammar->lines->mentions->items[i], had_own);
	take_faulty(grammar);
}

/* "Nd7. Draw? No way!": what was said last is taken back, and not the move. */
static bool commands_between(const struct grammar *grammar, size_t from, size_t to)
{
	const struct text_lines *lines = grammar->lines;
	for (size_t i = 0; i < lines->n; i++)
		if (lines->items[i].commands && lines->items[i].at > from &&
			lines->items[i].at < to)
			return true;
	for (size_t i = 0; i < lines->mentions->n_commands; i++) {
		size_t at = lines->mentions->commands[i].line.at;
		if (at > from && at < to)
			return true;
	}
	return false;
}

/* "No wait, don't play that": what was stated before is not meant. */
static void read_cancels(struct grammar *grammar)
{
	const struct mentions *mentions = grammar->lines->mentions;
	struct found *found = &grammar->found;
	for (size_t i = 0; i < mentions->n_cancels; i++) {
		if (!found->own || mentions->cancels[i] < found->last_at ||
			commands_between(grammar, found->last_at, mentions->cancels[i]))
			continue;
		*found = (struct found){.withdrawn = true};
	}
}

/* ---- all of the text ---- */

/* Lists: move-like lines that follow each other are one stretch. */
static void read_lists(struct grammar *grammar)
{
	struct stretch list = {.text = grammar->text, .list = true};
	bool open = false, ours = false;
	for (size_t i = 0; i < grammar->lines->n && grammar->stretches < STRETCHES_MAX; i++) {
		const struct text_line *line = &grammar->lines->items[i];
		if (open && (!line->list || line->part.led || line->typed || ours)) {
			read_list(grammar, &list);
			open = false;
		}
		if (!line->list)
			continue;
		if (!open) {
			list.at = line->part.at;
			list.theirs = line->part.theirs ? line->at + line->size : 0;
		}
		list.size = line->part.at + line->part.size - list.at;
		open = true;
		ours = line->typed;
	}
	if (open)
		read_list(grammar, &list);
}

/* Is TOKEN, with the number of this ply, another move than the own one? */
static bool is_rival(const struct grammar *grammar, const struct text_line *line,
	const struct movelist_token *token)
{
	const struct mention mention = {.at = line->at + token->at, .size = token->size};
	struct movelist_reading reading;
	struct stretch at;

	if (!moveline_is_move(token) || token->depth > 0 || !grammar_number_fits(grammar, token))
		return false;
	read_mention(grammar, &mention, &at, &reading);
	return is_own_read(&reading) && !grammar_same_own(&grammar->found.reading, &reading) &&
	       !is_question(&at, &reading);
}

/* ... of prose; a tale about another game is none. */
static bool is_rival_mention(
	const struct grammar *grammar, const struct mention *mention, struct excerpt *ret_second)
{
	struct movelist_reading reading;
	struct stretch at;

	if (mention->flags & MENTION_TOLD || mention->token.depth > 0)
		return false;
	read_mention(grammar, mention, &at, &reading);
	bool own = is_own_read(&reading) && !grammar_same_own(&grammar->found.reading, &reading) &&
		   !is_question(&at, &reading);
	*ret_second = excerpt_of(&at, &reading.own_token);
	return own && (repeats_right(&reading) || grammar_number_fits(grammar, &reading.own_token));
}

/* Does a line by itself repeat the opponent's move and answer it otherwise? */
static bool is_rival_line(const struct grammar *grammar, const struct text_line *line, size_t size,
	struct excerpt *ret_second)
{
	struct movelist_game game = grammar_game_at(grammar, grammar->ply);
	struct movelist_reading reading;

	if (!line->list)
		return false;
	movelist_read(&game, grammar->text + line->at, size, &reading);
	if (!repeats_right(&reading) || !has_own(&reading) || reading.own.result != MOVE_READ ||
		grammar_same_own(&grammar->found.reading, &reading))
		return false;
	*ret_second =
		(struct excerpt){line->at + reading.own_token.move_at, reading.own_token.move_size};
	return true;
}

/* Whatever the lists and the prose have given: a second move with the number of this ply, be
 * it in a remark, leaves the choice to nobody but its author. */
static void find_rivals(struct grammar *grammar)
{
	struct found *found = &grammar->found;
	const struct mentions *mentions = grammar->lines->mentions;

	for (size_t i = 0; i < grammar->lines->n && found->own && !found->several; i++) {
		const struct text_line *line = &grammar->lines->items[i];
		size_t size = line->size;
		if (line->conditional || !line->list ||
			line->at - found->foreign.at < found->foreign.size)
			continue;
		(void)moveline_cut_condition(grammar->commands, grammar->text, line->at, &size);
		struct movelist_scan scan = movelist_scan(grammar->text + line->at, size);
		struct movelist_token token;
		found->several = is_rival_line(grammar, line, size, &found->second);
		while (!found->several && movelist_next(&scan, &token)) {
			if (!is_rival(grammar, line, &token))
				continue;
			found->several = true;
			found->second = (struct excerpt){line->at + token.move_at, token.move_size};
		}
	}
	for (size_t i = 0; i < mentions->n && found->own && !found->several; i++)
		found->several = is_rival_mention(grammar, &mentions->items[i], &found->second);
}

void grammar_read_ply(struct grammar *grammar, unsigned ply)
{
	grammar->ply = ply;
	grammar->stretches = 0;
	grammar->found = (struct found){.own = false};
	read_lists(grammar);
	read_mentions(grammar);
	if (!grammar->found.own)
		grammar_read_places(grammar);
	read_cancels(grammar);
	if (grammar->found.reading.own.result == MOVE_READ)
		find_rivals(grammar);
}

static void add_command(struct message *ret, const struct stated_command *command)
{
	if (ret->n_commands < STATED_COMMANDS_MAX)
		ret->commands[ret->n_commands++] = *command;
}

/* Is something written behind AT that takes back what stands there? */
static bool is_cancelled(const struct grammar *grammar, size_t at)
{
	const struct mentions *mentions = grammar->lines->mentions;
	return mentions->n_cancels > 0 && mentions->cancels[mentions->n_cancels - 1] > at;
}

/* Within sentences. */
static void read_said_commands(const struct grammar *grammar, struct message *ret)
{
	const struct mentions *mentions = grammar->lines->mentions;
	for (size_t i = 0; i < mentions->n_commands; i++) {
		const struct stated_command *command = &mentions->commands[i];
		if (is_cancelled(grammar, command->line.at))
			continue;
		ret->draw_offer |= command->kind == COMMAND_DRAW;
		add_command(ret, command);
	}
}

/* Those on lines of their own; of those behind moves an offer alone is known, as a mark is. */
static void read_commands(const struct grammar *grammar, struct message *ret)
{
	read_said_commands(grammar, ret);
	for (size_t i = 0; i < grammar->lines->n; i++) {
		const struct text_line *line = &grammar->lines->items[i];
		if (line->commands && !is_cancelled(grammar, line->at)) {
			ret->draw_offer |= line->command.kind == COMMAND_DRAW;
			add_command(ret, &line->command);
		}
		if (!line->list || line->part.behind == COMMAND_NONE)
			continue;
		ret->draw_offer |= line->part.behind == COMMAND_DRAW;
		if (line->part.behind != COMMAND_DRAW)
			add_command(ret, &(struct stated_command){.kind = line->part.behind,
						 .line = {line->at, line->size}});
	}
}

/* A number in front of the repetition or of the own move that belongs to another one, 0: none. */
static unsigned wrong_number(const struct grammar *grammar)
{
	const struct movelist_reading *reading = &grammar->found.reading;
	if (reading->own.warnings & MOVE_WARN_NUMBER)
		return reading->own_token.number;
	if (!repeats_right(reading) || grammar->ply == 0 || reading->last.number == 0)
		return 0;
	bool black = grammar_turn_at(grammar->context, grammar->ply - 1) == SIDE_BLACK;
	long ply = grammar_ply_of(grammar->context, reading->last.number, black);
	return ply + 1 == (long)grammar->ply ? 0 : reading->last.number;
}

static void fill_own(const struct grammar *grammar, struct message *ret)
{
	const struct found *found = &grammar->found;
	const struct movelist_reading *reading = &found->reading;
	ret->has_own = true;
	ret->own = reading->own;
	ret->own_text = grammar_trim(
		grammar->text, (struct excerpt){found->base + reading->own_token.move_at,
				       reading->own_token.move_size});
	ret->own_line = found->own_line;
	ret->several_own = found->several;
	ret->second_text = found->second;
	ret->ignored_continuation = found->continuation;
	if (found->repetition == REPETITION_RIGHT)
		ret->number_warning = wrong_number(grammar);
}

/* Conditional moves count from the position behind the own move on. */
static void read_conditionals(const struct grammar *grammar, struct message *message)
{
	const struct grammar_context *context = grammar->context;
	const struct conditional_parts *parts = &grammar->lines->conditionals;
	bool left_out = false;
	if (!message->has_own)
		return;
	if (message->own.result == MOVE_READ && !message->several_own &&
		message->ply <= context->n) {
		struct movelist_game game = grammar_game_at(grammar, grammar->ply);
		struct position position = movelist_position(&game, grammar->ply);
		position_make(&position, message->own.move);
		message->n_conditionals = conditional_read(grammar->text, parts, &position,
			message->own.letters ? message->own.letters : grammar->letters,
			message->conditionals, &left_out);
	}
	message->ignored_continuation |= left_out || parts->unclear;
}

static void check_format(
	const struct grammar *grammar, const struct newtext *newtext, struct message *message)
{
	const struct grammar_context *context = grammar->context;
	if (context->system != RULES_MCLINK || !message->has_own)
		return;
	bool line = newtext->reply_line && context->answered_line && !context->typed &&
		    message->ply == context->ply && message->number_warning == 0;
	message->several_own |= format_read(grammar, line, message);
	if (message->several_own) {
		message->format_faults |= FORMAT_STATEMENT;
		message->line_faults &= ~(unsigned)FORMAT_STATEMENT;
	}
}

/* Reads another text of the same mail at the same ply. */
static int read_other(
	const struct grammar *grammar, const char *text, size_t size, struct grammar *ret)
{
	struct text_lines lines;
	int r = text_lines_of_text(text, size, grammar->commands, &lines);
	if (r < 0)
		return r;
	*ret = (struct grammar){.context = grammar->context,
		.commands = grammar->commands,
		.letters = grammar->letters,
		.text = lines.text,
		.size = size,
		.lines = &lines};
	grammar_read_ply(ret, grammar->ply);
	ret->lines = NULL;
	ret->text = text;
	text_lines_release(&lines);
	return 0;
}

/* Does the HTML side of the mail say something else? */
static int compare_sides(
	const struct grammar *grammar, const struct newtext *newtext, struct message *message)
{
	struct grammar other;
	if (!newtext->other || newtext->other_size == 0 || !grammar_is_read(&grammar->found))
		return 0;
	int r = read_other(grammar, newtext->other, newtext->other_size, &other);
	if (r == 0 && grammar_is_read(&other.found) &&
		!grammar_same_own(&other.found.reading, &grammar->found.reading))
		message->several_own = true;
	return r;
}

/* Was a move that fits dropped as a quote or a signature? */
static int look_into_dropped(
	const struct grammar *grammar, const struct newtext *newtext, struct message *message)
{
	struct grammar other;
	if (message->has_own || !newtext->dropped || newtext->dropped_size == 0)
		return 0;
	int r = read_other(grammar, newtext->dropped, newtext->dropped_size, &other);
	if (r == 0)
		message->move_in_quote =
			grammar_is_read(&other.found) &&
			(other.found.repetition == REPETITION_RIGHT ||
				grammar_number_fits(&other, &other.found.reading.own_token));
	return r;
}

/* A bare move out of turn, neither repeated nor with a number, is about no ply of the game; it is
 * early, if it is not the one that was made. */
static bool names_no_ply(const struct grammar *grammar, const struct message *message)
{
	const struct grammar_context *context = grammar->context;
	if (!message->has_own || message->ply >= context->n ||
		grammar_turn_at(context, context->n) == context->by ||
		message->repetition != REPETITION_NONE ||
		grammar->found.reading.own_token.number > 0)
		return false;
	return message->own.result != MOVE_READ ||
	       message->own.move != context->moves[message->ply];
}

static void fill_message(
	const struct grammar *grammar, const struct newtext *newtext, struct message *message)
{
	const struct grammar_context *context = grammar->context;
	const struct found *found = &grammar->found;
	/* Praise for the opponent's move is no answer without an own one. */
	bool moves = found->own || message->n_accepted > 0;
	if (moves || found->repetition_in_list) {
		message->repetition = found->repetition;
		message->repetition_text = found->repetition_text;
		message->repetition_move = found->repetition_move;
	}
	message->draw_offer = found->draw_offer;
	if (found->own)
		fill_own(grammar, message);
	bool line = moves && message->repetition == REPETITION_NONE && newtext->reply_line &&
		    context->answered_line && !context->typed;
	/* A number that the game has not reached is wrong, if the move is not: the line shows what
	 * is answered. */
	if (line && message->ply > context->n && message->own.result == MOVE_READ &&
		context->ply == context->n &&
		grammar_turn_at(context, context->ply) == context->by) {
		message->number_warning = found->reading.own_token.number;
		message->ply = context->ply;
	}
	if (line && message->ply == context->ply)
		message->repetition = REPETITION_LINE;
	if (names_no_ply(grammar, message))
		message->ply = context->n + 1;
	message->last_repeated =
		message->repetition == REPETITION_RIGHT || message->repetition == REPETITION_LINE;
	read_commands(grammar, message);
}

static int read_newtext(const struct newtext *newtext, const struct grammar_context *context,
	const struct words *words, struct message *ret)
{
	const char *language = context->letters ? letters_language(context->letters) : "en";
	const struct command_context commands = {words, talk_language(words_talk(words), language),
		context->today, context->number, context->name};
	struct text_lines lines;
	int r = text_lines_of_newtext(newtext, &commands, &lines);
	if (r < 0)
		return r;
	struct grammar grammar = {.context = context,
		.commands = &commands,
		.text = lines.text,
		.size = newtext->size,
		.lines = &lines};
	struct message message = {
		.by = context->by, .text = newtext->text, .text_size = newtext->size};
	struct accepted accepted;
	message.ply = grammar_choose(&grammar);
	r = accepted_read(&grammar, &message, &accepted);
	if (r == 0) {
		fill_message(&grammar, newtext, &message);
		grammar_help(&grammar, &message);
		check_format(&grammar, newtext, &message);
		read_conditionals(&grammar, &message);
		r = compare_sides(&grammar, newtext, &message);
	}
	if (r == 0)
		r = look_into_dropped(&grammar, newtext, &message);
	/* A series goes on from the own move: where none is chosen, none is offered. */
	if (message.several_own || !message.has_own)
		message.n_conditionals = 0;
	accepted_release(&accepted);
	text_lines_release(&lines);
	if (r == 0)
		*ret = message;
	return r;
}

int grammar_read(
	const struct newtext *newtext, const struct grammar_context *context, struct message *ret)
{
	struct fault_list faults = {0};
	struct words *words = NULL;
	int r = context->words ? 0 : words_load(NULL, &faults, &words);
	if (r == 0)
		r = read_newtext(newtext, context, context->words ? context->words : words, ret);
	fault_list_release(&faults);
	words_free(words);
	return r;
}

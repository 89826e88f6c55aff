#include <limits.h>
#include <string.h>

#include "core/letters.h"
#include "core/moveform.h"

/* The moves of a text, small enough to keep a whole game list. */
#define ITEMS_MAX 1024
struct item {
	uint32_t at, size; /* of the move without its number */
	uint32_t token_at, line;
	uint16_t number;
	uint8_t dots, shape;
	char colour;
};

struct items {
	const char *text;
	size_t text_size;
	struct item list[ITEMS_MAX];
	size_t n;
	struct movelist_token bracketed; /* the first move in round brackets */
	size_t n_bracketed;
};

/* What one or (for "e2 e4", "Nf6 d7") two items read as. */
struct match {
	struct move_reading reading;
	size_t used;
};

struct position movelist_position(const struct movelist_game *game, size_t ply)
{
	struct position position = *game->start;

	for (size_t i = 0; i < ply && i < game->n_moves; i++)
		position_make(&position, game->moves[i]);
	return position;
}

static void add_item(struct items *items, const struct movelist_token *token)
{
	items->list[items->n++] = (struct item){
		.at = (uint32_t)token->move_at,
		.size = (uint32_t)token->move_size,
		.token_at = (uint32_t)token->at,
		.line = token->line,
		.number = (uint16_t)token->number,
		.dots = (uint8_t)(token->dots > 9 ? 9 : token->dots),
		.shape = (uint8_t)token->shape,
		.colour = token->colour,
	};
}

static void add_word(struct movelist_reading *reading, const struct movelist_token *token)
{
	if (!reading->n_words++)
		reading->word_at = token->at;
}

/* A number apart from its move ("12." and the move on the next line but one). */
static void carry_number(struct movelist_token *token, struct movelist_token *number)
{
	if (number->number && !token->number) {
		token->number = number->number;
		token->dots = number->dots + token->dots;
		token->colour = number->colour;
		token->at = number->at;
	}
	number->number = 0;
}

/* Round brackets hold variations, unless all that there is stands in them. */
static unsigned least_depth(const struct items *items)
{
	struct movelist_scan scan = movelist_scan(items->text, items->text_size);
	struct movelist_token token;
	unsigned depth = UINT_MAX;

	while (depth && movelist_next(&scan, &token))
		if (token.kind == MOVELIST_MOVE && token.depth < depth)
			depth = token.depth;
	return depth;
}

/* What stands in brackets is kept if it is the first move there: it may be the own move in a
 * second notation ("7163 (Nf3)"). */
static void add_bracketed(struct items *items, const struct movelist_token *token)
{
	if (token->kind == MOVELIST_MOVE && !items->n_bracketed++)
		items->bracketed = *token;
}

static void collect(struct items *items, struct movelist_reading *reading)
{
	struct movelist_scan scan = movelist_scan(items->text, items->text_size);
	struct movelist_token token, number = {.number = 0};
	unsigned depth = least_depth(items);

	while (movelist_next(&scan, &token)) {
		if (token.kind == MOVELIST_COMMENT)
			continue;
		if (token.depth > depth && token.kind != MOVELIST_WORD) {
			add_bracketed(items, &token);
			continue;
		}
		if (token.draw_offer)
			reading->draw_offer = true;
		if (token.kind == MOVELIST_NUMBER) {
			number = token;
		} else if (token.kind == MOVELIST_RESULT) {
			memcpy(reading->result, token.result, sizeof(token.result));
		} else if (token.kind == MOVELIST_WORD) {
			add_word(reading, &token);
			number.number = 0;
		} else if (token.kind == MOVELIST_MOVE && items->n < ITEMS_MAX) {
			carry_number(&token, &number);
			add_item(items, &token);
		} else if (token.kind == MOVELIST_MOVE) {
			add_word(reading, &token);
		}
	}
}

/* The token of an item, made anew from the text. */
static struct movelist_token token_of(const struct items *items, size_t i)
{
	const struct item *item = &items->list[i];
	struct movelist_scan scan = movelist_scan(items->text, item->at + item->size);
	struct movelist_token token = {.kind = MOVELIST_MOVE};

	scan.at = item->at;
	scan.line_begun = true;
	if (movelist_next(&scan, &token)) {
		token.size += token.at - item->token_at;
		token.at = item->token_at;
	}
	token.number = item->number;
	token.dots = item->dots;
	token.colour = item->colour;
	token.line = item->line;
	return token;
}

static struct match read_item(const struct movelist_game *game, const struct items *items, size_t i,
	const struct position *at)
{
	const struct item *item = &items->list[i], *next = item + 1;
	struct match match = {.used = 1};

	(void)move_read(at, game->letters, items->text + item->at, item->size, &match.reading);
	if (match.reading.result != MOVE_READ && i + 1 < items->n &&
		(item->shape == MOVELIST_SHAPE_SQUARE || item->shape == MOVELIST_SHAPE_PIECE) &&
		(next->shape == MOVELIST_SHAPE_SQUARE || next->shape == MOVELIST_SHAPE_PAWN) &&
		!next->number && !next->dots && next->line == item->line) {
		struct move_reading pair;

		if (move_read(at, game->letters, items->text + item->at,
			    next->at + next->size - item->at, &pair) == MOVE_READ)
			match = (struct match){.reading = pair, .used = 2};
	}
	match.reading.number = item->number;
	match.reading.number_has_dots = item->dots > 1 || item->colour == 'n';
	if (item->number && (item->number != at->fullmove ||
				    (match.reading.number_has_dots && at->turn == SIDE_WHITE) ||
				    (item->colour == 'b' && at->turn == SIDE_BLACK)))
		match.reading.warnings |= MOVE_WARN_NUMBER;
	return match;
}

/* A repetition need only be recognised: one of several moves that fit is enough. */
static bool reads_as(const struct move_reading *reading, uint16_t move)
{
	if (reading->result == MOVE_READ)
		return reading->move == move;
	if (reading->result != MOVE_AMBIGUOUS)
		return false;
	for (size_t i = 0; i < reading->n_candidates; i++)
		if (reading->candidates[i] == move)
			return true;
	return false;
}

/* The ply, counted from the start of the game, that a number with a side names. */
static long ply_of(const struct movelist_game *game, unsigned number, bool black)
{
	long start = 2L * (game->start->fullmove - 1) + (game->start->turn == SIDE_BLACK);

	return 2L * ((long)number - 1) + black - start;
}

static bool names_side(const struct item *item)
{
	return item->dots > 1 || item->colour;
}

static long item_ply(const struct movelist_game *game, const struct item *item)
{
	return ply_of(game, item->number, item->colour ? item->colour == 'n' : item->dots > 1);
}

struct walk {
	struct movelist_game *game;
	const struct items *items;
	struct movelist_reading *reading;
	size_t i; /* the next item */
};

/* Reads an item that repeats MOVE. A writer whose repetition is right in English letters only
 * writes English from there on, whatever his language: "Nf6 Rg1" is no Italian king. */
static struct match read_repetition(
	struct walk *w, size_t i, const struct position *at, uint16_t move)
{
	struct match match = read_item(w->game, w->items, i, at), english;
	struct movelist_game in_english = *w->game;

	in_english.letters = LETTERS_ENGLISH;
	if (!w->game->letters || w->game->letters == LETTERS_ENGLISH)
		return match;
	if (match.reading.letters == LETTERS_ENGLISH && reads_as(&match.reading, move)) {
		w->game->letters = LETTERS_ENGLISH;
	} else if (!reads_as(&match.reading, move)) {
		english = read_item(&in_english, w->items, i, at);
		if (!reads_as(&english.reading, move))
			return match;
		w->game->letters = LETTERS_ENGLISH;
		return english;
	}
	return match;
}

/* "Your Qxf3: 5. Qxf3 dxe5" repeats twice. */
static void skip_repeated_last(struct walk *w)
{
	size_t last = w->game->n_moves - 1;
	struct position position = movelist_position(w->game, last);

	while (w->i + 1 < w->items->n) {
		const struct item *item = &w->items->list[w->i];
		struct match match;

		if (!item->number || item->number != position.fullmove ||
			(names_side(item) && item_ply(w->game, item) != (long)last))
			return;
		match = read_item(w->game, w->items, w->i, &position);
		if (!reads_as(&match.reading, w->game->moves[last]))
			return;
		w->i += match.used;
	}
}

/* Does the item state once more the move of PLY, with its number and side
 * (MC-link 4.5)? */
static bool is_stated_again(struct walk *w, size_t ply)
{
	const struct item *item = &w->items->list[w->i];
	struct position before;
	struct match match;

	if (!item->number || !names_side(item) || item_ply(w->game, item) != (long)ply)
		return false;
	before = movelist_position(w->game, ply);
	match = read_item(w->game, w->items, w->i, &before);
	return match.used == 1 && reads_as(&match.reading, w->game->moves[ply]);
}

/* Items from W->i on stand for the moves from FROM on; stops at the own move. Returns the ply
 * reached. */
static size_t walk_history(struct walk *w, size_t from)
{
	const struct movelist_game *game = w->game;
	struct position position = movelist_position(game, from);
	struct movelist_reading *r = w->reading;
	size_t ply = from;
	bool wrong = false;

	r->repetition = MOVELIST_REPETITION_NONE;
	while (ply < game->n_moves && w->i < w->items->n) {
		const struct item *item = &w->items->list[w->i];
		struct match match;
		bool last = ply + 1 == game->n_moves;

		if (ply > from && is_stated_again(w, ply - 1)) {
			w->i++;
			continue;
		}
		/* a list may leave moves out: its numbers tell */
		if (ply > from && item->number && item_ply(game, item) > (long)ply) {
			if (item_ply(game, item) >= (long)game->n_moves)
				break;
			position_make(&position, game->moves[ply++]);
			continue;
		}
		match = read_repetition(w, w->i, &position, game->moves[ply]);
		if (!reads_as(&match.reading, game->moves[ply]) && !wrong) {
			wrong = true;
			r->wrong_ply = ply;
			r->repetition = MOVELIST_REPETITION_CONTRADICTS;
		}
		if (last) {
			r->last = token_of(w->items, w->i);
			r->last_reading = match.reading;
			if (!reads_as(&match.reading, game->moves[ply]))
				r->repetition = MOVELIST_REPETITION_WRONG;
			else if (!wrong)
				r->repetition = MOVELIST_REPETITION_RIGHT;
		}
		position_make(&position, game->moves[ply++]);
		w->i += match.used;
		r->n_repeated++;
	}
	return ply;
}

static bool same_statement(const struct movelist_game *game, const struct item *item)
{
	return item->number && names_side(item) && item_ply(game, item) == (long)game->n_moves;
}

/* What follows the own move: the same statement again, or a continuation. */
static void walk_behind(struct walk *w, const struct position *before)
{
	struct movelist_reading *r = w->reading;
	struct position position = *before;
	bool first = true;

	position_make(&position, r->own.move);
	while (w->i < w->items->n && r->n_further < MOVELIST_FURTHER_MAX) {
		const struct item *item = &w->items->list[w->i];
		struct match again = read_item(w->game, w->items, w->i, before);
		struct match reply = read_item(w->game, w->items, w->i, &position);
		bool legal_again = again.reading.result == MOVE_READ;
		bool legal_reply = reply.reading.result == MOVE_READ;

		if (first && (same_statement(w->game, item) || (legal_again && !legal_reply))) {
			bool same = reads_as(&again.reading, r->own.move);

			if (!same) {
				r->own_state = MOVELIST_OWN_DIFFERS;
				r->other = again.reading;
				r->other_token = token_of(w->items, w->i);
				return;
			}
			r->own_state = MOVELIST_OWN_TWICE;
			w->i += again.used;
			continue;
		}
		first = false;
		if (!legal_reply) {
			r->further_faulty = true;
			return;
		}
		r->further[r->n_further++] = reply.reading.move;
		position_make(&position, reply.reading.move);
		w->i += reply.used;
	}
}

/* The item W->i is the own move. */
static void walk_own(struct walk *w)
{
	struct position position = movelist_position(w->game, w->game->n_moves);
	struct match match = read_item(w->game, w->items, w->i, &position);

	w->reading->own_state = MOVELIST_OWN_ONE;
	w->reading->own = match.reading;
	w->reading->own_token = token_of(w->items, w->i);
	w->i += match.used;
	if (match.reading.result == MOVE_READ)
		walk_behind(w, &position);
	else if (w->i < w->items->n)
		w->reading->further_faulty = true;
}

/* The whole text stands for moves that were made before the last one, or not reached yet. */
static void take_elsewhere(struct walk *w, size_t i, long ply)
{
	struct movelist_reading *r = w->reading;
	struct position position;
	struct match match;

	r->own_state = ply < (long)w->game->n_moves ? MOVELIST_OWN_PAST : MOVELIST_OWN_FUTURE;
	r->own_token = token_of(w->items, i);
	position = movelist_position(w->game, w->game->n_moves);
	r->own = read_item(w->game, w->items, i, &position).reading;
	if (r->own_state == MOVELIST_OWN_FUTURE || ply < 0)
		return;
	r->past_ply = (size_t)ply;
	position = movelist_position(w->game, r->past_ply);
	match = read_item(w->game, w->items, i, &position);
	r->past_same = reads_as(&match.reading, w->game->moves[r->past_ply]);
}

static bool item_reads_as_made(struct walk *w, size_t i, size_t ply)
{
	struct position position = movelist_position(w->game, ply);
	const struct letters *letters = w->game->letters;
	struct match match = read_repetition(w, i, &position, w->game->moves[ply]);

	w->game->letters = letters; /* only a look ahead */
	return reads_as(&match.reading, w->game->moves[ply]);
}

static bool item_is_legal_now(struct walk *w, size_t i)
{
	struct position position = movelist_position(w->game, w->game->n_moves);

	return read_item(w->game, w->items, i, &position).reading.result == MOVE_READ;
}

/* From an item in the history to the own move. */
static void read_from(struct walk *w, size_t from)
{
	size_t ply = walk_history(w, from);

	if (ply == w->game->n_moves && w->reading->repetition == MOVELIST_REPETITION_RIGHT)
		skip_repeated_last(w);
	if (w->i < w->items->n)
		walk_own(w);
	else if (ply < w->game->n_moves)
		take_elsewhere(w, w->items->n - 1, (long)ply - 1);
	if (ply < w->game->n_moves) /* the last move is not among it */
		w->reading->repetition = MOVELIST_REPETITION_NONE;
}

static bool is_made(struct walk *w, size_t i, long ply)
{
	return ply >= 0 && ply < (long)w->game->n_moves && item_reads_as_made(w, i, (size_t)ply);
}

/* The ply that the number of the first item names. One with a single dot is White's, but people
 * write it before moves of Black as well; and a wrong number does no harm when the last move
 * stands behind it and an own one follows. */
static long numbered_ply(struct walk *w)
{
	const struct item *first = &w->items->list[0];
	long n = (long)w->game->n_moves, ply = item_ply(w->game, first);

	if (ply == n || is_made(w, 0, ply))
		return ply;
	if (!names_side(first) && is_made(w, 0, ply + 1))
		return ply + 1;
	if (w->items->n > 1 && is_made(w, 0, n - 1) && item_is_legal_now(w, 1))
		return n - 1;
	if (!names_side(first) && ply + 1 == n &&
		(!n || w->items->n == 1 || (item_is_legal_now(w, 0) && !item_is_legal_now(w, 1))))
		return n;
	return ply;
}

static void read_numbered(struct walk *w)
{
	long ply = numbered_ply(w);

	if (ply == (long)w->game->n_moves)
		walk_own(w);
	else if (ply >= 0 && ply < (long)w->game->n_moves)
		read_from(w, (size_t)ply);
	else
		take_elsewhere(w, 0, ply);
}

/* The ply that the first of COUNT unnumbered items stands for: a list that ends with the last
 * move or with the own one is known by its length. */
static size_t unnumbered_ply(struct walk *w, size_t n, size_t count)
{
	if (n && (count > 1 || !item_is_legal_now(w, 0)) && item_reads_as_made(w, 0, n - 1))
		return n - 1;
	if (count > 2 && n + 1 >= count && item_reads_as_made(w, count - 2, n - 1) &&
		item_reads_as_made(w, 0, n + 1 - count))
		return n + 1 - count;
	if (count > 1 && n >= count && item_reads_as_made(w, count - 1, n - 1) &&
		item_reads_as_made(w, 0, n - count))
		return n - count;
	if (n && count > 1 && !item_is_legal_now(w, 0) && item_is_legal_now(w, 1) &&
		!w->items->list[1].number)
		return n - 1; /* a wrong repetition */
	return n;
}

static void read_unnumbered(struct walk *w)
{
	size_t n = w->game->n_moves, ply = unnumbered_ply(w, n, w->items->n);

	if (ply < n)
		read_from(w, ply);
	else
		walk_own(w);
}

/* The own move again in brackets says nothing new; anything else is as good as words. */
static void judge_bracketed(struct walk *w)
{
	const struct movelist_token *token = &w->items->bracketed;
	struct position position = movelist_position(w->game, w->game->n_moves);
	struct movelist_reading *r = w->reading;
	struct move_reading again;

	if (w->items->n_bracketed == 1 && r->own_state == MOVELIST_OWN_ONE &&
		r->own.result == MOVE_READ &&
		move_read(&position, w->game->letters, w->items->text + token->move_at,
			token->move_size, &again) == MOVE_READ &&
		again.move == r->own.move)
		return;
	add_word(r, token);
}

void movelist_read(const struct movelist_game *game, const char *text, size_t size,
	struct movelist_reading *ret_reading)
{
	struct items items;
	struct movelist_game own_view = *game;
	struct walk walk = {.game = &own_view, .items = &items, .reading = ret_reading};

	memset(ret_reading, 0, sizeof(*ret_reading));
	items.text = text;
	items.text_size = size;
	items.n = items.n_bracketed = 0;
	collect(&items, ret_reading);
	if (!items.n)
		return;
	if (items.list[0].number)
		read_numbered(&walk);
	else
		read_unnumbered(&walk);
	if (items.n_bracketed)
		judge_bracketed(&walk);
	if (ret_reading->own_state)
		ret_reading->draw_offer = ret_reading->draw_offer || ret_reading->own.draw_offer;
}

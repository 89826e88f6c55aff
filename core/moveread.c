#include "core/fold.h"
#include "core/letters.h"
#include "core/moveform.h"
#include "core/movegen.h"

/* Reading order (spec: the conventional reading decides). A later class is looked at only when
 * no pseudo-legal move fits any reading of the earlier ones. */
enum reading_class {
	CLASS_CONVENTIONAL = 0,
	CLASS_LOWER,   /* a small letter for a piece, a capital for a file */
	CLASS_ENGLISH, /* the English letter where the language has another piece for it */
	CLASS_ENGLISH_LOWER,
	CLASS_CASTLING, /* Kg1 for O-O */
	CLASSES,
};

/* What a letter may stand for. */
struct sense {
	enum piece piece;
	enum reading_class class;
	const struct letters *letters;
};
#define SENSES_MAX 8
struct senses {
	struct sense list[SENSES_MAX];
	size_t n;
};

static void add_sense(struct senses *senses, enum piece piece, enum reading_class class,
	const struct letters *letters)
{
	if (!piece || senses->n == SENSES_MAX)
		return;
	for (size_t i = 0; i < senses->n; i++)
		if (senses->list[i].piece == piece && senses->list[i].class <= class)
			return;
	senses->list[senses->n++] = (struct sense){piece, class, letters};
}

/* Looks the letter up as written, then its twin in the other alphabet. */
static enum piece piece_in(const struct letters *letters, uint32_t capital)
{
	enum piece piece = letters_piece(letters, capital);
	uint32_t twin;

	if (piece || (capital < 0x80) != letters->cyrillic)
		return piece;
	twin = letters->cyrillic ? fold_cyrillic_twin(capital) : fold_latin_twin(capital);
	return twin ? letters_piece(letters, twin) : PIECE_NONE;
}

static void senses_of_any(struct senses *senses, uint32_t capital, enum reading_class class)
{
	for (size_t i = 0; i < LETTERS_COUNT; i++)
		add_sense(senses, letters_piece(&letters_all[i], capital), class, &letters_all[i]);
	if (senses->n)
		return;
	for (size_t i = 0; i < LETTERS_COUNT; i++)
		add_sense(senses, piece_in(&letters_all[i], capital), class, &letters_all[i]);
}

static void senses_of_letter(
	struct senses *senses, const struct letters *letters, uint32_t letter, bool two_letters)
{
	uint32_t capital = fold_upper(letter);
	bool small = capital != letter;
	enum piece own, english;
	enum reading_class class = small ? CLASS_LOWER : CLASS_CONVENTIONAL;

	own = letters_figurine(letter);
	if (own) {
		add_sense(senses, own, CLASS_CONVENTIONAL, letters);
		return;
	}
	if (two_letters) {
		if (!letters || letters->king_second)
			add_sense(senses, PIECE_KING, class,
				letters ? letters : letters_find("ru", 2));
		return;
	}
	if (small && (letter == 'p' || letter == 0x43f)) /* p and п are usual for the pawn */
		class = CLASS_CONVENTIONAL;
	if (!letters) {
		senses_of_any(senses, capital, class);
		return;
	}
	own = piece_in(letters, capital);
	english = piece_in(LETTERS_ENGLISH, capital);
	add_sense(senses, own, class, letters);
	if (!own || (letters->cyrillic && capital < 0x80))
		add_sense(senses, english, class, LETTERS_ENGLISH);
	else if (english && capital < 0x80)
		add_sense(senses, english, small ? CLASS_ENGLISH_LOWER : CLASS_ENGLISH,
			LETTERS_ENGLISH);
}

/* One way to take the text, ready to be held against moves. */
struct pattern {
	uint64_t from, to;
	unsigned pieces; /* a bit for each enum piece */
	enum piece promotion;
	bool capture_only;
	bool castling; /* the king's two steps fit as well */
	enum reading_class class;
	const struct letters *letters;
	const struct moveform *form;
};
#define PATTERNS_MAX 64
struct patterns {
	struct pattern list[PATTERNS_MAX];
	size_t n;
};

static uint64_t squares_of(uint8_t file, uint8_t rank)
{
	uint64_t set = ~UINT64_C(0);

	if (file != MOVEFORM_ANY)
		set &= FILE_A << file;
	if (rank != MOVEFORM_ANY)
		set &= RANK(rank);
	return set;
}

static struct pattern pattern_of(const struct moveform *form)
{
	struct pattern pattern = {.form = form,
		.from = squares_of(form->from_file, form->from_rank),
		.to = squares_of(form->to_file, form->to_rank)};

	pattern.castling = form->from_file != MOVEFORM_ANY && form->from_rank != MOVEFORM_ANY;
	if (form->letter)
		return pattern;
	if (form->shape == MOVELIST_SHAPE_COORDINATE || form->shape == MOVELIST_SHAPE_NUMERIC) {
		pattern.pieces = 0x7e;
	} else {
		pattern.pieces = 1U << PIECE_PAWN;
		pattern.capture_only = form->from_file == MOVEFORM_ANY && form->capture;
		if (form->from_file == MOVEFORM_ANY && !form->capture)
			pattern.from = squares_of(form->to_file, MOVEFORM_ANY);
	}
	if (form->capital_file)
		pattern.class = CLASS_LOWER;
	return pattern;
}

static void add_pattern(struct patterns *patterns, const struct pattern *pattern)
{
	if (patterns->n < PATTERNS_MAX)
		patterns->list[patterns->n++] = *pattern;
}

static void add_promotions(struct patterns *patterns, const struct letters *letters,
	const struct moveform *form, const struct pattern *base)
{
	static const enum piece numeric[] = {PIECE_QUEEN, PIECE_ROOK, PIECE_BISHOP, PIECE_KNIGHT};
	struct senses senses = {.n = 0};
	struct pattern pattern = *base;

	if (!form->promotion) {
		add_pattern(patterns, base);
		return;
	}
	if (form->promotion >= '1' && form->promotion <= '4') {
		pattern.promotion = numeric[form->promotion - '1'];
		add_pattern(patterns, &pattern);
		return;
	}
	senses_of_letter(&senses, letters, form->promotion, false);
	for (size_t i = 0; i < senses.n; i++) {
		const struct sense *sense = &senses.list[i];
		enum reading_class class = sense->class;

		if (sense->piece == PIECE_PAWN)
			continue;
		if (class == CLASS_LOWER) /* e8=q is usual */
			class = CLASS_CONVENTIONAL;
		pattern = *base;
		pattern.promotion = sense->piece;
		pattern.letters = sense->letters;
		if (class > pattern.class)
			pattern.class = class;
		add_pattern(patterns, &pattern);
	}
}

static void add_patterns(
	struct patterns *patterns, const struct letters *letters, const struct moveform *form)
{
	struct senses senses = {.n = 0};
	struct pattern pattern = pattern_of(form);

	if (!form->letter) {
		add_promotions(patterns, letters, form, &pattern);
		return;
	}
	senses_of_letter(&senses, letters, form->letter, form->two_letters);
	for (size_t i = 0; i < senses.n; i++) {
		struct pattern with_piece = pattern;

		with_piece.pieces = 1U << senses.list[i].piece;
		with_piece.class = senses.list[i].class;
		with_piece.letters = senses.list[i].letters;
		if (senses.list[i].piece == PIECE_PAWN && form->from_file == MOVEFORM_ANY) {
			with_piece.capture_only = form->capture;
			if (!form->capture)
				with_piece.from = squares_of(form->to_file, MOVEFORM_ANY);
		}
		add_promotions(patterns, letters, form, &with_piece);
		if (senses.list[i].piece == PIECE_KING && !pattern.castling) {
			with_piece.castling = true;
			with_piece.class = CLASS_CASTLING;
			add_promotions(patterns, letters, form, &with_piece);
		}
	}
}

static bool is_capture(const struct position *p, uint16_t move)
{
	unsigned to = move_to(move);

	return p->board[to] || (to == p->en_passant && p->board[move_from(move)] == PIECE_PAWN);
}

static bool is_castling(const struct position *p, uint16_t move)
{
	unsigned from = move_from(move), to = move_to(move);

	return p->board[from] == PIECE_KING && (from + 2 == to || to + 2 == from);
}

static bool fits(const struct position *p, const struct pattern *pattern, uint16_t move)
{
	unsigned from = move_from(move);

	if (!pattern->castling && is_castling(p, move))
		return false;
	return pattern->pieces >> p->board[from] & 1 && pattern->from & BIT(from) &&
	       pattern->to & BIT(move_to(move)) &&
	       (!pattern->promotion || pattern->promotion == move_promotion(move)) &&
	       (!pattern->capture_only || is_capture(p, move));
}

static uint64_t pawn_targets(const struct position *p, unsigned from, enum side us)
{
	uint64_t occupied = p->sides[0] | p->sides[1], pushes;
	uint64_t enemy_pawns = p->pieces[PIECE_PAWN] & p->sides[side_other(us)];
	uint64_t passing =
		us == SIDE_WHITE ? (enemy_pawns & RANK(4)) << 8 : (enemy_pawns & RANK(3)) >> 8;
	uint64_t takes = p->sides[side_other(us)] | (passing & ~occupied);

	if (us == SIDE_WHITE) {
		pushes = BIT(from) << 8 & ~occupied;
		pushes |= (pushes & RANK(2)) << 8 & ~occupied;
	} else {
		pushes = BIT(from) >> 8 & ~occupied;
		pushes |= (pushes & RANK(5)) >> 8 & ~occupied;
	}
	return pushes | (attacks_pawn[us][from] & takes);
}

/* Whether a move fits that is legal but for the safety of the king. */
static bool fits_pseudo(const struct position *p, const struct pattern *pattern)
{
	enum side us = (enum side)p->turn;
	uint64_t own = p->sides[us], set = own & pattern->from;

	while (set) {
		unsigned from = bits_pop(&set);
		enum piece piece = (enum piece)p->board[from];
		uint64_t to;

		if (!(pattern->pieces >> piece & 1))
			continue;
		if (piece != PIECE_PAWN) {
			to = pattern->promotion ? 0
						: attacks_piece(piece, from, own | p->sides[!us]);
		} else {
			to = pawn_targets(p, from, us);
			if (pattern->promotion)
				to &= RANK(0) | RANK(7);
			if (pattern->promotion == PIECE_KING)
				to = 0;
			if (pattern->capture_only)
				to &= ~squares_of((uint8_t)square_file(from), MOVEFORM_ANY);
		}
		if (to & ~own & pattern->to)
			return true;
	}
	return false;
}

static void add_candidate(struct move_reading *reading, uint16_t move)
{
	for (size_t i = 0; i < reading->n_candidates; i++)
		if (reading->candidates[i] == move)
			return;
	if (reading->n_candidates < ARRAY_SIZE(reading->candidates))
		reading->candidates[reading->n_candidates++] = move;
}

static enum notation notation_of(const struct moveform *form)
{
	if (form->shape == MOVELIST_SHAPE_NUMERIC)
		return NOTATION_ICCF;
	if (letters_figurine(form->letter) || letters_figurine(form->promotion))
		return NOTATION_FIGURINE;
	if (form->from_file != MOVEFORM_ANY && form->from_rank != MOVEFORM_ANY)
		return NOTATION_LONG;
	return NOTATION_SAN;
}

static void take_move(const struct position *p, const struct letters *letters,
	const struct pattern *pattern, uint16_t move, struct move_reading *reading)
{
	reading->result = MOVE_READ;
	reading->move = move;
	reading->notation = notation_of(pattern->form);
	reading->letters = pattern->letters ? pattern->letters : letters;
	if (pattern->class != CLASS_CONVENTIONAL)
		reading->warnings |= MOVE_WARN_FALLBACK;
	if (letters && pattern->letters && pattern->letters != letters)
		reading->warnings |= MOVE_WARN_OTHER_LETTERS;
	if (pattern->form->capture && !is_capture(p, move))
		reading->warnings |= MOVE_WARN_MARK;
}

/* Whether the class decides. A reading whose only moves would leave the king in check makes
 * the text illegal even if another reading fits: no other piece is played in its place. */
static bool read_class(const struct position *p, const struct letters *letters,
	const struct patterns *patterns, enum reading_class class, const struct move_list *legal,
	struct move_reading *reading)
{
	const struct pattern *found = NULL;
	bool barred = false;

	reading->n_candidates = 0;
	for (size_t i = 0; i < patterns->n; i++) {
		const struct pattern *pattern = &patterns->list[i];
		bool any = false;

		if (pattern->class != class)
			continue;
		for (size_t k = 0; k < legal->n; k++) {
			if (!fits(p, pattern, legal->moves[k]))
				continue;
			any = true;
			found = found ? found : pattern;
			add_candidate(reading, legal->moves[k]);
		}
		barred = barred || (!any && fits_pseudo(p, pattern));
	}
	if (reading->n_candidates > 1) {
		reading->result = MOVE_AMBIGUOUS;
	} else if (barred) {
		reading->result = MOVE_ILLEGAL;
	} else if (reading->n_candidates == 1) {
		take_move(p, letters, found, reading->candidates[0], reading);
		reading->n_candidates = 0;
	} else {
		return false;
	}
	return true;
}

/* "Did you mean": legal moves of any piece to a square that was named, then of a named piece to
 * a square beside it. */
static void add_near_misses(const struct position *p, const struct patterns *patterns,
	const struct move_list *legal, struct move_reading *reading)
{
	uint64_t to = 0, beside = 0;
	unsigned pieces = 0;

	for (size_t i = 0; i < patterns->n; i++) {
		if (bits_count(patterns->list[i].to) <= 8)
			to |= patterns->list[i].to;
		pieces |= patterns->list[i].pieces;
	}
	for (uint64_t set = to; set;)
		beside |= attacks_rook(bits_pop(&set), ~UINT64_C(0));
	for (size_t i = 0; i < legal->n; i++)
		if (to & BIT(move_to(legal->moves[i])))
			add_candidate(reading, legal->moves[i]);
	for (size_t i = 0; i < legal->n && reading->n_candidates < 8; i++)
		if (pieces >> p->board[move_from(legal->moves[i])] & 1 &&
			beside & BIT(move_to(legal->moves[i])))
			add_candidate(reading, legal->moves[i]);
}

static void read_castling(const struct position *p, const struct moveform *form,
	const struct move_list *legal, struct move_reading *reading)
{
	unsigned king = bits_first(p->pieces[PIECE_KING] & p->sides[p->turn]);
	unsigned to = form->castling == 2 ? king + 2 : king - 2;

	reading->result = MOVE_ILLEGAL;
	for (size_t i = 0; i < legal->n; i++) {
		uint16_t move = legal->moves[i];
		unsigned target = move_to(move);

		if (move_from(move) != king || (target != king + 2 && target + 2 != king))
			continue;
		if (target == to && form->castling > 1) {
			reading->result = MOVE_READ;
			reading->move = move;
			reading->n_candidates = 0;
			return;
		}
		add_candidate(reading, move);
	}
	if (form->castling > 1 || reading->n_candidates == 0)
		return;
	reading->result = reading->n_candidates == 1 ? MOVE_READ : MOVE_AMBIGUOUS;
	reading->move = reading->candidates[0];
	if (reading->n_candidates == 1)
		reading->n_candidates = 0;
}

static void check_marks(
	const struct position *p, const struct movecore *core, struct move_reading *reading)
{
	struct position after = *p;
	bool passing = p->board[move_from(reading->move)] == PIECE_PAWN &&
		       move_to(reading->move) == p->en_passant;

	position_make(&after, reading->move);
	if ((core->check && !position_in_check(&after)) ||
		(core->mate && position_end(&after) != POSITION_CHECKMATE) ||
		(core->passing && !passing))
		reading->warnings |= MOVE_WARN_MARK;
}

void movecore_read(const struct position *position, const struct letters *letters,
	const struct movecore *core, struct move_reading *reading)
{
	struct moveform forms[MOVEFORM_MAX];
	struct patterns patterns;
	struct move_list legal;
	size_t n = moveform_parse(core->symbols, core->n, forms);
	bool decided = false;

	patterns.n = 0;
	for (size_t i = 0; i < n && !forms[i].castling; i++)
		add_patterns(&patterns, letters, &forms[i]);
	if (!n || (!patterns.n && !forms[0].castling)) {
		reading->result = MOVE_UNREADABLE;
		return;
	}
	position_moves(position, &legal);
	if (forms[0].castling) {
		read_castling(position, &forms[0], &legal, reading);
		decided = true;
	}
	for (int class = 0; class < CLASSES && !decided; class ++)
		decided = read_class(
			position, letters, &patterns, (enum reading_class) class, &legal, reading);
	if (!decided)
		reading->result = MOVE_ILLEGAL;
	if (reading->result == MOVE_ILLEGAL)
		add_near_misses(position, &patterns, &legal, reading);
	if (reading->result == MOVE_READ)
		check_marks(position, core, reading);
}

static void check_number(const struct position *position, const struct movelist_token *token,
	struct move_reading *reading)
{
	bool black = token->dots > 1 || token->colour == 'n';

	reading->number = token->number;
	reading->number_has_dots = black;
	if ((token->number && token->number != position->fullmove) ||
		(black && position->turn == SIDE_WHITE) ||
		(token->colour == 'b' && position->turn == SIDE_BLACK))
		reading->warnings |= MOVE_WARN_NUMBER;
}

/* Two squares apart ("e2 e4", "e7 e8Q", "Nf6 d7") are one move of two squares. */
static bool join_squares(struct movecore *core, const struct movelist_token *first,
	const struct movecore *second, const struct movelist_token *token)
{
	bool square = first->shape == MOVELIST_SHAPE_SQUARE && core->n == 2;
	bool piece = first->shape == MOVELIST_SHAPE_PIECE && core->n == 3;

	if ((!square && !piece) || (piece && token->shape != MOVELIST_SHAPE_SQUARE) ||
		(token->shape != MOVELIST_SHAPE_SQUARE && token->shape != MOVELIST_SHAPE_PAWN) ||
		token->number || token->dots || first->line != token->line)
		return false;
	for (size_t i = 0; i < second->n; i++)
		core->symbols[core->n++] = second->symbols[i];
	core->check = second->check;
	core->mate = second->mate;
	return true;
}

enum move_result move_read(const struct position *position, const struct letters *letters,
	const char *text, size_t size, struct move_reading *ret_reading)
{
	struct movelist_scan scan = movelist_scan(text, size);
	struct movelist_token token, first = {.kind = MOVELIST_WORD};
	struct movecore core, next;
	struct move_reading reading = {.result = MOVE_UNREADABLE};
	size_t moves = 0;
	bool good = true;

	while (good && movelist_next_core(&scan, &token, &next)) {
		reading.draw_offer = reading.draw_offer || token.draw_offer;
		if (token.kind == MOVELIST_WORD || token.kind == MOVELIST_NUMBER) {
			good = false;
		} else if (token.kind == MOVELIST_MOVE && !moves++) {
			first = token;
			core = next;
		} else if (token.kind == MOVELIST_MOVE) {
			good = moves == 2 && join_squares(&core, &first, &next, &token);
		}
	}
	if (good && moves) {
		movecore_read(position, letters, &core, &reading);
		check_number(position, &first, &reading);
	}
	*ret_reading = reading;
	return reading.result;
}

#include "daemon/ctl/draws_command.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "core/draws.h"
#include "core/fen.h"
#include "core/notation.h"

#define PLIES_MAX 6000

/* A position and the moves from it. */
struct line {
	struct position start;
	uint16_t moves[PLIES_MAX];
	size_t n;
};

static const char *const answers[] = {
	[DRAWS_NO] = "no", [DRAWS_YES] = "yes", [DRAWS_UNDECIDED] = "undecided"};

static const char *const automatics[] = {
	[DRAWS_GOES_ON] = NULL,
	[DRAWS_CHECKMATE] = "checkmate",
	[DRAWS_STALEMATE] = "stalemate",
	[DRAWS_DEAD_POSITION] = "dead-position",
	[DRAWS_FIVEFOLD] = "fivefold",
	[DRAWS_SEVENTYFIVE_MOVES] = "seventyfive-moves",
};

/* Moves between blanks; the reason when one is not legal. */
static const char *read_moves(struct line *line, const char *text, size_t size)
{
	struct position position = line->start;
	const char *end = text + size;

	line->n = 0;
	for (;;) {
		const char *word;
		uint16_t move;

		while (text < end && (*text == ' ' || *text == '\r'))
			text++;
		if (text == end)
			return NULL;
		word = text;
		while (text < end && *text != ' ' && *text != '\r')
			text++;
		move = move_from_uci(&position, word, (size_t)(text - word));
		if (move == MOVE_NONE)
			return "not a legal move in UCI's notation";
		if (line->n == PLIES_MAX)
			return "too many moves";
		line->moves[line->n++] = move;
		position_make(&position, move);
	}
}

static const char *read_line(
	struct line *line, const char *fen, size_t fen_size, const char *moves, size_t moves_size)
{
	size_t at;
	enum fen_fault fault = fen_parse(fen, fen_size, &line->start, &at);

	return fault ? fen_fault_text(fault) : read_moves(line, moves, moves_size);
}

static json_t *ply_json(size_t ply)
{
	return ply == DRAWS_PLY_NONE ? json_null() : json_integer((json_int_t)ply);
}

static json_t *moves_json(const struct position *position, const struct move_list *list)
{
	json_t *array = json_array();

	for (size_t i = 0; i < list->n; i++) {
		char text[NOTATION_MAX];

		(void)move_write(position, list->moves[i], NOTATION_UCI, NULL, text);
		(void)json_array_append_new(array, json_string(text));
	}
	return array;
}

static json_t *automatic_json(const struct draws_facts *facts)
{
	const char *word = automatics[facts->automatic];

	return word ? json_string(word) : json_null();
}

static json_t *facts_json(const struct draws_facts *facts)
{
	char fen[FEN_MAX];

	fen_write(&facts->position, fen);
	return json_pack("{s:s, s:b, s:b, s:b, s:I, s:o, s:o, s:i, s:b, s:b, s:o, s:o, s:s, s:s, "
			 "s:s, s:o}",
		"fen", fen, "checkmate", facts->end == POSITION_CHECKMATE, "stalemate",
		facts->end == POSITION_STALEMATE, "insufficient", facts->insufficient,
		"repetitions", (json_int_t)facts->repetitions, "first_threefold_ply",
		ply_json(facts->first_threefold_ply), "first_fivefold_ply",
		ply_json(facts->first_fivefold_ply), "halfmove", (int)facts->position.halfmove,
		"claim_threefold", facts->claim_threefold, "claim_fifty", facts->claim_fifty,
		"claim_threefold_with", moves_json(&facts->position, &facts->threefold_with),
		"claim_fifty_with", moves_json(&facts->position, &facts->fifty_with), "dead",
		answers[facts->dead], "white_can_mate", answers[facts->can_mate[SIDE_WHITE]],
		"black_can_mate", answers[facts->can_mate[SIDE_BLACK]], "automatic",
		automatic_json(facts));
}

static int print_json(struct ctl *ctl, json_t *value)
{
	int failed = !value || json_dumpf(value, ctl->out, JSON_COMPACT) < 0;

	json_decref(value);
	(void)fputc('\n', ctl->out);
	return failed ? CTL_REFUSED : CTL_DONE;
}

static void print_moves(struct ctl *ctl, const char *label, const struct position *position,
	const struct move_list *list)
{
	if (!list->n)
		return;
	(void)fprintf(ctl->out, "%s", label);
	for (size_t i = 0; i < list->n; i++) {
		char text[NOTATION_MAX];

		(void)move_write(position, list->moves[i], NOTATION_SAN, NULL, text);
		(void)fprintf(ctl->out, " %s", text);
	}
	(void)fputc('\n', ctl->out);
}

static void print_facts(struct ctl *ctl, const struct draws_facts *facts)
{
	const char *automatic = automatics[facts->automatic];
	char fen[FEN_MAX];

	fen_write(&facts->position, fen);
	(void)fprintf(ctl->out, "position: %s\n", fen);
	(void)fprintf(ctl->out, "this position: %zu times\n", facts->repetitions);
	(void)fprintf(ctl->out, "plies without pawn move or capture: %u\n",
		(unsigned)facts->position.halfmove);
	(void)fprintf(ctl->out, "claim threefold: %s\n", facts->claim_threefold ? "yes" : "no");
	print_moves(ctl, "claim threefold with:", &facts->position, &facts->threefold_with);
	(void)fprintf(ctl->out, "claim fifty moves: %s\n", facts->claim_fifty ? "yes" : "no");
	print_moves(ctl, "claim fifty moves with:", &facts->position, &facts->fifty_with);
	(void)fprintf(ctl->out, "White can mate: %s\nBlack can mate: %s\ndead position: %s\n",
		answers[facts->can_mate[SIDE_WHITE]], answers[facts->can_mate[SIDE_BLACK]],
		answers[facts->dead]);
	(void)fprintf(ctl->out, "over by: %s\n", automatic ? automatic : "nothing");
}

static int answer_line(struct ctl *ctl, const struct line *line)
{
	struct draws_facts *facts = malloc(sizeof(*facts));
	int result = CTL_REFUSED;

	if (facts && !draws_facts(&line->start, line->moves, line->n, DRAWS_BUDGET, facts)) {
		result = CTL_DONE;
		if (ctl->json)
			result = print_json(ctl, facts_json(facts));
		else
			print_facts(ctl, facts);
	}
	free(facts);
	return result;
}

static int answer_stdin(struct ctl *ctl, struct line *line)
{
	char *text = NULL;
	size_t cap = 0;
	ssize_t size;
	int result = CTL_DONE;

	while (result == CTL_DONE && (size = getline(&text, &cap, ctl->in)) >= 0) {
		size_t length = (size_t)size;
		const char *tab, *fault;

		while (length && (text[length - 1] == '\n' || text[length - 1] == '\r'))
			length--;
		tab = memchr(text, '\t', length);
		if (tab)
			fault = read_line(line, text, (size_t)(tab - text), tab + 1,
				length - (size_t)(tab - text) - 1);
		else
			fault = read_line(line, text, length, "", 0);
		result = fault ? print_json(ctl, json_pack("{s:s}", "error", fault))
			       : answer_line(ctl, line);
	}
	free(text);
	return result;
}

static bool is_option(const char *text)
{
	return text[0] == '-' && text[1] == '-';
}

/* MOVES may be one operand or several. */
static const char *read_operands(struct line *line, int argc, char **argv)
{
	struct position position;
	const char *fault = read_line(line, argv[1], strlen(argv[1]), "", 0);
	struct line more;

	if (fault)
		return fault;
	position = line->start;
	for (int i = 2; i < argc && !fault; i++) {
		more.start = position;
		fault = read_moves(&more, argv[i], strlen(argv[i]));
		if (line->n + more.n > PLIES_MAX)
			return "too many moves";
		for (size_t k = 0; !fault && k < more.n; k++) {
			line->moves[line->n++] = more.moves[k];
			position_make(&position, more.moves[k]);
		}
	}
	return fault;
}

int draws_command(struct ctl *ctl, int argc, char **argv)
{
	struct line line;
	const char *fault;

	if (argc == 2 && !strcmp(argv[1], "--stdin") && ctl->json)
		return answer_stdin(ctl, &line);
	if (argc < 2 || is_option(argv[1])) {
		(void)fprintf(
			ctl->err, "usage: zugpostctl draws FEN [MOVES], or draws --stdin --json\n");
		return CTL_USAGE;
	}
	fault = read_operands(&line, argc, argv);
	if (fault) {
		(void)fprintf(ctl->err, "%s\n", fault);
		return CTL_REFUSED;
	}
	return answer_line(ctl, &line);
}

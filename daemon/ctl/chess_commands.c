#include "daemon/ctl/chess_commands.h"

#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "core/fen.h"
#include "core/movelist.h"
#include "core/notation.h"

#define PERFT_DEPTH_MAX 12
#define LINE_MAX_BYTES 65536

static int usage(struct ctl *ctl, const char *text)
{
	(void)fprintf(ctl->err, "usage: zugpostctl %s\n", text);
	return CTL_USAGE;
}

static bool position_of(
	const char *text, size_t size, struct position *ret_position, const char **ret_fault)
{
	size_t at;
	enum fen_fault fault = fen_parse(text, size, ret_position, &at);

	*ret_fault = fen_fault_text(fault);
	return fault == FEN_FINE;
}

/* Joins ARGV[0..N) with blanks: a FEN or a move that was not quoted. NULL when out of memory. */
static char *join_words(int n, char **argv)
{
	size_t size = 1;
	char *text, *at;

	for (int i = 0; i < n; i++)
		size += strlen(argv[i]) + 1;
	text = at = malloc(size);
	if (!text)
		return NULL;
	for (int i = 0; i < n; i++) {
		size_t length = strlen(argv[i]);

		if (i)
			*at++ = ' ';
		memcpy(at, argv[i], length);
		at += length;
	}
	*at = '\0';
	return text;
}

int perft_command(struct ctl *ctl, int argc, char **argv)
{
	struct position position;
	const char *fault;
	char *fen, *end;
	unsigned long depth;
	bool good;

	if (argc < 3)
		return usage(ctl, "perft FEN DEPTH");
	errno = 0;
	depth = strtoul(argv[argc - 1], &end, 10);
	if (errno || end == argv[argc - 1] || *end || *argv[argc - 1] == '-' ||
		depth > PERFT_DEPTH_MAX)
		return usage(ctl, "perft FEN DEPTH (a number up to 12)");
	fen = join_words(argc - 2, argv + 1);
	if (!fen)
		return CTL_REFUSED;
	good = position_of(fen, strlen(fen), &position, &fault);
	free(fen);
	if (!good) {
		(void)fprintf(ctl->err, "FEN: %s\n", fault);
		return CTL_REFUSED;
	}
	(void)fprintf(
		ctl->out, "%llu\n", (unsigned long long)position_perft(&position, (unsigned)depth));
	return CTL_DONE;
}

/* What a request of `move` says, as slices of the text it came in. */
struct slice {
	const char *at;
	size_t size;
};

struct move_request {
	struct slice fen, text, letters;
	struct slice last_fen, last_uci; /* .at NULL when not known */
};

struct move_answer {
	const char *error; /* NULL: read */
	char uci[512], san[1024], iccf[512];
	uint16_t candidates[16];
	size_t n_candidates;
	unsigned warnings;
	bool continued, draw_offer;
	struct position position; /* in which the candidates are moves */
	const char *detail;
};

static void append(char *out, size_t cap, const char *word)
{
	size_t length = strlen(out), size = strlen(word);

	if (length + size + 2 > cap)
		return;
	if (length)
		out[length++] = ' ';
	memcpy(out + length, word, size + 1);
}

static void append_move(struct move_answer *answer, const struct position *position, uint16_t move)
{
	char text[NOTATION_MAX];

	(void)move_write(position, move, NOTATION_UCI, NULL, text);
	append(answer->uci, sizeof(answer->uci), text);
	(void)move_write(position, move, NOTATION_SAN, NULL, text);
	append(answer->san, sizeof(answer->san), text);
	(void)move_write(position, move, NOTATION_ICCF, NULL, text);
	append(answer->iccf, sizeof(answer->iccf), text);
}

static void answer_own(struct move_answer *answer, const struct movelist_game *game,
	const struct movelist_reading *reading)
{
	const struct move_reading *own = &reading->own;
	struct position position = answer->position;

	answer->warnings = own->warnings;
	answer->draw_offer = reading->draw_offer;
	if (own->result != MOVE_READ) {
		answer->error = own->result == MOVE_ILLEGAL     ? "illegal"
				: own->result == MOVE_AMBIGUOUS ? "ambiguous"
								: "unreadable";
		answer->n_candidates = own->n_candidates;
		memcpy(answer->candidates, own->candidates, sizeof(own->candidates));
		return;
	}
	append_move(answer, &position, own->move);
	if (game->n_moves) {
		answer->continued = reading->n_further > 0;
		return;
	}
	for (size_t i = 0; i < reading->n_further; i++) { /* a line of several plies */
		position_make(&position, i ? reading->further[i - 1] : own->move);
		append_move(answer, &position, reading->further[i]);
	}
}

/* Why a word of the text is no part of a move. */
static const char *word_fault(struct slice text, size_t at)
{
	struct movelist_scan scan = movelist_scan(text.at, text.size);
	struct movelist_token word = {.kind = MOVELIST_WORD};
	size_t digits = 0;

	while (movelist_next(&scan, &word) && word.at < at)
		;
	while (digits < word.size && isdigit((unsigned char)text.at[word.at + digits]))
		digits++;
	if (digits == word.size && (digits == 4 || digits == 5))
		return "no such move: the squares of a move in digits are 11 to 88, and a fifth "
		       "digit, 1 to 4, promotes";
	return word.move_like ? "no such move in any notation" : "there are words in it";
}

/* Why the text is not a move and nothing else, or NULL. */
static const char *reading_fault(
	const struct movelist_game *game, struct slice text, const struct movelist_reading *reading)
{
	bool elsewhere = reading->own_state == MOVELIST_OWN_PAST ||
			 reading->own_state == MOVELIST_OWN_FUTURE;

	if (reading->n_words)
		return word_fault(text, reading->word_at);
	if (reading->repetition == MOVELIST_REPETITION_WRONG ||
		reading->repetition == MOVELIST_REPETITION_CONTRADICTS)
		return "the repeated move was not played";
	if (reading->own_state == MOVELIST_OWN_NONE)
		return "there is no move in it";
	if (reading->own_state == MOVELIST_OWN_DIFFERS)
		return "there are two different moves in it";
	if (game->n_moves && elsewhere)
		return "the number is of another move";
	if (reading->further_faulty && reading->own.result == MOVE_READ)
		return "what follows is no move";
	return NULL;
}

static void answer_reading(struct move_answer *answer, const struct movelist_game *game,
	struct slice text, const struct movelist_reading *reading)
{
	answer->detail = reading_fault(game, text, reading);
	if (answer->detail)
		answer->error = "unreadable";
	else
		answer_own(answer, game, reading);
}

/* The other side may be in check: a diagram from a book is enough to read a move in. */
static bool read_position(struct slice fen, struct position *ret_position, const char **ret_fault)
{
	size_t at;
	enum fen_fault fault = fen_parse_loosely(fen.at, fen.size, ret_position, &at);

	*ret_fault = fen_fault_text(fault);
	return fault == FEN_FINE;
}

static void answer_request(const struct move_request *request, struct move_answer *answer)
{
	struct movelist_game game = {.n_moves = 0};
	struct movelist_reading reading;
	struct position start;
	uint16_t last;

	*answer = (struct move_answer){.error = "malformed"};
	if (!read_position(request->fen, &answer->position, &answer->detail))
		return;
	game.start = &answer->position;
	if (request->letters.at) {
		game.letters = letters_find(request->letters.at, request->letters.size);
		answer->detail = "this language is not known";
		if (!game.letters)
			return;
	}
	if (request->last_fen.at) {
		struct position after;

		if (!position_of(
			    request->last_fen.at, request->last_fen.size, &start, &answer->detail))
			return;
		last = move_from_uci(&start, request->last_uci.at, request->last_uci.size);
		answer->detail = "the last move does not lead to the position";
		if (last == MOVE_NONE)
			return;
		after = start;
		position_make(&after, last);
		if (!position_same(&after, &answer->position))
			return;
		game.start = &start;
		game.moves = &last;
		game.n_moves = 1;
	}
	answer->error = answer->detail = NULL;
	movelist_read(&game, request->text.at, request->text.size, &reading);
	answer_reading(answer, &game, request->text, &reading);
}

static json_t *warnings_json(const struct move_answer *answer)
{
	static const struct {
		unsigned bit;
		const char *word;
	} words[] = {{MOVE_WARN_FALLBACK, "fallback"}, {MOVE_WARN_OTHER_LETTERS, "other-letters"},
		{MOVE_WARN_NUMBER, "number"}, {MOVE_WARN_MARK, "mark"}};
	json_t *list = json_array();

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (answer->warnings & words[i].bit)
			(void)json_array_append_new(list, json_string(words[i].word));
	if (answer->continued)
		(void)json_array_append_new(list, json_string("continuation"));
	if (answer->draw_offer)
		(void)json_array_append_new(list, json_string("draw-offer"));
	return list;
}

static json_t *candidates_json(const struct move_answer *answer)
{
	json_t *list = json_array();

	for (size_t i = 0; i < answer->n_candidates; i++) {
		char text[NOTATION_MAX];

		(void)move_write(
			&answer->position, answer->candidates[i], NOTATION_UCI, NULL, text);
		(void)json_array_append_new(list, json_string(text));
	}
	return list;
}

static json_t *string_or_null(const char *text)
{
	return text && *text ? json_string(text) : json_null();
}

static int print_json(struct ctl *ctl, json_t *value)
{
	int failed = !value || json_dumpf(value, ctl->out, JSON_COMPACT | JSON_ENCODE_ANY) < 0;

	json_decref(value);
	(void)fputc('\n', ctl->out);
	return failed ? CTL_REFUSED : CTL_DONE;
}

static int print_answer(struct ctl *ctl, const struct move_answer *answer)
{
	if (ctl->json)
		return print_json(ctl,
			json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "uci",
				string_or_null(answer->uci), "san", string_or_null(answer->san),
				"iccf", string_or_null(answer->iccf), "error",
				string_or_null(answer->error), "detail",
				string_or_null(answer->error ? answer->detail : NULL), "candidates",
				candidates_json(answer), "warnings", warnings_json(answer)));
	(void)fprintf(ctl->out, "%s (%s)\n", answer->san, answer->uci);
	return CTL_DONE;
}

/* One line on stderr: why not, and what could have been meant. */
static void print_refusal(struct ctl *ctl, const struct move_answer *answer)
{
	(void)fprintf(ctl->err, "%s", answer->error);
	if (answer->detail)
		(void)fprintf(ctl->err, ": %s", answer->detail);
	for (size_t i = 0; i < answer->n_candidates; i++) {
		char text[NOTATION_MAX];

		(void)move_write(
			&answer->position, answer->candidates[i], NOTATION_SAN, NULL, text);
		(void)fprintf(ctl->err, "%s %s", i ? "," : " (perhaps", text);
	}
	(void)fprintf(ctl->err, answer->n_candidates ? ")\n" : "\n");
}

static bool split_last(struct slice last, char separator, struct move_request *request)
{
	const char *at = memchr(last.at, separator, last.size);

	if (!at)
		return false;
	request->last_fen = (struct slice){last.at, (size_t)(at - last.at)};
	request->last_uci = (struct slice){at + 1, last.size - request->last_fen.size - 1};
	return true;
}

static bool is_mark(struct slice slice, char mark)
{
	return !slice.size || (slice.size == 1 && *slice.at == mark);
}

static bool request_of_line(const char *line, size_t size, struct move_request *request)
{
	struct slice fields[4];

	for (size_t i = 0; i < 4; i++) {
		const char *tab = memchr(line, '\t', size);

		if ((i < 3) != (tab != NULL))
			return false;
		fields[i] = (struct slice){line, tab ? (size_t)(tab - line) : size};
		size -= fields[i].size + (tab != NULL);
		line += fields[i].size + (tab != NULL);
	}
	*request = (struct move_request){.fen = fields[0], .text = fields[1]};
	if (!is_mark(fields[2], '*'))
		request->letters = fields[2];
	return is_mark(fields[3], '-') || split_last(fields[3], '|', request);
}

static int move_lines(struct ctl *ctl)
{
	char *line = NULL;
	size_t cap = 0;
	ssize_t size;
	int result = CTL_DONE;

	while (result == CTL_DONE && (size = getline(&line, &cap, ctl->in)) >= 0) {
		struct move_request request;
		struct move_answer answer = {.error = "malformed",
			.detail = "not FEN, TEXT, LANG and LAST between tabs"};

		while (size && (line[size - 1] == '\n' || line[size - 1] == '\r'))
			size--;
		if (size < LINE_MAX_BYTES && request_of_line(line, (size_t)size, &request))
			answer_request(&request, &answer);
		result = print_answer(ctl, &answer);
	}
	free(line);
	return result;
}

static struct slice slice_of(const char *text)
{
	return (struct slice){text, strlen(text)};
}

static int move_once(struct ctl *ctl, const struct move_request *request)
{
	struct move_answer answer;

	answer_request(request, &answer);
	/* In JSON a refusal is an answer like any other: its `error` says which. */
	if (ctl->json || !answer.error)
		return print_answer(ctl, &answer);
	print_refusal(ctl, &answer);
	return CTL_REFUSED;
}

/* What the command line of `move` asks for. */
struct move_options {
	struct move_request request;
	bool lines;
	char **words; /* the operands, at the front of argv */
	int n_words;
};

static bool read_options(int argc, char **argv, struct move_options *options)
{
	struct move_request *request = &options->request;
	bool literal = false;

	options->words = argv;
	for (int i = 1; i < argc; i++) {
		const char *option = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;

		if (literal || strncmp(option, "--", 2) != 0) {
			argv[options->n_words++] = argv[i];
		} else if (!option[2]) {
			literal = true;
		} else if (strcmp(option, "--stdin") == 0) {
			options->lines = true;
		} else if (value && strcmp(option, "--fen") == 0) {
			request->fen = slice_of(argv[++i]);
		} else if (value && strcmp(option, "--letters") == 0) {
			request->letters = slice_of(argv[++i]);
			if (is_mark(request->letters, '*'))
				request->letters.at = NULL;
		} else if (!value || strcmp(option, "--last") != 0 ||
			   !split_last(slice_of(argv[++i]), ',', request)) {
			return false;
		}
	}
	return options->lines ? !options->n_words : options->n_words && request->fen.at;
}

int move_command(struct ctl *ctl, int argc, char **argv)
{
	struct move_options options = {.lines = false};
	char *text;
	int result;

	if (!read_options(argc, argv, &options) || (options.lines && !ctl->json))
		return usage(ctl, "move --fen FEN [--letters LANG] [--last \"FEN,UCI\"] TEXT, "
				  "or move --stdin --json");
	if (options.lines)
		return move_lines(ctl);
	text = join_words(options.n_words, options.words);
	if (!text)
		return CTL_REFUSED;
	options.request.text = slice_of(text);
	result = move_once(ctl, &options.request);
	free(text);
	return result;
}

#include "core/pgn.h"

#include <string.h>

#include "core/notation.h"

#define LINE_WIDTH 79 /* lines of the standard are shorter than 80 columns */

static const char *const style_names[] = {
	[PGN_EXPORT] = "export", [PGN_IECC] = "iecc", [PGN_ICCF] = "iccf"};

const char *pgn_style_name(size_t index)
{
	return index < ARRAY_SIZE(style_names) ? style_names[index] : NULL;
}

bool pgn_style_find(const char *name, size_t size, enum pgn_style *ret_style)
{
	for (size_t i = 0; i < ARRAY_SIZE(style_names); i++)
		if (strlen(style_names[i]) == size && !memcmp(style_names[i], name, size)) {
			*ret_style = (enum pgn_style)i;
			return true;
		}
	return false;
}

/* A text that is cut at its cap but counted whole. */
struct sink {
	char *out;
	size_t cap, n;
	size_t column, width; /* width 0: no wrapping */
};

static void put_byte(struct sink *sink, char byte)
{
	if (sink->n + 1 < sink->cap)
		sink->out[sink->n] = byte;
	sink->n++;
}

static void put_text(struct sink *sink, const char *text)
{
	while (*text)
		put_byte(sink, *text++);
}

static size_t finish(struct sink *sink)
{
	if (sink->cap)
		sink->out[sink->n < sink->cap ? sink->n : sink->cap - 1] = '\0';
	return sink->n;
}

static void write_number(char *out, size_t number)
{
	char digits[24];
	size_t n = 0;

	do
		digits[n++] = (char)('0' + number % 10);
	while (number /= 10);
	while (n)
		*out++ = digits[--n];
	*out = '\0';
}

/* Quotes and backslashes escaped; line ends and other controls can not stand in a value. */
static void put_tag(struct sink *sink, const char *name, const char *value)
{
	put_byte(sink, '[');
	put_text(sink, name);
	put_text(sink, " \"");
	for (; *value; value++) {
		if (*value == '"' || *value == '\\')
			put_byte(sink, '\\');
		put_byte(sink, (unsigned char)*value < ' ' || *value == 0x7f ? ' ' : *value);
	}
	put_text(sink, "\"]\n");
}

static const char *tag_value(const struct pgn_game *game, const char *name)
{
	for (size_t i = 0; i < game->n_tags; i++)
		if (!strcmp(game->tags[i].name, name))
			return game->tags[i].value;
	return NULL;
}

static const char *const roster[] = {"Event", "Site", "Date", "Round", "White", "Black", "Result"};
static const char *const own_tags[] = {"Result", "SetUp", "FEN", "PlyCount"};

static bool is_one_of(const char *name, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

static bool name_is_good(const char *name)
{
	const char *at = name;

	while ((*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') ||
		(at > name && ((*at >= '0' && *at <= '9') || *at == '_')))
		at++;
	return at > name && !*at;
}

static void put_roster(struct sink *sink, const struct pgn_game *game, enum pgn_style style)
{
	for (size_t i = 0; i < ARRAY_SIZE(roster); i++) {
		const char *value = tag_value(game, roster[i]);

		if (!strcmp(roster[i], "Result"))
			value = game->result;
		else if (!value && !strcmp(roster[i], "Site") && style != PGN_EXPORT)
			value = style == PGN_IECC ? "IECC" : "ICCF Email";
		else if (!value && !strcmp(roster[i], "Date"))
			value = "????.??.??";
		put_tag(sink, roster[i], value ? value : "?");
	}
}

/* The usual first position needs no tags. */
static bool starts_elsewhere(const struct pgn_game *game)
{
	struct position initial = position_initial();

	return game->start && !(position_same(game->start, &initial) && game->start->fullmove == 1);
}

static void put_tags(struct sink *sink, const struct pgn_game *game, enum pgn_style style)
{
	const char *date = tag_value(game, "Date");
	char text[FEN_MAX];

	put_roster(sink, game, style);
	for (size_t i = 0; i < game->n_tags; i++) {
		const char *name = game->tags[i].name;

		if (!is_one_of(name, roster, ARRAY_SIZE(roster)) &&
			!is_one_of(name, own_tags, ARRAY_SIZE(own_tags)) && name_is_good(name))
			put_tag(sink, name, game->tags[i].value);
	}
	if (starts_elsewhere(game)) {
		fen_write(game->start, text);
		put_tag(sink, "SetUp", "1");
		put_tag(sink, "FEN", text);
	}
	if (style == PGN_ICCF || tag_value(game, "PlyCount")) {
		write_number(text, game->n_moves);
		put_tag(sink, "PlyCount", text);
	}
	if (style == PGN_ICCF && date && !tag_value(game, "EventDate"))
		put_tag(sink, "EventDate", date);
	put_byte(sink, '\n');
}

/* A word of movetext: on the line if there is room, else on the next. */
static void put_word(struct sink *sink, const char *word)
{
	size_t length = strlen(word);

	if (sink->column && sink->width && sink->column + 1 + length > sink->width) {
		put_byte(sink, '\n');
		sink->column = 0;
	} else if (sink->column) {
		put_byte(sink, ' ');
		sink->column++;
	}
	put_text(sink, word);
	sink->column += length;
}

#define WORD_MAX (NOTATION_MAX + 24)

static void put_moves(struct sink *sink, const struct position *start, const uint16_t *moves,
	size_t n, enum pgn_style style)
{
	struct position position = *start;

	for (size_t i = 0; i < n; i++) {
		bool black = position.turn == SIDE_BLACK;
		char word[WORD_MAX] = "", san[NOTATION_MAX];

		if (!black || !i) {
			write_number(word, position.fullmove);
			strncat(word, black ? "..." : ".", 4);
			if (style != PGN_IECC) {
				put_word(sink, word);
				*word = '\0';
			}
		}
		(void)move_write(&position, moves[i], NOTATION_SAN, NULL, san);
		strncat(word, san, NOTATION_MAX);
		put_word(sink, word);
		position_make(&position, moves[i]);
	}
}

size_t movetext_write(const struct position *start, const uint16_t *moves, size_t n_moves,
	enum pgn_style style, size_t width, char *out, size_t cap)
{
	struct sink sink = {.out = out, .cap = cap, .width = width};

	put_moves(&sink, start, moves, n_moves, style);
	return finish(&sink);
}

size_t pgn_write(const struct pgn_game *game, enum pgn_style style, char *out, size_t cap)
{
	struct sink sink = {.out = out, .cap = cap, .width = LINE_WIDTH};
	struct position start = game->start ? *game->start : position_initial();

	put_tags(&sink, game, style);
	put_moves(&sink, &start, game->moves, game->n_moves, style);
	put_word(&sink, game->result);
	put_text(&sink, "\n\n");
	return finish(&sink);
}
